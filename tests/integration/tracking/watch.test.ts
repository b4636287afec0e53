import { randomUUID } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import { createEventBus } from '../../../src/main/lib/eventBus'
import type { NewAlert } from '../../../src/main/tracking/repository'
import { alertRules } from '../../../src/main/tracking/watch'
import type { Board } from '../../../src/shared/tracking'
import { defaultTrackingSettings } from '../../../src/shared/tracking'
import { startDemo } from '../../../src/simulator/demo'
import { aDraft } from '../../support/drafts'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, simulatorWith } from '../../support/testStation'

async function ship(features: Services, reference: string): Promise<string> {
  const created = await features.shipping.create({
    attemptId: randomUUID(),
    draft: aDraft({ reference }),
    origin: 'screen',
    print: false,
    takenAt: new Date(),
  })
  if (!created.ok) throw new Error(created.error.message)
  const [barcode] = created.value.barcodes
  if (barcode === undefined) throw new Error('no barcode')
  return barcode
}

async function watching(settings: Partial<typeof defaultTrackingSettings> = {}) {
  const simulator = await simulatorWith({ trackingStepSeconds: 0.05 })
  const alerts: NewAlert[] = []
  const bus = createEventBus()
  bus.on('parcelsAlerted', ({ parcels }) => alerts.push(...parcels))
  const { features } = await connectedStation(
    await temporaryFolder(),
    simulator,
    { tracking: { ...defaultTrackingSettings, pollMinutes: 1440, ...settings } },
    { bus },
  )
  return { simulator, features, alerts }
}

function counts(board: Board): Record<string, number> {
  return Object.fromEntries(
    board.states.filter(({ count }) => count > 0).map(({ state, count }) => [state, count]),
  )
}

async function parcelsWith(
  features: Services,
  only: Parameters<Services['board']['listParcels']>[0]['only'],
) {
  return (await features.board.listParcels({ only, limit: 50, offset: 0 })).parcels
}

