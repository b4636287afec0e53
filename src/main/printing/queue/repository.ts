import { sql } from 'kysely'
import { z } from 'zod'
import { type AppError, appError, appErrorSchema } from '../../../shared/errors'
import { type Language, languageSchema } from '../../../shared/fields'
import {
  type BarcodeProof,
  barcodeProofSchema,
  type FindingKind,
  findingKindSchema,
} from '../../../shared/labels'
import { type PrintNote, printNoteSchema } from '../../../shared/printerRemarks'
import {
  type PageRange,
  type PrintJob,
  type PrintJobState,
  printJobSchema,
  printJobStates,
} from '../../../shared/printing'
import type { EventBus } from '../../lib/eventBus'
import {
  compileOnce,
  type Database,
  jsonColumn,
  type OpenDatabase,
  type Placeholders,
  type TableOf,
  valuesIn,
} from '../../storage/database'
import type { TransactionOf } from '../../storage/databaseThread'

const printJobRow = printJobSchema
  .omit({
    ...{ labelPosition: true, reference: true, station: true, cancelledAt: true, barcode: true },
    ...{ pages: true, labelPages: true },
  })
  .extend({
    number: z.int(),
    /** Null for a label. */
    language: languageSchema.nullable(),
    note: jsonColumn(printNoteSchema).nullable(),
    error: jsonColumn(appErrorSchema).nullable(),
    /** Null when all pages are printed. */
    pageFrom: z.int().nullable(),
    pageTo: z.int().nullable(),
    /** Null when the label's pages were not counted. */
    labelPages: z.int().nullable(),
    /** When the shipment was cancelled while the job was being sent; null otherwise. */
    withdrawnAt: z.string().nullable(),
    /** Greater than those of the printer's jobs that were sent before; null for a job that was never sent. */
    sentNumber: z.int().nullable(),
    scannedAt: z.string().nullable(),
    scanSkipped: z.string().nullable(),
    leftSpoolerAt: z.string().nullable(),
    /** Null when nobody was signed in. */
    operator: z.string().nullable(),
    resolvedBy: z.string().nullable(),
    /** Null when nobody agreed to a loss for this job. */
    agreedLosses: jsonColumn(z.array(findingKindSchema)).nullable(),
    /** Null when the label's barcodes were not read. */
    barcodes: jsonColumn(barcodeProofSchema).nullable(),
  })

/** With columns of its label and shipment. */
const joinedRow = printJobRow.omit({ withdrawnAt: true, sentNumber: true }).extend({
  ...printJobSchema.pick({ labelPosition: true, reference: true, barcode: true }).shape,
  /** Null for a shipment of this station. */
  station: z.string().nullable(),
  /** Null unless the shipment was cancelled at the carrier. */
  cancelledAt: z.string().nullable(),
})

declare module '../../storage/database' {
  interface DatabaseSchema {
    printJobs: TableOf<typeof printJobRow, 'number'>
    /** Kept by triggers on print_jobs. */
    queuedJobs: {
      printerId: string
      jobs: number
    }
  }
}

declare module '../../storage/databaseThread' {
  interface Transactions {
    addPrintJobs: TransactionOf<typeof addPrintJobs>
    changePrintJob: TransactionOf<typeof changePrintJob>
    replacePrintJobs: TransactionOf<typeof replacePrintJobs>
  }
}

/** A print job before it is stored. */
export interface NewPrintJob {
  id: string
  shipmentId: string
  /** Null for the shipment's commercial invoice. */
  labelId: string | null
  /** The language of an invoice. */
  language?: Language
  printerId: string
  printerName: string
  kind: PrintJob['kind']
  /**
   * The operator who asked for it. Left out for a first print, which gets the shipment's, and for a job that replaces
   * another, which gets that one's.
   */
  operator?: string | null
  /** The pages to print; all when left out. */
  pages?: PageRange
  /** How many pages the label has, where they were counted. */
  labelPages?: number
}

