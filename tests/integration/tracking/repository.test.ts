import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ParcelRepository } from '../../../src/main/tracking/repository'
import { alertRules } from '../../../src/main/tracking/watch'
import type { TrackedCode, TrackingEvent } from '../../../src/shared/tracking'
import { defaultTrackingSettings } from '../../../src/shared/tracking'
import { aDraft } from '../../support/drafts'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

const monday = new Date('2026-11-16T09:00:00Z')
const tuesday = new Date('2026-11-17T09:00:00Z')
const rules = alertRules(defaultTrackingSettings)

function event(itemNumber: number, code: string, description = `Status ${code}`): TrackingEvent {
  return {
    itemNumber,
    code,
    description,
    location: 'Utrecht',
    dateTime: `2026-11-16 0${9 - itemNumber}:00:00`,
  }
}

function found(code: string, ...events: TrackingEvent[]): TrackedCode {
  return { code, found: true, lastStatus: events[0] ?? null, events }
}

/** A station with one watched parcel that was shipped on Monday. */
async function oneParcel() {
  const { features } = await connectedStation(await temporaryFolder(), await testSimulator(), {
    tracking: { ...defaultTrackingSettings, pollMinutes: 1440 },
  })
  const { shipping, parcels, database } = features
  const draft = aDraft({ reference: 'ORDER-1' })
  const shipment = {
    attemptId: randomUUID(),
    draft,
    origin: 'screen',
    print: false,
    takenAt: monday,
  } as const
  const created = await shipping.create(shipment)
  const { id, barcodes } = created.ok ? created.value : { id: '', barcodes: [] }
  const [barcode = ''] = barcodes
  await parcels.enrolAll(new AbortController().signal)
  await database.updateTable('parcels').set({ watchedSince: monday.toISOString() }).execute()
  const keep = (tracked: TrackedCode, at: Date, alsoUnwatched = false) =>
    parcels.keep([tracked], 'en', at, { alsoUnwatched })
  const parcel = async () => (await parcels.listParcels({ by: 'all' }, rules, 10, 0)).parcels[0]
  const events = async (code = barcode) => (await parcels.findStored(code))?.tracked.events
  return { parcels, shipping, database, id, barcode, keep, parcel, events }
}

