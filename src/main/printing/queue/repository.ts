import { sql } from 'kysely'
import { z } from 'zod'
import { type AppError, appErrorSchema } from '../../../shared/errors'
import { type Language, languageSchema } from '../../../shared/fields'
import {
  type BarcodeProof,
  barcodeProofSchema,
  type FindingKind,
  findingKindSchema,
} from '../../../shared/labels'
import { type PrintNote, printNoteSchema } from '../../../shared/printerRemarks'
import { type PageRange, type PrintJob, type PrintJobState, printJobSchema } from '../../../shared/printing'
import type { EventBus } from '../../lib/eventBus'
import {
  compileOnce,
  type Database,
  jsonColumn,
  type OpenDatabase,
  type Places,
  type TableOf,
  valuesIn,
} from '../../storage/database'
import type { TransactionOf } from '../../storage/databaseThread'

const printJobRow = printJobSchema
  .omit({ labelPosition: true, reference: true, station: true, barcode: true, pages: true, labelPages: true })
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
    /** When the shipment was noted as cancelled while the job was being sent; null for others. */
    withdrawnAt: z.string().nullable(),
    scannedAt: z.string().nullable(),
    scanSkipped: z.string().nullable(),
    /** Null when nobody was signed in. */
    operator: z.string().nullable(),
    resolvedBy: z.string().nullable(),
    /** Null when the person agreed to nothing for this job. */
    agreedLosses: jsonColumn(z.array(findingKindSchema)).nullable(),
    /** Null when the label's barcodes were not read. */
    barcodes: jsonColumn(barcodeProofSchema).nullable(),
  })

