import { hash } from 'node:crypto'
import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import {
  carrierLimitsSchema,
  type LabelKind,
  labelSchema,
  recordedDraftSchema,
  shipmentOriginSchema,
} from '../../shared/shipments'
import {
  adoptUnfinished,
  joinNames,
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

export type ShipmentFiles = ReturnType<typeof createShipmentFiles>

/**
 * The labels folder. It has a subfolder per shipment with the order, the service's answer, and two kinds of files made from
 * the answer: the labels, byte for byte, and a summary. docs/decisions/0003-shipment-creation.md explains which of them are
 * synced. All methods throw when the disk refuses a file, unless they say otherwise.
 * @param folder absolute path; created if it does not exist
 */
export function createShipmentFiles(folder: string) {
  const toPath = (...names: readonly string[]) => joinNames(folder, ...names)
  const toLabelPath = (file: string) => toPath(...file.split('/'))

  /** A crash may leave a part of a file that is not durable; `readJson` and `readChecked` reject it. */
  function putFile(path: string, content: string | Buffer, durable: boolean): Promise<void> {
    return inFolder(dirname(path), async () => {
      if (!durable) return writeFile(path, content, { mode: ownerOnly })
      await replaceSynced(path, content, ownerOnly)
      await syncFolder(folder)
    })
  }

  /** Writes a JSON file, durably. A crash may leave a part of it; `readJson` rejects that. */
  function putJson(
    shipmentId: string,
    name: string,
    content: object,
    folders: readonly string[],
  ): Promise<void> {
    const subfolder = toPath(shipmentId)
    return writeSyncedIn([subfolder, ...folders], join(subfolder, name), JSON.stringify(content), ownerOnly)
  }

  async function putOrder(shipmentId: string, content: object): Promise<void> {
    await mkdir(toPath(shipmentId), { recursive: true, mode: 0o700 })
    await putJson(shipmentId, orderFile, content, [folder])
  }

  return {
    /** Absolute path of the labels folder. */
    folder,

    /**
     * Creates a shipment's folder and writes its order there, both durably. This proves that the disk takes files, and
     * preserves the order if the database is lost.
     */
    writeOrder: (shipmentId: string, order: StoredOrder): Promise<void> =>
      putOrder(shipmentId, { version: 1, ...order }),

    /** Proves that the disk takes files; leaves none behind. */
    async probe(): Promise<void> {
      await putOrder(probeFolder, {})
      await rm(toPath(probeFolder), { recursive: true })
    },

    /** Writes the service's answer, durably. `writeOrder` has made the folder itself durable. */
    writeAnswer: async (shipmentId: string, answer: StoredAnswer): Promise<void> =>
      inFolder(toPath(shipmentId), () => putJson(shipmentId, answerFile, answer, [])),

    /** Replaces a stored answer: a failure or a crash leaves the old one, the only proof of what the service answered. */
    replaceAnswer: async (shipmentId: string, answer: StoredAnswer): Promise<void> =>
      replaceSynced(toPath(shipmentId, answerFile), JSON.stringify(answer), ownerOnly),

    /** What `writeAnswer` wrote; undefined if it is missing or incomplete. */
    readAnswer: async (shipmentId: string) => readJson(toPath(shipmentId, answerFile), storedAnswerSchema),

    /** The path and checksum under which a label will be written. Writes nothing. */
    describe: (shipmentId: string, position: number, kind: LabelKind, bytes: Buffer) => ({
      file: `${shipmentId}/${position}.${fileExtensions[kind]}`,
      sha256: hash('sha256', bytes),
      byteLength: bytes.length,
    }),

    /**
     * Writes one label's bytes.
     * @param durable whether to sync the file; not needed if a durable answer contains the label
     */
    write: async (file: string, bytes: Buffer, durable: boolean): Promise<void> =>
      putFile(toLabelPath(file), bytes, durable),

    /** Writes the summary of the service's answer; `durable` as for `write`. */
    writeCreation: async (shipmentId: string, creation: StoredCreation, durable: boolean): Promise<void> =>
      putFile(toPath(shipmentId, creationFile), JSON.stringify(creation), durable),

    /** What `writeCreation` wrote; undefined if it is missing or incomplete. */
    readCreation: async (shipmentId: string) =>
      readJson(toPath(shipmentId, creationFile), storedCreationSchema),

    /** Reads a label and compares its checksum. Does not throw. */
    async read(file: string, sha256: string): Promise<Result<Buffer>> {
      try {
        return await readChecked(toLabelPath(file), sha256)
      } catch (error) {
        return err(toUnreadableError(join(folder, file), toReason(error)))
      }
    },

    async remove(shipmentId: string): Promise<void> {
      await rm(toPath(shipmentId), { recursive: true, force: true })
    },

    /** Free space on the disk, in bytes. */
    async freeBytes(): Promise<number> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const room = await statfs(folder)
      return room.bavail * room.bsize
    },
  }
}

/** Runs `work`; if the folder is missing, creates it and runs `work` again. */
async function inFolder<Value>(folder: string, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return work()
  }
}

/** Reads a JSON file; undefined if it is missing, incomplete, or does not match the schema. */
function readJson<Schema extends z.ZodType>(
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

/** Undefined only if the file does not exist. Other errors are thrown, because they may be temporary. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (missingCodes.includes(systemCode(error))) return undefined
    throw error
  }
}

/** Reads a file; if a crash left it complete under its unfinished name (`.part`), renames that one. */
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
      return hash('sha256', found) === sha256 ? found : undefined
    } catch (error) {
      if (file === path) reason = toReason(error)
      return undefined
    }
  })
  return bytes === undefined ? err(toUnreadableError(path, reason)) : ok(bytes)
}

function toUnreadableError(path: string, reason: string): AppError {
  return appError('label-unreadable', { case: 'stored-file', path, reason })
}

/** A label with the location of its file. */
const storedLabelSchema = labelSchema.extend({
  /** Path below the labels folder; null when there is no content. */
  file: z.string().nullable(),
  sha256: z.string().nullable(),
})
export type StoredLabel = z.infer<typeof storedLabelSchema>

/** `order.json`: the shipment as the journal has it before the request. */
export const storedOrderSchema = z.object({
  attemptId: z.string(),
  origin: shipmentOriginSchema,
  /** The operator; missing in files of older versions. */
  operator: z.string().nullable().optional(),
  print: z.boolean(),
  takenAt: z.iso.datetime(),
  draft: recordedDraftSchema,
})
export type StoredOrder = z.infer<typeof storedOrderSchema>

/**
 * `shipment.json`: a summary of the answer, written before the database is. A lost database is rebuilt from it; crashes of
 * versions without `answer.json` are finished from it.
 */
export const storedCreationSchema = z.object({
  version: z.literal(1),
  /** Whether the service clearly stated that the shipment exists; `unclear` needs a person to resolve it. */
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
  /** From which a lost database is rebuilt; missing in files of older versions. */
  order: storedOrderSchema.optional(),
})
export type StoredCreation = z.infer<typeof storedCreationSchema>

/**
 * `answer.json`: the service's answer as received, without secrets. It is written before anything else is done with the
 * answer. Label files, `shipment.json`, rows and print jobs are made from it, and can be made again.
 */
const storedAnswerSchema = z.object({
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
export type StoredAnswer = z.infer<typeof storedAnswerSchema>
