import bwip from 'bwip-js/node'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { type BarcodeComparison, proveBarcodes } from '../../../src/main/printing/barcodes/proveBarcodes'
import {
  loadSymbolReader,
  type PictureKind,
  type ReadSymbol,
  type ReadSymbols,
} from '../../../src/main/printing/barcodes/symbolReader'
import { type GreyPage, planPlacements, toZplLayout } from '../../../src/main/printing/layout/labelLayout'
import { loadPdfium } from '../../../src/main/printing/raster/pdfium'
import type { Grade, PlacementRule, SizeMm, SymbolMeasure } from '../../../src/shared/labels'
import { type SocketPrinter, socketPrinterSchema } from '../../../src/shared/printing'
import { corpus } from '../../support/printing/corpus/corpus'
import { drawLabel, labelSheet, pointsPerMm } from '../../support/printing/corpus/sheets'
import { producerNames, subDotLabel, subDotLabels } from '../../support/printing/corpus/subDots'
import { type Barcode, symbols } from '../../support/printing/corpus/symbols'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'

const rasterizer = createInlineRasterizer()
const loading = Promise.all([loadPdfium(), loadSymbolReader()])
const usual = { widthMm: 100, heightMm: 150 }
const square = { widthMm: 100, heightMm: 100 }

interface Printing {
  dpi?: 203 | 300 | 600
  stock?: SizeMm
  rules?: PlacementRule[]
  rotate?: 0 | 90 | 180 | 270
  /** Other settings of the printer. */
  settings?: Partial<Pick<SocketPrinter, 'stockTracking' | 'offsetMm'>>
}

/**
 * Draws a label for a printer and compares its barcodes with the dots.
 * @param drawn the label whose dots go to the printer; one that differs from `pdf` simulates a fault of the PDF engine
 * @param wrapReader wraps the barcode reader
 */
async function prove(
  pdf: Buffer,
  printing: Printing = {},
  drawn = pdf,
  wrapReader = (read: ReadSymbols) => read,
): Promise<BarcodeComparison> {
  const { dpi = 203, stock = usual, rules = [], rotate = 0, settings } = printing
  const turnedStock = rotate % 180 === 0 ? stock : { widthMm: stock.heightMm, heightMm: stock.widthMm }
  const printer = socketPrinterSchema.parse({
    id: 'z',
    driver: 'socket',
    host: 'h',
    dpi,
    rotate,
    stock: turnedStock,
    ...settings,
  })
  const pages = await rasterizer.measure(pdf)
  if (!pages.ok) throw new Error(pages.error.message)
  const plan = planPlacements({ pages: pages.value, printer, carrierOptionId: 34, rules })
  if (!plan.ok) throw new Error(plan.error.message)
  const layout = toZplLayout(printer, plan.value)
  const bitmaps = await rasterizer.renderMono(drawn, layout)
  if (!bitmaps.ok) throw new Error(bitmaps.error.message)
  const [pdfium, read] = await loading
  const compared = await proveBarcodes(
    { pdfium, read: wrapReader(read) },
    { pdf, layout, bitmaps: bitmaps.value },
  )
  if (!compared.ok) throw new Error(compared.error.message)
  return compared.value
}

/**
 * Caches what is read from a picture. The page of a label takes longer to read than its dots and is the same for
 * several print heads.
 */
function readOnce(): (read: ReadSymbols) => ReadSymbols {
  const seen: { picture: GreyPage; kind: PictureKind; found: ReadSymbol[] }[] = []
  return (read) => async (picture, kind) => {
    const known = seen.find((each) => each.kind === kind && isSame(each.picture, picture))
    if (known !== undefined) return known.found
    const found = await read(picture, kind)
    seen.push({ picture, kind, found })
    return found
  }
}

function isSame(one: GreyPage, other: GreyPage): boolean {
  return one.width === other.width && Buffer.compare(one.pixels, other.pixels) === 0
}

