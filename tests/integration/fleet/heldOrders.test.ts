import { existsSync } from 'node:fs'
import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, type Mock, onTestFinished, vi } from 'vitest'
import { deferred } from '../../support/deferred'
import { newOrderFleet, ordersInList } from '../../support/fleetOrders'
import { type FleetStation, fleetStation, joined, published, putUnknown } from '../../support/fleetStations'
import { listOrders } from '../../support/orderRows'
import { postgresOfBlock } from '../../support/privatePostgres'
import { temporaryFolder } from '../../support/temporaryFolder'
import { resultSchema } from '../hotFolder/orderResultSchema'

const postgres = postgresOfBlock()

/** Sets up a hot folder in mode «hold» for one station, or shared by several. */
async function setUpHotFolder(...stations: FleetStation[]) {
  const folder = await temporaryFolder()
  // Stops the stations before the folder is removed.
  onTestFinished(async () => {
    for (const station of stations) await station.stop()
  })
  const shared = stations.length > 1
  for (const { services } of stations) {
    const changed = services.settings.change({
      hotFolder: { path: folder, print: true, mode: 'hold', shared },
    })
    if (!changed.ok) throw new Error(changed.error.message)
  }
  await expect.poll(() => readdir(folder)).toContain('in')
  return {
    async drop(name: string, ...references: string[]) {
      await writeFile(join(folder, name), JSON.stringify(references.map(aRecord)))
      await rename(join(folder, name), join(folder, 'in', name))
    },
    isInWork: (name: string) => existsSync(join(folder, 'work', name)),
    /** Waits for the result file of an order file. Returns its outcomes by reference, and its entries. */
    async result(name: string) {
      const paths = ['done', 'failed'].map((place) =>
        join(folder, place, name.replace('.json', '.result.json')),
      )
      await expect.poll(() => paths.filter(existsSync)).toHaveLength(1)
      const path = paths.find(existsSync) ?? ''
      const { results } = resultSchema.parse(JSON.parse(await readFile(path, 'utf8')))
      return { outcomes: results.map(({ reference, outcome }) => [reference, outcome]), results }
    },
  }
}

function aRecord(reference: string) {
  const address = { street: 'Dorpsstraat', house_number: '1', postal_code: '3511 AB', city: 'Utrecht' }
  return {
    ...{ reference, last_name: 'Jansen', ...address },
    ...{ country: 'NL', weight: 1, carrier_id: 1, carrier_option_id: 11 },
  }
}

async function idOf({ services }: FleetStation, reference: string): Promise<string> {
  const order = (await listOrders(services)).find(({ values }) => values.reference === reference)
  if (order === undefined) throw new Error(`${reference} is not in the list`)
  return order.id
}

/** Waits until `findBlocker` has returned a blocker with this error code. */
function waitForBlocker(asked: Mock<FleetStation['services']['claims']['findBlocker']>, code: string) {
  return vi.waitFor(() => expect(asked).toHaveResolvedWith(expect.objectContaining({ code })), {
    timeout: 40_000,
  })
}

/** Polls the state of an order in the fleet's database. */
function stateInFleet(reference: string, database: string) {
  return expect.poll(
    async () => {
      const question = 'select state from packbench.orders where reference = $1'
      return (await postgres().query(question, [reference], database)).map(({ state }) => state)
    },
    { timeout: 10_000 },
  )
}

