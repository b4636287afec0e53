import { EventEmitter } from 'node:events'
import type { AppStatus } from '../../src/shared/app'
import {
  type BridgeClient,
  type EventName,
  type EventPayload,
  type MethodName,
  methodNames,
  methods,
} from '../../src/shared/bridge'
import { appError } from '../../src/shared/errors'
import { isLabelOpen } from '../../src/shared/labelState'
import type { PeopleStatus } from '../../src/shared/people'
import { printJobStates } from '../../src/shared/printing'
import { err, ok } from '../../src/shared/result'
import { type Settings, settingsChangeSchema } from '../../src/shared/settings'
import { isUnresolved, type ShipmentDetails } from '../../src/shared/shipments'
import { fakeTracking } from './fakeTracking'
import { sampleOf } from './sampleOf'
import { sampleJob, sampleSettings, sampleShipment, sampleStatus } from './screenSamples'

export interface FakeBridge {
  /** The bridge as the screen sees it; tests replace the methods that they examine. */
  bridge: BridgeClient
  /** Like `bridge`, but records calls, and throws for a call that violates the contract, which main would refuse. */
  checked: BridgeClient
  /** Calls of `checked`, oldest first. */
  calls: { method: MethodName; input: unknown }[]
  emit: <Name extends EventName>(event: Name, payload: EventPayload<Name>) => void
  /** How many listeners an event has. */
  listening: (event: EventName) => number
  state: { status: AppStatus; settings: Settings; shipments: ShipmentDetails[] }
}

/** A client generated from the contract: each method returns the smallest value that its schema allows. */
function createSampleClient(): Omit<BridgeClient, 'on'> {
  const client: Record<string, unknown> = Object.fromEntries(
    methodNames.map((name) => [name, async () => ok(sampleOf(methods[name].output))]),
  )
  if (!isClient(client)) throw new Error('the contract has no methods')
  return client
}

function isClient(client: Record<string, unknown>): client is Omit<BridgeClient, 'on'> {
  return methodNames.every((name) => typeof client[name] === 'function')
}

/** Like main: an outcome, a label or a print job waits for a person. */
function needsAttention(shipment: ShipmentDetails): boolean {
  const { labels, jobs } = shipment
  return (
    isUnresolved(shipment) ||
    labels.some((label) => isLabelOpen(label, jobs)) ||
    jobs.some((job) => printJobStates.forPerson.includes(job.state))
  )
}

function fakePeople() {
  let status: PeopleStatus = { operator: null, hasPin: false, isGranted: false, retryAt: null }
  const change = (part: Partial<PeopleStatus>) => {
    status = { ...status, ...part }
    return Promise.resolve(ok(status))
  }
  return {
    getPeople: () => change({}),
    signIn: (by) => change({ operator: 'name' in by ? by.name : by.badge }),
    signOut: () => change({ operator: null, isGranted: false }),
    enterPin: () => change({ isGranted: true }),
    endGrant: () => change({ isGranted: false }),
    setPin: ({ pin }) => change({ hasPin: pin !== null }),
  } satisfies Partial<BridgeClient>
}

/** A bridge without main: it stores settings and shipments, and never fails. */
export function createFakeBridge(start: Partial<FakeBridge['state']> = {}): FakeBridge {
  const state = { status: sampleStatus(), settings: sampleSettings(), shipments: [], ...start }
  const emitter = new EventEmitter()
  const on: BridgeClient['on'] = (event, listener) => {
    emitter.on(event, listener)
    return () => {
      emitter.off(event, listener)
    }
  }
  const bridge: BridgeClient = {
    ...createSampleClient(),
    ...stationMethods(state),
    ...shipmentMethods(state),
    ...printMethods(state),
    ...queueMethods(state),
    ...fakeTracking(),
    ...fakePeople(),
    findPrinters: async ({ addresses }) => ok({ printers: [], asked: addresses === null ? null : 1 }),
    on,
  }
  const calls: FakeBridge['calls'] = []
  return {
    bridge,
    checked: checkedBridge(bridge, calls),
    calls,
    emit: (event, payload) => {
      emitter.emit(event, payload)
    },
    listening: (event) => emitter.listenerCount(event),
    state,
  }
}

function checkedBridge(bridge: BridgeClient, calls: FakeBridge['calls']): BridgeClient {
  return new Proxy(bridge, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function' || !isMethodName(name)) return method
      return (input: unknown) => {
        calls.push({ method: name, input })
        methods[name].input.parse(input)
        return Reflect.apply(method, target, [input])
      }
    },
  })
}

