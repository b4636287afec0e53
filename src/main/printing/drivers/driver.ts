import { type AppError, appError, type ErrorCode, type ErrorDetails } from '../../../shared/errors'
import type { BarcodeProof, LabelFinding, PlacementRule } from '../../../shared/labels'
import type { PrinterRemark, PrintNote } from '../../../shared/printerRemarks'
import {
  type Dpi,
  type FolderPrinter,
  getPrinterName,
  type PageRange,
  type Printer,
  type SocketPrinter,
  type SystemPrinter,
} from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { Margins } from '../layout/geometry'
import { statedDpi, toPlacementRequest, toZplLayout, usualDpi } from '../layout/labelLayout'
import type { PrintableLabel } from '../printableLabel'
import { frameCarrierZpl } from '../raster/labelLanguages'
import type { Rasterizer, ZplDrawing } from '../raster/rasterizer'

/** A PDF that holds finished dots, such as sheets of labels. */
export interface DrawnPdf {
  /** The ink of its labels that lies in margins where the printer can't print. */
  findInkIn(marginsMm: Margins): LabelFinding[]
}

/** What a driver needs to print one label, and what it reports while it prints. */
export interface PrintContext<P> {
  jobId: string
  label: PrintableLabel
  printer: P
  /** The placements that a person chose for pages of other sizes than the stock. */
  rules: readonly PlacementRule[]
  /** The pages to print; all when left out. */
  range?: PageRange
  /** Set when the label's PDF holds finished dots, which are sent unchanged. */
  drawn?: DrawnPdf
  /** Whether another printer takes over when this one can't print now. The driver then does not wait for this one. */
  hasStandby: boolean
  /**
   * Set for test labels, command sheets and calibration: a person checks what comes out. Windows gets them although it
   * says that the printer is not ready.
   */
  isTest?: boolean
  /**
   * Checks what the label would lose on this printer. Call it before `claim`.
   * @param barcodes what reading the label's barcodes showed; it is stored with the job
   * @returns `label-loses-content` when a person has not agreed to the loss: print nothing and fail with this error
   */
  check(findings: readonly LabelFinding[], barcodes?: BarcodeProof): Result<void>
  /** Reports what the job waits for; null when it no longer waits. */
  progress(note: PrintNote | null): void
  /**
   * Stores durably that bytes of the label may leave from now on. Call it right before the first byte: until then the
   * job is `queued`, and stays so over a power cut.
   * @returns false when the job was cancelled or could not be stored, its printer is paused, or its printer, standby or label
   *   rules were changed: send nothing, the outcome is `not-started`
   */
  claim(): Promise<boolean>
  /** Call it when the printer has all of this label and can take the next one while it prints. */
  allowNextJob(): void
  /** Call it when the printer, spooler or folder has all bytes. */
  accepted(): void
  /**
   * Aborted when a person cancels the job, or its printer, standby or label rules change before `claim`; only drivers that
   * are `cancellable` listen to it.
   */
  cancelled: AbortSignal
}

/**
 * How printing a label ended. `handed-over`: the printer or spooler has all of it. `unconfirmed`: its bytes may have
 * arrived, or the spooler has them for a printer that is not ready. `not-started`: nothing was sent, because the app is
 * closing or `claim` returned false.
 */
export type PrintOutcome =
  | { kind: 'done'; outputPath?: string }
  | { kind: 'handed-over' }
  | { kind: 'failed'; error: AppError; nothingPrinted: boolean }
  | { kind: 'unconfirmed'; error: AppError }
  | { kind: 'cancelled' }
  | { kind: 'not-started' }

/**
 * What a poll shows of an idle printer. `reports`: its remarks; none when it is ready. `available`: it takes labels as
 * far as is known without sending one. `no-status`: it can be reached and reports no status. `no-answer`: it has
 * answered before and does not now.
 */
export type PolledStatus =
  | { kind: 'reports'; says: PrinterRemark[] }
  | { kind: 'available' }
  | { kind: 'no-status' }
  | { kind: 'no-answer' }
  | { kind: 'unreachable'; error: AppError }

