import { describe, expect, it, vi } from 'vitest'
import { probePrinter } from '../../../src/main/printing/drivers/createDrivers'
import { createSocketDriver } from '../../../src/main/printing/drivers/socket'
import { type SocketPrinter, socketPrinterSchema } from '../../../src/shared/printing'
import { closesAtOnce } from '../../support/printing/badPrinters'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { readEpl, readTspl } from '../../support/printing/labelLanguages'
import { labelWith, markedPdf, marks } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'

const waits = { connect: 5000, retries: [20], status: 50, poll: 20, stall: 50, giveUp: 2000 }
const rasterizer = createInlineRasterizer()
const driver = createSocketDriver(rasterizer, waits)
/** Has long waits, for printers that answer on a busy machine. */
const patient = createSocketDriver(rasterizer, { ...waits, status: 5000, stall: 5000, giveUp: 20_000 })
const statusQuestion = Buffer.from('\u001b!?', 'latin1')

function printerAt(port: number, fields: Partial<SocketPrinter>): SocketPrinter {
  return socketPrinterSchema.parse({ id: 'bench', driver: 'socket', host: '127.0.0.1', port, ...fields })
}

/** A TSPL printer that answers each status query with one byte. `received` returns all other bytes. */
async function startTsplPrinter(state: () => number | undefined) {
  const parts: Buffer[] = []
  const sink = await startByteSink((socket) => {
    socket.on('data', (part: Buffer) => {
      let rest = part
      for (let at = rest.indexOf(statusQuestion); at >= 0; at = rest.indexOf(statusQuestion)) {
        const now = state()
        if (now !== undefined) socket.write(Buffer.of(now))
        rest = Buffer.concat([rest.subarray(0, at), rest.subarray(at + statusQuestion.length)])
      }
      parts.push(rest)
    })
  })
  return { ...sink, received: () => Buffer.concat(parts) }
}

