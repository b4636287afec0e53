import type { CarrierLimits } from '../../../shared/shipments'
import { useBridgeQuery } from '../../bridge'
import { readCarrierKey } from '../../ui/fieldValues'
import { useShip } from './stores'

/** The limits that the service last stated for the carrier option of the draft; null while there are none. */
export function useCarrierLimits(): CarrierLimits | null {
  const chosen = useShip((state) => readCarrierKey(state.form.carrier)?.carrierOptionId)
  const { data } = useBridgeQuery(
    'getCarrierLimits',
    { carrierOptionId: chosen ?? 0 },
    { enabled: chosen !== undefined },
  )
  return data ?? null
}
