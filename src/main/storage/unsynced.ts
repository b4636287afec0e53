import { sql } from 'kysely'

const mark = '/* unsynced */'

/**
 * Ends a single statement whose change is made again should a power failure take it: its commit does not wait for the disk. It
 * outlives a crash of the app, and the next commit that is durable takes it along, as SQLite's log keeps their order.
 */
export const unsynced = sql.raw<undefined>(mark)

/** Whether a statement ends with `unsynced`. */
export function isUnsynced(text: string): boolean {
  return text.endsWith(mark)
}