/** Removes the brackets of GS1, which are meant for human readers and which the barcode reader may leave out. */
const withoutBrackets = (text: string) => text.replaceAll(/[()]/g, '')

describe('proving a label of the corpus', () => {
  const rotations = [0, 90, 180, 270] as const
  it.each(corpus.map((label, index) => [label.name, label, index] as const))(
    'finds each barcode on the page and in the dots, and holds nothing: %s',
    async (_, label, index) => {
      const pdf = await label.pdf()
      const once = readOnce()
      for (const [fineness, dpi] of ([203, 300, 600] as const).entries()) {
        const rotate = rotations[(index + fineness) % rotations.length] ?? 0
        const { findings, symbols: found } = await prove(pdf, { ...label, dpi, rotate }, pdf, once)
        expect(findings).toEqual([])
        expect(found.map(({ text }) => withoutBrackets(text)).sort()).toEqual(
          label.texts.flat().map(withoutBrackets).sort(),
        )
        expect(found.map(({ grade }) => grade)).not.toContain('F')
      }
    },
  )
})

describe('proving barcodes that are not lost', () => {
  it.each(producerNames)(
    'holds no barcode drawn as %s, at several offsets between two dots, upright or on its side',
    async (producer) => {
      const labels = (['code128', 'itf', 'code39'] as const).flatMap((name) =>
        [0, 1, 2].map((place) => ({
          symbol: { ...symbols[name], moduleMm: 0.25 },
          isTurned: place === 1 && name !== 'code39',
          shiftMm: place / 3 / 8,
        })),
      )
      for (const [index, pdf] of (await subDotLabels(producer, labels)).entries()) {
        const { findings, symbols: found } = await prove(pdf, { stock: square })
        expect([findings, found.map(({ text }) => text)]).toEqual([[], [labels[index]?.symbol.text]])
      }
    },
  )

  it('does not hold a label whose only symbol is a MaxiCode, in any rotation', async () => {
    const text =
      '[)>^03001^02996152382802^029840^029001^0291Z00004951^029UPSX^02906X610^029159^0291234567^0291/1^029^029Y^029634 ALPHA DR^029PITTSBURGH^029PA^029^004'
    const png = await bwip.toBuffer({
      ...{
        bcid: 'maxicode',
        text,
        mode: '2',
        parse: true,
        parsefnc: true,
        scale: 4,
        backgroundcolor: 'FFFFFF',
      },
    })
    const document = await PDFDocument.create()
    const page = document.addPage([283.46, 425.2])
    const image = await document.embedPng(png)
    const width = (28 / 25.4) * 72
    page.drawImage(image, { x: 50, y: 200, width, height: (width * image.height) / image.width })
    const pdf = Buffer.from(await document.save())
    for (const rotate of [0, 90, 180, 270] as const) {
      expect(await prove(pdf, { rotate })).toEqual({ symbols: [], findings: [] })
    }
  })

  it('finds no barcodes in random letters and lines', async () => {
    let seed = 1
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
      return seed / 0x7fffffff
    }
    for (let label = 0; label < 10; label += 1) {
      const document = await PDFDocument.create()
      const page = document.addPage([283.46, 425.2])
      for (let word = 0; word < 60; word += 1) {
        const signs = Array.from({ length: 20 }, () => String.fromCharCode(33 + Math.floor(random() * 90)))
        page.drawText(signs.join(''), { x: random() * 200, y: random() * 420, size: 4 + random() * 12 })
      }
      for (let line = 0; line < 80; line += 1) {
        const x = 20 + line * (1 + random() * 3)
        page.drawLine({ start: { x, y: 50 }, end: { x, y: 120 }, thickness: 0.2 + random() * 2 })
      }
      expect(await prove(Buffer.from(await document.save()))).toEqual({ symbols: [], findings: [] })
    }
  })
})

