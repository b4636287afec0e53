import type { LabelDefect, LabelKind } from '../../shared/shipments'
import {
  type CreationOutcome,
  findNamed,
  type NamedCreation,
  type ReceivedAnswer,
  readOutcome,
} from '../carrier/createShipment'
import { barcodesIn, type CarrierLabel, type Creation, maxLabels } from '../carrier/creationAnswer'
import type { Log } from '../log/log'
import type { LabelFiles } from './labelFiles'
import type { LabelRecord, NewShipment } from './repository'
import type { KeptAnswer, StoredCreation, StoredLabel, StoredOrder } from './storedFiles'

/** Encrypts what may not lie on the disk as it is; null when there is no safe way to. */
export interface UrlCipher {
  encrypt(text: string): string | null
  decrypt(encrypted: string): string | null
}

/** What of a shipment is in memory only. */
interface Held {
  /** The answer that the disk refused, and why. */
  answer: { kept: KeptAnswer; reason: unknown } | null
  /** The try to write it that is under way: two at once would take each other's unfinished file. */
  flushing: Promise<void> | null
  labelUrl: string | null
  /** An encrypted label URL that can't be read now, e.g. since the keyring is locked. */
  encryptedUrl: string | null
}

/** An answer that waits in memory for a disk that takes it. */
export interface WaitingAnswer {
  shipmentId: string
  barcodes: string[]
  /** Why the disk refused it. */
  reason: unknown
}

/**
 * Brings what the service sent to the disk: first the whole answer, in one piece, then what is made of it. An answer that
 * the disk refuses waits in memory: a label that was paid for is not thrown away because the disk is full.
 */
export interface LabelIntake {
  /** Writes an answer, or holds it in memory when that is impossible. Never throws. */
  keep(shipmentId: string, answer: ReceivedAnswer): Promise<void>
  /** Makes the label files and the summary of an answer. Never throws: a label without its file has a problem. */
  store(
    shipment: NewShipment,
    named: NamedCreation,
    certainty: StoredCreation['certainty'],
  ): Promise<StoredCreation>
  /** Writes one label that came later. Throws when the disk refuses it. */
  storeLabel(
    shipmentId: string,
    label: StoredLabel,
    content: { bytes: Buffer; kind: LabelKind; problem: LabelDefect | null },
  ): Promise<StoredLabel>
  /** The bytes of a label that was stored; undefined when they can't be read. */
  read(label: Pick<StoredLabel, 'file' | 'sha256'>): Promise<Buffer | undefined>
  /** What the kept answer says; undefined when there is none. Throws when it can't be read. */
  outcome(shipmentId: string): Promise<CreationOutcome | undefined>
  /** The summary of an older run that kept no answer, with the labels that are whole; undefined when there is none. */
  takeUp(shipmentId: string): Promise<StoredCreation | undefined>
  /** Makes a label's file again from the kept answer; undefined when the answer does not hold these bytes. */
  restore(label: LabelRecord): Promise<Buffer | undefined>
  /** Answers that wait in memory, oldest first. */
  waiting(): WaitingAnswer[]
  /** Whether an answer of this shipment waits in memory. */
  isWaiting(shipmentId: string): boolean
  /** Writes the answer of a shipment that waits in memory. Throws when the disk still refuses. */
  flush(shipmentId: string): Promise<void>
  /** Where the label can be fetched, from the encrypted text or from memory; null when that is not known any more. */
  decryptUrl(shipmentId: string, encrypted: string | null): string | null
  /** Keeps in memory where a label can be fetched. */
  holdUrl(shipmentId: string, url: string): void
  heldUrls(): { shipmentId: string; url: string }[]
  /** Nothing exists at the service: removes what was written for the shipment. Never throws. */
  discard(shipmentId: string): Promise<void>
  /** Forgets what was held for a shipment whose labels are all there, but not an answer that still waits. */
  release(shipmentId: string): void
}

interface LabelIntakeDeps {
  files: LabelFiles
  urlCipher: UrlCipher
  log: Log
  now: () => Date
  newId: () => string
}

