import { describe, expect, it } from 'vitest'
import type { PrintableLabel } from '../../../src/main/printing/printableLabel'
import { createLabelChoices, type LabelChoicesDeps } from '../../../src/main/printing/queue/labelChoices'
import { appError } from '../../../src/shared/errors'
import type { LabelFinding, PlacementRule } from '../../../src/shared/labels'
import { type Printer, printerSchema, type RoutingRule } from '../../../src/shared/printing'
import { err, ok } from '../../../src/shared/result'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { joinedPdf, labelsInMemory, labelWith, markedPdf } from '../../support/printing/labels'
import { printingSettings } from '../../support/printing/printingSettings'
import { sampleJob } from '../../support/screenSamples'

const rasterizer = createInlineRasterizer()
const zebra = printerSchema.parse({ id: 'zebra', name: 'Zebra', driver: 'socket', host: 'localhost' })
const folder = printerSchema.parse({ id: 'file', driver: 'folder', path: 'out' })

/** The settings unless a test states others. */
const usual = { printers: [zebra, folder], routing: [{ printer: 'zebra' }] }

function choicesFor(label: PrintableLabel, change: Partial<LabelChoicesDeps> = {}) {
  return createLabelChoices({
    jobs: { find: async () => undefined },
    labels: labelsInMemory([label]),
    settings: printingSettings(() => usual),
    save: () => ok(undefined),
    rasterizer,
    releaseWaiting: async () => undefined,
    getMargins: async () => undefined,
    getDpi: async () => 203,
    getStocks: async () => [],
    printPageElsewhere: async () => ok([]),
    releaseDespite: async () => ok(sampleJob()),
    ...change,
  })
}

describe('a page that is printed elsewhere', () => {
  it('adds one rule for its size and carrier option before other rules when it is remembered, and releases waiting jobs', async () => {
    const label = labelWith({ bytes: await markedPdf(210, 297) })
    const job = sampleJob({ labelId: label.labelId, shipmentId: label.shipmentId, printerId: 'zebra' })
    const done: string[] = []
    let routing: RoutingRule[] = [{ printer: 'zebra' }]
    const choices = choicesFor(label, {
      jobs: { find: async () => job },
      settings: printingSettings(() => ({ ...usual, routing })),
      save: (change) => {
        routing = change.routing ?? routing
        return ok(undefined)
      },
      printPageElsewhere: async (_, page, printerId) => {
        if (printerId === 'gone') return err(appError('printer-not-found'))
        done.push(`page ${page} on ${printerId}`)
        return ok([])
      },
      releaseWaiting: async () => void done.push('released'),
    })
    const asked = { jobId: job.id, page: 1, printerId: 'file', remember: false }
    expect(await choices.printPageElsewhere(asked)).toEqual({ ok: true, value: undefined })
    expect(routing).toHaveLength(1)
    expect(await choices.printPageElsewhere({ ...asked, remember: true })).toMatchObject({ ok: true })
    expect(await choices.printPageElsewhere({ ...asked, remember: true })).toMatchObject({ ok: true })
    expect(routing).toEqual([
      { carrierOptionId: 34, pages: { widthMm: 210, heightMm: 297 }, printer: 'file' },
      { printer: 'zebra' },
    ])
    expect(done).toEqual(['page 1 on file', 'page 1 on file', 'released', 'page 1 on file', 'released'])
    const gone = { ...asked, printerId: 'gone', remember: true }
    expect(await choices.printPageElsewhere(gone)).toMatchObject({ error: { code: 'printer-not-found' } })
    expect(routing).toHaveLength(2)
  })
})

