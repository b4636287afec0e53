import { readFile } from 'node:fs/promises'
import { degrees, PDFDocument, PDFName, PDFNumber } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { createInlineRasterizer } from '../../../support/printing/inlineRasterizer'
import { markedPdf, marks } from '../../../support/printing/labels'
import { wholePages } from '../../../support/printing/layouts'
import { readZplPictures } from '../../../support/printing/zplPicture'

const rasterizer = createInlineRasterizer()
const page = { widthMm: 100, heightMm: 150 }
const layout = wholePages([page])

describe('reading PDFs', () => {
  it('measures pages as they are shown', async () => {
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

  it.each([true, false])('measures in the PDF’s own unit, packed into object streams: %s', async (packed) => {
    const document = await PDFDocument.load(await markedPdf(50, 75))
    document.getPage(0).node.set(PDFName.of('UserUnit'), PDFNumber.of(2))
    const measured = await rasterizer.measure(Buffer.from(await document.save({ useObjectStreams: packed })))
    expect(measured.ok && measured.value.map(({ widthMm }) => Math.round(widthMm))).toEqual([100])
  })

  it('draws a label dot for dot at the printer’s resolution', async () => {
    const zpl = await rasterizer.renderZpl(await markedPdf(), layout)
    if (!zpl.ok) throw new Error(zpl.error.message)
    const [picture] = readZplPictures(zpl.value.toString('latin1'))
    for (const { x, y, width, height } of marks) {
      // One dot inside of each corner is black, one outside of it white.
      const [left, top, right, bottom] = [x * 8, y * 8, (x + width) * 8 - 1, (y + height) * 8 - 1]
      expect([picture?.dot(left + 1, top + 1), picture?.dot(right - 1, bottom - 1)]).toEqual([true, true])
      expect([picture?.dot(left - 1, top), picture?.dot(right + 1, bottom)]).toEqual([false, false])
      expect([picture?.dot(left, top - 1), picture?.dot(right, bottom + 1)]).toEqual([false, false])
    }
  })

  it('makes one format for each page', async () => {
    const zpl = await rasterizer.renderZpl(
      await markedPdf(100, 150, marks, 3),
      wholePages([page, page, page]),
    )
    expect(zpl.ok && readZplPictures(zpl.value.toString('latin1')).length).toBe(3)
  })

  it.each([
    ['damaged', async () => Buffer.from('%PDF-1.7\nbut not really')],
    ['damaged', async () => Buffer.alloc(0)],
    ['damaged', async () => (await markedPdf()).subarray(0, 300)],
    ['encrypted', () => readFile(new URL('./encrypted.pdf', import.meta.url))],
    ['21 pages', () => markedPdf(50, 50, [], 21)],
    ['10000 x 10000 mm', () => markedPdf(10_000, 10_000)],
    ['too large', () => markedPdf(1500, 1500)],
  ])('says in words that a label is %s', async (words, bytes) => {
    const read = await rasterizer.renderGrey(await bytes(), 8)
    expect(read).toMatchObject({ ok: false, error: { code: 'label-unreadable' } })
    expect(!read.ok && read.error.message).toContain(words)
  })

  it('goes on after a bad label', async () => {
    await rasterizer.renderGrey(Buffer.from('rubbish'), 8)
    expect((await rasterizer.measure(await markedPdf())).ok).toBe(true)
  })
})
