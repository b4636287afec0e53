import type { AppError } from '../../shared/errors'
import type {
  CarrierLimits,
  Label,
  ShipmentDraft,
  ShipmentOrigin,
  ShipmentState,
  ShipmentSummary,
} from '../../shared/shipment'
import type { NewPrintJob } from '../printing/ports'
import type { StoredCreation, StoredLabel } from './storedCreation'

/** A shipment as the journal first writes it, before anything is sent. */
export interface NewShipment {
  id: string
  attemptId: string
  draft: ShipmentDraft
  origin: ShipmentOrigin
  print: boolean
  takenAt: Date
}

/** What of a shipment matters once its outcome is there. */
export interface RecordedShipment {
  id: string
  attemptId: string
  origin: ShipmentOrigin
  print: boolean
  takenAt: Date | string
  draft: ShipmentDraft
}

/** A shipment as the journal knows it. */
export interface ShipmentRecord extends Omit<ShipmentSummary, 'labels' | 'jobs'> {
  attemptId: string
  draft: ShipmentDraft
  requestSentAt: string | null
  responseReceivedAt: string | null
  labelStoredAt: string | null
  error: AppError | null
  serviceShipmentId: string | null
  zendingId: string | null
  subLogId: string | null
  logId: string | null
  trackingUrl: string | null
  serviceMessage: string | null
  sealedLabelUrl: string | null
}

/** A label row, with where its bytes are. */
export interface LabelRecord extends Label {
  shipmentId: string
  /** Path below the labels folder; null when there is no content. */
  file: string | null
  sha256: string | null
}

/** What the duplicate guard knows of a shipment. It outlives the shipment's personal data and its label. */
export type GuardedShipment = Pick<ShipmentRecord, 'id' | 'reference' | 'state' | 'takenAt' | 'barcodes'>

/** Why a creation may not start: another shipment of the same attempt or reference stands in its way. */
export type BeginBlocker = { kind: 'same-attempt'; shipment: ShipmentRecord } | Blocker

/** Another shipment of the same reference that stands in the way. */
export interface Blocker {
  kind: 'in-progress' | 'unresolved' | 'already-created'
  shipment: GuardedShipment
}

export interface ShipmentSearch {
  text: string
  onlyNeedingAttention: boolean
  limit: number
  offset: number
}

/** What waits for a person. */
export interface OpenCounts {
  unknownShipments: number
  /** Shipments with labels that have a problem. */
  labelProblems: number
  /** Those that wait for a person's choice included. */
  failedJobs: number
  unconfirmedJobs: number
  /** Manifest uploads and pre-alerts. */
  unknownSubmissions: number
}

/** The journal of shipments. Every change is durable when its promise resolves. */
export interface ShipmentStore {
  /**
   * Writes the intent, unless something stands in its way; the check and the write are one transaction.
   * @param confirmedDuplicateOf the created shipment of the same reference that the operator knows of
   */
  begin(shipment: NewShipment, confirmedDuplicateOf: string | undefined): Promise<BeginBlocker | undefined>
  markSent(id: string, at: Date): Promise<void>
  markRefused(id: string, error: AppError, at: Date): Promise<void>
  /** @param stored what the answer named all the same; null when it named nothing */
  markUnknown(id: string, error: AppError, stored: StoredCreation | null): Promise<void>
  /** Writes the creation, its labels and their first print jobs in one transaction. */
  markCreated(id: string, creation: StoredCreation, jobs: NewPrintJob[]): Promise<void>
  /** Fills a label that had no content, and adds its print jobs, in one transaction; clears the noted error. */
  completeLabel(id: string, label: StoredLabel, at: Date, jobs: NewPrintJob[]): Promise<void>
  /** Keeps why something of a created shipment is still missing. */
  noteError(id: string, error: AppError): Promise<void>
  /**
   * Ends `unknown`; false when the shipment was not unknown any more.
   * @param found what the kept answer names, when the journal has nothing of it yet
   */
  resolveUnknown(
    id: string,
    verdict: 'exists' | 'does-not-exist',
    barcode: string | null,
    at: Date,
    found: StoredCreation | null,
  ): Promise<boolean>
  find(id: string): Promise<ShipmentRecord | undefined>
  findAttempt(attemptId: string): Promise<ShipmentRecord | undefined>
  labelsOf(shipmentId: string): Promise<LabelRecord[]>
  /** The labels of several shipments, in the order of their positions. */
  labelsOfAll(shipmentIds: readonly string[]): Promise<LabelRecord[]>
  /** Closes the label problems of a shipment that are open. */
  closeLabelProblems(shipmentId: string, reason: string, at: Date): Promise<void>
  findLabel(labelId: string): Promise<LabelRecord | undefined>
  /** Shipments of a reference that were not refused, newest first; also those whose details were removed since. */
  earlier(reference: string): Promise<GuardedShipment[]>
  search(search: ShipmentSearch): Promise<{ shipments: ShipmentRecord[]; total: number }>
  inStates(states: ShipmentState[]): Promise<ShipmentRecord[]>
  /** Which of these ids the journal does not know, nor a person's word that they may stay without a guard. */
  unknownAmong(ids: readonly string[]): Promise<string[]>
  /** A person agrees that nothing guards the references of these shipments. */
  leaveUnguarded(ids: readonly string[], at: Date): Promise<void>
  /**
   * Writes a shipment whose row was lost, as one that was sent and has no outcome yet.
   * @returns false when the journal holds something that it conflicts with
   */
  restore(shipment: NewShipment): Promise<boolean>
  /** How many shipments the journal holds. */
  count(): Promise<number>
  /** Created shipments with labels that are still to be fetched or written, oldest first, with the error noted. */
  missingLabels(): Promise<Pick<ShipmentRecord, 'id' | 'error'>[]>
  openCounts(): Promise<OpenCounts>
  limitsOf(carrierOptionId: number): Promise<CarrierLimits | null>
  rememberLimits(carrierOptionId: number, limits: CarrierLimits, at: Date): Promise<void>
  /**
   * Shipments that ended before a moment and that nothing waits for: no person, no printer, and no order file that
   * is being worked on. Oldest first. One that was written after a younger one is not older than that, whatever its
   * own moments say: the clock was behind.
   * @param now moments beyond it were written by a clock that was ahead, and say nothing about others
   * @param spared shipments by their numbers that are left out
   */
  olderThan(moment: Date, now: Date, spared: { after: number; to: number } | null): Promise<string[]>
  /**
   * Removes a shipment and what belongs to it; the duplicate guard keeps its reference, time and barcodes.
   * @param guardedFrom the earliest moment from which the guard counts; its own when left out
   */
  remove(id: string, guardedFrom?: Date): Promise<void>
  /**
   * Guards the created shipments of a checked backup that the journal does not know, as removed ones.
   * @param backup absolute path
   * @returns how many
   */
  guardFromBackup(backup: string): Promise<number>
  /**
   * Forgets references of removed shipments that were taken before a moment.
   * @param share how many of a number of references may be forgotten at once
   * @returns how many were forgotten
   */
  forgetReferences(before: Date, share: (total: number) => number): Promise<number>
}