describe('stock that a printer does not offer', () => {
  const finding: LabelFinding = { kind: 'stock-missing', page: 1, name: '100 x 150 mm' }
  const offered = [
    { paper: 'w288h432', size: null },
    { paper: 'na_index-4x6_4x6in', size: { widthMm: 101.6, heightMm: 152.4 } },
  ]

  async function chooseFor(system: Printer, stocks = offered) {
    const label = labelWith({ bytes: await markedPdf(100, 150) })
    const error = { ...appError('label-loses-content'), findings: [finding] }
    const job = sampleJob({ labelId: label.labelId, printerId: system.id, state: 'waiting', error })
    let printers: Printer[] = [zebra, system]
    const released: string[] = []
    const choices = choicesFor(label, {
      jobs: { find: async () => job },
      settings: printingSettings(() => ({ ...usual, printers })),
      getStocks: async () => stocks,
      save: (change) => {
        printers = change.printers ?? printers
        return ok(undefined)
      },
      releaseWaiting: async () => void released.push('released'),
    })
    return { choices, job, released, current: () => printers }
  }

  const queue = printerSchema.parse({ id: 'queue', driver: 'system', queue: 'LABEL' })

  it('is shown with the stocks that the printer offers, and the chosen one becomes the printer’s stock', async () => {
    const { choices, job, released, current } = await chooseFor(queue)
    expect(await choices.askLosses(job.id)).toMatchObject({
      value: { stocks: offered, pages: [{ page: 1 }] },
    })
    expect(await choices.chooseStock(job.id, 'na_index-4x6_4x6in')).toEqual(ok(undefined))
    const stock = { widthMm: 101.6, heightMm: 152.4 }
    expect(current()).toEqual([zebra, { ...queue, paper: 'na_index-4x6_4x6in', stock }])
    expect(await choices.chooseStock(job.id, 'w288h432')).toEqual(ok(undefined))
    expect(current()[1]).toEqual({ ...queue, paper: 'w288h432', stock })
    expect(released).toEqual(['released', 'released'])
  })

  it('is not replaced by another stock that is not offered', async () => {
    const { choices, job, released, current } = await chooseFor(queue)
    expect(await choices.chooseStock(job.id, 'A3')).toMatchObject({ error: { code: 'stock-not-supported' } })
    expect([current()[1], released]).toEqual([queue, []])
  })

  it('cannot be replaced on a printer of label sheets', async () => {
    const sheets = printerSchema.parse({ ...queue, sheet: { columns: 2, rows: 1 } })
    const { choices, job } = await chooseFor(sheets)
    expect(await choices.askLosses(job.id)).toMatchObject({ value: { stocks: [] } })
  })
})

describe('a placement that is tried', () => {
  it('previews its page, although another page has no placement yet', async () => {
    const [first, second] = [await markedPdf(210, 297), await markedPdf(148, 210)]
    const label = labelWith({ bytes: await joinedPdf(first, second) })
    const job = sampleJob({ labelId: label.labelId, shipmentId: label.shipmentId, printerId: 'zebra' })
    const choices = choicesFor(label, { jobs: { find: async () => job } })
    const rule: PlacementRule = {
      ...{ carrierOptionId: 34, page: { widthMm: 148, heightMm: 210 }, turn: 0, scale: 1 },
      stock: { widthMm: 100, heightMm: 150 },
      areas: [{ xMm: 0, yMm: 0, widthMm: 100, heightMm: 150 }],
    }
    expect(await choices.tryPlacement(job.id, rule, 2)).toMatchObject({
      ok: true,
      value: { pictures: [{ width: 800, height: 1200 }], problem: null },
    })
  })
})