function isMethodName(name: string | symbol): name is MethodName {
  return Object.hasOwn(methods, name)
}

function stationMethods(state: FakeBridge['state']) {
  const connect = (account: Partial<AppStatus['account']>) => {
    state.status = { ...state.status, account: { ...state.status.account, ...account } }
    return Promise.resolve(ok(state.status.account))
  }
  const clearStartError = () => {
    state.status = { ...state.status, startError: null }
    return Promise.resolve(ok(state.status))
  }
  return {
    getAppStatus: () => Promise.resolve(ok(state.status)),
    retryStart: () => Promise.resolve(ok(state.status)),
    setAsideSettings: clearStartError,
    restoreBackup: clearStartError,
    restoreStation: () => Promise.resolve(ok(false)),
    rebuildHistory: clearStartError,
    continueUnguarded: clearStartError,
    confirmClock: () => {
      const notices = state.status.notices.filter(({ code }) => code !== 'clock-not-plausible')
      state.status = { ...state.status, notices }
      return Promise.resolve(ok(state.status))
    },
    getSettings: () => Promise.resolve(ok(state.settings)),
    changeSettings: (change) => {
      // Fills in the defaults of omitted nested fields.
      state.settings = { ...state.settings, ...settingsChangeSchema.parse(change) }
      return Promise.resolve(ok(state.settings))
    },
    connectAccount: () => connect({ state: 'connected', name: 'Van Dijk Webshops B.V.', error: null }),
    testAccount: () => Promise.resolve(ok(state.status.account)),
    forgetAccount: () =>
      connect({ state: 'none', host: null, name: null, customerId: null, accountId: null }),
    chooseFolder: () => Promise.resolve(ok('/srv/labels')),
  } satisfies Partial<BridgeClient>
}

function shipmentMethods(state: FakeBridge['state']) {
  const find = (shipmentId: string) => {
    const shipment = state.shipments.find((each) => each.id === shipmentId)
    return shipment ? ok(shipment) : err(appError('shipment-not-found'))
  }
  return {
    createShipment: ({ draft }) => {
      const shipment = sampleShipment({
        id: crypto.randomUUID(),
        reference: draft.reference,
        consignee: `${draft.firstName} ${draft.lastName}`.trim(),
        city: draft.city,
      })
      state.shipments = [shipment, ...state.shipments]
      return Promise.resolve(ok(shipment))
    },
    findEarlierShipments: ({ reference }) =>
      Promise.resolve(
        ok(
          state.shipments
            .filter((each) => each.reference === reference)
            .map(({ id, state: was, takenAt, barcodes }) => ({
              shipmentId: id,
              state: was,
              takenAt,
              barcodes,
            })),
        ),
      ),
    searchShipments: ({ text = '', onlyNeedingAttention = false, limit, before }) => {
      const found = state.shipments.filter(
        (each) =>
          `${each.reference} ${each.consignee} ${each.city} ${each.barcodes.join(' ')}`
            .toLowerCase()
            .includes(text.toLowerCase()) &&
          (!onlyNeedingAttention || needsAttention(each)),
      )
      // Newest first: cursors count from the oldest shipment.
      const from = typeof before === 'number' ? found.length - before + 1 : 0
      const shipments = found.slice(from, from + limit)
      const isEnd = from + limit >= found.length
      const next = isEnd ? null : found.length - from - limit + 1
      const total = before == null ? found.length : null
      return Promise.resolve(ok({ shipments, next, total, fleetError: null }))
    },
    findLabelToReprint: async () => {
      const last = state.shipments.find((each) => each.state === 'created' && each.origin !== 'hot-folder')
      return ok(last === undefined ? null : { shipmentId: last.id, reference: last.reference })
    },
    listHistoryChoices: async () => ok({ countries: ['NL'], carrierOptionIds: [34], operators: [] }),
    noteCancellation: ({ shipmentId }) => Promise.resolve(find(shipmentId)),
    getShipment: ({ shipmentId }) => Promise.resolve(find(shipmentId)),
    resolveShipment: ({ shipmentId, verdict }) => {
      state.shipments = state.shipments.map((each) =>
        each.id === shipmentId ? { ...each, resolution: { verdict, at: '2026-11-21T10:00:00.000Z' } } : each,
      )
      return Promise.resolve(find(shipmentId))
    },
    fetchLabels: ({ shipmentId }) => Promise.resolve(find(shipmentId)),
    closeLabelProblems: ({ shipmentId, reason }) => {
      const at = '2026-11-21T10:00:00.000Z'
      state.shipments = state.shipments.map((each) =>
        each.id === shipmentId
          ? {
              ...each,
              labels: each.labels.map((label) =>
                label.problem || label.unplanned ? { ...label, closed: { at, reason } } : label,
              ),
            }
          : each,
      )
      return Promise.resolve(find(shipmentId))
    },
  } satisfies Partial<BridgeClient>
}

