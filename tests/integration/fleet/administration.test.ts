import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { startOfDay, toDay } from '../../../src/main/lib/localDay'
import { fleetSettingsSchema } from '../../../src/shared/fleet'
import { CountingCarrier } from '../../support/countingCarrier'
import { aDraft } from '../../support/drafts'
import { fleetStation, joined, published } from '../../support/fleetStations'
import { findPostgresProgram, postgresOfBlock, postgresPassword } from '../../support/privatePostgres'
import { temporaryFolder } from '../../support/temporaryFolder'

const postgres = postgresOfBlock()

/** The code blocks of docs/fleet.md in one language, in order. */
async function readBlocks(language: 'sql' | 'sh'): Promise<string[]> {
  const text = await readFile('docs/fleet.md', 'utf8')
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n(.*?)\`\`\``, 'gs'))].map(
    ([, block = '']) => block,
  )
}

async function runAsAdministrator(block: string | undefined, database = 'postgres'): Promise<void> {
  if (block === undefined) throw new Error('docs/fleet.md has fewer blocks')
  for (const statement of block.split(/;\s*\n/).filter((each) => each.trim() !== '')) {
    await postgres().query(statement, [], database)
  }
}

/** Runs a command of docs/fleet.md against the private server. */
async function runProgram(line: string | undefined, folder: string): Promise<void> {
  const [program = '', ...args] = (line ?? '').trim().split(/\s+/)
  await promisify(execFile)(await findPostgresProgram(program), args, {
    cwd: folder,
    env: {
      ...{ PGHOST: '127.0.0.1', PGPORT: String(postgres().port) },
      ...{ PGUSER: postgres().administrator, PGPASSWORD: postgresPassword },
    },
  })
}

/** Connects with the given role. */
async function connectAs(user: string, password: string): Promise<pg.Client> {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port: postgres().port, database: 'packbench' },
    ...{ user, password },
  })
  // The restore ends this connection.
  client.on('error', () => undefined)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

it('a fleet works with the roles, report, backup and restore exactly as docs/fleet.md describes them', async () => {
  const [makeDatabase, makeReports, report = '', keepOut, afterRestore, letIn] = await readBlocks('sql')
  const [backUp, restore] = await readBlocks('sh')
  await runAsAdministrator(makeDatabase)
  await postgres().query(`alter role packbench password '${postgresPassword}'`)
  const fleet = fleetSettingsSchema.parse({
    ...{ host: '127.0.0.1', port: postgres().port, database: 'packbench', user: 'packbench' },
    ...{ tls: 'off', station: 'Bench 1' },
  })
  const carrier = new CountingCarrier()
  // Both stations join the empty database at the same time.
  const [one, other] = await Promise.all([
    fleetStation(carrier, fleet),
    fleetStation(carrier, { ...fleet, station: 'Bench 2' }),
  ])
  for (const reference of ['A', 'B']) await one.ship(reference)
  await published(one.services)

  // As before PostgreSQL 15.
  await postgres().query('grant create on schema public to public', [], 'packbench')
  await runAsAdministrator(makeReports, 'packbench')
  const reports = await connectAs('packbench_reports', 'choose-another')
  const { rows } = await reports.query(report)
  expect(rows).toMatchObject([{ station: 'Bench 1', carrier_option: 34, shipments: '2', packages: '2' }])
  for (const table of ['claims', 'shipments', 'labels', 'orders', 'schema_version']) {
    await expect(reports.query(`select * from packbench.${table}`), table).rejects.toMatchObject({
      code: '42501',
    })
  }
  await expect(reports.query('delete from packbench.stations')).rejects.toMatchObject({ code: '42501' })
  await expect(reports.query('create table public.planted ()')).rejects.toMatchObject({ code: '42501' })
  const asReports = { ...fleet, user: 'packbench_reports' }
  expect(await one.services.fleet.test(asReports, 'choose-another')).toMatchObject({
    error: { code: 'fleet-no-rights' },
  })

  const folder = await temporaryFolder()
  await runProgram(backUp, folder)
  await other.ship('SINCE')
  await published(other.services)
  // Since the backup, the first station joins again more than once.
  await one.stop()
  await (await fleetStation(carrier, null, one.dataFolder)).stop()
  const back = await fleetStation(carrier, null, one.dataFolder)
  await runAsAdministrator(keepOut)
  for (const { services } of [back, other]) await joined(services, 'refused')
  await runProgram(restore, folder)
  await runAsAdministrator(afterRestore, 'packbench')
  await runAsAdministrator(letIn)
  for (const { services } of [back, other]) {
    await expect.poll(async () => (await services.fleet.status()).state).toBe('joined')
    await published(services)
  }
  for (const [station, reference, sentBy] of [
    [other, 'A', 'Bench 1'],
    [back, 'SINCE', 'Bench 2'],
  ] as const) {
    expect(await station.ship(reference)).toMatchObject({
      error: { code: 'shipment-duplicate', details: { station: sentBy } },
    })
  }
  expect([...carrier.received.values()]).toEqual([1, 1, 1])
  expect((await back.services.fleet.overview()).conflicts).toEqual([])
  const again = await connectAs('packbench_reports', 'choose-another')
  expect((await again.query(report)).rows.map(({ station }) => station)).toEqual(['Bench 1', 'Bench 2'])
  const indexes = "select to_regclass('packbench.shipments_by_trigrams') is not null as is_there"
  expect(await postgres().query(indexes, [], 'packbench')).toEqual([{ is_there: true }])
}, 60_000)

it('the list of stations counts the shipments of the station’s day, whatever the time zone of the database is', async () => {
  const fleet = await postgres().newFleet()
  await postgres().query(`alter database ${fleet.database} set timezone to 'Etc/GMT+12'`)
  const { services } = await fleetStation(new CountingCarrier(), fleet)
  const midnight = startOfDay(toDay(new Date()))
  const taken = { TODAY: midnight, YESTERDAY: new Date(midnight.getTime() - 1) }
  for (const [reference, takenAt] of Object.entries(taken)) {
    const order = { attemptId: randomUUID(), origin: 'screen', print: false, takenAt } as const
    expect(await services.shipping.create({ ...order, draft: aDraft({ reference }) })).toMatchObject({
      ok: true,
    })
  }
  await published(services)
  expect((await services.fleet.overview()).stations).toMatchObject([{ createdToday: 1 }])
})
