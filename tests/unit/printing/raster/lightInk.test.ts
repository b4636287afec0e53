import { degrees, PDFDocument, type PDFPage, rgb, StandardFonts } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { toZplLayout } from '../../../../src/main/printing/layout/labelLayout'
import { type Dpi, socketPrinterSchema } from '../../../../src/shared/printing'
import { corpus } from '../../../support/printing/corpus/corpus'
import { createInlineRasterizer } from '../../../support/printing/inlineRasterizer'

const rasterizer = createInlineRasterizer()
const grey = (share: number) => rgb(1 - share, 1 - share, 1 - share)
const yellow = rgb(1, 1, 0)

/** The findings for a label of 100 x 150 mm with this drawing. */
async function findLostInDrawing(
  draw: (page: PDFPage) => void,
  fields: { dpi?: Dpi; greys?: 'dither' } = {},
) {
  const document = await PDFDocument.create()
  await document.embedFont(StandardFonts.Helvetica)
  draw(document.addPage([283.46, 425.2]))
  return findLost(Buffer.from(await document.save()), fields)
}

async function findLost(pdf: Buffer, fields: object = {}) {
  const printer = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: 'h', ...fields })
  const layout = toZplLayout(printer, { printer, carrierOptionId: 34, rules: [], range: undefined })
  const drawn = await rasterizer.renderZpl(pdf, layout)
  if (!drawn.ok) throw new Error(drawn.error.message)
  return drawn.value.findings
}

const text = (page: PDFPage, y: number, size: number, color = grey(1)) =>
  page.drawText('Beside 12,5 kg', { x: 20, y, size, color })

/** A box with rounded corners. */
function rounded(
  page: PDFPage,
  y: number,
  radius: number,
  style: Parameters<PDFPage['drawSvgPath']>[1],
): void {
  const [w, h] = [220, 30]
  page.drawSvgPath(
    `M ${radius} 0 L ${w - radius} 0 Q ${w} 0 ${w} ${radius} L ${w} ${h - radius} Q ${w} ${h} ${w - radius} ${h} L ${radius} ${h} Q 0 ${h} 0 ${h - radius} L 0 ${radius} Q 0 0 ${radius} 0`,
    { x: 20, y, ...style },
  )
}

describe('light ink beside black ink', () => {
  it.each([
    ['25 % grey', grey(0.25), 203, 8],
    ['25 % grey', grey(0.25), 203, 30],
    ['25 % grey', grey(0.25), 600, 6],
    ['yellow', yellow, 203, 8],
    ['yellow', yellow, 300, 30],
    ['orange', rgb(1, 0.6, 0), 203, 12],
  ] as const)('is reported with its place: %s text (case %#)', async (_, color, dpi, size) => {
    const found = await findLostInDrawing(
      (page) => {
        text(page, 300 + size * 1.2, size)
        text(page, 300, size, color)
        text(page, 300 - size * 1.2, size)
      },
      { dpi },
    )
    expect(found).toMatchObject([{ kind: 'page-blank', page: 1 }])
    for (const { yMm, heightMm } of found[0]?.areas ?? []) {
      const baselineMm = 150 - (300 / 72) * 25.4
      expect(yMm).toBeGreaterThan(baselineMm - (size / 72) * 25.4)
      expect(yMm + heightMm).toBeLessThan(baselineMm + (size / 72) * 25.4 * 0.3)
    }
  })

  it.each([
    ['white on 25 % grey', 0.25, 0],
    ['white on 45 % grey', 0.45, 0],
    ['20 % grey on 45 % grey', 0.45, 0.2],
    ['45 % grey on 20 % grey', 0.2, 0.45],
    ['75 % grey on black', 1, 0.75],
    ['black on 60 % grey', 0.6, 1],
  ])(
    'is reported with its place when it prints in the same colour as its background: %s',
    async (_, ground, ink) => {
      for (const [dpi, size] of [
        [203, 8],
        [203, 24],
        [300, 12],
        [600, 6],
      ] as const) {
        const found = await findLostInDrawing(
          (page) => {
            text(page, 380, 12)
            page.drawRectangle({ x: 10, y: 280, width: 240, height: 60, color: grey(ground) })
            text(page, 300, size, grey(ink))
          },
          { dpi },
        )
        expect(found).toMatchObject([{ kind: 'page-blank', page: 1 }])
        for (const { yMm, heightMm } of found[0]?.areas ?? []) {
          const baselineMm = 150 - (300 / 72) * 25.4
          expect(yMm).toBeGreaterThan(baselineMm - (size / 72) * 25.4 - 1)
          expect(yMm + heightMm).toBeLessThan(baselineMm + (size / 72) * 25.4 * 0.3 + 1)
        }
      }
    },
  )

  it('is not reported when greys are dithered', async () => {
    const draw = (page: PDFPage) => {
      text(page, 330, 12)
      text(page, 300, 12, grey(0.25))
    }
    expect(await findLostInDrawing(draw, { greys: 'dither' })).toEqual([])
  })
})

