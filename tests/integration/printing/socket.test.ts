import { PDFDocument, rgb } from 'pdf-lib'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSocketDriver } from '../../../src/main/printing/drivers/socket'
import { zplQuestions } from '../../../src/main/printing/drivers/statusReplies'
import { zplReset } from '../../../src/main/printing/raster/labelLanguages'
import { type SocketPrinter, socketPrinterSchema } from '../../../src/shared/printing'
import { afterQuestions } from '../../support/printing/badPrinters'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { readTspl } from '../../support/printing/labelLanguages'
import { labelWith, markedPdf, marks } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'
import { readZplPictures } from '../../support/printing/zplPicture'

const rasterizer = createInlineRasterizer()
const impatience = { connect: 200, retries: [20], status: 50, poll: 20, stall: 50, giveUp: 300 }
const driver = createSocketDriver(rasterizer)
const impatient = createSocketDriver(rasterizer, impatience)

function printerAt(port: number, fields: Partial<SocketPrinter> = {}): SocketPrinter {
  return socketPrinterSchema.parse({ id: 'zebra', driver: 'socket', host: '127.0.0.1', port, ...fields })
}

/** ZPL that is far larger than the buffers between two sockets. */
function longZpl(): Buffer {
  return Buffer.from(`^XA^FX${'x'.repeat(20 * 1024 * 1024)}^XZ`)
}

describe('a printer on a TCP port', () => {
  it('receives a PDF label as ZPL, dot for dot', async () => {
    const sink = await startByteSink()
    const context = contextFor(
      printerAt(sink.port, { copies: 2, darkness: 12 }),
      labelWith({ bytes: await markedPdf() }),
    )
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(context.acceptedTimes()).toBe(1)
    const zpl = sink.received().toString('latin1')
    expect(zpl).toContain('~SD12')
    expect(zpl).toContain('^PQ2')
    const [picture, ...others] = readZplPictures(zpl)
    expect(others).toEqual([])
    expect([picture?.width, picture?.height]).toEqual([800, 1200])
    for (const { x, y, width, height } of marks) {
      expect(picture?.dot((x + width / 2) * 8, (y + height / 2) * 8)).toBe(true)
      expect(picture?.dot((x - 1) * 8, y * 8)).toBe(false)
    }
  })

  it.each([
    [undefined, [1, 2, 1, 2], 1],
    [false, [1, 2], 2],
  ])(
    'receives the copies of a label of two pages in the right order, with collate %s',
    async (collate, order, times) => {
      for (const language of ['zpl', 'tspl'] as const) {
        const document = await PDFDocument.load(await markedPdf(100, 150, marks.slice(0, 1)))
        const other = await PDFDocument.load(await markedPdf(100, 150, marks.slice(1)))
        for (const page of await document.copyPages(other, [0])) document.addPage(page)
        const label = labelWith({ bytes: Buffer.from(await document.save()) })
        const sink = await startByteSink()
        const printer = printerAt(sink.port, {
          copies: 2,
          language,
          ...(collate !== undefined && { collate }),
        })
        expect(await driver.print(contextFor(printer, label), staysOpen)).toEqual({ kind: 'handed-over' })
        const sent = sink.received().toString('latin1').replaceAll('\u001b!?', '')
        const pictures =
          language === 'zpl'
            ? readZplPictures(sent)
            : readTspl(Buffer.from(sent, 'latin1'), 8).labels.map(({ picture }) => picture)
        expect(pictures.map((picture) => (picture.dot(200, 100) ? 1 : 2))).toEqual(order)
        const counts = [...sent.matchAll(/\^PQ(\d+)|PRINT 1,(\d+)/g)].map(([, zpl, tspl]) =>
          Number(zpl ?? tspl),
        )
        expect(counts).toEqual(order.map(() => times))
      }
    },
  )

  it('receives greys as patterns of dots when they are dithered, and black bars unchanged', async () => {
    const document = await PDFDocument.create()
    const page = document.addPage([(100 * 72) / 25.4, (150 * 72) / 25.4])
    page.drawRectangle({ x: 0, y: 200, width: 280, height: 200, color: rgb(0.7, 0.7, 0.7) })
    page.drawRectangle({ x: 100, y: 50, width: 6, height: 100, color: rgb(0, 0, 0) })
    const label = labelWith({ bytes: Buffer.from(await document.save()) })
    const black = async (greys: 'threshold' | 'dither') => {
      const sink = await startByteSink()
      await driver.print(contextFor(printerAt(sink.port, { greys }), label), staysOpen)
      const [picture] = readZplPictures(sink.received().toString('latin1'))
      const share = (left: number, top: number, width: number, height: number) => {
        let dots = 0
        for (let y = top; y < top + height; y += 1)
          for (let x = left; x < left + width; x += 1) if (picture?.dot(x, y)) dots += 1
        return dots / (width * height)
      }
      return { grey: share(100, 200, 400, 300), bar: share(260, 850, 120, 200) }
    }
    const sharp = await black('threshold')
    const dotted = await black('dither')
    expect(sharp.grey).toBe(0)
    expect(dotted.grey).toBeGreaterThan(0.2)
    expect(dotted.grey).toBeLessThan(0.4)
    expect(sharp.bar).toBeGreaterThan(0.1)
    expect(dotted.bar).toBe(sharp.bar)
  })

  it('receives a ZPL label byte for byte, once for each copy', async () => {
    const bytes = Buffer.from('^XA^CI28^FDé ü 日本^FS^XZ\r\n')
    const sink = await startByteSink()
    const label = labelWith({ kind: 'zpl', bytes })
    expect(await driver.print(contextFor(printerAt(sink.port), label), staysOpen)).toEqual({
      kind: 'handed-over',
    })
    // Each connection begins with a status query. Its answer, or the end of the connection, shows whether the printer
    // serves it.
    const before = Buffer.from(zplQuestions.status)
    // The reset undoes settings that the label may have left in the printer.
    expect(sink.received().equals(Buffer.concat([before, bytes, zplReset]))).toBe(true)
    await driver.print(contextFor(printerAt(sink.port, { copies: 3 }), label), staysOpen)
    expect(sink.received().length).toBe((before.length + zplReset.length) * 2 + bytes.length * 4)
  })

  it('receives all bytes of a long label although it reads slowly', async () => {
    const bytes = longZpl()
    let received = 0
    const sink = await startByteSink((socket) => {
      socket.on('data', (part: Buffer) => {
        received += part.length
        socket.pause()
        setImmediate(() => socket.resume())
      })
    })
    const context = contextFor(printerAt(sink.port), labelWith({ kind: 'zpl', bytes }))
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(received).toBe(zplQuestions.status.length + bytes.length + zplReset.length)
  })

  it('receives nothing of a label whose size differs from its stock', async () => {
    const sink = await startByteSink()
    const a4 = labelWith({ bytes: await markedPdf(210, 297) })
    expect(await driver.print(contextFor(printerAt(sink.port), a4), staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'label-needs-placement' },
    })
    expect(sink.connections()).toBe(0)
  })

  it('has its label drawn once for two attempts, and again after a change of its settings', async () => {
    const own = createInlineRasterizer()
    const asked = [vi.spyOn(own, 'measure'), vi.spyOn(own, 'renderZpl')]
    const calls = () => asked.reduce((sum, { mock }) => sum + mock.calls.length, 0)
    const again = createSocketDriver(own, impatience)
    const away = contextFor(printerAt(1), labelWith({ bytes: await markedPdf() }))
    expect(await again.print(away, staysOpen)).toMatchObject({ error: { code: 'printer-unreachable' } })
    expect(await again.print(away, staysOpen)).toMatchObject({ error: { code: 'printer-unreachable' } })
    expect(calls()).toBe(1)
    // Other settings of the printer need another drawing.
    const darker = { ...away, printer: { ...away.printer, darkness: 12 } }
    await again.print(darker, staysOpen)
    expect(calls()).toBe(2)
  })
})