describe('proving a sheet of labels', () => {
  it('holds no barcode of a sheet whose last place is empty', async () => {
    const page = { widthMm: 210, heightMm: 297 }
    const [size, stock] = [
      { widthMm: 105, heightMm: 148.5 },
      { widthMm: 105, heightMm: 149 },
    ]
    const places = [0, size.heightMm].flatMap((yMm) => [0, size.widthMm].map((xMm) => ({ xMm, yMm })))
    const texts = ['JVGL06081100000001', 'JVGL06081100000002', 'JVGL06081100000003']
    const document = await PDFDocument.create()
    const sheet = document.addPage([page.widthMm * pointsPerMm, page.heightMm * pointsPerMm])
    for (const [index, text] of texts.entries()) {
      const at = places[index] ?? { xMm: 0, yMm: 0 }
      const symbol = { ...symbols.code128, text }
      await drawLabel(sheet, [symbol], { at, size, ink: 'vector', font: StandardFonts.Helvetica })
    }
    const rule: PlacementRule = {
      ...{ carrierOptionId: 34, page, stock, turn: 0, scale: 1 },
      areas: places.map((place) => ({ ...place, ...size })),
    }
    const { findings, symbols: found } = await prove(Buffer.from(await document.save()), {
      stock,
      rules: [rule],
    })
    expect(findings).toEqual([])
    expect(found.map(({ text }) => text).sort()).toEqual(texts)
    expect(found.map(({ grade }) => grade)).not.toContain('F')
  })
})

describe('proving barcodes on continuous stock', () => {
  const proveContinuous = (pdf: Buffer, printing: Printing) =>
    prove(pdf, {
      ...printing,
      settings: { stockTracking: 'continuous', offsetMm: { x: 0, y: 4 }, ...printing.settings },
    })

  it.each([
    ['shorter than the stock', { widthMm: 100, heightMm: 60 }],
    ['longer than the stock', { widthMm: 100, heightMm: 220 }],
  ])('finds the barcode of a page %s', async (_, label) => {
    const pdf = await labelSheet([symbols.code128], { label })
    for (const rotate of [0, 180] as const) {
      const { findings, symbols: read } = await proveContinuous(pdf, { rotate })
      expect([findings, read.map(({ text }) => text)]).toEqual([[], [symbols.code128.text]])
    }
  })

  it('finds the barcode of a page that is printed on its side', async () => {
    const pdf = await labelSheet([symbols.code128], { label: { widthMm: 90, heightMm: 100 } })
    // Stated in the orientation of the page. The printer holds it turned, as wide as the page is high.
    const stock = { widthMm: 150, heightMm: 100 }
    for (const rotate of [90, 270] as const) {
      const { findings, symbols: read } = await proveContinuous(pdf, { rotate, stock })
      expect([findings, read.map(({ text }) => text)]).toEqual([[], [symbols.code128.text]])
    }
  })
})