export interface PrintJobChange {
  state?: PrintJobState
  acceptedAt?: Date
  outputPath?: string
  note?: PrintNote | null
  error?: AppError | null
  scannedAt?: Date
  /** A change with this reason, or of `leftSpoolerAt`, leaves `updatedAt` as it is. */
  scanSkipped?: string
  leftSpoolerAt?: Date
  resolvedBy?: string | null
  agreedLosses?: FindingKind[]
  barcodes?: BarcodeProof
}

/** The queued jobs of one printer. */
export interface QueuedJobs {
  /** The oldest. */
  next: PrintJob
  /** How many are queued, this one included. */
  count: number
}

/** Every call is durable when its promise resolves. */
export interface PrintJobRepository {
  add(jobs: NewPrintJob[]): Promise<PrintJob[]>
  find(jobId: string): Promise<PrintJob | undefined>
  /** Jobs of one shipment, oldest first. */
  listByShipment(shipmentId: string): Promise<PrintJob[]>
  /** Jobs of several shipments, oldest first. */
  listByShipments(shipmentIds: readonly string[]): Promise<PrintJob[]>
  /** Jobs in any of the states, oldest first. */
  listInStates(states: readonly PrintJobState[]): Promise<PrintJob[]>
  /**
   * The queue of each printer that has queued jobs. It reads one job of each queue, however long the queue is.
   * @param started ids of jobs that are left out and not counted
   */
  listQueues(started: readonly string[]): Promise<QueuedJobs[]>
  /** The most recently changed jobs in any of the states, oldest first. */
  newestInStates(states: readonly PrintJobState[], limit: number): Promise<PrintJob[]>
  /** Of a printer's jobs in any of the states whose shipment was not cancelled at the carrier, the one that was sent last. */
  findLastSent(printerId: string, states: readonly PrintJobState[]): Promise<PrintJob | undefined>
  /**
   * Changes a job if it is in one of the `from` states (compare and set), so that two callers can't claim the same job.
   * A job whose shipment was cancelled while it was being sent becomes `cancelled` when it turns out that nothing was
   * sent. A whole label that was scanned back while it was being sent becomes `done` when it was printed as far as is known.
   * @returns undefined when the job was in another state
   */
  change(jobId: string, from: readonly PrintJobState[], change: PrintJobChange): Promise<PrintJob | undefined>
  /**
   * Changes jobs as `change` does and adds their successors in one transaction, so that no crash can lose a label or
   * print it twice. No successor is added when the shipment was cancelled while one of the jobs was being sent.
   * @returns undefined, with nothing changed, when one of the jobs was in another state
   */
  replace(
    jobIds: readonly string[],
    from: readonly PrintJobState[],
    change: PrintJobChange,
    successors: NewPrintJob[],
  ): Promise<{ replaced: PrintJob[]; successors: PrintJob[] } | undefined>
}

/** States of jobs of which nothing was printed, and that can still print their label, a failed one by a new job. */
const statesBeforePrint: readonly PrintJobState[] = [...printJobStates.unsent, 'failed']

/**
 * Cancels all jobs that could still print a cancelled shipment's label or invoice: unsent and failed ones. A job that
 * is being sent is finished, and is marked so that it never goes back into the queue.
 * @returns the ids of the cancelled jobs
 */
export async function withdrawPrintJobs(
  connection: Database,
  shipmentId: string,
  { at, by }: { at: string; by: string | null },
): Promise<string[]> {
  await connection
    .updateTable('printJobs')
    .set({ withdrawnAt: at })
    .where('shipmentId', '=', shipmentId)
    .where('state', '=', 'sending')
    .execute()
  const jobs = await connection
    .updateTable('printJobs')
    .set({ state: 'cancelled', resolvedBy: by, updatedAt: toLaterTime(at) })
    .where('shipmentId', '=', shipmentId)
    .where('state', 'in', statesBeforePrint)
    .returning('id')
    .execute()
  return jobs.map((job) => job.id)
}

