import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { OnScale, ShippedParcel, Weighed } from '../../../src/renderer/features/scale/scaleWeight'
import { createCustomsStore } from '../../../src/renderer/features/ship/customs/customsStore'
import { blankForm } from '../../../src/renderer/features/ship/form'
import { lacksChanges } from '../../../src/renderer/features/ship/ordersInForm'
import { outcomeState } from '../../../src/renderer/features/ship/outcome'
import { createShipStore } from '../../../src/renderer/features/ship/shipStore'
import type { Signal } from '../../../src/renderer/ui/sounds'
import type { BridgeClient } from '../../../src/shared/bridge'
import { type AppError, appError } from '../../../src/shared/errors'
import { normalizeText } from '../../../src/shared/fields'
import { type OrderToShip, orderValueFieldSchema } from '../../../src/shared/orders'
import { err, ok, type Result } from '../../../src/shared/result'
import type { ShipmentDetails } from '../../../src/shared/shipments'
import { deferred } from '../../support/deferred'
import { createFakeBridge } from '../../support/fakeBridge'
import { sampleDraft, sampleJob, sampleSettings, sampleShipment } from '../../support/screenSamples'

const filled = {
  reference: 'ORDER-1001',
  lastName: 'de Vries',
  street: 'Kerkstraat',
  houseNumber: '12',
  postalCode: '1017 GC',
  city: 'Amsterdam',
  weight: '2,5',
  content: 'Books',
}

type Creation = Parameters<BridgeClient['createShipment']>[0]

function makeStation(answer?: (input: Creation) => Promise<Result<ShipmentDetails, AppError>>) {
  const fake = createFakeBridge()
  const create = vi.fn(answer ?? fake.bridge.createShipment)
  fake.bridge.createShipment = create
  const signals: Signal[] = []
  const waits = { label: false }
  const scale: {
    measured: (Weighed & { kg: number }) | null
    onScale: OnScale | null
    isUnknown: boolean
    shipped: ShippedParcel[]
  } = { measured: null, onScale: null, isUnknown: false, shipped: [] }
  const noteNotNow = vi.fn()
  const notePrinterGone = vi.fn()
  const unsaved = new Set<string>()
  let ids = 0
  const newId = () => {
    ids += 1
    return `00000000-0000-4000-8000-00000000000${ids}`
  }
  const nothingOrdered = () => ({ goods: [], defaults: {} })
  const customs = createCustomsStore(fake.bridge, newId, () => true, nothingOrdered)
  const ship = createShipStore({
    customs: () => customs.getState(),
    bridge: fake.bridge,
    newId,
    signal: (signal) => signals.push(signal),
    isLabelRequired: () => waits.label,
    measured: () => scale.measured,
    isWeightUnknown: () => scale.isUnknown,
    onScale: () => scale.onScale,
    noteShipped: (parcel) => scale.shipped.push(parcel),
    remindOfLabel: () => undefined,
    noteNotNow,
    notePrinterGone,
    unsavedOrders: () => [...unsaved],
  })
  const printers = [...sampleSettings().printers, { driver: 'folder' as const, id: 'second', path: 'out' }]
  const settings = sampleSettings({ printers })
  ship.getState().applySettings(settings)
  const type = (change: Parameters<ReturnType<typeof ship.getState>['edit']>[0]) =>
    ship.getState().edit(change)
  const attemptIds = () => create.mock.calls.map(([input]) => input.attemptId)
  return {
    ...{ fake, create, ship, settings, signals, waits, scale, unsaved, type, attemptIds },
    ...{ noteNotNow, notePrinterGone },
  }
}

function orderToShip(reference: string, values: Record<string, string>): OrderToShip {
  return {
    order: {
      id: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0001',
      ...{ state: 'to-ship', values: { reference }, items: [], issues: [], rule: null },
      source: { kind: 'file', name: 'orders.csv', line: 2 },
      origin: 'file',
      importedAt: '2026-11-21T09:00:00.000Z',
      ...{ orderDate: null, shipmentId: null, skippedReason: null, skippedBy: null },
    },
    values: { ...values, reference },
    signatureRequired: null,
    extras: {},
    consigneeKey: 'key',
    companions: [],
  }
}

function state(station: ReturnType<typeof makeStation>) {
  const { outcome } = station.ship.getState()
  return outcome && outcomeState(outcome)
}

describe('creating a shipment', () => {
  it('sends one call when F9 is pressed twice', async () => {
    const station = makeStation()
    station.type(filled)
    await Promise.all([station.ship.getState().submit(), station.ship.getState().submit()])
    expect(station.create).toHaveBeenCalledTimes(1)
    expect(state(station)).toBe('created')
  })

  it('sends the typed values as a draft and reads a decimal comma as a number', async () => {
    const station = makeStation()
    station.type(filled)
    await station.ship.getState().submit()
    expect(station.create.mock.calls[0]?.[0].draft).toMatchObject({
      reference: 'ORDER-1001',
      carrierId: 12,
      carrierOptionId: 34,
      weight: 2.5,
      length: 0,
      numberOfPackages: 1,
      country: 'NL',
    })
  })

  it('sends nothing while a field is invalid, marks all issues and moves to the first', async () => {
    const station = makeStation()
    station.type({ street: 'Kerkstraat', weight: 'heavy' })
    await station.ship.getState().submit()
    expect(station.create).not.toHaveBeenCalled()
    expect(station.ship.getState().issues).toEqual({
      reference: { code: 'required' },
      lastName: { code: 'name-required' },
      city: { code: 'required' },
      weight: { code: 'number' },
    })
    expect(station.ship.getState().focus).toEqual({ field: 'reference' })
    expect(station.signals).toEqual(['failure'])
  })

  it('unfolds the other fields when the first issue is among them', async () => {
    const station = makeStation()
    station.type({ ...filled, height: 'tall' })
    await station.ship.getState().submit()
    expect(station.ship.getState().moreOpen).toBe(true)
    expect(station.ship.getState().focus).toEqual({ field: 'height' })
  })

  it('ignores typing while the request is in flight', async () => {
    const answer = deferred<Result<ShipmentDetails, AppError>>()
    const station = makeStation(() => answer.promise)
    station.type(filled)
    const sent = station.ship.getState().submit()
    station.type({ city: 'Rotterdam' })
    expect(station.ship.getState().form.city).toBe('Amsterdam')
    answer.resolve(err(appError('service-unreachable')))
    await sent
  })
})

it('an earlier shipment is not brought back into a form that is being sent, and the operator is told', async () => {
  const answer = deferred<Result<ShipmentDetails, AppError>>()
  const { ship, type, signals, noteNotNow } = makeStation(() => answer.promise)
  type(filled)
  const sent = ship.getState().submit()
  ship.getState().startDraft(sampleDraft({ reference: 'EARLIER' }), 'correct')
  expect(ship.getState().form).toMatchObject(filled)
  expect(noteNotNow).toHaveBeenCalledTimes(1)
  expect(signals).toEqual(['attention'])
  answer.resolve(err(appError('service-unreachable')))
  await sent
  ship.getState().startDraft(sampleDraft({ reference: 'EARLIER' }), 'correct')
  expect(ship.getState().form.reference).toBe('EARLIER')
  expect(noteNotNow).toHaveBeenCalledTimes(1)
})

it('an earlier shipment that is shipped again has the station’s creator, not its own', () => {
  const { ship, settings } = makeStation()
  ship.getState().applySettings({ ...settings, shipmentDefaults: { createdBy: 'station-1' } })
  ship.getState().startDraft(sampleDraft({ createdBy: 'Anna' }), 'again')
  expect(ship.getState().form.createdBy).toBe('station-1')
  ship.getState().startDraft(sampleDraft({ createdBy: 'Anna' }), 'correct')
  expect(ship.getState().form.createdBy).toBe('Anna')
})

it.each(['again', 'correct'] as const)(
  'an earlier shipment that is brought back (%s) leaves the kept scans for the next parcels',
  async (purpose) => {
    const { ship, type, waits } = makeStation()
    type(filled)
    waits.label = true
    ship.getState().startOrder('ORDER-2')
    waits.label = false
    // Like the scanner: every change may release the kept scans.
    onTestFinished(ship.subscribe(() => ship.getState().startKept()))
    ship.getState().startDraft(sampleDraft({ reference: 'EARLIER' }), purpose)
    expect(ship.getState()).toMatchObject({
      form: { reference: purpose === 'again' ? '' : 'EARLIER', lastName: sampleDraft().lastName },
      kept: [{ code: 'ORDER-2' }],
      focus: { field: 'reference' },
    })
  },
)

describe('attempt ids', () => {
  it('keep the id when the call itself failed, because main may know the attempt', async () => {
    const station = makeStation(() => Promise.reject(new Error('the frame is gone')))
    station.type(filled)
    await station.ship.getState().submit()
    await station.ship.getState().submit()
    const [first, second] = station.attemptIds()
    expect(first).toBeDefined()
    expect(second).toBe(first)
    expect(state(station)).toBe('error')
  })

  it('change when the content changed', async () => {
    const station = makeStation(() => Promise.reject(new Error('the frame is gone')))
    station.type(filled)
    await station.ship.getState().submit()
    station.type({ weight: '3' })
    await station.ship.getState().submit()
    const [first, second] = station.attemptIds()
    expect(second).not.toBe(first)
  })

  it('change after a refusal; otherwise main would repeat its first answer', async () => {
    const station = makeStation(({ draft }) =>
      Promise.resolve(ok(sampleShipment({ state: 'refused', reference: draft.reference }))),
    )
    station.type(filled)
    await station.ship.getState().submit()
    await station.ship.getState().submit()
    const [first, second] = station.attemptIds()
    expect(second).not.toBe(first)
  })
})

