import { describe, expect, it, vi } from 'vitest'
import { openProblems, printerInFront } from '../../../src/renderer/app/stationStore'
import { createStores } from '../../../src/renderer/app/stores'
import type { Signal } from '../../../src/renderer/features/ship/shipState'
import { appError } from '../../../src/shared/errors'
import type { PrinterStatus } from '../../../src/shared/printing'
import { err, ok } from '../../../src/shared/result'
import { deferred } from '../../support/deferred'
import { createFakeBridge, type FakeBridge } from '../../support/fakeBridge'
import { sampleJob, sampleSettings, sampleShipment, sampleStatus } from '../../support/screenSamples'

function makeStores(start: Partial<FakeBridge['state']> = {}) {
  const fake = createFakeBridge(start)
  const signals: Signal[] = []
  const stores = createStores(fake.bridge, {
    newId: () => crypto.randomUUID(),
    signal: (signal) => signals.push(signal),
  })
  return { fake, stores, signals }
}

describe('the station', () => {
  it('loads status and settings, and hands the settings to the form', async () => {
    const { stores } = makeStores()
    await stores.station.getState().load()
    expect(stores.station.getState().settings).toEqual(sampleSettings())
    expect(stores.ship.getState().form).toMatchObject({ carrier: '12:34', country: 'NL' })
  })

  it('asks for no settings while there is trouble, and loads them once it is fixed', async () => {
    const trouble = appError('settings-invalid', 'x', { path: '/data/settings.json' })
    const { fake, stores } = makeStores({ status: sampleStatus({ trouble }) })
    const getSettings = vi.spyOn(fake.bridge, 'getSettings')
    await stores.station.getState().load()
    await stores.station.getState().retryStart()
    expect(getSettings).not.toHaveBeenCalled()
    expect(stores.station.getState()).toMatchObject({ triedInVain: true, settings: null })
    await stores.station.getState().setAsideSettings()
    expect(stores.station.getState()).toMatchObject({ triedInVain: false, settings: sampleSettings() })
  })

  it('stops listening when it is stopped', () => {
    const { fake, stores } = makeStores()
    expect(fake.listening('printJobChanged')).toBe(1)
    stores.stop()
    expect(fake.listening('printJobChanged')).toBe(0)
    expect(fake.listening('appStatusChanged')).toBe(0)
  })
})

describe('events', () => {
  it('bring a job’s failure to outcome and history, and are heard', async () => {
    const shipment = sampleShipment({ jobs: [sampleJob({ state: 'sending' })] })
    const { fake, stores, signals } = makeStores({ shipments: [shipment] })
    await stores.history.getState().select(shipment.id)
    fake.emit('printJobChanged', sampleJob({ state: 'failed', updatedAt: '2026-11-21T09:20:00.000Z' }))
    expect(stores.history.getState().details?.jobs.map((job) => job.state)).toEqual(['failed'])
    expect(signals).toEqual(['failure'])
  })

  it('never take a job back to an older state', async () => {
    const shipment = sampleShipment({ jobs: [sampleJob({ state: 'done' })] })
    const { fake, stores } = makeStores({ shipments: [shipment] })
    await stores.history.getState().select(shipment.id)
    fake.emit('printJobChanged', sampleJob({ state: 'sending', updatedAt: '2026-11-21T09:15:02.500Z' }))
    expect(stores.history.getState().details?.jobs.map((job) => job.state)).toEqual(['done'])
  })
})

