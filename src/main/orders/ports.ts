import type { PrintJob } from '../../shared/printing'
import type { Result } from '../../shared/result'
import type { ShipmentDetails, ShipmentDraft } from '../../shared/shipment'

/** What the hot folder needs of the creation of shipments. */
export interface OrderShipping {
  /**
   * Creates a shipment under the same guard as the screen. The same `attemptId` never makes a second request.
   * @returns the shipment as it ended (created, refused or unknown). An error means that nothing was sent:
   * 'shipment-duplicate' and 'shipment-unsettled' name the earlier shipment in `details.shipmentId`, 'invalid-input'
   * speaks of the draft, and every other one of the station, so that it is worth trying again later.
   */
  create(request: {
    attemptId: string
    draft: ShipmentDraft
    origin: 'hot-folder'
    print: boolean
    takenAt: Date
  }): Promise<Result<ShipmentDetails>>
  /** What the journal knows of an attempt. */
  findAttempt(attemptId: string): Promise<ShipmentDetails | undefined>
  details(shipmentId: string): Promise<Result<ShipmentDetails>>
  /** Resolves when every print job of the shipment is done, handed over, failed, unconfirmed or cancelled. */
  settledJobs(shipmentId: string): Promise<PrintJob[]>
}

/** An order file that was taken and whose result is not delivered yet. */
export interface OrderFile {
  id: string
  /** As it was in `in/`, with its extension. */
  name: string
  takenAt: Date
}

/** Where taken order files are remembered. Every call is durable when its promise resolves. */
export interface OrderFileStore {
  begin(name: string, takenAt: Date): Promise<OrderFile>
  /** Files that were begun and not finished, oldest first; at most one of a name. */
  working(): Promise<OrderFile[]>
  finish(id: string): Promise<void>
}
