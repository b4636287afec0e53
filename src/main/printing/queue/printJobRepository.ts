import type { Generated, Selectable } from 'kysely'
import { type PrintJob, type PrintJobState, printJobSchema } from '../../../shared/printing'
import type { Database, DatabaseSchema } from '../../storage/database'
import type { NewPrintJob, PrintJobChange, PrintJobStore } from '../ports'

declare module '../../storage/database' {
  interface DatabaseSchema {
    printJobs: {
      number: Generated<number>
      id: string
      shipmentId: string
      labelId: string
      printerId: string
      printerName: string
      state: string
      kind: string
      createdAt: string
      updatedAt: string
      acceptedAt: string | null
      outputPath: string | null
      note: string | null
      error: string | null
      /** Null when all pages are printed. */
      pageFrom: number | null
      pageTo: number | null
      scannedAt: string | null
      /** JSON; null when the person agreed to nothing for this job. */
      agreedLosses: string | null
      /** JSON; null when the label's barcodes were not read. */
      barcodes: string | null
    }
    /** Kept by triggers on print_jobs. */
    queuedJobs: {
      printerId: string
      jobs: number
    }
  }
}

const jobsOfInsert = 500

/**
 * Keeps print jobs in the database.
 * @param now the clock
 */
export function createPrintJobRepository(database: Database, now: () => Date): PrintJobStore {
  const find = async (jobId: string): Promise<PrintJob | undefined> => {
    const row = await select(database).where('printJobs.id', '=', jobId).executeTakeFirst()
    return row === undefined ? undefined : toPrintJob(row)
  }

  return {
    async add(jobs) {
      if (jobs.length === 0) return []
      await database.transaction().execute((transaction) => insertPrintJobs(transaction, jobs, now()))
      const ids = jobs.map((job) => job.id)
      const rows = await select(database).where('printJobs.id', 'in', ids).execute()
      return rows.map(toPrintJob)
    },
    find,
    async ofShipment(shipmentId) {
      const rows = await select(database).where('printJobs.shipmentId', '=', shipmentId).execute()
      return rows.map(toPrintJob)
    },
    async ofShipments(shipmentIds) {
      if (shipmentIds.length === 0) return []
      const rows = await select(database).where('printJobs.shipmentId', 'in', shipmentIds).execute()
      return rows.map(toPrintJob)
    },
    async inStates(states) {
      const rows = await select(database).where('printJobs.state', 'in', states).execute()
      return rows.map(toPrintJob)
    },
    async listQueues(begun) {
      const rows = await select(database)
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
                .where('next.id', 'not in', begun)
                .orderBy('next.number')
                .limit(1)
                .as('number'),
            ),
        )
        .select('queuedJobs.jobs')
        .select((query) =>
          query
            .selectFrom('printJobs as begun')
            .select((counted) => counted.fn.countAll<number>().as('count'))
            .where('begun.id', 'in', begun)
            .where('begun.state', '=', 'queued')
            .whereRef('begun.printerId', '=', 'queuedJobs.printerId')
            .as('begunJobs'),
        )
        .execute()
      return rows.map((row) => ({ next: toPrintJob(row), count: row.jobs - (row.begunJobs ?? 0) }))
    },
    async newestInStates(states, limit, printerId) {
      const newest = select(database)
        .where('printJobs.state', 'in', states)
        .$if(printerId !== undefined, (query) => query.where('printJobs.printerId', '=', printerId ?? ''))
        .clearOrderBy()
        .orderBy('printJobs.updatedAt', 'desc')
        .orderBy('printJobs.number', 'desc')
        .limit(limit)
      return (await newest.execute()).map(toPrintJob).reverse()
    },
    async change(jobId, from, change) {
      const changed = await changeThoseIn(database, [jobId], from, change, now())
      return changed === 1 ? find(jobId) : undefined
    },
    async replace(jobIds, from, change, successors) {
      const done = await database.transaction().execute(async (transaction) => {
        const moment = now()
        const ready = await select(transaction)
          .where('printJobs.id', 'in', jobIds)
          .where('printJobs.state', 'in', from)
          .execute()
        if (ready.length < jobIds.length) return false
        await changeThoseIn(transaction, jobIds, from, change, moment)
        await insertPrintJobs(transaction, successors, moment)
        return true
      })
      if (!done) return undefined
      const read = async (ids: readonly string[]) =>
        (await select(database).where('printJobs.id', 'in', ids).execute()).map(toPrintJob)
      return { replaced: await read(jobIds), successors: await read(successors.map(({ id }) => id)) }
    },
  }
}