describe('a barcode that may be lost in the dots', () => {
  it('is reported with its place when its bars are too fine for the print head', async () => {
    const symbol = { ...symbols.itf, moduleMm: 0.17 }
    const pdf = await subDotLabel({ symbol, producer: 'rectangles one by one', shiftMm: 0 })
    const { findings, symbols: found } = await prove(pdf, { stock: square })
    expect(findings).toMatchObject([{ kind: 'barcode-lost', page: 1, name: 'ITF', text: symbols.itf.text }])
    const [area] = findings[0]?.areas ?? []
    expect(area?.xMm).toBeCloseTo(10, 0)
    expect((area?.yMm ?? 0) + (area?.heightMm ?? 0)).toBeCloseTo(90, 0)
    expect(found).toMatchObject([{ grade: 'F', measures: [{ measure: 'reading', value: 0 }] }])
    const finer = await prove(pdf, { stock: square, dpi: 600 })
    expect(finer.findings).toEqual([])
  })

  it('is reported when a placement prints it too small', async () => {
    const a6 = { widthMm: 105, heightMm: 148 }
    const symbol = { ...symbols.code128, moduleMm: 0.25 }
    const rule: PlacementRule = {
      ...{ carrierOptionId: 34, page: a6, stock: { widthMm: 65, heightMm: 90 }, turn: 0 },
      areas: [{ xMm: 0, yMm: 0, ...a6 }],
      scale: 0.6,
    }
    const pdf = await labelSheet([symbol], { label: a6 })
    const { findings } = await prove(pdf, { stock: rule.stock, rules: [rule] })
    expect(findings).toMatchObject([{ kind: 'barcode-lost', name: 'Code 128', text: symbol.text }])
  })

  it('is reported when a placement cuts it', async () => {
    const stock = { widthMm: 60, heightMm: 60 }
    const rule: PlacementRule = {
      ...{ carrierOptionId: 34, page: usual, stock, turn: 0, scale: 1 },
      areas: [{ xMm: 0, yMm: 0, widthMm: 60, heightMm: 60 }],
    }
    const pdf = await labelSheet([symbols.code128])
    const { findings } = await prove(pdf, { stock, rules: [rule] })
    expect(findings).toMatchObject([{ kind: 'barcode-lost', text: symbols.code128.text }])
  })

  it.each([
    ['less than half of the bars’ height', { widthMm: 100, heightMm: 22 }],
    ['less than half of the width', { widthMm: 30, heightMm: 150 }],
    ['a small part of the width', { widthMm: 16, heightMm: 150 }],
  ])('is reported when a placement prints only %s', async (_, stock) => {
    const rule: PlacementRule = {
      ...{ carrierOptionId: 34, page: usual, stock, turn: 0, scale: 1 },
      areas: [{ xMm: 0, yMm: 0, ...stock }],
    }
    const pdf = await labelSheet([symbols.code128])
    const { findings, symbols: found } = await prove(pdf, { stock, rules: [rule] })
    expect(findings).toMatchObject([{ kind: 'barcode-lost', text: symbols.code128.text }])
    expect(found).toMatchObject([{ text: symbols.code128.text, grade: 'F' }])
  })

  it('is not reported when a placement prints only its edge', async () => {
    const stock = { widthMm: 100, heightMm: 18 }
    const rule: PlacementRule = {
      ...{ carrierOptionId: 34, page: usual, stock, turn: 0, scale: 1 },
      areas: [{ xMm: 0, yMm: 0, ...stock }],
    }
    const pdf = await labelSheet([symbols.code128])
    expect(await prove(pdf, { stock, rules: [rule] })).toEqual({ symbols: [], findings: [] })
  })

  it.each(['code128', 'qr', 'pdf417'] as const)(
    'is reported when the %s has another text in the dots',
    async (name) => {
      const symbol = symbols[name]
      const pdf = await labelSheet([symbol])
      const other = await labelSheet([{ ...symbol, text: symbol.text.replace('1', '7') }])
      const { findings, symbols: found } = await prove(pdf, {}, other)
      expect(findings).toMatchObject([{ kind: 'barcode-differs', page: 1, text: symbol.text }])
      expect(found).toMatchObject([{ text: symbol.text, grade: 'F' }])
    },
  )

  it('is not reported when it lies in a part of the page that is not printed', async () => {
    const stock = { widthMm: 100, heightMm: 33 }
    const rule: PlacementRule = {
      ...{ carrierOptionId: 34, page: usual, stock, turn: 0, scale: 1 },
      areas: [{ xMm: 0, yMm: 0, ...stock }],
    }
    const pdf = await labelSheet([symbols.code128, symbols.qr])
    const { findings, symbols: found } = await prove(pdf, { stock, rules: [rule] })
    expect(findings).toEqual([])
    expect(found.map(({ text }) => text)).toEqual([symbols.code128.text])
  })

  it('is not reported on a page without barcodes', async () => {
    expect(await prove(await labelSheet([]))).toEqual({ symbols: [], findings: [] })
  })
})

