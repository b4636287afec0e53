import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, it } from 'vitest'
import { isClockPlausible } from '../../../src/main/app/clockRepository'
import type { Services } from '../../../src/main/app/compose'
import { defaultSettings } from '../../../src/shared/settings'
import { nodeDatabaseProcess } from '../../support/databaseProcess'
import { aDraft } from '../../support/drafts'
import { toCsv } from '../../support/manifests/lines'
import { firstToShip } from '../../support/orderRows'
import { ship } from '../../support/ship'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, stationOn, testSimulator } from '../../support/testStation'

const day = 24 * 60 * 60 * 1000

function later(days: number) {
  return { now: () => new Date(Date.now() + days * day) }
}

/** A stopped station that shipped 20 references at today's date. */
async function shippedStation() {
  const data = await temporaryFolder()
  const simulator = await testSimulator()
  const { station, features } = await connectedStation(data, simulator)
  const references = Array.from({ length: 20 }, (_, index) => `ORDER-${index}`)
  for (const reference of references) expect((await ship(features, reference)).ok).toBe(true)
  await station.stop()
  return { data, simulator, references }
}

it('a station with a plausible clock stores it once an hour, and not at each check', async () => {
  const data = await temporaryFolder()
  const start = Date.now()
  let minutes = 0
  const now = () => new Date(start + minutes * 60_000)
  const { features } = await connectedStation(data, await testSimulator(), {}, { now })
  const readStored = () => {
    const database = new Libsql(join(data, 'packbench.db'), { readonly: true })
    const rows = database.prepare('select * from clock').all()
    database.close()
    return rows
  }
  await features.upkeep.run()
  const first = readStored()
  expect(first).toHaveLength(1)
  for (minutes = 10; minutes < 60; minutes += 10) {
    await features.upkeep.run()
    expect(readStored()).toEqual(first)
  }
  await features.upkeep.run()
  expect(readStored()).not.toEqual(first)
})

it('a command beside the station takes a clock that does not agree with the database for implausible', async () => {
  const { data } = await shippedStation()
  const run = await nodeDatabaseProcess()
  const { signal } = new AbortController()
  const database = join(data, 'packbench.db')
  expect(await isClockPlausible(run, database, later(0).now(), signal)).toBe(true)
  for (const days of [-100, 100])
    expect(await isClockPlausible(run, database, later(days).now(), signal)).toBe(false)
  const missing = join(data, 'missing.db')
  expect(await isClockPlausible(run, missing, later(0).now(), signal)).toBe(false)
  expect(existsSync(missing)).toBe(false)
})

describe('a start with the clock far ahead', () => {
  it('removes nothing, reports the clock in the log and a notice, and works again when the clock is right', async () => {
    const { data, simulator, references } = await shippedStation()
    const wrong = await connectedStation(data, simulator, {}, later(100))
    expect(await wrong.features.shipmentRepository.count()).toBe(20)
    expect((await wrong.station.status()).notices).toContainEqual({
      code: 'clock-not-plausible',
      message: expect.stringContaining('No old shipment is removed'),
      details: { now: expect.any(String), lastKnown: expect.any(String) },
    })
    for (const reference of references) {
      expect(await ship(wrong.features, reference)).toMatchObject({
        ok: false,
        error: { code: 'shipment-duplicate' },
      })
    }
    expect((await ship(wrong.features, 'ORDER-NEW')).ok).toBe(true)
    await wrong.station.stop()
    expect(await readFile(join(data, 'logs', 'packbench.log'), 'utf8')).toContain('the clock is implausible')

    const right = await stationOn(data)
    const features = await right.start()
    if (!features.ok) throw new Error(features.error.message)
    expect((await right.status()).notices.map(({ code }) => code)).not.toContain('clock-not-plausible')
    expect(await features.value.shipmentRepository.count()).toBe(21)
    expect(simulator.ledger.entries).toHaveLength(21)
  })

  it('removes half of the shipments once a person confirms the clock, and keeps all references guarded', async () => {
    const { data, simulator, references } = await shippedStation()
    const { station, features } = await connectedStation(data, simulator, {}, later(100))
    expect(await station.confirmClock()).toEqual({ ok: true, value: undefined })
    expect((await station.status()).notices.map(({ code }) => code)).not.toContain('clock-not-plausible')
    await expect.poll(() => features.shipmentRepository.count()).toBe(10)
    for (const reference of references) {
      expect(await ship(features, reference)).toMatchObject({
        ok: false,
        error: { code: 'shipment-duplicate', details: { barcodes: expect.stringMatching(/\w/) } },
      })
    }
    expect(simulator.ledger.entries).toHaveLength(20)
  })
})