describe('history', () => {
  const shipments = [
    sampleShipment({ id: 'a', reference: 'ORDER-1' }),
    sampleShipment({ id: 'b', reference: 'ORDER-2', needsAttention: true }),
    sampleShipment({ id: 'c', reference: 'ORDER-3' }),
  ]

  it('opens the problems with nothing else in the way', async () => {
    const { stores } = makeStores({ shipments })
    stores.showProblems('history')
    await vi.waitFor(() =>
      expect(stores.history.getState().rows.map((row) => row.reference)).toEqual(['ORDER-2']),
    )
    expect(stores.navigation.getState().screen).toBe('history')
  })

  it('counts unknown uploads and pre-alerts, and leads to Manifests when nothing waits in History', () => {
    const open = { ...sampleStatus().open, unknownSubmissions: 2 }
    expect(openProblems(open)).toEqual({ count: 2, screen: 'manifests' })
    expect(openProblems({ ...open, failedJobs: 1 })).toEqual({ count: 3, screen: 'history' })
    const { stores } = makeStores()
    stores.showProblems('manifests')
    expect(stores.navigation.getState().screen).toBe('manifests')
  })

  it('moves through the list and stays at its ends', async () => {
    const { stores } = makeStores({ shipments })
    const history = stores.history.getState()
    await history.refresh()
    history.move(1)
    expect(stores.history.getState().selectedId).toBe('a')
    history.move(1)
    history.move(5)
    expect(stores.history.getState().selectedId).toBe('c')
    history.move(-9)
    expect(stores.history.getState().selectedId).toBe('a')
  })

  it('opens the one hit of a search instead of what was open before', async () => {
    const { stores } = makeStores({ shipments })
    const history = stores.history.getState()
    await history.refresh()
    await history.select('a')
    history.setText('ORDER-2')
    expect(stores.history.getState()).toMatchObject({ selectedId: null, details: null })
    await history.searchNow()
    expect(stores.history.getState()).toMatchObject({ selectedId: 'b', details: { reference: 'ORDER-2' } })
  })

  it('opens the shipment with exactly the scanned reference or barcode among longer ones', async () => {
    const alike = ['ORDER-2', 'ORDER-20', 'ORDER-21'].map((reference) =>
      sampleShipment({ id: reference, reference, barcodes: [`${reference}-BARCODE`] }),
    )
    const { stores } = makeStores({ shipments: alike })
    const history = stores.history.getState()
    history.setText(' order-2 ')
    await history.searchNow()
    expect(stores.history.getState().selectedId).toBe('ORDER-2')
    history.setText('order-2-barcode')
    await history.searchNow()
    expect(stores.history.getState().selectedId).toBe('ORDER-2')
    history.setText('order-')
    await history.searchNow()
    expect(stores.history.getState()).toMatchObject({ selectedId: null, details: null })
  })

  it('closes the details of a shipment that the list no longer holds', async () => {
    const { fake, stores } = makeStores({ shipments })
    const history = stores.history.getState()
    await history.refresh()
    await history.select('a')
    fake.state.shipments = shipments.slice(1)
    await history.refresh()
    expect(stores.history.getState()).toMatchObject({ selectedId: null, details: null })
    await history.select('c')
    history.setOnlyAttention(true)
    await vi.waitFor(() => expect(stores.history.getState().selectedId).toBeNull())
  })

  it('shows an older shipment that another screen asked for though the list is not loaded that far', async () => {
    const many = Array.from({ length: 60 }, (_, number) =>
      sampleShipment({ id: `id-${number}`, reference: `ORDER-${number}` }),
    )
    const { stores } = makeStores({ shipments: many })
    stores.showShipment('id-59')
    await stores.history.getState().refresh()
    expect(stores.history.getState()).toMatchObject({ selectedId: 'id-59', details: { id: 'id-59' } })
  })

  it('never shows the details of one shipment while another is selected', async () => {
    const { fake, stores } = makeStores({ shipments })
    const history = stores.history.getState()
    await history.select('a')
    const slow = deferred<Awaited<ReturnType<typeof fake.bridge.getShipment>>>()
    fake.bridge.getShipment = () => slow.promise
    const selecting = history.select('b')
    expect(stores.history.getState()).toMatchObject({ selectedId: 'b', details: null })
    slow.resolve(err(appError('shipment-not-found', 'x')))
    await selecting
    expect(stores.history.getState().details).toBeNull()
  })

  it('ignores an answer that is older than the question', async () => {
    const { fake, stores } = makeStores({ shipments })
    const slow = deferred<Awaited<ReturnType<typeof fake.bridge.searchShipments>>>()
    const search = fake.bridge.searchShipments
    fake.bridge.searchShipments = () => slow.promise
    const first = stores.history.getState().refresh()
    fake.bridge.searchShipments = search
    stores.history.getState().setOnlyAttention(true)
    await vi.waitFor(() => expect(stores.history.getState().rows).toHaveLength(1))
    slow.resolve(ok({ shipments: [], total: 0 }))
    await first
    expect(stores.history.getState().rows).toHaveLength(1)
  })
})

