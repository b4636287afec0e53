import type { AppError } from '../../../shared/errors'
import { appError } from '../../../shared/errors'
import type { PrinterRemark } from '../../../shared/printerRemarks'
import type { Printer, SocketPrinter, SystemPrinter } from '../../../shared/printing'
import { nameOfPrinter } from '../queue/routing'

/** A printer that keeps a label waiting although another one could take it. */
export function notReady(printer: Printer, says: PrinterRemark[]): AppError {
  return appError('printer-not-ready', { printer: nameOfPrinter(printer) }, says)
}

/** A label whose bytes may have arrived. */
export function unconfirmed(printer: Printer, says: PrinterRemark): AppError {
  return appError('print-unconfirmed', { printer: nameOfPrinter(printer) }, [says])
}

/** A printer whose stock can't be measured from here. */
export function nothingToCalibrate(printer: Printer): AppError {
  const name = nameOfPrinter(printer)
  return appError('calibration-not-possible', { printer: name })
}

/** A carrier's ZPL for a printer that reads something else. */
export function otherLanguage(printer: SocketPrinter | SystemPrinter): AppError {
  const details = { printer: nameOfPrinter(printer), language: (printer.language ?? 'zpl').toUpperCase() }
  return appError('label-in-other-language', details)
}
