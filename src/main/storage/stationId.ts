import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ignoreMissing } from '../lib/plainFiles'
import { syncFolder, writeSynced } from '../lib/synced'

const idSchema = z.uuid()

/**
 * Reads the id by which folders outside of the data folder recognise this station; creates it when there is none.
 * @param dataFolder absolute path of the existing data folder
 */
export async function readStationId(dataFolder: string): Promise<string> {
  const file = join(dataFolder, 'station-id')
  const known = await readId(file)
  if (known !== undefined) return known
  const id = randomUUID()
  const part = `${file}.${id}.part`
  await writeSynced(part, `${id}\n`, 0o600)
  try {
    // Another process may create the id at the same time: the first one wins.
    await link(part, file).catch(async () => {
      if ((await readId(file)) === undefined) await rename(part, file)
    })
    await syncFolder(dataFolder)
    return (await readId(file)) ?? id
  } finally {
    await rm(part, { force: true })
  }
}

async function readId(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(ignoreMissing)
  return idSchema.safeParse(text?.trim()).data
}