describe('set-up', () => {
  it('connects only when all three fields are filled, and goes to the first empty one', async () => {
    const { fake, stores } = makeStores()
    const connect = vi.spyOn(fake.bridge, 'connectAccount')
    const setup = stores.setup.getState()
    setup.edit('baseUrl', 'https://carrier.example/api')
    setup.edit('password', 'secret')
    expect(await setup.connect()).toBe(false)
    expect(connect).not.toHaveBeenCalled()
    expect(stores.setup.getState().focus).toEqual({ field: 'user' })
  })

  it('keeps what was typed when the service refuses, and drops user name and password once it is connected', async () => {
    const { fake, stores } = makeStores()
    const accept = fake.bridge.connectAccount
    const refusal = appError('account-refused', 'x', { serviceSays: 'Unknown user' })
    fake.bridge.connectAccount = () => Promise.resolve(err(refusal))
    const setup = stores.setup.getState()
    setup.edit('baseUrl', 'https://carrier.example/api')
    setup.edit('user', 'packer')
    setup.edit('password', 'secret')
    expect(await setup.connect()).toBe(false)
    expect(stores.setup.getState()).toMatchObject({ error: refusal, user: 'packer', password: 'secret' })
    fake.bridge.connectAccount = accept
    expect(await setup.connect()).toBe(true)
    expect(stores.setup.getState()).toMatchObject({ error: null, user: '', password: '' })
  })
})

describe('resolving', () => {
  it('wants a tracking code before it says that a shipment exists', async () => {
    const shipment = sampleShipment({ state: 'unknown', barcodes: [] })
    const { fake, stores } = makeStores({ shipments: [shipment] })
    const send = vi.spyOn(fake.bridge, 'resolveShipment')
    stores.resolve.getState().open(shipment.id, shipment.reference)
    await stores.resolve.getState().exists()
    expect(stores.resolve.getState().barcodeMissing).toBe(true)
    expect(send).not.toHaveBeenCalled()
    stores.resolve.getState().setBarcode(' 3SABCD1234567 ')
    await stores.resolve.getState().exists()
    expect(send).toHaveBeenCalledWith({
      shipmentId: shipment.id,
      verdict: 'exists',
      barcode: '3SABCD1234567',
    })
    expect(stores.resolve.getState().target).toBeNull()
  })
})

describe('labels', () => {
  it('reprints once for two presses and shows the new job', async () => {
    const shipment = sampleShipment()
    const { fake, stores } = makeStores({ shipments: [shipment] })
    const reprint = vi.spyOn(fake.bridge, 'reprint')
    await stores.history.getState().select(shipment.id)
    const { labels } = stores
    await Promise.all([labels.getState().reprint(shipment.id), labels.getState().reprint(shipment.id)])
    expect(reprint).toHaveBeenCalledTimes(1)
    expect(stores.history.getState().details?.jobs.map((job) => job.kind)).toEqual(['first', 'reprint'])
  })

  it('says what went wrong with the shipment it went wrong with', async () => {
    const { fake, stores } = makeStores()
    const failure = appError('no-printer', 'x')
    fake.bridge.reprint = () => Promise.resolve(err(failure))
    await stores.labels.getState().reprint('a')
    expect(stores.labels.getState()).toMatchObject({ errors: { a: failure }, busy: {} })
  })
})

