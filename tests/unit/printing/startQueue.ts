import { randomUUID } from 'node:crypto'
import { type Mock, onTestFinished, vi } from 'vitest'
import { createEventBus, type EventBus } from '../../../src/main/lib/eventBus'
import type { PageSize } from '../../../src/main/printing/layout/geometry'
import type { PrintableLabel } from '../../../src/main/printing/printableLabel'
import { createPrintQueue, type PrintQueue } from '../../../src/main/printing/queue/printQueue'
import type { LabelRules } from '../../../src/shared/labels'
import {
  type Printer,
  type PrinterStatus,
  type PrintJob,
  printerSchema,
  type RoutingRule,
} from '../../../src/shared/printing'
import { ok, type Result } from '../../../src/shared/result'
import { labelsInMemory, labelWith, noInvoices } from '../../support/printing/labels'
import { createMemoryJobs, type MemoryJobs } from '../../support/printing/memoryJobs'
import { printingSettings } from '../../support/printing/printingSettings'
import { createStubDrivers, type StubDrivers } from '../../support/printing/stubDriver'
import { silentLog } from '../../support/silentLog'

const usualPrinters: Printer[] = [
  printerSchema.parse({ id: 'zebra', name: 'Zebra at bench 1', driver: 'socket', host: 'h' }),
  printerSchema.parse({ id: 'cups', driver: 'system', queue: 'LABEL' }),
  printerSchema.parse({ id: 'file', driver: 'folder', path: 'labels' }),
]

/** A print queue and its dependencies. */
export interface StartedQueue {
  queue: PrintQueue
  jobs: MemoryJobs
  drivers: StubDrivers
  /** A stored label of one shipment, carrier option 34, which goes to `zebra`, standby `cups`. */
  label: PrintableLabel
  /** All stored labels; a test may add some. */
  labels: PrintableLabel[]
  /** The changed jobs that the queue has announced. */
  changes: PrintJob[]
  /** The printers of the settings; a test may change them. */
  printers: Printer[]
  bus: EventBus
  /** The printers' statuses as of the last event that has them shown anew, by printer id. */
  shown: Map<string, PrinterStatus>
  /** The time of the queue's clock. */
  moment: Date
  /** Placements and consents; a test may change them. */
  rules: LabelRules
  /** The routing rules; a test may change them. */
  routing: RoutingRule[]
  /** The measured sizes of the label's pages; a test may change them. */
  pages: PageSize[]
  /** Measures the label's pages. */
  measure: Mock<() => Promise<Result<PageSize[]>>>
}

/** Starts a print queue with three printers. It stops when the test ends. */
export async function startQueue(
  jobs = createMemoryJobs(),
  paused = new Set<string>(),
  label = labelWith({ bytes: Buffer.from('%PDF') }),
): Promise<StartedQueue> {
  const started = await prepareQueue(jobs, paused, label)
  await started.queue.start()
  return started
}

/** Creates the same print queue without starting it. */
export async function prepareQueue(
  jobs = createMemoryJobs(),
  paused = new Set<string>(),
  label = labelWith({ bytes: Buffer.from('%PDF') }),
): Promise<StartedQueue> {
  const rules: LabelRules = { placements: [], zplCommands: [], losses: [] }
  const routing: RoutingRule[] = [{ carrierOptionId: 34, printer: 'zebra', standby: 'cups' }]
  const pages: PageSize[] = [{ widthMm: 100, heightMm: 150 }]
  const measure = vi.fn(async (): Promise<Result<PageSize[]>> => ok(pages))
  const printers = [...usualPrinters]
  const labels = [label]
  const drivers = createStubDrivers()
  const changes: PrintJob[] = []
  const bus = createEventBus()
  bus.on('printJobChanged', (job) => changes.push(job))
  const moment = new Date('2026-03-01T08:30:00.125Z')
  const queue = createPrintQueue({
    jobs,
    labels: labelsInMemory(labels),
    invoices: noInvoices,
    settings: printingSettings(() => ({ printers, routing, labelRules: { ...rules } })),
    paused: {
      list: async () => [...paused],
      set: async (printerId, pausing) => void (pausing ? paused.add(printerId) : paused.delete(printerId)),
    },
    drivers,
    measure,
    log: silentLog,
    now: () => moment,
    currentOperator: () => 'Anna',
    bus,
  })
  const shown = new Map<string, PrinterStatus>()
  const show = () => {
    for (const status of queue.listStatuses()) shown.set(status.id, status)
  }
  for (const event of ['printJobChanged', 'statusOutdated'] as const) bus.on(event, show)
  onTestFinished(async () => {
    const stopped = queue.stop()
    for (const arrival of drivers.arrivals) arrival.end({ kind: 'handed-over' })
    await stopped
  })
  const changeable = { labels, printers, rules, routing, pages, measure }
  return { queue, jobs, drivers, label, changes, shown, moment, bus, ...changeable }
}

/** Stores first jobs for a label, one for each printer id, as the creation of a shipment does. */
export function firstJobs(
  jobs: MemoryJobs,
  label: PrintableLabel,
  printerIds: string[],
): Promise<PrintJob[]> {
  return jobs.add(
    printerIds.map((printerId) => ({
      id: randomUUID(),
      shipmentId: label.shipmentId,
      labelId: label.labelId,
      printerId,
      printerName: printerId,
      kind: 'first',
    })),
  )
}
