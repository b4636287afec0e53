import type { AppError } from '../../shared/errors'
import type { LabelKind, LabelProblem } from '../../shared/shipment'
import type { CarrierLabel, Creation } from '../carrier/creationOutcome'
import type { Log } from '../log/log'
import type { Sealer } from './creationService'
import type { LabelFiles } from './labelFiles'
import type { StoredCreation, StoredLabel } from './storedCreation'

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
  store(shipmentId: string, creation: Creation, receivedAt: Date): Promise<StoredCreation>
  /** Writes one label that came later. */
  storeLabel(
    shipmentId: string,
    label: StoredLabel,
    content: { bytes: Buffer; kind: LabelKind; problem: LabelProblem | null },
  ): Promise<StoredLabel>
  /** A label's bytes that still wait for room on the disk. */
  heldBytes(shipmentId: string, position: number): CarrierLabel | undefined
  /** Where the label can be fetched, from the sealed text or from memory; null when that is not known any more. */
  unsealUrl(shipmentId: string, sealed: string | null): string | null
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

  async function writeLabel(shipmentId: string, label: StoredLabel, bytes: Buffer): Promise<StoredLabel> {
    const written = await files.write(shipmentId, label.position, label.kind, bytes)
    return { ...label, ...written }
  }

  async function takeLabel(shipmentId: string, label: CarrierLabel, position: number): Promise<StoredLabel> {
    const row: StoredLabel = {
      id: newId(),
      position,
      barcode: label.barcode,
      kind: label.kind,
      byteLength: 0,
      problem: label.problem,
      file: null,
      sha256: null,
    }
    if (label.bytes.length === 0) return { ...row, problem: label.problem ?? 'empty' }
    try {
      return await writeLabel(shipmentId, row, label.bytes)
    } catch (error) {
      log.error('a label could not be written', { shipmentId, position, reason: reasonOf(error) })
      holdOf(shipmentId).bytes.set(position, label)
      return { ...row, problem: 'not-stored' }
    }
  }

  function holdOf(shipmentId: string): Held {
    const existing = held.get(shipmentId)
    if (existing !== undefined) return existing
    const fresh: Held = { bytes: new Map(), labelUrl: null }
    held.set(shipmentId, fresh)
    return fresh
  }

  return {
    async store(shipmentId, creation, receivedAt) {
      const labels: StoredLabel[] = []
      for (const [index, label] of creation.labels.entries()) {
        labels.push(await takeLabel(shipmentId, label, index + 1))
      }
      const sealedLabelUrl = creation.labelUrl === null ? null : sealer.seal(creation.labelUrl)
      if (creation.labelUrl !== null && sealedLabelUrl === null) {
        holdOf(shipmentId).labelUrl = creation.labelUrl
      }
      if (labels.length === 0) {
        labels.push(missingLabel(newId(), creation))
      }
      const stored: StoredCreation = {
        version: 1,
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
        labels,
      }
      try {
        await files.writeCreation(shipmentId, stored)
      } catch (error) {
        // The database is tried next; it may lie on a disk that has room.
        log.error('the answer could not be written', { shipmentId, reason: reasonOf(error) })
      }
      return stored
    },
    storeLabel: (shipmentId, label, { bytes, kind, problem }) =>
      writeLabel(shipmentId, { ...label, kind, problem }, bytes),
    heldBytes: (shipmentId, position) => held.get(shipmentId)?.bytes.get(position),
    unsealUrl: (shipmentId, sealed) =>
      (sealed === null ? null : sealer.unseal(sealed)) ?? held.get(shipmentId)?.labelUrl ?? null,
    release(shipmentId) {
      held.delete(shipmentId)
    },
  }
}

/** A created shipment without any label content: a row says so, and says whether it can still be fetched. */
function missingLabel(id: string, creation: Creation): StoredLabel {
  return {
    id,
    position: 1,
    barcode: creation.barcodes[0] ?? '',
    kind: 'pdf',
    byteLength: 0,
    problem: creation.labelUrl === null ? 'empty' : 'not-fetched',
    file: null,
    sha256: null,
  }
}

function reasonOf(error: unknown): AppError['message'] {
  return error instanceof Error ? error.message : String(error)
}
