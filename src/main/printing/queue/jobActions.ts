import { type AppError, appError } from '../../../shared/errors'
import type { Language } from '../../../shared/fields'
import type { FindingKind, LabelRules } from '../../../shared/labels'
import type { DismissalReason, PrintNote } from '../../../shared/printerRemarks'
import {
  getPrinterName,
  type PageRange,
  type Printer,
  type PrintJob,
  type PrintJobState,
  type RoutingRule,
} from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { LabelKind } from '../../../shared/shipments'
import type { EventBus } from '../../lib/eventBus'
import { createMutex } from '../../lib/mutex'
import { inTime } from '../../lib/retry'
import { noSuchPages } from '../layout/labelLayout'
import type { InvoiceSource, LabelSource, PrintableLabel } from '../printableLabel'
import type { Rasterizer } from '../raster/rasterizer'
import { type NewPrintJob, type PrintJobChange, type PrintJobRepository, unsentStates } from './repository'
import {
  choosePrinter,
  findPrinter,
  isRoutedByPage,
  type JobSubject,
  type LabelPart,
  type PartsQuestion,
  planParts,
  toNewJob,
} from './routing'

/** Jobs that wait for a person. */
const openStates: PrintJobState[] = ['failed', 'unconfirmed', 'waiting']
/** Jobs of which nothing was sent, or of which a person says that they did not come out. */
const movableStates: PrintJobState[] = ['queued', ...openStates]
/** Jobs that will print their label without anybody's doing, or after a choice about it. */
const waitingStates: PrintJobState[] = ['queued', 'sending', 'waiting']
/** Jobs whose label came out of a printer, as far as the app can know. */
const printedStates: PrintJobState[] = ['done', 'handed-over', 'unconfirmed']

/** A label that is not in the journal yet. */
export interface FirstLabel {
  id: string
  kind: LabelKind
  /** Its bytes; undefined when they can't be read. */
  read(): Promise<Buffer | undefined>
}

/** What is said of a job whose pages are printed by others. */
const inParts: PrintNote = { code: 'in-parts', says: [] }

/** A label that waits for its shipment's commit is not held up for longer. */
const maxMeasureMs = 1000

export interface JobActionsDeps {
  jobs: PrintJobRepository
  labels: LabelSource
  invoices: InvoiceSource
  printers(): Printer[]
  routing(): RoutingRule[]
  labelRules(): LabelRules
  /** The sizes of a label's pages. */
  measure: Rasterizer['measure']
  /** Hears of an invoice that goes with the label and gets no job. */
  bus: Pick<EventBus, 'emit'>
  /** Asks a job that is being sent to stop, and resolves when it ended; at once when it can't be stopped. */
  stopSending(jobId: string): Promise<void>
  /** Called when there are new jobs. */
  wake(): void
  /** The name of the operator who is signed in; null when nobody is. */
  currentOperator(): string | null
}

/** What a person can do with labels and their jobs. Every call is durable when it resolves. */
export type JobActions = ReturnType<typeof createJobActions>

