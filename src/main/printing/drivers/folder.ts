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
import { dirname, join, resolve, sep } from 'node:path'
import { z } from 'zod'
import { type AppError, appError } from '../../../shared/errors'
import { toNormalForm } from '../../../shared/foldText'
import { type FolderPrinter, getPrinterName } from '../../../shared/printing'
import { ok } from '../../../shared/result'
import { deferred } from '../../lib/async'
import { readPlain } from '../../lib/plainFiles'
import { inTime } from '../../lib/retry'
import { joinNames, replaceSynced, syncFolder, systemCode, writeSynced } from '../../lib/synced'
import type { Rasterizer } from '../raster/rasterizer'
import {
  nothingPrinted,
  type PolledStatus,
  type PrintContext,
  type PrinterDriver,
  type PrintOutcome,
  unconfirmed,
} from './driver'

/** More files of one name than any station prints: something else is wrong. */
const maxFilesOfOneName = 10_000
/** The errors of file systems without hard links, such as FAT and some shares; EISDIR on Windows. */
const noLinkErrors = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR']
/** The errors after which the file certainly has no final name. After others, such as a lost share, it may have it. */
const notNamedErrors = [
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

/** The delays while the share of a folder does not answer, in milliseconds. */
const usualWaits = {
  /** Until the operator sees it. Also the timeout of a poll. */
  note: 2000,
  /** Until the standby takes over a label that was not claimed. */
  giveUp: 10_000,
}

/** A label that its folder has not taken and will never get. */
interface GivenUp {
  /** Resolves when the calls for it have returned. */
  written: Promise<PrintOutcome>
  /** Since when the folder has not answered. */
  since: number
}

/**
 * Writes labels as files, byte for byte as they were stored, or only the pages to print. A file appears under its final
 * name only when it is complete, and never overwrites another: the next one is called `NAME-2.pdf`. A PDF that is
 * truncated or unreadable is not written: a program that reads the folder would print half a label.
 * @param dataFolder absolute; relative folders of printers lie in it
 */
export function createFolderDriver(
  dataFolder: string,
  rasterizer: Pick<Rasterizer, 'takePages'>,
  waits = usualWaits,
): PrinterDriver<FolderPrinter> {
  const shares = createMountCheck(dataFolder)
  // A call to a share that hangs cannot be ended, and occupies one of Node's four threads: a printer's polls and its labels
  // have one each.
  const polls = new Map<string, Promise<PolledStatus>>()
  const givenUp = new Map<string, GivenUp>()

  async function poll(folder: string): Promise<PolledStatus> {
    try {
      await requireWritableAt(await shares.requireMounted(folder))
      return { kind: 'available' }
    } catch {
      return { kind: 'no-answer' }
    } finally {
      polls.delete(folder)
    }
  }

  async function write(
    bytes: Buffer,
    folder: string,
    context: PrintContext<FolderPrinter>,
  ): Promise<PrintOutcome> {
    const unfinished = joinNames(folder, unfinishedName(context.jobId))
    try {
      await shares.requireMounted(folder)
      await writeUnfinished(unfinished, bytes)
      if (!(await context.claim())) return { kind: 'not-started' }
      return await publishFile(unfinished, folder, context)
    } catch (error) {
      return nothingPrinted(folderError(error, folder, context.printer))
    } finally {
      // A file that can't be removed does no harm and must not fail the job; the next start removes it.
      await unlink(unfinished).catch(() => undefined)
    }
  }

  return {
    cancellable: true,
    async pollStatus(printer) {
      const folder = resolve(dataFolder, printer.path)
      const polling = polls.get(folder) ?? poll(folder)
      polls.set(folder, polling)
      return (await inTime(polling, waits.note)) ?? { kind: 'no-answer' }
    },
    removeLeftovers: (printer, isOver) => removeUnfinished(resolve(dataFolder, printer.path), isOver),
    async print(context, signal) {
      if (signal.aborted) return { kind: 'not-started' }
      const folder = resolve(dataFolder, context.printer.path)
      const { label, range } = context
      const bytes = label.kind === 'pdf' ? await rasterizer.takePages(label.bytes, range) : ok(label.bytes)
      if (!bytes.ok) return nothingPrinted(bytes.error)
      if (context.cancelled.aborted) return { kind: 'cancelled' }
      const before = givenUp.get(folder)
      const since = before?.since ?? performance.now()
      const silent = silentError(folder, context.printer)
      // A label that was cancelled while its folder took labels is given up as well, for a moment.
      const isSilent = before !== undefined && performance.now() - since >= waits.note
      if (isSilent && context.hasStandby) return nothingPrinted(silent)

      const { promise: abandoned, resolve: abandon } = deferred<PrintOutcome>()
      let isAbandoned = false
      const giveUp = (outcome: PrintOutcome) => {
        isAbandoned = true
        givenUp.set(folder, { written, since })
        abandon(outcome)
      }
      const cancel = () => giveUp({ kind: 'cancelled' })
      const startNoteTimer = () =>
        setTimeout(() => context.progress({ code: 'still-on-its-way', says: silent.says ?? [] }), waits.note)
      let noteTimer = startNoteTimer()
      const giveUpTimer = setTimeout(() => {
        if (context.hasStandby) giveUp(nothingPrinted(silent))
      }, waits.giveUp)
      context.cancelled.addEventListener('abort', cancel, { once: true })
      const stopWaiting = () => {
        clearTimeout(noteTimer)
        clearTimeout(giveUpTimer)
        context.cancelled.removeEventListener('abort', cancel)
      }
      const claim = async () => {
        stopWaiting()
        // The label was cancelled, or its standby has it: this folder must not get it too, whenever the share answers.
        if (isAbandoned || !(await context.claim())) return false
        noteTimer = startNoteTimer()
        return true
      }
      const written = Promise.resolve(before?.written)
        .then(() => write(bytes.value, folder, { ...context, claim }))
        .finally(() => (givenUp.get(folder)?.written === written ? givenUp.delete(folder) : undefined))
      return await Promise.race([written, abandoned]).finally(stopWaiting)
    },
  }
}

/**
 * Checks whether labels can be written to a folder, or to the parent in which the first label creates it.
 * @throws the system's error
 */
export async function requireWritable(folder: string): Promise<void> {
  await requireWritableAt(await findNearest(folder))
}

async function requireWritableAt({ place, found }: Nearest): Promise<void> {
  // The slash fails for a file in place of the folder; Windows drops it, so that the next line checks it.
  await access(`${place}${sep}`, constants.W_OK)
  if (found?.isDirectory() === false) throw new Error(`ENOTDIR: not a directory, '${place}'`)
}

/** A folder or its nearest existing parent; `found` is undefined when not even the root answers. */
interface Nearest {
  place: string
  found: Stats | undefined
}

async function findNearest(folder: string): Promise<Nearest> {
  const found = await stat(folder).catch(() => undefined)
  const parent = dirname(folder)
  return found === undefined && parent !== folder ? findNearest(parent) : { place: folder, found }
}

/**
 * Writes the label under a temporary name that no other program reads: an error here means that nothing was printed.
 */
async function writeUnfinished(unfinished: string, bytes: Buffer): Promise<void> {
  await writeSynced(unfinished, bytes, 0o600, 'wx').catch(async (error: unknown) => {
    if (!['ENOENT', 'EEXIST'].includes(systemCode(error))) throw error
    await mkdir(dirname(unfinished), { recursive: true, mode: 0o700 })
    // An earlier try of the job may have left this file when its share was disconnected.
    await rm(unfinished, { force: true })
    await writeSynced(unfinished, bytes, 0o600, 'wx')
  })
  // A full share can truncate a file without an error.
  const written = await readPlain(unfinished, bytes.length)
  if (written === 'too-large' || !written.equals(bytes)) throw new ContentMismatch()
}

/** Gives the complete file its final name. @throws the system's error when it certainly has none */
async function publishFile(
  unfinished: string,
  folder: string,
  { label, printer, accepted }: PrintContext<FolderPrinter>,
): Promise<PrintOutcome> {
  try {
    const outputPath = await linkToFreeName(unfinished, folder, {
      name: labelFileName(label.reference, label.barcode),
      extension: label.kind === 'zpl' ? '.zpl' : '.pdf',
    })
    // The file exists: an error of the sync must not fail the job, or the label is written twice.
    await syncFolder(folder).catch(() => undefined)
    accepted()
    return { kind: 'done', outputPath }
  } catch (error) {
    const code = systemCode(error)
    if (code === '' || notNamedErrors.includes(code)) throw error
    return unconfirmed(printer, { code: 'connection-broke', words: code })
  }
}

async function linkToFreeName(
  file: string,
  folder: string,
  { name, extension }: { name: string; extension: string },
): Promise<string> {
  for (let number = 1; number <= maxFilesOfOneName; number += 1) {
    const target = join(folder, `${name}${number === 1 ? '' : `-${number}`}${extension}`)
    try {
      await linkOrRename(file, target)
      return target
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
    }
  }
  throw new Error(`there are ${maxFilesOfOneName} files called ${name}`)
}

/** A link, unlike a rename, fails when the name exists: two writers never overwrite each other's file. */
async function linkOrRename(file: string, target: string): Promise<void> {
  try {
    await link(file, target)
  } catch (error) {
    const code = systemCode(error)
    // If a share's answer is lost, the system repeats the request and finds the name taken by this same file.
    if (code === 'EEXIST' && (await stat(file)).nlink > 1) return
    if (!noLinkErrors.includes(code)) throw error
    await reserveAndRename(file, target)
  }
}

/** Without hard links, an empty file reserves the name, and the complete file replaces it atomically. */
async function reserveAndRename(file: string, target: string): Promise<void> {
  const handle = await open(target, 'wx', 0o600)
  await handle.close()
  try {
    await rename(file, target)
  } catch (error) {
    await rm(target, { force: true })
    throw error
  }
}

/** The mount point of each folder that is on a file system of its own, such as a share. */
const sharesSchema = z.record(z.string(), z.string())

/**
 * Detects a share that is no longer mounted. A label that is written to the empty mount point instead looks printed and
 * never reaches the share. The mount points are kept over a restart, since the app may start without the network.
 */
function createMountCheck(dataFolder: string) {
  const file = join(dataFolder, 'print-folders.json')
  let stored: Promise<Record<string, string>> | undefined
  let dataFolderMount: string | undefined
  /** The device of each folder, or of its nearest existing parent, at the last successful check. */
  const devices = new Map<string, number>()

  async function read(): Promise<Record<string, string>> {
    const text = await readFile(file, 'utf8').catch(() => '{}')
    try {
      return sharesSchema.parse(JSON.parse(text))
    } catch {
      // The mount points are read again from the folders.
      return {}
    }
  }

  async function checkMount(folder: string): Promise<void> {
    const mount = await findMount(folder)
    stored ??= read()
    const shares = await stored
    const known = shares[folder]
    if (known !== undefined && known.length > mount.length) throw new ShareNotMounted()
    // Read once: printers are polled all day, and each stat wakes two threads.
    dataFolderMount ??= await findMount(dataFolder)
    if (known === mount || mount === dataFolderMount) return
    shares[folder] = mount
    // A full data folder must not stop the label: this run knows the mount point, and the next one reads it again.
    await replaceSynced(file, JSON.stringify(shares), 0o600).catch(() => undefined)
  }

  return {
    /** @throws ENOTCONN when the folder was on a file system that is no longer mounted */
    async requireMounted(folder: string): Promise<Nearest> {
      const nearest = await findNearest(folder)
      const device = nearest.found?.dev
      // The device is unchanged since the last check, so the parents are not read again. This also holds for a folder
      // that the first label will create: its nearest parent is checked.
      if (device !== undefined && devices.get(folder) === device) return nearest
      await checkMount(folder)
      if (device !== undefined) devices.set(folder, device)
      return nearest
    },
  }
}

class ShareNotMounted extends Error {
  readonly code = 'ENOTCONN'
}

/** The mount point of a folder, or of its nearest existing parent. */
async function findMount(folder: string): Promise<string> {
  const folders = [folder, ...listParents(folder)]
  // All at once: each single answer would wake the main thread, and printers are polled all day.
  const results = await Promise.allSettled(folders.map((each) => stat(each)))
  const first = results.findIndex(({ status }) => status === 'fulfilled')
  let mount = folders[0]
  let device: number | undefined
  for (const [index, result] of results.entries()) {
    if (index < first) continue
    if (result.status === 'rejected') throw result.reason
    if (device !== undefined && result.value.dev !== device) break
    mount = folders[index]
    device = result.value.dev
  }
  return mount ?? folder
}

/** The parent folders, nearest first. */
function listParents(folder: string): string[] {
  const parent = dirname(folder)
  return parent === folder ? [] : [parent, ...listParents(parent)]
}

class ContentMismatch extends Error {
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

function silentError(folder: string, printer: FolderPrinter): AppError {
  const details = { case: 'print-folder-silent', printer: getPrinterName(printer), folder } as const
  return appError('folder-not-writable', details, [{ code: 'folder-silent', words: folder }])
}

/** File systems take names of 255 bytes; the rest is for `-99.pdf` and for tools that copy files under longer names. */
const maxReferenceBytes = 100
const maxBarcodeBytes = 80
// Windows reserves these names for devices, whatever follows the first point, and ignores spaces before it.
const deviceName = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)/i
// Separators and characters that Windows forbids; control and format characters, which can hide or reverse parts of a
// name.
const forbidden = /[<>:"/\\|?*\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * A file name, without extension, that is valid on Windows, macOS and Linux and can't name another folder.
 * @param reference any text; so is the barcode
 */
export function labelFileName(reference: string, barcode: string): string {
  const parts = [clean(reference, maxReferenceBytes), clean(barcode, maxBarcodeBytes)]
  const name = parts.filter((part) => part !== '').join('-')
  if (name === '') return 'label'
  return deviceName.test(name) ? `_${name}` : name
}

function clean(text: string, maxBytes: number): string {
  const harmless = toNormalForm(text, 'NFC').replace(forbidden, '_')
  // A leading dot hides a file, a leading dash reads as a switch, Windows drops trailing dots and spaces.
  return trimEnd(truncate(harmless.replace(/^[\s.-]+/u, ''), maxBytes))
}

function trimEnd(text: string): string {
  return text.replace(/[\s.]+$/u, '')
}

/** Truncates between characters. */
function truncate(text: string, maxBytes: number): string {
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

/** The temporary name of a job's file until it is complete. */
export function unfinishedName(jobId: string): string {
  return `.${jobId}.part`
}

/**
 * Removes the temporary files of this station's ended jobs only: other stations may write into the same folder. A
 * folder that can't be read is skipped.
 */
async function removeUnfinished(
  folder: string,
  isOver: (jobId: string) => Promise<boolean>,
): Promise<number> {
  let removed = 0
  for (const name of await readdir(folder).catch(() => [])) {
    const jobId = unfinished.exec(name)?.[1]
    if (jobId === undefined || !(await isOver(jobId))) continue
    await rm(join(folder, name), { force: true })
    removed += 1
  }
  return removed
}
