import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { App, CrashReporter } from 'electron'
import { z } from 'zod'
import { readValid } from '../lib/readValid'

const markSchema = z.object({ startedAt: z.iso.datetime() })

/**
 * A file that exists in the data folder while the services run, so that the next start can tell how the last run ended.
 * @param dataFolder absolute path. A file that can't be written or removed is ignored: only a notice depends on it.
 */
export function createRunMark(dataFolder: string) {
  const path = join(dataFolder, 'running.json')
  const attempt = (action: () => void) => {
    try {
      action()
    } catch {
      // The check of the data folder reports the cause.
    }
  }
  return {
    /** When the last run started, if it did not end normally; else undefined. */
    findInterruptedRun(): string | undefined {
      return readValid(markSchema, () => JSON.parse(readFileSync(path, 'utf8')))?.startedAt
    },
    write(now: Date): void {
      attempt(() =>
        writeFileSync(path, `${JSON.stringify({ startedAt: now.toISOString() })}\n`, { mode: 0o600 }),
      )
    },
    remove(): void {
      attempt(() => rmSync(path, { force: true }))
    },
  }
}

/** Number of dumps to keep: a program that crashes at each start must not fill the disk. */
const maxDumps = 5

/** A minidump of a crashed process of the app. */
export interface CrashDump {
  name: string
  bytes: number
  at: string
}

/**
 * Makes Crashpad write a dump when a process of the app crashes. SECURITY: a dump can contain anything that was in memory. It stays
 * in the data folder, only its user can read it, and it is never uploaded.
 * @param folder absolute path; created when missing
 */
export function writeCrashDumps(app: Pick<App, 'setPath'>, reporter: CrashReporter, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  app.setPath('crashDumps', folder)
  reporter.start({ uploadToServer: false, ignoreSystemCrashHandler: false })
}

/** The dumps in a folder, newest first. */
export async function listCrashDumps(folder: string): Promise<CrashDump[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => [])
  const dumps = await Promise.all(
    names
      .filter((name) => name.endsWith('.dmp'))
      .map(async (name) => {
        const found = await stat(join(folder, name)).catch(() => undefined)
        return found === undefined ? [] : [{ name, bytes: found.size, at: found.mtime.toISOString() }]
      }),
  )
  return dumps.flat().toSorted((one, other) => (one.at < other.at ? 1 : -1))
}

/** Removes all but the newest dumps, with Chromium's `.meta` files. */
export async function rotateCrashDumps(folder: string): Promise<void> {
  const old = (await listCrashDumps(folder)).slice(maxDumps)
  for (const { name } of old) {
    await rm(join(folder, name), { force: true })
    await rm(join(folder, name.replace(/\.dmp$/, '.meta')), { force: true })
  }
}
