import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import type { Client, Pool, QueryResultRow } from 'pg'
import { type AppError, appError } from '../../shared/errors'
import type { FleetSettings } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import { readCaFile } from '../lib/plainFiles'
import { untilStopped } from '../lib/retry'
import { systemCode } from '../lib/synced'
import { toReason } from '../lib/toReason'
import type { FleetSchema } from './schema'

/** The open database of the fleet, or a transaction on it. */
export type FleetDatabase = Kysely<FleetSchema>

/** The database of the fleet over a pool of connections. */
export class FleetPool extends Kysely<FleetSchema> {
  constructor(private readonly pool: Pool) {
    super({
      dialect: new PostgresDialect({ pool }),
      plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    })
  }

  /**
   * Runs a named prepared statement, which the server parses and plans once for each connection: an operator waits for it.
   * @param text with `$1`, `$2` …, always the same for one name; column names are in snake_case, also in the rows
   */
  async runPrepared<Row extends QueryResultRow>(
    name: string,
    text: string,
    values: readonly (string | number | null)[],
  ): Promise<Row[]> {
    return (await this.pool.query<Row>({ name, text, values: [...values] })).rows
  }
}

/** The database and the user. */
export type FleetServer = Pick<FleetSettings, 'host' | 'port' | 'database' | 'user' | 'tls' | 'caFile'>

/**
 * Connections to one database: a pool for writing; one for searches, so that no claim waits for a search; one permanent
 * connection, which holds the station's lock and receives notifications; and one for labels, which are large and slow.
 */
export interface FleetConnection {
  database: FleetPool
  reading: FleetPool
  session: Client
  labelDatabase: FleetPool
  /** Closes the connection for labels; the next query opens a new one. */
  resetLabelConnection(): void
  /** Closes every connection; pending queries fail. Never throws. */
  close(): Promise<void>
}

const maxCloseMs = 500

/**
 * Time-outs in milliseconds. They are short, since an operator waits for a claim. The server's time-outs end first, which
 * keeps the connection usable.
 */
const timeouts = {
  connectMs: 3000,
  queryMs: 8000,
  labelMs: 120_000,
  marginMs: 1000,
  idleInTransactionMs: 3000,
}

/**
 * Server settings for each connection. The server detects a vanished computer (power cut, other network) within 11 s, also
 * while it sends an answer; until then the lock of that station stays. A granted claim is on the server's disk, whatever
 * the server's configuration.
 */
const serverOptions = [
  ...[
    'tcp_keepalives_idle=5',
    'tcp_keepalives_interval=2',
    'tcp_keepalives_count=3',
    'tcp_user_timeout=11000',
  ],
  'synchronous_commit=on',
  // SECURITY: before PostgreSQL 15 every role may create in `public`, where a function with better matching arguments would
  // run instead of a built-in one, with this user's rights.
  'search_path=pg_catalog',
]
  .map((option) => `-c ${option}`)
  .join(' ')

/**
 * Connects to the fleet's database. Loads the PostgreSQL client at the first call.
 * @param onLost called once with the error when a connection breaks, not after `close`
 * @param stop closes everything, also while connecting
 */
