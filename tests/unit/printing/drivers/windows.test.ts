import { access, readFile } from 'node:fs/promises'
import { PDFDocument, PDFName, PDFNumber, PDFRawStream } from 'pdf-lib'
import { describe, expect, it, vi } from 'vitest'
import { probePrinter } from '../../../../src/main/printing/drivers/createDrivers'
import { findDpi, type PrintContext } from '../../../../src/main/printing/drivers/driver'
import { withSheets } from '../../../../src/main/printing/drivers/sheets'
import { createWindowsDriver, type WindowsPrinting } from '../../../../src/main/printing/drivers/windows'
import type { WindowsPaper } from '../../../../src/main/printing/drivers/windowsQueues'
import { toZplLayout } from '../../../../src/main/printing/layout/labelLayout'
import { previewPrint } from '../../../../src/main/printing/queue/printPreview'
import { printTestLabel } from '../../../../src/main/printing/queue/testLabel'
import type { PrinterRemark } from '../../../../src/shared/printerRemarks'
import { type SystemPrinter, systemPrinterSchema } from '../../../../src/shared/printing'
import { ok } from '../../../../src/shared/result'
import { labelSheet } from '../../../support/printing/corpus/sheets'
import { symbols } from '../../../support/printing/corpus/symbols'
import { createInlineRasterizer } from '../../../support/printing/inlineRasterizer'
import { labelWith, markedPdf } from '../../../support/printing/labels'
import { contextFor, staysOpen } from '../../../support/printing/printContext'
import { printingSettings } from '../../../support/printing/printingSettings'
import { createStubDrivers } from '../../../support/printing/stubDriver'

const rasterizer = createInlineRasterizer()
const sumatraPdfPath = 'C:\\Program Files\\Packbench\\SumatraPDF.exe'
const printer = systemPrinterSchema.parse({
  id: 'win',
  driver: 'system',
  queue: 'Zebra & "Söhne" %PATH%',
  copies: 2,
})

/** Replaces pdf-to-printer, which works on Windows only. */
function fakePrinting(print: WindowsPrinting['print']): WindowsPrinting {
  return {
    print: vi.fn(print),
  }
}

const usualPapers = [
  { name: 'A4', size: { widthMm: 210, heightMm: 297 }, kind: 9 },
  { name: '100 x 150 mm', size: { widthMm: 99.8, heightMm: 149.9 }, kind: 257 },
]

/** Replaces the query by PowerShell, which exists on Windows only. */
function queuesWith(papers: WindowsPaper[]) {
  return vi.fn(async () => ok([{ name: printer.queue, isDefault: true, papers }]))
}