/**
 * Makes the jobs that have not ended unconfirmed, after a copy replaced the database: their labels may have been printed since
 * the copy was made.
 */
export async function unconfirmJobsOfCopy(connection: Database, at: Date): Promise<void> {
  const printers = await connection
    .selectFrom('printJobs')
    .select('printerName')
    .distinct()
    .where('state', 'in', printJobStates.pending)
    .execute()
  for (const { printerName } of printers) {
    const error = appError('print-unconfirmed', { case: 'restored', printer: printerName })
    await connection
      .updateTable('printJobs')
      .set({
        ...toChangedRow({ state: 'unconfirmed', note: null, error }),
        updatedAt: toLaterTime(at.toISOString()),
      })
      .where('state', 'in', printJobStates.pending)
      .where('printerName', '=', printerName)
      .execute()
  }
}

function mayPrintLater(state: PrintJobState | undefined): boolean {
  return state !== undefined && statesBeforePrint.includes(state)
}

async function cancelWithdrawn(connection: Database, jobId: string): Promise<void> {
  await connection
    .updateTable('printJobs')
    .set({ state: 'cancelled', note: null })
    .where('id', '=', jobId)
    .where('withdrawnAt', 'is not', null)
    .where('state', 'in', statesBeforePrint)
    .execute()
}

function mayBePrinted(state: PrintJobState | undefined): boolean {
  return state === 'handed-over' || state === 'unconfirmed'
}

/**
 * A part is left as it is: which part bears the barcode is not known. The printer had an unconfirmed label at the latest when it
 * was scanned.
 */
async function endScanned(connection: Database, jobId: string): Promise<void> {
  await connection
    .updateTable('printJobs')
    .set({
      ...{ state: 'done', error: null, note: null },
      acceptedAt: sql<string>`coalesce(accepted_at, scanned_at)`,
    })
    .where('id', '=', jobId)
    .where('scannedAt', 'is not', null)
    .where('pageFrom', 'is', null)
    .execute()
}

/** SQLite takes 32,766 values in a statement, and a label may have thousands of parts. */
const maxJobsPerInsert = 500

export function createPrintJobRepository(database: OpenDatabase, now: () => Date): PrintJobRepository {
  return {
    add: async (jobs) =>
      jobs.length === 0 ? [] : database.runTransaction('addPrintJobs', { jobs, moment: now() }),
    find: (jobId) => findPrintJob(database, jobId),
    listByShipment: (shipmentId) => listJobsOfShipments(database, [shipmentId]),
    listByShipments: (shipmentIds) => listJobsOfShipments(database, shipmentIds),
    async listInStates(states) {
      const rows = await select(database).where('printJobs.state', 'in', states).execute()
      return rows.map(toPrintJob)
    },
    async listQueues(started) {
      const { rows } = await selectQueues(database, { started: JSON.stringify(started) })
      return rows.map((row) => ({ next: toPrintJob(row), count: row.jobs - row.startedJobs }))
    },
    async newestInStates(states, limit) {
      // One query for each state follows an index, instead of sorting all finished jobs of a year.
      const findNewest = (state: PrintJobState) =>
        select(database)
          .where('printJobs.state', '=', state)
          .clearOrderBy()
          .orderBy('printJobs.updatedAt', 'desc')
          .orderBy('printJobs.number', 'desc')
          .limit(limit)
          .execute()
      const rows = (await Promise.all(states.map(findNewest))).flat()
      rows.sort((one, other) => compareTimes(other.updatedAt, one.updatedAt) || other.number - one.number)
      return rows.slice(0, limit).map(toPrintJob).reverse()
    },
    async findLastSent(printerId, states) {
      const row = await select(database)
        .where('printJobs.printerId', '=', printerId)
        .where('printJobs.state', 'in', states)
        .where('printJobs.sentNumber', 'is not', null)
        .where('shipments.cancelledAt', 'is', null)
        .clearOrderBy()
        .orderBy('printJobs.sentNumber', 'desc')
        .limit(1)
        .executeTakeFirst()
      return row && toPrintJob(row)
    },
    change: (jobId, from, change) =>
      database.runTransaction('changePrintJob', { jobId, from, change, moment: now() }),
    replace: (jobIds, from, change, successors) =>
      database.runTransaction('replacePrintJobs', { jobIds, from, change, successors, moment: now() }),
  }
}