describe('the tracking watch', () => {
  it('polls a shipment until it is delivered, and then stops', async () => {
    const { features, simulator } = await watching()
    const barcode = await ship(features, 'ORDER-1')
    await expect
      .poll(async () => {
        await features.watch.askNow()
        return counts(await features.board.getBoard())
      })
      .toEqual({ delivered: 1 })
    expect((await features.board.getBoard()).watched).toBe(0)
    simulator.clearRequests()
    await features.watch.askNow()
    expect(simulator.requests).toEqual([])
    const stored = await features.parcels.findStored(barcode)
    expect(stored?.tracked.events.map(({ code }) => code)).toEqual([
      '9000',
      '5001',
      '3000',
      '2006',
      '2002',
      '99',
    ])
  })

  it('alerts once about a parcel when its status code is classified as an exception', async () => {
    const { features, alerts } = await watching()
    const barcode = await ship(features, 'PROBLEM-1')
    await expect
      .poll(async () => {
        await features.watch.askNow()
        return counts(await features.board.getBoard())
      })
      .toEqual({ unclassified: 1 })
    expect(await features.parcels.listSeenStatuses()).toContainEqual({
      code: '4100',
      description: 'Address is incomplete, parcel is held',
    })
    const tracking = features.settings.current().tracking
    features.settings.change({
      tracking: { ...tracking, meanings: { ...tracking.meanings, '4100': 'exception' } },
    })
    await features.watch.askNow()
    await features.watch.askNow()
    expect(alerts).toEqual([{ code: barcode, reference: 'PROBLEM-1', alert: 'status' }])
    expect(counts(await features.board.getBoard())).toEqual({ exception: 1 })
    expect(await parcelsWith(features, { by: 'alert', alert: 'status' })).toMatchObject([
      { code: barcode, state: 'exception', alert: 'status', shipment: { reference: 'PROBLEM-1' } },
    ])
  })

  it('shows the problem, the return and the missing parcel that the demo offers on the board, and alerts about the first and the last', async () => {
    const demo = await startDemo()
    await demo.close()
    const { features, alerts } = await watching({ ...demo.settings.tracking, pollMinutes: 1440 })
    for (const reference of ['PROBLEM-1', 'RETURN-1', 'GHOST-1']) await ship(features, reference)
    const aMinuteAgo = new Date(Date.now() - 60_000).toISOString()
    await features.database.updateTable('parcels').set({ watchedSince: aMinuteAgo }).execute()
    await expect
      .poll(async () => {
        await features.watch.askNow()
        return counts(await features.board.getBoard())
      })
      .toMatchObject({ exception: 1, returned: 1 })
    expect(alerts.map(({ reference, alert }) => `${reference}: ${alert}`).toSorted()).toEqual([
      'GHOST-1: not-found',
      'PROBLEM-1: status',
    ])
  })

  it('alerts about parcels that the service does not find and parcels without news', async () => {
    const { features, alerts } = await watching({ notFoundAfterHours: 0.01, silentAfterDays: 0.01 })
    const { database } = features
    const ghost = await ship(features, 'GHOST-1')
    const held = await ship(features, 'PROBLEM-2')
    await features.watch.askNow()
    expect(alerts).toEqual([])
    // Sets both parcels as shipped, and one as last changed, three days ago.
    const past = new Date(Date.now() - 3 * 24 * 60 * 60 * 1000).toISOString()
    await expect
      .poll(async () => {
        await features.watch.askNow()
        return (
          (await features.parcels.findStored(held)) !== undefined &&
          (await parcelsWith(features, null))[0]?.lastStatus?.code
        )
      })
      .toBe('4100')
    await database.updateTable('parcels').set({ watchedSince: past }).execute()
    await database.updateTable('parcels').set({ changedAt: past }).where('code', '=', held).execute()
    await features.watch.askNow()
    expect(alerts.map(({ code, alert }) => [code, alert])).toEqual([
      [held, 'silent'],
      [ghost, 'not-found'],
    ])
    const board = await features.board.getBoard()
    expect(board.alerts).toEqual([
      { alert: 'not-found', count: 1 },
      { alert: 'silent', count: 1 },
      { alert: 'status', count: 0 },
    ])
  })

  it('counts parcels by shipping day, with the newest day last', async () => {
    const { features } = await watching()
    await ship(features, 'ORDER-1')
    await ship(features, 'ORDER-2')
    await expect.poll(async () => (await features.board.getBoard()).watched).toBe(2)
    const board = await features.board.getBoard()
    expect(board.days).toHaveLength(14)
    expect(board.days.at(-1)?.states.reduce((total, { count }) => total + count, 0)).toBe(2)
  })

  it('counts and lists the parcels of the board while a shipment is being written', async () => {
    const { features } = await watching()
    await ship(features, 'ORDER-1')
    const { board } = features
    await expect.poll(() => board.getBoard()).toMatchObject({ watched: 1 })
    await features.database.transaction().execute(async () => {
      const reading = Promise.all([board.getBoard(), parcelsWith(features, null)])
      const read = vi.fn<(answers: Awaited<typeof reading>) => void>()
      void reading.then(read)
      // Waits here and not for the answers, so that the transaction ends if they need its connection.
      await expect.poll(() => read.mock.calls[0]?.[0]).toMatchObject([{ watched: 1 }, [{ shipment: {} }]])
    })
  })

  it('finds the parcels to ask for, and that none has a new alert, while a shipment is being written', async () => {
    const { features } = await watching()
    const barcode = await ship(features, 'ORDER-1')
    const { parcels } = features
    await expect.poll(() => parcels.listUnderWay([])).toEqual([barcode])
    await features.database.transaction().execute(async () => {
      const reading = Promise.all([
        parcels.listUnderWay([]),
        parcels.takeNewAlerts(alertRules(defaultTrackingSettings)),
      ])
      const read = vi.fn<(answers: Awaited<typeof reading>) => void>()
      void reading.then(read)
      // Waits here and not for the answers, so that the transaction ends if they need its connection.
      await expect.poll(() => read.mock.calls[0]?.[0]).toEqual([[barcode], []])
    })
  })

  it('pauses while the service is unreachable, probes with one code, and then continues', async () => {
    const { features, simulator, alerts } = await watching({ chunkSize: 2 })
    for (const number of [1, 2, 3, 4, 5]) await ship(features, `ORDER-${number}`)
    simulator.clearRequests()
    simulator.faults.add({ operation: 'trackBulk', fault: { kind: 'resetBeforeReading' } })
    expect(await features.watch.askNow()).toMatchObject({
      state: 'offline',
      error: { code: 'service-connection-lost' },
    })
    simulator.clearRequests()
    expect(await features.watch.askNow()).toMatchObject({ state: 'offline' })
    expect(simulator.requests).toHaveLength(1)
    expect(alerts).toEqual([])
    simulator.faults.clear()
    simulator.clearRequests()
    expect(await features.watch.askNow()).toMatchObject({ state: 'waiting', error: null })
    expect(simulator.requests.map(({ body }) => JSON.parse(body).length)).toEqual([1, 2, 2])
  })

  it('resumes from a pause after any successful tracking request', async () => {
    const { features, simulator } = await watching()
    const barcode = await ship(features, 'ORDER-1')
    simulator.faults.add({ operation: 'trackBulk', fault: { kind: 'resetBeforeReading' } })
    await features.watch.askNow()
    simulator.faults.clear()
    const options = { flightTracking: 'include', language: 'en', type: 'barcode', details: 'full' } as const
    await features.lookUpCode(barcode, options)
    await expect.poll(() => features.watch.status().state).toBe('waiting')
    expect(features.watch.status().lastRoundAt).not.toBeNull()
  })

  it('does not resume when another sign-in is refused, but when one is accepted', async () => {
    const { features, simulator } = await watching()
    await ship(features, 'ORDER-1')
    simulator.expireKey()
    simulator.faults.add({ operation: 'auth', fault: { kind: 'refused' } })
    const paused = await features.watch.askNow()
    expect(paused).toMatchObject({ state: 'no-account', error: { code: 'account-refused' } })
    await features.session.test()
    expect(features.watch.status()).toEqual(paused)
    const { testAccount } = features.handlers
    simulator.faults.clear()
    simulator.faults.add({ operation: 'auth', fault: { kind: 'resetBeforeReading' }, times: 1 })
    simulator.faults.add({ operation: 'auth', fault: { kind: 'refused' } })
    expect(await testAccount(undefined)).toMatchObject({ error: { code: 'service-connection-lost' } })
    expect(await testAccount(undefined)).toMatchObject({ error: { code: 'account-refused' } })
    expect(features.watch.status()).toEqual(paused)
    simulator.faults.clear()
    await features.session.test()
    await expect.poll(() => features.watch.status()).toMatchObject({ state: 'waiting', error: null })
  })

  it('polls the newest parcels first', async () => {
    const { features, simulator } = await watching({ chunkSize: 1, parallelRequests: 1 })
    const barcodes: string[] = []
    for (const number of [1, 2, 3]) barcodes.push(await ship(features, `ORDER-${number}`))
    simulator.clearRequests()
    await features.watch.askNow()
    expect(simulator.requests.flatMap(({ body }) => JSON.parse(body))).toEqual(barcodes.toReversed())
  })
})

