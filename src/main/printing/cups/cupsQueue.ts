import type { AppError } from '../../../shared/errors'
import { appError } from '../../../shared/errors'
import { ownWords } from '../../../shared/printerRemarks'
import { type Dpi, printHeads, type SystemPrinter } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import { sizeInWords } from '../layout/stock'
import { nameOfPrinter } from '../queue/routing'
import { findPrintServer } from './cupsServer'
import type { PrintServer } from './ipp/client'
import { askPrintServer, queueUri } from './ipp/client'
import { chooseMedia, sizeOfMedia } from './ipp/media'
import type { IppGroup } from './ipp/message'
import { getFlag, getResolution, groupTag, operation, toText, toTexts } from './ipp/message'

const rawFormat = 'application/vnd.cups-raw'
const isRaw = /\braw printer\b/i
// No attribute says that a queue understands ZPL; a raw queue or a label printer's name does. Zebra's other languages
// are said in the name, too.
const mayTakeZpl = /\braw printer\b|zpl|zebra|\btsc\b|honeywell|citizen|sato|godex/i
const isZebra = /zpl|zebra/i
const otherLanguage = /\b(epl[12]?|cpcl)\b/i
/** Drivers state a head's resolution up to this off its name; 300 and 305 dpi are five apart. */
const toleranceDpi = 2

/** What the print server says of a queue, as far as printing a label needs it. */
export interface CupsQueue {
  server: PrintServer
  /** Media names that it supports. */
  media: string[]
  /** Whether raw ZPL sent to it reaches a printer that reads ZPL. */
  takesZpl: boolean
  /** It passes bytes on as they come, so the app has to draw: nobody behind it reads PDF. */
  isRaw: boolean
  /** The print head of a printer that surely reads ZPL; undefined when one of both is not known. */
  zplHead: Dpi | undefined
}

/**
 * Asks the print server about a printer's queue.
 * @returns the errors `printer-failed` without CUPS, `printer-unreachable` when it does not answer,
 * `printer-not-found` without such a queue, `printer-stopped` when the queue takes no jobs
 */
export async function findCupsQueue(printer: SystemPrinter, signal: AbortSignal): Promise<Result<CupsQueue>> {
  const server = await findPrintServer()
  if (server === undefined) return err(withoutCups(printer))
  const question = {
    operation: operation.getPrinterAttributes,
    target: [queueUri(printer.queue)],
    wanted: [
      'media-supported',
      'document-format-supported',
      'printer-make-and-model',
      'printer-resolution-default',
      'printer-is-accepting-jobs',
      'printer-state-message',
    ],
  }
  const answer = await askPrintServer(server, question, signal)
  if (!answer.ok) {
    return err(
      answer.error.kind === 'not-found' ? noSuchQueue(printer) : noAnswer(printer, answer.error.reason),
    )
  }
  const attributes = answer.value.groups.find((group) => group.tag === groupTag.printer)
  if (getFlag(attributes, 'printer-is-accepting-jobs') === false) return err(rejecting(printer, attributes))
  const model = toText(attributes, 'printer-make-and-model') ?? ''
  const takesZpl =
    toTexts(attributes, 'document-format-supported').includes(rawFormat) &&
    mayTakeZpl.test(model) &&
    !otherLanguage.test(model)
  const dpi = getResolution(attributes, 'printer-resolution-default')
  return ok({
    server,
    media: toTexts(attributes, 'media-supported'),
    takesZpl,
    isRaw: isRaw.test(model),
    zplHead:
      takesZpl && isZebra.test(model)
        ? printHeads.find((head) => Math.abs(head - (dpi ?? 0)) <= toleranceDpi)
        : undefined,
  })
}

/** The dots per inch at which the app draws PDF labels for a queue itself; undefined where CUPS draws them. */
export function drawnDpi(queue: CupsQueue, { dpi, language }: SystemPrinter): Dpi | undefined {
  const isRaw = queue.isRaw || language !== undefined
  return isRaw ? (dpi ?? queue.zplHead ?? 203) : queue.zplHead && (dpi ?? queue.zplHead)
}

/**
 * The `media` option for a printer's stock. Without it, or with one that the queue lacks, CUPS lays the label on
 * Letter and says nothing.
 * @returns the error `stock-not-supported`, naming what the queue supports
 */
export function mediaForStock(queue: CupsQueue, printer: SystemPrinter): Result<string> {
  const { paper } = printer
  const media =
    paper === undefined ? chooseMedia(queue.media, printer.stock) : queue.media.find((each) => each === paper)
  if (media !== undefined) return ok(media)
  const stock = paper ?? sizeInWords(printer.stock)
  const supported = queue.media.map(mediaInWords).join(', ')
  return err(
    appError('stock-not-supported', {
      printer: nameOfPrinter(printer),
      queue: printer.queue,
      stock,
      supported,
    }),
  )
}

/** The error for a machine on which CUPS' programs are missing. */
export function withoutCups(printer: SystemPrinter): AppError {
  return appError('print-service-missing', { printer: nameOfPrinter(printer) })
}

/** The error for a queue that is not there. */
export function noSuchQueue(printer: SystemPrinter): AppError {
  return appError('printer-not-found', {
    case: 'no-queue',
    printer: nameOfPrinter(printer),
    queue: printer.queue,
  })
}

function noAnswer(printer: SystemPrinter, reason: string): AppError {
  return appError('printer-unreachable', { case: 'spooler', printer: nameOfPrinter(printer) }, [
    { code: 'spooler-silent', words: reason },
  ])
}

function rejecting(printer: SystemPrinter, attributes: IppGroup | undefined): AppError {
  const reason = toText(attributes, 'printer-state-message') ?? ''
  const details = { printer: nameOfPrinter(printer), queue: printer.queue }
  return appError('printer-stopped', details, reason === '' ? [] : [ownWords(reason)])
}

function mediaInWords(media: string): string {
  const size = sizeOfMedia(media)
  return size === undefined ? media : sizeInWords(size)
}