describe('the form after an attempt', () => {
  it.each([
    ['refused', ok(sampleShipment({ state: 'refused' }))],
    ['unknown', ok(sampleShipment({ state: 'unknown' }))],
    ['error', err(appError('service-unreachable'))],
  ] as const)('keeps all input when the outcome is %s', async (expected, answer) => {
    const station = makeStation(() => Promise.resolve(answer))
    station.type(filled)
    await station.ship.getState().submit()
    expect(state(station)).toBe(expected)
    expect(station.ship.getState().form).toMatchObject(filled)
  })

  it('starts the next parcel with the defaults and the same carrier option, but without a weight', async () => {
    const station = makeStation()
    station.type({ ...filled, carrier: '14:51', numberOfPackages: '3' })
    await station.ship.getState().submit()
    expect(station.ship.getState().form).toEqual({ ...blankForm(station.settings), carrier: '14:51' })
    expect(station.ship.getState().form.weight).toBe('')
    expect(station.ship.getState().focus).toEqual({ field: 'reference' })
  })

  it.each([
    ['the station’s', null, { carrierId: 12, carrierOptionId: 34 }],
    ['the one that the operator chose before', '13:40', { carrierId: 13, carrierOptionId: 40 }],
  ] as const)(
    'starts the next order with %s carrier option, not with that of the previous order or draft',
    async (_case, chosen, expected) => {
      const station = makeStation()
      const { ship, create } = station
      const carriers = [...station.settings.carriers, { name: 'Pallet', carrierId: 13, carrierOptionId: 40 }]
      ship.getState().applySettings({ ...station.settings, carriers })
      station.fake.bridge.findOrderToShip = async ({ reference }) =>
        ok(orderToShip(reference, reference === 'A' ? { ...filled, carrierOptionId: '51' } : filled))
      if (chosen !== null) station.type({ carrier: chosen })
      const load = async (reference: string) => {
        ship.getState().startOrder(reference)
        await vi.waitFor(() => expect(ship.getState().order?.values.reference).toBe(reference))
      }
      await load('A')
      await ship.getState().submit()
      await load('B')
      await ship.getState().submit()
      ship
        .getState()
        .startDraft(sampleDraft({ reference: 'EARLIER', carrierId: 14, carrierOptionId: 51 }), 'correct')
      await load('C')
      await ship.getState().submit()
      expect(create.mock.calls.map(([{ draft }]) => draft)).toMatchObject([
        { reference: 'A', carrierId: 14, carrierOptionId: 51 },
        { reference: 'B', ...expected },
        { reference: 'C', ...expected },
      ])
    },
  )

  it('can be filled with the same consignee again, without reference and weight', async () => {
    const station = makeStation()
    station.type(filled)
    await station.ship.getState().submit()
    const consignee = sampleDraft({ street: 'Kade', city: 'Gent' })
    station.ship.getState().fillSameAddress(consignee)
    expect(station.ship.getState().form).toMatchObject({
      street: 'Kade',
      city: 'Gent',
      reference: '',
      weight: '',
      content: '',
    })
  })

  it('is edited by the same consignee as by typing: no issue of a filled field stays, and «undo clear» ends', async () => {
    const station = makeStation()
    station.type(filled)
    station.ship.getState().clear()
    await station.ship.getState().submit()
    expect(Object.keys(station.ship.getState().issues)).toContain('street')
    station.ship.getState().fillSameAddress(sampleDraft())
    expect(Object.keys(station.ship.getState().issues).sort()).toEqual(['reference', 'weight'])
    expect(station.ship.getState().cleared).toBeNull()
  })

  it('can be restored after it was cleared', () => {
    const station = makeStation()
    station.type(filled)
    station.ship.getState().clear()
    expect(station.ship.getState().form.street).toBe('')
    station.ship.getState().undoClear()
    expect(station.ship.getState().form).toMatchObject(filled)
    expect(station.ship.getState().cleared).toBeNull()
  })

  it('shows no issues of the form that «undo clear» replaces', async () => {
    const station = makeStation()
    station.type(filled)
    station.ship.getState().clear()
    await station.ship.getState().submit()
    expect(station.ship.getState().issues).not.toEqual({})
    station.ship.getState().undoClear()
    expect(station.ship.getState().form).toMatchObject(filled)
    expect(station.ship.getState().issues).toEqual({})
  })

  it('applies new defaults only while nothing was typed', () => {
    const station = makeStation()
    station.ship
      .getState()
      .applySettings(sampleSettings({ shipmentDefaults: { country: 'BE', weight: 1.5 } }))
    expect(station.ship.getState().form).toMatchObject({ country: 'BE', weight: '1.5' })
    station.type({ city: 'Gent' })
    station.ship.getState().applySettings(sampleSettings({ shipmentDefaults: { country: 'DE' } }))
    expect(station.ship.getState().form).toMatchObject({ country: 'BE', city: 'Gent' })
  })

  it('leaves a chosen carrier option for no other parcel once it was removed from the settings', () => {
    const { ship, settings, type } = makeStation()
    const [first, second] = settings.carriers
    if (first === undefined || second === undefined) throw new Error('the sample has two carrier options')
    const chosen = `${second.carrierId}:${second.carrierOptionId}`
    type({ carrier: chosen })
    ship.getState().clear()
    expect(ship.getState().form.carrier).toBe(chosen)
    ship.getState().applySettings({ ...settings, carriers: [first] })
    const own = `${first.carrierId}:${first.carrierOptionId}`
    expect(ship.getState()).toMatchObject({ chosenCarrier: '', form: { carrier: own } })
    type(filled)
    ship.getState().clear()
    expect(ship.getState().form.carrier).toBe(own)
  })

  it('applies new defaults beside a chosen carrier option, the scale’s weight and a reference, whose order is then found', async () => {
    const station = makeStation()
    station.type({ carrier: '14:51' })
    station.scale.measured = { kg: 2.5, round: 0, mayIncludeShipped: false }
    station.ship.getState().applyScaleWeight()
    const change = (country: string) =>
      station.ship.getState().applySettings(sampleSettings({ shipmentDefaults: { country, weight: 1.5 } }))
    change('BE')
    expect(station.ship.getState().form).toMatchObject({ country: 'BE', carrier: '14:51', weight: '2.5' })
    station.type({ reference: 'ORDER-7' })
    change('DE')
    expect(station.ship.getState().form).toMatchObject({ country: 'DE', reference: 'ORDER-7' })
    station.fake.bridge.findOrderToShip = async ({ reference }) => ok(orderToShip(reference, filled))
    station.ship.getState().leave('reference')
    await vi.waitFor(() => expect(station.ship.getState().form.lastName).toBe(filled.lastName))
  })
})

describe('a reference that was shipped before', () => {
  const duplicate = appError('shipment-duplicate', {
    shipmentId: '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0009',
    takenAt: '2026-11-20T13:12:00.000Z',
    barcodes: '3SABCD1234567, 3SABCD1234568',
  })

  it('needs a confirmation, which covers only the shipment that was shown', async () => {
    const station = makeStation(({ confirmedDuplicates }) =>
      Promise.resolve(confirmedDuplicates === undefined ? err(duplicate) : ok(sampleShipment())),
    )
    station.type(filled)
    await station.ship.getState().submit()
    const { outcome, isConfirmingDuplicate } = station.ship.getState()
    expect(isConfirmingDuplicate).toBe(true)
    expect(outcome).toMatchObject({
      kind: 'duplicate',
      earlier: { barcodes: ['3SABCD1234567', '3SABCD1234568'] },
    })
    await station.ship.getState().shipAgain()
    expect(station.create.mock.calls[1]?.[0].confirmedDuplicates).toEqual([
      { reference: filled.reference, shipmentId: '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0009' },
    ])
    expect(state(station)).toBe('created')
    expect(station.ship.getState().isConfirmingDuplicate).toBe(false)
  })

  it('is named for each order of the parcel, and each is confirmed separately', async () => {
    const ofB = { ...duplicate, details: { ...duplicate.details, reference: 'ORDER-B' } }
    const station = makeStation(({ draft, confirmedDuplicates = [] }) => {
      const asked = [draft.reference, ...(draft.combinedReferences ?? [])]
      const open = asked.findLast((each) => !confirmedDuplicates.some(({ reference }) => reference === each))
      const error = open === 'ORDER-B' ? ofB : duplicate
      return Promise.resolve(open === undefined ? ok(sampleShipment()) : err(error))
    })
    station.type(filled)
    const { form } = station.ship.getState()
    station.ship.setState({
      combined: { references: ['ORDER-B'], items: [], before: form, after: form },
    })
    await station.ship.getState().submit()
    expect(station.ship.getState().outcome).toMatchObject({ kind: 'duplicate', reference: 'ORDER-B' })
    await station.ship.getState().shipAgain()
    expect(station.create.mock.calls[1]?.[0].confirmedDuplicates).toEqual([
      { reference: 'ORDER-B', shipmentId: '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0009' },
    ])
    expect(station.ship.getState()).toMatchObject({
      isConfirmingDuplicate: true,
      outcome: { reference: filled.reference },
    })
    await station.ship.getState().shipAgain()
    expect(station.create.mock.calls[2]?.[0].confirmedDuplicates).toHaveLength(2)
    expect(state(station)).toBe('created')
  })

  it('asks no longer once another parcel is in the form, which no confirmation of the question ships', async () => {
    const station = makeStation(() => Promise.resolve(err(duplicate)))
    const { ship, create, type } = station
    type(filled)
    await ship.getState().submit()
    ship.getState().startOrder('ORDER-2')
    expect(ship.getState().isConfirmingDuplicate).toBe(false)
    type({ ...filled, reference: 'ORDER-2' })
    await ship.getState().shipAgain()
    expect(create).toHaveBeenCalledTimes(1)
  })

  it('shows the print jobs when its label is reprinted instead', async () => {
    const station = makeStation(() => Promise.resolve(err(duplicate)))
    station.type(filled)
    await station.ship.getState().submit()
    const job = sampleJob({ shipmentId: '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0009', kind: 'reprint' })
    station.ship.getState().applyJobs([job])
    expect(station.ship.getState().outcome).toMatchObject({ kind: 'duplicate', jobs: [job] })
  })

  it('leads to the unknown shipment that must be resolved first', async () => {
    const station = makeStation(() => Promise.resolve(err(appError('shipment-unsettled'))))
    const unresolved = sampleShipment({ state: 'unknown' })
    station.fake.state.shipments = [unresolved]
    station.type(filled)
    station.ship.getState().leave('reference')
    await vi.waitFor(() => expect(station.ship.getState().earlier).toHaveLength(1))
    await station.ship.getState().submit()
    expect(station.ship.getState().outcome).toMatchObject({
      kind: 'error',
      unresolvedShipmentId: unresolved.id,
    })
  })

  it.each([
    ['exists', ''],
    ['does-not-exist', filled.reference],
  ] as const)('continues once it is resolved: it %s', async (verdict, reference) => {
    const unknown = sampleShipment({ state: 'unknown', reference: filled.reference })
    const station = makeStation(() => Promise.resolve(ok(unknown)))
    station.type(filled)
    await station.ship.getState().submit()
    const resolution = { verdict, at: '2026-11-21T09:20:00.000Z' }
    station.ship.getState().applyShipment({ ...unknown, resolution })
    expect(station.ship.getState()).toMatchObject({
      form: { reference },
      focus: { field: 'reference' },
      outcome: { shipment: { resolution: { verdict } } },
    })
    station.type({ reference: 'ORDER-NEXT' })
    station.ship.getState().applyShipment({ ...unknown, resolution })
    expect(station.ship.getState().form.reference).toBe('ORDER-NEXT')
  })

  it.each(['exists', 'does-not-exist'] as const)(
    'leaves the next parcel alone when the shown shipment is resolved elsewhere: it %s',
    async (verdict) => {
      const unknown = sampleShipment({ state: 'unknown', reference: filled.reference })
      const station = makeStation(() => Promise.resolve(ok(unknown)))
      station.type(filled)
      await station.ship.getState().submit()
      station.type({ reference: 'ORDER-NEXT' })
      station.ship.getState().focusOn('content')
      const { form, focus } = station.ship.getState()
      const resolution = { verdict, at: '2026-11-21T09:20:00.000Z' }
      station.ship.getState().applyShipment({ ...unknown, resolution })
      expect(station.ship.getState().form).toEqual(form)
      expect(station.ship.getState().focus).toBe(focus)
      expect(station.ship.getState().outcome).toMatchObject({ shipment: { resolution: { verdict } } })
    },
  )

  it.each(['exists', 'does-not-exist'] as const)(
    'puts the cursor into the reference of an empty form once it is resolved, and keeps «Undo clear»: it %s',
    async (verdict) => {
      const unknown = sampleShipment({ state: 'unknown', reference: filled.reference })
      const station = makeStation(() => Promise.resolve(ok(unknown)))
      station.type(filled)
      await station.ship.getState().submit()
      station.ship.getState().clear()
      station.ship.getState().focusOn('content')
      const resolution = { verdict, at: '2026-11-21T09:20:00.000Z' }
      station.ship.getState().applyShipment({ ...unknown, resolution })
      expect(station.ship.getState()).toMatchObject({
        focus: { field: 'reference' },
        cleared: { form: filled },
      })
    },
  )

  it.each<[string, (ship: ReturnType<ReturnType<typeof makeStation>['ship']['getState']>) => void]>([
    ['of this station', (ship) => ship.applySummary(sampleShipment({ state: 'refused' }))],
    [
      'of a parcel with several orders',
      (ship) =>
        ship.applySummary(sampleShipment({ reference: 'OTHER', combinedReferences: [filled.reference] })),
    ],
    ['of another station', (ship) => void ship.followFleet()],
  ])('is no longer reported as unknown once it is resolved: %s', async (_case, change) => {
    const { ship, fake, type } = makeStation()
    fake.state.shipments = [sampleShipment({ state: 'unknown', reference: filled.reference })]
    type(filled)
    ship.getState().leave('reference')
    await vi.waitFor(() => expect(ship.getState().earlier).toMatchObject([{ state: 'unknown' }]))
    fake.state.shipments = []
    change(ship.getState())
    await vi.waitFor(() => expect(ship.getState().earlier).toEqual([]))
  })

  it('is not asked for when the shipment of another reference changes', async () => {
    const { ship, fake, type } = makeStation()
    const find = vi.spyOn(fake.bridge, 'findEarlierShipments')
    type(filled)
    ship.getState().applySummary(sampleShipment({ reference: 'OTHER' }))
    await ship.getState().followFleet()
    expect(find).not.toHaveBeenCalled()
  })

  it('is no longer reported once the reference changes', async () => {
    const station = makeStation()
    station.fake.state.shipments = [sampleShipment()]
    station.type(filled)
    station.ship.getState().leave('reference')
    await vi.waitFor(() => expect(station.ship.getState().earlier).toHaveLength(1))
    station.type({ reference: 'ORDER-1002' })
    expect(station.ship.getState().earlier).toEqual([])
  })
})

