import { rm, symlink } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { probePrinter } from '../../../src/main/printing/drivers/createDrivers'
import { createSocketDriver } from '../../../src/main/printing/drivers/socket'
import { zplReset } from '../../../src/main/printing/raster/labelLanguages'
import { socketPrinterSchema } from '../../../src/shared/printing'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelWith, markedPdf } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'
import {
  canPretendUsb,
  isTerminal,
  type PtyPrinter,
  startPtyPrinter,
} from '../../support/printing/ptyPrinter'
import { readZplPictures } from '../../support/printing/zplPicture'
import { hostStatus } from '../../support/printing/zplPrinter'

// A pseudo-terminal replaces the USB printer.
vi.mock('../../../src/main/printing/drivers/usbPrinters', async (load) => {
  const real = await load<typeof import('../../../src/main/printing/drivers/usbPrinters')>()
  return { isUsbPrinter: async (rdev: number) => isTerminal(rdev) || real.isUsbPrinter(rdev) }
})

/** What replaces a device's reads and writes; undefined leaves the system's. */
const kernel = vi.hoisted<{ usblp: object | undefined }>(() => ({ usblp: undefined }))
vi.mock('node:fs/promises', async (load) => {
  const real = await load<typeof import('node:fs/promises')>()
  return {
    ...real,
    open: async (...asked: Parameters<typeof real.open>) => {
      const file = await real.open(...asked)
      return String(asked[0]).startsWith('/dev/') ? Object.assign(file, kernel.usblp) : file
    },
  }
})

const waits = { connect: 500, retries: [20], status: 50, poll: 20, stall: 200, giveUp: 4000 }
const rasterizer = createInlineRasterizer()
const driver = createSocketDriver(rasterizer, waits)
const patient = createSocketDriver(rasterizer, { ...waits, status: 2000, stall: 5000 })
const zpl = (length: number) =>
  labelWith({ kind: 'zpl', bytes: Buffer.from(`^XA^FX${'x'.repeat(length)}^FDx^FS^XZ`) })

function usbPrinter(host: string) {
  return socketPrinterSchema.parse({ id: 'usb', driver: 'socket', host })
}

/** Answers each status query until the test ends. */
function answerStatusQueries(printer: PtyPrinter, status: () => string): void {
  let seen = 0
  const timer = setInterval(() => {
    const asked = printer.received().toString('latin1').split('~HS\r\n').length - 1
    for (; seen < asked; seen += 1) printer.say(status())
  }, 5)
  timer.unref()
}

interface Usblp {
  received(): Buffer
  /** Whether the app has asked for the end of the block that is not taken. */
  isAwaited(): boolean
  switchOff(): void
}

/**
 * Answers as the source of Linux' `usblp` does: a block is written when its transfer begins, and no later write tells
 * that it has failed. The hub reports after a while that the printer is off.
 * @param stopsAfter bytes after which the printer takes no block
 */
function pretendUsblp({ isTwoWay = true, stopsAfter = Number.POSITIVE_INFINITY }): Usblp {
  const parts: Buffer[] = []
  const received = () => Buffer.concat(parts)
  const failWith = (code: string) => Object.assign(new Error(code), { code })
  let isUnderWay = false
  let isAwaited = false
  let isGone = false
  kernel.usblp = {
    async read() {
      await setImmediate()
      if (!isTwoWay) throw failWith('EINVAL')
      throw failWith(isGone ? 'ENODEV' : 'EAGAIN')
    },
    async write(bytes: Buffer, from = 0, length = bytes.length - from) {
      await setImmediate()
      if (isGone) throw failWith('ENODEV')
      isAwaited ||= isUnderWay && length === 0
      if (isUnderWay) throw failWith('EAGAIN')
      const block = bytes.subarray(from, from + Math.min(length, 8192))
      if (received().length + block.length > stopsAfter) isUnderWay = true
      else parts.push(Buffer.from(block))
      return { bytesWritten: block.length }
    },
  }
  onTestFinished(() => {
    kernel.usblp = undefined
  })
  return {
    received,
    isAwaited: () => isAwaited,
    switchOff() {
      isUnderWay = false
      setTimeout(() => {
        isGone = true
      }, 60)
    },
  }
}