/** Makes the actions; they keep no state of their own. */
export function createJobActions(deps: JobActionsDeps) {
  const { jobs, labels, printers, stopSending } = deps

  const newJob = (subject: JobSubject, part: LabelPart, kind: PrintJob['kind']): NewPrintJob => ({
    ...toNewJob(subject, part, kind),
    ...(kind !== 'first' && { operator: deps.currentOperator() }),
  })

  /** Where the pages of a label go; all to its printer when they can't be measured. */
  async function listParts(
    label: Pick<FirstLabel, 'kind' | 'read'>,
    question: Pick<PartsQuestion, 'printer' | 'carrierOptionId' | 'routing'>,
  ): Promise<LabelPart[]> {
    const pages = await measureInTime(label)
    if (pages === undefined) return [{ printer: question.printer }]
    return planParts({
      ...question,
      ...{ pages, printers: printers(), placements: deps.labelRules().placements },
    })
  }

  /** The sizes of a PDF label's pages; undefined when they can't be known within a second. */
  async function measureInTime({ kind, read }: Pick<FirstLabel, 'kind' | 'read'>) {
    if (kind !== 'pdf') return undefined
    const measured = read().then((bytes) => (bytes === undefined ? undefined : deps.measure(bytes)))
    const pages = await inTime(measured, maxMeasureMs)
    return pages?.ok === true ? pages.value : undefined
  }

  const printerFor = (carrierOptionId: number, printerId?: string) =>
    printerId === undefined
      ? choosePrinter(deps.routing(), printers(), carrierOptionId)
      : findPrinter(printers(), printerId)

  /** One after the other, so that a key pressed twice finds the job of the first time. */
  const mutex = createMutex()

  /**
   * Stores the parts of one label that are to be printed, without those that wait for their printer already. Jobs that
   * would print a page of them on another printer move along; where they can't, nothing changes.
   */
  async function addParts(
    parts: NewPrintJob[],
    wanted: { pages?: PageRange | undefined; printerId?: string | undefined },
  ): Promise<Result<PrintJob[]>> {
    const [one] = parts
    if (one === undefined) return ok([])
    const waiting = (await jobs.ofShipment(one.shipmentId)).filter(
      (job) => job.labelId === one.labelId && waitingStates.includes(job.state),
    )
    const waitsFor = (part: NewPrintJob) =>
      waiting.find((job) => job.printerId === part.printerId && samePages(job, part))
    const missing = parts.filter((part) => waitsFor(part) === undefined)
    const waits = waitsFor(one)
    if (missing.length === 0 && waits !== undefined) return err(alreadyWaiting(waits))
    const moving: PrintJob[] = []
    for (const job of waiting.filter((job) => missing.some((part) => overlaps(job, part)))) {
      const isSame = missing.some((part) => samePages(job, part))
      // A job that holds other pages too would lose them; one that is on its way can't be taken back.
      const mayMove = job.printerId !== wanted.printerId && wanted.printerId !== undefined
      if (job.state === 'sending' ? !isSame : !(isSame || (mayMove && isWithin(job, wanted)))) {
        return err(alreadyWaiting(job))
      }
      if (job.state !== 'sending') moving.push(job)
    }
    if (moving.length === 0) return ok(await jobs.add(missing))
    const isInParts = moving.some(({ pages }) => pages === undefined) && missing.length > 1
    const successors = missing.map((part) =>
      moving.some((job) => overlaps(job, part)) ? { ...part, kind: 'moved' as const } : part,
    )
    const change = { state: 'cancelled' as const, ...(isInParts && { note: inParts }) }
    return replaceBy(moving, unsentStates, change, successors)
  }

  /** The same for pages that go to one printer. */
  async function addOne(job: NewPrintJob, printerId: string | undefined): Promise<Result<PrintJob>> {
    return mutex(async () => {
      const added = await addParts([job], { pages: job.pages, printerId })
      deps.wake()
      return getFirst(added)
    })
  }

  /**
   * Closes jobs of the same pages and makes a new one in their place, unless another job will print some of them: a label
   * that failed and was reprinted meanwhile is not wanted twice.
   */
  async function succeed(
    replaced: [PrintJob, ...PrintJob[]],
    from: PrintJobState[],
    { printer, kind }: { printer: Printer; kind: PrintJob['kind'] },
  ): Promise<Result<PrintJob>> {
    const [job] = replaced
    return mutex(async () => {
      const known = (await jobs.ofShipment(job.shipmentId)).filter(({ labelId }) => labelId === job.labelId)
      const state = known.find(({ id }) => id === job.id)?.state
      const waits = known.find(
        (other) => other.id !== job.id && waitingStates.includes(other.state) && overlaps(other, job),
      )
      // A job that waits itself is printed in any case, and one that has ended otherwise is not printed at all.
      const isMore = state !== undefined && from.includes(state) && !waitingStates.includes(state)
      if (isMore && waits !== undefined) return err(alreadyWaiting(waits))
      const successor = newJob(job, { ...job, printer }, kind)
      return getFirst(await replaceBy(replaced, from, { state: 'cancelled' }, [successor]))
    })
  }

  async function replaceBy(
    replaced: PrintJob[],
    from: PrintJobState[],
    change: PrintJobChange,
    successors: NewPrintJob[],
  ): Promise<Result<PrintJob[]>> {
    const ids = replaced.map(({ id }) => id)
    const done = await jobs.replace(ids, from, change, successors)
    if (done === undefined) return err(await whyNot(ids, from))
    // It may be begun with nothing sent: then the printer is free for the next one.
    for (const id of ids) void stopSending(id)
    deps.wake()
    return ok(done.successors)
  }

  /** In the same parts as before, so that one that still waits is not printed a second time. */
  async function partsToReprint(
    label: PrintableLabel,
    printer: Printer,
    known: readonly PrintJob[],
    printerId: string | undefined,
  ): Promise<LabelPart[]> {
    const { carrierOptionId, kind, bytes, labelId } = label
    const routing = printerId === undefined ? deps.routing() : []
    const wasInParts = known.some((job) => job.labelId === labelId && job.pages !== undefined)
    if (!wasInParts && !isRoutedByPage(routing, carrierOptionId)) return [{ printer }]
    return listParts({ kind, read: async () => bytes }, { printer, carrierOptionId, routing })
  }

  async function labelsToReprint(shipmentId: string, labelId?: string): Promise<Result<PrintableLabel[]>> {
    if (labelId === undefined) return labels.ofShipment(shipmentId)
    const label = await labels.find(labelId)
    if (!label.ok) return label
    return label.value.shipmentId === shipmentId ? ok([label.value]) : err(appError('label-not-found'))
  }

  async function whyNot(jobIds: readonly string[], from: PrintJobState[] = []): Promise<AppError> {
    const found = await Promise.all(jobIds.map((jobId) => jobs.find(jobId)))
    const job = found.find((each) => each === undefined || !from.includes(each.state))
    return job === undefined ? jobNotFound() : jobNotOpen(job)
  }

  return {
    /**
     * The first jobs of labels for the printers that the routing rules name: one each, or one for each part where rules
     * send some pages elsewhere. They are not stored: that is done together with the shipment. A label that can't be
     * measured within a second gets one job, as without such rules.
     * @param printerId takes them all, whatever the routing rules say
     * @returns the errors `no-printer` and `printer-not-found`
     */
    async plan(
      shipmentId: string,
      wanted: FirstLabel[],
      carrierOptionId: number,
      printerId?: string,
    ): Promise<Result<NewPrintJob[]>> {
      const routing = deps.routing()
      const printer = printerFor(carrierOptionId, printerId)
      if (!printer.ok) return printer
      const isByPage = printerId === undefined && isRoutedByPage(routing, carrierOptionId)
      const parts = await Promise.all(
        wanted.map((label): LabelPart[] | Promise<LabelPart[]> =>
          isByPage
            ? listParts(label, { printer: printer.value, carrierOptionId, routing })
            : [{ printer: printer.value }],
        ),
      )
      return ok(
        wanted.flatMap(({ id }, index) =>
          (parts[index] ?? []).map((part) => newJob({ shipmentId, labelId: id }, part, 'first')),
        ),
      )
    },

    /**
     * New jobs from stored labels: all or one, on the usual printer or another. A label that still waits is not printed
     * twice: it moves when another printer is named.
     * @returns `label-already-waiting` when nothing is left to do
     */
    async reprint(shipmentId: string, labelId?: string, printerId?: string): Promise<Result<PrintJob[]>> {
      const wanted = await labelsToReprint(shipmentId, labelId)
      if (!wanted.ok) return wanted
      const known = await jobs.ofShipment(shipmentId)
      const planned: NewPrintJob[][] = []
      for (const label of wanted.value) {
        const printer = printerFor(label.carrierOptionId, printerId ?? label.printerId)
        if (!printer.ok) return printer
        const parts = await partsToReprint(label, printer.value, known, printerId ?? label.printerId)
        planned.push(parts.map((part) => newJob(label, part, 'reprint')))
      }
      return mutex(async () => {
        const made: Result<PrintJob[]>[] = []
        for (const parts of planned) made.push(await addParts(parts, { printerId }))
        deps.wake()
        const jobsMade = made.flatMap((each) => (each.ok ? each.value : []))
        const refused = made.find((each) => !each.ok)
        return jobsMade.length === 0 && refused?.ok === false ? refused : ok(jobsMade)
      })
    },

    /** Closes a failed or unconfirmed job and makes a new one of its label; a second call finds it closed. */
    async printAgain(jobId: string, printerId?: string): Promise<Result<PrintJob>> {
      const job = await jobs.find(jobId)
      if (job === undefined) return err(jobNotFound())
      const printer = findPrinter(printers(), printerId ?? job.printerId)
      if (!printer.ok) return printer
      const kind = printer.value.id === job.printerId ? 'reprint' : 'moved'
      return succeed([job], openStates, { printer: printer.value, kind })
    },

    /** Prints the failed labels of a printer again, in the order in which they failed to come out. */
    async printAllAgain(printerId: string): Promise<Result<PrintJob[]>> {
      const printer = findPrinter(printers(), printerId)
      if (!printer.ok) return printer
      const failed = (await jobs.inStates(['failed'])).filter((job) => job.printerId === printerId)
      const made: PrintJob[] = []
      const replaced = new Set<string>()
      for (const job of failed) {
        if (replaced.has(job.id)) continue
        // A label that failed more than once is wanted once.
        const others = failed.filter(
          (other) => other.id !== job.id && other.shipmentId === job.shipmentId && isSamePart(other, job),
        )
        for (const { id } of others) replaced.add(id)
        const again = await succeed([job, ...others], ['failed'], { printer: printer.value, kind: 'reprint' })
        if (again.ok) made.push(again.value)
      }
      return ok(made)
    },

    /** Some pages of a label as a new job, on the usual printer or another. */
    async reprintPages(labelId: string, pages: PageRange, printerId?: string): Promise<Result<PrintJob>> {
      const label = await labels.find(labelId)
      if (!label.ok) return label
      const { kind, bytes, carrierOptionId } = label.value
      const printer = printerFor(carrierOptionId, printerId ?? label.value.printerId)
      if (!printer.ok) return printer
      const sizes = await measureInTime({ kind, read: async () => bytes })
      const part = { printer: printer.value, pages, ...(sizes !== undefined && { labelPages: sizes.length }) }
      return addOne(newJob(label.value, part, 'reprint'), printerId)
    },

    /** The label that last came out of a printer once more, the same pages of it; `nothing-printed-yet` without one. */
    async reprintLast(printerId: string): Promise<Result<PrintJob>> {
      const printer = findPrinter(printers(), printerId)
      if (!printer.ok) return printer
      const [last] = await jobs.newestInStates(printedStates, 1, printerId)
      return last === undefined
        ? err(appError('nothing-printed-yet', { printer: getPrinterName(printer.value) }))
        : addOne(newJob(last, { ...last, printer: printer.value }, 'reprint'), printerId)
    },

    /** Closes a job that was not sent or did not come out, and makes a new one of its label on another printer. */
    async move(jobId: string, printerId: string): Promise<Result<PrintJob>> {
      const job = await jobs.find(jobId)
      if (job === undefined) return err(jobNotFound())
      const printer = findPrinter(printers(), printerId)
      return printer.ok ? succeed([job], movableStates, { printer: printer.value, kind: 'moved' }) : printer
    },

    /**
     * Prints a page of a job, and the others of its size, on another printer, and the rest where it was to be printed.
     * @param page from 1
     * @returns `invalid-input` when the job has no such page, and `print-job-not-open` once something may have been sent
     */
    async printPageElsewhere(jobId: string, page: number, printerId: string): Promise<Result<PrintJob[]>> {
      const job = await jobs.find(jobId)
      if (job === undefined) return err(jobNotFound())
      const [printer, other] = [findPrinter(printers(), job.printerId), findPrinter(printers(), printerId)]
      if (!other.ok) return other
      if (!printer.ok) return printer
      if (job.labelId === null) return err(jobNotOpen(job))
      const label = await labels.find(job.labelId)
      if (!label.ok) return label
      const pages = await deps.measure(label.value.bytes)
      if (!pages.ok) return pages
      const size = pages.value[page - 1]
      const isOfJob = overlaps(job, { pages: { from: page, to: page } })
      if (size === undefined || !isOfJob) return err(noSuchPages(pages.value.length))
      const parts = planParts({
        ...{ pages: pages.value, range: job.pages, printer: printer.value, printers: printers() },
        carrierOptionId: label.value.carrierOptionId,
        routing: [{ pages: size, printer: printerId }],
        placements: [],
      })
      const successors = parts.map((part) =>
        newJob(job, part, part.printer.id === job.printerId ? job.kind : 'moved'),
      )
      const change = { state: 'cancelled' as const, ...(parts.length > 1 && { note: inParts, error: null }) }
      return replaceBy([job], unsentStates, change, successors)
    },

    /**
     * The first job of the invoice that goes with a shipment's label, to be stored together with the shipment; none when
     * invoices are printed on demand. Without a document printer there is none either, and the operator is told.
     */
    planInvoice(shipmentId: string, reference: string): NewPrintJob[] {
      const language = deps.invoices.languageWithLabel()
      if (language === undefined) return []
      const printer = deps.invoices.printer()
      if (printer === undefined) {
        deps.bus.emit('invoicePrinted', { shipmentId, reference, printer: null, error: noDocumentPrinter() })
        return []
      }
      return [newJob({ shipmentId, labelId: null, language }, { printer }, 'first')]
    },

    /**
     * A new job for a shipment's invoice on the document printer. One that still waits is not printed twice.
     * @returns `no-document-printer`, `no-customs` and `label-already-waiting`
     */
    async printInvoice(shipmentId: string, language: Language): Promise<Result<PrintJob>> {
      const printer = deps.invoices.printer()
      if (printer === undefined) return err(noDocumentPrinter())
      const invoice = await deps.invoices.find(shipmentId, language)
      if (!invoice.ok) return invoice
      return addOne(newJob({ shipmentId, labelId: null, language }, { printer }, 'reprint'), undefined)
    },

    /** Lets jobs that wait for a person's choice try again. */
    async releaseWaiting(): Promise<void> {
      for (const job of await jobs.inStates(['waiting'])) {
        await jobs.change(job.id, ['waiting'], { state: 'queued', error: null })
      }
      deps.wake()
    },

    /** Lets one waiting job try again, whose label may lose what is named. */
    async releaseDespite(jobId: string, losses: FindingKind[]): Promise<Result<PrintJob>> {
      const job = await jobs.find(jobId)
      if (job === undefined) return err(jobNotFound())
      const agreedLosses = [...new Set([...(job.agreedLosses ?? []), ...losses])]
      const released = await jobs.change(jobId, ['waiting'], { state: 'queued', error: null, agreedLosses })
      deps.wake()
      return released === undefined ? err(await whyNot([jobId])) : ok(released)
    },

    /** Closes a failed or unconfirmed job: it is done when it was printed, else cancelled, with the reason if one is given. */
    async resolveJob(
      jobId: string,
      verdict: 'printed' | 'not-printed',
      reason?: DismissalReason,
    ): Promise<Result<PrintJob>> {
      const resolvedBy = deps.currentOperator()
      const state = verdict === 'printed' ? 'done' : 'cancelled'
      const note: PrintNote | undefined = reason && { code: 'dismissed', says: [], reason }
      const resolved = await jobs.change(jobId, openStates, {
        state,
        resolvedBy,
        ...(note !== undefined && { note }),
      })
      return resolved === undefined ? err(await whyNot([jobId])) : ok(resolved)
    },

    /** Cancels a job that waits, or one that a spooler still holds. */
    async cancel(jobId: string): Promise<Result<PrintJob>> {
      const cancelled = await jobs.change(jobId, unsentStates, {
        state: 'cancelled',
        resolvedBy: deps.currentOperator(),
      })
      const stopped = stopSending(jobId)
      // Whoever waits in the printer's queue is counted anew.
      deps.wake()
      if (cancelled !== undefined) return ok(cancelled)
      await stopped
      const job = await jobs.find(jobId)
      return job?.state === 'cancelled' ? ok(job) : err(await whyNot([jobId]))
    },
  }
}