describe('print jobs of the outcome', () => {
  it('show a state whose event arrived before the answer', async () => {
    const shipment = sampleShipment({ jobs: [sampleJob({ state: 'queued' })] })
    const station = makeStation(() => Promise.resolve(ok(shipment)))
    station.ship.getState().applyJobs([sampleJob({ state: 'done', updatedAt: '2026-11-21T09:15:09.000Z' })])
    station.type(filled)
    await station.ship.getState().submit()
    expect(station.ship.getState().outcome).toMatchObject({ shipment: { jobs: [{ state: 'done' }] } })
  })

  it('follow the outcome’s own jobs only', async () => {
    const station = makeStation(() => Promise.resolve(ok(sampleShipment())))
    station.type(filled)
    await station.ship.getState().submit()
    const later = '2026-11-21T09:16:00.000Z'
    station.ship
      .getState()
      .applyJobs([
        sampleJob({ state: 'failed', updatedAt: later }),
        sampleJob({ id: 'other', shipmentId: 'other', updatedAt: later }),
      ])
    const { outcome } = station.ship.getState()
    expect(outcome?.kind === 'shipment' && outcome.shipment.jobs.map((job) => job.state)).toEqual(['failed'])
  })
})

describe('Enter in the reference while the request is in flight', () => {
  it('does not warn about that request', async () => {
    const answer = deferred<Result<ShipmentDetails, AppError>>()
    const station = makeStation(() => answer.promise)
    station.type(filled)
    const sent = station.ship.getState().submit()
    station.fake.state.shipments = [sampleShipment({ state: 'sent', barcodes: [] })]
    const asked = vi.spyOn(station.fake.bridge, 'findEarlierShipments')
    station.ship.getState().leave('reference')
    expect(asked).not.toHaveBeenCalled()
    answer.resolve(err(appError('service-unreachable')))
    await sent
    expect(station.ship.getState().earlier).toEqual([])
  })

  it('does not warn when the question was asked before and is answered meanwhile', async () => {
    const station = makeStation(() => new Promise(() => undefined))
    const asked = deferred<Awaited<ReturnType<BridgeClient['findEarlierShipments']>>>()
    station.fake.bridge.findEarlierShipments = () => asked.promise
    station.type(filled)
    station.ship.getState().leave('reference')
    void station.ship.getState().submit()
    const { id, takenAt } = sampleShipment()
    asked.resolve(ok([{ shipmentId: id, state: 'sent', takenAt, barcodes: [] }]))
    await asked.promise
    expect(station.ship.getState().earlier).toEqual([])
  })
})

describe('a scan while a shipment is being created', () => {
  function sending(outcome: Result<ShipmentDetails, AppError>) {
    const answer = deferred<Result<ShipmentDetails, AppError>>()
    const station = makeStation(() => answer.promise)
    station.type(filled)
    const sent = station.ship.getState().submit()
    const end = () => {
      answer.resolve(outcome)
      return sent
    }
    return { station, end }
  }

  it('is kept and becomes the reference of the next parcel', async () => {
    const { station, end } = sending(ok(sampleShipment()))
    for (const code of ['ORDER-2', 'ORDER-3', 'ORDER-2']) station.ship.getState().keep(code, true)
    expect(station.ship.getState()).toMatchObject({
      kept: [{ code: 'ORDER-2', isScanned: true }, { code: 'ORDER-3' }],
      form: filled,
    })
    await end()
    expect(station.ship.getState()).toMatchObject({
      form: { reference: 'ORDER-2', lastName: '' },
      kept: [{ code: 'ORDER-3' }],
      focus: { field: 'reference', cursor: 'next' },
    })
  })

  it('is not kept if it is of the parcel that is being created: a label was read twice', async () => {
    const { station, end } = sending(ok(sampleShipment()))
    const { form } = station.ship.getState()
    station.ship.setState({ combined: { references: ['ORDER-B'], items: [], before: form, after: form } })
    for (const code of ['ORDER-1001', 'ORDER-B']) station.ship.getState().keep(code, true)
    station.ship.getState().startOrder('ORDER-1001', true)
    expect(station.ship.getState().kept).toEqual([])
    await end()
    expect(station.ship.getState().form.reference).toBe('')
    // Now it may be a second parcel, and the guard asks.
    station.ship.getState().startOrder('ORDER-1001', true)
    expect(station.ship.getState().form.reference).toBe('ORDER-1001')
  })

  it('is no reference before its end arrives', async () => {
    const { station, end } = sending(ok(sampleShipment()))
    station.ship.getState().collect('ORD')
    await end()
    expect(station.ship.getState()).toMatchObject({
      form: { reference: '' },
      partialCode: 'ORD',
    })
  })

  it.each([
    ['goes on in the empty reference', 'created', { form: { reference: '10' }, kept: [] }],
    [
      'is kept if the form is not empty',
      'refused',
      { form: filled, kept: [{ code: '10', isScanned: false }] },
    ],
  ] as const)('%s if it was typed', async (_case, state, expected) => {
    const { station, end } = sending(ok(sampleShipment({ state })))
    station.ship.getState().collect('10')
    await end()
    station.ship.getState().continueTyping()
    expect(station.ship.getState()).toMatchObject({ ...expected, partialCode: '' })
  })

  it('never enters a refused draft, and waits until that is cleared', async () => {
    const { station, end } = sending(ok(sampleShipment({ state: 'refused' })))
    station.ship.getState().keep('ORDER-2', true)
    await end()
    expect(station.ship.getState()).toMatchObject({
      form: filled,
      kept: [{ code: 'ORDER-2' }],
      partialCode: '',
    })
    station.ship.getState().clear()
    expect(station.ship.getState()).toMatchObject({ form: { reference: 'ORDER-2', lastName: '' }, kept: [] })
    station.ship.getState().undoClear()
    expect(station.ship.getState()).toMatchObject({ form: filled, kept: [{ code: 'ORDER-2' }] })
    station.ship.getState().dropKept('ORDER-2')
    expect(station.ship.getState().kept).toEqual([])
  })
})

