import type { Database } from '../storage/database'

declare module '../storage/database' {
  interface DatabaseSchema {
    setPins: { since: string }
  }
}

/** What the database knows of the PIN: only whether there is one. */
export interface PinNote {
  /** When the database was opened. */
  wasSet: boolean
  /** Notes that a PIN is set, or that it was taken away. */
  note(isSet: boolean, at: Date): Promise<void>
}

/** Whether a PIN was set when the app ran last. */
export async function wasPinSet(database: Database): Promise<boolean> {
  return (await database.selectFrom('setPins').select('since').limit(1).executeTakeFirst()) !== undefined
}

export function createPinNote(database: Database, wasSet: boolean): PinNote {
  return {
    wasSet,
    note: (isSet, at) =>
      database.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('setPins').execute()
        if (isSet) await transaction.insertInto('setPins').values({ since: at.toISOString() }).execute()
      }),
  }
}
