import { isLabelMissing } from '../../shared/shipment'
import type { Log } from '../log/log'
import type { Sealer } from './creationService'
import type { LabelFiles } from './labelFiles'
import type { LabelIntake } from './labelIntake'
import type { ShipmentStore } from './ports'

/** Where the sealed addresses of labels are kept. */
export interface LabelUrlStore {
  list(): Promise<{ shipmentId: string; sealed: string }[]>
  replace(shipmentId: string, sealed: string | null): Promise<void>
}

/** What sealing anew works with. */
export interface ResealParts {
  urls: LabelUrlStore
  store: Pick<ShipmentStore, 'labelsOf'>
  files: Pick<LabelFiles, 'readCreation' | 'writeCreation'>
  intake: Pick<LabelIntake, 'holdUrl'>
  sealer: Sealer
  log: Log
}

/**
 * Seals the addresses of labels again after it changed how secrets may be kept. Where they may not be kept at all they
 * are taken off the disk; that of a label which is still to be fetched holds in memory until the app closes. Never
 * throws: what could not be done is done at the next start.
 */
export async function resealLabelUrls({
  urls,
  store,
  files,
  intake,
  sealer,
  log,
}: ResealParts): Promise<void> {
  try {
    for (const { shipmentId, sealed } of await urls.list()) {
      const url = sealer.unseal(sealed)
      // Not readable here, so not sealed in the weak way.
      if (url === null) continue
      const sealedLabelUrl = sealer.seal(url)
      const labels = await store.labelsOf(shipmentId)
      if (sealedLabelUrl === null && labels.some(isLabelMissing)) intake.holdUrl(shipmentId, url)
      const creation = await files.readCreation(shipmentId)
      if (creation !== undefined) await files.writeCreation(shipmentId, { ...creation, sealedLabelUrl })
      await urls.replace(shipmentId, sealedLabelUrl)
    }
  } catch (error) {
    log.error('addresses of labels could not be sealed anew', { reason: String(error) })
  }
}
