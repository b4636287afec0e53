import { createServer } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findMargins, findMarginsOfPrinter, findPrintServer } from '../../../src/main/printing/cups/cupsQueue'
import { valueTag } from '../../../src/main/printing/cups/ipp'
import { createCupsDriver } from '../../../src/main/printing/drivers/cups'
import { withSheets } from '../../../src/main/printing/drivers/sheets'
import { createLabelChoices } from '../../../src/main/printing/queue/labelChoices'
import { createSheetPlaceRepository } from '../../../src/main/printing/queue/printerRepository'
import { ok } from '../../../src/shared/result'
import { longAnswer } from '../../support/cups/longAnswer'
import { hasCups } from '../../support/cups/privateCups'
import { systemPrinter, useCups } from '../../support/cups/useCups'
import { openTestDatabase } from '../../support/databaseWorker'
import { listenOnLoopback } from '../../support/loopback'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelsInMemory, labelWith, type Mark, markedPdf } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'
import { printingSettings } from '../../support/printing/printingSettings'
import { sampleJob } from '../../support/screenSamples'
import { temporaryFolder } from '../../support/temporaryFolder'

const a4 = { widthMm: 210, heightMm: 297 }
const rasterizer = createInlineRasterizer()
const driver = createCupsDriver(rasterizer)
const inside: Mark = { x: 60, y: 60, width: 40, height: 20 }

