import { degrees, PDFDocument, PDFName, PDFNumber, rgb, StandardFonts } from 'pdf-lib'
import type { PlacementRule, SizeMm } from '../../../../src/shared/labels'
import { handWrittenSheet, labelSheet, pointsPerMm } from './sheets'
import { type Barcode, symbols } from './symbols'

/** One PDF label of the corpus. */
export interface CorpusLabel {
  name: string
  pdf(): Promise<Buffer>
  /** The texts that a scanner reads on each printed label, in order. */
  texts: string[][]
  /** The size of the printed label in reading direction. */
  stock: SizeMm
  rules: PlacementRule[]
}

const usual = { widthMm: 100, heightMm: 150 }
const a4 = { widthMm: 210, heightMm: 297 }
const a6 = { widthMm: 105, heightMm: 148 }
const inch = { widthMm: 101.6, heightMm: 152.4 }
const letter = { widthMm: 215.9, heightMm: 279.4 }

const { code128, code128Digits, gs1, qr, dataMatrix, pdf417, itf, code39, aztec } = symbols

type Extra = Partial<Omit<CorpusLabel, 'name'>>

function entry(
  name: string,
  printed: readonly Barcode[],
  pdf: () => Promise<Buffer>,
  extra: Extra = {},
): CorpusLabel {
  return { name, pdf, texts: [printed.map(({ text }) => text)], stock: usual, rules: [], ...extra }
}

function rule(page: SizeMm, stock: SizeMm, change: Partial<PlacementRule>): PlacementRule {
  const areas = [{ xMm: 0, yMm: 0, ...stock }]
  return { carrierOptionId: 34, page, stock, areas, turn: 0, scale: 1, ...change }
}

/** Each symbology alone, drawn as paths, with the standard fonts of PDF. */
const vectors = [
  entry('Code 128 as paths', [code128], () => labelSheet([code128])),
  entry('Code 128 of digits, Times', [code128Digits], () =>
    labelSheet([code128Digits], { font: StandardFonts.TimesRoman }),
  ),
  entry('GS1-128, Courier', [gs1], () => labelSheet([gs1], { font: StandardFonts.Courier })),
  entry('QR code as paths', [qr], () => labelSheet([qr], { font: StandardFonts.HelveticaBold })),
  entry('DataMatrix as paths', [dataMatrix], () => labelSheet([dataMatrix])),
  entry('PDF417 as paths', [pdf417], () => labelSheet([pdf417])),
  entry('ITF as paths', [itf], () => labelSheet([itf])),
  entry('Code 39 as paths', [code39], () => labelSheet([{ ...code39, moduleMm: 0.3 }])),
  entry('Aztec as paths', [aztec], () => labelSheet([aztec])),
  entry('Code 128 of two dots a module', [code128], () => labelSheet([{ ...code128, moduleMm: 0.25 }])),
  entry('Code 128 off the dots', [code128], () => labelSheet([{ ...code128, moduleMm: 0.42 }])),
  entry('several symbols on one label', [code128, qr, itf], () => labelSheet([code128, qr, itf])),
  entry('DataMatrix beside PDF417', [dataMatrix, pdf417], () => labelSheet([dataMatrix, pdf417])),
]

/** The same symbologies as images of fine and coarse resolution. */
const pictures = [
  entry('Code 128 as a fine picture', [code128], () => labelSheet([code128], { ink: { pixels: 6 } })),
  entry('Code 128 as a coarse picture', [code128], () => labelSheet([code128], { ink: { pixels: 2 } })),
  entry('QR code as a coarse picture', [qr], () => labelSheet([qr], { ink: { pixels: 2 } })),
  entry('DataMatrix as a picture', [dataMatrix], () => labelSheet([dataMatrix], { ink: { pixels: 8 } })),
  entry('PDF417 as a picture', [pdf417], () => labelSheet([pdf417], { ink: { pixels: 4 } })),
  entry('ITF as a picture', [itf], () => labelSheet([itf], { ink: { pixels: 3 } })),
  entry('several pictures, packed', [gs1, aztec], () =>
    labelSheet([gs1, aztec], { ink: { pixels: 4 }, packed: true }),
  ),
]

/** PDFs that are written without pdf-lib. */
const handWritten = (['rectangles', 'mask', 'inline'] as const).map((how) =>
  entry(`a PDF 1.3 with bars as ${how}`, [code128], async () => handWrittenSheet(code128, how, usual)),
)