/** Makes the intake. */
export function createLabelIntake({ files, urlCipher, log, now, newId }: LabelIntakeDeps): LabelIntake {
  const held = new Map<string, Held>()

  function getHold(shipmentId: string): Held {
    const existing = held.get(shipmentId)
    if (existing !== undefined) return existing
    const fresh: Held = { answer: null, flushing: null, labelUrl: null, encryptedUrl: null }
    held.set(shipmentId, fresh)
    return fresh
  }

  function holdUrl(shipmentId: string, url: string): void {
    getHold(shipmentId).labelUrl = url
  }

  /** Held in memory when it may not be kept, so that the label can be fetched until the app closes. */
  function encryptUrl(shipmentId: string, url: string | null): string | null {
    if (url === null) return null
    const encrypted = tryEncrypt(shipmentId, url)
    if (encrypted === null) holdUrl(shipmentId, url)
    return encrypted
  }

  /** A keyring that fails must not take the answer with it. */
  function tryEncrypt(shipmentId: string, url: string): string | null {
    try {
      return urlCipher.encrypt(url)
    } catch (error) {
      log.error('the address of a label could not be encrypted; it is kept in memory only', {
        shipmentId,
        reason: String(error),
      })
      return null
    }
  }

  function decryptUrl(shipmentId: string, encrypted: string | null): string | null {
    return (
      (encrypted === null ? null : urlCipher.decrypt(encrypted)) ?? held.get(shipmentId)?.labelUrl ?? null
    )
  }

  async function keptAnswer(shipmentId: string): Promise<KeptAnswer | undefined> {
    return held.get(shipmentId)?.answer?.kept ?? (await files.readAnswer(shipmentId))
  }

  async function outcome(shipmentId: string): Promise<CreationOutcome | undefined> {
    const kept = await keptAnswer(shipmentId)
    if (kept === undefined) return undefined
    const labelUrl = decryptUrl(shipmentId, kept.sealedLabelUrl)
    if (labelUrl === null && kept.sealedLabelUrl !== null) {
      getHold(shipmentId).encryptedUrl = kept.sealedLabelUrl
    }
    return readOutcome({ ...kept, receivedAt: new Date(kept.receivedAt), labelUrl })
  }

  /** The label's row as it will be when its file is written. */
  function describe(shipmentId: string, label: CarrierLabel, position: number): StoredLabel {
    const row = { id: newId(), position, barcode: label.barcode, kind: label.kind }
    if (label.bytes.length === 0) return { ...row, ...noFile, problem: label.problem ?? 'empty' }
    return {
      ...row,
      ...files.describe(shipmentId, position, label.kind, label.bytes),
      problem: label.problem,
    }
  }

  async function write(row: StoredLabel, label: CarrierLabel, durable: boolean): Promise<StoredLabel> {
    if (row.file === null) return row
    try {
      await files.write(row.file, label.bytes, durable)
      return row
    } catch (error) {
      log.error('a label could not be written', { file: row.file, reason: String(error) })
      return { ...row, ...noFile, problem: 'not-stored' }
    }
  }

  /** The database is tried next; it may lie on a disk that has room. */
  async function writeCreation(shipmentId: string, stored: StoredCreation, durable: boolean): Promise<void> {
    try {
      await files.writeCreation(shipmentId, stored, durable)
    } catch (error) {
      log.error('the summary of an answer could not be written', { shipmentId, reason: String(error) })
    }
  }

  async function writeHeld(shipmentId: string, hold: Held): Promise<void> {
    if (hold.answer === null) return
    try {
      await files.writeAnswer(shipmentId, hold.answer.kept)
      hold.answer = null
    } catch (reason) {
      if (hold.answer !== null) hold.answer.reason = reason
      throw reason
    }
  }

  return {
    async keep(shipmentId, answer) {
      const { labelUrl, receivedAt, ...rest } = answer
      const kept: KeptAnswer = {
        version: 1,
        ...rest,
        content: answer.content === null ? null : { ...answer.content },
        receivedAt: receivedAt.toISOString(),
        sealedLabelUrl: encryptUrl(shipmentId, labelUrl),
      }
      try {
        await files.writeAnswer(shipmentId, kept)
      } catch (reason) {
        getHold(shipmentId).answer = { kept, reason }
        log.error('an answer could not be written; it waits in memory', {
          shipmentId,
          reason: String(reason),
        })
      }
    },
    async store(shipment, { creation, receivedAt }, certainty) {
      const shipmentId = shipment.id
      // Without a durable answer the label files are all there is.
      const durable = held.get(shipmentId)?.answer != null
      const sealedLabelUrl =
        creation.labelUrl === null
          ? (held.get(shipmentId)?.encryptedUrl ?? null)
          : encryptUrl(shipmentId, creation.labelUrl)
      const rows = creation.labels.map((label, index) => describe(shipmentId, label, index + 1))
      const countProblem = listCountDefects(creation, shipment.draft.numberOfPackages).map((problem) => ({
        ...noFile,
        ...{ id: newId(), position: rows.length + 1, barcode: '', kind: 'other' as const, problem },
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
          rows.length === 0 ? [missingLabel(newId(), creation, canBeFetched)] : rows.concat(countProblem),
        order: toOrder(shipment),
      }
      const written = creation.labels.map((label, index) => {
        const row = rows[index]
        return row === undefined ? [] : [write(row, label, durable)]
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
    async storeLabel(shipmentId, label, { bytes, kind, problem }) {
      const description = files.describe(shipmentId, label.position, kind, bytes)
      await files.write(description.file, bytes, true)
      return { ...label, ...description, kind, problem }
    },
    async read({ file, sha256 }) {
      if (file === null || sha256 === null) return undefined
      const bytes = await files.read(file, sha256)
      return bytes.ok ? bytes.value : undefined
    },
    outcome,
    async takeUp(shipmentId) {
      const stored = await files.readCreation(shipmentId)
      if (stored === undefined) return undefined
      const labels = await Promise.all(
        stored.labels.map(async (label): Promise<StoredLabel> => {
          if (label.file === null || label.sha256 === null) return label
          const whole = await files.read(label.file, label.sha256)
          return whole.ok ? label : { ...label, ...noFile, problem: 'not-stored' }
        }),
      )
      return { ...stored, labels }
    },
    async restore({ shipmentId, position, file, sha256 }) {
      const kept = await outcome(shipmentId).catch((error: unknown) => {
        log.error('a kept answer could not be read', { shipmentId, reason: String(error) })
        return undefined
      })
      const label = kept === undefined ? undefined : findNamed(kept)?.creation.labels[position - 1]
      if (label === undefined || file === null) return undefined
      if (files.describe(shipmentId, position, label.kind, label.bytes).sha256 !== sha256) return undefined
      await files.write(file, label.bytes, true).catch((error: unknown) => {
        log.error('a label could not be written again', { file, reason: String(error) })
      })
      return label.bytes
    },
    waiting: () =>
      [...held].flatMap(([shipmentId, { answer }]) =>
        answer === null
          ? []
          : [{ shipmentId, barcodes: barcodesIn(answer.kept.content ?? {}), reason: answer.reason }],
      ),
    isWaiting: (shipmentId) => held.get(shipmentId)?.answer != null,
    async flush(shipmentId) {
      const hold = held.get(shipmentId)
      if (hold === undefined) return
      hold.flushing ??= writeHeld(shipmentId, hold).finally(() => {
        hold.flushing = null
      })
      await hold.flushing
    },
    decryptUrl,
    holdUrl,
    heldUrls: () =>
      [...held].flatMap(([shipmentId, { labelUrl }]) =>
        labelUrl === null ? [] : [{ shipmentId, url: labelUrl }],
      ),
    async discard(shipmentId) {
      held.delete(shipmentId)
      await files.remove(shipmentId).catch((error: unknown) => {
        log.warn('the folder of a shipment could not be removed', { shipmentId, reason: String(error) })
      })
    },
    release(shipmentId) {
      if (held.get(shipmentId)?.answer == null) held.delete(shipmentId)
    },
  }
}

/** What was shipped, for the day that the database is lost. */
export function toOrder({ attemptId, origin, operator, print, takenAt, draft }: NewShipment): StoredOrder {
  return { attemptId, origin, ...(operator !== undefined && { operator }), print, takenAt, draft }
}

const noFile = { file: null, sha256: null, byteLength: 0 }

/** What is wrong with how many labels came; one problem for all that are missing or too many. */
function listCountDefects({ labels, labelCount }: Creation, packages: number): LabelDefect[] {
  if (labelCount > labels.length && labels.length >= maxLabels) return ['too-many']
  return labelCount < packages ? ['too-few'] : []
}

/** A shipment without any label content: a row says so, and says whether it can still be fetched. */
function missingLabel(id: string, creation: Creation, canBeFetched: boolean): StoredLabel {
  return {
    id,
    position: 1,
    barcode: creation.barcodes[0] ?? '',
    kind: 'pdf',
    problem: canBeFetched ? 'not-fetched' : 'empty',
    ...noFile,
  }
}
