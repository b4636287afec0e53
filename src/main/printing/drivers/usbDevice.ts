import { constants, type Stats } from 'node:fs'
import { type FileHandle, lstat, open, stat } from 'node:fs/promises'
import { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { devicePath } from '../../../shared/printing'
import { systemCode } from '../../lib/synced'
import { isUsbPrinter } from './usbPrinters'

/** What Linux's usblp makes of a USB printer. */
const usbPrinter = /^\/dev\/usb\/lp\d{1,3}$/
/** The device takes what fits and is asked again. */
const askAgainMs = 10
const readBytes = 4096
/** It takes nothing more now: it is still taking the part before, or is out of labels. */
const takesNothingNow = ['EAGAIN', 'EBUSY', 'ENOSPC']

/**
 * Opens a USB printer's device. It is never waited for inside of the system: a printer that takes nothing would hold a
 * thread for ever. The stream ends when the printer has taken everything and our side has ended.
 * @param path `/dev/usb/lp0` or the like, or a link under `/dev` to such a device, as udev makes them
 * @throws the system's error; ENODEV for what is no such path
 */
export async function openUsbDevice(path: string): Promise<Duplex> {
  const isLink = devicePath.test(path) && (await lstat(path)).isSymbolicLink()
  // Before it is opened as well: opening some devices does something already.
  if ((!usbPrinter.test(path) && !isLink) || !(await isPrinter(await stat(path)))) throw notADevice(path)
  const device = await open(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY)
  if (await isPrinter(await device.stat())) return streamOn(device)
  await device.close()
  throw notADevice(path)
}

async function isPrinter(found: Stats): Promise<boolean> {
  return found.isCharacterDevice() && (await isUsbPrinter(found.rdev))
}

function streamOn(device: FileHandle): Duplex {
  const closing = new AbortController()
  const rest = () => pause(askAgainMs, undefined, { signal: closing.signal })

  /** Writes all of it; with nothing to write it waits until what was written before has left this machine. */
  async function put(bytes: Buffer): Promise<void> {
    let written = 0
    for (;;) {
      try {
        const left = bytes.length - written
        // Node leaves a write of an empty buffer out.
        const part =
          left === 0 ? await device.write(Buffer.alloc(1), 0, 0) : await device.write(bytes, written)
        written += part.bytesWritten
        if (written >= bytes.length) return
      } catch (error) {
        if (!takesNothingNow.includes(systemCode(error))) throw error
        await rest()
      }
    }
  }

  async function listen(): Promise<void> {
    const room = Buffer.alloc(readBytes)
    while (!closing.signal.aborted) {
      try {
        const { bytesRead } = await device.read(room, 0, readBytes)
        if (bytesRead > 0) stream.push(Buffer.from(room.subarray(0, bytesRead)))
        else await rest()
      } catch (error) {
        if (closing.signal.aborted) return
        if (systemCode(error) === 'EAGAIN') await rest().catch(() => undefined)
        else return void stream.destroy(error instanceof Error ? error : new Error(String(error)))
      }
    }
  }

  const stream: Duplex = new Duplex({
    read: () => undefined,
    write(bytes: Buffer, _encoding, done) {
      put(bytes).then(() => done(), done)
    },
    final(done) {
      // Closed earlier, the system would take back the part that the printer is still taking.
      put(Buffer.alloc(0)).then(() => {
        stream.push(null)
        done()
      }, done)
    },
    destroy(error, done) {
      closing.abort()
      listening
        .then(() => device.close())
        .then(
          () => done(error),
          () => done(error),
        )
    },
  })
  const listening = listen()
  return stream
}

function notADevice(path: string): Error {
  return Object.assign(new Error(`ENODEV: ${path} is no USB printer`), { code: 'ENODEV' })
}
