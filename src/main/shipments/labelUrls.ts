import { isLabelMissing } from '../../shared/shipments'
import type { Log } from '../log/log'
import type { LabelFiles } from './labelFiles'
import type { LabelIntake, UrlCipher } from './labelIntake'
import type { ShipmentRepository } from './repository'

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