describe('a stored tracking timeline', () => {
  const options = { flightTracking: 'include', language: 'nl', type: 'barcode', details: 'full' } as const

  it('is read without a request and has its time and language', async () => {
    const { features, simulator } = await watching()
    const barcode = await ship(features, 'ORDER-1')
    const before = new Date().toISOString()
    await features.lookUpCode(barcode, options)
    simulator.clearRequests()
    const stored = await features.parcels.findStored(barcode)
    expect(simulator.requests).toEqual([])
    expect(stored).toMatchObject({ language: 'nl', tracked: { code: barcode, found: true } })
    expect((stored?.askedAt ?? '') >= before).toBe(true)
  })

  it('is kept when the service no longer returns the parcel', async () => {
    const { features, simulator } = await watching()
    const barcode = await ship(features, 'ORDER-1')
    await features.watch.askNow()
    simulator.faults.add({ operation: 'trackBulk', fault: { kind: 'itemsAsList' } })
    simulator.faults.add({ operation: 'trackCode', fault: { kind: 'refused' } })
    expect((await features.lookUpCode(barcode, options)).ok).toBe(false)
    const stored = await features.parcels.findStored(barcode)
    expect(stored?.tracked.events.length).toBeGreaterThan(0)
  })

  it('is removed with its shipment by retention', async () => {
    const { features } = await watching()
    const barcode = await ship(features, 'ORDER-1')
    await features.watch.askNow()
    const [parcel] = await parcelsWith(features, null)
    await features.retention.remove(parcel?.shipment.id ?? '')
    expect(await features.parcels.findStored(barcode)).toBeUndefined()
    expect((await features.board.getBoard()).watched).toBe(0)
  })
})

describe('lookUpCode', () => {
  it.each(['A B', 'A/B', '..', '.', 'straße 包裹', 'x'.repeat(10_000), '\ud800', '%2F'])(
    'sends the code %j unchanged',
    async (code) => {
      const { features, simulator } = await watching()
      const options = { flightTracking: 'only', language: 'en', type: 'box', details: 'minimal' } as const
      expect(await features.lookUpCode(code, options)).toEqual({
        ok: true,
        value: { code, found: false, lastStatus: null, events: [] },
      })
      expect(simulator.deviations()).toEqual([])
    },
  )

  it('returns flights of different shapes as flat fields', async () => {
    const { features, simulator } = await watching()
    const barcode = await ship(features, 'ORDER-1')
    simulator.faults.add({ operation: 'trackCode', fault: { kind: 'flights' } })
    const options = { flightTracking: 'only', language: 'en', type: 'barcode', details: 'full' } as const
    const tracked = await features.lookUpCode(barcode, options)
    expect(tracked.ok && tracked.value.flights).toEqual([
      {
        flight: 'KL0714',
        from: 'AMS',
        to: 'PBM',
        departed: '2026-11-20 10:25:00',
        'legs.0.no': '1',
        'legs.1.no': '2',
      },
      { '': 'MP8371 AMS-MIA' },
    ])
  })

  it('sorts shuffled events, newest first', async () => {
    const { features, simulator } = await watching()
    const barcode = await ship(features, 'ORDER-1')
    simulator.faults.add({ operation: 'trackCode', fault: { kind: 'shuffledEvents' } })
    const options = { flightTracking: 'include', language: 'en', type: 'barcode', details: 'full' } as const
    await expect
      .poll(async () => {
        const tracked = await features.lookUpCode(barcode, options)
        return tracked.ok && tracked.value.events.map(({ code }) => code)
      })
      .toEqual(['9000', '5001', '3000', '2006', '2002', '99'])
  })
})
