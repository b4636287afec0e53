import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isUsbPrinter } from '../../../../src/main/printing/drivers/usbPrinters'
import { temporaryFolder } from '../../../support/temporaryFolder'

/** A device number as Linux packs it. */
function device(major: number, minor: number): number {
  return (minor & 0xff) + (major & 0xfff) * 0x100 + (minor >>> 8) * 0x10_0000
}

/** A folder like the kernel's list of USB devices, with these names and device numbers. */
async function listOf(entries: Record<string, string>): Promise<string> {
  const folder = await temporaryFolder()
  for (const [name, number] of Object.entries(entries)) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'dev'), `${number}\n`)
  }
  return folder
}

describe('isUsbPrinter', () => {
  it('accepts only devices that the kernel lists as printers, whatever their number', async () => {
    const list = await listOf({ lp0: '180:0', lp1: '180:300', hiddev0: '180:2' })
    expect(await isUsbPrinter(device(180, 0), list)).toBe(true)
    expect(await isUsbPrinter(device(180, 300), list)).toBe(true)
    expect(await isUsbPrinter(device(180, 2), list)).toBe(false)
    expect(await isUsbPrinter(device(180, 1), list)).toBe(false)
    expect(await isUsbPrinter(device(1, 3), list)).toBe(false)
  })

  it('decides by the device number when the kernel has no list', async () => {
    const nowhere = '/nowhere/usbmisc'
    expect(await isUsbPrinter(device(180, 15), nowhere)).toBe(true)
    expect(await isUsbPrinter(device(180, 16), nowhere)).toBe(false)
    expect(await isUsbPrinter(device(10, 130), nowhere)).toBe(false)
    expect(await isUsbPrinter(device(180, 0) + 2 ** 44, nowhere)).toBe(false)
  })
})
