import { randomUUID } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { strFromU8, unzipSync } from 'fflate'
import { expect, it } from 'vitest'
import { collectDiagnostics } from '../../../src/main/app/diagnostics'
import { placesIn } from '../../../src/main/storage/dataFolder'
import { appError } from '../../../src/shared/errors'
import { demoAccount } from '../../../src/simulator/demo'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { aDraft } from '../../support/drafts'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

const runtime = { version: '1.2.3' }

async function collect(data: string, status?: Parameters<typeof collectDiagnostics>[0]['status']) {
  const places = placesIn(data)
  const databaseProcess = await nodeDatabaseProcess()
  const bytes = await collectDiagnostics({ places, runtime, status, databaseProcess, now: () => new Date() })
  return Object.fromEntries(Object.entries(unzipSync(bytes)).map(([name, part]) => [name, strFromU8(part)]))
}

it('the diagnostics contain problems, settings and status, but no secrets and no names', async () => {
  const data = await temporaryFolder()
  const simulator = await testSimulator()
  const { station, features } = await connectedStation(data, simulator, {
    shipmentDefaults: { createdBy: 'Canary Sender', email: 'canary-sender@example.com', weight: 2 },
    people: {
      operators: [{ name: 'Canary Operator', badge: 'CANARY-BADGE' }],
      isRequired: false,
      isSent: false,
      guards: ['settings'],
      grantMinutes: 5,
    },
  })
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'resetAfterReading' }, times: 1 })
  for (const reference of ['ORDER-UNKNOWN', 'ORDER-CREATED']) {
    await features.shipping.create({
      attemptId: randomUUID(),
      draft: aDraft({ reference, lastName: 'Canary-Consignee', street: 'Canary-Street' }),
      origin: 'screen',
      print: false,
      takenAt: new Date(),
    })
  }
  const status = await station.status()
  const error = { ...appError('fleet-unreachable', { reason: 'canary' }), message: 'Canary-Database' }
  const parts = await collect(data, { ...status, fleet: { ...status.fleet, error } })

  const about = JSON.parse(parts['about.json'] ?? '')
  expect(about).toMatchObject({ version: '1.2.3' })
  // The mark in the data folder is that of the run which works.
  expect(about).not.toHaveProperty('lastRunCutOff')
  expect(JSON.parse(parts['database.json'] ?? '')).toMatchObject({ check: { kind: 'sound', shipments: 2 } })
  expect(JSON.parse(parts['settings.json'] ?? '')).toMatchObject({
    printers: [{ id: 'file', path: 'out' }],
    shipmentDefaults: { createdBy: true, email: true, weight: 2 },
    people: { guards: ['settings'], operators: 1 },
  })
  expect(JSON.parse(parts['status.json'] ?? '')).toMatchObject({ open: { unknownShipments: 1 } })
  expect(JSON.parse(parts['problems.json'] ?? '')).toContainEqual(
    expect.objectContaining({ msg: 'a creation ended', outcome: 'unknown', code: expect.any(String) }),
  )
  expect(parts['logs/packbench.log']).toMatch(/"outcome":"created","subLogId":"\w+"/)
  const { user, password } = demoAccount(simulator.baseUrl)
  const everything = JSON.stringify(parts)
  for (const secret of [
    user,
    password,
    'anary Operator',
    'anary Sender',
    'anary-sender',
    'CANARY-BADGE',
    'anary-Consignee',
    'anary-Street',
    'anary-Database',
  ]) {
    expect([secret, everything.includes(secret)]).toEqual([secret, false])
  }
})

it('the diagnostics are made from the readable parts when settings, database or log are damaged', async () => {
  const data = await temporaryFolder()
  await mkdir(join(data, 'logs'))
  await writeFile(join(data, 'settings.json'), '{ "people": [ Canary')
  await writeFile(join(data, 'packbench.db'), 'not a database')
  await writeFile(join(data, 'logs', 'packbench.log'), 'cut\n{"level":"error","msg":"second"}\n')
  await writeFile(join(data, 'logs', 'packbench.1.log'), '{"level":"warn","msg":"first"}\n{"level":"info"}\n')
  const parts = await collect(data)
  expect(JSON.parse(parts['settings.json'] ?? '')).toEqual({ unreadable: 'not a valid JSON object' })
  expect(JSON.parse(parts['database.json'] ?? '')).toMatchObject({ check: { kind: 'damaged' } })
  expect(JSON.parse(parts['problems.json'] ?? '')).toEqual([
    { level: 'error', msg: 'second' },
    { level: 'warn', msg: 'first' },
  ])
  expect(parts['status.json']).toBeUndefined()
})

