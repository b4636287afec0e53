import { readFile } from 'node:fs/promises'
import { PDFDocument, PDFName, PDFNumber, rgb } from 'pdf-lib'
import { type Mark, marks } from './labels'

const pointsPerMm = 72 / 25.4

/** The marks on the second page. */
export const secondMarks: Mark[] = [{ x: 20, y: 40, width: 15, height: 15 }]

/** A label of two pages of 100 x 150 mm whose UserUnit is this number of points. */
async function twoPages(unit = 1): Promise<PDFDocument> {
  const document = await PDFDocument.create()
  const perMm = pointsPerMm / unit
  for (const drawn of [marks, secondMarks]) {
    const page = document.addPage([100 * perMm, 150 * perMm])
    for (const { x, y, width, height } of drawn) {
      page.drawRectangle({
        ...{ x: x * perMm, y: (150 - y - height) * perMm, width: width * perMm, height: height * perMm },
        color: rgb(0, 0, 0),
      })
    }
    if (unit !== 1) page.node.set(PDFName.of('UserUnit'), PDFNumber.of(unit))
  }
  return document
}

async function cutAt(word: string, { packed }: { packed: boolean }): Promise<Buffer> {
  const whole = Buffer.from(await (await twoPages()).save({ useObjectStreams: packed }))
  return whole.subarray(0, whole.lastIndexOf(word) + 8)
}

/** Adds to a label a page of 60 x 90 mm with a picture that PDFium can't decode and reports nothing about. */
export async function withUnreadablePicture(label: Buffer): Promise<Buffer> {
  const document = await PDFDocument.load(label)
  const { node } = document.addPage([60 * pointsPerMm, 90 * pointsPerMm])
  const picture = document.context.stream('', {
    ...{ Type: 'XObject', Subtype: 'Image', Width: 400, Height: 600 },
    ...{ ColorSpace: 'DeviceGray', BitsPerComponent: 8, Filter: 'JPXDecode' },
  })
  node.setXObject(PDFName.of('Picture'), document.context.register(picture))
  const content = document.context.stream('q 170 0 0 255 0 0 cm /Picture Do Q')
  node.set(PDFName.of('Contents'), document.context.register(content))
  return Buffer.from(await document.save())
}

/** Both pages state this box, in points. */
const withBox = (name: string, box: number[]) => async () => {
  const document = await twoPages()
  for (const { node } of document.getPages()) node.set(PDFName.of(name), document.context.obj(box))
  return Buffer.from(await document.save({ useObjectStreams: false }))
}

const encrypted = (name: string) => () => readFile(new URL(`./encrypted/${name}.pdf`, import.meta.url))

/** Labels that every driver must print in the same way, although other programs read them differently or not at all. */
export const unusualPdfs: readonly (readonly [name: string, pdf: () => Promise<Buffer>])[] = [
  ['encrypted with AES and an empty password', encrypted('aes256')],
  ['encrypted with RC4 and an empty password', encrypted('rc4')],
  [
    'with a unit of two points',
    async () => Buffer.from(await (await twoPages(2)).save({ useObjectStreams: false })),
  ],
  [
    'with a unit of half a point and compressed objects',
    async () => Buffer.from(await (await twoPages(0.5)).save()),
  ],
  ['cut in its cross-reference table', () => cutAt('xref\n0 ', { packed: false })],
  ['cut after its compressed cross-references', () => cutAt('startxref', { packed: true })],
  [
    'with a wrong position of its cross-references',
    async () => {
      const text = Buffer.from(await (await twoPages()).save({ useObjectStreams: false })).toString('latin1')
      return Buffer.from(text.replace(/startxref\n\d+/, 'startxref\n7'), 'latin1')
    },
  ],
  ['whose TrimBox is smaller than its pages', withBox('TrimBox', [60, 60, 200, 300])],
  ['whose CropBox is larger than its pages', withBox('CropBox', [-50, -50, 400, 500])],
  [
    'whose MediaBox begins with the upper right corner',
    withBox('MediaBox', [100 * pointsPerMm, 150 * pointsPerMm, 0, 0]),
  ],
]

/** The mark on a hidden layer, and the mark that is shown. */
export const hiddenMark: Mark = { x: 50, y: 60, width: 20, height: 20 }
export const shownMark: Mark = { x: 10, y: 100, width: 20, height: 20 }