/** Implements `PrintJobRepository.add` in the database thread. */
export async function addPrintJobs(
  transaction: Database,
  { jobs, moment }: { jobs: readonly NewPrintJob[]; moment: Date },
): Promise<PrintJob[]> {
  await insertPrintJobs(transaction, jobs, moment)
  return listPrintJobs(
    transaction,
    jobs.map(({ id }) => id),
  )
}

/** Implements `PrintJobRepository.change` in the database thread. */
export async function changePrintJob(
  transaction: Database,
  input: { jobId: string; from: readonly PrintJobState[]; change: PrintJobChange; moment: Date },
): Promise<PrintJob | undefined> {
  const { jobId, from, change, moment } = input
  if ((await changeJobsInStates(transaction, [jobId], from, change, moment)) === 0) return undefined
  if (mayPrintLater(change.state)) await cancelWithdrawn(transaction, jobId)
  if (mayBePrinted(change.state)) await endScanned(transaction, jobId)
  return findPrintJob(transaction, jobId)
}

/** Implements `PrintJobRepository.replace` in the database thread. */
export async function replacePrintJobs(
  transaction: Database,
  input: {
    jobIds: readonly string[]
    from: readonly PrintJobState[]
    change: PrintJobChange
    successors: readonly NewPrintJob[]
    moment: Date
  },
): Promise<{ replaced: PrintJob[]; successors: PrintJob[] } | undefined> {
  const { jobIds, from, change, successors, moment } = input
  const found = await select(transaction)
    .where('printJobs.id', 'in', jobIds)
    .where('printJobs.state', 'in', from)
    .execute()
  if (found.length < jobIds.length) return undefined
  await changeJobsInStates(transaction, jobIds, from, change, moment)
  const replaced = await listPrintJobs(transaction, jobIds)
  if (found.some(({ withdrawnAt, state }) => withdrawnAt !== null && printJobStates.underWay.includes(state)))
    return { replaced, successors: [] }
  const operator = found[0]?.operator ?? null
  const jobs = successors.map((job) => ({ operator, ...job }))
  return { replaced, successors: await addPrintJobs(transaction, { jobs, moment }) }
}

/** Implements `PrintJobRepository.listByShipments`. */
export async function listJobsOfShipments(
  connection: Database,
  shipmentIds: readonly string[],
): Promise<PrintJob[]> {
  if (shipmentIds.length === 0) return []
  const { rows } = await selectJobsOfShipments(connection, { shipmentIds: JSON.stringify(shipmentIds) })
  return rows.map(toPrintJob)
}

const selectJobsOfShipments = compileOnce(
  (database: Database, { shipmentIds }: Placeholders<{ shipmentIds: string }>) =>
    select(database).where('printJobs.shipmentId', 'in', valuesIn(shipmentIds)).compile(),
)

async function findPrintJob(connection: Database, jobId: string): Promise<PrintJob | undefined> {
  const { rows } = await selectJob(connection, { jobId })
  return rows[0] === undefined ? undefined : toPrintJob(rows[0])
}

const selectJob = compileOnce((database: Database, { jobId }: Placeholders<{ jobId: string }>) =>
  select(database).where('printJobs.id', '=', jobId).compile(),
)