/** Labels with various page boxes, rotations, units and sizes. */
const pages = [
  ...[90, 180, 270].map((turn) =>
    entry(
      `a page shown turned by ${turn} degrees`,
      [code128, qr],
      () => labelSheet([code128, qr], { finish: (page) => page.setRotation(degrees(turn)) }),
      { stock: turn === 180 ? usual : { widthMm: 150, heightMm: 100 } },
    ),
  ),
  entry('a page in units of two points', [code128, dataMatrix], () =>
    labelSheet([half(code128), half(dataMatrix)], {
      label: { widthMm: 50, heightMm: 75 },
      finish: (page) => page.node.set(PDFName.of('UserUnit'), PDFNumber.of(2)),
    }),
  ),
  entry('a crop box in a larger page', [code128, itf], () =>
    labelSheet([code128, itf], {
      page: a4,
      at: { xMm: 40, yMm: 60 },
      finish: (page) =>
        page.setCropBox(
          40 * pointsPerMm,
          (297 - 60 - 150) * pointsPerMm,
          100 * pointsPerMm,
          150 * pointsPerMm,
        ),
    }),
  ),
  entry('a page box that does not begin at zero', [gs1], () =>
    labelSheet([gs1], {
      finish: (page) => {
        page.translateContent(-300, 500)
        page.setMediaBox(-300, 500, 100 * pointsPerMm, 150 * pointsPerMm)
      },
    }),
  ),
  entry('4 x 6 inch', [code128, pdf417], () => labelSheet([code128, pdf417], { label: inch }), {
    stock: inch,
  }),
  entry('a smaller page in the middle of the stock', [qr], () =>
    labelSheet([qr], { label: { widthMm: 70, heightMm: 90 } }),
  ),
  entry('light grey behind, colours, and an almost black barcode', [code128], () =>
    labelSheet([code128], {
      finish: (page) => {
        page.drawRectangle({ x: 20, y: 20, width: 200, height: 60, color: rgb(0.9, 0.85, 0.6) })
        page.drawText('FRAGILE', { x: 30, y: 40, size: 30, color: rgb(0.8, 0, 0) })
      },
    }),
  ),
]

/** Labels that need a placement rule. */
const ruled = [
  entry('A6 in the corner of A4', [code128, qr], () => labelSheet([code128, qr], { page: a4, label: a6 }), {
    stock: a6,
    rules: [rule(a4, a6, {})],
  }),
  entry(
    'A6 somewhere on Letter',
    [itf, dataMatrix],
    () => labelSheet([itf, dataMatrix], { page: letter, label: a6, at: { xMm: 60.5, yMm: 90.25 } }),
    {
      stock: a6,
      rules: [rule(letter, a6, { areas: [{ xMm: 60.5, yMm: 90.25, ...a6 }] })],
    },
  ),
  entry(
    'a landscape page on an upright label',
    [code128],
    () => labelSheet([code128], { label: { widthMm: 150, heightMm: 100 } }),
    {
      rules: [
        rule({ widthMm: 150, heightMm: 100 }, usual, {
          areas: [{ xMm: 0, yMm: 0, widthMm: 150, heightMm: 100 }],
          turn: 90,
        }),
      ],
    },
  ),
  entry(
    'A4 made smaller',
    [{ ...code128, moduleMm: 0.8 }],
    () => labelSheet([{ ...code128, moduleMm: 0.8 }], { label: a4 }),
    {
      rules: [rule(a4, usual, { areas: [{ xMm: 0, yMm: 0, ...a4 }], scale: 0.476 })],
    },
  ),
  entry('two labels on one sheet, turned', [], () => twoLabels(), {
    texts: [[code128.text], [qr.text]],
    stock: { widthMm: 148, heightMm: 105 },
    rules: [
      rule(
        a4,
        { widthMm: 148, heightMm: 105 },
        {
          turn: 270,
          areas: [
            { xMm: 0, yMm: 0, ...a6 },
            { xMm: 105, yMm: 148.5, ...a6 },
          ],
        },
      ),
    ],
  }),
  entry('three pages in order', [], () => threePages(), {
    texts: [[code128.text], [code39.text], [itf.text]],
  }),
]

function half(symbol: Barcode): Barcode {
  return { ...symbol, moduleMm: symbol.bcid === 'datamatrix' ? 0.375 : 0.1875 }
}

async function twoLabels(): Promise<Buffer> {
  const document = await PDFDocument.load(await labelSheet([code128], { page: a4, label: a6 }))
  const [second] = await document.embedPdf(await labelSheet([qr], { label: a6 }))
  if (second === undefined) throw new Error('no page')
  document.getPage(0).drawPage(second, { x: 105 * pointsPerMm, y: (297 - 148.5 - 148) * pointsPerMm })
  return Buffer.from(await document.save())
}

async function threePages(): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (const symbol of [code128, { ...code39, moduleMm: 0.3 }, itf]) {
    const [page] = await document.copyPages(await PDFDocument.load(await labelSheet([symbol])), [0])
    if (page !== undefined) document.addPage(page)
  }
  return Buffer.from(await document.save())
}

/** Labels as carriers send them, including unusual ones. */
export const corpus: CorpusLabel[] = [...vectors, ...pictures, ...handWritten, ...pages, ...ruled]
