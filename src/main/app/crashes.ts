import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { App, CrashReporter } from 'electron'
import { z } from 'zod'

const markSchema = z.object({ startedAt: z.iso.datetime() })

/** A file that lies in the data folder while a station works, so that the next start knows how the last run ended. */
export interface RunMark {
  /** When the last run began that did not end in good order; undefined when the last one did. */
  findCutOff(): string | undefined
  write(now: Date): void
  remove(): void
}

/** @param dataFolder absolute. A file that can't be written or removed is no reason to stop: nothing depends on it but a notice. */
export function createRunMark(dataFolder: string): RunMark {
  const path = join(dataFolder, 'running.json')
  const attempt = (action: () => void) => {
    try {
      action()
    } catch {
      // The data folder's own check says what is wrong with it.
    }
  }
  return {
    findCutOff() {
      try {
        return markSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data?.startedAt
      } catch {
        return undefined
      }
    },
    write(now) {
      attempt(() =>
        writeFileSync(path, `${JSON.stringify({ startedAt: now.toISOString() })}\n`, { mode: 0o600 }),
      )
    },
    remove() {
      attempt(() => rmSync(path, { force: true }))
    },
  }
}

/** Dumps that are kept: a program that crashes at each start must not fill the disk. */
const maxDumps = 5

/** What a process of the app was doing when it crashed, as the system wrote it down. */
export interface CrashDump {
  name: string
  bytes: number
  at: string
}

/**
 * Has the system write down what a process that crashes was doing. SECURITY: such a dump can hold anything that was in memory: it stays
 * in the data folder, is for its user only, and nothing is ever sent.
 * @param folder absolute; made when it is missing
 */
export function writeCrashDumps(app: Pick<App, 'setPath'>, reporter: CrashReporter, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  app.setPath('crashDumps', folder)
  reporter.start({ uploadToServer: false, ignoreSystemCrashHandler: false })
}

/** The dumps in a folder, the newest first. */
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

/** Removes all but the newest dumps, with what Chromium notes beside them. */
export async function rotateCrashDumps(folder: string): Promise<void> {
  const old = (await listCrashDumps(folder)).slice(maxDumps)
  for (const { name } of old) {
    await rm(join(folder, name), { force: true })
    await rm(join(folder, name.replace(/\.dmp$/, '.meta')), { force: true })
  }
}
