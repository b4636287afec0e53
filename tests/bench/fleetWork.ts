// Measures the named parts of the fleet's suite and writes each figure as a line of JSON: see fleet.ts.
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CompiledQuery, sql } from 'kysely'
import { connectToFleet, type FleetConnection } from '../../src/main/fleet/connection'
import { FleetOrdersRepository } from '../../src/main/fleet/fleetOrdersRepository'
import { FleetRepository } from '../../src/main/fleet/fleetRepository'
import { LocalOrdersRepository } from '../../src/main/fleet/localOrdersRepository'
import { FleetNotifications } from '../../src/main/fleet/notifications'
import { prepareSchema } from '../../src/main/fleet/schemaRepository'
import { SharedHistoryRepository } from '../../src/main/fleet/sharedHistoryRepository'
import { SharedOrders } from '../../src/main/fleet/sharedOrders'
import { StationsRepository } from '../../src/main/fleet/stationsRepository'
import { createEventBus } from '../../src/main/lib/eventBus'
import { OrderListRepository } from '../../src/main/orders/listRepository'
import { OrderRepository } from '../../src/main/orders/repository'
import { ShipmentRepository } from '../../src/main/shipments/repository'
import type { OpenDatabase } from '../../src/main/storage/database'
import { createThread } from '../../src/main/storage/databaseThread'
import { openDatabase } from '../../src/main/storage/openDatabase'
import type { FleetSettings } from '../../src/shared/fleet'
import { wholeHistory } from '../../src/shared/history'
import { defaultSettings } from '../../src/shared/settings'
import { aDraft } from '../support/drafts'
import { type PrivatePostgres, postgresPassword, startPrivatePostgres } from '../support/privatePostgres'
import { silentLog } from '../support/silentLog'
import { alternate, type Figure, quantile, round, timed } from './bench'

const [databaseWorker = '', ...named] = process.argv.slice(2)

const claimRounds = 300
const simulatedStations = 50
const loadMs = 8000
const sharedShipments = 1_000_000
const changes = 40

type Part = (postgres: PrivatePostgres, folder: string) => AsyncIterable<Figure>
const parts: Readonly<Record<string, Part>> = {
  claims: measureClaims,
  stations: measureStations,
  lag: measureLag,
  search: measureSearch,
}