function printMethods(state: FakeBridge['state']) {
  const jobs = () => state.shipments.flatMap((shipment) => shipment.jobs)
  const changed = (jobId: string, change: Parameters<typeof sampleJob>[0]) => {
    const job = jobs().find((each) => each.id === jobId) ?? sampleJob({ id: jobId })
    return Promise.resolve(ok({ ...job, ...change }))
  }
  return {
    listSystemQueues: () =>
      Promise.resolve(ok([{ queue: 'LABEL', description: 'Label printer', isDefault: true, media: [] }])),
    reprint: ({ shipmentId }) =>
      Promise.resolve(ok([sampleJob({ id: crypto.randomUUID(), shipmentId, kind: 'reprint' })])),
    printJobAgain: ({ jobId }) => changed(jobId, { id: crypto.randomUUID(), state: 'queued' }),
    resolveJob: ({ jobId, verdict }) =>
      changed(jobId, { state: verdict === 'printed' ? 'done' : 'cancelled' }),
    cancelJob: ({ jobId }) => changed(jobId, { state: 'cancelled' }),
  } satisfies Partial<BridgeClient>
}

function queueMethods(state: FakeBridge['state']) {
  const jobs = () => state.shipments.flatMap((shipment) => shipment.jobs)
  const preview = {
    ...{ labelId: 'l', printerName: 'Zebra', dpi: 203, pictures: [], pages: 1, text: null, problem: null },
  }
  const notFound = () => Promise.resolve(err(appError('print-job-not-found')))
  return {
    listQueue: () => Promise.resolve(ok(jobs())),
    moveJob: ({ jobId, printerId }) =>
      Promise.resolve(ok(sampleJob({ id: `moved-${jobId}`, printerId, kind: 'moved', state: 'queued' }))),
    pausePrinter: ({ printerId, paused }) => {
      const printers = state.status.printers.map((printer) =>
        printer.id === printerId
          ? { ...printer, state: paused ? ('paused' as const) : ('ready' as const) }
          : printer,
      )
      state.status = { ...state.status, printers }
      return Promise.resolve(ok(undefined))
    },
    printAllAgain: () => Promise.resolve(ok([sampleJob({ kind: 'reprint', state: 'queued' })])),
    printCommandSheet: () => Promise.resolve(ok({ code: 'taken', details: {}, message: '' })),
    reprintLast: () => Promise.resolve(ok(sampleJob({ kind: 'reprint', state: 'queued' }))),
    reprintPages: ({ pages }) => Promise.resolve(ok(sampleJob({ kind: 'reprint', state: 'queued', pages }))),
    checkPrinter: () =>
      Promise.resolve(
        ok({
          code: 'ready' as const,
          details: { subject: 'it' },
          reachable: true,
          remarks: [],
        }),
      ),
    printTestLabel: () =>
      Promise.resolve(
        ok({ code: 'taken', details: { printer: 'Zebra' }, message: 'The printer took the test label.' }),
      ),
    getSheetPlace: () => Promise.resolve(ok({ place: 1, places: 4 })),
    setSheetPlace: ({ place }) => Promise.resolve(ok({ place, places: 4 })),
    calibratePrinter: () =>
      Promise.resolve(
        ok({
          code: 'calibrating',
          details: { printer: 'Zebra' },
          message: 'The printer measures its labels.',
        }),
      ),
    previewPrint: () => Promise.resolve(ok(preview)),
    askPlacement: notFound,
    tryPlacement: () => Promise.resolve(ok(preview)),
    askLosses: notFound,
    confirmScan: ({ code }) =>
      Promise.resolve(ok({ matches: true, scanned: code, expected: [code], matching: [code], jobs: [] })),
  } satisfies Partial<BridgeClient>
}