it('the diagnostics are packed in pieces, between which the app goes on with other work', async () => {
  const data = await temporaryFolder()
  await mkdir(join(data, 'logs'))
  const lines = Array.from({ length: 40_000 }, () => JSON.stringify({ level: 'info', msg: randomUUID() }))
  await writeFile(join(data, 'logs', 'packbench.log'), lines.join('\n'))
  let turns = 0
  let isPacked = false
  const countTurns = () => {
    if (isPacked) return
    turns += 1
    setImmediate(countTurns)
  }
  const bytes = await collectDiagnostics({
    ...{
      places: placesIn(data),
      runtime,
      databaseProcess: await nodeDatabaseProcess(),
      now: () => new Date(),
    },
    // The last part that is collected before all are packed.
    get status() {
      countTurns()
      return undefined
    },
  })
  isPacked = true
  expect(turns).toBeGreaterThan(5)
  const log = unzipSync(bytes)['logs/packbench.log']
  expect(log && strFromU8(log)).toBe(lines.join('\n'))
})

it('the diagnostics name unknown parts of the settings without their content', async () => {
  const data = await temporaryFolder()
  const byHand = { version: 1, language: 'nl', account: { user: 'Canary', password: 'Canary' } }
  await writeFile(join(data, 'settings.json'), JSON.stringify(byHand))
  const parts = await collect(data)
  expect(JSON.parse(parts['settings.json'] ?? '')).toMatchObject({
    language: 'nl',
    unknownParts: ['account'],
  })
  expect(JSON.stringify(parts)).not.toContain('Canary')
})

it('the diagnostics name unknown keys inside known parts of the settings without their content', async () => {
  const data = await temporaryFolder()
  const byHand = {
    version: 1,
    language: 'nl',
    proxy: { mode: 'manual', host: 'proxy.example', port: 3128, user: 'Canary', password: 'Canary' },
    fleet: { host: 'db.example', password: 'Canary' },
    people: { operators: [{ name: 'Canary', badge: 'Canary', code: 'Canary' }], pin: 'Canary' },
  }
  await writeFile(join(data, 'settings.json'), JSON.stringify(byHand))
  const parts = await collect(data)
  const { unknownParts, ...settings } = JSON.parse(parts['settings.json'] ?? '')
  expect(settings).toMatchObject({ language: 'nl', proxy: { host: 'proxy.example' } })
  expect(unknownParts.toSorted()).toEqual([
    'fleet.password',
    'people.operators[0].code',
    'people.pin',
    'proxy.password',
    'proxy.user',
  ])
  expect(JSON.stringify(parts)).not.toContain('Canary')
})

it.each([
  [{ proxy: { mode: 'http', password: 'Canary' } }, ['proxy']],
  [{ fleet: 'postgres://u:Canary@db' }, ['fleet']],
  [{ labelHosts: ['labels.example', { password: 'Canary' }] }, ['labelHosts[1]']],
  [{ printers: [{ id: 'one', password: 'Canary' }] }, ['printers[0]']],
])(
  'the diagnostics name invalid parts of the settings without their content: %j',
  async (part, invalidParts) => {
    const data = await temporaryFolder()
    await writeFile(join(data, 'settings.json'), JSON.stringify({ version: 1, language: 'nl', ...part }))
    const parts = await collect(data)
    expect(JSON.parse(parts['settings.json'] ?? '')).toMatchObject({ language: 'nl', invalidParts })
    expect(JSON.stringify(parts)).not.toContain('Canary')
  },
)

it('the diagnostics leave the WAL of an empty database unchanged', async () => {
  const data = await temporaryFolder()
  await writeFile(join(data, 'packbench.db'), '')
  await writeFile(join(data, 'packbench.db-wal'), 'what is left')
  const parts = await collect(data)
  expect(JSON.parse(parts['database.json'] ?? '')).toMatchObject({ check: { kind: 'not-checked' } })
  expect(await readFile(join(data, 'packbench.db-wal'), 'utf8')).toBe('what is left')
})
