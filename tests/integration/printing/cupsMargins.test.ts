import { describe, expect, it } from 'vitest'
import { createCupsDriver } from '../../../src/main/printing/drivers/cups'
import { findMargins } from '../../../src/main/printing/drivers/cupsMargins'
import { findPrintServer } from '../../../src/main/printing/drivers/cupsServer'
import { hasCups } from '../../support/cups/privateCups'
import { systemPrinter, useCups } from '../../support/cups/useCups'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelWith, type Mark, markedPdf } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'

const a4 = { widthMm: 210, heightMm: 297 }
const driver = createCupsDriver(createInlineRasterizer())
const inside: Mark = { x: 60, y: 60, width: 40, height: 20 }

describe.runIf(hasCups())('a queue of a laser printer', () => {
  const cups = useCups()

  /** A real queue whose PPD leaves 6.35 mm at the sides and 12.7 mm at top and bottom, and what comes out of it. */
  async function laser() {
    const sink = await startByteSink()
    await cups.server().addDriverQueue('LASER', `socket://127.0.0.1:${sink.port}`, 'laserjet.ppd')
    return sink
  }

  async function print(marks: Mark[], fields: Parameters<typeof systemPrinter>[1] = {}) {
    const printer = systemPrinter('LASER', { stock: a4, ...fields })
    const pdf = await markedPdf(210, 297, [inside, ...marks])
    return driver.print(contextFor(printer, labelWith({ bytes: pdf })), staysOpen)
  }

  it('says which edges of its paper it can’t print on', async () => {
    await laser()
    const { queue } = await cups.printerWithQueue()
    const server = await findPrintServer()
    if (server === undefined) throw new Error('no print server')
    expect(await findMargins(server, systemPrinter('LASER', { stock: a4 }))).toEqual({
      ...{ left: 6.35, right: 6.35, top: 12.7, bottom: 12.7 },
    })
    expect(await findMargins(server, systemPrinter(queue))).toEqual({ left: 0, right: 0, top: 0, bottom: 0 })
    const unknown = systemPrinter('LASER', { stock: { widthMm: 59, heightMm: 191 } })
    expect(await findMargins(server, unknown)).toBeUndefined()
  })

  it('gets a document whose ink stays clear of them', async () => {
    const sink = await laser()
    expect(await print([{ x: 7, y: 14, width: 20, height: 20 }])).toEqual({ kind: 'handed-over' })
    expect(sink.received().length).toBeGreaterThan(1000)
  })

  it.each<[string, Mark, object]>([
    ['the left edge', { x: 2, y: 100, width: 20, height: 20 }, {}],
    ['the top, in its margin alone', { x: 60, y: 4, width: 40, height: 6 }, {}],
    ['the bottom', { x: 60, y: 280, width: 40, height: 8 }, {}],
    ['the top of the turned page', { x: 60, y: 286, width: 40, height: 3 }, { rotate: 180 }],
    ['the top after a shift', { x: 60, y: 14, width: 40, height: 6 }, { offsetMm: { x: 0, y: -5 } }],
  ])('holds a document with ink at %s, and sends nothing', async (_, mark, fields) => {
    const sink = await laser()
    expect(await print([mark], fields)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'label-loses-content', findings: [{ kind: 'ink-cut', page: 1 }] },
    })
    expect(sink.received()).toHaveLength(0)
  })
})
