import { lstat, open, realpath } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { err, ok, type Result } from '../../shared/result'
import { toSha256 } from '../lib/hash'
import type { JsonFile } from '../lib/jsonText'
import { runProgram } from '../lib/programs'
import { toReason } from '../lib/toReason'
import { findForeignAccess, readWindowsSecurity } from './windowsSecurity'

/** A provisioning file that an administrator put where it holds for every user of the computer. */
export interface StationFile {
  path: string
  text: string
}

/** Why a station file is not used. `untrusted`: others than administrators could have written it. */
export interface StationFileRefusal {
  kind: 'untrusted' | 'unreadable'
  path: string
  /** What was found, in English. */
  reason: string
}

export interface StationFileDeps {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  /** For tests: another place, and another owner than root. */
  path?: string
  trustedOwner?: number
  run?: typeof runProgram
  toWindowsSecurity?: typeof readWindowsSecurity
}

/** More than fifty printers with all their settings take. */
const maxBytes = 1024 * 1024

/** Where the platform keeps what an administrator sets for all users of a computer. On macOS it is what a management server sends. */
export function stationFilePath({ platform, env }: Pick<StationFileDeps, 'platform' | 'env'>): string {
  if (platform === 'win32') {
    return path.win32.join(env.ProgramData ?? 'C:\\ProgramData', 'Packbench', 'station.json')
  }
  if (platform === 'darwin') return '/Library/Managed Preferences/app.packbench.station.plist'
  return '/etc/packbench/station.json'
}

/**
 * Reads the computer's station file.
 * SECURITY: it decides where credentials are sent, so it counts only when no one but administrators can have written it: on Linux and macOS file and
 * folder belong to root and are writable for root alone; on Windows administrators or the system own both, and nobody else may change them.
 * @returns undefined when there is none
 */
export async function readStationFile(
  deps: StationFileDeps,
): Promise<Result<StationFile | undefined, StationFileRefusal>> {
  const place = deps.path ?? stationFilePath(deps)
  try {
    const file = await realpath(place)
    const suspicion =
      deps.platform === 'win32'
        ? await findForeignWindowsAccess(
            [
              [path.dirname(place), 'folder'],
              [path.dirname(file), 'folder'],
              [file, 'file'],
            ],
            deps.toWindowsSecurity ?? readWindowsSecurity,
          )
        : await findForeignRights([path.dirname(place), path.dirname(file), file], deps.trustedOwner ?? 0)
    if (suspicion !== undefined) return err({ kind: 'untrusted', path: place, reason: suspicion })
    const text =
      deps.platform === 'darwin' ? await readPropertyList(file, deps.run ?? runProgram) : await readText(file)
    return ok({ path: place, text })
  } catch (error) {
    if (isMissing(error)) return ok(undefined)
    return err({ kind: 'unreadable', path: place, reason: toReason(error) })
  }
}

async function findForeignRights(places: readonly string[], owner: number): Promise<string | undefined> {
  for (const place of places) {
    const { uid, mode } = await lstat(place)
    if (uid !== owner) return `${place} belongs to user ${uid}`
    if ((mode & 0o022) !== 0) return `${place} can be written by others (mode ${(mode & 0o777).toString(8)})`
  }
  return undefined
}

async function findForeignWindowsAccess(
  places: readonly (readonly [string, 'file' | 'folder'])[],
  toSecurity: typeof readWindowsSecurity,
): Promise<string | undefined> {
  for (const [place, kind] of places) {
    const found = findForeignAccess(await toSecurity(place), kind)
    if (found !== undefined) return `${place} ${found}`
  }
  return undefined
}

async function readText(file: string): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { size } = await handle.stat()
    if (size > maxBytes) throw new Error(`it has ${size} bytes, more than ${maxBytes}`)
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/** Management servers send lists that may be binary; the system's own program makes JSON of them. */
async function readPropertyList(file: string, run: typeof runProgram): Promise<string> {
  const end = await run('/usr/bin/plutil', ['-convert', 'json', '-o', '-', file], {
    timeoutMs: 5000,
    maxOutputBytes: maxBytes,
  })
  if (end.kind === 'success') return end.output
  throw new Error(end.kind === 'missing' ? 'plutil is missing' : end.words)
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')
}

const markSchema = z.object({ sha256: z.string() })

export type StationFileMark = ReturnType<typeof createStationFileMark>

/**
 * Notes in a file of the data folder which station file it has been set up by: it is applied when it changes, and what
 * people change afterwards stays.
 * @param settings without settings nothing has been set up, whatever the mark says
 */
export function createStationFileMark(
  mark: Pick<JsonFile, 'read' | 'write' | 'setAside'>,
  settings: Pick<JsonFile, 'read'>,
) {
  return {
    isApplied(file: StationFile): boolean {
      try {
        return (
          settings.read() !== undefined &&
          markSchema.safeParse(mark.read()).data?.sha256 === toSha256(file.text)
        )
      } catch {
        return false
      }
    },
    /** Puts a mark aside that can't be read. Throws when it can't be written. */
    write(file: StationFile): void {
      // One that was cut off as it was written can't be read, and the store that keeps it writes over nothing unread.
      if (!isReadable(mark)) mark.setAside()
      mark.write({ sha256: toSha256(file.text) })
    },
  }
}

function isReadable(file: Pick<JsonFile, 'read'>): boolean {
  try {
    file.read()
    return true
  } catch {
    return false
  }
}