describe('the stored tracking of a parcel', () => {
  it('is updated when only the text of an event changes', async () => {
    const { barcode, keep, parcel, events } = await oneParcel()
    await keep(found(barcode, event(0, '3000', 'Depto')), monday)
    await keep(found(barcode, event(0, '3000', 'Depot')), tuesday)
    expect(await events()).toEqual([event(0, '3000', 'Depot')])
    expect(await parcel()).toMatchObject({
      lastStatus: { description: 'Depot' },
      askedAt: tuesday.toISOString(),
      changedAt: (await parcel())?.shippedAt,
    })
  })

  it('is not replaced by an answer that finds the parcel without events', async () => {
    const { barcode, keep, parcel, events } = await oneParcel()
    await keep(found(barcode, event(0, '9000'), event(1, '99')), monday)
    await keep(found(barcode), tuesday)
    expect(await events()).toEqual([event(0, '9000'), event(1, '99')])
    expect(await parcel()).toMatchObject({ lastStatus: { code: '9000' }, askedAt: tuesday.toISOString() })
  })

  it('has the time of the last answer that found the parcel, not of the last request', async () => {
    const { barcode, keep, parcel, parcels } = await oneParcel()
    await keep(found(barcode, event(0, '3000')), monday)
    await keep({ code: barcode, found: false, lastStatus: null, events: [] }, tuesday)
    expect((await parcels.findStored(barcode))?.askedAt).toBe(monday.toISOString())
    expect((await parcel())?.askedAt).toBe(tuesday.toISOString())
    await keep(found(barcode, event(0, '3000')), tuesday)
    expect((await parcels.findStored(barcode))?.askedAt).toBe(tuesday.toISOString())
  })

  it('gets an event from a last status without events, once', async () => {
    const { barcode, keep, parcel, events } = await oneParcel()
    await keep(found(barcode, event(0, '99')), monday)
    const status = { ...event(0, '3000'), dateTime: '2026-11-17 08:00:00' }
    const answer = { code: barcode, found: true, lastStatus: status, events: [] }
    await keep(answer, tuesday)
    await keep(answer, tuesday)
    expect(await events()).toEqual([status, { ...event(0, '99'), itemNumber: 1 }])
    expect(await parcel()).toMatchObject({ lastStatus: status, changedAt: tuesday.toISOString() })
  })

  it('grows with each last status of a service that names no events', async () => {
    const { barcode, keep, parcel, events } = await oneParcel()
    const first = event(0, '99')
    const second = { ...event(0, '3000'), dateTime: '2026-11-17 08:00:00' }
    for (const lastStatus of [first, second]) {
      await keep({ code: barcode, found: true, lastStatus, events: [] }, tuesday)
    }
    expect(await events()).toEqual([second, { ...first, itemNumber: 1 }])
    expect(await parcel()).toMatchObject({ lastStatus: second })
  })

  it('keeps its events when an answer has only some of them, which is no news', async () => {
    const { barcode, keep, parcel, events } = await oneParcel()
    const all = [event(0, '3000'), event(1, '2006'), event(2, '99')]
    await keep(found(barcode, ...all), tuesday)
    const { changedAt } = (await parcel()) ?? {}
    for (let day = 18; day < 28; day += 1) {
      await keep(found(barcode, event(0, '3000')), new Date(`2026-11-${day}T09:00:00Z`))
      expect(await events()).toEqual(all)
      await keep(found(barcode, ...all), new Date(`2026-11-${day}T10:00:00Z`))
    }
    expect(await parcel()).toMatchObject({ changedAt, alert: 'silent' })
  })

  it('gets the new events of an answer that lacks most of those that are known', async () => {
    const { barcode, keep, parcel, events } = await oneParcel()
    const all = [event(0, '2006'), event(1, '2005'), event(2, '99')]
    await keep(found(barcode, ...all), monday)
    const newest = { ...event(0, '3000'), dateTime: '2026-11-17 08:00:00' }
    for (const answer of [[newest], [newest, { ...event(0, '2006'), itemNumber: 1 }]]) {
      await keep(found(barcode, ...answer), tuesday)
      expect(await events()).toEqual([
        newest,
        ...all.map((each) => ({ ...each, itemNumber: each.itemNumber + 1 })),
      ])
    }
    expect(await parcel()).toMatchObject({ lastStatus: newest, changedAt: tuesday.toISOString() })
  })

  it('keeps its last status when an answer has only older events', async () => {
    const { barcode, keep, parcel, events } = await oneParcel()
    const all = [event(0, '3000'), event(1, '2006'), event(2, '99')]
    await keep(found(barcode, ...all), monday)
    const { changedAt } = (await parcel()) ?? {}
    await keep(found(barcode, event(1, '2006'), event(2, '99')), tuesday)
    expect(await events()).toEqual(all)
    expect(await parcel()).toMatchObject({ lastStatus: { code: '3000' }, changedAt })
  })

  it('causes no alert after the clock was wrong for a while', async () => {
    const { barcode, keep, parcel } = await oneParcel()
    await keep(found(barcode, event(0, '99')), tuesday)
    const wrong = new Date('2009-01-01T00:00:00Z')
    await keep(found(barcode, event(0, '3000'), event(1, '99')), wrong)
    await keep(found(barcode, event(0, '3000'), event(1, '99')), tuesday)
    expect(await parcel()).toMatchObject({ alert: null, lastStatus: { code: '3000' } })
  })

  it('causes a «silent» alert only after a new request without news', async () => {
    const { barcode, keep, parcel } = await oneParcel()
    await keep(found(barcode, event(0, '3000')), tuesday)
    const aWeekLater = new Date('2026-11-24T09:00:00Z')
    // Without a request meanwhile, it is not known that there was no news.
    expect((await parcel())?.alert).toBeNull()
    await keep(found(barcode, event(0, '3000')), aWeekLater)
    expect((await parcel())?.alert).toBe('silent')
    await keep(found(barcode, event(0, '5001'), event(1, '3000')), aWeekLater)
    expect((await parcel())?.alert).toBeNull()
  })

  it('is not changed by an answer for a code with an appended NUL character', async () => {
    const { barcode, keep, events } = await oneParcel()
    await keep(found(barcode, event(0, '99')), monday)
    await keep(found(`${barcode}\u0000x`, event(0, '9000')), tuesday, true)
    expect(await events()).toEqual([event(0, '99')])
  })
})

