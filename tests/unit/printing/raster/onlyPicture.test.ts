import { readFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import {
  clip,
  degrees,
  endPath,
  type PDFDict,
  PDFDocument,
  PDFName,
  type PDFPage,
  PDFStream,
  rectangle,
  rgb,
  setGraphicsState,
} from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { openBrightness } from '../../../../src/main/printing/raster/jpegBrightness'
import { createInlineRasterizer } from '../../../support/printing/inlineRasterizer'

const rasterizer = createInlineRasterizer()
/** One dot is one point of a PDF, so that pages have whole ones. */
const dotsPerMm = 72 / 25.4
const folder = path.join(import.meta.dirname, '../../../support/printing/jpegs')

/** The same picture: bars, letters, two discs and a range of colours, 93 x 61 pixels. */
const plain = ['444', '422', '420', 'coarse', 'fine', 'grey', 'restarts']
const others = ['progressive', 'cmyk', 'rgb']
const size = { width: 93, height: 61 }

/** A copy: pdf-lib reads from the beginning of the buffer that a file shares with others. */
function readJpeg(name: string): Buffer {
  return Buffer.from(new Uint8Array(readFileSync(path.join(folder, `${name}.jpg`))).buffer)
}

function decode(jpeg: Uint8Array): number[] | undefined {
  const decoder = openBrightness(jpeg)
  if (decoder === undefined) return undefined
  const { width, height, rowBytes, bytes } = decoder
  const pixels = new Uint8ClampedArray(bytes)
  if (!decoder.decode(pixels)) return undefined
  return Array.from({ length: height }, (_, row) => [
    ...pixels.subarray(row * rowBytes, row * rowBytes + width),
  ]).flat()
}

interface Picture {
  jpeg: Uint8Array
  /** Dots of the page; one for each pixel when left out. */
  page?: { width: number; height: number }
  rotate?: number
  /** Where the picture lies on it; it covers the page when left out. */
  place?: { x: number; y: number; width: number; height: number }
  opacity?: number
  /** Draws what lies below the picture, or changes how it is drawn. */
  before?(page: PDFPage): void
  /** Draws what lies above the picture. */
  after?(page: PDFPage): void
  /** Changes what the PDF says of the picture. */
  change?(dictionary: PDFDict, document: PDFDocument): void
}

async function toPdf({ jpeg, page: pageSize = size, rotate = 0, ...rest }: Picture): Promise<Buffer> {
  const document = await PDFDocument.create()
  const picture = await document.embedJpg(jpeg)
  await picture.embed()
  const page = document.addPage([pageSize.width, pageSize.height])
  rest.before?.(page)
  const { opacity = 1 } = rest
  page.drawImage(picture, { x: 0, y: 0, ...pageSize, ...rest.place, ...(opacity < 1 && { opacity }) })
  rest.after?.(page)
  page.setRotation(degrees(rotate))
  rest.change?.(document.context.lookup(picture.ref, PDFStream).dict, document)
  return Buffer.from(await document.save())
}

async function draw(picture: Picture): Promise<number[]> {
  const pages = await rasterizer.renderGrey(await toPdf(picture), dotsPerMm)
  if (!pages.ok) throw new Error(pages.error.message)
  return [...(pages.value[0]?.pixels ?? [])]
}

/** With a range, though it is the usual one, PDFium decodes the picture itself. */
function withRange(dictionary: PDFDict, document: PDFDocument): void {
  const isGrey = dictionary.get(PDFName.of('ColorSpace')) === PDFName.of('DeviceGray')
  dictionary.set(PDFName.of('Decode'), document.context.obj(isGrey ? [0, 1] : [0, 1, 0, 1, 0, 1]))
}

/** Whether a pixel is where the picture has bars and letters and no colours. */
function isInBlack(pixel: number): boolean {
  return pixel % size.width < 47 && pixel < 46 * size.width
}

function largestDifference(one: readonly number[] = [], other: readonly number[] = []): number {
  expect(one.length).toBe(other.length)
  return one.reduce((most, value, index) => Math.max(most, Math.abs(value - (other[index] ?? 0))), 0)
}

describe('a page that is one JPEG', () => {
  it.each(plain)('is as bright as PDFium decodes it: %s', async (name) => {
    const jpeg = readJpeg(name)
    const decoded = decode(jpeg)
    expect(decoded).toHaveLength(size.width * size.height)
    const byPdfium = await draw({ jpeg, change: withRange })
    const inBlack = (pixels: readonly number[] = []) => pixels.filter((_, at) => isInBlack(at))
    expect(largestDifference(inBlack(decoded), inBlack(byPdfium))).toBeLessThanOrEqual(
      name === 'grey' ? 0 : 2,
    )
    // At the edges of colours PDFium cuts off what is more than red, green or blue can be.
    expect(largestDifference(decoded, byPdfium)).toBeLessThanOrEqual(name === 'grey' ? 0 : 20)
  })

  it.each(plain)('is drawn as it is decoded: %s', async (name) => {
    const jpeg = readJpeg(name)
    expect(largestDifference(await draw({ jpeg }), decode(jpeg))).toBe(0)
  })

  it.each([
    { page: { width: 62, height: 41 } },
    { page: { width: 40, height: 55 } },
    { page: { width: 20, height: 11 } },
    { page: { width: 200, height: 130 } },
    { rotate: 90 },
    { rotate: 270, page: { width: 80, height: 47 } },
    { page: { width: 62, height: 41 }, rotate: 180 },
    { place: { x: 62, y: 0, width: -62, height: 41 }, page: { width: 62, height: 41 } },
    { place: { x: 0, y: 41, width: 62, height: -41 }, page: { width: 62, height: 41 }, rotate: 90 },
    { place: { x: 5, y: 7, width: 60, height: 40 }, page: { width: 72, height: 55 } },
    { place: { x: -5, y: -7, width: 80, height: 60 }, page: { width: 60, height: 40 } },
    { place: { x: 4.5, y: 2.25, width: 70.75, height: 40.125 }, page: { width: 80, height: 50 } },
  ])('is made smaller, larger, turned and placed to the dot as PDFium does it: %o', async (place) => {
    const jpeg = readJpeg('grey')
    const byPdfium = await draw({ jpeg, change: withRange, ...place })
    expect(largestDifference(await draw({ jpeg, ...place }), byPdfium)).toBe(0)
  })

  it.each(others)('is left to PDFium when its JPEG is not plain: %s', async (name) => {
    const jpeg = readJpeg(name)
    expect(decode(jpeg)).toBeUndefined()
    expect(largestDifference(await draw({ jpeg }), await draw({ jpeg: readJpeg('444') }))).toBeLessThan(100)
  })

  it('shows what a mask hides as white', async () => {
    const jpeg = readJpeg('444')
    const hidden = await draw({
      jpeg,
      change(dictionary, { context }) {
        const entries = { Type: 'XObject', Subtype: 'Image', ColorSpace: 'DeviceGray', BitsPerComponent: 8 }
        const mask = context.stream(Uint8Array.of(0), { ...entries, Width: 1, Height: 1 })
        dictionary.set(PDFName.of('SMask'), context.register(mask))
      },
    })
    expect(hidden.every((grey) => grey === 255)).toBe(true)
  })

  it('is turned around by a range', async () => {
    const jpeg = readJpeg('grey')
    const inverted = await draw({
      jpeg,
      change: (dictionary, { context }) => dictionary.set(PDFName.of('Decode'), context.obj([1, 0])),
    })
    const turned = inverted.map((grey) => 255 - grey)
    expect(largestDifference(turned, decode(jpeg))).toBe(0)
  })

  it('is not drawn in a layer that is hidden', async () => {
    const hidden = await draw({
      jpeg: readJpeg('grey'),
      change(dictionary, { context, catalog }) {
        const layer = context.register(context.obj({ Type: 'OCG', Name: 'Proof' }))
        catalog.set(PDFName.of('OCProperties'), context.obj({ OCGs: [layer], D: { OFF: [layer] } }))
        dictionary.set(PDFName.of('OC'), layer)
      },
    })
    expect(hidden.every((grey) => grey === 255)).toBe(true)
  })

  it('keeps its colours in a PDF that is written of the page', async () => {
    const jpeg = readJpeg('444')
    const pdf = await toPdf({ jpeg, page: { width: 144, height: 72 } })
    const stock = { widthMm: 50.8, heightMm: 25.4 }
    const area = { xMm: 0, yMm: 0, ...stock }
    const placements = [{ page: 0, area, turn: 180, scale: 1 }] as const
    const laid = await rasterizer.layOnStock(pdf, { stock, copies: 1, placements })
    expect(laid.ok && laid.value.pdf.includes(jpeg)).toBe(true)
  })

  it('is never taken for whole when it was cut, and no damage throws or is read for ever', () => {
    const jpeg = readJpeg('restarts')
    expect(decode(jpeg.subarray(0, -2))).toBeUndefined()
    expect(decode(jpeg.subarray(0, jpeg.length / 2))).toBeUndefined()
    const change = fc.record({ at: fc.nat(jpeg.length - 1), byte: fc.nat(255) })
    fc.assert(
      fc.property(fc.constantFrom(...plain), fc.array(change, { maxLength: 8 }), (name, changes) => {
        const damaged = Buffer.from(readJpeg(name))
        for (const { at, byte } of changes) damaged[at % damaged.length] = byte
        const decoder = openBrightness(damaged)
        // A head may state any size.
        if (decoder !== undefined && decoder.bytes < 1_000_000) decode(damaged)
      }),
      { numRuns: 500 },
    )
  })
})

/** Turns bright into dark where it is drawn. */
function withTransfer(page: PDFPage): void {
  const turned = { FunctionType: 2, Domain: [0, 1], C0: [1], C1: [0], N: 1 }
  const state = page.doc.context.obj({ Type: 'ExtGState', TR: turned })
  page.pushOperators(setGraphicsState(page.node.newExtGState('Turned', state)))
}

describe('a page of more than one JPEG', () => {
  it.each<[string, Partial<Picture>]>([
    ['a line above it', { after: (page) => page.drawLine({ start: { x: 9, y: 9 }, end: { x: 50, y: 9 } }) }],
    ['text above it', { after: (page) => page.drawText('NL', { x: 9, y: 9, size: 8 }) }],
    [
      'a line beside it',
      {
        before: (page) => page.drawLine({ start: { x: 2, y: 2 }, end: { x: 2, y: 50 } }),
        place: { x: 20, y: 0, width: 70, height: 61 },
      },
    ],
    [
      'a part of it cut away',
      { before: (page) => page.pushOperators(rectangle(0, 0, 40, 61), clip(), endPath()) },
    ],
    ['light lets through', { opacity: 0.5 }],
    ['its brightness changed', { before: withTransfer }],
  ])('is drawn by PDFium, with %s', async (_, other) => {
    const jpeg = readJpeg('grey')
    const byPdfium = await draw({ jpeg, ...other, change: withRange })
    const { place } = other
    expect(largestDifference(byPdfium, await draw({ jpeg, ...(place && { place }) }))).toBeGreaterThan(50)
    expect(largestDifference(await draw({ jpeg, ...other }), byPdfium)).toBe(0)
  })

  it.each([
    ['left', 3, 0, 90, 61],
    ['right', 0, 0, 91, 61],
    ['bottom', 0, 5, 93, 56],
    ['top', 0, 0, 93, 60],
  ])('is drawn by PDFium, with a clip that cuts off a few dots at its %s', async (_, x, y, width, height) => {
    const jpeg = readJpeg('grey')
    const before = (page: PDFPage) => page.pushOperators(rectangle(x, y, width, height), clip(), endPath())
    const byPdfium = await draw({ jpeg, before, change: withRange })
    expect(largestDifference(byPdfium, await draw({ jpeg }))).toBeGreaterThan(0)
    expect(largestDifference(await draw({ jpeg, before }), byPdfium)).toBe(0)
  })

  it('is not more than one for a clip around the JPEG', async () => {
    const jpeg = readJpeg('444')
    const before = (page: PDFPage) => page.pushOperators(rectangle(0, 0, 93, 61), clip(), endPath())
    expect(largestDifference(await draw({ jpeg, before }), decode(jpeg))).toBe(0)
    expect(largestDifference(await draw({ jpeg, before, change: withRange }), decode(jpeg))).toBeGreaterThan(
      0,
    )
  })

  const around = { page: { width: 112, height: 80 }, place: { x: 9, y: 9, width: 93, height: 61 } }
  const frame = (by: number) => (page: PDFPage) =>
    page.drawRectangle({ x: 9 - by, y: 9 - by, width: 93 + 2 * by, height: 61 + 2 * by })
  const line = (across: boolean, at: number) => (page: PDFPage) =>
    page.drawLine(
      across
        ? { start: { x: 0, y: at }, end: { x: 112, y: at }, thickness: 0.1 }
        : { start: { x: at, y: 9 }, end: { x: at, y: 70 }, thickness: 0.1 },
    )

  it.each<[string, (page: PDFPage) => void]>([
    ...[0.5, 1, 2, 4, 6].map((by): [string, (page: PDFPage) => void] => [
      `a frame ${by} dots wide around it`,
      frame(by),
    ]),
    ['a hairline left of it', line(false, 8.5)],
    ['a hairline right of it', line(false, 102.5)],
    ['a hairline below it', line(true, 8.5)],
    ['a hairline above it', line(true, 70.5)],
    ['small text under it', (page) => page.drawText('3SABCD1234567', { x: 10, y: 2, size: 5 })],
    ['text that it covers in part', (page) => page.drawText('NL', { x: 2, y: 30, size: 14 })],
    [
      'light grey beside it',
      (page) => page.drawRectangle({ x: 3, y: 20, width: 4, height: 20, color: rgb(0.9, 0.9, 0.9) }),
    ],
  ])('is drawn by PDFium, with what is in the rim of the picture: %s', async (_, before) => {
    const jpeg = readJpeg('grey')
    const byPdfium = await draw({ jpeg, ...around, before, change: withRange })
    expect(largestDifference(byPdfium, await draw({ jpeg, ...around }))).toBeGreaterThan(20)
    expect(largestDifference(await draw({ jpeg, ...around, before }), byPdfium)).toBe(0)
  })

  it.each<[string, (page: PDFPage) => void]>([
    [
      'a note',
      (page) => {
        const { context } = page.doc
        const colours = { C: [0, 0, 0], IC: [0, 0, 0], F: 4 }
        const note = { Type: 'Annot', Subtype: 'Square', Rect: [1, 20, 8, 50], ...colours }
        const look = context.stream('0 g 0 0 7 30 re f', {
          ...{ Type: 'XObject', Subtype: 'Form', BBox: [0, 0, 7, 30] },
        })
        page.node.addAnnot(context.register(context.obj({ ...note, AP: { N: context.register(look) } })))
      },
    ],
    [
      'a field of a form',
      (page) => {
        const field = page.doc.getForm().createTextField('Name')
        field.setText('NL')
        field.addToPage(page, { x: 1, y: 20, width: 8, height: 30, backgroundColor: rgb(0, 0, 0) })
      },
    ],
  ])('is drawn by PDFium, with %s beside the picture', async (_, after) => {
    const jpeg = readJpeg('grey')
    const byPdfium = await draw({ jpeg, ...around, after, change: withRange })
    expect(largestDifference(byPdfium, await draw({ jpeg, ...around }))).toBeGreaterThan(50)
    expect(largestDifference(await draw({ jpeg, ...around, after }), byPdfium)).toBe(0)
  })

  it('is not more than one for the white below it', async () => {
    const jpeg = readJpeg('444')
    const before = (page: PDFPage) => page.drawRectangle({ x: 0, y: 0, ...around.page, color: rgb(1, 1, 1) })
    expect(largestDifference(await draw({ jpeg, ...around, before }), await draw({ jpeg, ...around }))).toBe(
      0,
    )
    expect(
      largestDifference(
        await draw({ jpeg, ...around, before, change: withRange }),
        await draw({ jpeg, ...around }),
      ),
    ).toBeGreaterThan(0)
  })

  it('is not more than one for what the JPEG covers', async () => {
    const jpeg = readJpeg('444')
    const before = (page: PDFPage) => page.drawRectangle({ x: 9, y: 9, width: 20, height: 20 })
    expect(largestDifference(await draw({ jpeg, before }), decode(jpeg))).toBe(0)
  })
})
