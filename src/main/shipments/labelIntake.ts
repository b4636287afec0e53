import type { LabelKind, LabelProblem } from '../../shared/shipment'
import type { CarrierLabel, Creation } from '../carrier/creationOutcome'
import type { Log } from '../log/log'
import type { Sealer } from './creationService'
import type { LabelFiles } from './labelFiles'
import type { RecordedShipment } from './ports'
import type { StoredCreation, StoredLabel, StoredOrder } from './storedCreation'

/** Bytes that are in the app's hands but could not be written yet, or a URL that could not be sealed. */
interface Held {
  bytes: Map<number, CarrierLabel>
  labelUrl: string | null
}

/**
 * Brings what the service sent to the disk. What can't be written stays in memory, so that it can be tried again
 * while the app runs: a label that was paid for is not thrown away because the disk is full.
 */
export interface LabelIntake {
  /** Writes ids and barcodes first, then the labels: a crash in between loses no more than it must. Never throws. */
  store(
    shipment: RecordedShipment,
    creation: Creation,
    receivedAt: Date,
    certainty: StoredCreation['certainty'],
  ): Promise<StoredCreation>
  /** Writes one label that came later. Throws when the disk refuses it. */
  storeLabel(
    shipmentId: string,
    label: StoredLabel,
    content: { bytes: Buffer; kind: LabelKind; problem: LabelProblem | null },
  ): Promise<StoredLabel>
  /** What `store` wrote before a crash, with the labels that are whole; undefined when there is nothing. */
  takeUp(shipmentId: string): Promise<StoredCreation | undefined>
  /** A label's bytes that still wait for room on the disk. */
  heldBytes(shipmentId: string, position: number): CarrierLabel | undefined
  /** Where the label can be fetched, from the sealed text or from memory; null when that is not known any more. */
  unsealUrl(shipmentId: string, sealed: string | null): string | null
  /** Keeps in memory where a label can be fetched. */
  holdUrl(shipmentId: string, url: string): void
  heldUrls(): { shipmentId: string; url: string }[]
  release(shipmentId: string): void
}

export interface LabelIntakeParts {
  files: LabelFiles
  sealer: Sealer
  log: Log
  now: () => Date
  newId: () => string
}

/** Makes the intake. */
export function createLabelIntake({ files, sealer, log, now, newId }: LabelIntakeParts): LabelIntake {
  const held = new Map<string, Held>()

  function holdOf(shipmentId: string): Held {
    const existing = held.get(shipmentId)
    if (existing !== undefined) return existing
    const fresh: Held = { bytes: new Map(), labelUrl: null }
    held.set(shipmentId, fresh)
    return fresh
  }

  function holdUrl(shipmentId: string, url: string): void {
    holdOf(shipmentId).labelUrl = url
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

  async function write(shipmentId: string, row: StoredLabel, label: CarrierLabel): Promise<StoredLabel> {
    if (row.file === null) return row
    try {
      await files.write(row.file, label.bytes)
      return row
    } catch (error) {
      log.error('a label could not be written', { shipmentId, position: row.position, reason: String(error) })
      holdOf(shipmentId).bytes.set(row.position, label)
      return { ...row, ...noFile, problem: 'not-stored' }
    }
  }

  /** The database is tried next; it may lie on a disk that has room. */
  async function writeCreation(shipmentId: string, stored: StoredCreation): Promise<void> {
    try {
      await files.writeCreation(shipmentId, stored)
    } catch (error) {
      log.error('the answer could not be written', { shipmentId, reason: String(error) })
    }
  }

  return {
    async store(shipment, creation, receivedAt, certainty) {
      const shipmentId = shipment.id
      const sealedLabelUrl = creation.labelUrl === null ? null : sealer.seal(creation.labelUrl)
      if (creation.labelUrl !== null && sealedLabelUrl === null) {
        holdUrl(shipmentId, creation.labelUrl)
      }
      const rows = creation.labels.map((label, index) => describe(shipmentId, label, index + 1))
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
        labels: rows.length === 0 ? [missingLabel(newId(), creation)] : rows,
        order: orderOf(shipment),
      }
      await writeCreation(shipmentId, stored)
      const written = creation.labels.map((label, index) => {
        const row = rows[index]
        return row === undefined ? [] : [write(shipmentId, row, label)]
      })
      const labels = await Promise.all(written.flat())
      return {
        ...stored,
        storedAt: now().toISOString(),
        labels: labels.length === 0 ? stored.labels : labels,
      }
    },
    async storeLabel(shipmentId, label, { bytes, kind, problem }) {
      const description = files.describe(shipmentId, label.position, kind, bytes)
      await files.write(description.file, bytes)
      return { ...label, ...description, kind, problem }
    },
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
    heldBytes: (shipmentId, position) => held.get(shipmentId)?.bytes.get(position),
    unsealUrl: (shipmentId, sealed) =>
      (sealed === null ? null : sealer.unseal(sealed)) ?? held.get(shipmentId)?.labelUrl ?? null,
    holdUrl,
    heldUrls: () =>
      [...held].flatMap(([shipmentId, { labelUrl }]) =>
        labelUrl === null ? [] : [{ shipmentId, url: labelUrl }],
      ),
    release(shipmentId) {
      held.delete(shipmentId)
    },
  }
}

/** What was shipped, for the day that the database is lost. */
function orderOf({ attemptId, origin, print, takenAt, draft }: RecordedShipment): StoredOrder {
  return { attemptId, origin, print, takenAt: new Date(takenAt).toISOString(), draft }
}

const noFile = { file: null, sha256: null, byteLength: 0 }

/** A shipment without any label content: a row says so, and says whether it can still be fetched. */
function missingLabel(id: string, creation: Creation): StoredLabel {
  return {
    id,
    position: 1,
    barcode: creation.barcodes[0] ?? '',
    kind: 'pdf',
    problem: creation.labelUrl === null ? 'empty' : 'not-fetched',
    ...noFile,
  }
}