/** What is said by a range of pages; all of them without one. */
interface Pages {
  pages?: PageRange | undefined
}

function samePages({ pages: one }: Pages, { pages: other }: Pages): boolean {
  return one?.from === other?.from && one?.to === other?.to
}

/** Whether two jobs of a shipment are about the same pages of the same label, or about its invoice. */
function isSamePart(one: PrintJob, other: PrintJob): boolean {
  return one.labelId === other.labelId && samePages(one, other)
}

/** Whether both hold a page; without a range they hold all. */
function overlaps({ pages: one }: Pages, { pages: other }: Pages): boolean {
  return one === undefined || other === undefined || (one.from <= other.to && other.from <= one.to)
}

function isWithin({ pages: inner }: Pages, { pages: outer }: Pages): boolean {
  if (outer === undefined) return true
  return inner !== undefined && inner.from >= outer.from && inner.to <= outer.to
}

function getFirst(made: Result<PrintJob[]>): Result<PrintJob> {
  if (!made.ok) return made
  const [first] = made.value
  return first === undefined ? err(jobNotFound()) : ok(first)
}

function jobNotFound(): AppError {
  return appError('print-job-not-found')
}

function jobNotOpen(job: PrintJob): AppError {
  return appError('print-job-not-open', { state: job.state })
}

function alreadyWaiting(job: PrintJob): AppError {
  return appError('label-already-waiting', {
    ...(job.document === 'invoice' && { case: 'invoice' }),
    reference: job.reference,
    printer: job.printerName,
  })
}

function noDocumentPrinter(): AppError {
  return appError('no-document-printer')
}