/** For each printer: its oldest queued job that is not started, and the numbers of its queued and started jobs. */
const selectQueues = compileOnce((database: Database, { started }: Placeholders<{ started: string }>) => {
  return (
    select(database)
      .innerJoin('queuedJobs', 'queuedJobs.printerId', 'printJobs.printerId')
      .where('printJobs.number', 'in', (query) =>
        query
          .selectFrom('queuedJobs as queue')
          .select((queue) =>
            queue
              .selectFrom('printJobs as next')
              .select('next.number')
              .where('next.state', '=', 'queued')
              .whereRef('next.printerId', '=', 'queue.printerId')
              .where('next.id', 'not in', valuesIn(started))
              .orderBy('next.number')
              .limit(1)
              .as('number'),
          ),
      )
      .select('queuedJobs.jobs')
      // Counts the started jobs by their ids, so that it never reads a printer's whole queue.
      .select(
        sql<number>`(
        select count(*) from json_each(${started}) as each cross join print_jobs as started on started.id = each.value
        where started.state = 'queued' and started.printer_id = queued_jobs.printer_id
      )`.as('startedJobs'),
      )
      .compile()
  )
})

async function listPrintJobs(connection: Database, ids: readonly string[]): Promise<PrintJob[]> {
  const rows = await select(connection).where('printJobs.id', 'in', ids).execute()
  return rows.map(toPrintJob)
}

/** Compares ISO 8601 times in UTC, whose text sorts like their time. */
function compareTimes(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
}

/**
 * When the printer took the job's label, as far as that is known. The last change of an unconfirmed job is its outcome:
 * store this time as `acceptedAt` with every later change that says that the label was printed.
 */
export function printedAt({ acceptedAt, updatedAt }: PrintJob): string {
  return acceptedAt ?? updatedAt
}

function select(connection: Database) {
  return connection
    .selectFrom('printJobs')
    .leftJoin('labels', 'labels.id', 'printJobs.labelId')
    .leftJoin('shipments', 'shipments.id', 'printJobs.shipmentId')
    .leftJoin('fleetLabelCopies', 'fleetLabelCopies.id', 'printJobs.labelId')
    .leftJoin('fleetCopies', 'fleetCopies.id', 'printJobs.shipmentId')
    .selectAll('printJobs')
    .select(({ fn, val }) => [
      fn.coalesce('labels.position', 'fleetLabelCopies.position', val(1)).as('labelPosition'),
      fn.coalesce('labels.barcode', 'fleetLabelCopies.barcode', val('')).as('barcode'),
      fn.coalesce('shipments.reference', 'fleetCopies.reference', val('')).as('reference'),
      'fleetCopies.station',
      'shipments.cancelledAt',
    ])
    .orderBy('printJobs.number')
}

/** Adds jobs as `queued`, for example in the transaction that stores their shipment. */
export async function insertPrintJobs(
  connection: Database,
  jobs: readonly NewPrintJob[],
  moment: Date,
): Promise<void> {
  for (let start = 0; start < jobs.length; start += maxJobsPerInsert) {
    const rows = jobs.slice(start, start + maxJobsPerInsert).map((job) => toNewRow(job, moment))
    await connection.insertInto('printJobs').values(rows).execute()
  }
}

/** Changes those of the jobs that are in one of the `from` states. @returns how many */
async function changeJobsInStates(
  connection: Database,
  jobIds: readonly string[],
  from: readonly PrintJobState[],
  change: PrintJobChange,
  moment: Date,
): Promise<number> {
  const { numAffectedRows = 0n } = await updateJobs(connection, {
    ...{ ids: JSON.stringify(jobIds), from: JSON.stringify(from) },
    ...toChangedRow(change),
    // `printedAt` reads the time of an unconfirmed job's outcome, which both of these come after.
    ...(change.scanSkipped === undefined &&
      change.leftSpoolerAt === undefined && { updatedAt: moment.toISOString() }),
  })
  return Number(numAffectedRows)
}

/** The newest change of a job has the greatest `updatedAt`, also after the computer's clock was set back. */
function toLaterTime(at: unknown) {
  return sql<string>`max(updated_at, ${at})`
}