describe('a hot folder order that waits in the list', () => {
  it('is in the list of every station, and its file gets its result when any station ships or skips it', async () => {
    const { carrier, one, other } = await newOrderFleet(postgres())
    const folder = await setUpHotFolder(one)
    await folder.drop('three.json', 'H-1', 'H-2', 'H-3')
    await ordersInList(other).toEqual(['H-1', 'H-2', 'H-3'])
    const { id, values } = (await listOrders(other.services))[0] ?? { id: '', values: {} }
    await other.services.orders.change(id, { ...values, reference: 'H-1b' })
    await ordersInList(one).toEqual(['H-1b', 'H-2', 'H-3'])
    expect(await other.ship('H-1b')).toMatchObject({ value: { state: 'created' } })
    expect(await one.ship('H-2')).toMatchObject({ value: { state: 'created' } })
    await ordersInList(one).toEqual(['H-3'])
    expect(folder.isInWork('three.json')).toBe(true)
    await other.services.orders.skip([await idOf(other, 'H-3')], 'no stock')
    const { outcomes, results } = await folder.result('three.json')
    expect(outcomes).toEqual([
      ['H-1b', 'created'],
      ['H-2', 'created'],
      ['H-3', 'refused'],
    ])
    // The print jobs of the label belong to the other station and are not known at this one.
    expect(results[0]).toMatchObject({ barcodes: ['3S-H-1b-1'], jobs: [], error: null })
    expect(results[0]?.at.requestSent).not.toBeNull()
    expect(results[2]?.error?.message).toContain('no stock')
    expect([...carrier.received.values()]).toEqual([1, 1])
  })

  it('ends as a duplicate without being listed when another station has already shipped its reference', async () => {
    const { one, other } = await newOrderFleet(postgres())
    const folder = await setUpHotFolder(one)
    await other.ship('TYPED')
    await folder.drop('one.json', 'TYPED')
    const { outcomes, results } = await folder.result('one.json')
    expect(outcomes).toEqual([['TYPED', 'duplicate']])
    expect(results[0]?.barcodes).toEqual(['3S-TYPED-1'])
    expect((await one.services.orderList.counts())['to-ship']).toBe(0)
  })

  it('ends as a duplicate when it is skipped while another station creates its shipment', async () => {
    const { carrier, one, other } = await newOrderFleet(postgres())
    const folder = await setUpHotFolder(one)
    await folder.drop('one.json', 'BUSY')
    await ordersInList(other).toEqual(['BUSY'])
    const answer = deferred<'created'>()
    carrier.whileAnswering = () => answer.promise
    const shipped = other.ship('BUSY')
    await expect.poll(() => carrier.received.get('BUSY')).toBe(1)
    const asked = vi.spyOn(one.services.claims, 'findBlocker')
    await one.services.orders.skip([await idOf(one, 'BUSY')], 'cancelled')
    await waitForBlocker(asked, 'shipment-in-progress')
    expect(folder.isInWork('one.json')).toBe(true)
    answer.resolve('created')
    await shipped
    const { outcomes, results } = await folder.result('one.json')
    expect(outcomes).toEqual([['BUSY', 'duplicate']])
    expect(results[0]?.barcodes).toEqual(['3S-BUSY-1'])
  })

  it('is shipped once when two stations received it in two files, and the second file ends as a duplicate', async () => {
    const { carrier, one, other } = await newOrderFleet(postgres())
    const folders = [await setUpHotFolder(one), await setUpHotFolder(other)]
    await postgres().stop('fast')
    await joined(one.services, 'away')
    await joined(other.services, 'away')
    for (const folder of folders) await folder.drop('same.json', 'TWICE')
    for (const station of [one, other]) await ordersInList(station).toEqual(['TWICE'])
    await postgres().start()
    for (const station of [one, other]) {
      await ordersInList(station).toEqual(['TWICE'])
      await ordersInList(station, 'problem').toEqual(['TWICE'])
    }
    expect(await one.ship('TWICE')).toMatchObject({ value: { state: 'created' } })
    const results = await Promise.all(folders.map((folder) => folder.result('same.json')))
    expect(results.flatMap(({ outcomes }) => outcomes).toSorted()).toEqual([
      ['TWICE', 'created'],
      ['TWICE', 'duplicate'],
    ])
    expect(carrier.received.get('TWICE')).toBe(1)
  })
})

/** A station with a hot folder problem that names an unknown shipment of another station. */
async function stationWithUnknownProblem(now?: () => Date) {
  const { one, other } = await fleetWithHistory(now)
  await other.ship('ORDER-00')
  const shipmentId = await putUnknown(other, 'LOST')
  const folder = await setUpHotFolder(one)
  await folder.drop('one.json', 'LOST')
  expect((await folder.result('one.json')).outcomes).toEqual([['LOST', 'unknown']])
  const openIssues = async () => (await one.services.hotFolder.issues.list(false)).issues
  expect(await openIssues()).toMatchObject([{ kind: 'unknown', shipmentId }])
  return { one, other, shipmentId, openIssues }
}