describe('the scale', () => {
  const weight = ({ ship }: ReturnType<typeof makeStation>) => ship.getState().form.weight

  function weigh(station: ReturnType<typeof makeStation>, kg: number, round: number): void {
    station.scale.measured = { kg, round, mayIncludeShipped: false }
    station.scale.onScale = { kg, round }
    station.ship.getState().applyScaleWeight()
  }

  it('fills in the weight, and updates it when something is added to the parcel', () => {
    const station = makeStation()
    weigh(station, 2.5, 0)
    weigh(station, 2.75, 0)
    expect(weight(station)).toBe('2.75')
  })

  it('never changes a typed weight until that is removed', () => {
    const station = makeStation()
    station.type({ weight: '3' })
    weigh(station, 2.5, 0)
    expect(weight(station)).toBe('3')
    station.type({ weight: '' })
    weigh(station, 2.5, 0)
    expect(weight(station)).toBe('2.5')
  })

  it('fills in the weight after a scanner’s typing into that field was undone', () => {
    const station = makeStation()
    weigh(station, 0.3, 0)
    const before = station.ship.getState()
    station.type({ weight: '0.3B1' })
    station.type({ weight: '0.3' })
    station.ship.getState().undoTyping(before)
    weigh(station, 1.2, 0)
    expect(weight(station)).toBe('1.2')
  })

  it('keeps the weight of a removed parcel, whatever is put on the scale next', () => {
    const station = makeStation()
    station.type({ reference: 'ORDER-1' })
    weigh(station, 2.5, 0)
    weigh(station, 7, 1)
    expect(weight(station)).toBe('2.5')
    station.ship.getState().forceScaleWeight()
    expect(weight(station)).toBe('7')
  })

  it('leaves the weight of an order empty, not at the default, when the shipped parcel was weighed with a hand on it', async () => {
    const station = makeStation()
    const shipmentDefaults = { ...station.settings.shipmentDefaults, weight: 1 }
    station.ship.getState().applySettings({ ...station.settings, shipmentDefaults })
    station.fake.bridge.findOrderToShip = async ({ reference }) => ok(orderToShip(reference, { weight: '5' }))
    station.ship.getState().startOrder('ORDER-7')
    await vi.waitFor(() => expect(weight(station)).toBe('5'))
    weigh(station, 3.9, 0)
    expect(weight(station)).toBe('3.9')
    station.scale.measured = null
    station.scale.onScale = { kg: 2.5, round: 0 }
    station.ship.getState().applyScaleWeight()
    expect(weight(station)).toBe('')
  })

  it('takes the weight of the parcel put on last while the form holds nothing else', () => {
    const station = makeStation()
    weigh(station, 2.5, 0)
    weigh(station, 7, 1)
    expect(weight(station)).toBe('7')
  })

  it('gives the next parcel the weight that is on the scale after the shipment, not that of the shipped parcel', async () => {
    const station = makeStation()
    station.type({ ...filled, weight: '' })
    weigh(station, 2.5, 0)
    station.scale.measured = null
    await station.ship.getState().submit()
    expect(station.create.mock.calls[0]?.[0].draft.weight).toBe(2.5)
    expect(station.scale.shipped).toHaveLength(1)
    expect(weight(station)).toBe('')
    weigh(station, 2.5, 1)
    expect(weight(station)).toBe('2.5')
  })

  it.each<[string, ShippedParcel['onScale'], (station: ReturnType<typeof makeStation>) => void]>([
    ['that was weighed', { kg: 2.5, round: 0 }, (station) => weigh(station, 2.5, 0)],
    [
      'whose weight was typed while it was on the scale',
      { kg: 2.5, round: 0 },
      (station) => {
        station.type({ weight: '3' })
        weigh(station, 2.5, 0)
      },
    ],
    ['whose weight was typed while the scale was empty', null, ({ type }) => type({ weight: '3' })],
  ])(
    'reports a shipped parcel %s as it was on the scale before its creation',
    async (_case, onScale, come) => {
      const answer = deferred<Result<ShipmentDetails, AppError>>()
      const station = makeStation(() => answer.promise)
      station.type({ ...filled, weight: '' })
      come(station)
      const sent = station.ship.getState().submit()
      weigh(station, 7, 1)
      answer.resolve(ok(sampleShipment()))
      await sent
      expect(station.scale.shipped).toMatchObject([{ onScale }])
      expect(weight(station)).toBe('7')
    },
  )

  it('weighs a parcel before its order is scanned', async () => {
    const station = makeStation()
    station.fake.bridge.findOrderToShip = async ({ reference }) => ok(orderToShip(reference, { weight: '9' }))
    weigh(station, 2.5, 0)
    station.ship.getState().startOrder('ORDER-7')
    await vi.waitFor(() => expect(station.ship.getState().order).not.toBeNull())
    expect(weight(station)).toBe('2.5')
    expect(station.ship.getState().cleared).toBeNull()
  })
})

describe('print on scan', () => {
  function printingStation(values: Record<string, string>, printOnScan = true) {
    const station = makeStation()
    station.fake.bridge.findOrderToShip = async ({ reference }) => ok(orderToShip(reference, values))
    const { scanner } = station.settings
    station.ship.getState().applySettings({ ...station.settings, scanner: { ...scanner, printOnScan } })
    return station
  }

  it('ships a complete order once', async () => {
    const { ship, create } = printingStation(filled)
    ship.getState().startOrder('ORDER-7', true)
    ship.getState().leave('reference')
    await vi.waitFor(() => expect(ship.getState().outcome?.kind).toBe('shipment'))
    expect(create.mock.calls.map(([{ draft }]) => draft.reference)).toEqual(['ORDER-7'])
  })

  it('ships the order also while the next scan is being looked up', async () => {
    const { ship, create } = printingStation(filled)
    ship.getState().startOrder('ORDER-7', true)
    ship.getState().noteScanLookUp(true)
    await vi.waitFor(() => expect(create).toHaveBeenCalledTimes(1))
  })

  it.each([
    ['is off', filled, false, true],
    ['lacks the weight', { ...filled, weight: '' }, true, true],
    ['was not scanned', filled, true, false],
  ] as const)(
    'leaves the order to the operator when it %s',
    async (_case, values, printOnScan, isScanned) => {
      const { ship, create } = printingStation(values, printOnScan)
      ship.getState().startOrder('ORDER-7', isScanned)
      await vi.waitFor(() => expect(ship.getState().order).not.toBeNull())
      expect(ship.getState().focus).toEqual({ field: 'weight' })
      expect(create).not.toHaveBeenCalled()
    },
  )

  it('also ships an order that was scanned while the previous parcel was being created', async () => {
    const { ship, create, type } = printingStation(filled)
    type({ ...filled, reference: 'ORDER-6' })
    const sent = ship.getState().submit()
    ship.getState().keep('ORDER-7', true)
    await sent
    await vi.waitFor(() => expect(create).toHaveBeenCalledTimes(2))
    expect(create.mock.calls[1]?.[0].draft.reference).toBe('ORDER-7')
  })

  it('neither looks up nor ships the beginning of a code', async () => {
    const { fake, ship, create, type } = printingStation(filled)
    const lookUp = vi.spyOn(fake.bridge, 'findOrderToShip')
    type({ ...filled, reference: 'ORDER-6' })
    const sent = ship.getState().submit()
    ship.getState().collect('1001')
    await sent
    expect(ship.getState()).toMatchObject({ form: { reference: '' }, partialCode: '1001' })
    expect(lookUp).not.toHaveBeenCalled()
    expect(create).toHaveBeenCalledTimes(1)
  })

  it('uses the station’s carrier option, never that of the previous parcel', async () => {
    const { ship, create, type } = printingStation(filled)
    type({ ...filled, reference: 'ORDER-6', carrier: '14:51' })
    await ship.getState().submit()
    ship.getState().startOrder('ORDER-7', true)
    await vi.waitFor(() => expect(create).toHaveBeenCalledTimes(2))
    expect(create.mock.calls[1]?.[0].draft).toMatchObject({ carrierId: 12, carrierOptionId: 34 })
  })

  it('leaves an order without a weight to the operator while its parcel settles on the scale, with a sound', async () => {
    const { weight: _, ...unweighed } = filled
    const { ship, create, scale, signals, settings } = printingStation(unweighed)
    const { scanner, shipmentDefaults } = settings
    ship.getState().applySettings({
      ...{ ...settings, scanner: { ...scanner, printOnScan: true } },
      shipmentDefaults: { ...shipmentDefaults, weight: 1 },
    })
    scale.isUnknown = true
    ship.getState().startOrder('ORDER-7', true)
    await vi.waitFor(() => expect(ship.getState().order).not.toBeNull())
    expect(create).not.toHaveBeenCalled()
    expect(signals).toEqual(['attention'])
    scale.measured = { kg: 7.3, round: 0, mayIncludeShipped: false }
    ship.getState().applyScaleWeight()
    expect(ship.getState()).toMatchObject({ form: { weight: '7.3' }, focus: { field: 'weight' } })
    expect(create).not.toHaveBeenCalled()
    ship.getState().startOrder('ORDER-8', true)
    await vi.waitFor(() => expect(create).toHaveBeenCalledTimes(1))
    expect(create.mock.calls[0]?.[0].draft).toMatchObject({ reference: 'ORDER-8', weight: 7.3 })
  })

  it('ships an order that states its weight also while the scale has none', async () => {
    const { ship, create, scale } = printingStation(filled)
    scale.isUnknown = true
    ship.getState().startOrder('ORDER-7', true)
    await vi.waitFor(() => expect(create).toHaveBeenCalledTimes(1))
    expect(create.mock.calls[0]?.[0].draft).toMatchObject({ reference: 'ORDER-7', weight: 2.5 })
  })

  it('leaves an order with unsaved changes to the operator, with a sound', async () => {
    const { ship, create, signals, unsaved } = printingStation(filled)
    unsaved.add(orderToShip('ORDER-7', {}).order.id)
    ship.getState().startOrder('ORDER-7', true)
    await vi.waitFor(() => expect(ship.getState().order).not.toBeNull())
    expect(create).not.toHaveBeenCalled()
    expect(signals).toEqual(['attention'])
  })

  it('uses the carrier option that the order names', async () => {
    const { ship, create } = printingStation({ ...filled, carrierOptionId: '51' })
    ship.getState().startOrder('ORDER-7', true)
    await vi.waitFor(() => expect(create).toHaveBeenCalled())
    expect(create.mock.calls[0]?.[0].draft).toMatchObject({ carrierId: 14, carrierOptionId: 51 })
  })

  it('leaves an order with an unknown carrier option to the operator', async () => {
    const { ship, create } = printingStation({ ...filled, carrierOptionId: '99' })
    ship.getState().startOrder('ORDER-7', true)
    await vi.waitFor(() => expect(ship.getState().order).not.toBeNull())
    expect(ship.getState()).toMatchObject({ form: { carrier: '' }, focus: { field: 'carrier' } })
    expect(create).not.toHaveBeenCalled()
  })

  type Station = ReturnType<typeof printingStation>
  it.each<[string, (ship: ReturnType<Station['ship']['getState']>) => void]>([
    ['was chosen in the list', (ship) => ship.startOrder('ORDER-7')],
    [
      'was typed before a click',
      (ship) => {
        ship.collect('ORDER-7')
        ship.keepPartialCode()
      },
    ],
  ])(
    'leaves an order to the operator that %s while the previous parcel was being created',
    async (_case, come) => {
      const { ship, create, type } = printingStation(filled)
      type({ ...filled, reference: 'ORDER-6' })
      const sent = ship.getState().submit()
      come(ship.getState())
      await sent
      await vi.waitFor(() => expect(ship.getState().order?.values.reference).toBe('ORDER-7'))
      expect(create).toHaveBeenCalledTimes(1)
    },
  )

  it('leaves an order to the operator after «undo clear» replaced its form', async () => {
    const { ship, create, type } = printingStation(filled)
    type({ ...filled, reference: 'ORDER-6' })
    ship.getState().startOrder('ORDER-7', true)
    ship.getState().undoClear()
    await ship.getState().submit()
    await vi.waitFor(() => expect(ship.getState().order?.values.reference).toBe('ORDER-7'))
    expect(create.mock.calls.map(([{ draft }]) => draft.reference)).toEqual(['ORDER-6'])
  })

  it('forgets the scan once its order was not found or its reference was changed', async () => {
    const { fake, ship, create, type } = printingStation(filled)
    const find = fake.bridge.findOrderToShip
    const none = vi.fn(async () => ok(null))
    fake.bridge.findOrderToShip = none
    ship.getState().startOrder('ORDER-7', true)
    await vi.waitFor(() => expect(none).toHaveBeenCalled())
    await none.mock.results[0]?.value
    fake.bridge.findOrderToShip = find
    ship.getState().leave('reference')
    await vi.waitFor(() => expect(ship.getState().order).not.toBeNull())
    ship.getState().startOrder('ORDER-8', true)
    type({ reference: 'ORDER-9' })
    type({ reference: 'ORDER-8' })
    await vi.waitFor(() => expect(ship.getState().order?.values.reference).toBe('ORDER-8'))
    expect(create).not.toHaveBeenCalled()
  })

  it('leaves an order without customs data to the operator, with the focus on the customs switch', async () => {
    const { ship, create } = printingStation({ ...filled, country: 'GB' })
    ship.getState().startOrder('ORDER-7', true)
    await vi.waitFor(() => expect(ship.getState().order).not.toBeNull())
    expect(ship.getState().focus).toEqual({ field: 'customs' })
    expect(create).not.toHaveBeenCalled()
  })
})