const updateJobs = compileOnce(
  (
    database: Database,
    {
      ids,
      from,
      updatedAt,
      ...change
    }: Placeholders<{ ids: string; from: string; updatedAt?: string } & ReturnType<typeof toChangedRow>>,
  ) =>
    database
      .updateTable('printJobs')
      .set({ ...change, ...(updatedAt !== undefined && { updatedAt: toLaterTime(updatedAt) }) })
      .where('id', 'in', valuesIn(ids))
      .where('state', 'in', valuesIn<PrintJobState>(from))
      .compile(),
)

/** A row, joined with its label and shipment. */
function toPrintJob(row: unknown): PrintJob {
  const {
    number,
    language,
    pageFrom,
    pageTo,
    scannedAt,
    scanSkipped,
    leftSpoolerAt,
    operator,
    resolvedBy,
    agreedLosses,
    barcodes,
    labelPages,
    station,
    cancelledAt,
    ...job
  } = joinedRow.parse(row)
  return {
    ...job,
    ...(language !== null && { language }),
    ...(station !== null && { station }),
    ...(cancelledAt !== null && { cancelledAt }),
    ...(pageFrom !== null && pageTo !== null && { pages: { from: pageFrom, to: pageTo } }),
    ...(labelPages !== null && { labelPages }),
    ...(scannedAt !== null && { scannedAt }),
    ...(scanSkipped !== null && { scanSkipped }),
    ...(leftSpoolerAt !== null && { leftSpoolerAt }),
    ...(operator !== null && { operator }),
    ...(resolvedBy !== null && { resolvedBy }),
    ...(agreedLosses !== null && { agreedLosses }),
    ...(barcodes !== null && { barcodes }),
  }
}

function toNewRow({ pages, ...job }: NewPrintJob, moment: Date) {
  const now = moment.toISOString()
  const range = pages !== undefined && { pageFrom: pages.from, pageTo: pages.to }
  const document = job.labelId === null ? ('invoice' as const) : ('label' as const)
  const operator =
    job.operator === undefined
      ? sql<string | null>`(select operator from shipments where id = ${job.shipmentId})`
      : job.operator
  return { ...job, operator, document, state: 'queued' as const, createdAt: now, updatedAt: now, ...range }
}

function toChangedRow({
  acceptedAt,
  scannedAt,
  leftSpoolerAt,
  note,
  error,
  agreedLosses,
  barcodes,
  ...rest
}: PrintJobChange) {
  const { shape } = printJobRow
  return {
    ...rest,
    ...(acceptedAt !== undefined && { acceptedAt: acceptedAt.toISOString() }),
    ...(scannedAt !== undefined && { scannedAt: scannedAt.toISOString() }),
    ...(leftSpoolerAt !== undefined && { leftSpoolerAt: leftSpoolerAt.toISOString() }),
    ...(note !== undefined && { note: shape.note.encode(note) }),
    ...(error !== undefined && { error: shape.error.encode(error) }),
    ...(agreedLosses !== undefined && { agreedLosses: shape.agreedLosses.encode(agreedLosses) }),
    ...(barcodes !== undefined && { barcodes: shape.barcodes.encode(barcodes) }),
  }
}

/**
 * Wraps a repository: it emits `printJobChanged` for every job that it added or changed, after the change is durable.
 */
export function announceChanges(jobs: PrintJobRepository, bus: Pick<EventBus, 'emit'>): PrintJobRepository {
  const announce = (job: PrintJob) => bus.emit('printJobChanged', job)
  return {
    ...jobs,
    async add(wanted) {
      const added = await jobs.add(wanted)
      added.forEach(announce)
      return added
    },
    async change(jobId, from, change) {
      const changed = await jobs.change(jobId, from, change)
      // Its label left its spooler, but its state, which listeners report to people, is the same.
      if (changed !== undefined && change.leftSpoolerAt === undefined) announce(changed)
      return changed
    },
    async replace(jobIds, from, change, successors) {
      const done = await jobs.replace(jobIds, from, change, successors)
      if (done === undefined) return undefined
      // The successors come first, so that a listener never sees a label as finished that is still to be printed.
      done.successors.forEach(announce)
      done.replaced.forEach(announce)
      return done
    },
  }
}