function createDriver(
  printing: WindowsPrinting,
  timeoutMs?: number,
  readQueues = queuesWith(usualPapers),
  status: PrinterRemark[] = [],
) {
  return createWindowsDriver({
    load: async () => printing,
    sumatraPdfPath,
    rasterizer,
    readQueues,
    readStatus: async () => ok(status),
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
}

describe('printing on Windows', () => {
  it('gives SumatraPDF the dots of the label in a file, unscaled, for the paper of the stock', async () => {
    const bytes = await labelSheet([symbols.code128, symbols.itf])
    const printed: { file: string; content: Buffer }[] = []
    const printing = fakePrinting(async (file) => {
      printed.push({ file, content: await readFile(file) })
    })
    const context = contextFor(printer, labelWith({ bytes }))
    expect(await createDriver(printing).print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(context.acceptedTimes()).toBe(1)
    expect(printing.print).toHaveBeenCalledWith(expect.stringMatching(/label\.pdf$/), {
      printer: printer.queue,
      scale: 'noscale',
      orientation: 'portrait',
      copies: 2,
      silent: true,
      sumatraPdfPath,
      paperSize: '100 x 150 mm',
    })
    const sent = printed[0]?.content ?? Buffer.alloc(0)
    const document = await PDFDocument.load(sent)
    expect(document.getPages().map((page) => page.getSize())).toEqual([
      { width: expect.closeTo(283.46, 1), height: expect.closeTo(425.2, 1) },
    ])
    const layout = toZplLayout(
      { ...printer, dpi: 600, copies: 1 },
      { printer, carrierOptionId: 34, rules: [], range: undefined },
    )
    const [ours, carriers] = [
      await rasterizer.renderMono(sent, layout),
      await rasterizer.renderMono(bytes, layout),
    ]
    expect(carriers).toMatchObject({ ok: true, value: [{ width: 2362, height: 3543 }] })
    expect(ours).toEqual(carriers)
    await expect(access(printed[0]?.file ?? '')).rejects.toThrow()
  })

  it('does not redraw a label that is already drawn as dots, such as a sheet of labels', async () => {
    const bytes = await markedPdf()
    const sent: Buffer[] = []
    const printing = fakePrinting(async (file) => void sent.push(await readFile(file)))
    const context = { ...contextFor(printer, labelWith({ bytes })), drawn: { findInkIn: () => [] } }
    expect(await createDriver(printing).print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(sent[0]?.equals(bytes)).toBe(true)
  })

  it('repeats the pages of a label for its copies, because drivers order them differently', async () => {
    const counted: number[] = []
    const printing = fakePrinting(async (file) => {
      counted.push((await PDFDocument.load(await readFile(file))).getPageCount())
    })
    const label = labelWith({ bytes: await markedPdf(100, 150, undefined, 3) })
    await createDriver(printing).print(contextFor(printer, label), staysOpen)
    expect(counted).toEqual([6])
    expect(printing.print).toHaveBeenCalledWith(expect.anything(), expect.objectContaining({ copies: 1 }))
  })

  it.each(['darkness', 'speed'] as const)(
    'refuses a %s, which cannot be passed to a Windows driver',
    async (setting) => {
      const printing = fakePrinting(async () => {})
      const label = labelWith({ bytes: await markedPdf() })
      const context = contextFor({ ...printer, [setting]: 4 }, label)
      expect(await createDriver(printing).print(context, staysOpen)).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: `${setting}-not-supported`, details: { value: '4' } },
      })
      expect(printing.print).not.toHaveBeenCalled()
      expect(await probePrinter({ ...printer, [setting]: 4 }, '/nowhere', 'win32')).toMatchObject({
        code: 'failed',
        error: { code: `${setting}-not-supported` },
      })
    },
  )

  it.each([{ stockTracking: 'continuous' }, { printMode: 'cutter' }, { darknessChange: 2 }] as const)(
    'refuses %j, which needs a printer language',
    async (fields) => {
      const printing = fakePrinting(async () => {})
      const context = contextFor({ ...printer, ...fields }, labelWith({ bytes: await markedPdf() }))
      const error = { code: 'setting-needs-language', details: { setting: Object.keys(fields)[0] } }
      expect(await createDriver(printing).print(context, staysOpen)).toMatchObject({
        ...{ kind: 'failed', nothingPrinted: true, error },
      })
      expect(printing.print).not.toHaveBeenCalled()
      expect(await probePrinter(context.printer, '/nowhere', 'win32')).toMatchObject({
        code: 'failed',
        error,
      })
    },
  )

  it('asks for the papers of a queue once for two labels', async () => {
    const printing = fakePrinting(async () => {})
    const readQueues = queuesWith(usualPapers)
    const driver = createDriver(printing, undefined, readQueues)
    const label = labelWith({ bytes: await markedPdf() })
    await driver.print(contextFor(printer, label), staysOpen)
    await driver.print(contextFor(printer, label), staysOpen)
    expect(readQueues).toHaveBeenCalledTimes(1)
    expect(printing.print).toHaveBeenCalledTimes(2)
  })

  it('refuses a label of another size and a ZPL label without starting SumatraPDF', async () => {
    const printing = fakePrinting(async () => {})
    const driver = createDriver(printing)
    const a4 = labelWith({ bytes: await markedPdf(210, 297) })
    expect(await driver.print(contextFor(printer, a4), staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'label-needs-placement' },
    })
    const zpl = labelWith({ kind: 'zpl', bytes: Buffer.from('^XA^XZ') })
    expect(await driver.print(contextFor(printer, zpl), staysOpen)).toMatchObject({
      kind: 'failed',
      error: { code: 'printer-takes-no-zpl' },
    })
    expect(printing.print).not.toHaveBeenCalled()
  })

  it.each([
    ['Operating System not supported', true],
    [Object.assign(new Error('spawn SumatraPDF.exe ENOENT'), { code: 'ENOENT' }), true],
    [Object.assign(new Error('Command failed'), { code: 1 }), false],
  ])('fails when SumatraPDF ends with «%s» (nothing printed: %s)', async (problem, nothingPrinted) => {
    const printing = fakePrinting(() => Promise.reject(problem))
    const label = labelWith({ bytes: await markedPdf() })
    expect(await createDriver(printing).print(contextFor(printer, label), staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted,
      error: { code: 'printer-failed' },
    })
  })

  it('reports a label as unconfirmed when SumatraPDF does not end in time or the app closes while it runs', async () => {
    const hangs = fakePrinting(() => new Promise(() => {}))
    const label = labelWith({ bytes: await markedPdf() })
    expect(await createDriver(hangs, 30).print(contextFor(printer, label), staysOpen)).toMatchObject({
      kind: 'unconfirmed',
      error: { code: 'print-unconfirmed' },
    })
    const closing = new AbortController()
    const pendingPrint = createDriver(hangs).print(contextFor(printer, label), closing.signal)
    await vi.waitFor(() => expect(hangs.print).toHaveBeenCalledTimes(2))
    closing.abort()
    expect(await pendingPrint).toMatchObject({ kind: 'unconfirmed' })
  })
})

