import { type AppError, appError } from '../../shared/errors'
import { issueDetails } from '../../shared/inputIssues'
import { isLabelMissing, type LabelDefect } from '../../shared/shipments'
import {
  barcodesIn,
  type CarrierLabel,
  type Creation,
  type CreationOutcome,
  maxLabels,
  type ReceivedAnswer,
  type ReportedCreation,
  readCreationOutcome,
} from '../carrier/createShipment'
import type { EventBus } from '../lib/eventBus'
import { toHashedId } from '../lib/hashedId'
import { type BackOff, backOffMs } from '../lib/retry'
import { diskCause } from '../lib/synced'
import type { Log } from '../log/log'
import type { NewShipment, ShipmentRepository } from './repository'
import type { ShipmentFiles, StoredAnswer, StoredCreation, StoredLabel, StoredOrder } from './shipmentFiles'

/** Encrypts label URLs for the disk; null when the system offers no safe way. */
export interface UrlCipher {
  encrypt(text: string): string | null
  decrypt(encrypted: string): string | null
}

/** What is in memory only for a shipment. */
interface Held {
  /** The answer that the disk refused, and the error. */
  unwritten: { answer: StoredAnswer; reason: unknown } | null
  /** The running attempt to write it: two at a time would overwrite each other's unfinished file. */
  flushing: Promise<void> | null
  labelUrl: string | null
  /** An encrypted label URL that can't be decrypted now, for example because the keyring is locked. */
  encryptedUrl: string | null
}

interface ReceivedAnswersDeps {
  files: ShipmentFiles
  urlCipher: UrlCipher
  log: Log
  bus: Pick<EventBus, 'emit'>
  now: () => Date
}

/** Free space that a creation requires: the largest possible label, and the database. */
const minFreeBytes = 64 * 1024 * 1024

const diskCheckWaits: BackOff = { firstMs: 1000, maxMs: 15_000 }

export type ReceivedAnswers = ReturnType<typeof createReceivedAnswers>

/**
 * Writes what the service sent to the disk: first the whole answer, in one file, then the label files and the summary that
 * are made from it. Nothing may be sent while the disk refuses files. An answer that it refuses nevertheless stays in memory
 * until it can be written.
 */