describe('a printed label whose scan is required', () => {
  it('blocks other shipments, and scans are kept until then', async () => {
    const station = makeStation()
    const { ship, waits } = station
    station.type(filled)
    waits.label = true
    await ship.getState().submit()
    expect(station.create).not.toHaveBeenCalled()
    ship.getState().startOrder('ORDER-2')
    expect(ship.getState()).toMatchObject({ form: filled, kept: [{ code: 'ORDER-2' }] })
    expect(station.signals).toEqual(['attention', 'attention'])
  })

  it('stays in the panel when an order can’t be taken', async () => {
    const { ship, waits, type, fake, signals } = makeStation()
    type(filled)
    await ship.getState().submit()
    const { outcome } = ship.getState()
    waits.label = true
    signals.length = 0
    const order = orderToShip('ORDER-2', filled)
    fake.bridge.findOrderToShip = async () => ok(order)
    fake.bridge.takeOrder = async () => err(appError('order-not-open', { reference: 'ORDER-2' }))
    ship.getState().fillReference('ORDER-2')
    await vi.waitFor(() => expect(signals).toEqual(['attention']))
    expect(outcome).toMatchObject({ kind: 'shipment' })
    expect(ship.getState()).toMatchObject({ outcome, form: { reference: 'ORDER-2' } })
    waits.label = false
    ship.getState().leave('reference')
    await vi.waitFor(() => expect(ship.getState().outcome).toMatchObject({ kind: 'error' }))
  })

  it('also holds back codes that were scanned while its shipment was being created', async () => {
    const answer = deferred<Result<ShipmentDetails, AppError>>()
    const { ship, waits, type } = makeStation(() => answer.promise)
    type(filled)
    const sent = ship.getState().submit()
    ship.getState().keep('ORDER-2', true)
    waits.label = true
    answer.resolve(ok(sampleShipment()))
    await sent
    expect(ship.getState()).toMatchObject({ form: { reference: '' }, kept: [{ code: 'ORDER-2' }] })
    ship.getState().startKept()
    expect(ship.getState().kept).toHaveLength(1)
    waits.label = false
    ship.getState().startKept()
    expect(ship.getState()).toMatchObject({ form: { reference: 'ORDER-2' }, kept: [] })
  })
})

it('an earlier shipment is shown in the panel again after another outcome', async () => {
  const shipment = sampleShipment()
  let refuse = false
  const station = makeStation(() =>
    Promise.resolve(refuse ? err(appError('service-unreachable')) : ok(shipment)),
  )
  station.fake.state.shipments = [shipment]
  station.type(filled)
  await station.ship.getState().submit()
  refuse = true
  station.type(filled)
  await station.ship.getState().submit()
  expect(state(station)).toBe('error')
  await station.ship.getState().showAgain(shipment.id)
  expect(station.ship.getState().outcome).toMatchObject({ shipment: { id: shipment.id } })
  expect(station.ship.getState().form).toMatchObject(filled)
})

it('an earlier shipment that is shown again never replaces the outcome of one that is created meanwhile', async () => {
  const earlier = sampleShipment({ id: 'earlier' })
  const created = deferred<Result<ShipmentDetails, AppError>>()
  const station = makeStation(() => created.promise)
  const { ship, fake, type } = station
  const found = [
    deferred<Result<ShipmentDetails, AppError>>(),
    deferred<Result<ShipmentDetails, AppError>>(),
  ] as const
  fake.bridge.getShipment = vi.fn(() => found[1].promise).mockImplementationOnce(() => found[0].promise)
  type(filled)
  const sent = ship.getState().submit()
  const duringCreation = ship.getState().showAgain(earlier.id)
  found[0].resolve(ok(earlier))
  await duringCreation
  expect(ship.getState().outcome).toBeNull()
  const pastCreation = ship.getState().showAgain(earlier.id)
  created.resolve(ok(sampleShipment()))
  await sent
  found[1].resolve(ok(earlier))
  await pastCreation
  expect(ship.getState().outcome).toMatchObject({ shipment: { id: sampleShipment().id } })
})

describe('other orders for the same consignee', () => {
  const address = { lastName: 'de Vries', street: 'Kerkstraat', houseNumber: '12', city: 'Amsterdam' }
  const companion = (reference: string, values: Record<string, string>, name = 'Book') => {
    const { order } = orderToShip(reference, {})
    const item = { sku: name, name, quantity: '1', price: '', weight: '', hsCode: '', countryOfOrigin: '' }
    return { order: { ...order, items: [item] }, values: { ...values, reference } }
  }

  function withCompanionsOf(
    lead: Record<string, string>,
    companions: OrderToShip['companions'],
    printOnScan = false,
  ) {
    const station = makeStation()
    station.fake.bridge.findOrderToShip = async ({ reference }) =>
      ok(reference === 'A' ? { ...orderToShip('A', { ...address, ...lead }), companions } : null)
    const scanner = { ...station.settings.scanner, printOnScan }
    station.ship.getState().applySettings({ ...station.settings, scanner })
    return station
  }

  const asked = async ({ ship }: ReturnType<typeof makeStation>, isScanned = false) => {
    ship.getState().startOrder('A', isScanned)
    await vi.waitFor(() => expect(ship.getState().question).not.toBeNull())
    return ship.getState()
  }

  it('are asked about before anything is shipped, and stay separate unless they are chosen', async () => {
    const station = withCompanionsOf({ weight: '1' }, [companion('B', { weight: '2' })], true)
    const { ship, create, signals } = station
    await asked(station, true)
    expect(signals).toContain('attention')
    await ship.getState().submit()
    expect(create).not.toHaveBeenCalled()
    ship.getState().answerCombining(true)
    await vi.waitFor(() => expect(create).toHaveBeenCalledTimes(1))
    expect(create.mock.calls[0]?.[0].draft).toMatchObject({ reference: 'A', reference2: '', weight: 1 })
    expect(create.mock.calls[0]?.[0].draft.combinedReferences).toBeUndefined()
  })

  it('share a parcel when their numbers are scanned, with one reference on the label and the sum of their weights', async () => {
    const companions = [
      companion('B', { weight: '0,25', content: 'Pens' }),
      companion('C', { weight: '2' }),
      companion('D', { weight: '0.5', numberOfPackages: '3' }),
    ]
    const station = withCompanionsOf({ weight: '1', content: 'Books' }, companions, true)
    const { ship, create } = station
    await asked(station, true)
    expect(ship.getState().choose('Z', true)).toBe(false)
    expect(ship.getState().choose('B', true)).toBe(true)
    ship.getState().choose('D', true)
    ship.getState().choose('C', true)
    ship.getState().choose('C', false)
    ship.getState().answerCombining(true)
    await vi.waitFor(() => expect(create).toHaveBeenCalledTimes(1))
    expect(create.mock.calls[0]?.[0].draft).toMatchObject({
      ...{ reference: 'A', reference2: 'B, D', combinedReferences: ['B', 'D'] },
      ...{ weight: 1.75, numberOfPackages: 3, content: 'Books, Pens' },
    })
    expect(create.mock.calls[0]?.[0].consigneeKey).toBe('key')
    await vi.waitFor(() => expect(ship.getState()).toMatchObject({ combined: null, question: null }))
  })

  it('are not shipped automatically while one of them has unsaved changes', async () => {
    const id = '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0002'
    const other = companion('B', { weight: '2' })
    const companions = [{ ...other, order: { ...other.order, id } }]
    const { ship, create, unsaved, ...station } = withCompanionsOf({ weight: '1' }, companions, true)
    unsaved.add(id)
    await asked({ ...station, ship, create, unsaved }, true)
    ship.getState().choose('B', true)
    ship.getState().answerCombining(true)
    expect(create).not.toHaveBeenCalled()
    ship.getState().startOrder('A', true)
    await vi.waitFor(() => expect(ship.getState().question).not.toBeNull())
    ship.getState().answerCombining(false)
    expect(create).toHaveBeenCalledTimes(1)
  })

  it('leave the weight empty when one of them states none', async () => {
    const station = withCompanionsOf({ weight: '1' }, [companion('B', {})], true)
    await asked(station, true)
    station.ship.getState().choose('B', true)
    station.ship.getState().answerCombining(true)
    expect(station.ship.getState().form.weight).toBe('')
    expect(station.ship.getState().focus).toMatchObject({ field: 'weight' })
    expect(station.create).not.toHaveBeenCalled()
  })

  it('can be removed from the parcel, and do not stay with another reference', async () => {
    const station = withCompanionsOf({ weight: '1' }, [companion('B', { weight: '2' })])
    const { ship } = station
    await asked(station)
    ship.getState().choose('B', true)
    ship.getState().answerCombining(true)
    expect(ship.getState().form).toMatchObject({ weight: '3', reference2: 'B' })
    ship.getState().splitUp()
    expect(ship.getState()).toMatchObject({ combined: null, form: { weight: '1', reference2: '' } })

    await asked(station)
    ship.getState().choose('B', true)
    ship.getState().answerCombining(true)
    const before = ship.getState()
    ship.getState().edit({ reference: 'A-2' })
    expect(ship.getState()).toMatchObject({
      combined: null,
      form: { reference: 'A-2', reference2: '', weight: '1' },
    })
    ship.getState().undoTyping(before)
    expect(ship.getState()).toMatchObject({ combined: before.combined, form: before.form })

    station.type({ weight: '3' })
    ship.getState().edit({ reference: 'A-3' })
    expect(ship.getState().form).toMatchObject({ reference2: '', weight: '3' })
  })

  it('leave nothing of theirs in the form when they are removed, and what was typed meanwhile stays', async () => {
    const lead = { weight: '1', content: 'Books', length: '30', width: '20', height: '10' }
    const other = { content: 'Pens', numberOfPackages: '2', email: 'b@example.com', phoneNumber: '020-1' }
    const station = withCompanionsOf(lead, [companion('B', { ...other, weight: '2' })])
    const { ship } = station
    const combine = async () => {
      await asked(station)
      const { form } = ship.getState()
      ship.getState().choose('B', true)
      ship.getState().answerCombining(true)
      return form
    }
    const before = await combine()
    expect(before).toMatchObject({ ...lead, email: '', phoneNumber: '' })
    expect(ship.getState().form).toMatchObject({ ...other, content: 'Books, Pens', weight: '3', length: '' })
    ship.getState().splitUp()
    expect(ship.getState().form).toEqual(before)

    await combine()
    const typed = {
      content: 'Gifts',
      numberOfPackages: '4',
      email: 'a@example.com',
      length: '40',
      weight: '3,1',
    }
    station.type(typed)
    ship.getState().splitUp()
    expect(ship.getState().form).toEqual({ ...before, ...typed })
  })

  it('leave no weight of theirs when they are removed after «undo clear»', async () => {
    const station = withCompanionsOf({ weight: '1' }, [companion('B', { weight: '2' })])
    const { ship, scale } = station
    await asked(station)
    ship.getState().choose('B', true)
    ship.getState().answerCombining(true)
    ship.getState().startOrder('Z')
    ship.getState().undoClear()
    expect(ship.getState().form.weight).toBe('3')
    ship.getState().splitUp()
    expect(ship.getState().form.weight).toBe('1')
    scale.measured = { kg: 1.2, round: 0, mayIncludeShipped: false }
    ship.getState().applyScaleWeight()
    expect(ship.getState().form.weight).toBe('1.2')
  })

  it('leave no weight of theirs either when the scale gave one while another number was typed', async () => {
    const station = withCompanionsOf({ weight: '1' }, [companion('B', { weight: '2' })])
    const { ship, scale, type, fake } = station
    await asked(station)
    ship.getState().choose('B', true)
    ship.getState().answerCombining(true)
    const id = '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c000f'
    const other = orderToShip('Z', {})
    fake.bridge.findOrderToShip = async () => ok({ ...other, order: { ...other.order, id } })
    type({ reference: 'Z' })
    scale.measured = { kg: 7, round: 0, mayIncludeShipped: false }
    ship.getState().applyScaleWeight()
    ship.getState().leave('reference')
    await vi.waitFor(() => expect(ship.getState().cleared).toMatchObject({ form: { weight: '3' } }))
    scale.measured = null
    ship.getState().undoClear()
    ship.getState().splitUp()
    expect(ship.getState().form.weight).toBe('1')
  })

  it('add their weight to that of the order, although the scale had one before the order came', async () => {
    const station = withCompanionsOf({ weight: '1' }, [companion('B', { weight: '2' })])
    const { ship, scale } = station
    scale.measured = { kg: 7, round: 0, mayIncludeShipped: false }
    const isAsked = asked(station)
    expect(ship.getState().form.weight).toBe('7')
    scale.measured = null
    await isAsked
    ship.getState().choose('B', true)
    ship.getState().answerCombining(true)
    expect(ship.getState().form.weight).toBe('3')
  })

  it('leave the values of a corrected shipment unknown when they are removed, and the weight to the scale', () => {
    const { ship, scale, type } = makeStation()
    const joint = { numberOfPackages: 3, content: 'Books, Pens', length: 40, weight: 5 }
    const shipped = sampleDraft({
      ...{ reference: 'A', combinedReferences: ['B', 'C'], reference2: 'PO-1, B, C' },
      ...{ ...joint, email: 'a@example.com' },
    })
    const unknown = { weight: '', numberOfPackages: '', content: '', length: '' }
    const own = { reference2: 'PO-1', email: 'a@example.com' }
    ship.getState().startDraft(shipped, 'correct')
    ship.getState().splitUp()
    expect(ship.getState()).toMatchObject({ combined: null, form: { ...unknown, ...own } })
    scale.measured = { kg: 2.2, round: 0, mayIncludeShipped: false }
    ship.getState().applyScaleWeight()
    expect(ship.getState().form.weight).toBe('2.2')

    ship.getState().startDraft({ ...shipped, numberOfPackages: 1 }, 'correct')
    type({ content: 'Gifts', weight: '4' })
    ship.getState().applyScaleWeight()
    ship.getState().splitUp()
    expect(ship.getState().form).toMatchObject({ weight: '4', numberOfPackages: '1', content: 'Gifts' })
  })

  it('stay in the parcel when the form is cleared and restored, and when a refused shipment is corrected', async () => {
    const station = withCompanionsOf({ weight: '1' }, [companion('B', { weight: '2' })])
    const { ship, create } = station
    await asked(station)
    ship.getState().choose('B', true)
    ship.getState().answerCombining(true)
    ship.getState().clear()
    expect(ship.getState().combined).toBeNull()
    ship.getState().undoClear()
    expect(ship.getState().combined?.references).toEqual(['B'])

    const shipped = sampleDraft({ reference: 'A', combinedReferences: ['B'], printer: 'second' })
    ship.getState().startDraft(shipped, 'correct')
    await ship.getState().submit()
    expect(create.mock.calls.at(-1)?.[0].draft).toMatchObject({
      combinedReferences: ['B'],
      printer: 'second',
    })
    ship.getState().startDraft(sampleDraft({ reference: 'A', combinedReferences: ['B'] }), 'again')
    expect(ship.getState().combined).toBeNull()
  })
})

