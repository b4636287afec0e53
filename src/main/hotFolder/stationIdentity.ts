import { randomUUID } from 'node:crypto'
import { readFile, realpath, rename } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { writeSynced } from '../lib/synced'
import { systemCode } from './folders'

/** What tells a station from every other one: a copy of its data folder has another host or another place. */
export interface StationIdentity {
  station: string
  host: string
  dataFolder: string
}

const idSchema = z.uuid()

/**
 * Reads who this station is; gives it an id when it has none yet.
 * @param dataFolder absolute path of the station's data, which exists
 */
export async function stationIdentity(dataFolder: string): Promise<StationIdentity> {
  const station = (await readId(dataFolder)) ?? (await newId(dataFolder))
  return { station, host: hostname(), dataFolder: await realpath(dataFolder) }
}

function idFile(dataFolder: string): string {
  return join(dataFolder, 'station-id')
}

async function readId(dataFolder: string): Promise<string | undefined> {
  try {
    return idSchema.safeParse((await readFile(idFile(dataFolder), 'utf8')).trim()).data
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}

async function newId(dataFolder: string): Promise<string> {
  const id = randomUUID()
  const temporary = `${idFile(dataFolder)}.tmp`
  await writeSynced(temporary, `${id}\n`, 0o600)
  await rename(temporary, idFile(dataFolder))
  return id
}
