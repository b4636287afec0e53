import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { probePrinter } from '../../../src/main/printing/drivers/createDrivers'
import { createSocketDriver } from '../../../src/main/printing/drivers/socket'
import { zplReset } from '../../../src/main/printing/raster/labelLanguages'
import { type SocketPrinter, socketPrinterSchema } from '../../../src/shared/printing'
import { freePort } from '../../support/loopback'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelWith } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'
import { answeringPrinter, type PrinterState } from '../../support/printing/zplPrinter'

const waits = { connect: 500, retries: [50, 100, 200], status: 150, poll: 30, stall: 200, giveUp: 2000 }
const driver = createSocketDriver(createInlineRasterizer(), waits)
const label = () => labelWith({ kind: 'zpl', bytes: Buffer.from('^XA^FDparcel^FS^XZ') })

function printerAt(port: number, fields: Partial<SocketPrinter> = {}): SocketPrinter {
  return socketPrinterSchema.parse({ id: 'zebra', driver: 'socket', host: '127.0.0.1', port, ...fields })
}

/** A printer that answers queries with a state that the test changes. */
async function startAnsweringPrinter(state: PrinterState) {
  const labels: string[] = []
  const printer = { state, labels, onLabel: () => undefined as undefined }
  const sink = await startByteSink(
    answeringPrinter(
      () => printer.state,
      (text) => {
        labels.push(text)
        printer.onLabel()
      },
    ),
  )
  return { ...sink, printer }
}

describe('a ZPL printer that reports its status', () => {
  it('takes over a label although it never closes the connection', async () => {
    const { port, printer } = await startAnsweringPrinter({})
    const context = contextFor(printerAt(port), label())
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(printer.labels).toEqual([`^XA^FDparcel^FS^XZ${zplReset}`])
    expect(context.acceptedTimes()).toBe(1)
    expect(context.notes).toEqual([])
  })

  it.each([
    [{ paperOut: true }, 'out-of-labels'],
    [{ headOpen: true }, 'head-open'],
    [{ paused: true }, 'paused'],
    [{ ribbonOut: true }, 'ribbon-used-up'],
  ] as const)(
    'receives nothing while %o, which is noted, and the label once it is ready',
    async (state, code) => {
      const { port, printer } = await startAnsweringPrinter(state)
      const context = contextFor(printerAt(port), label())
      const printed = driver.print(context, staysOpen)
      await vi.waitFor(() => expect(context.notes).toEqual([{ code: 'nothing-sent-yet', says: [{ code }] }]))
      expect(printer.labels).toEqual([])
      printer.state = {}
      expect(await printed).toEqual({ kind: 'handed-over' })
      expect(context.notes.at(-1)).toBeNull()
      expect(printer.labels).toHaveLength(1)
    },
  )

  it('leaves the label to the standby at once when there is one', async () => {
    const { port, printer } = await startAnsweringPrinter({ paperOut: true })
    const context = { ...contextFor(printerAt(port), label()), hasStandby: true }
    expect(await driver.print(context, staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'printer-not-ready', says: [{ code: 'out-of-labels' }] },
    })
    expect(printer.labels).toEqual([])
  })

  it('receives nothing when the job is cancelled or the app closes while it is not ready', async () => {
    for (const how of ['cancelled', 'not-started'] as const) {
      const { port, printer } = await startAnsweringPrinter({ headOpen: true })
      const stop = new AbortController()
      const never = new AbortController().signal
      const context = contextFor(printerAt(port), label(), how === 'cancelled' ? stop.signal : never)
      const printed = driver.print(context, how === 'cancelled' ? never : stop.signal)
      await vi.waitFor(() => expect(context.notes).toHaveLength(1))
      stop.abort()
      expect(await printed).toEqual({ kind: how })
      expect(printer.labels).toEqual([])
    }
  })

  it('is noted as out of labels while the label waits inside it', async () => {
    const { port, printer } = await startAnsweringPrinter({})
    printer.onLabel = () => {
      printer.state = { paperOut: true, formatsInside: 1 }
      return undefined
    }
    const context = contextFor(printerAt(port), label())
    const printed = driver.print(context, staysOpen)
    await vi.waitFor(() =>
      expect(context.notes).toEqual([{ code: 'has-the-label', says: [{ code: 'out-of-labels' }] }]),
    )
    printer.state = {}
    expect(await printed).toEqual({ kind: 'handed-over' })
  })
})

describe('an unreachable printer', () => {
  it('is tried again and receives the label once it is on', async () => {
    const port = await freePort()
    const context = contextFor(printerAt(port), label())
    // More retries, because a busy machine may start the printer late.
    const patient = createSocketDriver(createInlineRasterizer(), {
      ...waits,
      retries: [50, 100, 200, 400, 800, 1600, 3200],
    })
    const printed = patient.print(context, staysOpen)
    await vi.waitFor(() => expect(context.notes).toHaveLength(1))
    let received = ''
    const late = createServer((socket) => {
      socket.on('data', (part) => {
        received += part.toString()
      })
      socket.on('error', () => undefined)
    })
    await new Promise<void>((resolve) => late.listen(port, '127.0.0.1', resolve))
    onTestFinished(() => {
      late.close()
    })
    expect(await printed).toEqual({ kind: 'handed-over' })
    // A slow machine may see the close late, which adds a note after these.
    expect(context.notes.slice(0, 2)).toEqual([
      { code: 'trying-again', says: [{ code: 'system-words', words: 'ECONNREFUSED' }] },
      null,
    ])
    expect(received.match(/parcel/g)).toHaveLength(1)
  })
})

describe('the connection test', () => {
  it('distinguishes a ready printer, one with remarks, one without status and an unreachable one', async () => {
    const { port, printer } = await startAnsweringPrinter({})
    const check = (at: number) => probePrinter(printerAt(at), '/', 'linux')
    expect(await check(port)).toMatchObject({
      reachable: true,
      remarks: [],
      code: 'ready',
      details: { subject: `127.0.0.1:${port}` },
    })
    printer.state = { headOpen: true }
    expect(await check(port)).toMatchObject({
      reachable: true,
      remarks: [{ code: 'head-open' }],
      code: 'with-remarks',
    })
    const silent = await startByteSink()
    expect(await check(silent.port)).toMatchObject({
      reachable: true,
      remarks: [],
      code: 'no-status',
    })
    expect(await check(1)).toMatchObject({
      reachable: false,
      code: 'unreachable',
      details: { subject: '127.0.0.1:1' },
    })
  })
})