it('a reference that was pasted with a no-break space is filled in from its order', async () => {
  const station = makeStation()
  const { reference: _, ...values } = filled
  station.fake.bridge.findOrderToShip = async ({ reference }) =>
    ok(orderToShip(normalizeText(reference), values))
  station.type({ reference: 'ORDER\u00a07' })
  station.ship.getState().leave('reference')
  await vi.waitFor(() =>
    expect(station.ship.getState().form).toMatchObject({ reference: 'ORDER 7', lastName: filled.lastName }),
  )
})

it('Enter moves to the customs block when it completes an order whose destination usually needs customs data', async () => {
  const station = makeStation()
  const values = { lastName: 'Smith', street: 'High Street', city: 'London', country: 'GB' }
  station.fake.bridge.findOrderToShip = async ({ reference }) => ok(orderToShip(reference, values))
  station.ship.getState().startOrder('A')
  await vi.waitFor(() => expect(station.ship.getState().order).not.toBeNull())
  station.type({ weight: '1' })
  expect(station.ship.getState().shipOnEnter('weight')).toBe(true)
  expect(station.create).not.toHaveBeenCalled()
  expect(station.ship.getState().focus).toEqual({ field: 'customs' })
  await station.ship.getState().submit()
  expect(station.create).toHaveBeenCalledTimes(1)
})

describe('an order with something to correct', () => {
  async function stationWith(code: string, values: Record<string, string>) {
    const station = makeStation()
    const { ship, fake } = station
    const found = orderToShip('A', { ...filled, ...values })
    const issues = Object.keys(values).map((field) => ({ field: orderValueFieldSchema.parse(field), code }))
    const order = { ...found.order, state: 'problem' as const, values: found.values, issues }
    fake.bridge.findOrderToShip = async ({ reference }) => ok(reference === 'A' ? { ...found, order } : null)
    ship.getState().startOrder('A')
    await vi.waitFor(() => expect(ship.getState().order).not.toBeNull())
    return station
  }

  it('has the cursor in the field with an error of the spreadsheet, which is never sent, also under a corrected reference', async () => {
    const { ship, type, create } = await stationWith('cell-error', { city: '#N/A', reference2: '#REF!' })
    expect(ship.getState().focus).toEqual({ field: 'city' })
    const isRefused = async () => {
      expect(ship.getState().shipOnEnter('weight')).toBe(false)
      await ship.getState().submit()
      expect(create).not.toHaveBeenCalled()
    }
    await isRefused()
    expect(ship.getState().issues).toEqual({
      city: { code: 'cell-error' },
      reference2: { code: 'cell-error' },
    })
    ship.getState().clear()
    ship.getState().undoClear()
    await isRefused()
    type({ city: 'Delft' })
    await isRefused()
    expect(ship.getState()).toMatchObject({ focus: { field: 'reference2' }, moreOpen: true })
    type({ reference: 'A-2' })
    await isRefused()
    type({ reference2: '' })
    await ship.getState().submit()
    expect(create.mock.calls.map(([{ draft }]) => draft)).toMatchObject([
      { reference: 'A-2', city: 'Delft', reference2: '' },
    ])
  })

  it('has the cursor in a postal code that lacks digits, and can be shipped as it is', async () => {
    const { ship, create } = await stationWith('lost-zero', { postalCode: '1067', country: 'DE' })
    expect(ship.getState()).toMatchObject({ focus: { field: 'postalCode' } })
    expect(ship.getState().shipOnEnter('weight')).toBe(true)
    await vi.waitFor(() => expect(create).toHaveBeenCalledTimes(1))
  })

  it('has the cursor in a folded field that another station changed, and can be shipped as it is', async () => {
    const { ship, create } = await stationWith('changed-elsewhere', { height: '30' })
    expect(ship.getState()).toMatchObject({ focus: { field: 'height' }, moreOpen: true })
    expect(ship.getState().shipOnEnter('height')).toBe(true)
    await vi.waitFor(() => expect(create).toHaveBeenCalledTimes(1))
  })
})

it('a creation sends the order that filled in the form and its fingerprint, until another reference is typed', async () => {
  const station = makeStation(async ({ draft: { reference } }) =>
    err(appError('order-changed', { reference })),
  )
  const found = orderToShip('A', { lastName: 'Smit', street: 'Dam', city: 'Amsterdam', weight: '1' })
  const order = { ...found.order, fingerprint: 'seen' }
  station.fake.bridge.findOrderToShip = async ({ reference }) =>
    ok(reference === 'A' ? { ...found, order } : null)
  const { getState } = station.ship
  getState().startOrder('A')
  await vi.waitFor(() => expect(getState().order).not.toBeNull())
  await getState().submit()
  const shown = { orderId: order.id, fingerprint: 'seen' }
  expect(station.create.mock.lastCall?.[0]).toMatchObject(shown)
  expect(getState()).toMatchObject({
    form: { lastName: 'Smit' },
    outcome: { error: { code: 'order-changed' } },
  })
  getState().clear()
  getState().undoClear()
  await getState().submit()
  expect(station.create.mock.lastCall?.[0]).toMatchObject(shown)
  station.type({ reference: 'B' })
  await getState().submit()
  expect(station.create.mock.lastCall?.[0]).not.toHaveProperty('orderId')
  expect(station.create).toHaveBeenCalledTimes(3)
})