describe('a printer that does not answer', () => {
  it('is reported as unreachable, with nothing printed, when its port is closed or its name is unknown', async () => {
    const label = labelWith({ bytes: await markedPdf() })
    for (const printer of [printerAt(1), printerAt(9100, { host: 'no-such-printer.invalid' })]) {
      expect(await driver.print(contextFor(printer, label), staysOpen)).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: 'printer-unreachable', details: { address: `${printer.host}:${printer.port}` } },
      })
    }
  })

  it('receives nothing when the app is closing', async () => {
    const sink = await startByteSink()
    const context = contextFor(printerAt(sink.port), labelWith({ bytes: await markedPdf() }))
    expect(await driver.print(context, AbortSignal.abort())).toEqual({ kind: 'not-started' })
    expect(sink.received().length).toBe(0)
  })
})

describe('a label whose connection breaks', () => {
  const zplLabel = () => labelWith({ kind: 'zpl', bytes: longZpl() })

  it.each(['resets', 'closes'] as const)(
    'is unconfirmed when the printer %s after some bytes',
    async (how) => {
      const sink = await startByteSink((socket) =>
        afterQuestions(socket, () => (how === 'resets' ? socket.resetAndDestroy() : socket.destroy())),
      )
      const context = contextFor(printerAt(sink.port), zplLabel())
      expect(await driver.print(context, staysOpen)).toMatchObject({
        kind: 'unconfirmed',
        error: { code: 'print-unconfirmed' },
      })
      expect(context.acceptedTimes()).toBe(0)
    },
  )

  it('is unconfirmed, after a note, when the printer accepts no more data', async () => {
    const sink = await startByteSink((socket) => socket.pause())
    const context = contextFor(printerAt(sink.port), zplLabel())
    expect(await impatient.print(context, staysOpen)).toMatchObject({ kind: 'unconfirmed' })
    // The buffers of the system may accept data late, so that earlier notes vary.
    expect(context.notes.at(-1)).toEqual({ code: 'takes-no-data', says: [] })
  })

  it('is unconfirmed when the printer never closes the connection after the complete label', async () => {
    const sink = await startByteSink((socket) => {
      socket.allowHalfOpen = true
      socket.resume()
    })
    const context = contextFor(printerAt(sink.port), labelWith({ kind: 'zpl', bytes: Buffer.from('^XA^XZ') }))
    expect(await impatient.print(context, staysOpen)).toMatchObject({ kind: 'unconfirmed' })
  })

  it('is unconfirmed when the app closes during the transfer', async () => {
    const sink = await startByteSink((socket) => socket.pause())
    const closing = new AbortController()
    onTestFinished(() => closing.abort())
    const waiting = createSocketDriver(rasterizer, { ...impatience, giveUp: 60_000 })
    const context = contextFor(printerAt(sink.port), zplLabel())
    const printed = waiting.print(context, closing.signal)
    await expect.poll(() => context.notes.length).toBeGreaterThan(0)
    closing.abort()
    expect(await printed).toMatchObject({ kind: 'unconfirmed' })
  })
})
