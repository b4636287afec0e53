import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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
/** One dot per PDF point, so that pages measure whole dots. */
const dotsPerMm = 72 / 25.4
const folder = join(import.meta.dirname, '../../../support/printing/jpegs')

/**
 * Encodings that the app decodes itself, each of the same picture of 93 x 61 pixels: bars, letters, two discs and a
 * range of colours.
 */
const plainJpegs = ['444', '422', '420', 'coarse', 'fine', 'grey', 'restarts']
/** Encodings of that picture that the app leaves to PDFium. */
const otherJpegs = ['progressive', 'cmyk', 'rgb']
const size = { width: 93, height: 61 }

/** Copies the file, because pdf-lib reads from the start of the underlying buffer, which Node shares between files. */
function readJpeg(name: string): Buffer {
  return Buffer.from(new Uint8Array(readFileSync(join(folder, `${name}.jpg`))).buffer)
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
  /** Size of the page in dots; by default one dot per pixel. */
  page?: { width: number; height: number }
  rotate?: number
  /** Where the picture lies on the page; by default it covers the page. */
  place?: { x: number; y: number; width: number; height: number }
  opacity?: number
  /** Draws below the picture, or changes how the picture is drawn. */
  before?(page: PDFPage): void
  /** Draws above the picture. */
  after?(page: PDFPage): void
  /** Changes the dictionary of the picture in the PDF. */
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

/** Sets the default Decode array. PDFium decodes each picture that has a Decode array, even the default one. */
function withRange(dictionary: PDFDict, document: PDFDocument): void {
  const isGrey = dictionary.get(PDFName.of('ColorSpace')) === PDFName.of('DeviceGray')
  dictionary.set(PDFName.of('Decode'), document.context.obj(isGrey ? [0, 1] : [0, 1, 0, 1, 0, 1]))
}

/** Whether a pixel lies in the part of the picture with bars and letters, which has no colours. */
function isInBlack(pixel: number): boolean {
  return pixel % size.width < 47 && pixel < 46 * size.width
}

function getMaxDifference(one: readonly number[] = [], other: readonly number[] = []): number {
  expect(one.length).toBe(other.length)
  return one.reduce((most, value, index) => Math.max(most, Math.abs(value - (other[index] ?? 0))), 0)
}

describe('a page that consists of one JPEG', () => {
  it.each(plainJpegs)(
    'has the brightness that PDFium decodes, within a small tolerance: %s',
    async (name) => {
      const jpeg = readJpeg(name)
      const decoded = decode(jpeg)
      expect(decoded).toHaveLength(size.width * size.height)
      const byPdfium = await draw({ jpeg, change: withRange })
      const inBlack = (pixels: readonly number[] = []) => pixels.filter((_, at) => isInBlack(at))
      expect(getMaxDifference(inBlack(decoded), inBlack(byPdfium))).toBeLessThanOrEqual(
        name === 'grey' ? 0 : 2,
      )
      // At the edges of colours, PDFium clamps red, green and blue to their range.
      expect(getMaxDifference(decoded, byPdfium)).toBeLessThanOrEqual(name === 'grey' ? 0 : 20)
    },
  )

  it.each(plainJpegs)('is drawn with exactly the decoded brightness: %s', async (name) => {
    const jpeg = readJpeg(name)
    expect(getMaxDifference(await draw({ jpeg }), decode(jpeg))).toBe(0)
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
  ])('is scaled, turned and placed dot for dot as by PDFium: %o', async (place) => {
    const jpeg = readJpeg('grey')
    const byPdfium = await draw({ jpeg, change: withRange, ...place })
    expect(getMaxDifference(await draw({ jpeg, ...place }), byPdfium)).toBe(0)
  })

  it.each(otherJpegs)('is decoded by PDFium when the app does not decode the encoding: %s', async (name) => {
    const jpeg = readJpeg(name)
    expect(decode(jpeg)).toBeUndefined()
    expect(getMaxDifference(await draw({ jpeg }), await draw({ jpeg: readJpeg('444') }))).toBeLessThan(100)
  })

  it('is white where a mask hides the picture', async () => {
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

  it('is inverted by an inverting Decode array', async () => {
    const jpeg = readJpeg('grey')
    const inverted = await draw({
      jpeg,
      change: (dictionary, { context }) => dictionary.set(PDFName.of('Decode'), context.obj([1, 0])),
    })
    const turned = inverted.map((grey) => 255 - grey)
    expect(getMaxDifference(turned, decode(jpeg))).toBe(0)
  })

  it('is not drawn when it lies on a hidden layer', async () => {
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

  it('keeps the bytes of the JPEG, and so its colours, in the PDF that is laid on stock', async () => {
    const jpeg = readJpeg('444')
    const pdf = await toPdf({ jpeg, page: { width: 144, height: 72 } })
    const stock = { widthMm: 50.8, heightMm: 25.4 }
    const area = { xMm: 0, yMm: 0, ...stock }
    const placements = [{ page: 0, area, turn: 180, scale: 1 }] as const
    const laid = await rasterizer.layOnStock(pdf, { stock, copies: 1, placements })
    expect(laid.ok && laid.value.pdf.includes(jpeg)).toBe(true)
  })

  it('is not decoded when the JPEG is truncated, and damaged bytes neither throw nor loop endlessly', () => {
    const jpeg = readJpeg('restarts')
    expect(decode(jpeg.subarray(0, -2))).toBeUndefined()
    expect(decode(jpeg.subarray(0, jpeg.length / 2))).toBeUndefined()
    const change = fc.record({ at: fc.nat(jpeg.length - 1), byte: fc.nat(255) })
    fc.assert(
      fc.property(fc.constantFrom(...plainJpegs), fc.array(change, { maxLength: 8 }), (name, changes) => {
        const damaged = Buffer.from(readJpeg(name))
        for (const { at, byte } of changes) damaged[at % damaged.length] = byte
        const decoder = openBrightness(damaged)
        // A damaged header may state any size.
        if (decoder !== undefined && decoder.bytes < 1_000_000) decode(damaged)
      }),
      { numRuns: 500 },
    )
  })
})

/** Inverts the brightness of the drawing by a transfer function. */
function withTransfer(page: PDFPage): void {
  const turned = { FunctionType: 2, Domain: [0, 1], C0: [1], C1: [0], N: 1 }
  const state = page.doc.context.obj({ Type: 'ExtGState', TR: turned })
  page.pushOperators(setGraphicsState(page.node.newExtGState('Turned', state)))
}

describe('a page that has other content or effects besides a JPEG', () => {
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
    ['partial opacity', { opacity: 0.5 }],
    ['a transfer function', { before: withTransfer }],
  ])('is drawn by PDFium when the JPEG has %s', async (_, other) => {
    const jpeg = readJpeg('grey')
    const byPdfium = await draw({ jpeg, ...other, change: withRange })
    const { place } = other
    expect(getMaxDifference(byPdfium, await draw({ jpeg, ...(place && { place }) }))).toBeGreaterThan(50)
    expect(getMaxDifference(await draw({ jpeg, ...other }), byPdfium)).toBe(0)
  })

  it.each([
    ['left', 3, 0, 90, 61],
    ['right', 0, 0, 91, 61],
    ['bottom', 0, 5, 93, 56],
    ['top', 0, 0, 93, 60],
  ])(
    'is drawn by PDFium when a clip cuts off a few dots at the %s of the JPEG',
    async (_, x, y, width, height) => {
      const jpeg = readJpeg('grey')
      const before = (page: PDFPage) => page.pushOperators(rectangle(x, y, width, height), clip(), endPath())
      const byPdfium = await draw({ jpeg, before, change: withRange })
      expect(getMaxDifference(byPdfium, await draw({ jpeg }))).toBeGreaterThan(0)
      expect(getMaxDifference(await draw({ jpeg, before }), byPdfium)).toBe(0)
    },
  )

  it('is drawn by the app when a clip has exactly the size of the JPEG', async () => {
    const jpeg = readJpeg('444')
    const before = (page: PDFPage) => page.pushOperators(rectangle(0, 0, 93, 61), clip(), endPath())
    expect(getMaxDifference(await draw({ jpeg, before }), decode(jpeg))).toBe(0)
    expect(getMaxDifference(await draw({ jpeg, before, change: withRange }), decode(jpeg))).toBeGreaterThan(0)
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
  ])('is drawn by PDFium when there is ink in the margin around the JPEG: %s', async (_, before) => {
    const jpeg = readJpeg('grey')
    const byPdfium = await draw({ jpeg, ...around, before, change: withRange })
    expect(getMaxDifference(byPdfium, await draw({ jpeg, ...around }))).toBeGreaterThan(20)
    expect(getMaxDifference(await draw({ jpeg, ...around, before }), byPdfium)).toBe(0)
  })

  it.each<[string, (page: PDFPage) => void]>([
    [
      'an annotation',
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
      'a form field',
      (page) => {
        const field = page.doc.getForm().createTextField('Name')
        field.setText('NL')
        field.addToPage(page, { x: 1, y: 20, width: 8, height: 30, backgroundColor: rgb(0, 0, 0) })
      },
    ],
  ])('is drawn by PDFium when there is %s beside the JPEG', async (_, after) => {
    const jpeg = readJpeg('grey')
    const byPdfium = await draw({ jpeg, ...around, after, change: withRange })
    expect(getMaxDifference(byPdfium, await draw({ jpeg, ...around }))).toBeGreaterThan(50)
    expect(getMaxDifference(await draw({ jpeg, ...around, after }), byPdfium)).toBe(0)
  })

  it('is drawn by the app when only white lies below the JPEG', async () => {
    const jpeg = readJpeg('444')
    const before = (page: PDFPage) => page.drawRectangle({ x: 0, y: 0, ...around.page, color: rgb(1, 1, 1) })
    expect(getMaxDifference(await draw({ jpeg, ...around, before }), await draw({ jpeg, ...around }))).toBe(0)
    expect(
      getMaxDifference(
        await draw({ jpeg, ...around, before, change: withRange }),
        await draw({ jpeg, ...around }),
      ),
    ).toBeGreaterThan(0)
  })

  it('is drawn by the app when the JPEG covers all other content', async () => {
    const jpeg = readJpeg('444')
    const before = (page: PDFPage) => page.drawRectangle({ x: 9, y: 9, width: 20, height: 20 })
    expect(getMaxDifference(await draw({ jpeg, before }), decode(jpeg))).toBe(0)
  })
})
