import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { runUnderWine } from '../../build/wineCommand.mjs'
import { createWindowsDriver, type WindowsPrinting } from '../../src/main/printing/drivers/windows'
import { type MonoBitmap, toZplLayout } from '../../src/main/printing/layout/labelLayout'
import { type SystemPrinter, systemPrinterSchema } from '../../src/shared/printing'
import { ok } from '../../src/shared/result'
import { type PrivateCups, startPrivateCups } from '../support/cups/privateCups'
import { type RasterPage, readPwgRaster } from '../support/cups/pwgRaster'
import { labelSheet } from '../support/printing/corpus/sheets'
import { symbols } from '../support/printing/corpus/symbols'
import { createInlineRasterizer } from '../support/printing/inlineRasterizer'
import { joinedPdf, labelWith, type Mark, markedPdf, marks } from '../support/printing/labels'
import { contextFor, staysOpen } from '../support/printing/printContext'
import { scanPicture } from '../support/printing/scanner'
import { temporaryFolder } from '../support/temporaryFolder'
import { labelPrinterPpd } from './labelPrinterPpd'

const root = process.env.PACKBENCH_WINE_ROOT ?? ''
const exchange = join(root, 'tmp', 'packbench')
const rasterizer = createInlineRasterizer()

const papers = [
  { key: 'A4', name: 'A4', widthMm: 210, heightMm: 297 },
  { key: 'A6', name: 'A6', widthMm: 105, heightMm: 148 },
  { key: 'w283h425', name: '100 x 150 mm', widthMm: 100, heightMm: 150 },
  { key: 'w288h432', name: '4 x 6 in', widthMm: 101.6, heightMm: 152.4 },
  { key: 'w167h541', name: '59 x 191 mm', widthMm: 59, heightMm: 191 },
]

let cups: PrivateCups
beforeAll(async () => {
  cups = await startPrivateCups({ knowsPostScript: true })
  await mkdir(exchange, { recursive: true })
  await copyFile(join(import.meta.dirname, 'print.cjs'), join(exchange, 'print.cjs'))
})
afterAll(async () => {
  await cups?.close()
  await rm(exchange, { recursive: true, force: true })
})

const startedSchema = z.object({ program: z.string(), parameters: z.array(z.string()) })
const answerSchema = z.object({
  error: z.object({ message: z.string(), code: z.unknown(), stdout: z.unknown() }).nullable(),
})
const node = ['wine', 'Z:\\opt\\packbench\\node.exe', 'Z:\\tmp\\packbench\\print.cjs']

/** SumatraPDF hangs under Wine now and then, as a rule when it has printed. */
const limitMs = 25_000
/** A start of which CUPS got nothing is tried again. */
const maxStarts = 3

/** pdf-to-printer as Windows runs it: under Windows' own Node, which starts SumatraPDF. */
function underWine(started: string[][]): WindowsPrinting {
  const answer = join(exchange, 'answer.json')
  const parameters = join(exchange, 'started.json')
  const listJobs = (which: string) => cups.run('lpstat', '-W', which, '-o')
  return {
    async print(file, options) {
      await copyFile(file, join(exchange, 'label.pdf'))
      await writeFile(join(exchange, 'options.json'), JSON.stringify(options))
      for (const old of [answer, parameters]) await rm(old, { force: true })
      const gotJob = async () => (await listJobs('all')).includes(`${options.printer}-`)
      for (let start = 0; start < maxStarts && !existsSync(answer) && !(await gotJob()); start += 1) {
        await runUnderWine(root, node, { env: { CUPS_SERVER: cups.server }, limitMs })
      }
      started.push(startedSchema.parse(JSON.parse(await readFile(parameters, 'utf8'))).parameters)
      if (!existsSync(answer)) {
        await expect.poll(() => listJobs('completed')).toContain(`${options.printer}-`)
        return
      }
      const { error } = answerSchema.parse(JSON.parse(await readFile(answer, 'utf8')))
      if (error !== null) throw Object.assign(new Error(error.message), error)
    },
  }
}

