import { randomUUID } from 'node:crypto'
import { link, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { ignoreMissing } from '../lib/plainFiles'
import { syncFolder, writeSynced } from '../lib/synced'

const idSchema = z.uuid()

/**
 * The id of this station as folders that it has outside of its data folder know it; made when it has none yet.
 * @param dataFolder absolute path of the station's data, which exists
 */
export async function readStationId(dataFolder: string): Promise<string> {
  const file = join(dataFolder, 'station-id')
  const known = await readId(file)
  if (known !== undefined) return known
  const id = randomUUID()
  const part = `${file}.${id}.part`
  await writeSynced(part, `${id}\n`, 0o600)
  try {
    // A copy of the station may be made beside it: the id that is there first stands.
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
