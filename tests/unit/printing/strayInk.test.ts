import { degrees, PDFDocument, rgb, StandardFonts } from 'pdf-lib'
import { describe, expect, it } from 'vitest'
import { type StockLayout, toZplLayout } from '../../../src/main/printing/layout/labelLayout'
import { getPrintedParts } from '../../../src/main/printing/layout/strayInk'
import { createLabelChoices } from '../../../src/main/printing/queue/labelChoices'
import {
  type LabelFinding,
  type LabelRules,
  labelFindingSchema,
  type PlacementRule,
} from '../../../src/shared/labels'
import { socketPrinterSchema } from '../../../src/shared/printing'
import { ok } from '../../../src/shared/result'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelsInMemory, labelWith } from '../../support/printing/labels'
import { createMemoryJobs } from '../../support/printing/memoryJobs'
import { printingSettings } from '../../support/printing/printingSettings'
import { sampleJob } from '../../support/screenSamples'
import { firstJobs } from './startQueue'

const rasterizer = createInlineRasterizer()
const perMm = 72 / 25.4
const zebra = socketPrinterSchema.parse({
  ...{ id: 'zebra', driver: 'socket', host: 'h' },
  stock: { widthMm: 105, heightMm: 148 },
})
/** The upper left quarter of an A4 page. */
const quarter: PlacementRule = {
  carrierOptionId: 34,
  page: { widthMm: 210, heightMm: 297 },
  stock: { widthMm: 105, heightMm: 148 },
  areas: [{ xMm: 0, yMm: 0, widthMm: 105, heightMm: 148 }],
  turn: 0,
  scale: 1,
}

/** Words at a place of the page, in millimetres from its top left corner. */
type Words = [text: string, x: number, y: number, turn?: number]
const label: Words[] = [
  ['CONSIGNEE', 10, 20],
  ['3STEST000000001', 10, 130],
]
const instructions: Words[] = [
  ['Fold here and put the label on the parcel.', 120, 40],
  ['Order of J. Jansen', 120, 48],
]

async function pageWith(words: Words[], lines: [number, number, number, number][] = [], size = [210, 297]) {
  const document = await PDFDocument.create()
  const [width = 0, height = 0] = size
  const page = document.addPage([width * perMm, height * perMm])
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (const [text, x, y, turn = 0] of words) {
    const at = { x: x * perMm, y: (height - y) * perMm, rotate: degrees(turn) }
    page.drawText(text, { ...at, size: 10, font })
  }
  for (const [x, y, toX, toY] of lines) {
    page.drawLine({
      start: { x: x * perMm, y: (height - y) * perMm },
      end: { x: toX * perMm, y: (height - toY) * perMm },
      thickness: 0.5,
    })
  }
  return Buffer.from(await document.save())
}

/** Chooses the quarter of a page, as the operator does, and returns the stored rule. */
async function chooseOn(pdf: Buffer): Promise<PlacementRule> {
  const stored = labelWith({ bytes: pdf })
  const jobs = createMemoryJobs()
  const [job] = await firstJobs(jobs, stored, ['zebra'])
  let saved: LabelRules = { placements: [], zplCommands: [], losses: [] }
  const choices = createLabelChoices({
    jobs,
    labels: labelsInMemory([stored]),
    settings: printingSettings(() => ({ printers: [zebra], labelRules: saved })),
    save({ labelRules }) {
      saved = labelRules ?? saved
      return ok(undefined)
    },
    rasterizer,
    getMargins: async () => undefined,
    getDpi: async () => 203,
    getStocks: async () => [],
    printPageElsewhere: async () => ok([]),
    releaseDespite: async () => ok(sampleJob()),
    releaseWaiting: async () => undefined,
  })
  await choices.savePlacement(quarter, { jobId: job?.id ?? '', page: 1 })
  const [rule] = saved.placements
  if (rule === undefined) throw new Error('no rule was saved')
  return rule
}

/** The findings for a label drawn as ZPL, and for the same label laid on stock for a system queue. */
async function findLosses(pdf: Buffer, rules: PlacementRule[], printer = zebra): Promise<LabelFinding[][]> {
  const question = { printer, carrierOptionId: 34, rules }
  const layout = toZplLayout(printer, question)
  const { stock, offsetMm } = printer
  const onStock: StockLayout = { stock, offsetMm, copies: 1, placements: question }
  const [drawn, planned] = [
    await rasterizer.renderZpl(pdf, layout),
    await rasterizer.layOnStock(pdf, onStock),
  ]
  if (!drawn.ok || !planned.ok) throw new Error('the label was not drawn')
  return [drawn.value.findings, planned.value.findings]
}

