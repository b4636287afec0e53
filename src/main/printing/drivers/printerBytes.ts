import { appError } from '../../../shared/errors'
import { type Dpi, getPrinterName, type SocketPrinter, type SystemPrinter } from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import { toQuestion, toZplLayout } from '../layout/labelLayout'
import { frameCarrierZpl } from '../raster/labelLanguages'
import type { Rasterizer, ZplDrawing } from '../raster/rasterizer'
import type { PrintContext, PrintOutcome } from './driver'

/** A label in its printer's language, with its dots where the app drew them. */
export type PrinterBytes = Pick<ZplDrawing, 'zpl' | 'findings' | 'barcodes'> &
  Partial<Pick<ZplDrawing, 'bitmaps'>>

type LanguagePrinter = (SocketPrinter | SystemPrinter) & { dpi: Dpi }

/**
 * A label in its printer's language: a carrier's ZPL as it is, since it states its own size, and a PDF drawn dot for dot.
 * @param onPlaced called when it is known how the label lies on the stock
 * @returns the error `label-in-other-language` for ZPL when the printer reads something else
 */
export async function toPrinterBytes(
  context: PrintContext<LanguagePrinter>,
  rasterizer: Pick<Rasterizer, 'renderZpl'>,
  onPlaced?: () => void,
): Promise<Result<PrinterBytes>> {
  const { label, printer } = context
  if (label.kind !== 'zpl')
    return rasterizer.renderZpl(label.bytes, toZplLayout(printer, toQuestion(context)), onPlaced)
  if ((printer.language ?? 'zpl') !== 'zpl') return err(otherLanguage(printer))
  return ok({ zpl: frameCarrierZpl(label.bytes, printer, printer.copies), findings: [] })
}

/** The error for a carrier's ZPL where the printer reads something else. */
export function otherLanguage(printer: SocketPrinter | SystemPrinter) {
  const details = { printer: getPrinterName(printer), language: (printer.language ?? 'zpl').toUpperCase() }
  return appError('label-in-other-language', details)
}

/** A label printer's settings, as far as its pictures are concerned. */
type PicturePrinter = Parameters<typeof toZplLayout>[0]

/** Sends labels behind what fills up a picture that broke off. */
export type BrokenPictures = ReturnType<typeof createBrokenPictures>

/**
 * Whether printers may still wait for the rest of a picture. In EPL2 and TSPL a picture is over after its number of bytes
 * alone: one that broke off would swallow the next label. Nothing is known of a printer at the app's start.
 */
export function createBrokenPictures() {
  /** The bytes of a picture for which a printer may still wait. */
  const missing = new Map<string, number>()
  return {
    /**
     * Sends a label behind what fills up a picture that may have broken off before it.
     * @param name tells the printer from others
     */
    async send(
      name: string,
      printer: PicturePrinter,
      { zpl, bitmaps }: Pick<PrinterBytes, 'zpl' | 'bitmaps'>,
      send: (bytes: Buffer) => Promise<PrintOutcome>,
    ): Promise<PrintOutcome> {
      const key = `${name} ${printer.language ?? 'zpl'}`
      const own = toPictureBytes(printer, bitmaps)
      const before = missing.get(key) ?? own
      missing.set(key, 0)
      let isWhole = false
      try {
        const bytes = before === 0 ? zpl : Buffer.concat([lineEnds(before, printer), zpl])
        const outcome = await send(bytes)
        isWhole = outcome.kind === 'handed-over'
        return outcome
      } finally {
        // The next label may have been sent meanwhile.
        if (!isWhole) missing.set(key, Math.max(missing.get(key) ?? 0, before, own))
      }
    },
  }
}

/**
 * The bytes of the largest picture on a printer's stock, where a picture is over after its number of bytes alone.
 * Continuous stock has longer ones.
 */
function toPictureBytes(printer: PicturePrinter, bitmaps: ZplDrawing['bitmaps'] = []): number {
  if ((printer.language ?? 'zpl') === 'zpl') return 0
  const { widthDots, heightDots } = toZplLayout(printer, [])
  return Math.max(Math.ceil(widthDots / 8) * heightDots, ...bitmaps.map(({ bits }) => bits.length))
}

/**
 * Fills up a picture that may have broken off, which would swallow the next label. Line ends do nothing where there is
 * none, and what they draw is cleared by the label that follows.
 */
function lineEnds(bytes: number, { language }: PicturePrinter): Buffer {
  return Buffer.alloc(bytes, language === 'tspl' ? '\r\n' : '\n')
}