function select(connection: Database) {
  return connection
    .selectFrom('printJobs')
    .innerJoin('labels', 'labels.id', 'printJobs.labelId')
    .innerJoin('shipments', 'shipments.id', 'printJobs.shipmentId')
    .selectAll('printJobs')
    .select(['labels.position as labelPosition', 'labels.barcode', 'shipments.reference'])
    .orderBy('printJobs.number')
}

/**
 * Adds jobs, in a transaction of the caller's, in portions: a statement takes 32,766 values, and a label may have
 * thousands of parts.
 */
export async function insertPrintJobs(
  connection: Database,
  jobs: readonly NewPrintJob[],
  moment: Date,
): Promise<void> {
  for (let start = 0; start < jobs.length; start += jobsOfInsert) {
    const rows = jobs
      .slice(start, start + jobsOfInsert)
      .map((job) => newPrintJobRow(job, moment.toISOString()))
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
  const changed = await connection
    .updateTable('printJobs')
    .set({ ...columnsOf(change), updatedAt: moment.toISOString() })
    .where('id', 'in', jobIds)
    .where('state', 'in', from)
    .executeTakeFirst()
  return Number(changed.numUpdatedRows)
}

function columnsOf(change: PrintJobChange) {
  return {
    ...(change.state !== undefined && { state: change.state }),
    ...(change.acceptedAt !== undefined && { acceptedAt: change.acceptedAt.toISOString() }),
    ...(change.outputPath !== undefined && { outputPath: change.outputPath }),
    ...(change.scannedAt !== undefined && { scannedAt: change.scannedAt.toISOString() }),
    ...(change.agreedLosses !== undefined && { agreedLosses: JSON.stringify(change.agreedLosses) }),
    ...(change.barcodes !== undefined && { barcodes: JSON.stringify(change.barcodes) }),
    ...(change.note !== undefined && { note: jsonOf(change.note) }),
    ...(change.error !== undefined && { error: jsonOf(change.error) }),
  }
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

/** Turns a row, joined with its label and shipment, into a print job. */
function toPrintJob(
  row: Selectable<DatabaseSchema['printJobs']> & {
    labelPosition: number
    barcode: string
    reference: string
  },
): PrintJob {
  return printJobSchema.parse({
    id: row.id,
    shipmentId: row.shipmentId,
    labelId: row.labelId,
    labelPosition: row.labelPosition,
    reference: row.reference,
    barcode: row.barcode,
    printerId: row.printerId,
    printerName: row.printerName,
    state: row.state,
    kind: row.kind,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    acceptedAt: row.acceptedAt,
    outputPath: row.outputPath,
    note: row.note === null ? null : JSON.parse(row.note),
    error: row.error === null ? null : JSON.parse(row.error),
    ...(row.pageFrom !== null && row.pageTo !== null && { pages: { from: row.pageFrom, to: row.pageTo } }),
    ...(row.scannedAt !== null && { scannedAt: row.scannedAt }),
    ...(row.agreedLosses !== null && { agreedLosses: JSON.parse(row.agreedLosses) }),
    ...(row.barcodes !== null && { barcodes: JSON.parse(row.barcodes) }),
  })
}

/** The columns of a print job that is stored for the first time. */
function newPrintJobRow(job: NewPrintJob, now: string) {
  return {
    id: job.id,
    shipmentId: job.shipmentId,
    labelId: job.labelId,
    printerId: job.printerId,
    printerName: job.printerName,
    state: 'queued',
    kind: job.kind,
    createdAt: now,
    updatedAt: now,
    ...(job.pages !== undefined && { pageFrom: job.pages.from, pageTo: job.pages.to }),
  }
}