/** Sends labels to one kind of printer. Expected failures are outcomes; drivers do not throw. */
export interface PrinterDriver<P> {
  /** Whether the driver listens to `cancelled`. */
  readonly cancellable: boolean
  /** @param signal aborted when the app closes: resolve within a second */
  print(context: PrintContext<P>, signal: AbortSignal): Promise<PrintOutcome>
  /** Has the printer measure its stock; left out by drivers that have no command for it. */
  calibrate?(context: PrintContext<P>, signal: AbortSignal): Promise<PrintOutcome>
  /**
   * Removes what a crash left at the printer: partly written files, printed jobs that a spooler keeps.
   * @param isOver whether a job belongs to this station and has ended
   * @returns how many were removed
   */
  removeLeftovers?(printer: P, isOver: (jobId: string) => Promise<boolean>): Promise<number>
  /**
   * Removes a job whose outcome is unknown from its spooler, so that it does not come out later; left out by drivers
   * without a spooler. It may take as long as the spooler, and rejects when there is no access to it.
   * @param printer undefined when it was removed from the settings since
   * @returns false when the spooler may still print it
   */
  withdraw?(jobId: string, printer: P | undefined): Promise<boolean>
  /**
   * The resolution at which the app draws labels if the printer's settings state none; left out by drivers whose printers
   * state it.
   * @returns undefined when the app does not draw them, or the queue can't be asked
   */
  findDpi?(printer: P): Promise<Dpi | undefined>
  /** Asks a printer for its status; left out by drivers that learn it from printing only. */
  pollStatus?(printer: P, signal: AbortSignal): Promise<PolledStatus>
}

export interface PrinterDrivers {
  folder: PrinterDriver<FolderPrinter>
  system: PrinterDriver<SystemPrinter>
  socket: PrinterDriver<SocketPrinter>
}

/** The driver of a printer, bound to the printer. */
export function getDriver(drivers: PrinterDrivers, printer: Printer) {
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
    findDpi: async () => driver.findDpi?.(printer),
    pollStatus: async (signal: AbortSignal) => driver.pollStatus?.(printer, signal),
    withdraw: async (jobId: string) => (await driver.withdraw?.(jobId, printer)) ?? true,
    removeLeftovers: async (isOver: (jobId: string) => Promise<boolean>) =>
      (await driver.removeLeftovers?.(printer, isOver)) ?? 0,
  }
}

/** The resolution at which the app draws a printer's labels, or else the usual one. */
export async function findDpi(drivers: PrinterDrivers, printer: Printer): Promise<Dpi> {
  return statedDpi(printer) ?? (await getDriver(drivers, printer).findDpi()) ?? usualDpi
}

/** The same context, whose `check` adds a finding about the printer, such as a missing stock. */
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

/** Whether nothing of the label came out, and nothing will. */
export function isCertainlyUnprinted(outcome: PrintOutcome): boolean {
  return outcome.kind === 'not-started' || (outcome.kind === 'failed' && outcome.nothingPrinted)
}

/** Whether the label is defective, so that no printer can print it. */
export function isLabelDefect({ code }: AppError): boolean {
  const issues: ErrorCode[] = ['label-unreadable', 'label-needs-password', 'label-too-long']
  return issues.includes(code)
}

const choiceCodes: ErrorCode[] = ['label-needs-placement', 'zpl-needs-consent', 'label-loses-content']

/** Whether a person has to decide something about the label before any printer prints it. */
export function needsChoice(error: AppError): boolean {
  return choiceCodes.includes(error.code)
}

/** The remark for a printer that takes no labels and gives no reason itself. */
const unavailableRemarks = new Map<ErrorCode, PrinterRemark['code']>([
  ['printer-stopped', 'queue-closed'],
  ['printer-not-found', 'queue-missing'],
  ['disk-full', 'folder-full'],
  ['folder-not-writable', 'folder-away'],
])

/**
 * Whether the job stays queued until the printer takes labels again: nothing was sent, and the label is not the cause.
 */
export function waitsForPrinter(outcome: PrintOutcome): boolean {
  if (outcome.kind !== 'failed' || !outcome.nothingPrinted) return false
  const { code, details } = outcome.error
  if (code === 'printer-failed') return details?.case === 'took-nothing'
  return code === 'printer-unreachable' || unavailableRemarks.has(code)
}

/** The note of a job that waits for its printer. */
export function toWaitingNote({ code, details, says = [] }: AppError): PrintNote {
  if (code === 'printer-unreachable') return { code: 'trying-again', says }
  const remark = says.length === 0 ? unavailableRemarks.get(code) : undefined
  const folder = details?.folder === undefined ? {} : { words: details.folder }
  return { code: 'takes-no-labels', says: remark === undefined ? says : [{ code: remark, ...folder }] }
}

/** The remark that each bit of a printer's status word stands for. */
export type RemarkBits = readonly (readonly [bit: number, code: PrinterRemark['code']])[]

/** The remarks of the bits that are set. */
export function toRemarks(state: number, bits: RemarkBits): PrinterRemark[] {
  return bits.filter(([bit]) => (state & bit) !== 0).map(([, code]) => ({ code }))
}

/** The outcome when a printer is not ready and its standby takes over instead of waiting. */
export function notReady(printer: Printer, says: PrinterRemark[]): PrintOutcome {
  return nothingPrinted(appError('printer-not-ready', { printer: getPrinterName(printer) }, says))
}

