import { type AppError, appError } from '../../../shared/errors'
import type { Language } from '../../../shared/fields'
import { listRelevantJobs } from '../../../shared/labelState'
import type { FindingKind } from '../../../shared/labels'
import type { DismissalReason, PrintNote } from '../../../shared/printerRemarks'
import {
  getPrinterName,
  type PageRange,
  type Printer,
  type PrintJob,
  type PrintJobState,
  printJobStates,
} from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { LabelKind } from '../../../shared/shipments'
import { createKeyedMutex } from '../../lib/async'
import { inTime } from '../../lib/retry'
import { noSuchPages } from '../layout/labelLayout'
import type { InvoiceSource, LabelSource, PrintableLabel, ShipmentLabels } from '../printableLabel'
import type { Rasterizer } from '../raster/rasterizer'
import { type NewPrintJob, type PrintJobChange, type PrintJobRepository, printedAt } from './repository'
import {
  choosePrinter,
  findPrinter,
  isRoutedByPage,
  type JobPart,
  type JobSubject,
  type LabelPart,
  noPrinter,
  type PartsInput,
  type PrintingSettings,
  planParts,
  toNewJob,
} from './routing'

/** Jobs that can move to another printer: nothing was sent, or a person decides that nothing came out. */
const movableStates: readonly PrintJobState[] = ['queued', ...printJobStates.forPerson]

/** A label that is not stored yet. */
export interface FirstLabel {
  id: string
  kind: LabelKind
  /** Its bytes; undefined when they can't be read. */
  read(): Promise<Buffer | undefined>
}

/** The note of a job whose pages are printed by several new jobs. */
const inParts: PrintNote = { code: 'in-parts', says: [] }

/** Longer than this, measuring does not delay the commit of a shipment. */
const maxMeasureMs = 1000

/**
 * A person waits while a driver or spooler cancels a job; a program that is printing it may take a minute, a print server
 * that does not answer longer.
 */
const maxCancelMs = 5000

export interface JobActionsDeps {
  jobs: PrintJobRepository
  labels: LabelSource
  invoices: InvoiceSource
  settings: PrintingSettings
  measure: Rasterizer['measure']
  /**
   * Cancels a started job and resolves when it has ended.
   * @returns false, at once, when it is not started or its driver can't cancel it
   */
  stopSending(jobId: string): Promise<boolean>
  /** Removes an unconfirmed job from its spooler. @returns false when the spooler may still print it */
  withdraw(job: PrintJob): Promise<boolean>
  /** Starts jobs that can be started now. */
  wake(): void
  /** The name of the operator who is signed in; null when nobody is. */
  currentOperator(): string | null
  now(): Date
}

/** What a person can do with labels and print jobs. Every call is durable when it resolves. */
export type JobActions = ReturnType<typeof createJobActions>

