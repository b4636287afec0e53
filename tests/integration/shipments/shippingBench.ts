// Shipping with a real journal and real files, and with a scripted service.
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import {
  type CarrierLabel,
  type Creation,
  type CreationOutcome,
  findReportedCreation,
  type KeepAnswer,
  type LabelDelivery,
  type ReceivedAnswer,
} from '../../../src/main/carrier/createShipment'
import { createEventBus } from '../../../src/main/lib/eventBus'
import type { Log } from '../../../src/main/log/log'
import { createPrintJobRepository } from '../../../src/main/printing/queue/repository'
import type { CreateRequest } from '../../../src/main/shipments/createShipment'
import { createHistory } from '../../../src/main/shipments/history'
import { HistoryRepository } from '../../../src/main/shipments/historyRepository'
import { createLabelSource } from '../../../src/main/shipments/labelSource'
import { createReceivedAnswers } from '../../../src/main/shipments/receivedAnswers'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import { RetentionRepository } from '../../../src/main/shipments/retentionRepository'
import { createShipmentFiles, type ShipmentFiles } from '../../../src/main/shipments/shipmentFiles'
import { createShipping, type ShippingDeps } from '../../../src/main/shipments/shipping'
import type { OpenDatabase } from '../../../src/main/storage/database'
import { type AppError, appError } from '../../../src/shared/errors'
import { ok, type Result } from '../../../src/shared/result'
import { defaultSettings, type Settings } from '../../../src/shared/settings'
import type { ShipmentDraft, ShipmentSummary } from '../../../src/shared/shipments'
import { openTestDatabase } from '../../support/databaseWorker'
import { aDraft } from '../../support/drafts'
import { noClaims, noFleet } from '../../support/noFleet'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

export const now = () => new Date('2026-11-21T10:00:00.000Z')

/** A service with scripted answers that records its requests. */
export class ScriptedService {
  readonly sent: ShipmentDraft[] = []
  readonly fetched: string[] = []
  answer: (draft: ShipmentDraft) => Promise<CreationOutcome> = async () => created(aCreation())
  label: () => Promise<Result<Buffer>> = async () => ok(Buffer.from('%PDF-1.7 fetched'))
  opening: Result<undefined> = ok(undefined)

  async open() {
    if (!this.opening.ok) return this.opening
    return ok({
      connect: () => undefined,
      createShipment: async (draft: ShipmentDraft, delivery: LabelDelivery, keep: KeepAnswer) => {
        this.sent.push(draft)
        const outcome = await this.answer(draft)
        const received = answerFor(outcome, delivery)
        if (received !== null) await keep(received)
        return outcome
      },
    })
  }

  fetchLabel(url: string) {
    this.fetched.push(url)
    return this.label()
  }
}

export function aLabel(change: Partial<CarrierLabel> = {}): CarrierLabel {
  return {
    barcode: '3SPB1',
    kind: 'pdf',
    bytes: Buffer.from('%PDF-1.7 label'),
    problem: null,
    ...change,
  }
}

export function aCreation(change: Partial<Creation> = {}): Creation {
  return {
    labels: [aLabel()],
    labelCount: change.labels?.length ?? 1,
    barcodes: ['3SPB1'],
    serviceShipmentId: '77',
    zendingId: null,
    subLogId: 'SUB-9',
    logId: null,
    message: null,
    trackingUrl: 'https://track.example/3SPB1',
    labelUrl: null,
    limits: null,
    ...change,
  }
}

export function created(creation: Creation): CreationOutcome {
  return ok({ creation, receivedAt: now() })
}

/** The answer of the service that leads to an outcome, or null if it names no shipment. */
function answerFor(outcome: CreationOutcome, delivery: LabelDelivery): ReceivedAnswer | null {
  const named = findReportedCreation(outcome)
  if (named === null) return null
  const { creation, receivedAt } = named
  const { labels, labelUrl } = creation
  const content = {
    ...(outcome.ok && { status: true }),
    labels: labels.map(({ barcode, kind: labeltype, bytes, problem }) => ({
      barcode,
      labeltype,
      shipmentId: creation.serviceShipmentId,
      ...(problem === null
        ? { encodeType: 'base64', content: bytes.toString('base64') }
        : { encodeType: 'none', content: bytes.toString() }),
    })),
    shipmentID: creation.serviceShipmentId,
    SubLogID: creation.subLogId,
    Barcode: creation.barcodes[0],
    trace: creation.trackingUrl,
    ...(labelUrl !== null && { url: '[label URL]' }),
  }
  return {
    host: 'carrier.example',
    delivery,
    status: 200,
    receivedAt,
    content,
    text: null,
    isCut: false,
    labelUrl,
  }
}

export function refused(error: AppError): CreationOutcome {
  return { ok: false, kind: 'refused', error, answer: null }
}