describe('the grade of a barcode', () => {
  const gradeOf = async (barcode: Barcode & { moduleMm: number }, dpi: 203 | 300 = 203, isTurned = false) => {
    const pdf = await subDotLabel({
      ...{ symbol: barcode, producer: producerNames[0] ?? '', shiftMm: 0, isTurned },
    })
    const { symbols: found } = await prove(pdf, { stock: square, dpi })
    expect(found).toHaveLength(1)
    return found[0]
  }
  const measured = (measures: readonly SymbolMeasure[] | undefined, name: SymbolMeasure['measure']) =>
    measures?.find(({ measure }) => measure === name)

  it.each(['code128', 'gs1', 'itf'] as const)('is A for %s with bars of two whole dots', async (name) => {
    for (const isTurned of [false, true]) {
      const symbol = await gradeOf({ ...symbols[name], moduleMm: 0.25 }, 203, isTurned)
      expect(symbol).toMatchObject({ grade: 'A', deviationDots: 0 })
      expect(symbol?.moduleMm).toBeCloseTo(0.25, 2)
      expect(measured(symbol?.measures, 'decodability')).toEqual({
        ...{ measure: 'decodability', value: 1, grade: 'A' },
      })
    }
  })

  it.each([
    ['code 39', { bcid: 'code39', text: 'RR12NL' }],
    ['EAN-13', { bcid: 'ean13', text: '4006381333931' }],
    ['EAN-8', { bcid: 'ean8', text: '12345670' }],
    ['UPC-A', { bcid: 'upca', text: '036000291452' }],
  ] as const)('is A for %s with bars of three whole dots', async (_, barcode) => {
    expect(await gradeOf({ ...barcode, moduleMm: 0.375 })).toMatchObject({ grade: 'A', deviationDots: 0 })
  })

  it('is lower when bars are not whole dots wide, and states the deviation', async () => {
    const uneven = await gradeOf({ ...symbols.code128, moduleMm: 0.42 })
    expect(['C', 'D'] satisfies Grade[]).toContain(uneven?.grade)
    expect(uneven?.deviationDots).toBeGreaterThan(0.5)
    expect(uneven?.measures.filter(({ grade }) => grade !== 'A').map(({ measure }) => measure)).toEqual([
      'decodability',
    ])
  })

  it('is lower when there is ink in the quiet zone', async () => {
    const pdf = await labelSheet([symbols.code128], {
      finish: (page) => page.drawRectangle({ x: 20, y: page.getHeight() - 80, width: 1.5, height: 30 }),
    })
    const { symbols: found, findings } = await prove(pdf)
    expect(findings).toEqual([])
    const quiet = measured(found[0]?.measures, 'quiet-zone')
    expect(quiet?.grade).not.toBe('A')
    expect(quiet?.value).toBeLessThan(10)
    expect(found[0]?.grade).toBe(quiet?.grade)
  })

  it.each(['qr', 'dataMatrix', 'aztec', 'pdf417'] as const)(
    'is A for %s with modules of whole dots',
    async (name) => {
      const symbol = await gradeOf({ ...symbols[name], moduleMm: name === 'pdf417' ? 0.25 : 0.5 })
      expect(symbol?.grade).toBe('A')
      expect(measured(symbol?.measures, 'error-correction')?.value).toBe(1)
      expect(symbol?.moduleMm).toBeCloseTo(name === 'pdf417' ? 0.25 : 0.5, 1)
    },
  )

  it('is D for a Data Matrix whose modules are 1.36 dots wide', async () => {
    const symbol = await gradeOf({ ...symbols.dataMatrix, moduleMm: 0.17 })
    expect(measured(symbol?.measures, 'module')).toMatchObject({ grade: 'D' })
    expect(symbol?.grade).toBe('D')
  })
})