export async function connectToFleet(
  server: FleetServer,
  password: string,
  onLost: (error: unknown) => void,
  stop?: AbortSignal,
): Promise<Result<FleetConnection>> {
  const sockets = new Set<Socket>()
  const labelSockets = new Set<Socket>()
  const tls = await readTls(server)
  if (!tls.ok) return tls
  const { default: pg } = await import('pg')
  // The app creates the sockets itself, to destroy them whatever state the client is in.
  const createSocketFactory = (open: Set<Socket>) => () => {
    const socket = new Socket()
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    return socket
  }
  const options = {
    host: server.host,
    port: server.port,
    database: server.database,
    user: server.user,
    password,
    ssl: tls.value,
    application_name: 'Packbench',
    connectionTimeoutMillis: timeouts.connectMs,
    query_timeout: timeouts.queryMs + timeouts.marginMs,
    statement_timeout: timeouts.queryMs,
    idle_in_transaction_session_timeout: timeouts.idleInTransactionMs,
    options: serverOptions,
    keepAlive: true,
    stream: createSocketFactory(sockets),
  }
  const session = new pg.Client(options)
  let isClosing = false
  const reportLost = (error: unknown) => {
    if (isClosing) return
    isClosing = true
    onLost(error)
  }
  // Each client also reports a broken connection by an 'error' event, which would end the process without a listener.
  session.on('error', reportLost)
  session.on('end', () => reportLost(new Error('the connection was closed')))
  const pool = new pg.Pool({ ...options, max: 4 })
  const readingPool = new pg.Pool({ ...options, max: 2 })
  for (const each of [pool, readingPool]) {
    each.on('error', reportLost)
    each.on('connect', (client) => client.on('error', reportLost))
  }
  const labelPool = new pg.Pool({
    ...options,
    max: 1,
    query_timeout: timeouts.labelMs + timeouts.marginMs,
    statement_timeout: timeouts.labelMs,
    stream: createSocketFactory(labelSockets),
  })
  // An error here only affects the label being transferred, whose query fails with it.
  labelPool.on('error', () => undefined)
  labelPool.on('connect', (client) => client.on('error', () => undefined))

  function resetLabelConnection(): void {
    for (const socket of labelSockets) socket.destroy()
  }

  async function close(): Promise<void> {
    isClosing = true
    stop?.removeEventListener('abort', destroy)
    for (const socket of sockets) socket.destroy()
    resetLabelConnection()
    // The sockets are destroyed; the clients must not delay the app's exit.
    await Promise.race([
      Promise.allSettled([session.end(), ...[pool, readingPool, labelPool].map(endPool)]),
      pause(maxCloseMs, undefined, { ref: false }),
    ])
  }

  const destroy = () => void close()
  stop?.addEventListener('abort', destroy, { once: true })
  try {
    // A client that is ended while connecting never settles its promise.
    await (stop === undefined ? session.connect() : untilStopped(session.connect(), stop))
    return ok({
      database: new FleetPool(pool),
      reading: new FleetPool(readingPool),
      session,
      labelDatabase: new FleetPool(labelPool),
      resetLabelConnection,
      close,
    })
  } catch (error) {
    await close()
    return err(toFleetError(error, server))
  }
}

async function endPool(pool: Pool): Promise<void> {
  if (!pool.ended && !pool.ending) await pool.end()
}

async function readTls({ tls, host, caFile }: FleetServer) {
  if (tls === 'off') return ok(false as const)
  try {
    const ca = caFile === undefined ? {} : { ca: await readCaFile(caFile) }
    return ok({ host, rejectUnauthorized: true, ...ca })
  } catch (error) {
    const details = { case: 'ca-file' as const, path: caFile ?? '', reason: toReason(error) }
    return err(appError('fleet-insecure', details))
  }
}

/** PostgreSQL codes that say that the connection broke, or that the server is stopping or starting (classes 08 and 57). */
const transientCodes = /^(08...|57P0[1-5])$/

/** The server runs but exceeded its own or our time-out: the outcome of the query is unknown. */
const slowCodes = /^(57014|25P03)$/
const timeoutMessages = /Query read timeout|timeout exceeded when trying to connect|due to connection timeout/
/** The server runs but has no free connection, memory or disk space (class 53): the outcome of the query is unknown. */
const fullCodes = /^53...$/
const unreachableCodes = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ETIMEDOUT', 'EPIPE', 'EADDRNOTAVAIL', 'ENETDOWN', 'EHOSTDOWN', 'EAI_FAIL', 'ENONET', 'ENETRESET'],
  ...['ENOTCONN', 'ECONNABORTED'],
])

/**
 * Converts an error of the fleet's database. `fleet-unreachable` is temporary, and stations may ship without the database
 * meanwhile; `fleet-slow` is temporary but blocks shipping, since other stations may be using the database.
 */
export function toFleetError(error: unknown, { host, port, database, user }: FleetServer): AppError {
  const code = findCode(error)
  const reason = toReason(error)
  const where = { host: `${host}:${port}`, database, user, reason }
  if (slowCodes.test(code) || timeoutMessages.test(reason)) return appError('fleet-slow', where)
  if (fullCodes.test(code)) return appError('fleet-slow', { ...where, case: 'full' })
  if (unreachableCodes.has(code) || transientCodes.test(code)) return appError('fleet-unreachable', where)
  if (/^28/.test(code)) return appError('fleet-access-refused', where)
  if (code === '3D000') return appError('fleet-database-missing', where)
  if (code === '42501') return appError('fleet-no-rights', where)
  if (/does not support SSL/.test(reason))
    return appError('fleet-insecure', { ...where, case: 'not-offered' })
  if (/CERT|SIGNATURE|TLS|SSL/.test(code)) return appError('fleet-insecure', where)
  if (/timeout|terminated|connection (was )?(closed|ended)|not queryable/i.test(reason)) {
    return appError('fleet-unreachable', where)
  }
  return appError('fleet-failed', where)
}

function findCode(error: unknown): string {
  // A host name with several addresses fails with the errors of all of them.
  if (error instanceof AggregateError) return findCode(error.errors[0])
  return systemCode(error)
}

/** Whether an error says that PostgreSQL can't store a value (class 22). */
export function isUnusableValue(error: unknown): boolean {
  return systemCode(error).startsWith('22')
}