describe('a hot folder problem of another station’s unknown shipment', () => {
  it.each(['one', 'other'] as const)(
    'can be sent again after that shipment was resolved as not existing at station «%s»',
    async (resolver) => {
      const { shipmentId, openIssues, ...stations } = await stationWithUnknownProblem()
      const { shipping } = stations[resolver].services
      expect((await shipping.resolveUnknown(shipmentId, 'does-not-exist', null)).ok).toBe(true)
      await expect
        .poll(openIssues, { timeout: 20_000 })
        .toMatchObject([{ kind: 'refused', shipmentId: null }])
      const [issue] = await openIssues()
      const { handlers } = stations.one.services
      const sent = await handlers.sendOrderAgain({ issueId: issue?.id ?? '', values: issue?.values ?? {} })
      expect(sent).toMatchObject({ ok: true, value: { issues: [] } })
      await ordersInList(stations.one).toEqual(['LOST'])
    },
  )

  it('ends when that shipment is resolved as existing', async () => {
    const { other, shipmentId, openIssues } = await stationWithUnknownProblem()
    await other.services.shipping.resolveUnknown(shipmentId, 'exists', '3SFOUND')
    await expect.poll(openIssues, { timeout: 20_000 }).toEqual([])
  })

  it.each([
    ['agree', 0],
    ['differ', 3_600_000],
  ])('ends when another station ships its reference (clocks: %s)', async (_, aheadMs) => {
    const now = () => new Date(Date.now() + aheadMs)
    const { other, shipmentId, openIssues } = await stationWithUnknownProblem(now)
    await other.services.shipping.resolveUnknown(shipmentId, 'does-not-exist', null)
    expect(await other.ship('LOST')).toMatchObject({ value: { state: 'created' } })
    await expect.poll(openIssues, { timeout: 20_000 }).toEqual([])
  })
})

/** A fleet with one shipment, because a station treats an empty journal beside existing label folders as lost. */
async function fleetWithHistory(now?: () => Date) {
  const fleet = await newOrderFleet(postgres(), {}, now)
  await fleet.one.ship('ORDER-0')
  return fleet
}

describe('the orders of a file at a station that stops', () => {
  it('are listed and shipped once when the station stops before their publication', async () => {
    const { carrier, one, other } = await fleetWithHistory()
    const folder = await setUpHotFolder(one)
    await postgres().stop('fast')
    await joined(one.services, 'away')
    await folder.drop('two.json', 'L-1', 'L-2')
    await ordersInList(one).toEqual(['L-1', 'L-2'])
    await one.stop()
    await postgres().start()
    await joined(other.services)
    expect((await other.services.orderList.counts())['to-ship']).toBe(0)
    const again = await fleetStation(carrier, null, one.dataFolder)
    await ordersInList(other).toEqual(['L-1', 'L-2'])
    await ordersInList(again).toEqual(['L-1', 'L-2'])
    for (const reference of ['L-1', 'L-2']) await other.ship(reference)
    expect((await folder.result('two.json')).outcomes).toEqual([
      ['L-1', 'created'],
      ['L-2', 'created'],
    ])
    expect([...carrier.received.values()]).toEqual([1, 1, 1])
  })

  it('get their outcomes in the result file after the restart when others ship and skip them meanwhile', async () => {
    const { carrier, fleet, one, other } = await fleetWithHistory()
    const folder = await setUpHotFolder(one)
    await folder.drop('two.json', 'M-1', 'M-2')
    await ordersInList(other).toEqual(['M-1', 'M-2'])
    await one.stop()
    await other.ship('M-1')
    await other.services.orders.skip([await idOf(other, 'M-2')], 'no stock')
    await stateInFleet('M-1', fleet.database).toEqual(['shipped'])
    await stateInFleet('M-2', fleet.database).toEqual(['skipped'])
    await fleetStation(carrier, null, one.dataFolder)
    expect((await folder.result('two.json')).outcomes).toEqual([
      ['M-1', 'created'],
      ['M-2', 'refused'],
    ])
  })

  it('are not listed or sent again when another station’s retention has removed them meanwhile', async () => {
    const { carrier, fleet, one, other } = await fleetWithHistory()
    const folder = await setUpHotFolder(one)
    await folder.drop('two.json', 'R-1', 'R-2')
    await ordersInList(other).toEqual(['R-1', 'R-2'])
    await one.stop()
    await other.ship('R-1')
    await stateInFleet('R-1', fleet.database).toEqual(['shipped'])
    await other.services.orders.forgetClosed(new Date(Date.now() + 1000))
    await stateInFleet('R-1', fleet.database).toEqual([])
    const again = await fleetStation(carrier, null, one.dataFolder)
    await ordersInList(again).toEqual(['R-2'])
    expect(folder.isInWork('two.json')).toBe(true)
    await again.ship('R-2')
    const { outcomes, results } = await folder.result('two.json')
    expect(outcomes).toEqual([
      ['R-1', 'duplicate'],
      ['R-2', 'created'],
    ])
    expect(results[0]?.barcodes).toEqual(['3S-R-1-1'])
    expect([...carrier.received.values()]).toEqual([1, 1, 1])
  })
})