/** With what its label and shipment add. */
const joinedRow = printJobRow.extend({
  ...printJobSchema.pick({ labelPosition: true, reference: true, barcode: true }).shape,
  /** Null for a shipment of this station. */
  station: z.string().nullable(),
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
  /** Of an invoice. */
  language?: Language
  printerId: string
  printerName: string
  kind: PrintJob['kind']
  /** Who asks for it; left out for a first print and for what takes another job's place: they belong to whose work it is. */
  operator?: string | null
  /** The pages that are printed; all when left out. */
  pages?: PageRange
  /** How many pages the label has, where they were counted. */
  labelPages?: number
}

/** What may change in a stored job. */
export interface PrintJobChange {
  state?: PrintJobState
  acceptedAt?: Date
  outputPath?: string
  note?: PrintNote | null
  error?: AppError | null
  scannedAt?: Date
  scanSkipped?: string
  resolvedBy?: string | null
  agreedLosses?: FindingKind[]
  barcodes?: BarcodeProof
}

/** What waits for one printer. */
export interface QueuedJobs {
  /** The oldest of its queued jobs. */
  next: PrintJob
  /** How many are queued, this one included. */
  count: number
}

/** Where print jobs are kept. Every call is durable when its promise resolves. */
export interface PrintJobRepository {
  add(jobs: NewPrintJob[]): Promise<PrintJob[]>
  find(jobId: string): Promise<PrintJob | undefined>
  /** Jobs of one shipment, oldest first. */
  ofShipment(shipmentId: string): Promise<PrintJob[]>
  /** Jobs of several shipments, oldest first. */
  ofShipments(shipmentIds: readonly string[]): Promise<PrintJob[]>
  /** Jobs in any of the states, oldest first. */
  inStates(states: PrintJobState[]): Promise<PrintJob[]>
  /**
   * The queue of each printer that has queued jobs. However long the queues are, one job of each is read.
   * @param begun ids of jobs that are passed over and not counted
   */
  listQueues(begun: readonly string[]): Promise<QueuedJobs[]>
  /** The jobs in any of the states that changed last, oldest first; of one printer when it is named. */
  newestInStates(states: PrintJobState[], limit: number, printerId?: string): Promise<PrintJob[]>
  /**
   * Changes a job, only while it is in one of the `from` states: undefined when it was not, so that two
   * actors can't both take the same job. One that proves unsent after its shipment was cancelled becomes `cancelled`.
   */
  change(jobId: string, from: PrintJobState[], change: PrintJobChange): Promise<PrintJob | undefined>
  /**
   * Changes jobs as `change` does and adds those that take their place, all or nothing, so that no crash in between
   * can lose a label or print it twice: undefined when one of the jobs was in none of the `from` states. Nothing takes the
   * place of a job whose shipment was cancelled while it was being sent.
   */
  replace(
    jobIds: readonly string[],
    from: PrintJobState[],
    change: PrintJobChange,
    successors: NewPrintJob[],
  ): Promise<{ replaced: PrintJob[]; successors: PrintJob[] } | undefined>
}

/** States of jobs of which nothing was sent. */
export const unsentStates: PrintJobState[] = ['queued', 'waiting']
/** States of jobs that a printer has taken up, or will. */
const underWay: PrintJobState[] = ['queued', 'sending']

/**
 * Takes back what would still print a shipment's label or invoice, or what waits for a person to print it again. A job that is
 * being sent goes its way, but never back into the queue.
 * @returns the ids of the jobs that were taken back
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
    .set({ state: 'cancelled', resolvedBy: by, updatedAt: at })
    .where('shipmentId', '=', shipmentId)
    .where('state', 'in', [...unsentStates, 'failed'])
    .returning('id')
    .execute()
  return jobs.map((job) => job.id)
}

function mayPrintLater(state: PrintJobState | undefined): boolean {
  return state !== undefined && [...unsentStates, 'failed'].includes(state)
}

async function cancelWithdrawn(connection: Database, jobId: string): Promise<void> {
  await connection
    .updateTable('printJobs')
    .set({ state: 'cancelled', note: null })
    .where('id', '=', jobId)
    .where('withdrawnAt', 'is not', null)
    .where('state', 'in', [...unsentStates, 'failed'])
    .execute()
}

/** A statement takes 32,766 values, and a label may have thousands of parts. */
const maxJobsOfInsert = 500

/**
 * Keeps print jobs in the database.
 * @param now the clock
 */
export function createPrintJobRepository(database: OpenDatabase, now: () => Date): PrintJobRepository {
  return {
    add: async (jobs) =>
      jobs.length === 0 ? [] : database.runTransaction('addPrintJobs', { jobs, moment: now() }),
    find: (jobId) => findPrintJob(database, jobId),
    ofShipment: (shipmentId) => listJobsOfShipments(database, [shipmentId]),
    ofShipments: (shipmentIds) => listJobsOfShipments(database, shipmentIds),
    async inStates(states) {
      const rows = await select(database).where('printJobs.state', 'in', states).execute()
      return rows.map(toPrintJob)
    },
    async listQueues(begun) {
      const { rows } = await selectQueues(database, { begun: JSON.stringify(begun) })
      return rows.map((row) => ({ next: toPrintJob(row), count: row.jobs - row.begunJobs }))
    },
    async newestInStates(states, limit, printerId) {
      // One state at a time, in the order of an index: all finished jobs of a year are not to be sorted.
      const findNewest = (state: PrintJobState) =>
        select(database)
          .where('printJobs.state', '=', state)
          .$if(printerId !== undefined, (query) => query.where('printJobs.printerId', '=', printerId ?? ''))
          .clearOrderBy()
          .orderBy('printJobs.updatedAt', 'desc')
          .orderBy('printJobs.number', 'desc')
          .limit(limit)
          .execute()
      const rows = (await Promise.all(states.map(findNewest))).flat()
      rows.sort((one, other) => compare(other.updatedAt, one.updatedAt) || other.number - one.number)
      return rows.slice(0, limit).map(toPrintJob).reverse()
    },
    change: (jobId, from, change) =>
      database.runTransaction('changePrintJob', { jobId, from, change, moment: now() }),
    replace: (jobIds, from, change, successors) =>
      database.runTransaction('replacePrintJobs', { jobIds, from, change, successors, moment: now() }),
  }
}

/** See `PrintJobRepository.add`; in the database's thread. */
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

/** See `PrintJobRepository.change`; in the database's thread. */
export async function changePrintJob(
  transaction: Database,
  input: { jobId: string; from: PrintJobState[]; change: PrintJobChange; moment: Date },
): Promise<PrintJob | undefined> {
  const { jobId, from, change, moment } = input
  if ((await changeThoseIn(transaction, [jobId], from, change, moment)) === 0) return undefined
  if (mayPrintLater(change.state)) await cancelWithdrawn(transaction, jobId)
  return findPrintJob(transaction, jobId)
}

/** See `PrintJobRepository.replace`; in the database's thread. */
export async function replacePrintJobs(
  transaction: Database,
  input: {
    jobIds: readonly string[]
    from: PrintJobState[]
    change: PrintJobChange
    successors: readonly NewPrintJob[]
    moment: Date
  },
): Promise<{ replaced: PrintJob[]; successors: PrintJob[] } | undefined> {
  const { jobIds, from, change, successors, moment } = input
  const ready = await select(transaction)
    .where('printJobs.id', 'in', jobIds)
    .where('printJobs.state', 'in', from)
    .execute()
  if (ready.length < jobIds.length) return undefined
  await changeThoseIn(transaction, jobIds, from, change, moment)
  const replaced = await listPrintJobs(transaction, jobIds)
  if (ready.some(({ withdrawnAt, state }) => withdrawnAt !== null && underWay.includes(state)))
    return { replaced, successors: [] }
  const operator = ready[0]?.operator ?? null
  const jobs = successors.map((job) => ({ operator, ...job }))
  return { replaced, successors: await addPrintJobs(transaction, { jobs, moment }) }
}

/** See `PrintJobRepository.ofShipments`. */
export async function listJobsOfShipments(
  connection: Database,
  shipmentIds: readonly string[],
): Promise<PrintJob[]> {
  if (shipmentIds.length === 0) return []
  const { rows } = await selectJobsOfShipments(connection, { shipmentIds: JSON.stringify(shipmentIds) })
  return rows.map(toPrintJob)
}

const selectJobsOfShipments = compileOnce(
  (database: Database, { shipmentIds }: Places<{ shipmentIds: string }>) =>
    select(database).where('printJobs.shipmentId', 'in', valuesIn(shipmentIds)).compile(),
)

async function findPrintJob(connection: Database, jobId: string): Promise<PrintJob | undefined> {
  const { rows } = await selectJob(connection, { jobId })
  return rows[0] === undefined ? undefined : toPrintJob(rows[0])
}

const selectJob = compileOnce((database: Database, { jobId }: Places<{ jobId: string }>) =>
  select(database).where('printJobs.id', '=', jobId).compile(),
)

/** The next job of each printer besides those that were begun, and how many it has queued with those. */
const selectQueues = compileOnce((database: Database, { begun }: Places<{ begun: string }>) => {
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
              .where('next.id', 'not in', valuesIn(begun))
              .orderBy('next.number')
              .limit(1)
              .as('number'),
          ),
      )
      .select('queuedJobs.jobs')
      // The begun ones are looked up, never the printer's whole queue.
      .select(
        sql<number>`(
        select count(*) from json_each(${begun}) as each cross join print_jobs as begun on begun.id = each.value
        where begun.state = 'queued' and begun.printer_id = queued_jobs.printer_id
      )`.as('begunJobs'),
      )
      .compile()
  )
})

