import { appError } from '../../../shared/errors'
import { type Dpi, getPrinterName, type SocketPrinter, type SystemPrinter } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { toPlacementRequest, toZplLayout } from '../layout/labelLayout'
import { frameCarrierZpl } from '../raster/labelLanguages'
import type { Rasterizer, ZplDrawing } from '../raster/rasterizer'
import type { PrintContext, PrintOutcome } from './driver'

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
