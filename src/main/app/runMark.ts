import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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
