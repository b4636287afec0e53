import { readFile } from 'node:fs/promises'
import {
  concatTransformationMatrix,
  degrees,
  drawObject,
  PDFDocument,
  PDFName,
  PDFNumber,
  rgb,
} from 'pdf-lib'
import { describe, expect, it, vi } from 'vitest'
import { socketPrinterSchema } from '../../../../src/shared/printing'
import { createInlineRasterizer } from '../../../support/printing/inlineRasterizer'
import { markedPdf, marks } from '../../../support/printing/labels'
import { wholePages } from '../../../support/printing/layouts'
import { withUnreadablePicture } from '../../../support/printing/unusualPdfs'
import { readZplPictures } from '../../../support/printing/zplPicture'

const rasterizer = createInlineRasterizer()
const page = { widthMm: 100, heightMm: 150 }
const layout = wholePages([page])

describe('the PDFium rasterizer', () => {
  it('measures pages in the orientation in which they are shown', async () => {
    const document = await PDFDocument.load(await markedPdf(100, 150, marks, 2))
    document.getPage(1).setRotation(degrees(90))
    const measured = await rasterizer.measure(Buffer.from(await document.save()))
    if (!measured.ok) throw new Error(measured.error.message)
    expect(
      measured.value.map(({ widthMm, heightMm }) => [Math.round(widthMm), Math.round(heightMm)]),
    ).toEqual([
      [100, 150],
      [150, 100],
    ])
  })

  it.each([true, false])('measures a page in its UserUnit (object streams: %s)', async (packed) => {
    const document = await PDFDocument.load(await markedPdf(50, 75))
    document.getPage(0).node.set(PDFName.of('UserUnit'), PDFNumber.of(2))
    const measured = await rasterizer.measure(Buffer.from(await document.save({ useObjectStreams: packed })))
    expect(measured.ok && measured.value.map(({ widthMm }) => Math.round(widthMm))).toEqual([100])
  })

  it('applies a UserUnit only to the page that has one', async () => {
    const document = await PDFDocument.load(await markedPdf(50, 75, [], 12))
    document.getPage(10).node.set(PDFName.of('UserUnit'), PDFNumber.of(2))
    const measured = await rasterizer.measure(Buffer.from(await document.save()))
    const widths = measured.ok ? measured.value.map(({ widthMm }) => Math.round(widthMm)) : []
    expect(widths).toEqual(Array.from({ length: 12 }, (_, index) => (index === 10 ? 100 : 50)))
  })

  it('refuses copies that would take too much memory, and names the number of pages that would fit', async () => {
    const pdf = await markedPdf(100, 150, marks, 2)
    const drawn = await rasterizer.renderZpl(pdf, { ...wholePages([page, page]), copies: 200_000 })
    expect(drawn).toMatchObject({ error: { code: 'label-too-long', details: { pages: '2', maxPages: '1' } } })
    const half = { page: 0, area: { xMm: 0, yMm: 0, widthMm: 100, heightMm: 75 }, turn: 0, scale: 1 } as const
    const twice = { ...wholePages([page]), placements: [half, half], copies: 200_000 }
    expect(await rasterizer.renderZpl(pdf, twice)).toMatchObject({
      error: { code: 'label-unreadable', details: { case: 'copies', copies: '200000' } },
    })
  })

  it('refuses a label when the system has no memory for its picture', async () => {
    const document = await PDFDocument.create()
    const sheet = document.addPage([283.46, 425.2])
    sheet.drawRectangle({ x: 40, y: 320, width: 200, height: 30 })
    const [side, name] = [6000, PDFName.of('Picture')]
    const picture = document.context.flateStream(new Uint8Array(side * side), {
      ...{ Type: 'XObject', Subtype: 'Image', Width: side, Height: side },
      ...{ ColorSpace: 'DeviceGray', BitsPerComponent: 8 },
    })
    sheet.node.setXObject(name, document.context.register(picture))
    sheet.pushOperators(concatTransformationMatrix(200, 0, 0, 200, 40, 100), drawObject(name))
    const pdf = Buffer.from(await document.save())
    // Its PDFium has not grown yet.
    const own = createInlineRasterizer(['/no-fonts'])
    await own.measure(pdf)
    const grow = vi.spyOn(WebAssembly.Memory.prototype, 'grow').mockImplementation(() => {
      throw new RangeError('Unable to grow instance memory')
    })
    const drawn = await own.renderZpl(pdf, layout).finally(() => grow.mockRestore())
    expect(drawn).toMatchObject({
      error: { code: 'label-unreadable', details: { reason: 'it takes too much memory' } },
    })
    expect((await own.renderZpl(pdf, layout)).ok).toBe(true)
  })

  it('draws a label dot for dot at the printer’s resolution', async () => {
    const zpl = await rasterizer.renderZpl(await markedPdf(), layout)
    if (!zpl.ok) throw new Error(zpl.error.message)
    const [picture] = readZplPictures(zpl.value.zpl.toString('latin1'))
    for (const { x, y, width, height } of marks) {
      // One dot inside each corner is black, one dot outside is white.
      const [left, top, right, bottom] = [x * 8, y * 8, (x + width) * 8 - 1, (y + height) * 8 - 1]
      expect([picture?.dot(left + 1, top + 1), picture?.dot(right - 1, bottom - 1)]).toEqual([true, true])
      expect([picture?.dot(left - 1, top), picture?.dot(right + 1, bottom)]).toEqual([false, false])
      expect([picture?.dot(left, top - 1), picture?.dot(right, bottom + 1)]).toEqual([false, false])
    }
  })

  it('prints lines that are thinner than a dot', async () => {
    // Ten lines of 0.1 mm. Each starts a fortieth of a dot later within its row of dots.
    const rules = Array.from({ length: 10 }, (_, index) => ({
      x: 10,
      y: 10 + index * 5 + index / 320,
      width: 50,
      height: 0.1,
    }))
    const zpl = await rasterizer.renderZpl(await markedPdf(100, 150, rules), layout)
    if (!zpl.ok) throw new Error(zpl.error.message)
    const [picture] = readZplPictures(zpl.value.zpl.toString('latin1'))
    const dark = Array.from({ length: 1200 }, (_, y) => y).filter((y) => picture?.dot(200, y))
    expect(rules.every(({ y }) => dark.some((row) => Math.abs(row - y * 8) <= 1))).toBe(true)
    expect(dark.length).toBeLessThanOrEqual(20)
  })

  it('reproduces each dot of an image that has the resolution of the printer', async () => {
    const document = await PDFDocument.create()
    const dots = Buffer.from(
      Array.from({ length: 800 * 1200 }, (_, index) => (dotOfPicture(index) ? 0 : 255)),
    )
    const image = document.context.flateStream(dots, {
      Type: 'XObject',
      Subtype: 'Image',
      Width: 800,
      Height: 1200,
      ColorSpace: 'DeviceGray',
      BitsPerComponent: 8,
    })
    const [width, height] = [(100 / 25.4) * 72, (150 / 25.4) * 72]
    const drawn = document.addPage([width, height])
    drawn.node.setXObject(PDFName.of('I'), document.context.register(image))
    const content = document.context.stream(`q ${width} 0 0 ${height} 0 0 cm /I Do Q`)
    drawn.node.set(PDFName.of('Contents'), document.context.register(content))
    const zpl = await rasterizer.renderZpl(Buffer.from(await document.save()), layout)
    if (!zpl.ok) throw new Error(zpl.error.message)
    const [picture] = readZplPictures(zpl.value.zpl.toString('latin1'))
    const different = Array.from({ length: 800 * 1200 }, (_, index) => index).filter(
      (index) => picture?.dot(index % 800, Math.floor(index / 800)) !== dotOfPicture(index),
    )
    expect(different).toEqual([])
  })

  it('draws the text of a filled-in form field', async () => {
    const document = await PDFDocument.create()
    const drawn = document.addPage([(100 / 25.4) * 72, (150 / 25.4) * 72])
    const field = document.getForm().createTextField('consignee')
    field.setText('IIIIIIII')
    field.addToPage(drawn, { x: 20, y: 200, width: 200, height: 40, borderWidth: 0 })
    const zpl = await rasterizer.renderZpl(Buffer.from(await document.save()), layout)
    if (!zpl.ok) throw new Error(zpl.error.message)
    const [picture] = readZplPictures(zpl.value.zpl.toString('latin1'))
    const dark = Array.from({ length: 800 * 1200 }, (_, index) => index).filter((index) =>
      picture?.dot(index % 800, Math.floor(index / 800)),
    )
    expect(dark.length).toBeGreaterThan(200)
  })

  it('writes one ZPL format for each page', async () => {
    const zpl = await rasterizer.renderZpl(
      await markedPdf(100, 150, marks, 3),
      wholePages([page, page, page]),
    )
    expect(zpl.ok && readZplPictures(zpl.value.zpl.toString('latin1')).length).toBe(3)
  })

  it.each([
    ['damaged', async () => Buffer.from('%PDF-1.7\nbut not really')],
    ['damaged', async () => Buffer.alloc(0)],
    ['damaged', async () => (await markedPdf()).subarray(0, 300)],
    ['10001 pages', () => markedPdf(50, 50, [], 10_001)],
    ['10000 x 10000 mm', () => markedPdf(10_000, 10_000)],
    ['too large', () => markedPdf(1500, 1500)],
  ])('states in the error message why a label is unreadable: %s', async (words, bytes) => {
    const read = await rasterizer.renderGrey(await bytes(), 8)
    expect(read).toMatchObject({ ok: false, error: { code: 'label-unreadable' } })
    expect(!read.ok && read.error.message).toContain(words)
  })

  it('measures a label of 45 pages, draws 20 of them in grey, and renders ZPL only for a part of them', async () => {
    const pdf = await markedPdf(100, 150, marks, 45)
    expect(await rasterizer.measure(pdf)).toMatchObject({ ok: true, value: { length: 45 } })
    const shown = await rasterizer.renderGrey(pdf, 1)
    expect(shown.ok && shown.value).toHaveLength(20)
    const printer = socketPrinterSchema.parse({ id: 'zebra', driver: 'socket', host: 'h' })
    const drawn = (range?: { from: number; to: number }) =>
      rasterizer.renderZpl(pdf, {
        ...layout,
        placements: { printer, carrierOptionId: 34, rules: [], range },
      })
    expect(await drawn()).toMatchObject({ ok: false, error: { code: 'label-too-long' } })
    const part = await drawn({ from: 41, to: 45 })
    expect(part.ok && readZplPictures(part.value.zpl.toString('latin1'))).toHaveLength(5)
  })

  it('reports the page whose ink is too light to print, but neither a page that prints nor an empty page', async () => {
    const document = await PDFDocument.load(await markedPdf(100, 150, undefined, 1))
    document
      .addPage([283.46, 425.2])
      .drawRectangle({ x: 20, y: 20, width: 200, height: 200, color: rgb(1, 0.6, 0) })
    document.addPage([283.46, 425.2])
    const pages = wholePages(Array.from({ length: 3 }, () => ({ widthMm: 100, heightMm: 150 })))
    const drawn = await rasterizer.renderZpl(Buffer.from(await document.save()), pages)
    expect(drawn).toMatchObject({
      ok: true,
      value: { findings: [{ kind: 'page-blank', page: 2, areas: [{ widthMm: 100, heightMm: 150 }] }] },
    })
    expect(drawn.ok && drawn.value.findings).toHaveLength(1)
  })

  it('draws every page, also one with a picture that it cannot decode', async () => {
    const small = { widthMm: 60, heightMm: 90 }
    const pdf = await withUnreadablePicture(await markedPdf(60, 90, marks.slice(0, 1)))
    const drawn = await rasterizer.renderZpl(pdf, wholePages([small, small]))
    expect(drawn.ok && readZplPictures(drawn.value.zpl.toString('latin1'))).toHaveLength(2)
  })

  it('reports that a label needs a password', async () => {
    const read = await rasterizer.renderGrey(await readFile(new URL('./encrypted.pdf', import.meta.url)), 8)
    expect(read).toMatchObject({ error: { code: 'label-needs-password' } })
    expect(!read.ok && read.error.message).toContain('without a password')
  })

  it('refuses a label without ink, and renders one with too light ink as ZPL with a finding', async () => {
    const document = await PDFDocument.create()
    const page = document.addPage([283.46, 425.2])
    const white = await rasterizer.renderZpl(Buffer.from(await document.save()), layout)
    expect(white).toMatchObject({ error: { details: { reason: 'it would come out blank' } } })
    page.drawRectangle({ x: 20, y: 20, width: 200, height: 200, color: rgb(1, 0.6, 0) })
    const bytes = Buffer.from(await document.save())
    expect(await rasterizer.renderZpl(bytes, layout)).toMatchObject({
      ok: true,
      value: { findings: [{ kind: 'page-blank', page: 1 }] },
    })
    expect(await rasterizer.renderMono(bytes, layout)).toMatchObject({ ok: false })
    expect(await rasterizer.renderZpl(bytes, { ...layout, greys: 'dither' })).toMatchObject({
      ok: true,
      value: { findings: [] },
    })
  })

  it('measures a label after an unreadable one', async () => {
    await rasterizer.renderGrey(Buffer.from('rubbish'), 8)
    expect((await rasterizer.measure(await markedPdf())).ok).toBe(true)
  })
})

/** Stripes of one dot between stripes of two dots, so that an image scaled by a single dot differs. */
function dotOfPicture(index: number): boolean {
  return ((index % 800) + Math.floor(index / 800)) % 3 === 0
}