describe('tracking', () => {
  it('finds our own shipment with that very barcode', async () => {
    const shipments = [
      sampleShipment({ id: 'longer', barcodes: ['3SABCD12345678'] }),
      sampleShipment({ id: 'ours', barcodes: ['3SABCD1234567'] }),
    ]
    const { fake, stores } = makeStores({ shipments })
    fake.bridge.trackCode = ({ code }) =>
      Promise.resolve(ok({ code, found: true, lastStatus: null, events: [] }))
    await stores.track.getState().lookUp(' 3SABCD1234567 ')
    expect(stores.track.getState()).toMatchObject({ code: '3SABCD1234567', ours: { id: 'ours' } })
  })

  it('finds the parcels of our own shipment by its reference', async () => {
    const shipments = [sampleShipment({ reference: 'ORDER-7', barcodes: ['3SABCD1', '3SABCD2'] })]
    const { fake, stores } = makeStores({ shipments })
    const ask = vi.spyOn(fake.bridge, 'trackCode')
    void stores.track.getState().lookUp('order-7')
    await vi.waitFor(() => expect(ask).toHaveBeenLastCalledWith(expect.objectContaining({ code: '3SABCD1' })))
    await vi.waitFor(() =>
      expect(stores.track.getState()).toMatchObject({
        code: 'order-7',
        busy: false,
        result: { code: '3SABCD1' },
        ours: { reference: 'ORDER-7' },
        otherParcels: ['3SABCD2'],
      }),
    )
  })

  it('asks nothing without a code', async () => {
    const { fake, stores } = makeStores()
    const ask = vi.spyOn(fake.bridge, 'trackCode')
    await stores.track.getState().lookUp()
    expect(stores.track.getState().codeMissing).toBe(true)
    expect(ask).not.toHaveBeenCalled()
  })
})

describe('the printer that the status bar names', () => {
  const [ready] = sampleStatus().printers
  const printers = (usual: PrinterStatus['state'], other: PrinterStatus['state']) =>
    ready
      ? [
          { ...ready, id: 'file', name: 'file', state: other },
          { ...ready, state: usual },
        ]
      : []
  it.each([
    ['paused', 'ready', 'zebra'],
    ['paused', 'trouble', 'zebra'],
    ['trouble', 'trouble', 'zebra'],
    ['ready', 'trouble', 'file'],
    ['ready', 'paused', 'file'],
    ['ready', 'ready', 'zebra'],
    ['unknown', 'busy', 'zebra'],
  ] as const)('is, with the usual one %s and another one %s, %s', (usual, other, named) => {
    expect(printerInFront(printers(usual, other), sampleSettings())?.id).toBe(named)
  })
})

describe('a problem of a label', () => {
  it('is closed with its reason, and the screens know', async () => {
    const shipment = sampleShipment({ jobs: [] })
    const labels = shipment.labels.map((label) => ({ ...label, problem: 'empty' as const }))
    const { fake, stores } = makeStores({ shipments: [{ ...shipment, labels }] })
    const close = vi.spyOn(fake.bridge, 'closeLabelProblems')
    await stores.history.getState().select(shipment.id)
    await stores.labels.getState().closeProblems(shipment.id, 'Came by e-mail')
    expect(close).toHaveBeenCalledWith({ shipmentId: shipment.id, reason: 'Came by e-mail' })
    expect(stores.history.getState().details?.labels[0]?.closed?.reason).toBe('Came by e-mail')
  })
})

describe('a click on a notification of a printer', () => {
  it('opens the queue', () => {
    const { fake, stores } = makeStores()
    fake.emit('queueAskedFor', {})
    expect(stores.navigation.getState().screen).toBe('queue')
  })
})