describe.each(['epl2', 'tspl'] as const)('a printer that reads %s', (language) => {
  const read = (job: Buffer) =>
    language === 'epl2'
      ? readEpl(job)
      : readTspl(Buffer.from(job.toString('latin1').replaceAll('\u001b!?', ''), 'latin1'), 8)

  it('receives a PDF label dot for dot in its language, and no ZPL query', async () => {
    const sink = await startByteSink()
    const label = labelWith({ bytes: await markedPdf() })
    const context = contextFor(printerAt(sink.port, { language, copies: 2 }), label)
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(sink.received().includes('~')).toBe(false)
    const [printed, ...others] = read(sink.received()).labels
    expect(others).toEqual([])
    expect(printed?.copies).toBe(2)
    for (const { x, y, width, height } of marks) {
      expect(printed?.picture.dot((x + width / 2) * 8, (y + height / 2) * 8)).toBe(true)
      expect(printed?.picture.dot((x - 1) * 8, y * 8)).toBe(false)
    }
  })

  it.each([
    ['before its picture', 20],
    ['inside its picture', 60_000],
    ['after its picture', -3],
  ])('prints the next label completely after a label that broke off %s', async (_, cutAt) => {
    const label = labelWith({ bytes: await markedPdf() })
    const reference = await startByteSink()
    const own = createSocketDriver(rasterizer, waits)
    const printed = await own.print(contextFor(printerAt(reference.port, { language }), label), staysOpen)
    expect(printed).toEqual({ kind: 'handed-over' })
    const picture = /(GW|BITMAP )0,0,100,1200,(0,)?/.exec(reference.received().toString('latin1'))
    const pictureAt = (picture?.index ?? Number.NaN) + (picture?.[0].length ?? 0)
    const taken = cutAt < 0 ? reference.received().length + cutAt : pictureAt + cutAt - (cutAt < 100 ? 40 : 0)
    const parts: Buffer[] = []
    let isOff = false
    const sink = await startByteSink((socket) => {
      socket.on('data', (part: Buffer) => {
        parts.push(part)
        const all = Buffer.concat(parts)
        if (isOff || all.length < taken) return
        isOff = true
        parts.splice(0, parts.length, all.subarray(0, taken))
        socket.resetAndDestroy()
      })
    })
    const printer = printerAt(sink.port, { language })
    expect(await own.print(contextFor(printer, label), staysOpen)).toMatchObject({ kind: 'unconfirmed' })
    const received = () => Buffer.concat(parts)
    expect(received()).toHaveLength(taken)
    expect(await own.print(contextFor(printer, label), staysOpen)).toEqual({ kind: 'handed-over' })
    const afterTwo = received().length
    const [out, ...others] = read(received()).labels
    expect(others).toEqual([])
    for (const { x, y, width, height } of marks) {
      expect(out?.picture.dot((x + width / 2) * 8, (y + height / 2) * 8)).toBe(true)
      expect(out?.picture.dot((x - 1) * 8, y * 8)).toBe(false)
    }
    // The bytes that complete the broken picture are sent only once.
    expect(await own.print(contextFor(printer, label), staysOpen)).toEqual({ kind: 'handed-over' })
    expect(read(received()).labels).toHaveLength(2)
    expect(received().length - afterTwo).toBeLessThan(121_000)
  })

  it('prints the first label after a start of the app completely, although an earlier label broke off', async () => {
    const parts: Buffer[] = []
    const sink = await startByteSink((socket) => socket.on('data', (part: Buffer) => parts.push(part)))
    const cut = {
      epl2: '\nN\nq800\nQ1200,24\nGW0,0,100,1200,',
      tspl: '\r\nSIZE 100 mm,150 mm\r\nCLS\r\nBITMAP 0,0,100,1200,0,',
    }
    parts.push(Buffer.from(cut[language]), Buffer.alloc(7001))
    const label = labelWith({ bytes: await markedPdf() })
    const started = createSocketDriver(rasterizer, waits)
    const context = contextFor(printerAt(sink.port, { language }), label)
    expect(await started.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    const labels = read(Buffer.concat(parts)).labels
    expect(labels).toHaveLength(1)
    expect(labels[0]?.picture.dot(0, 0)).toBe(false)
  })

  it('receives nothing of a ZPL label, and the error names its language', async () => {
    const sink = await startByteSink()
    const zpl = labelWith({ kind: 'zpl', bytes: Buffer.from('^XA^FDx^FS^XZ') })
    expect(await driver.print(contextFor(printerAt(sink.port, { language }), zpl), staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: {
        code: 'label-in-other-language',
        details: { printer: 'bench', language: language.toUpperCase() },
      },
    })
    expect(sink.connections()).toBe(0)
  })

  it('is reported as having printed nothing when it closes the connection at once', async () => {
    const sink = await startByteSink(closesAtOnce)
    const label = labelWith({ bytes: await markedPdf() })
    const context = contextFor(printerAt(sink.port, { language }), label)
    expect(await driver.print(context, staysOpen)).toMatchObject({ kind: 'failed', nothingPrinted: true })
  })
})

describe('a TSPL printer that reports its status', () => {
  it('receives nothing while its head is open', async () => {
    const printer = await startTsplPrinter(() => 0x01)
    const label = labelWith({ bytes: await markedPdf() })
    const context = { ...contextFor(printerAt(printer.port, { language: 'tspl' }), label), hasStandby: true }
    expect(await patient.print(context, staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'printer-not-ready', says: [{ code: 'head-open' }] },
    })
    expect(printer.received().length).toBe(0)
  })

  it('takes over a label when it has received all bytes and reports that it prints', async () => {
    const printer = await startTsplPrinter(() => 0x20)
    const label = labelWith({ bytes: await markedPdf() })
    const context = contextFor(printerAt(printer.port, { language: 'tspl' }), label)
    expect(await patient.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(readTspl(printer.received(), 8).labels).toHaveLength(1)
  })

  it('is noted as out of labels while it holds a label, which is handed over once it prints', async () => {
    let state = 0
    const printer = await startTsplPrinter(() => {
      const now = state
      // The first answer is «ready»; then the printer runs out of labels.
      if (state === 0) state = 0x04
      return now
    })
    const label = labelWith({ bytes: await markedPdf() })
    const context = contextFor(printerAt(printer.port, { language: 'tspl' }), label)
    const ended = vi.fn()
    const printed = patient.print(context, staysOpen).finally(ended)
    const note = { code: 'has-the-label', says: [{ code: 'out-of-labels' }] }
    await vi.waitFor(() => expect(context.notes).toContainEqual(note), { timeout: 40_000 })
    expect(ended).not.toHaveBeenCalled()
    state = 0x20
    expect(await printed).toEqual({ kind: 'handed-over' })
    expect(context.notes.at(-1)).toBeNull()
    expect(readTspl(printer.received(), 8).labels).toHaveLength(1)
  })

  it('takes over a label when it stops answering after it has received all bytes', async () => {
    let asked = 0
    const printer = await startTsplPrinter(() => {
      asked += 1
      return asked === 1 ? 0 : undefined
    })
    const label = labelWith({ bytes: await markedPdf() })
    const context = contextFor(printerAt(printer.port, { language: 'tspl' }), label)
    const hasty = createSocketDriver(rasterizer, { ...waits, giveUp: 20_000 })
    expect(await hasty.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(asked).toBeGreaterThan(1)
  })

  it('leaves a label unconfirmed when it answers before it has read all bytes', async () => {
    const label = labelWith({ bytes: await markedPdf() })
    const ready = Buffer.of(0)
    let read = 0
    const sink = await startByteSink((socket) => {
      socket.on('data', (part: Buffer) => {
        socket.write(ready)
        if (part.equals(statusQuestion)) return
        read = part.length
        socket.pause()
      })
    })
    const hasty = createSocketDriver(rasterizer, { ...waits, status: 5000, stall: 5000, giveUp: 1000 })
    const context = contextFor(printerAt(sink.port, { language: 'tspl' }), label)
    expect(await hasty.print(context, staysOpen)).toMatchObject({ kind: 'unconfirmed' })
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(100_000)
  })

  it('reports missing labels and a used-up ribbon in the connection test', async () => {
    const printer = await startTsplPrinter(() => 0x0c)
    expect(await probePrinter(printerAt(printer.port, { language: 'tspl' }), '/', 'linux')).toMatchObject({
      code: 'with-remarks',
      remarks: [{ code: 'out-of-labels' }, { code: 'ribbon-used-up' }],
    })
  })
})