it('a station without settings removes nothing until somebody sets how long, since the missing ones may have kept it longer', async () => {
  const { data } = await shippedStation()
  await rm(join(data, 'settings.json'))
  const station = await stationOn(data, later(100))
  const started = await station.start()
  if (!started.ok) throw new Error(started.error.message)
  const { upkeep, settings, shipmentRepository } = started.value
  await station.confirmClock()
  await upkeep.run()
  expect(await shipmentRepository.count()).toBe(20)
  settings.change({ language: 'nl' })
  await upkeep.run()
  expect(await shipmentRepository.count()).toBe(20)
  expect(settings.current()).toMatchObject({ retentionDays: 3650, guardDays: 36_500 })
})

it.each([
  [
    'whose shipments were removed',
    async (features: Services) => {
      const shipped = await ship(features, 'ORDER-1')
      if (shipped.ok) await features.retention.remove(shipped.value.id)
      expect(await features.shipmentRepository.listEarlier('ORDER-1')).toHaveLength(1)
    },
  ],
  [
    'that makes only manifests',
    async ({ manifests }: Services) => void (await manifests.create('074-12345675')),
  ],
])('a station %s keeps its history too if its settings are missing', async (_, prepare) => {
  const data = await temporaryFolder()
  const { station, features } = await connectedStation(data, await testSimulator())
  await prepare(features)
  expect(await features.shipmentRepository.count()).toBe(0)
  await station.stop()
  await rm(join(data, 'settings.json'))
  const started = await (await stationOn(data)).start()
  if (!started.ok) throw new Error(started.error.message)
  expect(started.value.settings.current()).toMatchObject({ retentionDays: 3650, guardDays: 36_500 })
})

it('a station without settings and history keeps the usual time', async () => {
  const started = await (await stationOn(await temporaryFolder())).start()
  if (!started.ok) throw new Error(started.error.message)
  const { retentionDays, guardDays } = defaultSettings
  expect(started.value.settings.current()).toMatchObject({ retentionDays, guardDays })
})

it('a second start on the same day removes nothing more, and the next day the rest is removed', async () => {
  const { data, simulator } = await shippedStation()
  const first = await connectedStation(data, simulator, {}, later(100))
  await first.station.confirmClock()
  await expect.poll(() => first.features.shipmentRepository.count()).toBe(10)
  await first.station.stop()
  const second = await connectedStation(data, simulator, {}, later(100.5))
  await second.features.upkeep.run()
  expect(await second.features.shipmentRepository.count()).toBe(10)
  await second.station.stop()
  const { features } = await connectedStation(data, simulator, {}, later(101.2))
  await expect.poll(() => features.shipmentRepository.count()).toBe(0)
})

it('a removal of shipments that is cut off leaves no other old data, and a start on the same day removes only such data', async () => {
  const { data, simulator } = await shippedStation()
  for (const [reference, days] of [
    ['FIRST', 0],
    ['SECOND', 0.5],
  ] as const) {
    const { station, features } = await connectedStation(data, simulator, {}, later(days))
    const values = { firstName: 'Jan', lastName: 'Smit', street: 'Dam', city: 'Amsterdam', country: 'NL' }
    expect(await features.orders.add({ ...values, reference })).toMatchObject({ ok: true })
    const [order] = (await features.orders.list(firstToShip)).orders
    await features.orders.skip([order?.id ?? ''], 'sold out')
    await station.stop()
  }
  const countRows = (table: string) => {
    const database = new Libsql(join(data, 'packbench.db'), { readonly: true })
    const rows = database.prepare(`select 1 from ${table}`).all()
    database.close()
    return rows.length
  }
  expect(countRows('orders')).toBe(2)
  const days = defaultSettings.retentionDays
  const first = await connectedStation(data, simulator, {}, later(days + 0.2))
  await first.station.confirmClock()
  await expect.poll(() => first.features.shipmentRepository.count(), { interval: 1 }).toBeLessThan(20)
  await first.station.stop()
  const left = countRows('shipments')
  expect(countRows('orders')).toBe(1)
  const second = await connectedStation(data, simulator, {}, later(days + 0.7))
  await second.features.upkeep.run()
  expect([countRows('shipments'), countRows('orders')]).toEqual([left, 0])
})

it('retention removes shipped and skipped orders after their retention period, but not open ones', async () => {
  const data = await temporaryFolder()
  const simulator = await testSimulator()
  const before = await connectedStation(data, simulator)
  const { orders, orderList } = before.features
  const values = { firstName: 'Jan', lastName: 'Smit', street: 'Dam', city: 'Amsterdam', country: 'NL' }
  for (const reference of ['OPEN', 'SKIPPED', 'SHIPPED'])
    expect(await orders.add({ ...values, reference })).toMatchObject({ ok: true })
  const listed = await orders.list(firstToShip)
  const skipped = listed.orders.find((order) => order.values.reference === 'SKIPPED')
  await orders.skip([skipped?.id ?? ''], 'sold out')
  expect((await ship(before.features, 'SHIPPED')).ok).toBe(true)
  await expect.poll(() => orderList.counts()).toMatchObject({ 'to-ship': 1, skipped: 1, shipped: 1 })
  await before.station.stop()

  const days = defaultSettings.retentionDays
  const soon = await connectedStation(data, simulator, {}, later(days - 1))
  await soon.station.confirmClock()
  await soon.features.upkeep.run()
  expect(await soon.features.orderList.counts()).toMatchObject({ 'to-ship': 1, skipped: 1, shipped: 1 })
  await soon.station.stop()

  const { station, features } = await connectedStation(data, simulator, {}, later(days + 1))
  await station.confirmClock()
  await expect.poll(() => features.orderList.counts()).toMatchObject({ 'to-ship': 1, skipped: 0, shipped: 0 })
})

