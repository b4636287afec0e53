import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { LabelSource, PrintableLabel } from '../printing/printableLabel'
import type { LabelCopyRepository } from './labelCopyRepository'
import type { SharedLabelContent } from './sharedHistoryRepository'

/** Brings labels of other stations from the fleet. */
type FetchLabels = (
  by: 'shipment' | 'id',
  value: string,
) => Promise<Result<{ labels: SharedLabelContent[]; areDamaged: boolean }>>

/** Labels of this station from its disk, those of others from copies, which are fetched when there are none. */
export function createFleetLabelSource(
  own: LabelSource,
  copies: LabelCopyRepository,
  fetchLabels: FetchLabels,
): LabelSource {
  async function listFromOthers(
    by: 'shipment' | 'id',
    value: string,
    notHere: AppError,
  ): Promise<Result<PrintableLabel[]>> {
    const kept = await copies.list(by, value)
    // A label alone may be here while its shipment has more.
    if (by === 'id' && kept.length > 0) return ok(kept)
    const fetched = await fetchLabels(by, value)
    if (!fetched.ok) {
      if (kept.length > 0) return ok(kept)
      return fetched.error.code === 'fleet-not-joined' ? err(notHere) : fetched
    }
    const { labels, areDamaged } = fetched.value
    await copies.keep(labels)
    const [first] = labels
    if (first !== undefined) return ok(await copies.list(by, value))
    return err(areDamaged ? appError('fleet-label-damaged') : notHere)
  }

  return {
    async ofShipment(shipmentId) {
      const found = await own.ofShipment(shipmentId)
      if (found.ok || found.error.code !== 'label-not-found') return found
      return listFromOthers('shipment', shipmentId, found.error)
    },
    async find(labelId) {
      const found = await own.find(labelId)
      if (found.ok || found.error.code !== 'label-not-found') return found
      const others = await listFromOthers('id', labelId, found.error)
      if (!others.ok) return others
      const [label] = others.value
      return label === undefined ? found : ok(label)
    },
  }
}