/** A Windows queue for a label printer, whose papers Windows' PowerShell would list: that is the one thing that is said for it. */
async function windowsPrinter(queue: string, dpi: number, listed = papers) {
  const folder = await cups.folder(queue)
  await chmod(folder, 0o777)
  const output = join(folder, 'output')
  const ppd = join(await temporaryFolder(), `${queue}.ppd`)
  await writeFile(ppd, labelPrinterPpd(dpi, papers))
  await cups.run('/usr/sbin/lpadmin', '-p', queue, '-E', '-v', `file:${output}`, '-P', ppd)
  const started: string[][] = []
  const driver = createWindowsDriver({
    load: async () => underWine(started),
    sumatraPdfPath: 'Z:\\opt\\packbench\\node_modules\\pdf-to-printer\\dist\\SumatraPDF-3.4.6-32.exe',
    rasterizer,
    readQueues: async () =>
      ok([
        {
          name: queue,
          isDefault: true,
          papers: listed.map(({ name, widthMm, heightMm }) => ({
            name,
            size: { widthMm, heightMm },
            kind: undefined,
          })),
        },
      ]),
    readStatus: async () => ok([]),
    timeoutMs: 120_000,
  })
  const printer = (fields: Partial<SystemPrinter> = {}) =>
    systemPrinterSchema.parse({ id: 'win', driver: 'system', queue, ...fields })
  return { output, driver, printer, started }
}

/** What reached the printer, once CUPS has no job left. */
async function listPages(output: string): Promise<RasterPage[]> {
  const waiting = () => cups.run('lpstat', '-W', 'not-completed', '-o')
  await expect
    .poll(async () => [existsSync(output), await waiting()], { timeout: 30_000 })
    .toEqual([true, ''])
  return readPwgRaster(await readFile(output))
}

/** How often the first page is to be printed, by its header (PWG 5102.4). */
async function countCopies(output: string): Promise<number> {
  return (await readFile(output)).readUInt32BE(4 + 340)
}

/** A mark is where it was drawn, within two dots, and nowhere beside it. */
function expectMark(page: RasterPage | undefined, dpi: number, mark: Mark): void {
  const dots = (millimetres: number) => Math.round((millimetres * dpi) / 25.4)
  const [left, top] = [dots(mark.x), dots(mark.y)]
  const [right, bottom] = [dots(mark.x + mark.width), dots(mark.y + mark.height)]
  const seen = (x: number, y: number) => page?.black(x, y)
  expect([seen(left + 2, top + 2), seen(right - 3, bottom - 3)]).toEqual([true, true])
  expect([seen(left - 3, top + 2), seen(left + 2, top - 3)]).toEqual([false, false])
  expect([seen(right + 2, bottom - 3), seen(right - 3, bottom + 2)]).toEqual([false, false])
}

