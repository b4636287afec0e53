import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { CamelCasePlugin, Kysely, PostgresDialect } from 'kysely'
import type { Client, Pool, QueryResultRow } from 'pg'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import type { FleetSettings } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import { readCaFile } from '../lib/plainFiles'
import { untilStopped } from '../lib/retry'
import { toReason } from '../lib/toReason'
import type { FleetSchema } from './schema'

/** The open database of the fleet, or a transaction on it. */
export type FleetDatabase = Kysely<FleetSchema>

/** The open database of the fleet. */
export class OpenFleet extends Kysely<FleetSchema> {
  constructor(private readonly pool: Pool) {
    super({
      dialect: new PostgresDialect({ pool }),
      plugins: [new CamelCasePlugin({ maintainNestedObjectKeys: true })],
    })
  }

  /**
   * Runs a statement for which an operator waits: each connection has the server parse and plan it once, by its name.
   * @param text with `$1`, `$2` …, the same for the same name; names as the server has them, here and in the rows
   */
  async runPrepared<Row extends QueryResultRow>(
    name: string,
    text: string,
    values: readonly (string | number | null)[],
  ): Promise<Row[]> {
    return (await this.pool.query<Row>({ name, text, values: [...values] })).rows
  }
}

/** Where the database is, and who asks. */
export type FleetServer = Pick<FleetSettings, 'host' | 'port' | 'database' | 'user' | 'tls' | 'caFile'>

/**
 * Connections to one database: a pool for the work, one for what people look for, so that no claim waits for a search, one
 * connection that stays, which holds locks and hears notifications, and one for labels, which are large and may take long.
 */
export interface FleetConnection {
  database: OpenFleet
  reading: OpenFleet
  session: Client
  labels: OpenFleet
  /** Cuts the connection for labels; the next question makes a new one. */
  cutLabels(): void
  /** Cuts every connection; what is still asked fails. Never throws. */
  close(): Promise<void>
}

const closeMs = 500

/**
 * Waits in milliseconds. A station's operator stands before a claim, so they are short. The server gives up first where it
 * can: then the connection is still good.
 */
const waits = { connectMs: 3000, queryMs: 8000, labelMs: 120_000, marginMs: 1000, idleInTransactionMs: 3000 }

/**
 * What the server does for each connection. A computer that vanished (power cut, another network) is missed within 11 s,
 * also with an answer on its way: until then its lock says that the station is at work. A claim that was granted is on the
 * server's disk, whatever its configuration says.
 */
const serverOptions = [
  ...[
    'tcp_keepalives_idle=5',
    'tcp_keepalives_interval=2',
    'tcp_keepalives_count=3',
    'tcp_user_timeout=11000',
  ],
  'synchronous_commit=on',
]
  .map((option) => `-c ${option}`)
  .join(' ')

/**
 * Connects to the fleet's database. The package that speaks to PostgreSQL is loaded here, at the first call.
 * @param onLost is called once with the reason when the connection that stays breaks, not when it is closed here
 * @param stop cuts everything, also while it connects
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
  // Sockets of our own can be cut, whatever state the client is in.
  const openIn = (open: Set<Socket>) => () => {
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
    connectionTimeoutMillis: waits.connectMs,
    query_timeout: waits.queryMs + waits.marginMs,
    statement_timeout: waits.queryMs,
    idle_in_transaction_session_timeout: waits.idleInTransactionMs,
    options: serverOptions,
    keepAlive: true,
    stream: openIn(sockets),
  }
  const session = new pg.Client(options)
  let isClosing = false
  const lose = (error: unknown) => {
    if (isClosing) return
    isClosing = true
    onLost(error)
  }
  // Each client reports a broken line by an event as well, which would end the process if nobody listened.
  session.on('error', lose)
  session.on('end', () => lose(new Error('the connection was closed')))
  const pool = new pg.Pool({ ...options, max: 4 })
  const readingPool = new pg.Pool({ ...options, max: 2 })
  for (const each of [pool, readingPool]) {
    each.on('error', lose)
    each.on('connect', (client) => client.on('error', lose))
  }
  const labelPool = new pg.Pool({
    ...options,
    max: 1,
    query_timeout: waits.labelMs + waits.marginMs,
    statement_timeout: waits.labelMs,
    stream: openIn(labelSockets),
  })
  // What breaks there concerns the label that is under way, which is told by its own error.
  labelPool.on('error', () => undefined)
  labelPool.on('connect', (client) => client.on('error', () => undefined))

  function cutLabels(): void {
    for (const socket of labelSockets) socket.destroy()
  }

  async function close(): Promise<void> {
    isClosing = true
    stop?.removeEventListener('abort', cut)
    for (const socket of sockets) socket.destroy()
    cutLabels()
    // Their sockets are gone; what they still wait for must not hold up the app's end.
    await Promise.race([
      Promise.allSettled([session.end(), ...[pool, readingPool, labelPool].map(endOnce)]),
      pause(closeMs, undefined, { ref: false }),
    ])
  }

  const cut = () => void close()
  stop?.addEventListener('abort', cut, { once: true })
  try {
    // A client that is ended while it connects never says so.
    await (stop === undefined ? session.connect() : untilStopped(session.connect(), stop))
    return ok({
      ...{
        database: new OpenFleet(pool),
        reading: new OpenFleet(readingPool),
        labels: new OpenFleet(labelPool),
      },
      ...{ session, cutLabels, close },
    })
  } catch (error) {
    await close()
    return err(toFleetError(error, server))
  }
}

async function endOnce(pool: Pool): Promise<void> {
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

const coded = z.object({ code: z.string() })

/** Codes of PostgreSQL that pass by themselves: it stops, starts, or has no connection left (classes 08, 53, 57). */
const passing = /^(08...|53...|57P0[1-5])$/

/** It is there and took too long, by its own limits or by ours: what became of the question is not known. */
const slow = /^(57014|25P03)$/
const slowWords = /Query read timeout|timeout exceeded when trying to connect|due to connection timeout/
const unreachable = new Set([
  ...['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'],
  ...['ETIMEDOUT', 'EPIPE', 'EADDRNOTAVAIL', 'ENETDOWN', 'EHOSTDOWN'],
])

/**
 * What kept the fleet's database from being used, in words. `fleet-unreachable` passes by itself and is what stations may
 * ship over; `fleet-slow` passes as well and holds, since other stations may be at work there.
 */
export function toFleetError(error: unknown, { host, port, database, user }: FleetServer): AppError {
  const code = findCode(error)
  const reason = toReason(error)
  const where = { host: `${host}:${port}`, database, user, reason }
  if (slow.test(code) || slowWords.test(reason)) return appError('fleet-slow', where)
  if (unreachable.has(code) || passing.test(code)) return appError('fleet-unreachable', where)
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
  // Names with several addresses fail with all their reasons at once.
  if (error instanceof AggregateError) return findCode(error.errors[0])
  return coded.safeParse(error).data?.code ?? ''
}

/** Codes of PostgreSQL for a value that it can't keep. */
const unusableValue = z.object({ code: z.string().startsWith('22') })

/** Whether PostgreSQL can't keep a value. */
export function isUnusableValue(error: unknown): boolean {
  return unusableValue.safeParse(error).success
}
