import { randomUUID } from 'node:crypto'
import type { Printer, TestLabelAnswer } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { PrinterDrivers } from '../drivers/driver'
import { calibrateWith, printWith } from '../drivers/driver'
import { testLabel } from '../layout/testLabel'
import type { PrintableLabel } from '../printableLabel'
import type { PrintQueue } from './printQueue'
import { findPrinter, nameOfPrinter } from './routing'

/** Longest wait for a printer that needs someone: whoever sets it up stands beside it. */
const maxMs = 30_000

/** What printing a test label works with. */
export interface TestLabelDeps {
  printers(): Printer[]
  drivers: PrinterDrivers
  queue: Pick<PrintQueue, 'between'>
}

/**
 * Prints a test label between a printer's jobs, in the very way in which labels are printed.
 * @returns what became of it; the driver's error when it did not come out
 */
export async function printTestLabel(
  printerId: string,
  { printers, drivers, queue }: TestLabelDeps,
): Promise<Result<TestLabelAnswer>> {
  const printer = findPrinter(printers(), printerId)
  if (!printer.ok) return printer
  const context = { ...unattended(), label: await testLabel(printer.value) }
  const outcome = await queue.between(printerId, () =>
    printWith(drivers, printer.value, context, context.cancelled),
  )
  const name = nameOfPrinter(printer.value)
  switch (outcome.kind) {
    case 'done':
      return ok({
        code: 'written',
        details: { file: outcome.outputPath ?? '' },
        message: `The test label was written${outcome.outputPath ? ` to ${outcome.outputPath}` : ''}.`,
      })
    case 'handed-over':
      return ok({
        code: 'taken',
        details: { printer: name },
        message: `Printer ${name} took the test label: measure its border and scan its barcodes.`,
      })
    case 'failed':
    case 'unconfirmed':
      return err(outcome.error)
    case 'cancelled':
    case 'not-started':
      return ok({
        code: 'not-in-time',
        details: { printer: name },
        message: `Printer ${name} did not take the test label in time: look whether it is ready.`,
      })
  }
}

/**
 * Has a printer measure its stock between its jobs: how long its labels are and where they end. It feeds some of them.
 * @returns what became of it; the error `calibration-not-possible` for a printer that has no command for it
 */
export async function calibratePrinter(
  printerId: string,
  { printers, drivers, queue }: TestLabelDeps,
): Promise<Result<TestLabelAnswer>> {
  const printer = findPrinter(printers(), printerId)
  if (!printer.ok) return printer
  const name = nameOfPrinter(printer.value)
  const context = { ...unattended(), label: noLabel }
  const outcome = await queue.between(printerId, () =>
    calibrateWith(drivers, printer.value, context, context.cancelled),
  )
  if (outcome.kind === 'failed') return err(outcome.error)
  return outcome.kind === 'handed-over'
    ? ok({
        code: 'calibrating',
        details: { printer: name },
        message: `Printer ${name} measures its labels.`,
      })
    : ok({
        code: 'not-calibrated',
        details: { printer: name },
        message: `Printer ${name} has not confirmed that it measures its labels: look at it.`,
      })
}

const noLabel: PrintableLabel = {
  ...{ labelId: '', shipmentId: '', position: 1, barcode: '', reference: '', carrierOptionId: -1 },
  ...{ kind: 'other', bytes: Buffer.alloc(0) },
}

/** What goes with work on a printer that someone waits beside. */
function unattended() {
  const closing = AbortSignal.timeout(maxMs)
  return {
    jobId: randomUUID(),
    rules: [],
    // Nobody is to wait in silence for a printer that is open or out of labels: that it is, is the answer.
    hasStandby: true,
    check: () => ok(undefined),
    progress: () => undefined,
    begin: async () => !closing.aborted,
    roomForNext: () => undefined,
    accepted: () => undefined,
    cancelled: closing,
  }
}
