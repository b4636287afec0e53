import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, stat } from 'node:fs/promises'
import { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { devicePath } from '../../../shared/printing'
import { systemCode } from '../../lib/synced'
import { isUsbPrinter } from './usbPrinters'

/** The devices of Linux' usblp driver. */
const usbPrinter = /^\/dev\/usb\/lp\d{1,3}$/
/** The device is non-blocking: it takes what fits, and the rest is tried again. */
const retryMs = 10
/** Longer than a hub takes to report that a device was unplugged or switched off. */
const hubReportMs = 300
const readBytes = 4096
/** The device takes nothing at the moment: it still takes the previous part, or is out of labels. */
const busyErrors = ['EAGAIN', 'EBUSY', 'ENOSPC']

/**
 * Opens a USB printer's device without blocking: a printer that takes nothing would hold a thread for ever. The stream
 * ends when our side has ended and the printer has taken everything.
 * @param path `/dev/usb/lp0` or the like, or a link under `/dev` to such a device, as udev makes them
 * @throws the system's error; ENODEV for any other path
 */
export async function openUsbDevice(path: string): Promise<Duplex> {
  const isLink = devicePath.test(path) && (await lstat(path)).isSymbolicLink()
  // Checked before it is opened as well: to open some devices has an effect.
  if ((!usbPrinter.test(path) && !isLink) || !(await isPrinter(await stat(path)))) throw notADevice(path)
  const device = await open(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY)
  if (await isPrinter(await device.stat())) return createStream(device)
  await device.close()
  throw notADevice(path)
}

async function isPrinter(found: Stats): Promise<boolean> {
  return found.isCharacterDevice() && (await isUsbPrinter(found.rdev))
}

function createStream(device: FileHandle): Duplex {
  const closing = new AbortController()
  const rest = () => pause(retryMs, undefined, { signal: closing.signal })

  /**
   * Writes all bytes. An empty buffer waits until the transfer under way has ended: the kernel does not say whether it
   * has failed.
   */
  async function writeAll(bytes: Buffer): Promise<void> {
    let written = 0
    for (;;) {
      try {
        const left = bytes.length - written
        // Node skips a write of an empty buffer; a length of 0 reaches the system.
        const part =
          left === 0 ? await device.write(Buffer.alloc(1), 0, 0) : await device.write(bytes, written)
        written += part.bytesWritten
        if (written >= bytes.length) return
      } catch (error) {
        if (!busyErrors.includes(systemCode(error))) throw error
        await rest()
      }
    }
  }

  async function readAnswers(): Promise<void> {
    const buffer = Buffer.alloc(readBytes)
    while (!closing.signal.aborted) {
      try {
        const { bytesRead } = await device.read(buffer, 0, readBytes)
        if (bytesRead > 0) stream.push(Buffer.from(buffer.subarray(0, bytesRead)))
        else await rest()
      } catch (error) {
        if (closing.signal.aborted) return
        // The interface is one-way: the printer can only be written to.
        if (systemCode(error) === 'EINVAL') return
        if (systemCode(error) === 'EAGAIN') await rest().catch(() => undefined)
        else return void stream.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }

  const stream: Duplex = new Duplex({
    read: () => undefined,
    write(bytes: Buffer, _encoding, done) {
      writeAll(bytes).then(() => done(), done)
    },
    final(done) {
      // If it were closed earlier, the system would discard the part that the printer still takes.
      writeAll(Buffer.alloc(0))
        // A printer that is switched off ends the last transfer too: reads fail meanwhile, and then the second write.
        .then(() => pause(hubReportMs, undefined, { signal: closing.signal }))
        .then(() => writeAll(Buffer.alloc(0)))
        .then(() => {
          stream.push(null)
          done()
        }, done)
    },
    destroy(error, done) {
      closing.abort()
      reading
        .then(() => device.close())
        .then(
          () => done(error),
          () => done(error),
        )
    },
  })
  const reading = readAnswers()
  return stream
}

function notADevice(path: string): Error {
  return Object.assign(new Error(`ENODEV: ${path} is not a USB printer`), { code: 'ENODEV' })
}