describe('a printer that Windows says is offline', () => {
  const offline: PrinterRemark = { code: 'offline' }
  const note = { code: 'windows-says', says: [offline] }

  it('gets the label, which is then unconfirmed, and its note after the job is claimed', async () => {
    const printing = fakePrinting(async () => {})
    const context = contextFor(printer, labelWith({ bytes: await markedPdf() }))
    const claimedWhenNoted: number[] = []
    const progress: typeof context.progress = (each) => {
      claimedWhenNoted.push(context.claimedTimes())
      context.notes.push(each)
    }
    const driver = createDriver(printing, undefined, queuesWith(usualPapers), [offline])
    expect(await driver.print({ ...context, progress }, staysOpen)).toMatchObject({
      kind: 'unconfirmed',
      error: { code: 'print-unconfirmed', says: [offline] },
    })
    expect(printing.print).toHaveBeenCalledTimes(1)
    expect(context.notes).toEqual([note])
    expect(claimedWhenNoted).toEqual([1])
  })

  it('gets no label when there is a standby', async () => {
    const printing = fakePrinting(async () => {})
    const context = { ...contextFor(printer, labelWith({ bytes: await markedPdf() })), hasStandby: true }
    const driver = createDriver(printing, undefined, queuesWith(usualPapers), [offline])
    const error = { code: 'printer-not-ready' }
    expect(await driver.print(context, staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error,
    })
    expect(context.claimedTimes()).toBe(0)
  })

  it('gets a test label, which is then unconfirmed', async () => {
    const printing = fakePrinting(async () => {})
    const onPrinted = vi.fn()
    const driver = createDriver(printing, undefined, queuesWith(usualPapers), [offline])
    const answer = await printTestLabel('win', {
      settings: printingSettings(() => ({ printers: [printer] })),
      drivers: { ...createStubDrivers(), system: driver },
      queue: { runBetweenJobs: (_printerId, work) => work(staysOpen), noteOutcome: () => undefined },
      onPrinted,
    })
    expect(onPrinted).toHaveBeenCalledWith(printer)
    expect(answer).toMatchObject({ ok: false, error: { code: 'print-unconfirmed', says: [offline] } })
    expect(printing.print).toHaveBeenCalledTimes(1)
  })
})

