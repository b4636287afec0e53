import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createSocketDriver } from '../../../src/main/printing/drivers/socket'
import { type SocketPrinter, socketPrinterSchema } from '../../../src/shared/printing'
import {
  closesAfterTheLabel,
  closesAtOnce,
  forwardsToNobody,
  readsAndEnds,
  resetsAtTheEnd,
} from '../../support/printing/badPrinters'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelWith } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'

const waits = { connect: 500, retries: [20], status: 150, poll: 30, stall: 200, giveUp: 1000 }
const driver = createSocketDriver(createInlineRasterizer(), waits)
/** A label of 4,000 bytes, which fit into the socket buffers of any system. */
const label = () => labelWith({ kind: 'zpl', bytes: Buffer.from(`^XA^FO10,10^FD${'x'.repeat(3980)}^FS^XZ`) })

function printerAt(port: number): SocketPrinter {
  return socketPrinterSchema.parse({ id: 'zebra', driver: 'socket', host: '127.0.0.1', port })
}

const rounds = Array.from({ length: 30 }, (_, round) => round)

describe('a peer that does not print', () => {
  it.each([
    ['closes each connection at once', closesAtOnce],
    ['forwards to a printer that is off', forwardsToNobody],
  ])('is reported 30 times as having printed nothing when it %s', async (_, behave) => {
    const sink = await startByteSink(behave)
    for (const _round of rounds) {
      const context = contextFor(printerAt(sink.port), label())
      expect(await driver.print(context, staysOpen)).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: 'printer-unreachable', says: [{ code: 'closed-unread' }] },
      })
      expect(context.claimedTimes()).toBe(0)
      expect(context.acceptedTimes()).toBe(0)
    }
  })

  it('receives the label once when it keeps the third connection', async () => {
    const parts: Buffer[] = []
    let refused = 0
    const sink = await startByteSink((socket) => {
      refused += 1
      if (refused <= 2) closesAtOnce(socket)
      else socket.on('data', (part: Buffer) => parts.push(part))
    })
    const patient = createSocketDriver(createInlineRasterizer(), { ...waits, retries: [20, 20, 20] })
    const context = contextFor(printerAt(sink.port), label())
    expect(await patient.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(
      Buffer.concat(parts)
        .toString()
        .match(/\^XA\^FO/g),
    ).toHaveLength(1)
  })
})

describe('a printer that answers no query', () => {
  it('receives its second label without a long wait when it has never refused a connection', async () => {
    const sink = await startByteSink()
    const quickDriver = createSocketDriver(createInlineRasterizer(), { ...waits, quiet: 600_000, served: 1 })
    for (let number = 0; number < 2; number += 1) {
      const context = contextFor(printerAt(sink.port), label())
      expect(await quickDriver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    }
  })

  it('is given time to close the connection after it has refused one', async () => {
    let connections = 0
    const sink = await startByteSink((socket) => {
      connections += 1
      // Serves two connections, closes the third at once and the fourth after 300 ms.
      if (connections <= 2) socket.resume()
      else if (connections === 3) closesAtOnce(socket)
      else setTimeout(() => socket.end(), 300)
    })
    const slow = createSocketDriver(createInlineRasterizer(), {
      ...{ ...waits, retries: [1], quiet: 600_000, served: 100 },
    })
    const print = () => slow.print(contextFor(printerAt(sink.port), label()), staysOpen)
    expect(await print()).toEqual({ kind: 'handed-over' })
    expect(await print()).toEqual({ kind: 'handed-over' })
    expect(await print()).toMatchObject({
      ...{ nothingPrinted: true, error: { code: 'printer-unreachable', says: [{ code: 'closed-unread' }] } },
    })
    expect(connections).toBe(4)
  })
})

describe('a label that the peer has not provably received', () => {
  it('is unconfirmed 30 times when the peer reads 1,500 of 4,000 bytes and ends its side', async () => {
    let read = 0
    const sink = await startByteSink((socket) =>
      readsAndEnds(1500, (part) => {
        read += part.length
      })(socket),
    )
    for (const _round of rounds) {
      const context = contextFor(printerAt(sink.port), label())
      expect(await driver.print(context, staysOpen)).toMatchObject({
        kind: 'unconfirmed',
        error: { code: 'print-unconfirmed', says: [{ code: 'closed-early' }] },
      })
      expect(context.acceptedTimes()).toBe(0)
    }
    expect(read).toBeGreaterThan(0)
  })

  it.each([
    ['resets the connection when the app ends its side', resetsAtTheEnd],
    ['closes the connection right after the last byte', closesAfterTheLabel],
  ])('is unconfirmed when the peer %s', async (_, behave) => {
    const sink = await startByteSink(behave)
    const context = contextFor(printerAt(sink.port), label())
    expect(await driver.print(context, staysOpen)).toMatchObject({ kind: 'unconfirmed' })
    expect(context.acceptedTimes()).toBe(0)
  })

  it('is reported as not confirmed when the peer reads all bytes and never closes the connection', async () => {
    const sink = await startByteSink((socket) => {
      socket.allowHalfOpen = true
      socket.resume()
    })
    const context = contextFor(printerAt(sink.port), label())
    expect(await driver.print(context, staysOpen)).toMatchObject({
      kind: 'unconfirmed',
      error: { says: [{ code: 'not-confirmed' }] },
    })
  })

  it('is reported as not completely taken when the buffers of the peer stay full', async () => {
    const sink = await startByteSink((socket) => socket.pause())
    const long = labelWith({ kind: 'zpl', bytes: Buffer.from(`^XA^FX${'x'.repeat(20 * 1024 * 1024)}^XZ`) })
    const context = contextFor(printerAt(sink.port), long)
    expect(await driver.print(context, staysOpen)).toMatchObject({
      kind: 'unconfirmed',
      error: { says: [{ code: 'not-all-taken' }] },
    })
  })
})

describe('a label on a system that does not report acknowledged bytes', () => {
  beforeEach(() => {
    const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin')
    onTestFinished(() => platform.mockRestore())
  })

  it('is handed over when the printer closes the connection after the app has ended its side', async () => {
    const sink = await startByteSink()
    const context = contextFor(printerAt(sink.port), label())
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(sink.received().toString()).toContain('^XZ')
    expect(context.acceptedTimes()).toBe(1)
  })

  it.each([
    ['reads a part and ends its side', readsAndEnds(1500, () => undefined)],
    ['resets the connection when the app ends its side', resetsAtTheEnd],
    ['closes the connection right after the last byte', closesAfterTheLabel],
  ])('is unconfirmed when the printer %s', async (_, behave) => {
    const sink = await startByteSink(behave)
    const context = contextFor(printerAt(sink.port), label())
    expect(await driver.print(context, staysOpen)).toMatchObject({ kind: 'unconfirmed' })
    expect(context.acceptedTimes()).toBe(0)
  })
})
