import { type AppError, appError } from '../../../shared/errors'
import type { BarcodeProof, LabelFinding, PlacementRule } from '../../../shared/labels'
import type { PrinterRemark, PrintNote } from '../../../shared/printerRemarks'
import {
  type FolderPrinter,
  getPrinterName,
  type PageRange,
  type Printer,
  type SocketPrinter,
  type SystemPrinter,
} from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import type { Margins } from '../layout/geometry'
import type { PrintableLabel } from '../printableLabel'

/** A PDF that holds dots, such as sheets of labels. */
export interface DrawnPdf {
  /** What of the labels in it lies on edges of its pages that the printer can't print on. */
  findInkIn(marginsMm: Margins): LabelFinding[]
}

/** One label on its way to one printer. */
export interface PrintContext<P> {
  jobId: string
  label: PrintableLabel
  printer: P
  /** How a person chose that pages of other sizes are printed. */
  rules: readonly PlacementRule[]
  /** The pages that are wanted; all when left out. */
  range?: PageRange
  /** Set where the label's PDF holds its dots already, which are sent as they are. */
  drawn?: DrawnPdf
  /** Whether another printer takes over when this one can't print now: then it is not waited for. */
  hasStandby: boolean
  /**
   * Call it with what the label would lose on this printer before `claim`.
   * @param barcodes what reading its barcodes showed, which is kept with the job
   * @returns `label-loses-content` when a person has not agreed to it: print nothing, that is the job's error
   */
  check(findings: readonly LabelFinding[], barcodes?: BarcodeProof): Result<void>
  /** Says what the job waits for; null when it no longer waits. */
  progress(note: PrintNote | null): void
  /**
   * Stores that bytes of the label may leave from now on: call it right before the first one. Until then the job is
   * queued, so that «nothing was sent» stays true over a power cut.
   * @returns false when the job was taken back meanwhile or could not be stored: send nothing, it is `not-started`
   */
  claim(): Promise<boolean>
  /** The printer has all of this label and takes the next one while it prints. */
  roomForNext(): void
  /** The printer, spooler or folder has all bytes. */
  accepted(): void
  /** Aborted when a person wants the job stopped; only drivers that are `cancellable` heed it. */
  cancelled: AbortSignal
}

/**
 * What became of a label. `handed-over`: the printer or spooler has all of it. `unconfirmed`: its bytes may have
 * arrived. `not-started`: the app is closing and nothing was sent, so the job can wait for the next start.
 */
export type PrintOutcome =
  | { kind: 'done'; outputPath?: string }
  | { kind: 'handed-over' }
  | { kind: 'failed'; error: AppError; nothingPrinted: boolean }
  | { kind: 'unconfirmed'; error: AppError }
  | { kind: 'cancelled' }
  | { kind: 'not-started' }

/**
 * How a printer is while it has nothing to print. `there`: it takes labels as far as can be seen without one. `silent`: it
 * can be reached and tells nothing. `mute`: it has told its state before and does not now.
 */
export type PrinterLook =
  | { kind: 'tells'; says: PrinterRemark[] }
  | { kind: 'there' }
  | { kind: 'silent' }
  | { kind: 'mute' }
  | { kind: 'away'; error: AppError }

/** One way of getting labels to printers. Expected failures are outcomes; drivers do not throw. */
export interface PrinterDriver<P> {
  /** Whether a job that was already handed over can still be stopped. */
  readonly cancellable: boolean
  /** @param signal aborted when the app closes: come to an end within a second */
  print(context: PrintContext<P>, signal: AbortSignal): Promise<PrintOutcome>
  /** Has the printer measure its stock, in the way in which it prints; left out by drivers that have no way to say so. */
  calibrate?(context: PrintContext<P>, signal: AbortSignal): Promise<PrintOutcome>
  /**
   * Removes what a crash left at the printer: half written files, printed jobs that a spooler keeps.
   * @param isOver whether a job is this station's and nothing more is done with it
   * @returns how many there were
   */
  removeLeftovers?(printer: P, isOver: (jobId: string) => Promise<boolean>): Promise<number>
  /** Looks how a printer is; left out by drivers that can't tell without printing. */
  look?(printer: P, signal: AbortSignal): Promise<PrinterLook>
}

/** The drivers of a station. */
export interface PrinterDrivers {
  folder: PrinterDriver<FolderPrinter>
  system: PrinterDriver<SystemPrinter>
  socket: PrinterDriver<SocketPrinter>
}

/** A printer's driver, for this printer. */
export function driverFor(drivers: PrinterDrivers, printer: Printer) {
  switch (printer.driver) {
    case 'folder':
      return bind(drivers.folder, printer)
    case 'system':
      return bind(drivers.system, printer)
    case 'socket':
      return bind(drivers.socket, printer)
  }
}

function bind<P extends Printer>(driver: PrinterDriver<P>, printer: P) {
  type Work = Omit<PrintContext<P>, 'printer'>
  return {
    print: (work: Work, signal: AbortSignal) => driver.print({ ...work, printer }, signal),
    calibrate: async (work: Work, signal: AbortSignal) =>
      driver.calibrate?.({ ...work, printer }, signal) ?? nothingPrinted(nothingToCalibrate(printer)),
    look: async (signal: AbortSignal) => driver.look?.(printer, signal),
    removeLeftovers: async (isOver: (jobId: string) => Promise<boolean>) =>
      (await driver.removeLeftovers?.(printer, isOver)) ?? 0,
  }
}

/** The same label, where `check` also asks about what is found of its printer. */
export function withFinding<P>(context: PrintContext<P>, finding: LabelFinding): PrintContext<P> {
  const page = context.range?.from ?? finding.page
  return {
    ...context,
    check: (findings, barcodes) => context.check([{ ...finding, page }, ...findings], barcodes),
  }
}

/** A failure before any byte left the app. */
export function nothingPrinted(error: AppError): PrintOutcome {
  return { kind: 'failed', error, nothingPrinted: true }
}

/** What the bits of a printer's state mean. */
export type RemarkBits = readonly (readonly [bit: number, code: PrinterRemark['code']])[]

/** What the bits that are set say. */
export function remarksIn(state: number, bits: RemarkBits): PrinterRemark[] {
  return bits.filter(([bit]) => (state & bit) !== 0).map(([, code]) => ({ code }))
}

/** A printer that keeps a label waiting although another one could take it. */
export function notReady(printer: Printer, says: PrinterRemark[]): AppError {
  return appError('printer-not-ready', { printer: getPrinterName(printer) }, says)
}

/** A label whose bytes may have arrived. */
export function unconfirmed(printer: Printer, says: PrinterRemark): AppError {
  return appError('print-unconfirmed', { printer: getPrinterName(printer) }, [says])
}

/** A printer whose stock can't be measured from here. */
export function nothingToCalibrate(printer: Printer): AppError {
  const name = getPrinterName(printer)
  return appError('calibration-not-possible', { printer: name })
}