describe('a hot folder in mode «hold» shared by two stations', () => {
  it('lists every order at both stations, and gets a result for every file, including those of a station that stopped', async () => {
    const { carrier, one, other } = await fleetWithHistory()
    await other.ship('ORDER-00')
    const folder = await setUpHotFolder(one, other)
    const references = Array.from({ length: 12 }, (_, index) => `S-${String(index).padStart(2, '0')}`)
    for (const reference of references) await folder.drop(`${reference}.json`, reference)
    for (const station of [one, other]) {
      await expect
        .poll(
          async () => (await listOrders(station.services)).map(({ values }) => values.reference).toSorted(),
          {
            timeout: 20_000,
          },
        )
        .toEqual(references)
    }
    await one.stop()
    for (const reference of references) {
      expect(await other.ship(reference)).toMatchObject({ value: { state: 'created' } })
    }
    await published(other.services)
    await fleetStation(carrier, null, one.dataFolder)
    for (const reference of references) {
      expect((await folder.result(`${reference}.json`)).outcomes).toEqual([[reference, 'created']])
    }
    expect(references.map((reference) => carrier.received.get(reference))).toEqual(references.map(() => 1))
  })
})

describe('a hot folder order with an outcome and an unfinished file', () => {
  it('keeps its outcome when another station’s retention removes it', async () => {
    const { fleet, one, other } = await newOrderFleet(postgres())
    const folder = await setUpHotFolder(one)
    await folder.drop('two.json', 'K-1', 'K-2')
    await ordersInList(other).toEqual(['K-1', 'K-2'])
    await other.ship('K-1')
    await ordersInList(one, 'shipped').toEqual(['K-1'])
    await other.services.orders.forgetClosed(new Date(Date.now() + 1000))
    await stateInFleet('K-1', fleet.database).toEqual([])
    await ordersInList(other, 'shipped').toEqual([])
    await other.ship('K-2')
    const { outcomes, results } = await folder.result('two.json')
    expect(outcomes).toEqual([
      ['K-1', 'created'],
      ['K-2', 'created'],
    ])
    expect(results[0]?.barcodes).toEqual(['3S-K-1-1'])
    // Retention removes the order everywhere once the record of its file is gone.
    await expect
      .poll(async () => {
        await one.services.orders.forgetClosed(new Date(Date.now() + 1000))
        return one.services.orderList.counts()
      })
      .toMatchObject({ shipped: 0 })
    await ordersInList(one, 'shipped').toEqual([])
  })

  it('is reported as skipped only after the fleet could be asked for a shipment of its reference', async () => {
    const { one } = await newOrderFleet(postgres())
    const folder = await setUpHotFolder(one)
    await folder.drop('one.json', 'AWAY')
    await ordersInList(one).toEqual(['AWAY'])
    await published(one.services)
    await postgres().stop('fast')
    await joined(one.services, 'away')
    const asked = vi.spyOn(one.services.claims, 'findBlocker')
    await one.services.orders.skip([await idOf(one, 'AWAY')], 'no stock')
    await waitForBlocker(asked, 'fleet-unreachable')
    expect(folder.isInWork('one.json')).toBe(true)
    await postgres().start()
    expect((await folder.result('one.json')).outcomes).toEqual([['AWAY', 'refused']])
  })
})