describe.runIf(hasCups())('a queue of a laser printer', () => {
  const cups = useCups()

  /**
   * Adds a queue whose PPD has margins of 6.35 mm at the sides and 12.7 mm at top and bottom. Returns the receiver of
   * its output.
   */
  async function laser() {
    const sink = await startByteSink()
    await cups.server().addDriverQueue('LASER', `socket://127.0.0.1:${sink.port}`, 'laserjet.ppd')
    return sink
  }

  /** Prints on A4 sheets of four A6 labels. The first place is the top left corner. */
  async function openSheets(fields: Parameters<typeof systemPrinter>[1] = {}) {
    const database = await openTestDatabase(join(await temporaryFolder(), 'packbench.db'))
    if (!database.ok) throw new Error(database.error.message)
    onTestFinished(() => database.value.destroy())
    const places = createSheetPlaceRepository(database.value)
    const printer = systemPrinter('LASER', {
      ...{ stock: { widthMm: 105, heightMm: 148 }, dpi: 203 },
      ...{ sheet: { widthMm: 210, heightMm: 297, columns: 2, rows: 2 }, ...fields },
    })
    const sheets = withSheets(driver, { rasterizer, places })
    const printOn = (bytes: Buffer) => sheets.print(contextFor(printer, labelWith({ bytes })), staysOpen)
    return { printOn, next: () => places.next(printer.id, 4) }
  }

  async function print(marks: Mark[], fields: Parameters<typeof systemPrinter>[1] = {}) {
    const printer = systemPrinter('LASER', { stock: a4, ...fields })
    const pdf = await markedPdf(210, 297, [inside, ...marks])
    return driver.print(contextFor(printer, labelWith({ bytes: pdf })), staysOpen)
  }

  it('has its unprintable margins read from CUPS', async () => {
    await laser()
    const { queue } = await cups.printerWithQueue()
    const found = await findPrintServer()
    if (!found.ok) throw new Error('no print server')
    const server = found.value
    expect(await findMargins(server, systemPrinter('LASER', { stock: a4 }))).toEqual({
      ...{ left: 6.35, right: 6.35, top: 12.7, bottom: 12.7 },
    })
    expect(await findMargins(server, systemPrinter(queue))).toEqual({ left: 0, right: 0, top: 0, bottom: 0 })
    const unknown = systemPrinter('LASER', { stock: { widthMm: 59, heightMm: 191 } })
    expect(await findMargins(server, unknown)).toBeUndefined()
  })

  it('has the margins of label sheets read for the labels at their edges', async () => {
    await laser()
    const printer = systemPrinter('LASER', {
      ...{ stock: { widthMm: 105, heightMm: 148 }, sheet: { ...a4, columns: 2, rows: 2 } },
    })
    expect(await findMarginsOfPrinter(printer, 'linux')).toEqual({
      ...{ left: 6.35, right: 6.35, top: 12.7, bottom: expect.closeTo(11.7) },
    })
  })

  it('receives a document whose ink stays clear of the margins', async () => {
    const sink = await laser()
    expect(await print([{ x: 7, y: 14, width: 20, height: 20 }])).toEqual({ kind: 'handed-over' })
    expect(sink.received().length).toBeGreaterThan(1000)
  })

  it('receives a document with ink in the margins once it is moved or made smaller as suggested', async () => {
    const sink = await laser()
    const printer = systemPrinter('LASER', { stock: a4 })
    const edge: Mark = { x: 2, y: 100, width: 20, height: 20 }
    const everywhere: Mark[] = [
      edge,
      { x: 188, y: 4, width: 20, height: 4 },
      { x: 20, y: 290, width: 4, height: 4 },
    ]
    for (const [marks, scale] of [[[inside, edge], 1] as const, [[inside, ...everywhere], 0.91] as const]) {
      const label = labelWith({ bytes: await markedPdf(210, 297, [...marks]) })
      const job = sampleJob({ labelId: label.labelId, shipmentId: label.shipmentId, printerId: printer.id })
      const choices = createLabelChoices({
        ...{ jobs: { find: async () => job }, labels: labelsInMemory([label]), rasterizer },
        settings: printingSettings(() => ({ printers: [printer] })),
        getMargins: (each) => findMarginsOfPrinter(each, 'linux'),
        getDpi: async () => 203,
        getStocks: async () => [],
        ...{ save: () => ok(undefined), releaseWaiting: async () => undefined },
        ...{ printPageElsewhere: async () => ok([]), releaseDespite: async () => ok(job) },
      })
      const question = await choices.askPlacement(job.id, 1)
      const [best] = question.ok ? question.value.suggestions : []
      if (best === undefined) throw new Error('no suggestion')
      expect(best).toMatchObject({ cut: [], leftOut: [] })
      expect(best.areas).toHaveLength(1)
      expect(best.scale).toBeCloseTo(scale, 1)
      const { areas, turn } = best
      const rules = [{ carrierOptionId: 34, page: a4, stock: a4, areas, turn, scale: best.scale }]
      const before = sink.received().length
      expect(await driver.print({ ...contextFor(printer, label), rules }, staysOpen)).toEqual({
        kind: 'handed-over',
      })
      expect(sink.received().length).toBeGreaterThan(before)
    }
  })

  it('receives nothing of a label whose ink lies in the margins of its sheet, and the place on the sheet stays free', async () => {
    const sink = await laser()
    const { printOn, next } = await openSheets({ rotate: 180 })
    // After the turn, the mark lies at the left of the stock. In the second place, that is the middle of the sheet.
    const label = await markedPdf(105, 148, [{ x: 80, y: 100, width: 23, height: 20 }], 2)
    const held = await printOn(label)
    expect(held).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'label-loses-content', findings: [{ kind: 'ink-cut', page: 1 }] },
    })
    const [area, ...others] = held.kind === 'failed' ? (held.error.findings?.[0]?.areas ?? []) : []
    expect(others).toEqual([])
    expect(area?.xMm).toBeCloseTo(105 - 6.35 + 0.25, 0)
    expect(area?.yMm).toBeCloseTo(100, 0)
    expect((area?.xMm ?? 0) + (area?.widthMm ?? 0)).toBeCloseTo(103, 0)
    expect(area?.heightMm).toBeCloseTo(20, 0)
    expect(sink.received()).toHaveLength(0)
    expect(await next()).toBe(0)
    expect(await printOn(await markedPdf(105, 148, [{ x: 20, y: 20, width: 60, height: 60 }]))).toEqual({
      kind: 'handed-over',
    })
    expect(await next()).toBe(1)
    expect(sink.received().length).toBeGreaterThan(1000)
  })

  it('receives 22 sheets, which are more than the pages that a label may have', async () => {
    const sink = await laser()
    const fullSheet = { sheet: { ...a4, columns: 1, rows: 1 }, stock: a4, copies: 11 }
    const { printOn } = await openSheets(fullSheet)
    expect(await printOn(await markedPdf(210, 297, [inside], 2))).toEqual({ kind: 'handed-over' })
    expect(sink.received().length).toBeGreaterThan(1000)
  })

  it.each<[string, Mark, object]>([
    ['the left edge', { x: 2, y: 100, width: 20, height: 20 }, {}],
    ['the top, in its margin alone', { x: 60, y: 4, width: 40, height: 6 }, {}],
    ['the bottom', { x: 60, y: 280, width: 40, height: 8 }, {}],
    ['the top of the turned page', { x: 60, y: 286, width: 40, height: 3 }, { rotate: 180 }],
    ['the top after a shift', { x: 60, y: 14, width: 40, height: 6 }, { offsetMm: { x: 0, y: -5 } }],
  ])('receives nothing of a document with ink at %s', async (_, mark, fields) => {
    const sink = await laser()
    expect(await print([mark], fields)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'label-loses-content', findings: [{ kind: 'ink-cut', page: 1 }] },
    })
    expect(sink.received()).toHaveLength(0)
  })
})

it('leaves the margins unknown when a server lists more media than any printer has', async () => {
  const side = (name: string, value: number) => ({ name, tag: valueTag.integer, values: [value] })
  const size = [side('x-dimension', 10_000), side('y-dimension', 15_000)]
  const media = [{ name: 'media-size', tag: valueTag.collection, values: [size] }]
  const database = { name: 'media-col-database', tag: valueTag.collection, values: [media] }
  let count = 0
  const http = createServer((_, response) => response.end(longAnswer(database, count)))
  const server = { host: '127.0.0.1', port: await listenOnLoopback(http) }
  onTestFinished(() => void http.close())
  for (const [length, margins] of [
    [20_000, { left: 0, right: 0, top: 0, bottom: 0 }],
    [95_000, undefined],
  ] as const) {
    count = length
    expect(await findMargins(server, systemPrinter('MANY'))).toEqual(margins)
  }
})
