import type { Stats } from 'node:fs'
import {
  access,
  constants,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { type AppError, appError } from '../../../shared/errors'
import { type FolderPrinter, getPrinterName } from '../../../shared/printing'
import { ok } from '../../../shared/result'
import { replaceSynced, syncFolder, systemCode, writeSynced } from '../../lib/synced'
import type { Rasterizer } from '../raster/rasterizer'
import {
  nothingPrinted,
  type PrintContext,
  type PrinterDriver,
  type PrintOutcome,
  unconfirmed,
} from './driver'

/** So many files of one name mean that something else is wrong. */
const maxFilesOfOneName = 10_000
/** What FAT and some network folders answer; Windows calls it EISDIR. */
const noLinksHere = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR']
/** After any other error, such as of a share's connection, the file may have its name all the same. */
const surelyNotNamed = [
  'ENOSPC',
  'EDQUOT',
  'EACCES',
  'EPERM',
  'EROFS',
  'EBUSY',
  'ENOENT',
  'ENOTDIR',
  'ENAMETOOLONG',
]

/**
 * Writes labels as files, byte for byte as they were stored, or just the pages that are wanted. A file appears under its name only when it is whole, and
 * one that is there is never overwritten: the next is called `NAME-2.pdf`.
 * A PDF that is cut or can't be read is no file: whoever takes it from the folder would print half a label.
 * @param dataFolder absolute; relative folders of printers lie in it
 */
export function createFolderDriver(
  dataFolder: string,
  rasterizer: Pick<Rasterizer, 'takePages'>,
): PrinterDriver<FolderPrinter> {
  const shares = rememberShares(dataFolder)
  return {
    cancellable: false,
    async look(printer) {
      const folder = path.resolve(dataFolder, printer.path)
      try {
        await requireWritableAt(await shares.requireMounted(folder))
        return { kind: 'there' }
      } catch {
        return { kind: 'mute' }
      }
    },
    removeLeftovers: (printer, isOver) => removeUnfinished(path.resolve(dataFolder, printer.path), isOver),
    async print(context, signal) {
      if (signal.aborted) return { kind: 'not-started' }
      const folder = path.resolve(dataFolder, context.printer.path)
      const { label, range } = context
      const bytes = label.kind === 'pdf' ? await rasterizer.takePages(label.bytes, range) : ok(label.bytes)
      if (!bytes.ok) return nothingPrinted(bytes.error)
      const unfinished = path.join(folder, unfinishedName(context.jobId))
      try {
        await shares.requireMounted(folder)
        await writeUnfinished(unfinished, bytes.value)
        if (!(await context.claim())) return { kind: 'not-started' }
        return await giveName(unfinished, folder, context)
      } catch (error) {
        return nothingPrinted(folderError(error, folder, context.printer))
      } finally {
        // One that can't be removed must not make this a failure: it is litter, and goes at the next start.
        await unlink(unfinished).catch(() => undefined)
      }
    },
  }
}

/** @throws the system's error where no files can be made in a folder, which the first label makes together with its parents */
export async function requireWritable(folder: string): Promise<void> {
  await requireWritableAt(await findNearest(folder))
}

async function requireWritableAt({ place, found }: Nearest): Promise<void> {
  // The slash lets a file fail that is in the folder's place; Windows takes it away.
  await access(`${place}${path.sep}`, constants.W_OK)
  if (found?.isDirectory() === false) throw new Error(`ENOTDIR: not a directory, '${place}'`)
}

/** A folder, or the first of its parents that is there; `found` is missing where not even the highest answers. */
interface Nearest {
  place: string
  found: Stats | undefined
}

async function findNearest(folder: string): Promise<Nearest> {
  const found = await stat(folder).catch(() => undefined)
  const parent = path.dirname(folder)
  return found === undefined && parent !== folder ? findNearest(parent) : { place: folder, found }
}

/** Nobody takes this file from the folder yet, so whatever goes wrong here, nothing was printed. */
async function writeUnfinished(unfinished: string, bytes: Buffer): Promise<void> {
  await writeSynced(unfinished, bytes, 0o600, 'wx').catch(async (error: unknown) => {
    if (!['ENOENT', 'EEXIST'].includes(systemCode(error))) throw error
    await mkdir(path.dirname(unfinished), { recursive: true, mode: 0o700 })
    // What an earlier try of the job left when the share went away.
    await rm(unfinished, { force: true })
    await writeSynced(unfinished, bytes, 0o600, 'wx')
  })
  // A full share can cut a file without an error.
  const written = await readFile(unfinished)
  if (!written.equals(bytes)) throw new WrittenDifferently()
}

/** @throws the system's error when the file surely has no name */
async function giveName(
  unfinished: string,
  folder: string,
  { label, printer, accepted }: PrintContext<FolderPrinter>,
): Promise<PrintOutcome> {
  try {
    const outputPath = await giveFreeName(unfinished, folder, {
      name: labelFileName(label.reference, label.barcode),
      extension: label.kind === 'zpl' ? '.zpl' : '.pdf',
    })
    // The file is there, so a folder that can't be synced must not make this a failure and the label a second file.
    await syncFolder(folder).catch(() => undefined)
    accepted()
    return { kind: 'done', outputPath }
  } catch (error) {
    const code = systemCode(error)
    if (code === '' || surelyNotNamed.includes(code)) throw error
    return { kind: 'unconfirmed', error: unconfirmed(printer, { code: 'connection-broke', words: code }) }
  }
}

async function giveFreeName(
  file: string,
  folder: string,
  { name, extension }: { name: string; extension: string },
): Promise<string> {
  for (let number = 1; number <= maxFilesOfOneName; number += 1) {
    const target = path.join(folder, `${name}${number === 1 ? '' : `-${number}`}${extension}`)
    try {
      await putInPlace(file, target)
      return target
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
    }
  }
  throw new Error(`there are ${maxFilesOfOneName} files called ${name}`)
}

/** A link, unlike a rename, fails when the name is taken, so that two writers never end up in one file. */
async function putInPlace(file: string, target: string): Promise<void> {
  try {
    await link(file, target)
  } catch (error) {
    const code = systemCode(error)
    // A share whose first answer was lost is asked again by the system, and finds the name taken: by this very file.
    if (code === 'EEXIST' && (await stat(file)).nlink > 1) return
    if (!noLinksHere.includes(code)) throw error
    await renameOnto(file, target)
  }
}

/** Without links the name is first taken with an empty file, which the whole one then replaces in one step. */
async function renameOnto(file: string, target: string): Promise<void> {
  const handle = await open(target, 'wx', 0o600)
  await handle.close()
  try {
    await rename(file, target)
  } catch (error) {
    await rm(target, { force: true })
    throw error
  }
}

/** Where folders lie that are on file systems of their own, such as shares: each by the place where that is mounted. */
const sharesSchema = z.record(z.string(), z.string())

/**
 * Tells a share from the empty folder in which it is mounted. What is written there while the share is away looks printed and
 * never reaches it; after a start without the network that is a folder like any other.
 */
function rememberShares(dataFolder: string) {
  const file = path.join(dataFolder, 'print-folders.json')
  let known: Promise<Record<string, string>> | undefined
  let own: string | undefined
  /** The file systems on which folders, or the first of their parents that were there, were as they should be. */
  const devices = new Map<string, number>()

  async function read(): Promise<Record<string, string>> {
    const text = await readFile(file, 'utf8').catch(() => '{}')
    try {
      return sharesSchema.parse(JSON.parse(text))
    } catch {
      // It is learnt anew from the folders as they are.
      return {}
    }
  }

  async function lookForMount(folder: string): Promise<void> {
    const mount = await findMount(folder)
    known ??= read()
    const shares = await known
    const before = shares[folder]
    if (before !== undefined && before.length > mount.length) throw new ShareAway()
    // Asked once: printers are looked at all day, and each folder that is looked at wakes two threads.
    own ??= await findMount(dataFolder)
    if (before === mount || mount === own) return
    shares[folder] = mount
    // A data folder that is full keeps no label from being printed: this run knows the share, and the next one learns it.
    await replaceSynced(file, JSON.stringify(shares), 0o600).catch(() => undefined)
  }

  return {
    /** @throws ENOTCONN when the folder was on a file system that is not mounted any more */
    async requireMounted(folder: string): Promise<Nearest> {
      const nearest = await findNearest(folder)
      const device = nearest.found?.dev
      // On the same file system as at the last look: its parents need no look. A folder that the first label makes is looked
      // at all day as well, by the parent that it will lie in.
      if (device !== undefined && devices.get(folder) === device) return nearest
      await lookForMount(folder)
      if (device !== undefined) devices.set(folder, device)
      return nearest
    },
  }
}

class ShareAway extends Error {
  readonly code = 'ENOTCONN'
}

/** The highest folder above one, or above the first of its parents that is there, on the same file system. */
async function findMount(folder: string): Promise<string> {
  const folders = [folder, ...parentsOf(folder)]
  // All at once: each answer alone would wake main, and printers are looked at all day.
  const looks = await Promise.allSettled(folders.map((each) => stat(each)))
  const first = looks.findIndex(({ status }) => status === 'fulfilled')
  let mount = folders[0]
  let device: number | undefined
  for (const [index, look] of looks.entries()) {
    if (index < first) continue
    if (look.status === 'rejected') throw look.reason
    if (device !== undefined && look.value.dev !== device) break
    mount = folders[index]
    device = look.value.dev
  }
  return mount ?? folder
}

/** The folders that one lies in, the nearest first. */
function parentsOf(folder: string): string[] {
  const parent = path.dirname(folder)
  return parent === folder ? [] : [parent, ...parentsOf(parent)]
}

class WrittenDifferently extends Error {
  readonly code = 'written differently'
}

function folderError(error: unknown, folder: string, printer: FolderPrinter): AppError {
  const code = systemCode(error) || 'unknown'
  const details = { printer: getPrinterName(printer), folder, reason: code }
  if (['ENOSPC', 'EDQUOT'].includes(code)) {
    return appError('disk-full', { ...details, case: 'print-folder' })
  }
  return appError('folder-not-writable', { ...details, case: 'print-folder' })
}

/** File systems take 255 bytes; the rest is for `-99.pdf`, and for tools that copy files under longer names. */
const maxReferenceBytes = 100
const maxBarcodeBytes = 80
// Windows keeps these names for devices, whatever the extension.
const deviceName = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])$/i
// Separators and what Windows forbids; control and format characters, which hide or turn round what a name says.
const forbidden = /[<>:"/\\|?*\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * A file name, without extension, that is valid on Windows, macOS and Linux and can lead into no other folder.
 * @param reference and barcode as they came, any text
 */
export function labelFileName(reference: string, barcode: string): string {
  const parts = [clean(reference, maxReferenceBytes), clean(barcode, maxBarcodeBytes)]
  const name = parts.filter((part) => part !== '').join('-')
  if (name === '') return 'label'
  return deviceName.test(name) ? `_${name}` : name
}

function clean(text: string, maxBytes: number): string {
  const harmless = text.normalize('NFC').replace(forbidden, '_')
  // A leading dot hides a file, a leading dash is taken for a switch, Windows drops dots and spaces at the end.
  return trimEnd(cut(harmless.replace(/^[\s.-]+/u, ''), maxBytes))
}

function trimEnd(text: string): string {
  return text.replace(/[\s.]+$/u, '')
}

/** Cuts between characters, never in the middle of one. */
function cut(text: string, maxBytes: number): string {
  let kept = ''
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    kept += character
  }
  return kept
}

const unfinished = /^\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.part$/

/** What a job's file is called until it is whole. */
export function unfinishedName(jobId: string): string {
  return `.${jobId}.part`
}

/**
 * Other stations may write into the same folder, so only files that are named after a job of this station go. A folder that
 * can't be read is passed over.
 */
async function removeUnfinished(
  folder: string,
  isOver: (jobId: string) => Promise<boolean>,
): Promise<number> {
  let removed = 0
  for (const name of await readdir(folder).catch(() => [])) {
    const jobId = unfinished.exec(name)?.[1]
    if (jobId === undefined || !(await isOver(jobId))) continue
    await rm(path.join(folder, name), { force: true })
    removed += 1
  }
  return removed
}
