import { mkdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { z } from 'zod'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { LabelKind } from '../../shared/shipments'
import { toSha256 } from '../lib/hash'
import { adoptUnfinished, replaceSynced, syncFolder, systemCode, unfinished } from '../lib/synced'
import { toReason } from '../lib/toReason'
import {
  type KeptAnswer,
  keptAnswerSchema,
  type StoredCreation,
  type StoredOrder,
  storedCreationSchema,
} from './storedFiles'

const fileExtensions: Record<LabelKind, string> = { pdf: 'pdf', zpl: 'zpl', other: 'bin' }
const orderFile = 'order.json'
const answerFile = 'answer.json'
const creationFile = 'shipment.json'
const probeFolder = '.probe'
const ownerOnly = 0o600
const missingCodes = ['ENOENT', 'ENOTDIR', 'EISDIR']

interface FileDescription {
  /** Path below the labels folder. */
  file: string
  sha256: string
  byteLength: number
}

/**
 * The labels folder: a subfolder per shipment with the order, the service's answer, and what is made of the answer:
 * its labels byte for byte and a summary. docs/decisions/0003-shipment-creation.md tells which of them are synced, and why.
 */
export interface LabelFiles {
  /** Absolute path of the labels folder. */
  folder: string
  /**
   * Makes a shipment's folder and writes its order there, both durable: the proof that the disk takes files, and what
   * is left of the order when the database is lost. Throws when the disk refuses.
   */
  writeOrder(shipmentId: string, order: StoredOrder): Promise<void>
  /** Tries whether the disk takes files, and leaves none. Throws when it does not. */
  probe(): Promise<void>
  /** Writes the service's answer; it is on the disk when the promise resolves. Throws when the disk refuses. */
  writeAnswer(shipmentId: string, answer: KeptAnswer): Promise<void>
  /** What `writeAnswer` wrote; undefined when there is nothing whole. Throws when it can't be read. */
  readAnswer(shipmentId: string): Promise<KeptAnswer | undefined>
  /** Where a label's file is to lie, and how it will be known again. Writes nothing. */
  describe(shipmentId: string, position: number, kind: LabelKind, bytes: Buffer): FileDescription
  /**
   * Writes one label's bytes. Throws when the disk refuses.
   * @param durable whether they are on the disk when the promise resolves; needless when an answer holds them
   */
  write(file: string, bytes: Buffer, durable: boolean): Promise<void>
  /** Writes the summary of what the service said; `durable` as for `write`. */
  writeCreation(shipmentId: string, creation: StoredCreation, durable: boolean): Promise<void>
  /** What `writeCreation` wrote; undefined when there is nothing whole. Throws when it can't be read. */
  readCreation(shipmentId: string): Promise<StoredCreation | undefined>
  /** Reads a label and checks that it is the one that was written. */
  read(file: string, sha256: string): Promise<Result<Buffer>>
  remove(shipmentId: string): Promise<void>
  /** Free room of the disk, in bytes. */
  freeBytes(): Promise<number>
}

/**
 * Opens the labels folder.
 * @param folder absolute path; it is made when it does not exist
 */
export function createLabelFiles(folder: string): LabelFiles {
  const place = (shipmentId: string, name: string) => join(folder, shipmentId, name)

  async function put(path: string, content: string | Buffer, durable: boolean): Promise<void> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    if (durable) {
      await replaceSynced(path, content, ownerOnly)
      await syncFolder(folder)
    } else {
      await writeFile(unfinished(path), content, { mode: ownerOnly })
      await rename(unfinished(path), path)
    }
  }

  return {
    folder,
    writeOrder: (shipmentId, order) =>
      put(place(shipmentId, orderFile), JSON.stringify({ version: 1, ...order }), true),
    async probe() {
      await put(place(probeFolder, orderFile), '{}', true)
      await rm(join(folder, probeFolder), { recursive: true })
    },
    async writeAnswer(shipmentId, answer) {
      // The order lies in the folder already, so the folder itself is durable.
      await mkdir(join(folder, shipmentId), { recursive: true, mode: 0o700 })
      await replaceSynced(place(shipmentId, answerFile), JSON.stringify(answer), ownerOnly)
    },
    readAnswer: (shipmentId) => readWhole(place(shipmentId, answerFile), keptAnswerSchema),
    describe: (shipmentId, position, kind, bytes) => ({
      file: `${shipmentId}/${position}.${fileExtensions[kind]}`,
      sha256: toSha256(bytes),
      byteLength: bytes.length,
    }),
    write: (file, bytes, durable) => put(join(folder, file), bytes, durable),
    writeCreation: (shipmentId, creation, durable) =>
      put(place(shipmentId, creationFile), JSON.stringify(creation), durable),
    readCreation: (shipmentId) => readWhole(place(shipmentId, creationFile), storedCreationSchema),
    read: (file, sha256) => readChecked(join(folder, file), sha256),
    async remove(shipmentId) {
      await rm(join(folder, shipmentId), { recursive: true, force: true })
    },
    async freeBytes() {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const room = await statfs(folder)
      return room.bavail * room.bsize
    },
  }
}

/** Reads a JSON file; one that a crash left whole under its unfinished name gets its own name first. */
async function readWhole<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  return (await parsed(path, schema)) ?? (await adopted(path, async (part) => parsed(part, schema)))
}

/** The content of a file; undefined when it is missing, cut off, or not what it should be. Throws when it can't be read. */
async function parsed<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  const text = await toText(path)
  if (text === undefined) return undefined
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** A failure of the disk or of the system may pass: only a file that is not there is missing. */
async function toText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (missingCodes.includes(systemCode(error))) return undefined
    throw error
  }
}

/** Reads the unfinished file of a path, and gives it its name when it is whole and nothing whole has that name. */
async function adopted<Content>(
  path: string,
  read: (part: string) => Promise<Content | undefined>,
): Promise<Content | undefined> {
  const content = await read(unfinished(path))
  if (content !== undefined) await adoptUnfinished(path).catch(() => undefined)
  return content
}

async function readChecked(path: string, sha256: string): Promise<Result<Buffer>> {
  try {
    const bytes = await readFile(path)
    if (toSha256(bytes) === sha256) return ok(bytes)
    const whole = await adopted(path, (part) => matching(part, sha256))
    return whole === undefined ? err(unreadable(path, 'it is not the file that was stored')) : ok(whole)
  } catch (error) {
    const whole = await adopted(path, (part) => matching(part, sha256))
    return whole === undefined ? err(unreadable(path, toReason(error))) : ok(whole)
  }
}

async function matching(path: string, sha256: string): Promise<Buffer | undefined> {
  const bytes = await readFile(path).catch(() => undefined)
  return bytes !== undefined && toSha256(bytes) === sha256 ? bytes : undefined
}

function unreadable(path: string, reason: string) {
  return appError('label-unreadable', { case: 'stored-file', path, reason })
}
