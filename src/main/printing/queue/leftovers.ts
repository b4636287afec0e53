import path from 'node:path'
import type { Printer } from '../../../shared/printing'
import { toReason } from '../../lib/toReason'
import type { Log } from '../../log/log'
import type { PrinterDrivers } from '../drivers/driver'
import { removeUnfinished } from '../drivers/folder'
import type { PrintJobRepository } from './repository'

/** What is cleared up after a crash. */
export interface LeftoverDeps {
  printers(): readonly Printer[]
  drivers: Pick<PrinterDrivers, 'system'>
  jobs: Pick<PrintJobRepository, 'find'>
  /** Absolute; relative folders lie in it. */
  dataFolder: string
  log: Log
}

/**
 * Removes what a crash left with printers: half written files in their folders, and printed jobs that Windows keeps in a queue.
 * A failure is logged: the next start tries again.
 */
export async function removeLeftovers({
  printers,
  drivers,
  jobs,
  dataFolder,
  log,
}: LeftoverDeps): Promise<void> {
  const isOver = async (jobId: string) => {
    const job = await jobs.find(jobId)
    return job !== undefined && job.state !== 'queued' && job.state !== 'sending'
  }
  for (const printer of printers()) {
    try {
      const count =
        printer.driver === 'folder'
          ? await removeUnfinished([path.resolve(dataFolder, printer.path)], isOver)
          : printer.driver === 'system' && (await drivers.system.releaseLeftJobs?.(printer, isOver))
      if (count) log.info('what a crash left at a printer was removed', { printer: printer.id, count })
    } catch (error) {
      log.error('what a crash left at a printer could not be removed', {
        printer: printer.id,
        reason: toReason(error),
      })
    }
  }
}