describe('a preview', () => {
  it('shows the dots of the usual printer, or the pages for a folder', async () => {
    const label = labelWith({ bytes: await markedPdf(100, 150, undefined, 2) })
    const choices = choicesFor(label)
    expect(await choices.preview(label.labelId)).toMatchObject({
      ok: true,
      value: {
        labelId: label.labelId,
        printerName: 'Zebra',
        dpi: 203,
        pictures: [
          { width: 800, height: 1200 },
          { width: 800, height: 1200 },
        ],
        text: null,
        problem: null,
      },
    })
    expect(await choices.preview(label.labelId, 'file')).toMatchObject({
      value: { printerName: 'file', pictures: [{}, {}], problem: null },
    })
  })

  it('has the resolution at which the app draws the labels of the printer', async () => {
    const label = labelWith({ bytes: await markedPdf() })
    const asked: Printer[] = []
    const choices = choicesFor(label, {
      getDpi: async (printer) => {
        asked.push(printer)
        return 300
      },
    })
    expect(await choices.preview(label.labelId)).toMatchObject({
      value: { dpi: 300, pictures: [{ width: 1181, height: 1772 }] },
    })
    expect(asked).toEqual([zebra])
  })

  it('shows the pages of a label that cannot be printed as it is, with the reason', async () => {
    const label = labelWith({ bytes: await markedPdf(210, 297) })
    expect(await choicesFor(label).preview(label.labelId)).toMatchObject({
      value: {
        printerName: '',
        pictures: [{ width: 1680, height: 2376 }],
        problem: { code: 'label-needs-placement' },
      },
    })
    expect(
      await choicesFor(label, { settings: printingSettings(() => ({})) }).preview(label.labelId),
    ).toMatchObject({
      value: { printerName: '', pictures: [{ width: 1680 }], problem: { code: 'no-printer' } },
    })
  })

  it('shows the first part of a label that is printed in parts, and the number of parts', async () => {
    const long = labelWith({ bytes: await markedPdf(100, 150, undefined, 45) })
    const shown = await choicesFor(long).preview(long.labelId)
    expect(shown).toMatchObject({
      value: {
        printerName: 'Zebra',
        problem: null,
        ...{ pages: 45, firstPart: { parts: 3, from: 1, to: 20 } },
      },
    })
    expect(shown.ok && shown.value.pictures).toHaveLength(20)

    const large = labelWith({ bytes: await markedPdf(600, 900, undefined, 6) })
    expect(await choicesFor(large).preview(large.labelId)).toMatchObject({
      value: {
        ...{ pages: 6, firstPart: { parts: 2, from: 1, to: 5 } },
        problem: { code: 'label-needs-placement' },
      },
    })
  })

  it('counts the pages of the PDF, not the labels that are printed from a page', async () => {
    const marks = [10, 110].map((x) => ({ x, y: 10, width: 20, height: 20 }))
    const label = labelWith({ bytes: await markedPdf(210, 297, marks) })
    const halves = [
      { xMm: 0, yMm: 0, widthMm: 100, heightMm: 150 },
      { xMm: 100, yMm: 0, widthMm: 100, heightMm: 150 },
    ]
    const rule: PlacementRule = {
      ...{ carrierOptionId: 34, page: { widthMm: 210, heightMm: 297 }, turn: 0, scale: 1 },
      ...{ stock: { widthMm: 100, heightMm: 150 }, areas: halves },
    }
    const labelRules = { placements: [rule], zplCommands: [], losses: [] }
    const settings = printingSettings(() => ({ ...usual, labelRules }))
    const shown = await choicesFor(label, { settings }).preview(label.labelId)
    expect(shown).toMatchObject({ value: { pages: 1, problem: null } })
    expect(shown.ok && shown.value.pictures).toHaveLength(2)
  })

  it('shows the pages that the rules send to the first printer', async () => {
    const label = labelWith({
      bytes: await joinedPdf(await markedPdf(), await markedPdf(210, 297)),
    })
    const routing: RoutingRule[] = [{ printer: 'file', pages: 'larger-than-stock' }, { printer: 'zebra' }]
    const choices = choicesFor(label, { settings: printingSettings(() => ({ ...usual, routing })) })
    expect(await choices.preview(label.labelId)).toMatchObject({
      value: {
        ...{ printerName: 'Zebra', problem: null, pictures: [{ width: 800 }] },
        ...{ pages: 2, firstPart: { parts: 2, from: 1, to: 1 } },
      },
    })
    // The preview for a named printer shows all pages.
    expect(await choices.preview(label.labelId, 'file')).toMatchObject({ value: { pictures: [{}, {}] } })
  })

  it('shows only the pages of a job', async () => {
    const label = labelWith({ bytes: await joinedPdf(await markedPdf(), await markedPdf(210, 297)) })
    const choices = choicesFor(label)
    expect(await choices.preview(label.labelId, 'zebra', { from: 1, to: 1 })).toMatchObject({
      value: { printerName: 'Zebra', problem: null, pages: 2, pictures: [{ width: 800 }] },
    })
    const second = await choices.preview(label.labelId, 'zebra', { from: 2, to: 2 })
    expect(second).toMatchObject({ value: { problem: { code: 'label-needs-placement' } } })
    expect(second.ok && second.value.pictures).toMatchObject([{ width: 1680 }])
    const long = labelWith({ bytes: await markedPdf(100, 150, undefined, 25) })
    const part = await choicesFor(long).preview(long.labelId, 'zebra', { from: 21, to: 25 })
    expect(part.ok && part.value).toMatchObject({ problem: null, pages: 25 })
    expect(part.ok && part.value.firstPart).toBeUndefined()
  })

  it('shows a label on the printer that its order’s rule names', async () => {
    const label = labelWith({ bytes: await markedPdf(), printerId: 'file' })
    expect(await choicesFor(label).preview(label.labelId)).toMatchObject({ value: { printerName: 'file' } })
  })

  it('shows the text of a ZPL label, and the reason why another label has no picture', async () => {
    const zpl = labelWith({ kind: 'zpl', bytes: Buffer.from('^XA^FDé^XZ') })
    const text = { text: '^XA^FDé^XZ', pictures: [] }
    expect(await choicesFor(zpl).preview(zpl.labelId)).toMatchObject({ value: { ...text, problem: null } })
    expect(
      await choicesFor(zpl, { settings: printingSettings(() => ({})) }).preview(zpl.labelId),
    ).toMatchObject({ value: text })
    const other = labelWith({ kind: 'other', bytes: Buffer.from('GIF89a') })
    expect(await choicesFor(other).preview(other.labelId)).toMatchObject({
      value: { pictures: [], problem: { code: 'label-type-unknown' } },
    })
    const damaged = labelWith({ bytes: Buffer.from('%PDF-1.4 ?') })
    expect(await choicesFor(damaged).preview(damaged.labelId)).toMatchObject({
      value: { pictures: [], problem: { code: 'label-unreadable' } },
    })
    expect(await choicesFor(damaged).preview('another')).toMatchObject({ error: { code: 'label-not-found' } })
  })
})
