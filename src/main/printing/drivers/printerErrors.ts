import type { AppError } from '../../../shared/errors'
import { appError } from '../../../shared/errors'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import { sayInEnglish } from '../../../shared/printerRemarks'
import type { Printer, SocketPrinter, SystemPrinter } from '../../../shared/printing'
import { nameOfPrinter } from '../queue/routing'

/** A printer that keeps a label waiting although another one could take it. */
export function notReady(printer: Printer, says: PrinterRemark[]): AppError {
  const name = nameOfPrinter(printer)
  const message = `Printer ${name} is not ready (${sayInEnglish(says)}): see to it, then print again.`
  return { ...appError('printer-not-ready', message, { printer: name }), says }
}

/** A label whose bytes may have arrived. */
export function unconfirmed(printer: Printer, says: PrinterRemark): AppError {
  const name = nameOfPrinter(printer)
  const message = `It is not known whether printer ${name} printed the label (${sayInEnglish([says])}): look at the printer, then say so or print again.`
  return { ...appError('print-unconfirmed', message, { printer: name }), says: [says] }
}

/** A printer whose stock can't be measured from here. */
export function nothingToCalibrate(printer: Printer): AppError {
  const name = nameOfPrinter(printer)
  return appError(
    'calibration-not-possible',
    `Printer ${name} can't be told to measure its labels as it is set up: nothing was sent. Calibrate it at the printer.`,
    { printer: name },
  )
}

/** A carrier's ZPL for a printer that reads something else. */
export function otherLanguage(printer: SocketPrinter | SystemPrinter): AppError {
  const details = { printer: nameOfPrinter(printer), language: (printer.language ?? 'zpl').toUpperCase() }
  return appError(
    'label-in-other-language',
    `The label is ZPL, but printer ${details.printer} reads ${details.language}: nothing was sent. Print it on a ZPL printer, or ask the carrier for PDF labels.`,
    details,
  )
}
