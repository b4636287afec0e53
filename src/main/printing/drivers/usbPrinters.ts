import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'

/** The kernel lists here what `usblp` has made devices of, beside other USB devices. */
const usbClass = '/sys/class/usbmisc'
/** Linux gives USB printers the first numbers of this kind of device, unless it was built to give them as they come. */
const [usbMajor, maxPrinters] = [180, 16]

/**
 * Whether a character device is a USB printer's: the kernel says so, or, where it lists no devices, the number does.
 * @param rdev the device's number as `stat` gives it on Linux
 * @param folder the kernel's list
 */
export async function isUsbPrinter(rdev: number, folder = usbClass): Promise<boolean> {
  if (rdev > 0xffff_ffff) return false
  const major = (rdev >>> 8) & 0xfff
  const minor = (rdev & 0xff) | ((rdev >>> 12) & 0xf_ff00)
  const names = await readdir(folder).catch(() => undefined)
  if (names === undefined) return major === usbMajor && minor < maxPrinters
  const printers = names.filter((name) => /^lp\d+$/.test(name))
  const numbers = printers.map((name) => readFile(path.join(folder, name, 'dev'), 'utf8').catch(() => ''))
  return (await Promise.all(numbers)).some((number) => number.trim() === `${major}:${minor}`)
}
