import { PDFDocument } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { preparePdf } from '../../../../src/main/printing/drivers/preparePdf'
import { createInlineRasterizer } from '../../../support/printing/inlineRasterizer'
import { markedPdf } from '../../../support/printing/labels'

const rasterizer = createInlineRasterizer()
const dotsPerMm = 4

/** Whether the page is black at a place in millimetres from the top left corner. */
async function pageOf(pdf: Buffer) {
  const rendered = await rasterizer.renderGrey(pdf, dotsPerMm)
  if (!rendered.ok) throw new Error(rendered.error.message)
  const page = rendered.value[0]
  if (page === undefined) throw new Error('no page')
  return {
    size: [Math.round(page.width / dotsPerMm), Math.round(page.height / dotsPerMm)],
    black: (x: number, y: number) => (page.pixels[y * dotsPerMm * page.width + x * dotsPerMm] ?? 255) < 128,
  }
}

async function prepared(bytes: Buffer, settings: Parameters<typeof preparePdf>[1]): Promise<Buffer> {
  const result = await preparePdf(bytes, settings)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

describe('turning and shifting a PDF', () => {
  it('leaves the stored bytes alone when there is nothing to do', async () => {
    const bytes = await markedPdf()
    expect(await prepared(bytes, { rotate: 0 })).toBe(bytes)
    expect(await prepared(bytes, { rotate: 0, offsetMm: { x: 0, y: 0 } })).toBe(bytes)
  })

  // The mark lies 10 to 20 mm from the left and 20 to 25 mm from the top of a page of 60 x 90 mm.
  it.each([
    [0, [60, 90], 15, 22],
    [90, [90, 60], 68, 15],
    [180, [60, 90], 45, 68],
    [270, [90, 60], 22, 45],
  ] as const)('turns clockwise by %i degrees and shifts as seen', async (rotate, size, x, y) => {
    const bytes = await markedPdf(60, 90, [{ x: 10, y: 20, width: 10, height: 5 }])
    const turned = await pageOf(await prepared(bytes, { rotate }))
    expect(turned.size).toEqual(size)
    expect(turned.black(x, y)).toBe(true)
    const shifted = await pageOf(await prepared(bytes, { rotate, offsetMm: { x: 11, y: -12 } }))
    expect(shifted.black(x + 11, y - 12)).toBe(true)
    expect(shifted.black(x, y)).toBe(false)
  })

  it('adds to a turn that the PDF has already', async () => {
    const bytes = await markedPdf(60, 90, [{ x: 10, y: 20, width: 10, height: 5 }])
    const once = await prepared(bytes, { rotate: 90 })
    const twice = await pageOf(await prepared(once, { rotate: 90, offsetMm: { x: 5, y: 5 } }))
    expect(twice.size).toEqual([60, 90])
    expect(twice.black(50, 73)).toBe(true)
  })

  it('treats every page', async () => {
    const bytes = await markedPdf(60, 90, [], 3)
    const document = await PDFDocument.load(await prepared(bytes, { rotate: 90 }))
    expect(document.getPages().map((page) => page.getRotation().angle)).toEqual([90, 90, 90])
  })

  it('says so when the PDF can’t be rewritten', async () => {
    expect(await preparePdf(Buffer.from('not a PDF'), { rotate: 90 })).toMatchObject({
      error: { code: 'label-unreadable' },
    })
  })
})