describe('another reference that is typed over that of the order in the form', () => {
  const orders: Record<string, Record<string, string>> = {
    A: { lastName: 'Smit', street: 'Dam', city: 'Amsterdam', weight: '1', content: 'Books' },
    B: { lastName: 'Bos', street: 'Markt', city: 'Delft', weight: '2' },
  }

  async function stationWithA() {
    const station = makeStation()
    const { ship, fake } = station
    fake.bridge.findOrderToShip = async ({ reference }) => {
      const values = orders[reference]
      if (values === undefined) return ok(null)
      const found = orderToShip(reference, values)
      const id = `${found.order.id}${reference}`
      return ok({ ...found, order: { ...found.order, id, fingerprint: 'seen' } })
    }
    fake.bridge.takeOrder = async () => ok(null)
    const filledWith = (reference: string) =>
      vi.waitFor(() => expect(ship.getState().order?.values.reference).toBe(reference))
    ship.getState().startOrder('A')
    await filledWith('A')
    return { ...station, filledWith }
  }

  it('begins the parcel of its own order, and «Undo clear» brings the first order back', async () => {
    const { ship, type, create, filledWith } = await stationWithA()
    type({ content: 'Gifts' })
    type({ reference: 'B' })
    ship.getState().leave('reference')
    await filledWith('B')
    expect(ship.getState().form).toMatchObject({ ...orders.B, reference: 'B', content: '' })
    ship.getState().undoClear()
    expect(ship.getState()).toMatchObject({
      form: { ...orders.A, reference: 'A', content: 'Gifts' },
      order: { values: { reference: 'A' } },
    })
    expect(create).not.toHaveBeenCalled()
  })

  it('ships nothing by F9 before the field is left, and begins the parcel of its own order', async () => {
    const { ship, type, create, signals, filledWith } = await stationWithA()
    type({ reference: 'B' })
    await Promise.all([ship.getState().submit(), ship.getState().submit()])
    await filledWith('B')
    expect(create).not.toHaveBeenCalled()
    expect(signals).toContain('attention')
    await ship.getState().submit()
    expect(create.mock.calls.map(([{ draft }]) => draft)).toMatchObject([{ reference: 'B', lastName: 'Bos' }])
  })

  it('begins the parcel of its own order also after the form was cleared and restored', async () => {
    const { ship, type, filledWith } = await stationWithA()
    type({ reference: 'A-2' })
    ship.getState().clear()
    ship.getState().undoClear()
    expect(ship.getState().form).toMatchObject({ ...orders.A, reference: 'A-2' })
    type({ reference: 'B' })
    ship.getState().leave('reference')
    await filledWith('B')
  })

  it.each(['A-2', 'A'])('keeps the form if no other order has it (%s)', async (reference) => {
    const { ship, type, create } = await stationWithA()
    type({ reference: 'A-' })
    type({ reference, content: 'Gifts' })
    ship.getState().leave('reference')
    await Promise.all([ship.getState().submit(), ship.getState().submit()])
    expect(create.mock.calls.map(([{ draft }]) => draft)).toMatchObject([
      { reference, lastName: 'Smit', content: 'Gifts' },
    ])
  })

  it('leaves the order in the form, and taken, if it is the order’s own again', async () => {
    const { ship, fake, type, create } = await stationWithA()
    const giveBack = vi.fn(fake.bridge.giveBackOrder)
    fake.bridge.giveBackOrder = giveBack
    type({ reference: 'A-' })
    type({ reference: 'A' })
    ship.getState().leave('reference')
    expect(ship.getState()).toMatchObject({ order: { values: { reference: 'A' } }, source: null })
    expect(giveBack).not.toHaveBeenCalled()
    await ship.getState().submit()
    expect(create.mock.calls).toMatchObject([[{ orderId: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0001A' }]])
  })

  it('asks what to do if it is the order’s own again, which another station has taken meanwhile', async () => {
    const { ship, fake, type, create } = await stationWithA()
    type({ reference: 'A-' })
    ship.getState().leave('reference')
    fake.bridge.takeOrder = async () => ok(holder)
    type({ reference: 'A' })
    await ship.getState().submit()
    expect(ship.getState().heldElsewhere).toMatchObject({ holder })
    expect(create).not.toHaveBeenCalled()
  })

  it('begins the parcel of its own order; «Undo clear» brings back a corrected reference that was kept before', async () => {
    const { ship, type, filledWith } = await stationWithA()
    type({ reference: 'A-2' })
    ship.getState().leave('reference')
    await vi.waitFor(() => expect(ship.getState().source?.before).toBeNull())
    type({ content: 'Gifts' })
    type({ reference: 'B' })
    ship.getState().leave('reference')
    await filledWith('B')
    ship.getState().undoClear()
    expect(ship.getState()).toMatchObject({
      form: { ...orders.A, reference: 'A-2', content: 'Gifts' },
      order: null,
    })
    type({ reference: 'A' })
    ship.getState().leave('reference')
    await filledWith('A')
    expect(ship.getState().form.content).toBe('Gifts')
  })

  it('begins the parcel of its own order; «Undo clear» brings back the other orders of the first parcel', async () => {
    const { ship, type, filledWith } = await stationWithA()
    const { form } = ship.getState()
    const after = { ...form, weight: '3', reference2: 'C' }
    const combined = { references: ['C'], items: [], before: form, after }
    ship.setState({ form: after, combined })
    type({ content: 'Gifts' })
    for (const reference of ['', 'B']) type({ reference })
    expect(ship.getState()).toMatchObject({ form: { weight: '1', reference2: '' }, combined: null })
    ship.getState().leave('reference')
    await filledWith('B')
    ship.getState().undoClear()
    expect(ship.getState()).toMatchObject({ form: { ...after, content: 'Gifts' }, combined })
  })

  it('leaves «Undo clear» the first order if another station has the second one and keeps it', async () => {
    const { ship, fake, type } = await stationWithA()
    type({ content: 'Gifts' })
    fake.bridge.takeOrder = async () => ok(holder)
    type({ reference: 'B' })
    ship.getState().leave('reference')
    await vi.waitFor(() => expect(ship.getState().heldElsewhere).toMatchObject({ holder }))
    await ship.getState().answerTakeover(false)
    expect(ship.getState().form.reference).toBe('')
    ship.getState().undoClear()
    expect(ship.getState().form).toMatchObject({ ...orders.A, reference: 'A', content: 'Gifts' })
  })

  it('ships nothing while it is not known whose it is', async () => {
    const { ship, fake, type, create, signals, filledWith } = await stationWithA()
    const find = fake.bridge.findOrderToShip
    const error = appError('internal', { id: 'find-1' })
    fake.bridge.findOrderToShip = async () => err(error)
    type({ reference: 'B' })
    await ship.getState().submit()
    expect(ship.getState()).toMatchObject({
      form: { reference: 'B', lastName: 'Smit' },
      outcome: { kind: 'error', reference: 'B', error },
    })
    expect(signals).toContain('error')
    expect(create).not.toHaveBeenCalled()
    fake.bridge.findOrderToShip = find
    await ship.getState().submit()
    await filledWith('B')
  })

  it('begins the parcel of its own order also over the reference of a shipment that is corrected', async () => {
    const { ship, type, create, filledWith } = await stationWithA()
    const refused = { reference: 'A', city: 'Gouda', printer: 'second', combinedReferences: ['C'] }
    ship.getState().startDraft(sampleDraft(refused), 'correct')
    type({ content: 'Gifts' })
    for (const reference of ['', 'B']) type({ reference })
    await ship.getState().submit()
    await filledWith('B')
    expect(create).not.toHaveBeenCalled()
    ship.getState().undoClear()
    const { form } = ship.getState()
    type({ reference: 'A-' })
    type({ reference: 'A' })
    expect(ship.getState()).toMatchObject({ form, combined: null })
    expect(form).toMatchObject({ weight: String(sampleDraft().weight), content: 'Gifts' })
    await ship.getState().submit()
    const sent = create.mock.calls.map(([{ draft }]) => draft)
    // Only «Take them out» ships a corrected shipment without its other orders.
    const expected = { ...refused, content: 'Gifts' }
    expect(sent).toMatchObject([expected])
  })
})

it('an order is released when it was taken after its reference had been changed', async () => {
  const station = makeStation()
  station.fake.bridge.findOrderToShip = async ({ reference }) =>
    ok(reference === 'A' ? orderToShip('A', {}) : null)
  const answer = deferred<Result<null, AppError>>()
  const take = vi.fn(() => answer.promise)
  const giveBack = vi.fn(station.fake.bridge.giveBackOrder)
  Object.assign(station.fake.bridge, { takeOrder: take, giveBackOrder: giveBack })
  station.ship.getState().startOrder('A')
  await vi.waitFor(() => expect(take).toHaveBeenCalled())
  station.type({ reference: 'B' })
  answer.resolve(ok(null))
  await vi.waitFor(() => expect(giveBack).toHaveBeenCalledTimes(1))
  expect(station.ship.getState().order).toBeNull()
})

it('an order stays taken while its reference is being changed, and is released when the reference is left', async () => {
  const station = makeStation()
  const { ship, fake, type } = station
  fake.bridge.findOrderToShip = async ({ reference }) =>
    ok(reference === 'A' ? orderToShip('A', filled) : null)
  fake.bridge.takeOrder = async () => ok(null)
  const giveBack = vi.fn(fake.bridge.giveBackOrder)
  fake.bridge.giveBackOrder = giveBack
  ship.getState().startOrder('A')
  await vi.waitFor(() => expect(ship.getState().order).not.toBeNull())
  type({ reference: 'AB' })
  expect(giveBack).not.toHaveBeenCalled()
  ship.getState().leave('reference')
  expect(giveBack).toHaveBeenCalledTimes(1)
  ship.getState().leave('reference')
  expect(giveBack).toHaveBeenCalledTimes(1)
})

it('an order that this station has is not taken again when a scanner’s typing over its reference is undone', async () => {
  const { ship, fake, type } = makeStation()
  fake.bridge.findOrderToShip = async ({ reference }) =>
    ok(reference === 'A' ? orderToShip('A', filled) : null)
  const take = vi.fn(fake.bridge.takeOrder)
  take.mockResolvedValue(ok(null))
  fake.bridge.takeOrder = take
  ship.getState().startOrder('A')
  await vi.waitFor(() => expect(ship.getState().order).not.toBeNull())
  const before = ship.getState()
  type({ reference: 'AX' })
  expect(ship.getState().order).toBeNull()
  ship.getState().undoTyping(before)
  expect(ship.getState().order?.values.reference).toBe('A')
  expect(take).toHaveBeenCalledTimes(1)
})

const holder = { station: 'Bench 2', operator: 'Anna', since: '2026-11-21T10:00:00.000Z', isBatch: false }

/** A station of a fleet with the order A, which it has taken, in its form. */
async function stationWithTakenOrder() {
  const station = makeStation()
  const { ship, fake } = station
  fake.bridge.findOrderToShip = async ({ reference }) => ok(orderToShip(reference, filled))
  const take = vi.fn(fake.bridge.takeOrder)
  take.mockResolvedValue(ok(null))
  fake.bridge.takeOrder = take
  ship.getState().startOrder('A')
  await vi.waitFor(() => expect(ship.getState().order).not.toBeNull())
  const orderId = ship.getState().order?.id ?? ''
  return { ...station, take, orderId }
}

it('an order that another station takes over is asked for again, and the operator is asked what to do', async () => {
  const { ship, create, signals, take, orderId } = await stationWithTakenOrder()
  ship.getState().noteOrderLost('5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c0002')
  expect(take).toHaveBeenCalledTimes(1)
  take.mockResolvedValue(ok(holder))
  ship.getState().noteOrderLost(orderId)
  await vi.waitFor(() => expect(ship.getState().heldElsewhere).toMatchObject({ holder, found: null }))
  expect(take.mock.calls).toEqual([[{ orderId, takeOver: false }], [{ orderId, takeOver: false }]])
  expect(signals.at(-1)).toBe('attention')
  await ship.getState().submit()
  expect(create).not.toHaveBeenCalled()
  take.mockResolvedValue(ok(null))
  await ship.getState().answerTakeover(true)
  expect(take).toHaveBeenLastCalledWith({ orderId, takeOver: true })
  expect(ship.getState()).toMatchObject({
    heldElsewhere: null,
    form: { reference: 'A', lastName: 'de Vries' },
  })
})

it('an order that another station takes over while the service refuses it is asked for again after the answer', async () => {
  const { ship, create, take, orderId } = await stationWithTakenOrder()
  create.mockImplementation(async () => {
    take.mockResolvedValue(ok(holder))
    ship.getState().noteOrderLost(orderId)
    return err(appError('service-refused', { status: '400' }))
  })
  await ship.getState().submit()
  await vi.waitFor(() => expect(ship.getState().heldElsewhere).toMatchObject({ holder }))
})

it('«undo clear» restores the printer of a corrected shipment, and leaves none of another one', async () => {
  const { ship, create } = makeStation()
  const startDraft = (reference: string, printer?: string) =>
    ship.getState().startDraft(sampleDraft({ reference, ...(printer && { printer }) }), 'correct')
  startDraft('A', 'second')
  startDraft('B')
  ship.getState().undoClear()
  await ship.getState().submit()
  expect(create.mock.lastCall?.[0].draft).toMatchObject({ reference: 'A', printer: 'second' })
  startDraft('B')
  startDraft('A', 'second')
  ship.getState().undoClear()
  await ship.getState().submit()
  expect(create.mock.lastCall?.[0].draft.reference).toBe('B')
  expect(create.mock.lastCall?.[0].draft).not.toHaveProperty('printer')
})

it('a shipment that is corrected leaves the printer to the routing if the settings do not have its own', async () => {
  const { ship, create, signals, notePrinterGone } = makeStation()
  ship.getState().startDraft(sampleDraft({ reference: 'A', printer: 'wide' }), 'correct')
  expect(notePrinterGone).toHaveBeenCalledExactlyOnceWith('wide')
  expect(signals).toEqual(['attention'])
  await ship.getState().submit()
  expect(create.mock.lastCall?.[0].draft.reference).toBe('A')
  expect(create.mock.lastCall?.[0].draft).not.toHaveProperty('printer')
  ship.getState().startDraft(sampleDraft({ reference: 'A', printer: 'second' }), 'correct')
  expect(notePrinterGone).toHaveBeenCalledTimes(1)
  ship.getState().applySettings(sampleSettings())
  await ship.getState().submit()
  expect(create).toHaveBeenCalledTimes(2)
  expect(create.mock.lastCall?.[0].draft).not.toHaveProperty('printer')
})

describe('an order that «undo clear» restores', () => {
  /** A form that an order filled in and that was cleared for the next order. */
  async function clearedStation() {
    const station = makeStation()
    const ids: Record<string, string> = {
      A: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c000a',
      B: '5f3c1c52-58a5-4a0e-9d7e-3a1d3b1c000b',
    }
    station.fake.bridge.findOrderToShip = async ({ reference }) => {
      const found = orderToShip(reference, filled)
      return ok({ ...found, order: { ...found.order, id: ids[reference] ?? found.order.id } })
    }
    const take = vi.fn(station.fake.bridge.takeOrder)
    take.mockResolvedValue(ok(null))
    station.fake.bridge.takeOrder = take
    const order = () => station.ship.getState().order?.values.reference
    station.ship.getState().startOrder('A')
    await vi.waitFor(() => expect(order()).toBe('A'))
    station.ship.getState().startOrder('B')
    await vi.waitFor(() => expect(order()).toBe('B'))
    take.mockClear()
    return { ...station, take, a: ids.A }
  }
  const holder = { station: 'Bench 2', operator: null, since: '2026-11-21T10:00:00.000Z', isBatch: false }

  it('is taken again, and its own earlier shipments are shown', async () => {
    const { ship, fake, take, a } = await clearedStation()
    fake.state.shipments = [sampleShipment({ reference: 'A' })]
    ship.setState({
      earlier: [{ shipmentId: 'of-b', state: 'created', takenAt: holder.since, barcodes: [] }],
    })
    ship.getState().undoClear()
    expect(ship.getState()).toMatchObject({ form: { reference: 'A' }, earlier: [] })
    expect(take.mock.calls).toEqual([[{ orderId: a, takeOver: false }]])
    await vi.waitFor(() => expect(ship.getState().earlier).toHaveLength(1))
    expect(ship.getState().earlier[0]?.shipmentId).not.toBe('of-b')
  })

  it('keeps its weight while the parcel of the other order is on the scale, and gets the next one', async () => {
    const { ship, scale } = await clearedStation()
    scale.measured = { kg: 7, round: 3, mayIncludeShipped: false }
    ship.getState().applyScaleWeight()
    expect(ship.getState().form.weight).toBe('7')
    ship.getState().undoClear()
    ship.getState().applyScaleWeight()
    expect(ship.getState().form.weight).toBe(filled.weight)
    scale.measured = { kg: 2.6, round: 4, mayIncludeShipped: false }
    ship.getState().applyScaleWeight()
    expect(ship.getState().form.weight).toBe('2.6')
  })

  it('gets the weight on the scale when a person takes it', async () => {
    const { ship, scale } = await clearedStation()
    scale.measured = { kg: 7, round: 3, mayIncludeShipped: false }
    ship.getState().applyScaleWeight()
    ship.getState().undoClear()
    ship.getState().forceScaleWeight()
    expect(ship.getState().form.weight).toBe('7')
  })

  it('lacks what was not saved in Orders when it filled in the form, or since', async () => {
    const { ship, unsaved, a } = await clearedStation()
    const lacks = () => lacksChanges(ship.getState())
    ship.getState().undoClear()
    expect(lacks()).toBe(false)
    unsaved.add(String(a))
    ship.getState().noteUnsavedOrders()
    unsaved.clear()
    ship.getState().noteUnsavedOrders()
    expect(lacks()).toBe(true)
    ship.getState().startOrder('B')
    await vi.waitFor(() => expect(ship.getState().order?.values.reference).toBe('B'))
    expect(lacks()).toBe(false)
    ship.getState().undoClear()
    expect(lacks()).toBe(true)
    ship.getState().startOrder('A')
    await vi.waitFor(() => expect(ship.getState().order?.values.reference).toBe('A'))
    expect(lacks()).toBe(false)
  })

  it('is asked about when another station has it by now; taking it over keeps the form', async () => {
    const { ship, take, a } = await clearedStation()
    take.mockResolvedValue(ok(holder))
    ship.getState().undoClear()
    await vi.waitFor(() => expect(ship.getState().heldElsewhere).toMatchObject({ holder }))
    expect(ship.getState().form).toMatchObject({ ...filled, reference: 'A' })
    take.mockResolvedValue(ok(null))
    await ship.getState().answerTakeover(true)
    expect(take).toHaveBeenLastCalledWith({ orderId: a, takeOver: true })
    expect(ship.getState()).toMatchObject({
      form: { reference: 'A', lastName: 'de Vries' },
      heldElsewhere: null,
    })
  })

  it('is asked about when another station has it, even if the answer comes while a scanner types into the reference', async () => {
    const { ship, type, take } = await clearedStation()
    const answer = deferred<Awaited<ReturnType<BridgeClient['takeOrder']>>>()
    take.mockReturnValue(answer.promise)
    ship.getState().undoClear()
    const before = ship.getState()
    type({ reference: 'AP' })
    answer.resolve(ok(holder))
    await answer.promise
    take.mockResolvedValue(ok(holder))
    type({ reference: 'A' })
    ship.getState().undoTyping(before)
    await vi.waitFor(() => expect(ship.getState().heldElsewhere).toMatchObject({ holder }))
    expect(ship.getState().order?.values.reference).toBe('A')
  })

  it('is reported in the form as not taken until it is, also while a label has to be scanned', async () => {
    const { ship, take, waits, signals } = await clearedStation()
    const error = appError('order-not-taken', { reference: 'A' })
    take.mockResolvedValue(err(error))
    waits.label = true
    signals.length = 0
    ship.getState().undoClear()
    await vi.waitFor(() => expect(ship.getState().notTaken).toEqual(error))
    expect(signals).toEqual(['error'])
    expect(ship.getState()).toMatchObject({ form: { reference: 'A' }, outcome: null })
    take.mockResolvedValue(ok(null))
    ship.getState().leave('reference')
    await vi.waitFor(() => expect(ship.getState().notTaken).toBeNull())
  })

  it('is released when the form was cleared again before it was taken', async () => {
    const { ship, fake, take } = await clearedStation()
    const answer = deferred<Result<null, AppError>>()
    take.mockReturnValue(answer.promise)
    const giveBack = vi.fn(fake.bridge.giveBackOrder)
    fake.bridge.giveBackOrder = giveBack
    ship.getState().undoClear()
    ship.setState({ kept: [] })
    ship.getState().clear()
    answer.resolve(ok(null))
    await vi.waitFor(() => expect(giveBack).toHaveBeenCalledTimes(1))
  })

  it('is not restored into a form that is being sent', async () => {
    const answer = deferred<Result<ShipmentDetails, AppError>>()
    const { ship, create } = await clearedStation()
    create.mockReturnValue(answer.promise)
    const sent = ship.getState().submit()
    ship.getState().undoClear()
    expect(ship.getState().form.reference).toBe('B')
    answer.resolve(err(appError('service-unreachable')))
    await sent
    ship.getState().undoClear()
    expect(ship.getState().form.reference).toBe('A')
  })
})

it('a creation sends the printer that the order’s rule names, and nothing is shipped automatically while that printer does not exist', async () => {
  const station = makeStation()
  const values = { lastName: 'Smit', street: 'Dam', city: 'Amsterdam', country: 'NL', weight: '1' }
  const found = orderToShip('A', values)
  const order = { ...found.order, ruled: { printer: 'second' } }
  const scanner = { ...station.settings.scanner, printOnScan: true }
  station.ship.getState().applySettings({ ...station.settings, scanner })
  station.fake.bridge.findOrderToShip = async () =>
    ok({ ...found, order: { ...order, issues: [{ field: 'printer', code: 'printer-unknown' }] } })
  station.ship.getState().startOrder('A', true)
  await vi.waitFor(() => expect(station.ship.getState().order).not.toBeNull())
  expect(station.create).not.toHaveBeenCalled()
  station.ship.getState().clear()
  station.fake.bridge.findOrderToShip = async ({ reference }) =>
    ok(reference === 'A' ? { ...found, order } : null)
  station.ship.getState().startOrder('A', true)
  await vi.waitFor(() => expect(station.create).toHaveBeenCalledTimes(1))
  expect(station.create.mock.calls[0]?.[0].draft.printer).toBe('second')
})