/** The widths of a PDF's pictures, in dots. */
async function getPictureWidths(pdf: Buffer = Buffer.alloc(0)): Promise<(number | undefined)[]> {
  const { context } = await PDFDocument.load(pdf)
  return context.enumerateIndirectObjects().flatMap(([, object]) => {
    if (!(object instanceof PDFRawStream)) return []
    const width = object.dict.lookupMaybe(PDFName.of('Width'), PDFNumber)
    return width === undefined ? [] : [width.asNumber()]
  })
}

describe('the resolution of previews', () => {
  it.each([
    [{}, 600],
    [{ stock: { widthMm: 210, heightMm: 297 } }, 300],
    [{ dpi: 203 }, 203],
    [{ language: 'zpl' }, 203],
    [{ sheet: { columns: 2, rows: 2 }, stock: { widthMm: 105, heightMm: 148 } }, 600],
  ])('is that of the dots which Windows gets: with %j %i dpi', async (fields, dpi) => {
    const sent: Buffer[] = []
    const driver = createDriver(fakePrinting(async (file) => void sent.push(await readFile(file))))
    const places = {
      next: async () => 0,
      set: async () => {},
      reserve: async () => 0,
      release: async () => {},
    }
    const system = withSheets(driver, { rasterizer, places })
    const drivers = { ...createStubDrivers(), system }
    const shown = systemPrinterSchema.parse({ ...printer, ...fields })
    const found = await findDpi(drivers, shown)
    expect(found).toBe(dpi)
    // Labels in the printer's language take the way of raw queues, at the stated or the usual resolution.
    if (shown.language !== undefined) return
    const label = labelWith({ bytes: await markedPdf(shown.stock.widthMm, shown.stock.heightMm) })
    const { pictures } = await previewPrint({ label, printer: shown, dpi: found, rules: [] }, rasterizer)
    expect(await system.print(contextFor(shown, label), staysOpen)).toEqual({ kind: 'handed-over' })
    expect(await getPictureWidths(sent[0])).toContain(pictures[0]?.width)
  })
})

