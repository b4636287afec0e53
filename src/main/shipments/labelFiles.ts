import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, statfs } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { LabelKind } from '../../shared/shipment'
import { syncFolder, writeSynced } from '../files/synced'
import { type StoredCreation, storedCreationSchema } from './storedCreation'

const extensionOf: Record<LabelKind, string> = { pdf: 'pdf', zpl: 'zpl', other: 'bin' }
const creationFile = 'shipment.json'
const shipmentFolder = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export interface FileDescription {
  /** Path below the labels folder. */
  file: string
  sha256: string
  byteLength: number
}

/** The labels folder: a subfolder per shipment with its labels, byte for byte, and what the service said. */
export interface LabelFiles {
  /** Where a label's file is to lie, and how it will be known again. Writes nothing. */
  describe(shipmentId: string, position: number, kind: LabelKind, bytes: Buffer): FileDescription
  /** Writes one label's bytes; they are on the disk when the promise resolves. Throws when that is impossible. */
  write(file: string, bytes: Buffer): Promise<void>
  /** Writes what the service said; it is on the disk when the promise resolves. */
  writeCreation(shipmentId: string, creation: StoredCreation): Promise<void>
  /** What `writeCreation` wrote; undefined when there is nothing whole. */
  readCreation(shipmentId: string): Promise<StoredCreation | undefined>
  /** Reads a label and checks that it is the one that was written. */
  read(file: string, sha256: string): Promise<Result<Buffer>>
  remove(shipmentId: string): Promise<void>
  /** How many shipments have a folder. */
  count(): Promise<number>
  /** Free room of the disk, in bytes. */
  freeBytes(): Promise<number>
}

/**
 * Opens the labels folder.
 * @param folder absolute path; it is made when it does not exist
 */
export function createLabelFiles(folder: string): LabelFiles {
  return {
    describe: (shipmentId, position, kind, bytes) => ({
      file: `${shipmentId}/${position}.${extensionOf[kind]}`,
      sha256: digestOf(bytes),
      byteLength: bytes.length,
    }),
    async write(file, bytes) {
      const path = join(folder, file)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await writeDurably(path, bytes)
      await syncFolder(dirname(path))
    },
    async writeCreation(shipmentId, creation) {
      await mkdir(join(folder, shipmentId), { recursive: true, mode: 0o700 })
      await writeDurably(join(folder, shipmentId, creationFile), Buffer.from(JSON.stringify(creation)))
      await syncFolder(join(folder, shipmentId))
      await syncFolder(folder)
    },
    async readCreation(shipmentId) {
      try {
        const text = await readFile(join(folder, shipmentId, creationFile), 'utf8')
        return storedCreationSchema.parse(JSON.parse(text))
      } catch {
        // Missing or cut off: the crash came before it was whole, so nothing is known.
        return undefined
      }
    },
    read: (file, sha256) => readChecked(join(folder, file), sha256),
    async remove(shipmentId) {
      await rm(join(folder, shipmentId), { recursive: true, force: true })
    },
    async count() {
      const entries = await readdir(folder, { withFileTypes: true })
      return entries.filter((entry) => entry.isDirectory() && shipmentFolder.test(entry.name)).length
    },
    async freeBytes() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const room = await statfs(folder)
      return room.bavail * room.bsize
    },
  }
}

async function readChecked(path: string, sha256: string): Promise<Result<Buffer>> {
  try {
    const bytes = await readFile(path)
    if (digestOf(bytes) === sha256) return ok(bytes)
    return err(unreadable(path, 'it is not the file that was stored'))
  } catch (error) {
    return err(unreadable(path, error instanceof Error ? error.message : String(error)))
  }
}

function unreadable(path: string, reason: string) {
  return appError(
    'label-unreadable',
    `The label file ${path} can't be used: ${reason}. Put it back from a copy, or ask the carrier for the label.`,
    { path, reason },
  )
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** A file under its own name is always whole: it is written beside it and renamed. */
async function writeDurably(path: string, bytes: Buffer): Promise<void> {
  const part = `${path}.part`
  await writeSynced(part, bytes, 0o600)
  await rename(part, path)
}
