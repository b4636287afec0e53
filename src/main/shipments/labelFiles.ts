import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import {
  carrierLimitsSchema,
  type LabelKind,
  labelSchema,
  recordedDraftSchema,
  shipmentOriginSchema,
} from '../../shared/shipments'
import { toSha256 } from '../lib/hash'
import {
  adoptUnfinished,
  replaceSynced,
  syncFolder,
  systemCode,
  unfinished,
  writeSyncedIn,
} from '../lib/synced'
import { toReason } from '../lib/toReason'

const fileExtensions: Record<LabelKind, string> = { pdf: 'pdf', zpl: 'zpl', other: 'bin' }
const orderFile = 'order.json'
const answerFile = 'answer.json'
const creationFile = 'shipment.json'
const probeFolder = '.probe'
const ownerOnly = 0o600
const missingCodes = ['ENOENT', 'ENOTDIR', 'EISDIR']

export type LabelFiles = ReturnType<typeof createLabelFiles>

/**
 * The labels folder: a subfolder per shipment with the order, the service's answer, and what is made of the answer:
 * its labels byte for byte and a summary. docs/decisions/0003-shipment-creation.md tells which of them are synced, and why.
 * All of it throws when the disk refuses.
 * @param folder absolute path; it is made when it does not exist
 */
export function createLabelFiles(folder: string) {
  const place = (shipmentId: string, name: string) => join(folder, shipmentId, name)

  /** A crash may leave a part of a file that is not durable, which nobody takes for it: see `readWhole` and `readChecked`. */
  function put(path: string, content: string | Buffer, durable: boolean): Promise<void> {
    return inFolder(dirname(path), async () => {
      if (!durable) return writeFile(path, content, { mode: ownerOnly })
      await replaceSynced(path, content, ownerOnly)
      await syncFolder(folder)
    })
  }

  /** Writes a JSON file, durable. A crash may leave a part of it, which nobody takes for the file: see `readWhole`. */
  function putJson(
    shipmentId: string,
    name: string,
    content: object,
    folders: readonly string[],
  ): Promise<void> {
    const own = join(folder, shipmentId)
    return writeSyncedIn([own, ...folders], join(own, name), JSON.stringify(content), ownerOnly)
  }

  async function putOrder(shipmentId: string, content: object): Promise<void> {
    await mkdir(join(folder, shipmentId), { recursive: true, mode: 0o700 })
    await putJson(shipmentId, orderFile, content, [folder])
  }

  return {
    /** Absolute path of the labels folder. */
    folder,

    /**
     * Makes a shipment's folder and writes its order there, both durable: the proof that the disk takes files, and what
     * is left of the order when the database is lost.
     */
    writeOrder: (shipmentId: string, order: StoredOrder): Promise<void> =>
      putOrder(shipmentId, { version: 1, ...order }),

    /** Tries whether the disk takes files, and leaves none. */
    async probe(): Promise<void> {
      await putOrder(probeFolder, {})
      await rm(join(folder, probeFolder), { recursive: true })
    },

    /**
     * Writes the service's answer; it is on the disk when the promise resolves. The order lies in the folder already, so the
     * folder itself is durable.
     */
    writeAnswer: (shipmentId: string, answer: KeptAnswer): Promise<void> =>
      inFolder(join(folder, shipmentId), () => putJson(shipmentId, answerFile, answer, [])),

    /** What `writeAnswer` wrote; undefined when there is nothing whole. */
    readAnswer: (shipmentId: string) => readWhole(place(shipmentId, answerFile), keptAnswerSchema),

    /** Where a label's file is to lie, and how it will be known again. Writes nothing. */
    describe: (shipmentId: string, position: number, kind: LabelKind, bytes: Buffer) => ({
      file: `${shipmentId}/${position}.${fileExtensions[kind]}`,
      sha256: toSha256(bytes),
      byteLength: bytes.length,
    }),

    /**
     * Writes one label's bytes.
     * @param durable whether they are on the disk when the promise resolves; needless when an answer holds them
     */
    write: (file: string, bytes: Buffer, durable: boolean): Promise<void> =>
      put(join(folder, file), bytes, durable),

    /** Writes the summary of what the service said; `durable` as for `write`. */
    writeCreation: (shipmentId: string, creation: StoredCreation, durable: boolean): Promise<void> =>
      put(place(shipmentId, creationFile), JSON.stringify(creation), durable),

    /** What `writeCreation` wrote; undefined when there is nothing whole. */
    readCreation: (shipmentId: string) => readWhole(place(shipmentId, creationFile), storedCreationSchema),

    /** Reads a label and checks that it is the one that was written. Does not throw. */
    read: (file: string, sha256: string) => readChecked(join(folder, file), sha256),

    async remove(shipmentId: string): Promise<void> {
      await rm(join(folder, shipmentId), { recursive: true, force: true })
    },

    /** Free room of the disk, in bytes. */
    async freeBytes(): Promise<number> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const room = await statfs(folder)
      return room.bavail * room.bsize
    },
  }
}

