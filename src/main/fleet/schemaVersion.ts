import { sql } from 'kysely'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { FleetDatabase } from './connection'
import { fleetMigrations } from './schema'

/** Key of the advisory lock under which the schema is brought to its version. */
const migrationLock = 7_225_368

/**
 * Brings the schema to this version, one station at a time; makes it when there is none.
 * @returns the fleet's own id; `fleet-schema-newer` when a newer Packbench made it
 */
export async function prepareSchema(
  database: FleetDatabase,
  migrations: readonly string[] = fleetMigrations,
): Promise<Result<string>> {
  return database.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction)
    const { rows } = await sql<{ isThere: boolean }>`
      select to_regclass('packbench.schema_version') is not null as is_there
    `.execute(transaction)
    if (rows[0]?.isThere !== true) {
      const { rows: schemas } = await sql`select 1 from pg_namespace where nspname = 'packbench'`.execute(
        transaction,
      )
      // Where an administrator made it, this user needs no right to make another.
      if (schemas.length === 0) await sql`create schema packbench`.execute(transaction)
      await sql`
        create table packbench.schema_version (
          version integer not null,
          fleet_id text not null default gen_random_uuid()::text
        )
      `.execute(transaction)
      await transaction.insertInto('packbench.schemaVersion').values({ version: 0 }).execute()
    }
    const { version, fleetId } = await transaction
      .selectFrom('packbench.schemaVersion')
      .selectAll()
      .executeTakeFirstOrThrow()
    if (version > migrations.length) return err(schemaNewer(version, migrations.length))
    for (const step of migrations.slice(version)) await sql.raw(step).execute(transaction)
    if (version < migrations.length) {
      await transaction.updateTable('packbench.schemaVersion').set({ version: migrations.length }).execute()
    }
    return ok(fleetId)
  })
}

/** A newer Packbench changed the schema: this one must not write there. */
export function schemaNewer(version: number | string, known = fleetMigrations.length): AppError {
  return appError('fleet-schema-newer', { version: String(version), known: String(known) })
}