it('a parcel of an order that waited is not overdue before it was sent long enough ago', async () => {
  const { parcels, database, barcode, keep, parcel } = await oneParcel()
  await database.updateTable('shipments').set({ requestSentAt: tuesday.toISOString() }).execute()
  await database.deleteFrom('parcels').execute()
  await new ParcelRepository(database, database).enrolAll(new AbortController().signal)
  const notFound = { code: barcode, found: false, lastStatus: null, events: [] }
  const hours = (count: number) => new Date(tuesday.getTime() + count * 60 * 60 * 1000)
  await keep(notFound, hours(1))
  expect(await parcel()).toMatchObject({ shippedAt: tuesday.toISOString(), alert: null })
  expect(await parcels.takeNewAlerts(rules)).toEqual([])
  await keep(notFound, hours(25))
  expect(await parcels.takeNewAlerts(rules)).toMatchObject([{ reference: 'ORDER-1', alert: 'not-found' }])
})

describe('the parcels of a shipment that was cancelled at the carrier', () => {
  it('are neither watched nor reported, and stay known by their barcodes', async () => {
    const { parcels, shipping, id, barcode, keep, parcel } = await oneParcel()
    await keep({ code: barcode, found: false, lastStatus: null, events: [] }, tuesday)
    expect(await parcel()).toMatchObject({ alert: 'not-found' })
    expect(await shipping.noteCancellation(id, 'sold out')).toMatchObject({ ok: true })
    await parcels.enrol(id)
    await parcels.enrolAll(new AbortController().signal)
    expect(await parcel()).toBeUndefined()
    expect(await parcels.listUnderWay([])).toEqual([])
    expect(await parcels.countParcels()).toEqual([])
    expect(await parcels.countAlerts(rules)).toEqual({ 'not-found': 0, silent: 0, status: 0 })
    expect(await parcels.takeNewAlerts(rules)).toEqual([])
    expect((await parcels.findShipments([barcode])).get(barcode)).toMatchObject({ id, isCancelled: true })
  })

  it('are not enrolled again, and no longer watched where an older version left them watched', async () => {
    const { parcels, shipping, database, id, barcode } = await oneParcel()
    expect(await shipping.noteCancellation(id, 'sold out')).toMatchObject({ ok: true })
    await database.updateTable('parcels').set({ watchedSince: monday.toISOString() }).execute()
    expect(await parcels.listUnderWay([])).toEqual([barcode])
    const restarted = new ParcelRepository(database, database)
    await restarted.enrolAll(new AbortController().signal)
    expect(await restarted.listUnderWay([])).toEqual([])
    await database.deleteFrom('parcels').execute()
    await restarted.enrol(id)
    await new ParcelRepository(database, database).enrolAll(new AbortController().signal)
    expect(await restarted.findShipments([barcode])).toEqual(new Map())
  })
})

it('watched parcels count to the day in a time zone whose day begins at a quarter past', async () => {
  const { parcels, database } = await oneParcel()
  const { TZ } = process.env
  try {
    process.env.TZ = 'Asia/Kathmandu'
    for (const [time, day] of [
      ['2026-11-16T18:14:59.000Z', '2026-11-16'],
      ['2026-11-16T18:15:00.000Z', '2026-11-17'],
      ['2026-11-16T18:20:00.000Z', '2026-11-17'],
    ]) {
      await database.updateTable('parcels').set({ watchedSince: time }).execute()
      expect(await parcels.countParcels()).toMatchObject([{ day, count: 1 }])
    }
  } finally {
    if (TZ === undefined) delete process.env.TZ
    else process.env.TZ = TZ
  }
})

describe('the list of seen status codes', () => {
  it('contains at most 500 of 20,000 codes, including the newest', async () => {
    const { parcels } = await oneParcel()
    const codes = Array.from({ length: 20_000 }, (_, index) => ({ code: `X${index}`, description: 'odd' }))
    await parcels.noteStatuses(codes, monday)
    await parcels.noteStatuses([{ code: '__proto__', description: 'as written' }], tuesday)
    const seen = await parcels.listSeenStatuses()
    expect(seen).toHaveLength(500)
    expect(seen).toContainEqual({ code: '__proto__', description: 'as written' })
  })
})

describe('enrolAll', () => {
  it('enrols a shipment after a failed attempt, but not shipments that were already enrolled', async () => {
    const { parcels, database, id, parcel } = await oneParcel()
    const { signal } = new AbortController()
    await database.deleteFrom('parcels').execute()
    await parcels.enrolAll(signal)
    expect(await parcel()).toBeUndefined()
    await sql`create trigger no_parcels before insert on parcels begin select raise(abort, 'refused'); end`.execute(
      database,
    )
    await expect(parcels.enrol(id)).rejects.toThrow('refused')
    await sql`drop trigger no_parcels`.execute(database)
    await parcels.enrolAll(AbortSignal.abort())
    expect(await parcel()).toBeUndefined()
    await parcels.enrolAll(signal)
    expect(await parcel()).toBeDefined()
  })
})