/** Pages with the shown mark, and with the hidden mark on a layer that no viewer shows. */
export async function layeredPdf(pages = 2, size = { widthMm: 100, heightMm: 150 }): Promise<Buffer> {
  const document = await PDFDocument.create()
  const { context } = document
  const group = context.register(context.obj({ Type: 'OCG', Name: context.obj('Proof') }))
  document.catalog.set(
    PDFName.of('OCProperties'),
    context.obj({ OCGs: [group], D: { ON: [], OFF: [group], Order: [group] } }),
  )
  const fill = ({ x, y, width, height }: Mark) =>
    `${[x, size.heightMm - y - height, width, height].map((each) => each * pointsPerMm).join(' ')} re f`
  for (let number = 0; number < pages; number += 1) {
    const page = document.addPage([size.widthMm * pointsPerMm, size.heightMm * pointsPerMm])
    const content = context.stream(`${fill(shownMark)} /OC /Proof BDC ${fill(hiddenMark)} EMC`)
    page.node.set(PDFName.of('Contents'), context.register(content))
    page.node.set(PDFName.of('Resources'), context.obj({ Properties: { Proof: group } }))
  }
  return Buffer.from(await document.save())
}

/** A label with the shown mark on a layer that is on only for print, and the hidden mark on one only for screens. */
export async function printLayerPdf(): Promise<Buffer> {
  const document = await PDFDocument.create()
  const { context } = document
  const layer = (name: string, print: string, view: string) =>
    context.register(
      context.obj({
        ...{ Type: 'OCG', Name: context.obj(name) },
        Usage: { Print: { PrintState: print }, View: { ViewState: view } },
      }),
    )
  const [printed, seen] = [layer('Printed', 'ON', 'OFF'), layer('Seen', 'OFF', 'ON')]
  document.catalog.set(PDFName.of('OCProperties'), context.obj({ OCGs: [printed, seen], D: { Order: [] } }))
  const page = document.addPage([100 * pointsPerMm, 150 * pointsPerMm])
  const fill = ({ x, y, width, height }: Mark) =>
    `${[x, 150 - y - height, width, height].map((each) => each * pointsPerMm).join(' ')} re f`
  const content = `/OC /Printed BDC ${fill(shownMark)} EMC /OC /Seen BDC ${fill(hiddenMark)} EMC`
  page.node.set(PDFName.of('Contents'), context.register(context.stream(content)))
  page.node.set(PDFName.of('Resources'), context.obj({ Properties: { Printed: printed, Seen: seen } }))
  return Buffer.from(await document.save())
}

/**
 * A label whose shown mark is an annotation.
 * @param flags those of the annotation: 2 hidden, 4 for print, 32 not for screens
 * @param kind a stamp or a form field
 */
export async function annotatedPdf(flags: number, kind: 'stamp' | 'field'): Promise<Buffer> {
  const document = await PDFDocument.create()
  const { context } = document
  const page = document.addPage([100 * pointsPerMm, 150 * pointsPerMm])
  const { x, y, width, height } = shownMark
  const [w, h] = [width * pointsPerMm, height * pointsPerMm]
  const look = context.stream(`0 0 ${w} ${h} re f`, { Type: 'XObject', Subtype: 'Form', BBox: [0, 0, w, h] })
  const [left, bottom] = [x * pointsPerMm, (150 - y - height) * pointsPerMm]
  const annotation = context.register(
    context.obj({
      ...{ Type: 'Annot', F: flags, Rect: [left, bottom, left + w, bottom + h] },
      ...(kind === 'stamp'
        ? { Subtype: 'Stamp' }
        : { Subtype: 'Widget', FT: 'Btn', Ff: 1 << 16, T: context.obj('Print') }),
      AP: { N: context.register(look) },
    }),
  )
  page.node.set(PDFName.of('Annots'), context.obj([annotation]))
  if (kind === 'field') document.catalog.set(PDFName.of('AcroForm'), context.obj({ Fields: [annotation] }))
  // Keeps the page from being blank.
  page.drawRectangle({ x: 10, y: 10, width: 20, height: 20, color: rgb(0, 0, 0) })
  return Buffer.from(await document.save())
}