describe('a start with the clock far behind', () => {
  it.each([
    ['in use', 20],
    ['new', 0],
  ])(
    'keeps the shipment made meanwhile and its guard after the clock of a station that is %s is corrected',
    async (_, shipped) => {
      const data = await temporaryFolder()
      const simulator = await testSimulator()
      const before = await connectedStation(data, simulator)
      for (let index = 0; index < shipped; index += 1) {
        expect((await ship(before.features, `ORDER-${index}`)).ok).toBe(true)
      }
      await before.station.stop()
      const wrong = await connectedStation(data, simulator, {}, later(-2000))
      const made = await wrong.features.shipping.create({
        attemptId: randomUUID(),
        draft: aDraft({ reference: 'ORDER-BEHIND' }),
        origin: 'screen',
        print: false,
        takenAt: later(-2000).now(),
      })
      if (!made.ok) throw new Error(made.error.message)
      await wrong.station.stop()

      const { features } = await connectedStation(data, simulator)
      expect(await features.shipmentRepository.count()).toBe(shipped + 1)
      expect(await ship(features, 'ORDER-BEHIND')).toMatchObject({
        ok: false,
        error: { code: 'shipment-duplicate' },
      })
      expect(simulator.ledger.entries).toHaveLength(shipped + 1)
    },
  )

  it('keeps the lines of air waybills that were typed or sent meanwhile after the clock is corrected', async () => {
    const data = await temporaryFolder()
    const simulator = await testSimulator()
    const before = await connectedStation(data, simulator)
    await before.station.stop()
    const wrong = await connectedStation(data, simulator, {}, later(-2000))
    const ids: string[] = []
    for (const number of ['074-12345675', '074-12345686'])
      ids.push(await importLines(wrong.features.manifests, number))
    const [manifestId = ''] = ids
    expect(await wrong.features.submissions.upload({ manifestId })).toMatchObject({
      value: { state: 'uploaded', changedAt: expect.stringMatching(/^20[12]/) },
    })
    await wrong.station.stop()

    const lines = async ({ manifests }: Services) => (await manifests.list()).map(({ lines }) => lines)
    const right = await connectedStation(data, simulator)
    await right.features.upkeep.run()
    expect(await lines(right.features)).toEqual([3, 3])
    await right.station.stop()
    const old = await connectedStation(data, simulator, {}, later(defaultSettings.retentionDays + 1))
    await old.station.confirmClock()
    await expect.poll(() => lines(old.features)).toEqual([3, 0])
  })

  it('keeps the lines of an air waybill that was sent before, and whose lines were changed meanwhile', async () => {
    const data = await temporaryFolder()
    const simulator = await testSimulator()
    const before = await connectedStation(data, simulator)
    const manifestId = await importLines(before.features.manifests, '074-12345675')
    expect(await before.features.submissions.upload({ manifestId })).toMatchObject({ ok: true })
    await before.station.stop()
    const wrong = await connectedStation(data, simulator, {}, later(-2000))
    const edit = { kind: 'remove' as const, from: 0, to: 0 }
    expect(await wrong.features.manifests.edit(manifestId, edit)).toMatchObject({ ok: true })
    await expect.poll(() => wrong.features.manifests.list()).toMatchObject([{ lines: 2 }])
    await wrong.station.stop()

    const { features } = await connectedStation(data, simulator)
    const old = later(defaultSettings.retentionDays + 1).now()
    await features.manifests.forgetBefore(old, new AbortController().signal)
    expect(await features.manifests.list()).toMatchObject([{ lines: 2 }])
  })
})

/** Imports three lines into a new air waybill; returns its id. */
async function importLines(manifests: Services['manifests'], number: string): Promise<string> {
  const page = await manifests.create(number)
  const file = await manifests.readFile('lines.csv', new Uint8Array(Buffer.from(toCsv(3))).buffer)
  if (!page.ok || !file.ok) throw new Error('no air waybill or no lines')
  const { importId, mapping } = file.value
  const wish = { importId, mapping, decimalMark: 'automatic' as const, replace: true }
  expect(await manifests.takeFile(page.value.id, wish)).toMatchObject({ ok: true })
  await expect
    .poll(() => manifests.list())
    .toContainEqual(expect.objectContaining({ id: page.value.id, lines: 3 }))
  return page.value.id
}