describe('ink outside the printed part of a page', () => {
  it('is reported when a label has more content than when its placement was chosen', async () => {
    const rule = await chooseOn(await pageWith([...label, ...instructions]))
    const grown = await pageWith([...label, ...instructions, ['INSURED VALUE EUR 2500', 10, 153]])
    for (const found of await findLosses(grown, [rule])) {
      expect(found).toMatchObject([{ kind: 'ink-cut', page: 1 }])
      const [area] = found[0]?.areas ?? []
      expect(area?.xMm).toBeCloseTo(10, 0)
      expect(area?.yMm).toBeCloseTo(150.4, 0)
    }
  })

  it('is reported when the sheet has a second label', async () => {
    const rule = await chooseOn(await pageWith(label))
    const second = label.map(([text, x, y]): Words => [text, x + 105, y + 149])
    for (const found of await findLosses(await pageWith([...label, ...second]), [rule])) {
      expect(found.map(({ kind }) => kind)).toEqual(['ink-cut'])
    }
  })

  it('is not reported where the chosen placement left ink out, even if its lines are longer', async () => {
    const rule = await chooseOn(await pageWith([...label, ...instructions]))
    const others: Words[] = [
      ['Fold here and put the label on the parcel.', 120, 40],
      ['Order of A. van der Heijden-Oosterhuis', 120, 48],
    ]
    for (const found of await findLosses(await pageWith([...label, ...others]), [rule]))
      expect(found).toEqual([])
  })

  it.each([
    ['below it', [['INSURED VALUE EUR 2500', 10, 149.5]], 10],
    ['beside it', [['INSURED VALUE EUR 2500', 106.5, 100, 90]], 104],
  ] satisfies [string, Words[], number][])(
    'is reported when a line of text reaches 1.5 mm past the printed part %s',
    async (_, text, xMm) => {
      const rule = await chooseOn(await pageWith(label))
      for (const found of await findLosses(await pageWith([...label, ...text]), [rule])) {
        expect(found).toMatchObject([{ kind: 'ink-cut', areas: [{}] }])
        expect(Math.abs((found[0]?.areas?.[0]?.xMm ?? 0) - xMm)).toBeLessThan(3)
      }
    },
  )

  it('is not reported when it is a frame with lines of a table', async () => {
    const rule = await chooseOn(await pageWith(label))
    const rows = Array.from({ length: 12 }, (_, row): [number, number, number, number] => {
      const y = 5 + row * 12
      return [5, y, 106.3, y]
    })
    const page = await pageWith(label, [...rows, [106.3, 5, 106.3, 149.3], [5, 149.3, 106.3, 149.3]])
    for (const found of await findLosses(page, [rule])) expect(found).toEqual([])
  })

  it('is not reported where the chosen placement left out small light print', async () => {
    const document = await PDFDocument.load(await pageWith(label))
    const light = { size: 4, color: rgb(0.76, 0.76, 0.76) }
    document.getPage(0).drawText('Please fold this sheet. Terms apply.', { x: 40, y: 200, ...light })
    const page = Buffer.from(await document.save())
    const rule = await chooseOn(page)
    for (const dpi of [203, 600] as const) {
      for (const found of await findLosses(page, [rule], { ...zebra, dpi })) expect(found).toEqual([])
    }
  })

  it('is not reported when it is only a cutting line', async () => {
    const rule = await chooseOn(await pageWith(label))
    const cutting = await pageWith(label, [
      [105, 0, 105, 297],
      [0, 148.5, 210, 148.5],
    ])
    for (const found of await findLosses(cutting, [rule])) expect(found).toEqual([])
  })

  it('is reported among 30 cutting lines', async () => {
    const rule = await chooseOn(await pageWith(label))
    const rules = Array.from({ length: 30 }, (_, index): [number, number, number, number] => {
      const y = 5 + index * 9
      return [120, y, 200, y]
    })
    for (const found of await findLosses(await pageWith(label, rules), [rule])) expect(found).toEqual([])
    const page = await pageWith([...label, ['EUR 2500', 20, 200]], rules)
    for (const found of await findLosses(page, [rule])) {
      expect(found).toMatchObject([{ kind: 'ink-cut', areas: [{}] }])
      expect(found[0]?.areas?.[0]?.yMm).toBeCloseTo(197.4, 0)
    }
  })

  it('is reported completely, in 50 areas, when it lies in 71 places', async () => {
    const rule = await chooseOn(await pageWith(label))
    const words = Array.from(
      { length: 70 },
      (_, index): Words => ['X', 115 + (index % 7) * 12, 10 + Math.floor(index / 7) * 12],
    )
    for (const found of await findLosses(await pageWith([...label, ...words, ['o', 20, 290]]), [rule])) {
      const areas = found[0]?.areas ?? []
      expect(areas).toHaveLength(50)
      expect(labelFindingSchema.safeParse(found[0]).success).toBe(true)
      const isReported = (x: number, y: number) =>
        areas.some(
          ({ xMm, yMm, widthMm, heightMm }) =>
            x >= xMm - 1 && x <= xMm + widthMm + 1 && y >= yMm - 1 && y <= yMm + heightMm + 1,
        )
      expect([...words, ['o', 20, 290] as const].filter(([, x, y]) => !isReported(x + 1, y - 1))).toEqual([])
    }
  })

  it('is reported for an older placement that does not state which ink it leaves out', async () => {
    const page = await pageWith([...label, ...instructions])
    for (const found of await findLosses(page, [quarter])) {
      expect(found.map(({ kind }) => kind)).toEqual(['ink-cut'])
    }
  })

  it('is reported when the offset of the printer moves it past the edge of the stock', async () => {
    const page = await pageWith([...label, ['EDGE', 93, 70]], [[0.5, 1, 0.5, 147]], [105, 148])
    for (const found of await findLosses(page, [])) expect(found).toEqual([])
    const moved = { ...zebra, offsetMm: { x: 8, y: 0 } }
    for (const found of await findLosses(page, [], moved)) {
      expect(found).toMatchObject([{ kind: 'ink-cut', areas: [{}] }])
      expect(found[0]?.areas?.[0]?.yMm).toBeCloseTo(67.4, 0)
    }
    for (const rotate of [90, 270] as const) {
      const turned = { ...moved, rotate, stock: { widthMm: 148, heightMm: 105 } }
      for (const found of await findLosses(page, [], turned)) expect(found).toEqual([])
    }
  })
})

