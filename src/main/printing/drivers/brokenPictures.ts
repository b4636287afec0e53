import { toZplLayout } from '../layout/labelLayout'
import type { ZplDrawing } from '../raster/rasterizer'
import type { PrintOutcome } from './driver'

/** A label printer's settings, as far as its pictures are concerned. */
type PicturePrinter = Parameters<typeof toZplLayout>[0]

/**
 * Whether printers may still wait for the rest of a picture. In EPL2 and TSPL a picture is over after its number of bytes
 * alone: one that broke off would swallow the next label.
 */
export interface BrokenPictures {
  /**
   * Sends a label behind what fills up a picture that may have broken off before it, at the app's start as well.
   * @param name tells the printer from others
   */
  send(
    name: string,
    printer: PicturePrinter,
    drawn: Pick<ZplDrawing, 'zpl'> & Partial<Pick<ZplDrawing, 'bitmaps'>>,
    send: (bytes: Buffer) => Promise<PrintOutcome>,
  ): Promise<PrintOutcome>
}

/** Knows nothing of any printer. */
export function createBrokenPictures(): BrokenPictures {
  /** The bytes of a picture for which a printer may still wait. */
  const missing = new Map<string, number>()
  return {
    async send(name, printer, { zpl, bitmaps }, send) {
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