describe.runIf(canPretendUsb())('a USB printer', () => {
  it('receives a PDF label although it answers no query', async () => {
    const printer = await startPtyPrinter()
    const label = labelWith({ bytes: await markedPdf() })
    expect(await driver.print(contextFor(usbPrinter(printer.path), label), staysOpen)).toEqual({
      kind: 'handed-over',
    })
    const [picture] = readZplPictures(printer.received().toString('latin1'))
    expect([picture?.width, picture?.height]).toEqual([800, 1200])
    expect(picture?.dot(20 * 8, 12 * 8)).toBe(true)
  })

  it('takes over a label when it answers after the last byte, and receives no label while its head is open', async () => {
    const printer = await startPtyPrinter()
    answerStatusQueries(printer, () => hostStatus({}))
    const label = zpl(10)
    expect(await patient.print(contextFor(usbPrinter(printer.path), label), staysOpen)).toEqual({
      kind: 'handed-over',
    })
    expect(printer.received().includes(Buffer.concat([label.bytes, zplReset]))).toBe(true)
    const open = await startPtyPrinter()
    answerStatusQueries(open, () => hostStatus({ headOpen: true }))
    const context = { ...contextFor(usbPrinter(open.path), label), hasStandby: true }
    expect(await patient.print(context, staysOpen)).toMatchObject({
      nothingPrinted: true,
      error: { code: 'printer-not-ready', says: [{ code: 'head-open' }] },
    })
    expect(open.received().includes('^XA')).toBe(false)
  })

  it('reports an open head in the connection test', async () => {
    const printer = await startPtyPrinter()
    answerStatusQueries(printer, () => hostStatus({ headOpen: true }))
    expect(await probePrinter(usbPrinter(printer.path), '/', 'linux')).toMatchObject({
      code: 'with-remarks',
      remarks: [{ code: 'head-open' }],
    })
  })

  it('leaves the label unconfirmed, after a note, when it stops accepting data', async () => {
    const printer = await startPtyPrinter()
    printer.stop()
    const context = contextFor(usbPrinter(printer.path), zpl(2_000_000))
    expect(await driver.print(context, staysOpen)).toMatchObject({
      kind: 'unconfirmed',
      error: { says: [{ code: 'not-all-taken' }] },
    })
    expect(context.notes).toContainEqual({ code: 'takes-no-data', says: [] })
  })

  it('receives the rest of a label when it accepts data again', async () => {
    const printer = await startPtyPrinter()
    printer.stop()
    const context = contextFor(usbPrinter(printer.path), zpl(200_000))
    const printing = driver.print(context, staysOpen)
    await expect.poll(() => context.notes.length, { timeout: 3000 }).toBeGreaterThan(0)
    printer.resume()
    expect(await printing).toEqual({ kind: 'handed-over' })
    expect(printer.received().toString('latin1').match(/x/g)).toHaveLength(200_001)
  })

  it('leaves the label unconfirmed when it is unplugged during the transfer', async () => {
    const printer = await startPtyPrinter()
    printer.stop()
    const context = contextFor(usbPrinter(printer.path), zpl(2_000_000))
    const printing = driver.print(context, staysOpen)
    await expect.poll(() => context.claimedTimes()).toBe(1)
    printer.unplug()
    expect(await printing).toMatchObject({ kind: 'unconfirmed' })
  })

  it.each([
    ['that answers nothing', true],
    ['with a one-way interface', false],
  ])('%s leaves the label unconfirmed when it is off before it took the end', async (_name, isTwoWay) => {
    const { path } = await startPtyPrinter()
    const usblp = pretendUsblp({ isTwoWay, stopsAfter: 18_000 })
    const printing = driver.print(contextFor(usbPrinter(path), zpl(20_000)), staysOpen)
    await expect.poll(usblp.isAwaited).toBe(true)
    usblp.switchOff()
    expect(await printing).toMatchObject({
      kind: 'unconfirmed',
      error: { says: [{ code: 'connection-broke', words: 'ENODEV' }] },
    })
  })

  it.each([
    ['zpl', '^XZ'],
    ['epl2', '\nP1\n'],
    ['tspl', '\nPRINT 1'],
  ])('with a one-way interface receives a label in %s', async (language, last) => {
    const { path } = await startPtyPrinter()
    const usblp = pretendUsblp({ isTwoWay: false })
    const printer = socketPrinterSchema.parse({ ...usbPrinter(path), language })
    const label = labelWith({ bytes: await markedPdf() })
    expect(await driver.print(contextFor(printer, label), staysOpen)).toEqual({ kind: 'handed-over' })
    expect(usblp.received().includes(last)).toBe(true)
  })
})

describe.runIf(canPretendUsb())('a link under /dev', () => {
  it('is unreachable, with nothing printed, when it leads to a device that is not a printer', async () => {
    const path = `/dev/packbench-test-${process.pid}-null`
    await symlink('/dev/null', path)
    onTestFinished(() => rm(path, { force: true }))
    const context = { ...contextFor(usbPrinter(path), zpl(1)), hasStandby: true }
    expect(await driver.print(context, staysOpen)).toMatchObject({
      ...{ kind: 'failed', nothingPrinted: true },
      error: { code: 'printer-unreachable', details: { address: path } },
    })
  })
})

describe('a path that is not the device of a USB printer', () => {
  it.each(['/dev/usb/lp99', '/dev/null', '/etc/passwd', '/dev/../etc/passwd', '/tmp/lp0'])(
    'is unreachable, with nothing printed: %s',
    async (path) => {
      const context = { ...contextFor(usbPrinter(path), zpl(1)), hasStandby: true }
      expect(await driver.print(context, staysOpen)).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: 'printer-unreachable', details: { address: path } },
      })
      expect(context.claimedTimes()).toBe(0)
    },
  )
})
