import type { PrintJob, PrintJobState } from '../../../shared/printing'
import { newPrintJobRow, toPrintJob } from '../../shipments/rows'
import type { Connection } from '../../shipments/shipmentQueries'
import type { Database } from '../../storage/database'
import type { NewPrintJob, PrintJobChange, PrintJobStore } from '../ports'

const jobsOfInsert = 500

/**
 * Keeps print jobs in the database.
 * @param now the clock
 */
export function createPrintJobRepository(database: Database, now: () => Date): PrintJobStore {
  const find = async (jobId: string): Promise<PrintJob | undefined> => {
    const row = await select(database).where('print_jobs.id', '=', jobId).executeTakeFirst()
    return row === undefined ? undefined : toPrintJob(row)
  }

  return {
    async add(jobs) {
      if (jobs.length === 0) return []
      await database.transaction().execute((transaction) => insert(transaction, jobs, now()))
      const ids = jobs.map((job) => job.id)
      const rows = await select(database).where('print_jobs.id', 'in', ids).execute()
      return rows.map(toPrintJob)
    },
    find,
    async ofShipment(shipmentId) {
      const rows = await select(database).where('print_jobs.shipment_id', '=', shipmentId).execute()
      return rows.map(toPrintJob)
    },
    async ofShipments(shipmentIds) {
      if (shipmentIds.length === 0) return []
      const rows = await select(database).where('print_jobs.shipment_id', 'in', shipmentIds).execute()
      return rows.map(toPrintJob)
    },
    async inStates(states) {
      const rows = await select(database).where('print_jobs.state', 'in', states).execute()
      return rows.map(toPrintJob)
    },
    async listQueues(begun) {
      const rows = await select(database)
        .innerJoin('queued_jobs', 'queued_jobs.printer_id', 'print_jobs.printer_id')
        .where('print_jobs.number', 'in', (query) =>
          query
            .selectFrom('queued_jobs as queue')
            .select((queue) =>
              queue
                .selectFrom('print_jobs as next')
                .select('next.number')
                .where('next.state', '=', 'queued')
                .whereRef('next.printer_id', '=', 'queue.printer_id')
                .where('next.id', 'not in', begun)
                .orderBy('next.number')
                .limit(1)
                .as('number'),
            ),
        )
        .select('queued_jobs.jobs')
        .select((query) =>
          query
            .selectFrom('print_jobs as begun')
            .select((counted) => counted.fn.countAll<number>().as('count'))
            .where('begun.id', 'in', begun)
            .where('begun.state', '=', 'queued')
            .whereRef('begun.printer_id', '=', 'queued_jobs.printer_id')
            .as('begun_jobs'),
        )
        .execute()
      return rows.map((row) => ({ next: toPrintJob(row), count: row.jobs - (row.begun_jobs ?? 0) }))
    },
    async newestInStates(states, limit, printerId) {
      const newest = select(database)
        .where('print_jobs.state', 'in', states)
        .$if(printerId !== undefined, (query) => query.where('print_jobs.printer_id', '=', printerId ?? ''))
        .clearOrderBy()
        .orderBy('print_jobs.updated_at', 'desc')
        .orderBy('print_jobs.number', 'desc')
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
          .where('print_jobs.id', 'in', jobIds)
          .where('print_jobs.state', 'in', from)
          .execute()
        if (ready.length < jobIds.length) return false
        await changeThoseIn(transaction, jobIds, from, change, moment)
        await insert(transaction, successors, moment)
        return true
      })
      if (!done) return undefined
      const read = async (ids: readonly string[]) =>
        (await select(database).where('print_jobs.id', 'in', ids).execute()).map(toPrintJob)
      return { replaced: await read(jobIds), successors: await read(successors.map(({ id }) => id)) }
    },
  }
}

function select(connection: Connection) {
  return connection
    .selectFrom('print_jobs')
    .innerJoin('labels', 'labels.id', 'print_jobs.label_id')
    .innerJoin('shipments', 'shipments.id', 'print_jobs.shipment_id')
    .selectAll('print_jobs')
    .select(['labels.position as label_position', 'labels.barcode', 'shipments.reference'])
    .orderBy('print_jobs.number')
}

/** Adds jobs in portions: a statement takes 32,766 values, and a label may have thousands of parts. */
async function insert(connection: Connection, jobs: readonly NewPrintJob[], moment: Date): Promise<void> {
  for (let start = 0; start < jobs.length; start += jobsOfInsert) {
    const rows = jobs
      .slice(start, start + jobsOfInsert)
      .map((job) => newPrintJobRow(job, moment.toISOString()))
    await connection.insertInto('print_jobs').values(rows).execute()
  }
}

/** The compare-and-set that keeps two actors from taking the same job: how many of them this one got. */
async function changeThoseIn(
  connection: Connection,
  jobIds: readonly string[],
  from: PrintJobState[],
  change: PrintJobChange,
  moment: Date,
): Promise<number> {
  const changed = await connection
    .updateTable('print_jobs')
    .set({ ...columnsOf(change), updated_at: moment.toISOString() })
    .where('id', 'in', jobIds)
    .where('state', 'in', from)
    .executeTakeFirst()
  return Number(changed.numUpdatedRows)
}

function columnsOf(change: PrintJobChange) {
  return {
    ...(change.state !== undefined && { state: change.state }),
    ...(change.acceptedAt !== undefined && { accepted_at: change.acceptedAt.toISOString() }),
    ...(change.outputPath !== undefined && { output_path: change.outputPath }),
    ...(change.scannedAt !== undefined && { scanned_at: change.scannedAt.toISOString() }),
    ...(change.agreedLosses !== undefined && { agreed_losses: JSON.stringify(change.agreedLosses) }),
    ...(change.barcodes !== undefined && { barcodes: JSON.stringify(change.barcodes) }),
    ...(change.note !== undefined && { note: jsonOf(change.note) }),
    ...(change.error !== undefined && { error: jsonOf(change.error) }),
  }
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}
