import type { AppStatus } from '../../src/shared/app'
import type { PrintJob } from '../../src/shared/printing'
import { defaultSettings, type Settings } from '../../src/shared/settings'
import type { ShipmentDetails, ShipmentDraft } from '../../src/shared/shipments'
import { aDraft } from './drafts'

/** The status of a connected station without open work. */
export function sampleStatus(change: Partial<AppStatus> = {}): AppStatus {
  return {
    version: '0.1.0',
    demo: false,
    simulatorUrl: null,
    systemCountry: 'NL',
    dataFolder: '/home/operator/.config/Packbench',
    language: 'en',
    startError: null,
    account: {
      state: 'connected',
      host: 'carrier.example',
      name: 'Van Dijk Webshops B.V.',
      customerId: '20417',
      accountId: '881',
      storage: 'keyring',
      isKeyringLocked: false,
      error: null,
    },
    service: { state: 'reachable', at: '2026-11-21T09:00:00.000Z', error: null },
    printers: [
      {
        id: 'zebra',
        name: 'Zebra bench 1',
        driver: 'socket',
        state: 'ready',
        note: null,
        error: null,
        waitingJobs: 0,
      },
    ],
    hotFolder: { state: 'off', message: null, error: null, waiting: 0, issues: 0 },
    fleet: { state: 'off', error: null, shipsWhenAway: false, backlog: 0, conflicts: 0 },
    open: {
      unknownShipments: 0,
      labelProblems: 0,
      failedJobs: 0,
      unconfirmedJobs: 0,
      unknownSubmissions: 0,
    },
    notices: [],
    ...change,
  }
}

/** Settings of a station with two carrier options and two printers. */
export function sampleSettings(change: Partial<Settings> = {}): Settings {
  return {
    ...defaultSettings,
    carriers: [
      { name: 'PostNL parcel', carrierId: 12, carrierOptionId: 34 },
      { name: 'DHL Europlus', carrierId: 14, carrierOptionId: 51 },
    ],
    shipmentDefaults: { country: 'NL', carrierId: 12, carrierOptionId: 34 },
    printers: [
      {
        driver: 'socket',
        id: 'zebra',
        name: 'Zebra bench 1',
        host: '192.0.2.10',
        port: 9100,
        dpi: 203,
        stock: { widthMm: 100, heightMm: 150 },
        rotate: 0,
        copies: 1,
      },
      { driver: 'folder', id: 'file', path: 'labels-out' },
    ],
    routing: [
      { carrierOptionId: 51, printer: 'file' },
      { printer: 'zebra', standby: 'file' },
    ],
    ...change,
  }
}

/** A complete draft that the service accepts. */
export function sampleDraft(change: Partial<ShipmentDraft> = {}): ShipmentDraft {
  return aDraft({
    ...{ createdBy: '', printPhoneNumber: '', weight: 2.5, length: 0, width: 0, height: 0 },
    ...{ firstName: 'Sanne', email: 'sanne@devries.example', phoneNumber: '0612345678' },
    ...{ street: 'Kerkstraat', houseNumber: '12', postalCode: '1017 GC', reference: 'ORDER-1001' },
    ...change,
  })
}

/** A print job that is done. */
export function sampleJob(change: Partial<PrintJob> = {}): PrintJob {
  return {
    id: '6f1f6f3e-7a36-4d5e-9f5f-0f4a3a1d0001',
    shipmentId: '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0001',
    labelId: '9d2b8a10-1111-4c77-8f5c-000000000001',
    document: 'label',
    labelPosition: 1,
    reference: 'ORDER-1001',
    barcode: '3SABCD1234567',
    printerId: 'zebra',
    printerName: 'Zebra bench 1',
    state: 'done',
    kind: 'first',
    createdAt: '2026-11-21T09:15:02.100Z',
    updatedAt: '2026-11-21T09:15:03.100Z',
    acceptedAt: '2026-11-21T09:15:03.000Z',
    outputPath: null,
    note: null,
    error: null,
    ...change,
  }
}

/** A created shipment with one printed label. */
export function sampleShipment(change: Partial<ShipmentDetails> = {}): ShipmentDetails {
  const id = change.id ?? '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0001'
  return {
    id,
    reference: 'ORDER-1001',
    state: 'created',
    resolution: null,
    origin: 'screen',
    takenAt: '2026-11-21T09:15:01.204Z',
    consignee: 'Sanne de Vries',
    postalCode: '1015 CJ',
    city: 'Amsterdam',
    country: 'NL',
    carrierOptionId: 34,
    weight: 1.25,
    numberOfPackages: 1,
    barcodes: ['3SABCD1234567'],
    print: true,
    draft: sampleDraft(),
    times: {
      taken: '2026-11-21T09:15:01.204Z',
      requestSent: '2026-11-21T09:15:01.231Z',
      responseReceived: '2026-11-21T09:15:01.902Z',
      labelStored: '2026-11-21T09:15:01.914Z',
    },
    error: null,
    serviceShipmentId: '558812',
    zendingId: null,
    subLogId: 'SL-20261121-00417',
    logId: null,
    trackingLinkHost: 'track.carrier.example',
    serviceMessage: null,
    labels: [
      {
        id: '9d2b8a10-1111-4c77-8f5c-000000000001',
        position: 1,
        barcode: '3SABCD1234567',
        kind: 'pdf',
        byteLength: 18_233,
        problem: null,
      },
    ],
    jobs: [sampleJob({ shipmentId: id })],
    ...change,
  }
}
