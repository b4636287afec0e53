import { hash } from 'node:crypto'
import { lstat, open, realpath } from 'node:fs/promises'
import { dirname, win32 } from 'node:path'
import { z } from 'zod'
import { err, ok, type Result } from '../../shared/result'
import type { JsonFile } from '../lib/jsonText'
import { runProgram } from '../lib/programs'
import { readValid } from '../lib/readValid'
import { systemCode } from '../lib/synced'
import { toReason } from '../lib/toReason'
import { findForeignAccess, readWindowsSecurity } from './windowsSecurity'

/** A provisioning file that an administrator installed for all users of the computer. */
export interface StationFile {
  path: string
  text: string
}

/** Why a station file is not used. `untrusted`: someone other than an administrator could have written it. */
export interface StationFileRefusal {
  kind: 'untrusted' | 'unreadable'
  path: string
  /** The cause, in English. */
  reason: string
}

export interface StationFileDeps {
  platform: NodeJS.Platform
  env: Readonly<Record<string, string | undefined>>
  /** For tests: another path, and another owner than root. */
  path?: string
  trustedOwner?: number
  run?: typeof runProgram
  toWindowsSecurity?: typeof readWindowsSecurity
}

/** More than fifty printers with all their settings need. */
const maxBytes = 1024 * 1024

/** The path of the station file on a platform. On macOS a management server (MDM) writes it. */
export function stationFilePath({ platform, env }: Pick<StationFileDeps, 'platform' | 'env'>): string {
  if (platform === 'win32') {
    return win32.join(env.ProgramData ?? 'C:\\ProgramData', 'Packbench', 'station.json')
  }
  if (platform === 'darwin') return '/Library/Managed Preferences/app.packbench.station.plist'
  return '/etc/packbench/station.json'
}

/**
 * Reads the computer's station file.
 * SECURITY: it decides where credentials are sent, so it is used only when nobody but administrators can have written it: on Linux and macOS file and
 * folder must belong to root and be writable only by root; on Windows administrators or the system must own both, and nobody else may change them.
 * @returns undefined when there is none
 */
export async function readStationFile(
  deps: StationFileDeps,
): Promise<Result<StationFile | undefined, StationFileRefusal>> {
  const place = deps.path ?? stationFilePath(deps)
  try {
    const file = await realpath(place)
    // The mode of a link says nothing: everyone may write to it, and nobody can.
    const folder = await realpath(dirname(place))
    const suspicion =
      deps.platform === 'win32'
        ? await findForeignWindowsAccess(
            [
              [dirname(place), 'folder'],
              [dirname(file), 'folder'],
              [file, 'file'],
            ],
            deps.toWindowsSecurity ?? readWindowsSecurity,
          )
        : await findForeignRights([folder, dirname(file), file], deps.trustedOwner ?? 0)
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
    if ((mode & 0o022) !== 0) return `${place} is writable by others (mode ${(mode & 0o777).toString(8)})`
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

/** Management servers write property lists, which may be binary; macOS' plutil converts them to JSON. */
async function readPropertyList(file: string, run: typeof runProgram): Promise<string> {
  const end = await run('/usr/bin/plutil', ['-convert', 'json', '-o', '-', file], {
    timeoutMs: 5000,
    maxOutputBytes: maxBytes,
  })
  if (end.kind === 'success') return end.output
  throw new Error(end.kind === 'missing' ? 'plutil is missing' : end.words)
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(systemCode(error))
}

const markSchema = z.object({ sha256: z.string(), isAccountWaiting: z.boolean().default(false) })

export type StationFileMark = ReturnType<typeof createStationFileMark>

/**
 * Records in the data folder which station file was applied, so that it is applied again only when it changes, and later
 * changes by people stay.
 * @param settings when there are none, nothing was applied, whatever the mark says
 */
export function createStationFileMark(
  mark: Pick<JsonFile, 'read' | 'write' | 'setAside'>,
  settings: Pick<JsonFile, 'read'>,
) {
  function read() {
    return readValid(markSchema, () => (settings.read() === undefined ? undefined : mark.read()))
  }

  return {
    isApplied: (file: StationFile): boolean => read()?.sha256 === hash('sha256', file.text),
    /** Whether the account of the file was only in memory when it was last applied. */
    isAccountWaiting: (): boolean => read()?.isAccountWaiting ?? false,
    /** Renames an unreadable mark. Throws when the mark can't be written. */
    write(file: StationFile, isAccountWaiting: boolean): void {
      // An incompletely written mark is unreadable, and electron-store does not overwrite an unreadable file.
      if (!isReadable(mark)) mark.setAside()
      mark.write({ sha256: hash('sha256', file.text), isAccountWaiting })
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