describe('the paper that is passed to SumatraPDF', () => {
  const wide = systemPrinterSchema.parse({ ...printer, stock: { widthMm: 150, heightMm: 100 } })

  async function optionsFor(
    papers: WindowsPaper[],
    on = printer,
    check?: PrintContext<SystemPrinter>['check'],
  ) {
    const printing = fakePrinting(async () => {})
    const { widthMm, heightMm } = on.stock
    const label = labelWith({ bytes: await markedPdf(widthMm, heightMm) })
    const outcome = await createDriver(printing, undefined, queuesWith(papers)).print(
      { ...contextFor(on, label), ...(check !== undefined && { check }) },
      staysOpen,
    )
    return { outcome, options: vi.mocked(printing.print).mock.calls[0]?.[1] }
  }

  it('gets its orientation from its own sides, not from those of the label', async () => {
    const high = await optionsFor(usualPapers, wide)
    expect(high.options).toMatchObject({ paperSize: '100 x 150 mm', orientation: 'portrait' })
    const lying = { name: '150 x 100 mm', size: { widthMm: 150, heightMm: 100 }, kind: 258 }
    expect((await optionsFor([lying], wide)).options).toMatchObject({
      paperSize: '150 x 100 mm',
      orientation: 'landscape',
    })
    expect((await optionsFor([lying])).options).toMatchObject({ orientation: 'landscape' })
  })

  it('is found without a restart after it was added to the driver', async () => {
    const printing = fakePrinting(async () => {})
    const readQueues = queuesWith(usualPapers.slice(0, 1))
    const driver = createDriver(printing, undefined, readQueues)
    const context = contextFor(printer, labelWith({ bytes: await markedPdf() }))
    expect(await driver.print(context, staysOpen)).toMatchObject({ error: { code: 'label-loses-content' } })
    expect(readQueues).toHaveBeenCalledTimes(1)
    readQueues.mockImplementation(queuesWith(usualPapers))
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(vi.mocked(printing.print).mock.calls[0]?.[1]).toMatchObject({ paperSize: '100 x 150 mm' })
  })

  it('is left out, as is the orientation, when Windows lists no papers', async () => {
    const { options, outcome } = await optionsFor([])
    expect(outcome).toEqual({ kind: 'handed-over' })
    expect(options).not.toHaveProperty('orientation')
    expect(options).not.toHaveProperty('paperSize')
  })

  it.each([
    ['a driver without the size', usualPapers.slice(0, 1), printer],
    ['a wide label and unknown papers', [], wide],
  ])(
    'is reported as missing before printing, and left out once that is accepted: %s',
    async (_what, papers, on) => {
      const { options, outcome } = await optionsFor(papers, on)
      expect(outcome).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: 'label-loses-content', findings: [{ kind: 'stock-missing', page: 1 }] },
      })
      expect(options).toBeUndefined()
      const agreed = await optionsFor(papers, on, () => ok(undefined))
      expect(agreed.outcome).toEqual({ kind: 'handed-over' })
      expect(agreed.options).not.toHaveProperty('orientation')
      expect(agreed.options).not.toHaveProperty('paperSize')
    },
  )

  it('is the chosen paper, without an orientation, when Windows lists no papers', async () => {
    const chosen = systemPrinterSchema.parse({ ...wide, paper: '100 x 150 mm' })
    const { options, outcome } = await optionsFor([], chosen)
    expect(outcome).toEqual({ kind: 'handed-over' })
    expect(options).toMatchObject({ paperSize: '100 x 150 mm' })
    expect(options).not.toHaveProperty('orientation')
  })

  it('is reported as missing when its name has a comma and its number is unknown', async () => {
    const chosen = systemPrinterSchema.parse({ ...printer, paper: 'Label, 100 x 150 mm' })
    const { options, outcome } = await optionsFor([], chosen)
    const findings = [{ kind: 'stock-missing', name: 'Label, 100 x 150 mm' }]
    expect(outcome).toMatchObject({ nothingPrinted: true, error: { code: 'label-loses-content', findings } })
    expect(options).toBeUndefined()
  })

  it('is the chosen paper, with an orientation only when its size is known', async () => {
    const chosen = systemPrinterSchema.parse({ ...wide, paper: 'User defined' })
    const unsized = { name: 'User defined', size: undefined, kind: 256 }
    const { options } = await optionsFor([...usualPapers, unsized], chosen)
    expect(options).toMatchObject({ paperSize: 'User defined' })
    expect(options).not.toHaveProperty('orientation')
    const sized = { ...unsized, size: { widthMm: 100, heightMm: 150 } }
    expect((await optionsFor([sized], chosen)).options).toMatchObject({ orientation: 'portrait' })
  })
})

describe('a failure of SumatraPDF', () => {
  async function failureFor(stdout: string) {
    const problem = Object.assign(new Error('Command failed: C:\\…\\SumatraPDF.exe'), { code: 1, stdout })
    const label = labelWith({ bytes: await markedPdf() })
    return createDriver(fakePrinting(() => Promise.reject(problem))).print(
      contextFor(printer, label),
      staysOpen,
    )
  }

  it('is reported in the words of SumatraPDF, and as nothing printed when the label could not be opened', async () => {
    const said = "PrintFile: file\r\nCouldn't open file 'C:\\Temp\\packbench-1\\label.pdf' for printing\r\n"
    expect(await failureFor(said)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: {
        message: expect.stringContaining('nothing was printed'),
        details: { case: 'label-refused' },
        says: [{ code: 'system-words', words: "SumatraPDF: Couldn't open file 'the label' for printing" }],
      },
    })
  })

  it.each([
    "PrintFile: Printer with given name '\\\\SERVER\\ZEBRA' doesn't exist",
    'PrintToDevice: StartDoc() failed with -1',
  ])('is reported as took-nothing when the printer accepts no job: %s', async (said) => {
    expect(await failureFor(said)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { details: { case: 'took-nothing' } },
    })
  })

  it('is not reported as nothing printed after pages went to Windows', async () => {
    expect(await failureFor('PrintToDevice: EndPage() failed with -1\n')).toMatchObject({
      kind: 'failed',
      nothingPrinted: false,
    })
  })
})
