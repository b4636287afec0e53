import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { AppError } from '../../../shared/errors'
import { appError } from '../../../shared/errors'
import type { FolderPrinter } from '../../../shared/printing'
import { ok } from '../../../shared/result'
import { syncFolder, writeSynced } from '../../lib/synced'
import { nameOfPrinter } from '../queue/routing'
import type { Rasterizer } from '../raster/rasterizer'
import type { PrintContext, PrinterDriver } from './driver'
import { nothingPrinted } from './driver'
import { labelFileName } from './fileName'
import { unfinishedName } from './folderLeftovers'

/** So many files of one name mean that something else is wrong. */
const maxFilesOfOneName = 10_000
/** What FAT and some network folders answer; Windows calls it EISDIR. */
const noLinksHere = ['EPERM', 'ENOSYS', 'ENOTSUP', 'EOPNOTSUPP', 'EISDIR']

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
  return {
    cancellable: false,
    async print(context, signal) {
      if (signal.aborted) return { kind: 'not-started' }
      const folder = path.resolve(dataFolder, context.printer.path)
      const { label, range } = context
      const bytes = label.kind === 'pdf' ? await rasterizer.takePages(label.bytes, range) : ok(label.bytes)
      if (!bytes.ok) return nothingPrinted(bytes.error)
      if (!(await context.begin())) return { kind: 'not-started' }
      try {
        const outputPath = await writeLabel(folder, context, bytes.value)
        context.accepted()
        return { kind: 'done', outputPath }
      } catch (error) {
        return nothingPrinted(folderError(error, folder, context.printer))
      }
    },
  }
}

async function writeLabel(
  folder: string,
  { label, jobId }: PrintContext<FolderPrinter>,
  bytes: Buffer,
): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const unfinished = path.join(folder, unfinishedName(jobId))
  try {
    await writeSynced(unfinished, bytes, 0o600, 'wx')
    // A full share can cut a file without an error.
    const written = await readFile(unfinished)
    if (!written.equals(bytes)) throw new WrittenDifferently()
    const outputPath = await giveFreeName(unfinished, folder, {
      name: labelFileName(label.reference, label.barcode),
      extension: label.kind === 'zpl' ? '.zpl' : '.pdf',
    })
    // The file is there, so a folder that can't be synced must not make this a failure and the label a second file.
    await syncFolder(folder).catch(() => undefined)
    return outputPath
  } finally {
    // Nor must one that can't be removed: it is litter, and goes at the next start.
    await rm(unfinished, { force: true }).catch(() => undefined)
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
      if (getCode(error) !== 'EEXIST') throw error
    }
  }
  throw new Error(`there are ${maxFilesOfOneName} files called ${name}`)
}

/** A link, unlike a rename, fails when the name is taken, so that two writers never end up in one file. */
async function putInPlace(file: string, target: string): Promise<void> {
  try {
    await link(file, target)
  } catch (error) {
    if (!noLinksHere.includes(getCode(error))) throw error
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

class WrittenDifferently extends Error {
  readonly code = 'written differently'
}

function folderError(error: unknown, folder: string, printer: FolderPrinter): AppError {
  const code = getCode(error)
  const details = { printer: nameOfPrinter(printer), folder, reason: code }
  if (['ENOSPC', 'EDQUOT'].includes(code)) {
    return appError('disk-full', { ...details, case: 'print-folder' })
  }
  return appError('folder-not-writable', { ...details, case: 'print-folder' })
}

function getCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
}