describe('the search for lost ink', () => {
  it.each([0.08, 0.2, 0.3, 0.4])(
    'reports nothing for backgrounds, frames, tables and dashes of %d grey beside black text',
    async (share) => {
      const color = grey(share)
      const found = await findLostInDrawing((page) => {
        page.drawRectangle({ x: 20, y: 370, width: 200, height: 40, color })
        text(page, 380, 12)
        page.drawCircle({ x: 250, y: 385, size: 18, color })
        for (const [row, radius] of [3, 6, 12].entries()) {
          rounded(page, 350 - row * 40, radius, { color })
          text(page, 330 - row * 40, 9)
          rounded(page, 220 - row * 36, radius, { borderColor: color, borderWidth: 1 })
        }
        for (let y = 10; y <= 70; y += 10)
          page.drawLine({ start: { x: 20, y }, end: { x: 250, y }, thickness: 0.7, color })
        for (let x = 20; x <= 250; x += 23)
          page.drawLine({ start: { x, y: 10 }, end: { x, y: 70 }, thickness: 0.7, color })
        page.drawLine({
          start: { x: 20, y: 90 },
          end: { x: 250, y: 90 },
          thickness: 0.5,
          color,
          dashArray: [3, 2],
        })
      })
      expect(found).toEqual([])
    },
  )

  it.each([0.15, 0.3, 0.45, 0.6, 1])(
    'reports nothing on a background of %d grey for bars, boxes and text that print in the other colour',
    async (share) => {
      for (const dpi of [203, 300, 600] as const) {
        const found = await findLostInDrawing(
          (page) => {
            const onGround = grey(share > 0.5 ? 0 : 1)
            page.drawRectangle({ x: 10, y: 150, width: 250, height: 250, color: grey(share) })
            for (const [row, size] of [6, 9, 14, 30].entries()) text(page, 370 - row * 30, size, onGround)
            // A panel with a barcode, an empty panel and a rounded panel.
            page.drawRectangle({ x: 20, y: 170, width: 110, height: 60, color: grey(0) })
            for (let bar = 0; bar < 30; bar += 1)
              page.drawRectangle({ x: 30 + bar * 3, y: 180, width: 1.3, height: 40, color: grey(1) })
            page.drawRectangle({ x: 140, y: 170, width: 30, height: 30, color: grey(0) })
            rounded(page, 265, 8, { color: grey(0) })
            // Table lines and dashes in a colour near that of the background.
            for (let x = 180; x < 250; x += 20)
              page.drawLine({
                start: { x, y: 170 },
                end: { x, y: 230 },
                thickness: 0.7,
                color: grey(share * 0.7),
              })
            page.drawLine({
              ...{ start: { x: 20, y: 160 }, end: { x: 240, y: 160 }, thickness: 0.5, dashArray: [3, 2] },
              color: grey(share * 0.7),
            })
          },
          { dpi },
        )
        expect({ dpi, found }).toEqual({ dpi, found: [] })
      }
    },
  )

  it.each([203, 300] as const)(
    'reports nothing at the edges of black text of 3 to 60 points, also turned, at %i dpi',
    async (dpi) => {
      const found = await findLostInDrawing(
        (page) => {
          for (const [row, size] of [3, 4, 5, 6, 8, 12, 30, 60].entries())
            text(page, 410 - row * row * 6, size)
          page.drawText('turned', { x: 200, y: 200, size: 20, rotate: degrees(33) })
        },
        { dpi },
      )
      expect(found).toEqual([])
    },
  )

  it('reports no light ink on the labels of the corpus', async () => {
    for (const { name, pdf, stock, rules } of corpus) {
      const printer = socketPrinterSchema.parse({ id: 'z', driver: 'socket', host: 'h', stock })
      const layout = toZplLayout(printer, { printer, carrierOptionId: 34, rules, range: undefined })
      const drawn = await rasterizer.renderZpl(await pdf(), layout)
      const found = drawn.ok ? drawn.value.findings.filter(({ kind }) => kind === 'page-blank') : drawn.error
      expect({ name, found }).toEqual({ name, found: [] })
    }
  })
})