export function createReceivedAnswers({ files, urlCipher, log, bus, now }: ReceivedAnswersDeps) {
  const held = new Map<string, Held>()
  /** The first attempts to write answers: a disk that hangs neither takes nor refuses them. */
  const firstWrites = new Map<string, { answer: StoredAnswer; ended: Promise<void> }>()
  let refusal: AppError | undefined
  let nextCheck: NodeJS.Timeout | undefined
  let isStopped = false

  function getHeld(shipmentId: string): Held {
    const existing = held.get(shipmentId)
    if (existing !== undefined) return existing
    const fresh: Held = { unwritten: null, flushing: null, labelUrl: null, encryptedUrl: null }
    held.set(shipmentId, fresh)
    return fresh
  }

  function holdUrl(shipmentId: string, url: string): void {
    getHeld(shipmentId).labelUrl = url
  }

  /** Without a cipher the URL stays in memory, so that the label can be fetched until the app closes. */
  function encryptUrl(shipmentId: string, url: string | null): string | null {
    if (url === null) return null
    const encrypted = tryEncrypt(shipmentId, url)
    if (encrypted === null) holdUrl(shipmentId, url)
    return encrypted
  }

  /** Never throws: a failing keyring must not prevent the answer from being written. */
  function tryEncrypt(shipmentId: string, url: string): string | null {
    try {
      return urlCipher.encrypt(url)
    } catch (error) {
      log.error(
        'the label URL of a shipment could not be encrypted; it stays in memory until the app closes',
        {
          shipmentId,
          reason: String(error),
        },
      )
      return null
    }
  }

  /** The label URL, decrypted or from memory; null when neither is available. */
  function decryptUrl(shipmentId: string, encrypted: string | null): string | null {
    return (
      (encrypted === null ? null : urlCipher.decrypt(encrypted)) ?? held.get(shipmentId)?.labelUrl ?? null
    )
  }

  /** The outcome that the answer of a shipment states, stored or unwritten; undefined when there is no answer. Throws when it can't be read. */
  async function readStoredOutcome(shipmentId: string): Promise<CreationOutcome | undefined> {
    const answer = held.get(shipmentId)?.unwritten?.answer ?? (await files.readAnswer(shipmentId))
    if (answer === undefined) return undefined
    const labelUrl = decryptUrl(shipmentId, answer.sealedLabelUrl)
    if (labelUrl === null && answer.sealedLabelUrl !== null) {
      getHeld(shipmentId).encryptedUrl = answer.sealedLabelUrl
    }
    return readCreationOutcome({ ...answer, receivedAt: new Date(answer.receivedAt), labelUrl })
  }

  /**
   * The ids of a shipment's labels by position, the same after the history was rebuilt from the answer: other stations of a fleet
   * have the label under its id, which older versions chose at random. Never throws.
   */
  async function findLabelIds(shipmentId: string): Promise<(position: number) => string> {
    const known = await files.readCreation(shipmentId).catch(() => undefined)
    return (position) =>
      known?.labels.find((label) => label.position === position)?.id ?? toHashedId([shipmentId, position])
  }

  /** The label's row, assuming that its file will be written. */
  function toStoredLabel(shipmentId: string, id: string, label: CarrierLabel, position: number): StoredLabel {
    const row = { id, position, barcode: label.barcode, kind: label.kind }
    if (label.bytes.length === 0) return { ...row, ...noFile, problem: label.problem ?? 'empty' }
    return {
      ...row,
      ...files.describe(shipmentId, position, label.kind, label.bytes),
      problem: label.problem,
    }
  }

  async function writeLabel(row: StoredLabel, label: CarrierLabel, durable: boolean): Promise<StoredLabel> {
    if (row.file === null) return row
    try {
      await files.write(row.file, label.bytes, durable)
      return row
    } catch (error) {
      log.error('a label file could not be written; it is written again later', {
        file: row.file,
        reason: String(error),
      })
      return { ...row, ...noFile, problem: 'not-stored' }
    }
  }

  /** Does not throw: the database is written next, and may be on another disk. */
  async function writeCreation(shipmentId: string, stored: StoredCreation, durable: boolean): Promise<void> {
    try {
      await files.writeCreation(shipmentId, stored, durable)
    } catch (error) {
      log.error('the summary of an answer (shipment.json) could not be written', {
        shipmentId,
        reason: String(error),
      })
    }
  }

  async function writeRefusedAnswer(shipmentId: string, entry: Held): Promise<void> {
    if (entry.unwritten === null) return
    try {
      await files.writeAnswer(shipmentId, entry.unwritten.answer)
      entry.unwritten = null
    } catch (reason) {
      if (entry.unwritten !== null) entry.unwritten.reason = reason
      throw reason
    }
  }

  /** Answers in memory that the disk refused, oldest first, each with the error of the last attempt to write it. */
  function listRefusedAnswers(): { shipmentId: string; answer: StoredAnswer; reason: unknown }[] {
    return [...held].flatMap(([shipmentId, { unwritten }]) =>
      unwritten === null ? [] : [{ shipmentId, ...unwritten }],
    )
  }

  async function writeOrHold(shipmentId: string, answer: StoredAnswer): Promise<void> {
    try {
      await files.writeAnswer(shipmentId, answer)
    } catch (reason) {
      getHeld(shipmentId).unwritten = { answer, reason }
      log.error('an answer could not be written; it stays in memory until the disk takes it', {
        shipmentId,
        reason: String(reason),
      })
    }
  }

  /** Removes the files of a shipment that does not exist at the service. Never throws. */
  async function discard(shipmentId: string): Promise<void> {
    held.delete(shipmentId)
    await files.remove(shipmentId).catch((error: unknown) => {
      log.warn('the folder of a shipment that was not created could not be removed', {
        shipmentId,
        reason: String(error),
      })
    })
  }

  /** @returns why the disk takes no files; undefined when `write` succeeds */
  async function findDiskError(write: () => Promise<void>): Promise<AppError | undefined> {
    try {
      const free = await files.freeBytes()
      if (free < minFreeBytes) {
        const megabytes = String(Math.floor(free / 1024 / 1024))
        return appError('disk-full', { case: 'too-little', megabytes })
      }
      await write()
      return undefined
    } catch (error) {
      return appError('labels-not-writable', { path: files.folder, ...issueDetails(diskCause(error)) })
    }
  }

  /** Reports a change, and checks the disk again and again until it takes files. */
  function setRefusal(found: AppError | undefined, failures: number): void {
    if (found?.message !== refusal?.message) {
      if (found === undefined) log.info('the labels folder is writable again')
      else log.error('the labels folder is not writable; nothing is sent', { reason: found.message })
      refusal = found
      bus.emit('statusOutdated')
    }
    clearTimeout(nextCheck)
    if (found === undefined || isStopped) return
    nextCheck = setTimeout(
      () => void findDiskError(() => files.probe()).then((error) => setRefusal(error, failures + 1)),
      backOffMs(diskCheckWaits, failures),
    )
    nextCheck.unref()
  }

  function findWaitingError(): AppError | undefined {
    const answers = listRefusedAnswers()
    const last = answers.at(-1)
    if (last === undefined) return undefined
    return appError('labels-waiting', {
      count: String(answers.length),
      ...issueDetails(diskCause(last.reason)),
    })
  }

  return {
    /**
     * Writes the order of a shipment, durably, before it is sent. This proves that the disk will take the answer.
     * @returns why nothing may be sent
     */
    async writeOrder(shipment: NewShipment): Promise<AppError | undefined> {
      const found =
        findWaitingError() ?? (await findDiskError(() => files.writeOrder(shipment.id, toOrder(shipment))))
      if (found === undefined) {
        setRefusal(undefined, 0)
        return undefined
      }
      await discard(shipment.id)
      if (listRefusedAnswers().length === 0) setRefusal(found, 0)
      return found
    },

    /** Why the disk takes no files now; undefined when it does. The disk is checked until it recovers. */
    diskError: () => findWaitingError() ?? refusal,

    stop(): void {
      isStopped = true
      clearTimeout(nextCheck)
    },

    /** Writes an answer, or holds it in memory if the disk refuses it. Never throws. */
    async storeAnswer(shipmentId: string, answer: ReceivedAnswer): Promise<void> {
      const { labelUrl, receivedAt, ...rest } = answer
      const stored: StoredAnswer = {
        version: 1,
        ...rest,
        content: answer.content === null ? null : { ...answer.content },
        receivedAt: receivedAt.toISOString(),
        sealedLabelUrl: encryptUrl(shipmentId, labelUrl),
      }
      const ended = writeOrHold(shipmentId, stored).finally(() => firstWrites.delete(shipmentId))
      firstWrites.set(shipmentId, { answer: stored, ended })
      await ended
    },

    /** Writes the label files and the summary of an answer. Never throws: a label without its file has a problem. */
    async storeLabels(
      shipment: NewShipment,
      { creation, receivedAt }: ReportedCreation,
      certainty: StoredCreation['certainty'],
    ): Promise<StoredCreation> {
      const shipmentId = shipment.id
      // Label files can be made again from a durable answer; without one they must be durable themselves.
      const durable = held.get(shipmentId)?.unwritten != null
      const sealedLabelUrl =
        creation.labelUrl === null
          ? (held.get(shipmentId)?.encryptedUrl ?? null)
          : encryptUrl(shipmentId, creation.labelUrl)
      const toId = await findLabelIds(shipmentId)
      const rows = creation.labels.map((label, index) =>
        toStoredLabel(shipmentId, toId(index + 1), label, index + 1),
      )
      const position = rows.length + 1
      const countProblem = listCountDefects(creation, shipment.draft.numberOfPackages).map((problem) => ({
        ...noFile,
        ...{ id: toId(position), position, barcode: '', kind: 'other' as const, problem },
      }))
      const canBeFetched = creation.labelUrl !== null || sealedLabelUrl !== null
      const stored: StoredCreation = {
        version: 1,
        certainty,
        receivedAt: receivedAt.toISOString(),
        storedAt: now().toISOString(),
        barcodes: creation.barcodes,
        serviceShipmentId: creation.serviceShipmentId,
        zendingId: creation.zendingId,
        subLogId: creation.subLogId,
        logId: creation.logId,
        message: creation.message,
        trackingUrl: creation.trackingUrl,
        sealedLabelUrl,
        limits: creation.limits,
        labels:
          rows.length === 0 ? [toMissingLabel(toId(1), creation, canBeFetched)] : rows.concat(countProblem),
        order: toOrder(shipment),
      }
      const written = creation.labels.map((label, index) => {
        const row = rows[index]
        return row === undefined ? [] : [writeLabel(row, label, durable)]
      })
      const [labels] = await Promise.all([
        Promise.all(written.flat()),
        writeCreation(shipmentId, stored, durable),
      ])
      return {
        ...stored,
        storedAt: now().toISOString(),
        labels: labels.length === 0 ? stored.labels : labels.concat(countProblem),
      }
    },

    /** Writes a label that did not come with the answer. Throws when the disk refuses it. */
    async storeLabel(
      shipmentId: string,
      label: StoredLabel,
      { bytes, kind, problem }: Pick<CarrierLabel, 'bytes' | 'kind' | 'problem'>,
    ): Promise<StoredLabel> {
      const description = files.describe(shipmentId, label.position, kind, bytes)
      await files.write(description.file, bytes, true)
      return { ...label, ...description, kind, problem }
    },

    /** The bytes of a stored label; undefined when they can't be read. */
    async readLabel({ file, sha256 }: Pick<StoredLabel, 'file' | 'sha256'>): Promise<Buffer | undefined> {
      if (file === null || sha256 === null) return undefined
      const bytes = await files.read(file, sha256)
      return bytes.ok ? bytes.value : undefined
    },

    readStoredOutcome,

    /** The summary that a version without `answer.json` wrote, with problems for damaged labels; undefined without one. */
    async readSummary(shipmentId: string): Promise<StoredCreation | undefined> {
      const stored = await files.readCreation(shipmentId)
      if (stored === undefined) return undefined
      const labels = await Promise.all(
        stored.labels.map(async (label): Promise<StoredLabel> => {
          if (label.file === null || label.sha256 === null) return label
          const bytes = await files.read(label.file, label.sha256)
          return bytes.ok ? label : { ...label, ...noFile, problem: 'not-stored' }
        }),
      )
      return { ...stored, labels }
    },

    /** Answers that are in memory only: those being written, and those that the disk refused. */
    listUnwrittenAnswers: (): { shipmentId: string; barcodes: string[] }[] => {
      const beingWritten = [...firstWrites].map(([shipmentId, { answer }]) => ({ shipmentId, answer }))
      return [...listRefusedAnswers(), ...beingWritten].map(({ shipmentId, answer }) => ({
        shipmentId,
        barcodes: barcodesIn(answer.content ?? {}),
      }))
    },

    /** Whether an answer of this shipment waits in memory. */
    isAnswerWaiting: (shipmentId: string): boolean => held.get(shipmentId)?.unwritten != null,

    /** Writes an answer that waits in memory, after the first attempt. Throws when the disk still refuses it. */
    async flushAnswer(shipmentId: string): Promise<void> {
      await firstWrites.get(shipmentId)?.ended
      const entry = held.get(shipmentId)
      if (entry === undefined) return
      entry.flushing ??= writeRefusedAnswer(shipmentId, entry).finally(() => {
        entry.flushing = null
      })
      await entry.flushing
    },

    decryptUrl,
    holdUrl,
    listHeldUrls: (): { shipmentId: string; url: string }[] =>
      [...held].flatMap(([shipmentId, { labelUrl }]) =>
        labelUrl === null ? [] : [{ shipmentId, url: labelUrl }],
      ),

    discard,

    /** Forgets what memory holds for a shipment with all its labels, except an answer that is not written yet. */
    forgetHeld(shipmentId: string): void {
      if (held.get(shipmentId)?.unwritten == null) held.delete(shipmentId)
    },
  }
}

