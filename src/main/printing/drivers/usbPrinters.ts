import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The kernel's list of `usblp` printers and other USB devices. */
const usbClass = '/sys/class/usbmisc'
/** Linux gives USB printers the first minor numbers of this major number, unless it was built with dynamic minors. */
const [usbMajor, maxPrinters] = [180, 16]

/**
 * Whether a character device is a USB printer, by the kernel's list or, when there is none, by its number.
 * @param rdev the device number, as `stat` returns it on Linux
 */
export async function isUsbPrinter(rdev: number, folder = usbClass): Promise<boolean> {
  if (rdev > 0xffff_ffff) return false
  const major = (rdev >>> 8) & 0xfff
  const minor = (rdev & 0xff) | ((rdev >>> 12) & 0xf_ff00)
  const names = await readdir(folder).catch(() => undefined)
  if (names === undefined) return major === usbMajor && minor < maxPrinters
  const printers = names.filter((name) => /^lp\d+$/.test(name))
  const numbers = printers.map((name) => readFile(join(folder, name, 'dev'), 'utf8').catch(() => ''))
  return (await Promise.all(numbers)).some((number) => number.trim() === `${major}:${minor}`)
}
