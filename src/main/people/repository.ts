import type { Database } from '../storage/database'

declare module '../storage/database' {
  interface DatabaseSchema {
    setPins: { since: string }
  }
}

/** The database stores only whether a PIN is set, so that deleting the PIN's file is noticed. */
export interface PinNote {
  /** Whether a PIN was set when the database was opened. */
  wasSet: boolean
  note(isSet: boolean, at: Date): Promise<void>
}

/** Whether a PIN was set when the app last ran. */
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
