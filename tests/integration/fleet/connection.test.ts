import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { symlink, writeFile } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { connectToFleet } from '../../../src/main/fleet/connection'
import { fleetMigrations } from '../../../src/main/fleet/schema'
import { prepareSchema } from '../../../src/main/fleet/schemaRepository'
import { StationsRepository } from '../../../src/main/fleet/stationsRepository'
import type { FleetSettings } from '../../../src/shared/fleet'
import { CountingCarrier } from '../../support/countingCarrier'
import { aDraft } from '../../support/drafts'
import { crashImage, fleetStation, joined, published } from '../../support/fleetStations'
import { listenOnLoopback } from '../../support/loopback'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'
import { ship } from '../../support/ship'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'

const postgres = postgresOfBlock()

async function aStation() {
  const started = await (await stationOn(await temporaryFolder())).start()
  if (!started.ok) throw new Error(started.error.message)
  return started.value
}

/** A server that accepts connections and never answers, or answers with the given text. */
async function silentServer(answer?: string): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => (answer === undefined ? undefined : socket.write(answer)))
  })
  return listenOn(server)
}

function listenOn(server: Server): Promise<number> {
  onTestFinished(() => {
    server.close()
  })
  return listenOnLoopback(server)
}

describe('the connection test', () => {
  it('returns a specific error code for each reason why the database cannot be used', async () => {
    const { fleet } = await aStation()
    const good = await postgres().newFleet()
    await postgres().query("create role guest login password 'guest-7-secret'")
    const codeOf = async (change: Partial<FleetSettings>, password = postgresPassword) => {
      const tested = await fleet.test({ ...good, ...change }, password)
      return tested.ok ? tested.value.serverVersion : tested.error.code
    }
    expect(await codeOf({})).toMatch(/^\d+\.\d+$/)
    expect(await codeOf({ port: 1 })).toBe('fleet-unreachable')
    expect(await codeOf({ host: 'no-such-host.invalid', tls: 'verify' })).toBe('fleet-unreachable')
    expect(await codeOf({ port: await silentServer() })).toBe('fleet-unreachable')
    expect(await codeOf({}, 'wrong-5-secret')).toBe('fleet-access-refused')
    expect(await codeOf({ database: 'none' })).toBe('fleet-database-missing')
    expect(await codeOf({ user: 'guest' }, 'guest-7-secret')).toBe('fleet-no-rights')
    expect(await codeOf({ tls: 'verify' })).toBe('fleet-insecure')
    expect(await codeOf({ tls: 'verify', caFile: '/no/such/file.pem' })).toBe('fleet-insecure')
  })

  it('does not create the schema in a database that no station has joined', async () => {
    const { fleet } = await aStation()
    const settings = await postgres().newFleet()
    expect((await fleet.test(settings, postgresPassword)).ok).toBe(true)
    const schemas = await postgres().query(
      "select 1 from pg_namespace where nspname = 'packbench'",
      [],
      settings.database,
    )
    expect(schemas).toEqual([])
  })

  it('fails when the clocks differ by more than a minute', async () => {
    const folder = await temporaryFolder()
    const station = await stationOn(folder, { now: () => new Date(Date.now() + 120_000) })
    const started = await station.start()
    if (!started.ok) throw new Error(started.error.message)
    const tested = await started.value.fleet.test(await postgres().newFleet(), postgresPassword)
    expect(tested).toMatchObject({ error: { code: 'fleet-clock-differs', details: { seconds: '120' } } })
  })
})

/** A proxy before the private PostgreSQL that replaces its version number in all answers. Both numbers have the same length. */
async function serverOfVersion(version: (real: string) => string): Promise<number> {
  const replaced = [
    ...(await postgres().query("select current_setting('server_version_num') as own")),
    ...(await postgres().query("select split_part(current_setting('server_version'), ' ', 1) as own")),
  ].map(({ own }) => [String(own), version(String(own))] as const)
  const server = createServer((station) => {
    const real = connect(postgres().port, '127.0.0.1')
    for (const socket of [station, real]) socket.on('error', () => undefined)
    station.on('close', () => real.destroy())
    station.pipe(real)
    real.on('data', (answer) => {
      const text = replaced.reduce(
        (said, [own, other]) => said.replaceAll(own, other),
        answer.toString('latin1'),
      )
      station.write(text, 'latin1')
    })
    real.on('close', () => station.destroy())
  })
  return listenOn(server)
}

