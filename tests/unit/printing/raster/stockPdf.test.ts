import { degrees, PDFDocument, rgb } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { turned } from '../../../../src/main/printing/layout/geometry'
import type { PlacementRule, SizeMm, Turn } from '../../../../src/shared/labels'
import { systemPrinterSchema } from '../../../../src/shared/printing'
import { ok } from '../../../../src/shared/result'
import { createInlineRasterizer } from '../../../support/printing/inlineRasterizer'
import { type Mark, markedPdf } from '../../../support/printing/labels'
import {
  hiddenMark,
  layeredPdf,
  shownMark,
  withUnreadablePicture,
} from '../../../support/printing/unusualPdfs'

const rasterizer = createInlineRasterizer()
const dotsPerMm = 4

/** The size of a page, and whether it is black at a place; both in millimetres, places from the top left corner. */
async function getPage(pdf: Buffer, index = 0) {
  const rendered = await rasterizer.renderGrey(pdf, dotsPerMm)
  if (!rendered.ok) throw new Error(rendered.error.message)
  const page = rendered.value[index]
  if (page === undefined) throw new Error('no page')
  return {
    size: [Math.round(page.width / dotsPerMm), Math.round(page.height / dotsPerMm)],
    black: (x: number, y: number) =>
      (page.pixels[Math.round(y * dotsPerMm) * page.width + Math.round(x * dotsPerMm)] ?? 255) < 128,
  }
}

/** A sheet that is shown as 120 x 130 mm by a page rotation of `shown` degrees. */
async function turnedSheet(drawn: Mark[], shown: number): Promise<Buffer> {
  const upright = await PDFDocument.load(await markedPdf(120, 130, drawn))
  if (shown === 0) return Buffer.from(await upright.save())
  const document = await PDFDocument.create()
  const [content] = await document.embedPdf(upright)
  if (content === undefined) throw new Error('no page')
  const { width, height } = content
  const page = document.addPage(shown === 180 ? [width, height] : [height, width])
  const corners = { 90: [height, 0], 180: [width, height], 270: [0, width] } as const
  const [x, y] = shown === 90 ? corners[90] : shown === 180 ? corners[180] : corners[270]
  page.drawPage(content, { x, y, rotate: degrees(shown === 90 ? 90 : shown === 180 ? 180 : 270) })
  page.setRotation(degrees(shown))
  return Buffer.from(await document.save())
}

interface Settings {
  rotate: Turn
  offsetMm?: { x: number; y: number }
}

/** Uses stock of the size of the turned first page unless `choice` names another. */
async function tryLayOnStock(bytes: Buffer, settings: Settings, choice: Partial<Choice> = {}) {
  const measured = await rasterizer.measure(bytes)
  const pages = measured.ok ? measured.value : [{ widthMm: 60, heightMm: 90 }]
  const [first = { widthMm: 60, heightMm: 90 }] = pages
  const stock = choice.stock ?? turned(first, settings.rotate)
  const printer = systemPrinterSchema.parse({ id: 'p', driver: 'system', queue: 'Q', stock, ...settings })
  const placements = { printer, carrierOptionId: 34, rules: choice.rules ?? [] }
  const laid = await rasterizer.layOnStock(bytes, {
    stock,
    offsetMm: printer.offsetMm,
    copies: 1,
    placements,
  })
  return laid.ok ? ok(laid.value.pdf) : laid
}

interface Choice {
  stock: SizeMm
  rules: PlacementRule[]
}

