import type { AppError } from '../../shared/errors'
import type { Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { ShipmentDraft } from '../../shared/shipment'
import type { CreationOutcome } from '../carrier/creationOutcome'
import type { KeepAnswer } from '../carrier/receivedAnswer'
import type { FirstLabel } from '../printing/jobActions'
import type { NewPrintJob } from '../printing/ports'

/** The road to the service for one creation, with a key in hand. */
export interface CreationRoad {
  /** @param keep puts the answer on the disk before it is judged */
  create(
    draft: ShipmentDraft,
    delivery: Settings['labelDelivery'],
    keep: KeepAnswer,
  ): Promise<CreationOutcome>
  /** The service no longer takes the key: gets a new one, so that the operator's next try works. */
  renewKey(): Promise<void>
}

/** What creating shipments needs of the carrier side. */
export interface CreationService {
  /** Gets a key when there is none; nothing is created. */
  open(): Promise<Result<CreationRoad>>
  fetchLabel(url: string): Promise<Result<Buffer>>
}

/** Encrypts what may not lie on the disk as it is; null when there is no safe way to. */
export interface UrlCipher {
  encrypt(text: string): string | null
  decrypt(encrypted: string): string | null
}

/** What creating shipments needs of printing. */
export interface FirstPrint {
  /** The print jobs for the labels that can be printed; an error when no printer takes them. */
  plan(
    shipmentId: string,
    labels: FirstLabel[],
    carrierOptionId: number,
  ): Promise<Result<NewPrintJob[], AppError>>
  /** New jobs were stored. */
  wake(): void
}
