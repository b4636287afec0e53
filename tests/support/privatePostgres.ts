import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, chown, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, beforeAll } from 'vitest'
import { type FleetSettings, fleetSettingsSchema } from '../../src/shared/fleet'
import { freePort } from './loopback'
import { temporaryRoot } from './temporaryRoot'

const run = promisify(execFile)
const installed = '/usr/lib/postgresql'
const admin = 'fleet_admin'

/** The password of the cluster's administrator. */
export const postgresPassword = 'cluster-9-secret'

/** A private PostgreSQL for the tests on a loopback port, without a system service. */
export interface PrivatePostgres {
  port: number
  /** The name of its administrator. */
  administrator: string
  /** The settings of a station on a new, empty database. */
  newFleet(change?: Partial<FleetSettings>): Promise<FleetSettings>
  /** Runs SQL as the administrator, in the given database or in `postgres`. */
  query(text: string, values?: unknown[], database?: string): Promise<Record<string, unknown>[]>
  start(): Promise<void>
  /** `immediate` stops it like a power failure. */
  stop(mode: 'fast' | 'immediate'): Promise<void>
  /** Offers TLS with a certificate and its key (PEM) from the next connection on. */
  serveTls(certificate: string, key: string): Promise<void>
  close(): Promise<void>
}

/**
 * Creates and starts a cluster with its files in a temporary folder.
 * @param isSynced whether commits are synced to the disk, as in production
 */
export async function startPrivatePostgres(isSynced = false): Promise<PrivatePostgres> {
  const bin = await findPrograms()
  const folder = await mkdtemp(join(isSynced ? tmpdir() : temporaryRoot, 'packbench-postgres-'))
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, postgresPassword)
  const isRoot = process.getuid?.() === 0
  if (isRoot) {
    const { stdout } = await run('id', ['-u', 'postgres'])
    const uid = Number(stdout)
    await chown(passwordFile, uid, -1)
    await chown(folder, uid, -1)
    await chmod(folder, 0o700)
  }
  // The programs refuse to run as root.
  const asUser = (program: string, args: string[]) => {
    const path = join(bin, program)
    return isRoot ? run('runuser', ['-u', 'postgres', '--', path, ...args]) : run(path, args)
  }
  const data = join(folder, 'data')
  await asUser('initdb', [
    ...['-D', data, '-U', admin, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`],
    ...['--no-sync', '-E', 'UTF8', '--locale=C.UTF-8'],
  ])
  const port = await freePort()
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=${isSynced ? 'on' : 'off'} -c max_connections=400`
  const start = async () => {
    await asUser('pg_ctl', ['-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start'])
  }
  const stop = async (mode: 'fast' | 'immediate') => {
    await asUser('pg_ctl', ['-D', data, '-w', '-m', mode, 'stop'])
  }
  await start()
  let databases = 0
  const query: PrivatePostgres['query'] = async (text, values = [], database = 'postgres') => {
    const connection = { host: '127.0.0.1', port, user: admin, password: postgresPassword, database }
    const client = new pg.Client(connection)
    await client.connect()
    try {
      return (await client.query(text, values)).rows
    } finally {
      await client.end()
    }
  }
  return {
    port,
    administrator: admin,
    query,
    start,
    stop,
    async newFleet(change = {}) {
      databases += 1
      const database = `fleet_${databases}`
      await query(`create database ${database}`)
      const place = { host: '127.0.0.1', port, database, user: admin, tls: 'off' as const }
      return fleetSettingsSchema.parse({ ...place, station: 'Bench 1', ...change })
    },
    async serveTls(certificate, key) {
      const files = { ssl_cert_file: certificate, ssl_key_file: key }
      for (const [name, content] of Object.entries(files)) {
        const path = join(folder, `${name}.pem`)
        await rm(path, { force: true })
        await writeFile(path, content, { mode: 0o600 })
        if (isRoot) await chown(path, (await stat(folder)).uid, -1)
        await query(`alter system set ${name} = '${path}'`)
      }
      await query('alter system set ssl = on')
      await query('select pg_reload_conf()')
    },
    async close() {
      await stop('immediate').catch(() => undefined)
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Starts a cluster before the tests of the enclosing block, and ends it after them. */
export function postgresOfBlock(): () => PrivatePostgres {
  let postgres: PrivatePostgres | undefined
  beforeAll(async () => {
    postgres = await startPrivatePostgres()
  })
  afterAll(async () => {
    await postgres?.close()
  })
  return () => {
    if (postgres === undefined) throw new Error('PostgreSQL runs only during tests')
    return postgres
  }
}

/** The path of one of PostgreSQL's programs. */
export async function findPostgresProgram(name: string): Promise<string> {
  return join(await findPrograms(), name)
}

async function findPrograms(): Promise<string> {
  const versions = existsSync(installed) ? await readdir(installed) : []
  const newest = versions
    .map(Number)
    .filter((version) => existsSync(join(installed, String(version), 'bin', 'initdb')))
    .toSorted((one, other) => other - one)[0]
  if (newest === undefined) throw new Error('PostgreSQL is not installed: apt-get install postgresql')
  return join(installed, String(newest), 'bin')
}