async function layOnStock(bytes: Buffer, settings: Settings, choice: Partial<Choice> = {}): Promise<Buffer> {
  const result = await tryLayOnStock(bytes, settings, choice)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

describe('laying a PDF on stock', () => {
  it('returns the original bytes when the label needs no change', async () => {
    const bytes = await markedPdf()
    expect(await layOnStock(bytes, { rotate: 0 })).toBe(bytes)
    expect(await layOnStock(bytes, { rotate: 0, offsetMm: { x: 0, y: 0 } })).toBe(bytes)
  })

  // The mark lies 10 to 20 mm from the left and 20 to 25 mm from the top of a page of 60 x 90 mm.
  it.each([
    [0, [60, 90], 15, 22],
    [90, [90, 60], 68, 15],
    [180, [60, 90], 45, 68],
    [270, [90, 60], 22, 45],
  ] as const)(
    'turns the page clockwise by %i degrees and applies the offset after the turn',
    async (rotate, size, x, y) => {
      const bytes = await markedPdf(60, 90, [{ x: 10, y: 20, width: 10, height: 5 }])
      const turned = await getPage(await layOnStock(bytes, { rotate }))
      expect(turned.size).toEqual(size)
      expect(turned.black(x, y)).toBe(true)
      const shifted = await getPage(await layOnStock(bytes, { rotate, offsetMm: { x: 11, y: -12 } }))
      expect(shifted.black(x + 11, y - 12)).toBe(true)
      expect(shifted.black(x, y)).toBe(false)
    },
  )

  it.each([0, 90] as const)(
    'keeps a page with a picture that it cannot decode, turned by %i degrees',
    async (rotate) => {
      const label = await markedPdf(60, 90, [{ x: 10, y: 20, width: 10, height: 5 }])
      const laid = await layOnStock(await withUnreadablePicture(label), { rotate })
      expect((await PDFDocument.load(laid)).getPageCount()).toBe(2)
    },
  )

  it('turns an already turned PDF by another 90 degrees', async () => {
    const bytes = await markedPdf(60, 90, [{ x: 10, y: 20, width: 10, height: 5 }])
    const once = await layOnStock(bytes, { rotate: 90 })
    const twice = await getPage(await layOnStock(once, { rotate: 90, offsetMm: { x: 5, y: 5 } }))
    expect(twice.size).toEqual([60, 90])
    expect(twice.black(50, 73)).toBe(true)
  })

  it('centres a smaller page on the stock without scaling it', async () => {
    const bytes = await markedPdf(60, 90, [{ x: 10, y: 20, width: 10, height: 5 }])
    const placed = await getPage(
      await layOnStock(bytes, { rotate: 0 }, { stock: { widthMm: 80, heightMm: 100 } }),
    )
    expect(placed.size).toEqual([80, 100])
    expect([placed.black(25, 27), placed.black(15, 22)]).toEqual([true, false])
  })

  it.each([0, 90, 180, 270])('cuts labels out of a page that has a rotation of %i degrees', async (shown) => {
    // Two labels of 60 x 90 mm side by side, each with one mark; a third mark lies outside of both.
    const mark = { y: 20, width: 10, height: 5 }
    const drawn = [
      { x: 10, ...mark },
      { x: 90, ...mark },
      { x: 10, y: 110, width: 20, height: 5 },
    ]
    const document = await PDFDocument.load(await turnedSheet(drawn, shown))
    const bytes = Buffer.from(await document.save())
    const rule: PlacementRule = {
      carrierOptionId: 34,
      page: { widthMm: 120, heightMm: 130 },
      stock: { widthMm: 65, heightMm: 95 },
      areas: [
        { xMm: 0, yMm: 0, widthMm: 60, heightMm: 90 },
        { xMm: 60, yMm: 0, widthMm: 60, heightMm: 90 },
      ],
      turn: 0,
      scale: 1,
    }
    const labels = await layOnStock(bytes, { rotate: 0 }, { stock: rule.stock, rules: [rule] })
    for (const [index, x] of [15, 35].entries()) {
      const label = await getPage(labels, index)
      expect(label.size).toEqual([65, 95])
      expect([label.black(x + 2.5, 25), label.black(x + 20, 25), label.black(x, 93)]).toEqual([
        true,
        false,
        false,
      ])
    }
    const turnedRule: PlacementRule = { ...rule, stock: { widthMm: 95, heightMm: 65 }, turn: 90 }
    const sideways = await getPage(
      await layOnStock(bytes, { rotate: 0 }, { stock: turnedRule.stock, rules: [turnedRule] }),
    )
    expect(sideways.black(2.5 + 90 - 22, 2.5 + 15)).toBe(true)
    const half: PlacementRule = {
      ...rule,
      stock: { widthMm: 60, heightMm: 65 },
      areas: [{ xMm: 0, yMm: 0, widthMm: 120, heightMm: 130 }],
      scale: 0.5,
    }
    const smaller = await getPage(
      await layOnStock(bytes, { rotate: 0 }, { stock: half.stock, rules: [half] }),
    )
    expect(smaller.size).toEqual([60, 65])
    expect([smaller.black(7, 11), smaller.black(47, 11), smaller.black(15, 22)]).toEqual([true, true, false])
  })

  it('turns every page', async () => {
    const bytes = await markedPdf(60, 90, [{ x: 10, y: 20, width: 10, height: 5 }], 3)
    const document = await PDFDocument.load(await layOnStock(bytes, { rotate: 90 }))
    // Pages are as wide as the stock and have no rotation of their own, because the filters of some printers ignore it.
    expect(document.getPages().map((page) => page.getRotation().angle)).toEqual([0, 0, 0])
    expect(document.getPages().map((page) => Math.round(page.getWidth()))).toEqual([255, 255, 255])
  })

  it.each([0, 90] as const)('refuses a blank label turned by %i degrees', async (rotate) => {
    expect(await tryLayOnStock(await markedPdf(60, 90, []), { rotate })).toMatchObject({
      error: { code: 'label-unreadable', details: { reason: 'it would come out blank' } },
    })
  })

  it.each([0, 90] as const)(
    'accepts a label that has only very light ink, turned by %i degrees',
    async (rotate) => {
      const document = await PDFDocument.load(await markedPdf(60, 90, []))
      document.addPage([170, 255])
      document.getPage(0).drawRectangle({ x: 20, y: 20, width: 60, height: 4, color: rgb(0.95, 0.95, 0.95) })
      const bytes = Buffer.from(await document.save())
      expect(await tryLayOnStock(bytes, { rotate })).toMatchObject({ ok: true })
    },
  )

  it('lays 7 sheets with eight labels each on label stock', async () => {
    const [page, stock] = [
      { widthMm: 210, heightMm: 297 },
      { widthMm: 105, heightMm: 75 },
    ]
    const places = [0, 1, 2, 3].flatMap((row) => [0, 105].map((xMm) => ({ xMm, yMm: row * 74.25 })))
    const drawn = places.map(({ xMm, yMm }) => ({ x: xMm + 10, y: yMm + 10, width: 30, height: 5 }))
    const rule: PlacementRule = {
      ...{ carrierOptionId: 34, page, stock, turn: 0, scale: 1 },
      areas: places.map((place) => ({ ...place, widthMm: 105, heightMm: 74.25 })),
    }
    const sheets = await markedPdf(page.widthMm, page.heightMm, drawn, 7)
    const labels = await layOnStock(sheets, { rotate: 0 }, { stock, rules: [rule] })
    expect((await PDFDocument.load(labels)).getPageCount()).toBe(56)
  })

  it('keeps all 7 sheets of a layered PDF and leaves out the hidden layer', async () => {
    // A rewritten PDF would show hidden layers, so that each page becomes a picture, with fewer dots when there are
    // many sheets.
    const bytes = await layeredPdf(7, { widthMm: 210, heightMm: 297 })
    const label = await PDFDocument.load(await layOnStock(bytes, { rotate: 0, offsetMm: { x: 1, y: 0 } }))
    expect(label.getPageCount()).toBe(7)
    const page = await getPage(Buffer.from(await label.save()), 6)
    expect([
      page.black(shownMark.x + 11, shownMark.y + 10),
      page.black(hiddenMark.x + 11, hiddenMark.y + 10),
    ]).toEqual([true, false])
  })

  it('draws a page that is larger than A4 with fewer dots when it becomes a picture', async () => {
    const bytes = await layeredPdf(1, { widthMm: 297, heightMm: 420 })
    const page = await getPage(await layOnStock(bytes, { rotate: 0, offsetMm: { x: 1, y: 0 } }))
    expect(page.size).toEqual([297, 420])
    expect(page.black(shownMark.x + 11, shownMark.y + 10)).toBe(true)
  })

  it('refuses a file that is not a PDF', async () => {
    expect(await tryLayOnStock(Buffer.from('not a PDF'), { rotate: 90 })).toMatchObject({
      error: { code: 'label-unreadable' },
    })
  })
})