/** Measures on a PostgreSQL that syncs commits to the disk before it confirms them. */
async function* measure(names: readonly string[]): AsyncGenerator<Figure> {
  const postgres = await startPrivatePostgres(true)
  const folder = await mkdtemp(join(tmpdir(), 'packbench-bench-'))
  try {
    for (const [name, part] of Object.entries(parts)) {
      if (names.length === 0 || names.includes(name)) yield* part(postgres, folder)
    }
  } finally {
    await postgres.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * The time of a claim and an intent compared with the minimum that any shared database needs: a row on the server's disk that
 * names the holder of the reference, and a row on the station's disk, so that after a power failure the station knows that it
 * may have sent the request.
 */
async function* measureClaims(postgres: PrivatePostgres, folder: string): AsyncGenerator<Figure> {
  const fleet = await newFleet(postgres)
  const database = await openStation(folder, 'claims')
  const shipmentRepository = new ShipmentRepository(database)
  const repository = new FleetRepository(fleet.database)
  await new StationsRepository(fleet.database).enrol('a', 'Bench a', '1', 'first')
  await sql`create table public.bare (reference text primary key, station text not null)`.execute(
    fleet.database,
  )
  await sql`create table bare (reference text primary key, content text not null)`.execute(database)
  // A member of the fleet also records its intents in its outbox.
  await becomeMember('a', database)
  const claim = (shipment: ReturnType<typeof newShipment>) =>
    repository.claim({
      ...{ reference: shipment.draft.reference, station: 'a', attemptId: shipment.attemptId },
      ...{ shipmentId: shipment.id, operator: null, confirmedDuplicateOf: null },
    })
  const bare = () =>
    fleet.database.runPrepared(
      'bare',
      `insert into public.bare values ($1, 'a') on conflict (reference) do nothing`,
      [randomUUID()],
    )
  const content = JSON.stringify(newShipment())
  const onDisk = 'insert into bare values (?, ?) on conflict (reference) do nothing'
  const took = await alternate(claimRounds, {
    bare,
    bareOnBoth: async () => {
      await bare()
      await database.executeQuery(CompiledQuery.raw(onDisk, [randomUUID(), content]))
    },
    claim: () => claim(newShipment()),
    both: async () => {
      const shipment = newShipment()
      await claim(shipment)
      await shipmentRepository.writeIntent(shipment)
    },
  })
  for (const [name, part] of [
    ['median', 0.5],
    ['p95', 0.95],
  ] as const) {
    const reference = { name: 'bare insert … on conflict', value: took('bare', part) }
    const both = { value: round(took('both', part)), unit: 'ms' }
    yield { name: `claim, ${name}`, value: round(took('claim', part)), unit: 'ms', reference }
    yield {
      ...{ name: `claim and intent, ${name}`, ...both, ...(part === 0.5 && { atMost: 1.5 }) },
      reference: { name: 'bare insert on the server, then one on the disk', value: took('bareOnBoth', part) },
    }
    yield {
      ...{ name: `claim and intent beside the server alone, ${name}`, ...both, reference },
      note: 'two synced commits, one after the other, beside one',
    }
  }
  await database.destroy()
  await fleet.close()
}

/** Stations that ship without pause: each claims, publishes the created shipment and queries changed orders. */
async function* measureStations(postgres: PrivatePostgres): AsyncGenerator<Figure> {
  const settings = await postgres.newFleet()
  const connections = await Promise.all(Array.from({ length: simulatedStations }, () => connect(settings)))
  const [first] = connections
  if (first === undefined) return
  await prepareSchema(first.database)
  const claims: number[] = []
  const publications: number[] = []
  const until = performance.now() + loadMs
  await Promise.all(
    connections.map(async ({ database }, index) => {
      const station = `station-${index}`
      const repository = new FleetRepository(database)
      const orders = new FleetOrdersRepository(database)
      await new StationsRepository(database).enrol(station, station, '1', 'first')
      while (performance.now() < until) {
        const { id: shipmentId, attemptId, draft, takenAt } = newShipment()
        const { reference } = draft
        const attempt = { station, attemptId, shipmentId, operator: null }
        claims.push(
          await timed(() => repository.claim({ ...attempt, reference, confirmedDuplicateOf: null })),
        )
        publications.push(
          await timed(() =>
            repository.publish({
              ...{ ...attempt, state: 'created', references: [reference], takenAt, barcodes: [shipmentId] },
              ...{ carrierOptionId: 34, packages: 1, country: 'NL', searchText: reference },
              document: JSON.stringify({ draft }),
            }),
          ),
        )
        await orders.listChanges('0', 500)
        await orders.listLeases()
      }
    }),
  )
  await Promise.all(connections.map((each) => each.close()))
  const rate = (claims.length / loadMs) * 1000
  yield { name: `${simulatedStations} stations, shipments`, value: round(rate), unit: '/s' }
  yield { name: 'their claims, p95', value: round(quantile(claims, 0.95)), unit: 'ms' }
  yield { name: 'their publications, p95', value: round(quantile(publications, 0.95)), unit: 'ms' }
}

/** The time from saving an order at one station until the list of another station has it. */
async function* measureLag(postgres: PrivatePostgres, folder: string): AsyncGenerator<Figure> {
  const settings = await postgres.newFleet()
  const one = await openList(settings, folder, 'one')
  const other = await openList(settings, folder, 'other')
  const lags: number[] = []
  for (let change = 0; change < changes; change += 1) {
    // At a random moment between two queries.
    await pause(Math.random() * 1000)
    const id = randomUUID()
    const startedAt = performance.now()
    await one.add(id)
    while ((await other.list.find(id)) === undefined) await pause(2)
    lags.push(performance.now() - startedAt)
  }
  await Promise.all([one.close(), other.close()])
  yield {
    name: 'an order until another station has it, median',
    value: round(quantile(lags, 0.5)),
    unit: 'ms',
  }
  yield { name: 'an order until another station has it, p95', value: round(quantile(lags, 0.95)), unit: 'ms' }
}

/** Searches in the history of the whole fleet, with the shipments of many years. */
async function* measureSearch(postgres: PrivatePostgres): AsyncGenerator<Figure> {
  const fleet = await newFleet(postgres)
  await new StationsRepository(fleet.database).enrol('a', 'Bench a', '1', 'first')
  const filled = await timed(() => fillShipments(postgres, fleet.settings))
  yield { name: `${sharedShipments} shipments with their indexes`, value: round(filled / 1000), unit: 's' }
  const history = new SharedHistoryRepository(fleet.database, 'a')
  const all: number[] = []
  const medians: string[] = []
  for (const text of typed) {
    const took: number[] = []
    for (let turn = -1; turn < 5; turn += 1) {
      const ms = await timed(() =>
        history.search({ ...wholeHistory, stations: 'all', text, limit: 100, before: null }),
      )
      if (turn >= 0) took.push(ms)
    }
    all.push(...took)
    medians.push(`${text}: ${round(quantile(took, 0.5))}`)
  }
  await fleet.close()
  const note = medians.join(', ')
  yield { name: 'search of the fleet, p95', value: round(quantile(all, 0.95)), unit: 'ms', atMost: 50, note }
}

/** Search texts that match few and very many shipments. */
const typed = [
  ...['amsterdam', 'anna amsterdam', 'user77777@example.com', '3s1000', '3s1000777', 'order-177777'],
  ...['jansen utrecht anna', 'nothing-like-this', 'keizers', '1015', 'hanna bakker breda 47', 'jan', '12'],
]

/** Fills the table without its indexes and creates them afterwards, which takes a fraction of the time. */
async function fillShipments(postgres: PrivatePostgres, { database }: FleetSettings): Promise<void> {
  const indexes = await postgres.query(
    `select format('%I.%I', schemaname, indexname) as name, indexdef as statement from pg_indexes
     where schemaname = 'packbench' and tablename = 'shipments' and indexname <> 'shipments_pkey'`,
    [],
    database,
  )
  for (const { name } of indexes) await postgres.query(`drop index ${String(name)}`, [], database)
  const pick = (values: readonly string[], by: number) =>
    `(array['${values.join("','")}'])[1 + i * ${by} % ${values.length}]`
  await postgres.query(
    `insert into packbench.shipments (id, reference, all_references, station, attempt, state, operator, taken_at,
       carrier_option, packages, country, barcodes, search_text)
     select 'id-' || i, 'ORDER-' || i, array['ORDER-' || i], 'a', 'attempt-' || i, 'created', null,
       now() - make_interval(secs => i * 30), 34, 1, 'NL', array['3s' || 100000000 + i * 7],
       concat_ws(E'\\n', 'order-' || i,
         ${pick(['anna', 'bram', 'carlijn', 'daan', 'eva', 'fleur', 'gijs', 'hanna', 'iris', 'jan'], 1)} || ' '
           || ${pick(['de vries', 'van den berg', 'jansen', 'muller', 'bakker', 'smit', 'meijer', 'visser'], 7)},
         'keizersgracht ' || i % 300, 1000 + i % 8999 || ' ab',
         ${pick(['amsterdam', 'utrecht', 'delft', 'rotterdam', 'groningen', 'eindhoven', 'breda'], 3)},
         'user' || i || '@example.com', '+316' || 10000000 + i, '3s' || 100000000 + i * 7)
     from generate_series(1, ${sharedShipments}) i`,
    [],
    database,
  )
  for (const { statement } of indexes) await postgres.query(String(statement), [], database)
  await postgres.query('analyze packbench.shipments', [], database)
}

async function newFleet(postgres: PrivatePostgres): Promise<FleetConnection & { settings: FleetSettings }> {
  const settings = await postgres.newFleet()
  const connection = await connect(settings)
  const prepared = await prepareSchema(connection.database)
  if (!prepared.ok) throw new Error(prepared.error.message)
  return { ...connection, settings }
}

async function connect(settings: FleetSettings): Promise<FleetConnection> {
  const connected = await connectToFleet(settings, postgresPassword, () => undefined)
  if (!connected.ok) throw new Error(connected.error.message)
  return connected.value
}

async function openStation(folder: string, name: string): Promise<OpenDatabase> {
  const opened = await openDatabase(join(folder, `${name}.db`), {
    thread: createThread(new URL(databaseWorker)),
  })
  if (!opened.ok) throw new Error(opened.error.message)
  return opened.value
}

/** Makes the station record its changes for the fleet. */
async function becomeMember(stationId: string, database: OpenDatabase): Promise<void> {
  await database
    .insertInto('fleetMembership')
    .values({ stationId, fleetId: null, isActive: 1, historyQueued: 1 })
    .execute()
}

/** The shared order list of a station, without the rest of the station. */
async function openList(settings: FleetSettings, folder: string, name: string) {
  const database = await openStation(folder, name)
  const connection = await connect(settings)
  const prepared = await prepareSchema(connection.database)
  if (!prepared.ok) throw new Error(prepared.error.message)
  await new StationsRepository(connection.database).enrol(name, name, '1', 'first')
  await becomeMember(name, database)
  const current = () => ({ ...defaultSettings, fleet: settings })
  const list = new OrderRepository(database)
  const orderList = new OrderListRepository(database)
  const bus = createEventBus()
  const shared = new SharedOrders({
    ...{
      localOrdersRepository: new LocalOrdersRepository(database, { current }),
      orderRepository: list,
      orderList,
      bus,
      log: silentLog,
    },
    settings: { current, belongsToFleet: () => true },
    shipsWhenAway: () => false,
    currentOperator: () => null,
  })
  await shared.begin(prepared.value)
  const repository = new FleetOrdersRepository(connection.database)
  const news = new FleetNotifications(connection.session, name, () => shared.publishSoon())
  await news.listen()
  const announce = () => news.announce('orders')
  shared.join({
    repository,
    stationId: name,
    receivesNotifications: true,
    announce,
    endsSession: () => false,
    drop: () => undefined,
  })
  return {
    list,
    async add(id: string) {
      const values = { reference: id, lastName: 'Jansen', city: 'Delft', country: 'NL' }
      const content = {
        values,
        items: [],
        issues: [],
        orderValue: '',
        currency: '',
        columns: {},
        orderDate: null,
      }
      const source = { kind: 'file', name: 'orders.csv', line: 2 } as const
      const order = {
        ...content,
        id,
        state: 'to-ship',
        source,
        origin: 'file',
        importedAt: new Date().toISOString(),
      } as const
      await list.save([{ ...order, carrierOption: '' }], [])
      bus.emit('ordersChanged', await orderList.counts())
    },
    async close() {
      await shared.stop()
      await connection.close()
      await database.destroy()
    },
  }
}

function newShipment() {
  const reference = randomUUID()
  return {
    ...{ id: randomUUID(), attemptId: randomUUID(), draft: aDraft({ reference }), origin: 'screen' as const },
    ...{ operator: null, print: false, takenAt: new Date().toISOString() },
  }
}

for await (const figure of measure(named)) process.stdout.write(`${JSON.stringify(figure)}\n`)
process.exit(0)