/** Does something in a folder, which is made where it is missing. */
async function inFolder<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return work()
  }
}

/** Reads a JSON file; undefined when it is missing, cut off, or not what it should be. */
function readWhole<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  return readOrAdopt(path, async (file) => {
    const text = await readText(file)
    try {
      return text === undefined ? undefined : schema.parse(JSON.parse(text))
    } catch {
      return undefined
    }
  })
}

/** A failure of the disk or of the system may pass: only a file that is not there is missing. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (missingCodes.includes(systemCode(error))) return undefined
    throw error
  }
}

/** Reads a file; one that a crash left whole under its unfinished name gets its own name first. */
async function readOrAdopt<Content>(
  path: string,
  read: (file: string) => Promise<Content | undefined>,
): Promise<Content | undefined> {
  const finished = await read(path)
  if (finished !== undefined) return finished
  const content = await read(unfinished(path))
  if (content !== undefined) await adoptUnfinished(path).catch(() => undefined)
  return content
}

async function readChecked(path: string, sha256: string): Promise<Result<Buffer>> {
  let reason = 'it is not the file that was stored'
  const bytes = await readOrAdopt(path, async (file) => {
    try {
      const found = await readFile(file)
      return toSha256(found) === sha256 ? found : undefined
    } catch (error) {
      if (file === path) reason = toReason(error)
      return undefined
    }
  })
  return bytes === undefined
    ? err(appError('label-unreadable', { case: 'stored-file', path, reason }))
    : ok(bytes)
}

/** A label as it lies on the disk. */
const storedLabelSchema = labelSchema.extend({
  /** Path below the labels folder; null when there is no content. */
  file: z.string().nullable(),
  sha256: z.string().nullable(),
})
export type StoredLabel = z.infer<typeof storedLabelSchema>

/** What was shipped, as the journal knew it before the request. */
export const storedOrderSchema = z.object({
  attemptId: z.string(),
  origin: shipmentOriginSchema,
  /** Who created it; files of older versions lack it. */
  operator: z.string().nullable().optional(),
  print: z.boolean(),
  takenAt: z.iso.datetime(),
  draft: recordedDraftSchema,
})
export type StoredOrder = z.infer<typeof storedOrderSchema>

/**
 * What the service said of a shipment, as it is written before its labels and before the database learns of it.
 * After a crash in between, the shipment is finished from this file and not asked for again.
 */
export const storedCreationSchema = z.object({
  version: z.literal(1),
  /** Whether the service said so clearly that the shipment exists; `unclear` leaves it to a person. */
  certainty: z.enum(['created', 'unclear']),
  receivedAt: z.iso.datetime(),
  storedAt: z.iso.datetime(),
  barcodes: z.array(z.string()),
  serviceShipmentId: z.string().nullable(),
  zendingId: z.string().nullable(),
  subLogId: z.string().nullable(),
  logId: z.string().nullable(),
  message: z.string().nullable(),
  trackingUrl: z.string().nullable(),
  /** The label's URL, encrypted by the vault's cipher: the URL itself is a secret. */
  sealedLabelUrl: z.string().nullable(),
  limits: carrierLimitsSchema.nullable(),
  labels: z.array(storedLabelSchema),
  /** The journal is rebuilt from it when the database is lost; files of older versions lack it. */
  order: storedOrderSchema.optional(),
})
export type StoredCreation = z.infer<typeof storedCreationSchema>

/**
 * `answer.json`: the service's answer as it came, without secrets. It is written in one piece before anything else is
 * done with the answer; label files, `shipment.json`, rows and print jobs are made from it, and made again if need be.
 */
const keptAnswerSchema = z.object({
  version: z.literal(1),
  host: z.string(),
  delivery: z.enum(['in-answer', 'by-url']),
  status: z.int(),
  receivedAt: z.iso.datetime(),
  /** The label's URL, encrypted by the vault's cipher; null without one, or without a cipher. */
  sealedLabelUrl: z.string().nullable(),
  content: z.record(z.string(), z.unknown()).nullable(),
  text: z.string().nullable(),
  isCut: z.boolean().default(false),
})
export type KeptAnswer = z.infer<typeof keptAnswerSchema>