describe('a database server of an old version', () => {
  it('fails the connection test and prevents joining when it is PostgreSQL 12', async () => {
    const port = await serverOfVersion((real) => real.replace(/^\d\d/, '12'))
    const settings = { ...(await postgres().newFleet({ whenUnreachable: 'ship' })), port }
    const services = await aStation()
    const carrier = new CountingCarrier()
    carrier.serve(services)
    const tooOld = { code: 'fleet-server-old', details: { version: expect.stringMatching(/^12\.\d+$/) } }
    expect(await services.fleet.test(settings, postgresPassword)).toMatchObject({ error: tooOld })
    services.settings.change({ fleet: settings })
    await services.fleet.setPassword(postgresPassword)
    await joined(services, 'refused')
    expect((await services.fleet.status()).error).toMatchObject(tooOld)
    const shipped = await services.shipping.create({
      ...{ attemptId: randomUUID(), origin: 'screen', print: false, takenAt: new Date() },
      draft: aDraft({ reference: 'OLD' }),
    })
    expect(shipped).toMatchObject({ error: { code: 'fleet-server-old' } })
    expect(carrier.received.size).toBe(0)
  })

  it('passes the connection test when it is PostgreSQL 13, the oldest supported version', async () => {
    const port = await serverOfVersion((real) => real.replace(/^\d\d/, '13'))
    const { fleet } = await aStation()
    const tested = await fleet.test({ ...(await postgres().newFleet()), port }, postgresPassword)
    expect(tested).toMatchObject({ value: { serverVersion: expect.stringMatching(/^13\.\d+$/) } })
  })
})

describe('the certificate file of the fleet settings', () => {
  it('is accepted as a regular file or a link to one, and refused as a pipe, device, folder or file over 1 MB', async () => {
    const { fleet } = await aStation()
    const settings = await postgres().newFleet({ tls: 'verify' })
    const folder = await temporaryFolder()
    const reasonOf = async (caFile: string) => {
      const tested = await fleet.test({ ...settings, caFile }, postgresPassword)
      return tested.ok ? undefined : tested.error.details?.case
    }
    const pipe = join(folder, 'pipe')
    await promisify(execFile)('mkfifo', [pipe])
    const large = join(folder, 'large.pem')
    await writeFile(large, 'x'.repeat(1024 ** 2 + 1))
    for (const path of [pipe, large, '/dev/zero', folder]) expect(await reasonOf(path)).toBe('ca-file')
    const good = join(folder, 'ca.pem')
    await writeFile(good, '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n')
    await symlink(good, join(folder, 'link.pem'))
    // This reason comes after reading the file: the server does not offer encryption.
    expect(await reasonOf(join(folder, 'link.pem'))).toBe('not-offered')
  })
})

describe('connectToFleet', () => {
  it('sets keepalives and timeouts of seconds, synchronous commit and the search path on all its sessions', async () => {
    const connected = await connectToFleet(await postgres().newFleet(), postgresPassword, () => undefined)
    if (!connected.ok) throw new Error(connected.error.message)
    const { session, database, close } = connected.value
    const expected = {
      tcp_keepalives_idle: '5',
      tcp_keepalives_interval: '2',
      tcp_keepalives_count: '3',
      tcp_user_timeout: '11000',
      idle_in_transaction_session_timeout: '3s',
      synchronous_commit: 'on',
      search_path: 'pg_catalog',
    }
    for (const [name, value] of Object.entries(expected)) {
      const question = `show ${name}`
      expect((await session.query(question)).rows, name).toEqual([{ [name]: value }])
      const { rows } = await sql.raw<Record<string, string>>(question).execute(database)
      expect(Object.values(rows[0] ?? {}), name).toEqual([value])
    }
    await close()
  })
})

/** Migrates the schema as a newer version of Packbench does. */
async function migrateToNewer(settings: FleetSettings): Promise<void> {
  const connected = await connectToFleet(settings, postgresPassword, () => undefined)
  if (!connected.ok) throw new Error(connected.error.message)
  await prepareSchema(connected.value.database, [
    ...fleetMigrations,
    'create table packbench.later (id text)',
  ])
  await connected.value.close()
}

