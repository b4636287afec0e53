import { sql } from 'kysely'
import { type AppError, appError } from '../../shared/errors'
import type { FleetSettings, FleetTest } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import { connectToFleet, type FleetDatabase, toFleetError } from './connection'
import { fleetMigrations } from './schema'

/** The oldest supported PostgreSQL, as in `server_version_num`. */
const minServerVersion = 130_000

interface FleetServerFacts {
  serverVersion: string
  /** How far its clock is ahead of this computer's, in milliseconds. */
  aheadMs: number
  roundTripMs: number
}

/** Reads the server's version and clock; `fleet-server-old` when the version is not supported. */
export async function inspectServer(
  database: FleetDatabase,
  now: () => Date,
): Promise<Result<FleetServerFacts>> {
  // The first query includes the time to connect.
  await sql`select 1`.execute(database)
  const before = now().getTime()
  const { rows } = await sql<{ version: string; number: string; at: Date }>`
    select current_setting('server_version') as version, current_setting('server_version_num') as number,
      clock_timestamp() as at
  `.execute(database)
  const roundTripMs = now().getTime() - before
  const [row] = rows
  if (row === undefined) throw new Error('the server did not return its version')
  const serverVersion = row.version.split(' ')[0] ?? row.version
  if (Number(row.number) < minServerVersion) {
    return err(appError('fleet-server-old', { version: serverVersion }))
  }
  return ok({ serverVersion, aheadMs: row.at.getTime() - (before + roundTripMs / 2), roundTripMs })
}

/**
 * Whether the user may use the schema, or create it when there is none. Changes nothing.
 * @returns whether the user has the rights, or `fleet-schema-newer`
 */
async function inspectSchema(database: FleetDatabase): Promise<Result<{ hasRights: boolean }>> {
  const { rows } = await sql<{ mayMake: boolean; mayUse: boolean | null }>`
    select has_database_privilege(current_database(), 'CREATE')
        or exists (select 1 from pg_namespace where nspname = 'packbench'
          and has_schema_privilege(oid, 'CREATE') and has_schema_privilege(oid, 'USAGE')) as may_make,
      (select has_schema_privilege(schema.oid, 'USAGE') and has_table_privilege(claims.oid, 'INSERT')
          and has_table_privilege(claims.oid, 'UPDATE') and has_table_privilege(claims.oid, 'DELETE')
        from pg_class claims join pg_namespace schema on schema.oid = claims.relnamespace
        where schema.nspname = 'packbench' and claims.relname = 'claims') as may_use
  `.execute(database)
  const [row] = rows
  const mayUse = row?.mayUse ?? null
  if (mayUse === null) return ok({ hasRights: row?.mayMake === true })
  if (!mayUse) return ok({ hasRights: false })
  const newer = await findNewerSchema(database)
  return newer === undefined ? ok({ hasRights: true }) : err(newer)
}

/** The id of the fleet of a database; undefined if it has no schema of Packbench. */
export async function findFleetIn(database: FleetDatabase): Promise<string | undefined> {
  const { rows } = await sql<{ isThere: boolean }>`
    select to_regclass('packbench.schema_version') is not null as is_there
  `.execute(database)
  if (rows[0]?.isThere !== true) return undefined
  const version = database.selectFrom('packbench.schemaVersion').select('fleetId')
  return (await version.executeTakeFirstOrThrow()).fleetId
}

/** Key of the advisory lock for migrating the schema. */
const migrationLock = 7_225_368

/**
 * Creates the schema or migrates it to this version, one station at a time.
 * @returns the fleet's id; `fleet-schema-newer` when a newer Packbench migrated it
 */
export async function prepareSchema(
  database: FleetDatabase,
  migrations: readonly string[] = fleetMigrations,
): Promise<Result<string>> {
  return database.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(transaction)
    if ((await findFleetIn(transaction)) === undefined) {
      const { rows: schemas } = await sql`select 1 from pg_namespace where nspname = 'packbench'`.execute(
        transaction,
      )
      // When an administrator created the schema, this user needs no right to create schemas.
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

/** The error for a schema that a newer Packbench migrated: this version must not write there. */
export function schemaNewer(version: number | string, known = fleetMigrations.length): AppError {
  return appError('fleet-schema-newer', { version: String(version), known: String(known) })
}

/** Seconds by which the clocks may differ in a connection test. Only the test compares clocks. */
const maxClockSeconds = 60

/** Connects once and checks the database. Changes nothing. */
export async function testFleetConnection(
  settings: FleetSettings,
  password: string,
  now: () => Date,
): Promise<Result<FleetTest>> {
  const connected = await connectToFleet(settings, password, () => undefined)
  if (!connected.ok) return connected
  const { database, close } = connected.value
  try {
    const server = await inspectServer(database, now)
    if (!server.ok) return server
    const schema = await inspectSchema(database)
    if (!schema.ok) return schema
    if (!schema.value.hasRights) {
      const { host, port, ...where } = settings
      const details = { user: where.user, database: where.database, reason: 'permission denied' }
      return err(appError('fleet-no-rights', { ...details, host: `${host}:${port}` }))
    }
    const { aheadMs, serverVersion, roundTripMs } = server.value
    const seconds = Math.round(Math.abs(aheadMs) / 1000)
    if (seconds > maxClockSeconds) return err(appError('fleet-clock-differs', { seconds: String(seconds) }))
    return ok({ serverVersion, roundTripMs })
  } catch (error) {
    return err(toFleetError(error, settings))
  } finally {
    await close()
  }
}

/** `fleet-schema-newer` when a newer Packbench migrated the schema: this version must not write there then. */
export async function findNewerSchema(
  connection: FleetDatabase,
  known = fleetMigrations.length,
): Promise<AppError | undefined> {
  const { version } = await connection
    .selectFrom('packbench.schemaVersion')
    .select('version')
    .executeTakeFirstOrThrow()
  return version > known ? schemaNewer(version, known) : undefined
}