/** An unclear answer, with the shipment that it names, if any. */
export function unknownWith(creation: Creation | null): CreationOutcome {
  return {
    ok: false,
    kind: 'unknown',
    error: appError('service-answer-not-understood'),
    answer: creation === null ? null : { creation, receivedAt: now() },
  }
}

async function openJournal(folder: string): Promise<OpenDatabase> {
  const opened = await openTestDatabase(join(folder, 'packbench.db'))
  if (!opened.ok) throw new Error(opened.error.message)
  onTestFinished(() => opened.value.destroy())
  return opened.value
}

/** Label files with writes that never end, as in a crash. */
export function withStuck(real: ShipmentFiles, stuck: readonly ('write' | 'writeCreation')[]): ShipmentFiles {
  const never = () => new Promise<never>(() => undefined)
  return { ...real, ...Object.fromEntries(stuck.map((name) => [name, never])) }
}

interface Bench {
  log?: Log
  folder: string
  service: ScriptedService
  /** Replaces the scripted service. */
  carrier?: ShippingDeps['carrier']
  delivery?: LabelDelivery
  printers?: () => Settings['printers']
  files?: (real: ShipmentFiles) => ShipmentFiles
  encrypt?: (text: string) => string | null
  /** Makes the station one of a fleet. */
  claims?: ShippingDeps['claims']
  /** Runs while the first print is planned. */
  whilePlanning?: () => Promise<void>
}

async function setUp({
  folder,
  service,
  files: wrap = (real) => real,
  encrypt = (text) => Buffer.from(text).toString('base64'),
  log = silentLog,
  whilePlanning = async () => undefined,
  carrier = service,
  delivery = 'in-answer',
  printers = () => [],
  claims,
}: Bench) {
  const database = await openJournal(folder)
  const shipmentRepository = new ShipmentRepository(database)
  const historyRepository = new HistoryRepository(database)
  const jobs = createPrintJobRepository(database, now)
  const files = wrap(createShipmentFiles(join(folder, 'labels')))
  const urlCipher = {
    encrypt,
    decrypt: (encrypted: string) => Buffer.from(encrypted, 'base64').toString(),
  }
  const bus = createEventBus()
  const receivedAnswers = createReceivedAnswers({ files, urlCipher, log, bus, now })
  let woken = 0
  const takenBack: string[] = []
  let operator: string | null = null
  let isSent = false
  const shown: ShipmentSummary[] = []
  bus.on('shipmentChanged', (shipment) => shown.push(shipment))
  const history = createHistory({
    shipmentRepository,
    historyRepository,
    jobs,
    sharedShipments: noFleet,
    bus,
  })
  const shipping = createShipping({
    claims: claims ?? noClaims,
    sharedShipments: noFleet,
    shipmentRepository,
    receivedAnswers,
    carrier,
    printing: {
      planInvoice: () => [],
      plan: async (shipmentId, labels) => {
        await whilePlanning()
        return ok(
          labels.map((label) => ({
            id: randomUUID(),
            shipmentId,
            labelId: label.id,
            printerId: 'file',
            printerName: 'Folder',
            kind: 'first',
          })),
        )
      },
      wake: () => {
        woken += 1
      },
      noteCancelled: async (jobIds) => void takenBack.push(...jobIds),
    },
    history,
    settings: {
      current: () => ({
        ...defaultSettings,
        printers: printers(),
        labelDelivery: delivery,
        people: { ...defaultSettings.people, isSent },
      }),
      belongsToFleet: () => claims !== undefined,
    },
    now,
    newId: randomUUID,
    log,
    bus,
    currentOperator: () => operator,
    people: { checkOperator: () => ok(operator) },
  })
  onTestFinished(() => void shipping.stop())
  const labels = createLabelSource({ shipmentRepository, files, receivedAnswers, log })
  const signIn = (name: string, isSentToo = false) => {
    operator = name
    isSent = isSentToo
  }
  return {
    shipping,
    history,
    shipmentRepository,
    historyRepository,
    retention: new RetentionRepository(database),
    jobs,
    files,
    labels,
    shown,
    takenBack,
    signIn,
    wokenTimes: () => woken,
    /** Closes the journal, as the end of the process does. Pending steps never end. */
    close: () => database.destroy(),
  }
}

export function request(change: Partial<CreateRequest> = {}): CreateRequest {
  return {
    attemptId: randomUUID(),
    draft: aDraft(),
    origin: 'screen',
    print: true,
    takenAt: now(),
    ...change,
  }
}

export async function bench(change: Partial<Bench> = {}) {
  const folder = change.folder ?? (await temporaryFolder())
  const service = change.service ?? new ScriptedService()
  return { folder, service, ...(await setUp({ ...change, folder, service })) }
}

/** The confirmation of an operator to ship the reference of this shipment again. */
export function confirm({ reference, id }: { reference: string; id: string }) {
  return [{ reference, shipmentId: id }]
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`)
  return result.value
}