/** Counts the black dots that were drawn, and those that came out otherwise. */
function compare(page: RasterPage, drawn: MonoBitmap | undefined): { ink: number; other: number } {
  if (drawn === undefined) throw new Error('the label could not be drawn')
  let [ink, other] = [0, 0]
  for (let y = 0; y < page.height; y += 1) {
    for (let x = 0; x < page.width; x += 1) {
      const isBlack = (((drawn.bits[y * drawn.rowBytes + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 1
      if (isBlack) ink += 1
      if (isBlack !== page.black(x, y)) other += 1
    }
  }
  return { ink, other }
}

/** A page is as large as the stock, within a dot. */
function expectSize(
  page: RasterPage | undefined,
  dpi: number,
  stock: { widthMm: number; heightMm: number },
): void {
  const dots = (millimetres: number) => (millimetres * dpi) / 25.4
  expect(Math.abs((page?.width ?? 0) - dots(stock.widthMm))).toBeLessThanOrEqual(1)
  expect(Math.abs((page?.height ?? 0) - dots(stock.heightMm))).toBeLessThanOrEqual(1)
}

describe('printing on Windows with SumatraPDF', () => {
  it.each([203, 300])('gives a printer of %i dpi the label at its size and in its place', async (dpi) => {
    const { output, driver, printer, started } = await windowsPrinter(`LABEL-${dpi}`, dpi)
    const label = labelWith({ bytes: await markedPdf() })
    expect(await driver.print(contextFor(printer(), label), staysOpen)).toEqual({ kind: 'handed-over' })
    const [page, ...others] = await listPages(output)
    expect(others).toEqual([])
    expectSize(page, dpi, { widthMm: 100, heightMm: 150 })
    for (const mark of marks) expectMark(page, dpi, mark)
    expect(started).toEqual([
      [
        ...['-print-to', `LABEL-${dpi}`, '-silent', '-print-settings'],
        ...['portrait,noscale,paper=100 x 150 mm,1x', 'Z:\\tmp\\packbench\\label.pdf'],
      ],
    ])
  })

  it.each([
    { widthMm: 105, heightMm: 148 },
    { widthMm: 101.6, heightMm: 152.4 },
    { widthMm: 59, heightMm: 191 },
    { widthMm: 210, heightMm: 297 },
  ])(
    'takes the paper of a stock of $widthMm x $heightMm mm among those that are nearly as large',
    async (stock) => {
      const { output, driver, printer } = await windowsPrinter(`STOCK-${Math.round(stock.widthMm)}`, 203)
      const corner = { x: stock.widthMm - 25, y: stock.heightMm - 15, width: 20, height: 10 }
      const bytes = await markedPdf(stock.widthMm, stock.heightMm, [corner])
      const context = contextFor(printer({ stock }), labelWith({ bytes }))
      expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
      const [page] = await listPages(output)
      expectSize(page, 203, stock)
      expectMark(page, 203, corner)
    },
  )

  it('prints barcodes that can be read, in the dots that Packbench drew where the printer’s resolution is stated', async () => {
    const { output, driver, printer } = await windowsPrinter('BARCODES', 203)
    const wanted = [symbols.code128, symbols.itf, symbols.qr, symbols.dataMatrix]
    const bytes = await labelSheet(wanted)
    const context = contextFor(printer({ dpi: 203 }), labelWith({ bytes }))
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    const [page] = await listPages(output)
    if (page === undefined) throw new Error('nothing was printed')
    const read = await scanPicture({ width: page.width, height: page.height, dot: page.black })
    expect(read.sort()).toEqual(wanted.map(({ text }) => text).sort())
    const layout = toZplLayout(
      { ...printer(), dpi: 203, copies: 1 },
      { printer: printer(), carrierOptionId: 34, rules: [], range: undefined },
    )
    const drawn = await rasterizer.renderMono(bytes, layout)
    const { ink, other } = compare(page, drawn.ok ? drawn.value[0] : undefined)
    // CUPS makes a page of 799 dots of 100 mm, and one column of our 800 is left out somewhere.
    expect(other / ink).toBeLessThan(0.05)
  })

  it('prints barcodes that can be read where the printer’s resolution is not known', async () => {
    const { output, driver, printer } = await windowsPrinter('FINE', 203)
    const wanted = [symbols.code128, symbols.itf, symbols.qr, symbols.dataMatrix]
    const context = contextFor(printer(), labelWith({ bytes: await labelSheet(wanted) }))
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    const [page] = await listPages(output)
    if (page === undefined) throw new Error('nothing was printed')
    const read = await scanPicture({ width: page.width, height: page.height, dot: page.black })
    expect(read.sort()).toEqual(wanted.map(({ text }) => text).sort())
  })

  it('turns a wide stock on a paper that its driver knows upright, and cuts nothing', async () => {
    const { output, driver, printer } = await windowsPrinter('WIDE', 203)
    const stock = { widthMm: 150, heightMm: 100 }
    const mark = { x: 120, y: 80, width: 25, height: 10 }
    const context = contextFor(printer({ stock }), labelWith({ bytes: await markedPdf(150, 100, [mark]) }))
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    const [page, ...others] = await listPages(output)
    expect(others).toEqual([])
    expectSize(page, 203, { widthMm: 100, heightMm: 150 })
    expectMark(page, 203, { x: 80, y: 5, width: 10, height: 25 })
  })

  it('prints copies, and pages of a label in their order', async () => {
    const { output, driver, printer } = await windowsPrinter('COPIES', 203)
    const [first, second] = [
      { x: 10, y: 10, width: 30, height: 20 },
      { x: 50, y: 90, width: 30, height: 20 },
    ]
    const bytes = await joinedPdf(await markedPdf(100, 150, [first]), await markedPdf(100, 150, [second]))
    const context = contextFor(printer({ copies: 2 }), labelWith({ bytes }))
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    const pages = await listPages(output)
    expect(pages).toHaveLength(4)
    for (const [index, mark] of [first, second, first, second].entries()) expectMark(pages[index], 203, mark)
  })

  it('prints two copies of one label', async () => {
    const { output, driver, printer } = await windowsPrinter('TWICE', 203)
    const context = contextFor(printer({ copies: 2 }), labelWith({ bytes: await markedPdf() }))
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    const pages = await listPages(output)
    for (const page of pages) for (const mark of marks) expectMark(page, 203, mark)
    expect(pages.length * (await countCopies(output))).toBe(2)
  })

  it('lets SumatraPDF look for the paper where PowerShell may not be used', async () => {
    const { output, driver, printer } = await windowsPrinter('NO-PAPERS', 203, [])
    const context = contextFor(printer(), labelWith({ bytes: await markedPdf() }))
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    const [page] = await listPages(output)
    expectSize(page, 203, { widthMm: 100, heightMm: 150 })
    for (const mark of marks) expectMark(page, 203, mark)
  })

  it('says that nothing was printed on a printer that Windows does not know', async () => {
    const { driver, printer } = await windowsPrinter('KNOWN', 203)
    const outcome = await driver.print(
      contextFor(printer({ queue: 'UNKNOWN' }), labelWith({ bytes: await markedPdf() })),
      staysOpen,
    )
    expect(outcome).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { message: expect.stringContaining("Printer with given name doesn't exist") },
    })
  })
})