describe('a page on continuous stock', () => {
  const strip = { ...zebra, stockTracking: 'continuous' as const, stock: { widthMm: 105, heightMm: 60 } }
  const found = async (page: Buffer, printer: typeof strip) => (await findLosses(page, [], printer))[0]

  it('loses nothing when it is longer than the stock, with each turn and a downward offset', async () => {
    const upright = await pageWith(label, [], [105, 148])
    const wide = await pageWith(
      [
        ['CONSIGNEE', 10, 20],
        ['END', 130, 90],
      ],
      [],
      [148, 105],
    )
    for (const offsetMm of [undefined, { x: 0, y: 8 }]) {
      for (const rotate of [0, 180] as const) {
        expect(await found(upright, { ...strip, offsetMm, rotate })).toEqual([])
      }
      for (const rotate of [90, 270] as const) {
        expect(await found(wide, { ...strip, offsetMm, rotate })).toEqual([])
      }
    }
  })

  it('loses ink that an offset moves past its beginning or its sides', async () => {
    const page = await pageWith(
      [
        ['FIRST', 40, 8],
        ['LAST', 40, 145],
        ['EDGE', 93, 70],
      ],
      [],
      [105, 148],
    )
    const up = await found(page, { ...strip, offsetMm: { x: 0, y: -10 } })
    expect(up).toMatchObject([{ kind: 'ink-cut', areas: [{}] }])
    expect(up?.[0]?.areas?.[0]?.yMm).toBeCloseTo(5.4, 0)
    const down = await found(page, { ...strip, offsetMm: { x: 0, y: -10 }, rotate: 180 })
    expect(down).toMatchObject([{ kind: 'ink-cut', areas: [{}] }])
    expect(down?.[0]?.areas?.[0]?.yMm).toBeCloseTo(142.4, 0)
    expect(await found(page, { ...strip, offsetMm: { x: 8, y: 0 } })).toMatchObject([{ kind: 'ink-cut' }])
  })
})

describe('the margins of a printer', () => {
  const page = { widthMm: 100, heightMm: 150 }
  const layout = { dotsPerMm: 4, offsetDots: { x: 0, y: 0 } }
  const marginsMm = { left: 10, top: 20, right: 30, bottom: 40 }

  // After clockwise turns by 90, 180 and 270 degrees, the top of the page is at the right, bottom and left of the
  // stock.
  it.each([
    [0, { left: 10, top: 20, right: 30, bottom: 40 }],
    [90, { left: 20, top: 30, right: 40, bottom: 10 }],
    [180, { left: 30, top: 40, right: 10, bottom: 20 }],
    [270, { left: 40, top: 10, right: 20, bottom: 30 }],
  ] as const)(
    'are converted to the page when it is turned by %s degrees',
    (turn, { left, top, right, bottom }) => {
      const [width, height] = turn % 180 === 0 ? [400, 600] : [600, 400]
      const placement = { page: 0, area: { xMm: 0, yMm: 0, ...page }, turn, scale: 1 }
      const [part] = getPrintedParts([placement], {
        ...{ ...layout, marginsMm, widthDots: width, heightDots: height },
      })
      // The edge of the printed part has a tolerance of 1 mm, but the edge of a margin only of 0.25 mm.
      const within = 0.75
      expect(part?.xMm).toBeCloseTo(left + within)
      expect(part?.yMm).toBeCloseTo(top + within)
      expect((part?.xMm ?? 0) + (part?.widthMm ?? 0)).toBeCloseTo(100 - right - within)
      expect((part?.yMm ?? 0) + (part?.heightMm ?? 0)).toBeCloseTo(150 - bottom - within)
    },
  )

  it('leave the whole page printed when they are zero or unknown', () => {
    const placement = { page: 0, area: { xMm: 0, yMm: 0, ...page }, turn: 0, scale: 1 } as const
    const none = { left: 0, top: 0, right: 0, bottom: 0 }
    for (const margins of [undefined, none]) {
      const [part] = getPrintedParts([placement], {
        ...layout,
        marginsMm: margins,
        widthDots: 400,
        heightDots: 600,
      })
      expect(part).toEqual({ xMm: 0, yMm: 0, ...page })
    }
  })
})
