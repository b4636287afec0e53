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
import { type BackOff, backOffMs } from '../lib/retry'
import { diskCause } from '../lib/synced'
import type { Log } from '../log/log'
import type { KeptAnswer, LabelFiles, StoredCreation, StoredLabel, StoredOrder } from './labelFiles'
import type { NewShipment, ShipmentRepository } from './repository'

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
interface WaitingAnswer {
  shipmentId: string
  barcodes: string[]
  /** Why the disk refused it. */
  reason: unknown
}

interface LabelIntakeDeps {
  files: LabelFiles
  urlCipher: UrlCipher
  log: Log
  bus: Pick<EventBus, 'emit'>
  now: () => Date
  newId: () => string
}

/** Room that must be free before a shipment is paid for: the largest label there can be, and the database. */
const minRoomBytes = 64 * 1024 * 1024

/** Waits between looks at a disk that refused. */
const looks: BackOff = { firstMs: 1000, maxMs: 15_000 }

export type LabelIntake = ReturnType<typeof createLabelIntake>

/**
 * Brings what the service sent to the disk: first the whole answer, in one piece, then what is made of it. Nothing may be
 * paid for while the disk refuses; an answer that it refuses all the same waits in memory, and is not thrown away.
 */
export function createLabelIntake({ files, urlCipher, log, bus, now, newId }: LabelIntakeDeps) {
  const held = new Map<string, Held>()
  let refusal: AppError | undefined
  let nextLook: NodeJS.Timeout | undefined
  let stopped = false

  function getHold(shipmentId: string): Held {
    const existing = held.get(shipmentId)
    if (existing !== undefined) return existing
    const fresh: Held = { answer: null, flushing: null, labelUrl: null, encryptedUrl: null }
    held.set(shipmentId, fresh)
    return fresh
  }

  /** Keeps in memory where a label can be fetched. */
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

  /** Where the label can be fetched, from the encrypted text or from memory; null when that is not known any more. */
  function decryptUrl(shipmentId: string, encrypted: string | null): string | null {
    return (
      (encrypted === null ? null : urlCipher.decrypt(encrypted)) ?? held.get(shipmentId)?.labelUrl ?? null
    )
  }

  /** What the kept answer says; undefined when there is none. Throws when it can't be read. */
  async function outcome(shipmentId: string): Promise<CreationOutcome | undefined> {
    const kept = held.get(shipmentId)?.answer?.kept ?? (await files.readAnswer(shipmentId))
    if (kept === undefined) return undefined
    const labelUrl = decryptUrl(shipmentId, kept.sealedLabelUrl)
    if (labelUrl === null && kept.sealedLabelUrl !== null) {
      getHold(shipmentId).encryptedUrl = kept.sealedLabelUrl
    }
    return readCreationOutcome({ ...kept, receivedAt: new Date(kept.receivedAt), labelUrl })
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

  /** Answers that wait in memory, oldest first. */
  function waiting(): WaitingAnswer[] {
    return [...held].flatMap(([shipmentId, { answer }]) =>
      answer === null
        ? []
        : [{ shipmentId, barcodes: barcodesIn(answer.kept.content ?? {}), reason: answer.reason }],
    )
  }

  /** Nothing exists at the service: removes what was written for the shipment. Never throws. */
  async function discard(shipmentId: string): Promise<void> {
    held.delete(shipmentId)
    await files.remove(shipmentId).catch((error: unknown) => {
      log.warn('the folder of a shipment could not be removed', { shipmentId, reason: String(error) })
    })
  }

  async function findRefusal(write: () => Promise<void>): Promise<AppError | undefined> {
    try {
      const room = await files.freeBytes()
      if (room < minRoomBytes) {
        const megabytes = String(Math.floor(room / 1024 / 1024))
        return appError('disk-full', { case: 'too-little', megabytes })
      }
      await write()
      return undefined
    } catch (error) {
      return appError('labels-not-writable', { path: files.folder, ...issueDetails(diskCause(error)) })
    }
  }

  /** A refusal ends by itself, so the disk is looked at until it does. */
  function noteRefusal(found: AppError | undefined, failures: number): void {
    if (found?.message !== refusal?.message) {
      if (found === undefined) log.info('the labels folder can be written to again')
      else log.error('the labels folder can not be written to', { reason: found.message })
      refusal = found
      bus.emit('statusOutdated')
    }
    clearTimeout(nextLook)
    if (found === undefined || stopped) return
    nextLook = setTimeout(
      () => void findRefusal(() => files.probe()).then((now) => noteRefusal(now, failures + 1)),
      backOffMs(looks, failures),
    )
    nextLook.unref()
  }

  function waitingError(): AppError | undefined {
    const answers = waiting()
    const last = answers.at(-1)
    if (last === undefined) return undefined
    return appError('labels-waiting', {
      count: String(answers.length),
      ...issueDetails(diskCause(last.reason)),
    })
  }

  return {
    /**
     * Proves, right before a shipment is sent, that the disk takes what comes of it: its order is written, durably.
     * @returns why nothing may be sent
     */
    async writeOrder(shipment: NewShipment): Promise<AppError | undefined> {
      const found =
        waitingError() ?? (await findRefusal(() => files.writeOrder(shipment.id, toOrder(shipment))))
      if (found === undefined) {
        noteRefusal(undefined, 0)
        return undefined
      }
      await discard(shipment.id)
      if (waiting().length === 0) noteRefusal(found, 0)
      return found
    },

    /** Why the disk takes nothing now; undefined when it does. It ends by itself. */
    diskError: () => waitingError() ?? refusal,

    /** Ends the looks at a disk that refused. */
    stop(): void {
      stopped = true
      clearTimeout(nextLook)
    },

    /** Writes an answer, or holds it in memory when that is impossible. Never throws. */
    async keep(shipmentId: string, answer: ReceivedAnswer): Promise<void> {
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

    /** Makes the label files and the summary of an answer. Never throws: a label without its file has a problem. */
    async store(
      shipment: NewShipment,
      { creation, receivedAt }: ReportedCreation,
      certainty: StoredCreation['certainty'],
    ): Promise<StoredCreation> {
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

    /** Writes one label that came later. Throws when the disk refuses it. */
    async storeLabel(
      shipmentId: string,
      label: StoredLabel,
      { bytes, kind, problem }: Pick<CarrierLabel, 'bytes' | 'kind' | 'problem'>,
    ): Promise<StoredLabel> {
      const description = files.describe(shipmentId, label.position, kind, bytes)
      await files.write(description.file, bytes, true)
      return { ...label, ...description, kind, problem }
    },

    /** The bytes of a label that was stored; undefined when they can't be read. */
    async read({ file, sha256 }: Pick<StoredLabel, 'file' | 'sha256'>): Promise<Buffer | undefined> {
      if (file === null || sha256 === null) return undefined
      const bytes = await files.read(file, sha256)
      return bytes.ok ? bytes.value : undefined
    },

    outcome,

    /** The summary of an older run that kept no answer, with the labels that are whole; undefined when there is none. */
    async takeUp(shipmentId: string): Promise<StoredCreation | undefined> {
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

    waiting,

    /** Whether an answer of this shipment waits in memory. */
    isWaiting: (shipmentId: string): boolean => held.get(shipmentId)?.answer != null,

    /** Writes the answer of a shipment that waits in memory. Throws when the disk still refuses. */
    async flush(shipmentId: string): Promise<void> {
      const hold = held.get(shipmentId)
      if (hold === undefined) return
      hold.flushing ??= writeHeld(shipmentId, hold).finally(() => {
        hold.flushing = null
      })
      await hold.flushing
    },

    decryptUrl,
    holdUrl,
    heldUrls: (): { shipmentId: string; url: string }[] =>
      [...held].flatMap(([shipmentId, { labelUrl }]) =>
        labelUrl === null ? [] : [{ shipmentId, url: labelUrl }],
      ),

    discard,

    /** Forgets what was held for a shipment whose labels are all there, but not an answer that still waits. */
    release(shipmentId: string): void {
      if (held.get(shipmentId)?.answer == null) held.delete(shipmentId)
    },
  }
}

/** What was shipped, for the day that the database is lost. */
function toOrder({ attemptId, origin, operator, print, takenAt, draft }: NewShipment): StoredOrder {
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

/** What encrypting anew works with. */
interface ReencryptDeps {
  store: Pick<ShipmentRepository, 'listLabels' | 'listLabelUrls' | 'replaceLabelUrl'>
  files: Pick<LabelFiles, 'readAnswer' | 'writeAnswer' | 'readCreation' | 'writeCreation'>
  intake: Pick<LabelIntake, 'holdUrl' | 'heldUrls'>
  urlCipher: UrlCipher
  log: Log
}

/**
 * Encrypts the addresses of labels again after it changed how secrets may be kept. Where they may not be kept at all they
 * are taken off the disk; that of a label which is still to be fetched holds in memory until the app closes, or until
 * it may be kept again. Never throws: what could not be done is done at the next start.
 */
export async function reencryptLabelUrls(deps: ReencryptDeps): Promise<void> {
  const { store, intake, urlCipher, log } = deps
  try {
    const held = intake.heldUrls()
    for (const { shipmentId, encrypted } of await store.listLabelUrls()) {
      const url = urlCipher.decrypt(encrypted)
      // Not readable here, so not encrypted in the weak way.
      if (url !== null) await keepAnew(shipmentId, url, deps)
    }
    for (const { shipmentId, url } of held) await keepAnew(shipmentId, url, deps)
  } catch (error) {
    log.error('addresses of labels could not be encrypted anew', { reason: String(error) })
  }
}

/** A failure with one shipment, e.g. with its folder, does not keep the others' addresses where they are. */
async function keepAnew(
  shipmentId: string,
  url: string,
  { store, files, intake, urlCipher, log }: ReencryptDeps,
): Promise<void> {
  try {
    const sealedLabelUrl = urlCipher.encrypt(url)
    const labels = await store.listLabels(shipmentId)
    if (sealedLabelUrl === null && labels.some(isLabelMissing)) intake.holdUrl(shipmentId, url)
    const creation = await files.readCreation(shipmentId)
    if (creation !== undefined) await files.writeCreation(shipmentId, { ...creation, sealedLabelUrl }, true)
    const answer = await files.readAnswer(shipmentId)
    if (answer !== undefined) await files.writeAnswer(shipmentId, { ...answer, sealedLabelUrl })
    await store.replaceLabelUrl(shipmentId, sealedLabelUrl)
  } catch (error) {
    log.error('the address of a label could not be encrypted anew', { shipmentId, reason: String(error) })
  }
}
