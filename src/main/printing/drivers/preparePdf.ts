import { degrees, PDFDocument } from 'pdf-lib'
import { appError } from '../../../shared/errors'
import type { SystemPrinter } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'

const pointsPerMm = 72 / 25.4

/**
 * The PDF as a printer's settings want it: turned and shifted on the stock. Without a turn or a shift these are the
 * stored bytes. Doing it in the PDF gives the same label on every system, where print options differ.
 * @returns the error `label-unreadable` for a PDF that can't be rewritten
 */
export async function preparePdf(
  bytes: Buffer,
  { rotate, offsetMm }: Pick<SystemPrinter, 'rotate' | 'offsetMm'>,
): Promise<Result<Buffer>> {
  const offset = offsetMm ?? { x: 0, y: 0 }
  if (rotate === 0 && offset.x === 0 && offset.y === 0) return ok(bytes)
  try {
    const document = await PDFDocument.load(bytes)
    for (const page of document.getPages()) {
      const turn = (((page.getRotation().angle + rotate) % 360) + 360) % 360
      page.setRotation(degrees(turn))
      const [x, y] = inPageSpace(offset, turn)
      page.translateContent(x * pointsPerMm, y * pointsPerMm)
    }
    return ok(Buffer.from(await document.save()))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return err(
      appError(
        'label-unreadable',
        `The label can't be turned or shifted as the printer's settings say (${reason}): set both to 0, or ask the carrier for the label again.`,
        { reason },
      ),
    )
  }
}

/** A shift to the right and down, as seen, in the axes of a page that is shown turned clockwise. */
function inPageSpace({ x, y }: { x: number; y: number }, turn: number): [number, number] {
  switch (turn) {
    case 90:
      return [y, x]
    case 180:
      return [-x, y]
    case 270:
      return [-y, -x]
    default:
      return [x, -y]
  }
}