/** The content of `order.json`, from which a lost database is rebuilt. */
function toOrder({ attemptId, origin, operator, print, takenAt, draft }: NewShipment): StoredOrder {
  return { attemptId, origin, ...(operator !== undefined && { operator }), print, takenAt, draft }
}

const noFile = { file: null, sha256: null, byteLength: 0 }

/** One problem for all labels that are missing or too many. */
function listCountDefects({ labels, labelCount }: Creation, packages: number): LabelDefect[] {
  if (labelCount > labels.length && labels.length >= maxLabels) return ['too-many']
  return labelCount < packages ? ['too-few'] : []
}

/** The row for a shipment without label content; its problem tells whether the label can be fetched. */
function toMissingLabel(id: string, creation: Creation, canBeFetched: boolean): StoredLabel {
  return {
    id,
    position: 1,
    barcode: creation.barcodes[0] ?? '',
    kind: 'pdf',
    problem: canBeFetched ? 'not-fetched' : 'empty',
    ...noFile,
  }
}

interface ReencryptDeps {
  shipmentRepository: Pick<ShipmentRepository, 'listLabels' | 'listLabelUrls' | 'replaceLabelUrl'>
  files: Pick<ShipmentFiles, 'readAnswer' | 'replaceAnswer' | 'readCreation' | 'writeCreation'>
  receivedAnswers: Pick<ReceivedAnswers, 'holdUrl' | 'listHeldUrls'>
  urlCipher: UrlCipher
  log: Log
}