describe('a station', () => {
  it('does not run a function that another role has put beside a built-in one', async () => {
    const settings = await postgres().newFleet()
    // The station calls the built-in function with these arguments, which takes a bigint.
    const planted = `create function public.hashtextextended(text, integer) returns bigint language plpgsql
      as $$ begin raise exception 'the planted function ran'; end $$`
    await postgres().query(planted, [], settings.database)
    const station = await fleetStation(new CountingCarrier(), settings)
    expect(await station.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
  })

  it('creates nothing after a newer version of Packbench has changed the schema of the joined database', async () => {
    const settings = await postgres().newFleet({ whenUnreachable: 'ship' })
    const carrier = new CountingCarrier()
    const station = await fleetStation(carrier, settings)
    expect(await station.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await migrateToNewer(settings)
    expect(await station.ship('ORDER-2')).toMatchObject({ error: { code: 'fleet-schema-newer' } })
    await joined(station.services, 'refused')
    expect(await station.ship('ORDER-2')).toMatchObject({ error: { code: 'fleet-schema-newer' } })
    expect(carrier.received.has('ORDER-2')).toBe(false)
  })

  it('that does nothing says so within seconds as well, and records no sign of life any more', async () => {
    const settings = await postgres().newFleet()
    const { services } = await fleetStation(new CountingCarrier(), settings)
    await migrateToNewer(settings)
    const seen = () => postgres().query('select seen_at::text from packbench.stations', [], settings.database)
    const before = await seen()
    await joined(services, 'refused')
    expect((await services.fleet.status()).error).toMatchObject({ code: 'fleet-schema-newer' })
    expect(await seen()).toEqual(before)
  })

  it('does not apply retention to a newer schema, even before its next sign of life', async () => {
    const sign = vi.spyOn(StationsRepository.prototype, 'noteSeen').mockResolvedValue(undefined)
    onTestFinished(() => sign.mockRestore())
    const settings = await postgres().newFleet()
    const station = await fleetStation(new CountingCarrier(), settings)
    await station.ship('OLD')
    await published(station.services)
    await postgres().query(
      "update packbench.claims set created_taken_at = now() - interval '61 days', created_noted_at = now() - interval '61 days'",
      [],
      settings.database,
    )
    await migrateToNewer(settings)
    const days = { retentionDays: 30, guardDays: 60 }
    expect(await station.services.fleet.applyRetention(days, (total) => total)).toBe(false)
    const claims = await postgres().query('select reference from packbench.claims', [], settings.database)
    expect(claims).toEqual([{ reference: 'OLD' }])
    await joined(station.services, 'refused')
  })

  it('started from a copy of a data folder cannot join, create or free anything until the other one leaves', async () => {
    const carrier = new CountingCarrier()
    const fleet = await postgres().newFleet()
    const listGuards = () =>
      postgres().query('select * from packbench.claims order by reference', [], fleet.database)
    const first = await fleetStation(carrier, fleet)
    expect(await first.ship('ORDER-1')).toMatchObject({ value: { state: 'created' } })
    await published(first.services)
    const copy = await stationOn(await crashImage(first))
    // A claim that the journal of the copy lacks: a station that joins frees it.
    await postgres().query(
      `insert into packbench.claims (reference, held_by, held_attempt, held_shipment, held_state, held_since)
        select 'ORDER-2', id, 'a', 's', 'claimed', now() from packbench.stations`,
      [],
      fleet.database,
    )
    const guards = await listGuards()
    expect(guards).toMatchObject([{ reference: 'ORDER-1' }, { reference: 'ORDER-2' }])
    const started = await copy.start()
    if (!started.ok) throw new Error(started.error.message)
    await joined(started.value, 'refused')
    expect((await started.value.fleet.status()).error?.code).toBe('fleet-station-twice')
    carrier.serve(started.value)
    expect(await ship(started.value, 'ORDER-3')).toMatchObject({ error: { code: 'fleet-station-twice' } })
    expect([...carrier.received]).toEqual([['ORDER-1', 1]])
    expect(await listGuards()).toEqual(guards)
    await first.stop()
    await joined(started.value)
    await expect.poll(listGuards).toMatchObject([{ reference: 'ORDER-1' }])
  })
})
