import type { Database } from '../storage/database'
import { type DatabaseProcess, readClockRows } from '../storage/databaseChecks'
import { type ClockState, clockStateSchema, judgeClock } from './clock'

declare module '../storage/database' {
  interface DatabaseSchema {
    clock: {
      one: number
      state: string
    }
  }
}

/** Stores the state of the clock, and reads the newest journal row that it is compared with. */
export function createClockRepository(database: Database) {
  return {
    async read(): Promise<ClockState | undefined> {
      const row = await database.selectFrom('clock').select('state').executeTakeFirst()
      return parseState(row)
    },
    async write(state: ClockState): Promise<void> {
      await database
        .replaceInto('clock')
        .values({ one: 1, state: JSON.stringify(state) })
        .execute()
    },
    async newest(): Promise<{ number: number; takenAt: string } | undefined> {
      const row = await database
        .selectFrom('shipments')
        .select(['number', 'takenAt'])
        .orderBy('number', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row === undefined ? undefined : { number: row.number, takenAt: row.takenAt }
    },
  }
}

function parseState(row: { state: string } | undefined): ClockState | undefined {
  return row === undefined ? undefined : clockStateSchema.parse(JSON.parse(row.state))
}

/** Whether the clock agrees with a database that a station may be using; false when that can't be read. Stores nothing. */
export async function isClockPlausible(
  run: DatabaseProcess,
  path: string,
  now: Date,
  signal: AbortSignal,
): Promise<boolean> {
  const rows = await readClockRows(run, path, signal)
  if (rows === undefined) return false
  try {
    const reading = { now, ranMs: 0, passedMs: 0, newest: rows.newest }
    return judgeClock(parseState(rows.clock), reading).trial === null
  } catch {
    return false
  }
}