/**
 * Encrypts all label URLs again after the way of storing secrets changed. Where secrets may not be stored at all, the URLs
 * are removed from the disk; the URL of a label that is not fetched yet stays in memory until the app closes or secrets may
 * be stored again. Never throws: the next start repeats what failed.
 */
export async function reencryptLabelUrls(deps: ReencryptDeps): Promise<void> {
  const { shipmentRepository, receivedAnswers, urlCipher, log } = deps
  try {
    const held = receivedAnswers.listHeldUrls()
    for (const { shipmentId, encrypted } of await shipmentRepository.listLabelUrls()) {
      const url = urlCipher.decrypt(encrypted)
      // What can't be decrypted now was not encrypted in the weak way.
      if (url !== null) await reencryptLabelUrl(shipmentId, url, deps)
    }
    for (const { shipmentId, url } of held) await reencryptLabelUrl(shipmentId, url, deps)
  } catch (error) {
    log.error('the label URLs could not be encrypted again; the next start repeats it', {
      reason: String(error),
    })
  }
}

/** Does not throw: a failure of one shipment, for example in its folder, must not stop the others. */
async function reencryptLabelUrl(
  shipmentId: string,
  url: string,
  { shipmentRepository, files, receivedAnswers, urlCipher, log }: ReencryptDeps,
): Promise<void> {
  try {
    const sealedLabelUrl = urlCipher.encrypt(url)
    const labels = await shipmentRepository.listLabels(shipmentId)
    if (sealedLabelUrl === null && labels.some(isLabelMissing)) receivedAnswers.holdUrl(shipmentId, url)
    const creation = await files.readCreation(shipmentId)
    if (creation !== undefined) await files.writeCreation(shipmentId, { ...creation, sealedLabelUrl }, true)
    const answer = await files.readAnswer(shipmentId)
    if (answer !== undefined) await files.replaceAnswer(shipmentId, { ...answer, sealedLabelUrl })
    await shipmentRepository.replaceLabelUrl(shipmentId, sealedLabelUrl)
  } catch (error) {
    log.error('the label URL of a shipment could not be encrypted again; the next start repeats it', {
      shipmentId,
      reason: String(error),
    })
  }
}
