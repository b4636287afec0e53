import type { PDFPage } from 'pdf-lib'
import {
  clip,
  degrees,
  endPath,
  PDFDocument,
  PDFName,
  PDFNumber,
  popGraphicsState,
  pushGraphicsState,
  rectangle,
} from 'pdf-lib'
import { appError } from '../../../shared/errors'
import type { SizeMm } from '../../../shared/labelRules'
import type { SystemPrinter } from '../../../shared/printing'
import type { Result } from '../../../shared/result'
import { err, ok } from '../../../shared/result'
import type { Placement } from '../gate'
import type { LabelPlan } from '../labelPlan'
import { sameSize, turned, turnedBack } from '../stock'

const pointsPerMm = 72 / 25.4

/**
 * The PDF as it is to lie on the stock: one page of the stock's size for each placement. When all pages are of that size
 * already and nothing is turned or shifted, these are the stored bytes. Doing it in the PDF gives the same label on
 * every system, where print options differ.
 * @returns the error `label-unreadable` for a PDF that can't be rewritten
 */
export async function preparePdf(
  bytes: Buffer,
  { stock, offsetMm }: Pick<SystemPrinter, 'stock' | 'offsetMm'>,
  plan: LabelPlan,
): Promise<Result<Buffer>> {
  const offset = offsetMm ?? { x: 0, y: 0 }
  if (offset.x === 0 && offset.y === 0 && isAsStored(plan, stock)) return ok(bytes)
  try {
    const source = await PDFDocument.load(bytes)
    const label = await PDFDocument.create()
    for (const placement of plan.placements) {
      // One by one: copied together, two labels of one page would be the same page.
      const [page] = await label.copyPages(source, [placement.page])
      if (page === undefined) continue
      layOnStock(page, placement, { stock, offset })
      label.addPage(page)
    }
    return ok(Buffer.from(await label.save()))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return err(
      appError(
        'label-unreadable',
        `The label can't be turned, shifted or cut as the printer's settings say (${reason}): ask the carrier for the label again.`,
        { reason },
      ),
    )
  }
}

function isAsStored({ pages, placements }: LabelPlan, stock: SizeMm): boolean {
  return (
    placements.length === pages.length &&
    placements.every(({ page, area, turn, scale }, index) => {
      const size = pages[index]
      return (
        page === index &&
        turn === 0 &&
        scale === 1 &&
        size !== undefined &&
        sameSize(size, stock) &&
        area.widthMm === size.widthMm &&
        area.heightMm === size.heightMm
      )
    })
  )
}

/** Makes a page show just its placement: its boxes become the stock, and what lies outside of the area is clipped. */
function layOnStock(
  page: PDFPage,
  { area, turn, scale }: Placement,
  { stock, offset }: { stock: SizeMm; offset: { x: number; y: number } },
): void {
  const view = viewOf(page)
  clipTo(page, inPageSpace(view, area))
  const upright = turned(stock, turn)
  const shift = turnedBack(offset, turn)
  const frame = {
    xMm: area.xMm + (area.widthMm - upright.widthMm / scale) / 2 - shift.x / scale,
    yMm: area.yMm + (area.heightMm - upright.heightMm / scale) / 2 - shift.y / scale,
    widthMm: upright.widthMm / scale,
    heightMm: upright.heightMm / scale,
  }
  const box = inPageSpace(view, frame)
  const factor = scale * view.unit
  page.scaleContent(factor, factor)
  page.scaleAnnotations(factor, factor)
  for (const name of ['UserUnit', 'CropBox', 'TrimBox', 'BleedBox', 'ArtBox'])
    page.node.delete(PDFName.of(name))
  page.setMediaBox(box.x * factor, box.y * factor, box.width * factor, box.height * factor)
  page.setRotation(degrees((view.rotation + turn) % 360))
}

/** How a page is shown: its crop box in its own space, its turn and its unit. */
interface View {
  x: number
  y: number
  width: number
  height: number
  rotation: number
  unit: number
}

function viewOf(page: PDFPage): View {
  const media = page.getMediaBox()
  const crop = page.getCropBox()
  // What lies outside of the media box is never shown.
  const x = Math.max(media.x, crop.x)
  const y = Math.max(media.y, crop.y)
  const unit = page.node.lookupMaybe(PDFName.of('UserUnit'), PDFNumber)?.asNumber() ?? 1
  return {
    x,
    y,
    width: Math.min(media.x + media.width, crop.x + crop.width) - x,
    height: Math.min(media.y + media.height, crop.y + crop.height) - y,
    rotation: ((page.getRotation().angle % 360) + 360) % 360,
    unit: unit > 0 ? unit : 1,
  }
}

interface Box {
  x: number
  y: number
  width: number
  height: number
}

/** An area of the page as it is shown, in the page's own space, where y points up. */
function inPageSpace(view: View, area: { xMm: number; yMm: number; widthMm: number; heightMm: number }): Box {
  const perMm = pointsPerMm / view.unit
  const [left, top] = [area.xMm * perMm, area.yMm * perMm]
  const [width, height] = [area.widthMm * perMm, area.heightMm * perMm]
  switch (view.rotation) {
    case 90:
      return { x: view.x + top, y: view.y + left, width: height, height: width }
    case 180:
      return { x: view.x + view.width - left - width, y: view.y + top, width, height }
    case 270:
      return {
        x: view.x + view.width - top - height,
        y: view.y + view.height - left - width,
        width: height,
        height: width,
      }
    default:
      return { x: view.x + left, y: view.y + view.height - top - height, width, height }
  }
}

function clipTo(page: PDFPage, { x, y, width, height }: Box): void {
  const context = page.doc.context
  const start = context.register(
    context.contentStream([pushGraphicsState(), rectangle(x, y, width, height), clip(), endPath()]),
  )
  const end = context.register(context.contentStream([popGraphicsState()]))
  page.node.wrapContentStreams(start, end)
}