/** The outcome when a label's bytes may have arrived. */
export function unconfirmed(printer: Printer, ...says: PrinterRemark[]): PrintOutcome {
  const error = appError('print-unconfirmed', { printer: getPrinterName(printer) }, says)
  return { kind: 'unconfirmed', error }
}

/** The error `printer-failed` of a printer behind a queue of the operating system. */
export function queueFailed(
  printer: SystemPrinter,
  details: ErrorDetails<'printer-failed'>,
  says: PrinterRemark[],
): AppError {
  const { queue } = printer
  return appError('printer-failed', { ...details, printer: getPrinterName(printer), queue }, says)
}

export function nothingToCalibrate(printer: Printer): AppError {
  const name = getPrinterName(printer)
  return appError('calibration-not-possible', { printer: name })
}

/** A label in its printer's language, with its dots if the app drew them. */
export type PrinterBytes = Pick<ZplDrawing, 'zpl' | 'findings' | 'barcodes'> &
  Partial<Pick<ZplDrawing, 'bitmaps'>>

type LanguagePrinter = (SocketPrinter | SystemPrinter) & { dpi: Dpi }

/**
 * Converts a label to its printer's language: a carrier's ZPL unchanged, since it states its own size, and a PDF drawn
 * dot for dot.
 * @param onPlaced called when every page has its placement on the stock
 * @returns the error `label-in-other-language` for ZPL when the printer reads something else
 */
export async function toPrinterBytes(
  context: PrintContext<LanguagePrinter>,
  rasterizer: Pick<Rasterizer, 'renderZpl'>,
  onPlaced?: () => void,
): Promise<Result<PrinterBytes>> {
  const { label, printer } = context
  if (label.kind !== 'zpl')
    return rasterizer.renderZpl(label.bytes, toZplLayout(printer, toPlacementRequest(context)), onPlaced)
  if ((printer.language ?? 'zpl') !== 'zpl') return err(otherLanguage(printer))
  return ok({ zpl: frameCarrierZpl(label.bytes, printer, printer.copies), findings: [] })
}

/** The error for a carrier's ZPL on a printer of another language. */
export function otherLanguage(printer: SocketPrinter | SystemPrinter) {
  const details = { printer: getPrinterName(printer), language: (printer.language ?? 'zpl').toUpperCase() }
  return appError('label-in-other-language', details)
}

type PicturePrinter = Parameters<typeof toZplLayout>[0]

export type BrokenPictures = ReturnType<typeof createBrokenPictures>

/**
 * Completes pictures that were cut off by a broken connection. In EPL2 and TSPL a picture ends only after its number of
 * bytes: one that was cut off would swallow the next label. At the app's start any printer may wait for the rest of a
 * picture.
 */
export function createBrokenPictures() {
  /** The bytes that a printer may still wait for. */
  const missing = new Map<string, number>()
  return {
    /**
     * Sends a label, after filler bytes that complete a picture that may have been cut off before.
     * @param name identifies the printer
     */
    async send(
      name: string,
      printer: PicturePrinter,
      { zpl, bitmaps }: Pick<PrinterBytes, 'zpl' | 'bitmaps'>,
      send: (bytes: Buffer) => Promise<PrintOutcome>,
    ): Promise<PrintOutcome> {
      const key = `${name} ${printer.language ?? 'zpl'}`
      const own = getMaxPictureBytes(printer, bitmaps)
      const missingBefore = missing.get(key) ?? own
      missing.set(key, 0)
      let isComplete = false
      try {
        const bytes = missingBefore === 0 ? zpl : Buffer.concat([toFiller(missingBefore, printer), zpl])
        const outcome = await send(bytes)
        isComplete = outcome.kind === 'handed-over'
        return outcome
      } finally {
        // The next label may have been sent meanwhile.
        if (!isComplete) missing.set(key, Math.max(missing.get(key) ?? 0, missingBefore, own))
      }
    },
  }
}

/**
 * The size of the largest picture on a printer's stock; 0 for ZPL, where a picture that was cut off ends with the next
 * label. Pictures on continuous stock are longer, so that the label's own count as well.
 */
function getMaxPictureBytes(printer: PicturePrinter, bitmaps: ZplDrawing['bitmaps'] = []): number {
  if ((printer.language ?? 'zpl') === 'zpl') return 0
  const { widthDots, heightDots } = toZplLayout(printer, [])
  return Math.max(Math.ceil(widthDots / 8) * heightDots, ...bitmaps.map((bitmap) => bitmap?.bits.length ?? 0))
}

/**
 * Filler for a picture that may have been cut off. Line ends have no effect when there is none, and the label that
 * follows clears what they draw.
 */
function toFiller(bytes: number, { language }: PicturePrinter): Buffer {
  return Buffer.alloc(bytes, language === 'tspl' ? '\r\n' : '\n')
}
