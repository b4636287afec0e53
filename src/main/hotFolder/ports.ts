import type { AppError } from '../../shared/errors'
import type { PrintJob } from '../../shared/printing'
import type { Result } from '../../shared/result'
import type { ShipmentDetails, ShipmentDraft } from '../../shared/shipments'

/** What the hot folder needs of the creation of shipments. */
export interface OrderShipping {
  /**
   * Creates a shipment under the same guard as the screen. The same `attemptId` never makes a second request.
   * @returns the shipment as it ended (created, refused or unknown). An error means that it has no outcome:
   * 'shipment-duplicate' and 'shipment-unsettled' name the earlier shipment in `details.shipmentId`, 'invalid-input'
   * speaks of the draft, 'shipment-in-progress' and 'outcome-not-written' of an outcome that is still to come, and
   * every other one of the station, so that it is worth trying again later.
   */
  create(request: {
    attemptId: string
    draft: ShipmentDraft
    origin: 'hot-folder'
    print: boolean
    takenAt: Date
  }): Promise<Result<ShipmentDetails>>
  /**
   * What stands in the way of a reference, in the words of `create`; undefined when the journal does not know it.
   * Nothing is sent.
   */
  findBlocker(reference: string): Promise<AppError | undefined>
  /** Why no order can be sent with this account until a person helps; undefined when one can. The service is not asked. */
  accountRefused(): AppError | undefined
  /** What the journal knows of an attempt. */
  findAttempt(attemptId: string): Promise<ShipmentDetails | undefined>
  details(shipmentId: string): Promise<Result<ShipmentDetails>>
  /** Resolves when every print job of the shipment is done, handed over, failed, unconfirmed or cancelled. */
  endedJobs(shipmentId: string): Promise<PrintJob[]>
}

/** An order file that was taken and whose result is not delivered yet. */
export interface OrderFile {
  id: string
  /** As it was in `in/`, with its extension. */
  name: string
  takenAt: Date
  /** Digest of what it held when it was read for the first time; null before that. */
  sha256: string | null
}

/** What is wrong with a line or a print job, as the result says it: a stable code for programs, a sentence for people. */
export interface ResultError {
  code: string
  message: string
}

/** Where taken order files are remembered. Every call is durable when its promise resolves. */
export interface OrderFileStore {
  /**
   * Notes a file before it is moved to `work/`, so that none lies there without a note. Replaces an older note of that
   * name: its file is not in `work/` any more, and what was created of it stays in the journal.
   */
  begin(name: string, takenAt: Date): Promise<OrderFile>
  /** Notes what a file holds before anything of it is sent. */
  noteContent(id: string, sha256: string): Promise<void>
  /** Files that were begun and not finished, oldest first; at most one of a name. */
  working(): Promise<OrderFile[]>
  finish(id: string): Promise<void>
}