async function listPrintJobs(connection: Database, ids: readonly string[]): Promise<PrintJob[]> {
  const rows = await select(connection).where('printJobs.id', 'in', ids).execute()
  return rows.map(toPrintJob)
}

/** Orders moments of one form, which their text does. */
function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other)
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
    ])
    .orderBy('printJobs.number')
}

/** Adds jobs as queued, on the database or in a transaction that stores their shipment. */
export async function insertPrintJobs(
  connection: Database,
  jobs: readonly NewPrintJob[],
  moment: Date,
): Promise<void> {
  for (let start = 0; start < jobs.length; start += maxJobsOfInsert) {
    const rows = jobs.slice(start, start + maxJobsOfInsert).map((job) => toNewRow(job, moment))
    await connection.insertInto('printJobs').values(rows).execute()
  }
}

/** The compare-and-set that keeps two actors from taking the same job: how many of them this one got. */
async function changeThoseIn(
  connection: Database,
  jobIds: readonly string[],
  from: PrintJobState[],
  change: PrintJobChange,
  moment: Date,
): Promise<number> {
  const { numAffectedRows = 0n } = await updateJobs(connection, {
    ...{ ids: JSON.stringify(jobIds), from: JSON.stringify(from) },
    ...{ ...toChangedRow(change), updatedAt: moment.toISOString() },
  })
  return Number(numAffectedRows)
}

const updateJobs = compileOnce(
  (
    database: Database,
    {
      ids,
      from,
      ...change
    }: Places<{ ids: string; from: string; updatedAt: string } & ReturnType<typeof toChangedRow>>,
  ) =>
    database
      .updateTable('printJobs')
      .set(change)
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
    operator,
    resolvedBy,
    agreedLosses,
    barcodes,
    labelPages,
    station,
    withdrawnAt: _,
    ...job
  } = joinedRow.parse(row)
  return {
    ...job,
    ...(language !== null && { language }),
    ...(station !== null && { station }),
    ...(pageFrom !== null && pageTo !== null && { pages: { from: pageFrom, to: pageTo } }),
    ...(labelPages !== null && { labelPages }),
    ...(scannedAt !== null && { scannedAt }),
    ...(scanSkipped !== null && { scanSkipped }),
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
    ...(note !== undefined && { note: shape.note.encode(note) }),
    ...(error !== undefined && { error: shape.error.encode(error) }),
    ...(agreedLosses !== undefined && { agreedLosses: shape.agreedLosses.encode(agreedLosses) }),
    ...(barcodes !== undefined && { barcodes: shape.barcodes.encode(barcodes) }),
  }
}

/** The same repository, which tells the bus of every job that it added or changed, once that is durable. */
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
      if (changed !== undefined) announce(changed)
      return changed
    },
    async replace(jobIds, from, change, successors) {
      const done = await jobs.replace(jobIds, from, change, successors)
      if (done === undefined) return undefined
      // The successors first: a listener must never see a label for which nothing more is to come.
      done.successors.forEach(announce)
      done.replaced.forEach(announce)
      return done
    },
  }
}