export function createJobActions(deps: JobActionsDeps) {
  const { jobs, labels, settings, stopSending } = deps

  const newJob = (subject: JobSubject, part: JobPart, kind: PrintJob['kind']): NewPrintJob => ({
    ...toNewJob(subject, part, kind),
    ...(kind !== 'first' && { operator: deps.currentOperator() }),
  })

  /** Splits a label by the routing rules; one part when its pages can't be measured. */
  async function planLabelParts(
    label: Pick<FirstLabel, 'kind' | 'read'>,
    input: Pick<PartsInput, 'printer' | 'carrierOptionId' | 'routing'>,
  ): Promise<LabelPart[]> {
    const pages = await measureInTime(label)
    if (pages === undefined) return [{ printer: input.printer }]
    const { printers, labelRules } = settings.current()
    return planParts({ ...input, ...{ pages, printers, placements: labelRules.placements } })
  }

  /** The page sizes of a PDF label; undefined for other labels, and when measuring takes longer than a second. */
  async function measureInTime({ kind, read }: Pick<FirstLabel, 'kind' | 'read'>) {
    if (kind !== 'pdf') return undefined
    const measured = read().then((bytes) => (bytes === undefined ? undefined : deps.measure(bytes)))
    const pages = await inTime(measured, maxMeasureMs)
    return pages?.ok === true ? pages.value : undefined
  }

  const printerFor = (carrierOptionId: number, printerId?: string) => {
    const { routing, printers } = settings.current()
    return printerId === undefined
      ? choosePrinter(routing, printers, carrierOptionId)
      : findPrinter(printers, printerId)
  }

  /**
   * Serializes the changes of each shipment, so that a second press of a key finds the job of the first. Other shipments
   * do not wait for a spooler that does not answer.
   */
  const shipmentMutex = createKeyedMutex()

  /** All jobs of a label, or of an invoice in one language. */
  const listSameDocument = async (document: Document & Pick<NewPrintJob, 'shipmentId'>) =>
    (await jobs.listByShipment(document.shipmentId)).filter((job) => isSameDocument(job, document))

  /**
   * Plans jobs for the parts of one label, without those that already wait. A waiting job that would print one of these
   * pages on another printer than the requested one is to be replaced.
   * @returns `label-already-waiting` when all parts wait or a waiting job can't be replaced
   */
  async function planAddition(
    parts: NewPrintJob[],
    requested: { pages?: PageRange | undefined; printerId?: string | undefined },
  ): Promise<Result<Addition>> {
    const [one] = parts
    if (one === undefined) return ok({ missing: [], moving: [] })
    const waiting = (await listSameDocument(one)).filter((job) => printJobStates.pending.includes(job.state))
    // Without a requested printer any printer will do, such as the standby that took over.
    const findWaiting = (part: NewPrintJob) =>
      waiting.find(
        (job) =>
          (requested.printerId === undefined || job.printerId === part.printerId) && samePages(job, part),
      )
    const missing = parts.filter((part) => findWaiting(part) === undefined)
    const waitingForOne = findWaiting(one)
    if (missing.length === 0 && waitingForOne !== undefined) return err(alreadyWaiting(waitingForOne))
    const moving: PrintJob[] = []
    for (const job of waiting.filter((job) => missing.some((part) => overlaps(job, part)))) {
      const isSame = missing.some((part) => samePages(job, part))
      // Replacing a job with further pages would lose these pages, and a job that is being sent can't be replaced.
      const mayMove = job.printerId !== requested.printerId && requested.printerId !== undefined
      if (job.state === 'sending' ? !isSame : !(isSame || (mayMove && isWithin(job, requested)))) {
        return err(alreadyWaiting(job))
      }
      if (job.state !== 'sending') moving.push(job)
    }
    return ok({ missing, moving })
  }

  async function addPlanned({ missing, moving }: Addition): Promise<Result<PrintJob[]>> {
    if (moving.length === 0) return ok(await jobs.add(missing))
    const isInParts = moving.some(({ pages }) => pages === undefined) && missing.length > 1
    const successors = missing.map((part) =>
      moving.some((job) => overlaps(job, part)) ? { ...part, kind: 'moved' as const } : part,
    )
    const change = { state: 'cancelled' as const, ...(isInParts && { note: inParts }) }
    return replaceJobs(moving, printJobStates.unsent, change, successors)
  }

  /**
   * Removes the unconfirmed jobs that would print one of these pages from their spoolers, so that they do not come out
   * beside a new print. A spooler is asked once for each job: it may be off later.
   * @returns `label-in-spooler` when a spooler may still print one, or does not answer within 5 s
   */
  async function withdrawUnconfirmed(
    known: readonly PrintJob[],
    parts: readonly Pages[],
  ): Promise<Result<void>> {
    for (const job of known) {
      if (job.state !== 'unconfirmed' || job.leftSpoolerAt !== undefined) continue
      if (!parts.some((part) => overlaps(job, part))) continue
      const { reference, printerName } = job
      if ((await inTime(deps.withdraw(job), maxCancelMs)) !== true)
        return err(appError('label-in-spooler', { reference, printer: printerName }))
      await jobs.change(job.id, ['unconfirmed'], { leftSpoolerAt: deps.now() })
    }
    return ok(undefined)
  }

  /** Adds one job, unless it already waits. */
  async function addJobNotWaiting(
    job: NewPrintJob,
    printerId: string | undefined,
  ): Promise<Result<PrintJob>> {
    return shipmentMutex(job.shipmentId, async () => {
      const planned = await planAddition([job], { pages: job.pages, printerId })
      if (!planned.ok) return planned
      const withdrawn = await withdrawUnconfirmed(await listSameDocument(job), planned.value.missing)
      if (!withdrawn.ok) return withdrawn
      const added = await addPlanned(planned.value)
      deps.wake()
      return getFirst(added)
    })
  }

  /**
   * Replaces jobs of the same pages with one new job, unless another job will print some of these pages: a label that
   * failed and was reprinted meanwhile is not printed twice.
   */
  async function replaceWithOne(
    replaced: [PrintJob, ...PrintJob[]],
    from: readonly PrintJobState[],
    { printer, kind }: { printer: Printer; kind: PrintJob['kind'] },
  ): Promise<Result<PrintJob>> {
    const [job] = replaced
    return shipmentMutex(job.shipmentId, async () => {
      const known = await listSameDocument(job)
      const state = known.find(({ id }) => id === job.id)?.state
      const waiting = known.find(
        (other) =>
          other.id !== job.id && printJobStates.pending.includes(other.state) && overlaps(other, job),
      )
      // If the job itself still waits, the new one only takes its place; otherwise the label would be printed once
      // more.
      const addsPrint = state !== undefined && from.includes(state) && !printJobStates.pending.includes(state)
      if (addsPrint && waiting !== undefined) return err(alreadyWaiting(waiting))
      const withdrawn = await withdrawUnconfirmed(known, [job])
      if (!withdrawn.ok) return withdrawn
      const successor = newJob(job, { ...job, printer }, kind)
      return getFirst(await replaceJobs(replaced, from, { state: 'cancelled' }, [successor]))
    })
  }

  /**
   * Whether later jobs took the place of failed jobs of the same pages, as a reprint does. The failed jobs are closed once
   * these pages have come out.
   */
  async function closeIfSuperseded(failed: [PrintJob, ...PrintJob[]]): Promise<boolean> {
    const [job] = failed
    const relevant = listRelevantJobs(await listSameDocument(job))
    if (failed.some(({ id }) => relevant.some((other) => other.id === id))) return false
    if (relevant.every((other) => !overlaps(other, job) || printJobStates.printed.includes(other.state))) {
      for (const { id } of failed) await jobs.change(id, ['failed'], { state: 'cancelled' })
    }
    return true
  }

  async function replaceJobs(
    replaced: PrintJob[],
    from: readonly PrintJobState[],
    change: PrintJobChange,
    successors: NewPrintJob[],
  ): Promise<Result<PrintJob[]>> {
    const ids = replaced.map(({ id }) => id)
    const done = await jobs.replace(ids, from, change, successors)
    if (done === undefined) return err(await explainRefusal(ids, from))
    // A replaced job may have been started without anything sent: cancelling it frees its printer.
    for (const id of ids) void stopSending(id)
    deps.wake()
    return ok(done.successors)
  }

  /** Splits a label as it was split before, so that a part that still waits is recognized and not printed twice. */
  async function planReprint(
    label: PrintableLabel,
    printer: Printer,
    known: readonly PrintJob[],
    printerId: string | undefined,
  ): Promise<LabelPart[]> {
    const { carrierOptionId, kind, bytes, labelId } = label
    const routing = printerId === undefined ? settings.current().routing : []
    const wasInParts = known.some((job) => job.labelId === labelId && job.pages !== undefined)
    if (!wasInParts && !isRoutedByPage(routing, carrierOptionId)) return [{ printer }]
    return planLabelParts({ kind, read: async () => bytes }, { printer, carrierOptionId, routing })
  }

  async function findLabelsToReprint(shipmentId: string, labelId?: string): Promise<Result<ShipmentLabels>> {
    if (labelId === undefined) return labels.listByShipment(shipmentId)
    const label = await labels.find(labelId)
    if (!label.ok) return label
    return label.value.shipmentId === shipmentId
      ? ok({ labels: [label.value], unusable: [] })
      : err(appError('label-not-found'))
  }

  async function explainRefusal(
    jobIds: readonly string[],
    from: readonly PrintJobState[] = [],
  ): Promise<AppError> {
    const found = await Promise.all(jobIds.map((jobId) => jobs.find(jobId)))
    const job = found.find((each) => each === undefined || !from.includes(each.state))
    return job === undefined ? jobNotFound() : jobNotOpen(job)
  }

  return {
    /**
     * The first jobs of new labels on the printers that the routing rules name: one for each label, or one for each
     * part when rules send some pages elsewhere. The caller stores them together with the shipment. A label that can't
     * be measured within a second gets one job.
     * @param printerId prints all labels, instead of the printers of the routing rules
     * @returns the errors `no-printer` and `printer-not-found`
     */
    async plan(
      shipmentId: string,
      wanted: FirstLabel[],
      carrierOptionId: number,
      printerId?: string,
    ): Promise<Result<NewPrintJob[]>> {
      const { routing } = settings.current()
      const printer = printerFor(carrierOptionId, printerId)
      if (!printer.ok) return printer
      const isByPage = printerId === undefined && isRoutedByPage(routing, carrierOptionId)
      const parts = await Promise.all(
        wanted.map((label): LabelPart[] | Promise<LabelPart[]> =>
          isByPage
            ? planLabelParts(label, { printer: printer.value, carrierOptionId, routing })
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
     * Adds jobs for the stored labels of a shipment, or for one of them, on the usual printer or a given one. A label
     * that still waits is not printed twice: its job moves when another printer is given.
     * @returns `label-already-waiting` when there is nothing to add; `label-in-spooler`, with nothing added, when one of
     *   the labels may still come out of its spooler; `label-unreadable`, with the others added, when the files of some
     *   can't be used
     */
    async reprint(shipmentId: string, labelId?: string, printerId?: string): Promise<Result<PrintJob[]>> {
      const found = await findLabelsToReprint(shipmentId, labelId)
      if (!found.ok) return found
      const { unusable } = found.value
      const known = await jobs.listByShipment(shipmentId)
      const planned: NewPrintJob[][] = []
      for (const label of found.value.labels) {
        const printer = printerFor(label.carrierOptionId, printerId ?? label.printerId)
        if (!printer.ok) return printer
        const parts = await planReprint(label, printer.value, known, printerId ?? label.printerId)
        planned.push(parts.map((part) => newJob(label, part, 'reprint')))
      }
      return shipmentMutex(shipmentId, async () => {
        const additions: Result<Addition>[] = []
        for (const parts of planned) additions.push(await planAddition(parts, { printerId }))
        for (const addition of additions) {
          const missing = addition.ok ? addition.value.missing : []
          const [one] = missing
          if (one === undefined) continue
          // Read now: withdrawing another label may have taken seconds, in which a job of this one became unconfirmed.
          const withdrawn = await withdrawUnconfirmed(await listSameDocument(one), missing)
          if (!withdrawn.ok) return withdrawn
        }
        const made: Result<PrintJob[]>[] = []
        for (const addition of additions) {
          // Planned anew: withdrawing may have taken seconds, in which a queued job began to be sent. Labels that already
          // waited before are left out: they may have been printed since.
          const now = addition.ok ? await planAddition(addition.value.missing, { printerId }) : addition
          made.push(now.ok ? await addPlanned(now.value) : now)
        }
        deps.wake()
        const jobsMade = made.flatMap((each) => (each.ok ? each.value : []))
        const refused = made.find((each) => !each.ok)
        if (jobsMade.length === 0 && refused?.ok === false) return refused
        return unusable.length === 0 ? ok(jobsMade) : err(onlyOthersPrinted(found.value))
      })
    },

    /**
     * Replaces a failed, unconfirmed or waiting job with a new one. A second call finds it closed. An invoice whose printer
     * was removed goes to the present document printer.
     */
    async printAgain(jobId: string, printerId?: string): Promise<Result<PrintJob>> {
      const job = await jobs.find(jobId)
      if (job === undefined) return err(jobNotFound())
      const { printers } = settings.current()
      const isReplaced = job.labelId === null && !findPrinter(printers, job.printerId).ok
      const wanted = printerId ?? (isReplaced ? deps.invoices.printer()?.id : job.printerId)
      if (wanted === undefined) return err(appError('no-document-printer'))
      const printer = findPrinter(printers, wanted)
      if (!printer.ok) return printer
      const kind = printer.value.id === job.printerId ? 'reprint' : 'moved'
      return replaceWithOne([job], printJobStates.forPerson, { printer: printer.value, kind })
    },

    /** Replaces all failed jobs of a printer with new ones, oldest first, unless later jobs took their place. */
    async printAllAgain(printerId: string): Promise<Result<PrintJob[]>> {
      const printer = findPrinter(settings.current().printers, printerId)
      if (!printer.ok) return printer
      const allFailed = await jobs.listInStates(['failed'])
      const failed = allFailed.filter((job) => job.printerId === printerId)
      const made: PrintJob[] = []
      const replaced = new Set<string>()
      for (const job of failed) {
        if (replaced.has(job.id)) continue
        // A label that failed more than once, perhaps on several printers, is printed once.
        const others = allFailed.filter(
          (other) =>
            other.id !== job.id &&
            other.shipmentId === job.shipmentId &&
            isSameDocument(other, job) &&
            samePages(other, job),
        )
        for (const { id } of others) replaced.add(id)
        if (await closeIfSuperseded([job, ...others])) continue
        const again = await replaceWithOne([job, ...others], ['failed'], {
          printer: printer.value,
          kind: 'reprint',
        })
        if (again.ok) made.push(again.value)
      }
      return ok(made)
    },

    /**
     * Adds a job for some pages of a label, on the usual printer or a given one.
     * @returns `invalid-input` when the label lacks one of these pages
     */
    async reprintPages(labelId: string, pages: PageRange, printerId?: string): Promise<Result<PrintJob>> {
      const label = await labels.find(labelId)
      if (!label.ok) return label
      const { kind, bytes, carrierOptionId } = label.value
      const printer = printerFor(carrierOptionId, printerId ?? label.value.printerId)
      if (!printer.ok) return printer
      const sizes = await measureInTime({ kind, read: async () => bytes })
      if (sizes !== undefined && pages.to > sizes.length) return err(noSuchPages(sizes.length))
      const part = { printer: printer.value, pages, ...(sizes !== undefined && { labelPages: sizes.length }) }
      return addJobNotWaiting(newJob(label.value, part, 'reprint'), printerId)
    },

    /**
     * Prints the last printed label of a printer again, with the same pages, unless its shipment was cancelled at the
     * carrier; `nothing-printed-yet` when there is none.
     */
    async reprintLast(printerId: string): Promise<Result<PrintJob>> {
      const printer = findPrinter(settings.current().printers, printerId)
      if (!printer.ok) return printer
      const last = await jobs.findLastSent(printerId, printJobStates.printedOrUnconfirmed)
      return last === undefined
        ? err(appError('nothing-printed-yet', { printer: getPrinterName(printer.value) }))
        : addJobNotWaiting(newJob(last, { ...last, printer: printer.value }, 'reprint'), printerId)
    },

    /** Replaces a job that was not sent or did not come out with a new one on another printer. */
    async move(jobId: string, printerId: string): Promise<Result<PrintJob>> {
      const job = await jobs.find(jobId)
      if (job === undefined) return err(jobNotFound())
      const printer = findPrinter(settings.current().printers, printerId)
      return printer.ok
        ? replaceWithOne([job], movableStates, { printer: printer.value, kind: 'moved' })
        : printer
    },

    /**
     * Prints one page of a job, and all others of the same size, on another printer. The rest stays on the job's
     * printer.
     * @param page from 1
     * @returns `invalid-input` when the job has no such page, and `print-job-not-open` once something may have been
     *   sent
     */
    async printPageElsewhere(jobId: string, page: number, printerId: string): Promise<Result<PrintJob[]>> {
      const job = await jobs.find(jobId)
      if (job === undefined) return err(jobNotFound())
      const { printers } = settings.current()
      const [printer, other] = [findPrinter(printers, job.printerId), findPrinter(printers, printerId)]
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
        ...{ pages: pages.value, range: job.pages, printer: printer.value },
        ...{ printers: settings.current().printers },
        carrierOptionId: label.value.carrierOptionId,
        routing: [{ pages: size, printer: printerId }],
        placements: [],
      })
      const successors = parts.map((part) =>
        newJob(job, part, part.printer.id === job.printerId ? job.kind : 'moved'),
      )
      const change = { state: 'cancelled' as const, ...(parts.length > 1 && { note: inParts, error: null }) }
      return replaceJobs([job], printJobStates.unsent, change, successors)
    },

    /**
     * The first job of a shipment's invoice, if invoices are printed with each label. The caller stores it together
     * with the shipment. Without a document printer it fails, so that somebody sees it.
     */
    planInvoice(shipmentId: string): NewPrintJob[] {
      const language = deps.invoices.languageWithLabel()
      if (language === undefined) return []
      const printer = deps.invoices.printer() ?? noPrinter
      return [newJob({ shipmentId, labelId: null, language }, { printer }, 'first')]
    },

    /**
     * Adds a job for a shipment's invoice on the document printer, unless one still waits.
     * @returns `no-document-printer`, `no-customs` and `label-already-waiting`
     */
    async printInvoice(shipmentId: string, language: Language): Promise<Result<PrintJob>> {
      const printer = deps.invoices.printer()
      if (printer === undefined) return err(appError('no-document-printer'))
      const invoice = await deps.invoices.find(shipmentId, language)
      if (!invoice.ok) return invoice
      return addJobNotWaiting(
        newJob({ shipmentId, labelId: null, language }, { printer }, 'reprint'),
        undefined,
      )
    },

    /** Queues all jobs again that wait for a person's choice. */
    async releaseWaiting(): Promise<void> {
      for (const job of await jobs.listInStates(['waiting'])) {
        await jobs.change(job.id, ['waiting'], { state: 'queued', error: null })
      }
      deps.wake()
    },

    /** Queues one waiting job again, and lets its label lose content of the given kinds. */
    async releaseDespite(jobId: string, losses: FindingKind[]): Promise<Result<PrintJob>> {
      const job = await jobs.find(jobId)
      if (job === undefined) return err(jobNotFound())
      const agreedLosses = [...new Set([...(job.agreedLosses ?? []), ...losses])]
      const released = await jobs.change(jobId, ['waiting'], { state: 'queued', error: null, agreedLosses })
      deps.wake()
      return released === undefined ? err(await explainRefusal([jobId])) : ok(released)
    },

    /**
     * Closes a failed, unconfirmed or waiting job: `done` if its label was printed, otherwise `cancelled`.
     * @returns `label-in-spooler` when a label that was not printed may still come out of its spooler
     */
    async resolveJob(
      jobId: string,
      verdict: 'printed' | 'not-printed',
      reason?: DismissalReason,
    ): Promise<Result<PrintJob>> {
      const resolvedBy = deps.currentOperator()
      const state = verdict === 'printed' ? 'done' : 'cancelled'
      const note: PrintNote | undefined = reason && { code: 'dismissed', says: [], reason }
      const job = await jobs.find(jobId)
      if (job === undefined) return err(jobNotFound())
      const withdrawn = verdict === 'printed' ? ok(undefined) : await withdrawUnconfirmed([job], [job])
      if (!withdrawn.ok) return withdrawn
      const resolved = await jobs.change(jobId, printJobStates.forPerson, {
        state,
        resolvedBy,
        ...(verdict === 'printed' && { acceptedAt: new Date(printedAt(job)) }),
        ...(note !== undefined && { note }),
      })
      return resolved === undefined ? err(await explainRefusal([jobId])) : ok(resolved)
    },

    /**
     * Cancels a job that was not sent, or that its driver can still cancel.
     * @returns `print-job-not-open` when it is not cancelled within 5 s; it may still be cancelled later
     */
    async cancel(jobId: string): Promise<Result<PrintJob>> {
      const resolvedBy = deps.currentOperator()
      const cancelled = await jobs.change(jobId, printJobStates.unsent, { state: 'cancelled', resolvedBy })
      const stopped = stopSending(jobId)
      // The printer's count of waiting jobs has changed.
      deps.wake()
      if (cancelled !== undefined) return ok(cancelled)
      const recorded = stopped.then(async (isStopped) => {
        if (isStopped) await jobs.change(jobId, ['cancelled'], { resolvedBy })
      })
      await inTime(recorded, maxCancelMs)
      const job = await jobs.find(jobId)
      return job?.state === 'cancelled' ? ok(job) : err(await explainRefusal([jobId]))
    },
  }
}

/** The jobs that a reprint of one label adds. */
interface Addition {
  missing: NewPrintJob[]
  /** Jobs that the missing ones replace. */
  moving: PrintJob[]
}

type Document = Pick<NewPrintJob, 'labelId' | 'language'>

interface Pages {
  /** All when left out. */
  pages?: PageRange | undefined
}

function samePages({ pages: one }: Pages, { pages: other }: Pages): boolean {
  return one?.from === other?.from && one?.to === other?.to
}

/** Whether two jobs of a shipment print the same label, or both its invoice in the same language. */
function isSameDocument(one: Document, other: Document): boolean {
  return one.labelId === other.labelId && one.language === other.language
}

/** Whether two ranges have a page in common. */
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

function jobNotOpen({ state }: PrintJob): AppError {
  const isUnderWay = state === 'queued' || state === 'sending'
  return appError('print-job-not-open', { ...(isUnderWay && { case: state }), state })
}

function alreadyWaiting(job: PrintJob): AppError {
  return appError('label-already-waiting', {
    ...(job.document === 'invoice' && { case: 'invoice' }),
    reference: job.reference,
    printer: job.printerName,
  })
}

function onlyOthersPrinted({ labels: [one], unusable }: ShipmentLabels): AppError {
  return appError('label-unreadable', {
    case: 'others-printed',
    reference: one?.reference ?? '',
    positions: unusable.join(', '),
  })
}
