import { useTranslation } from 'react-i18next'
import type { ShipmentDetails } from '../../shared/shipments'
import { formatMoment } from '../i18n/format'
import { Callout } from './Callout'

/** When and by whom a shipment was marked as cancelled at the carrier. */
export function CancellationWords({ shipment: { cancellation } }: { shipment: ShipmentDetails }) {
  const { t, i18n } = useTranslation()
  if (cancellation === undefined) return null
  const { at, by, note } = cancellation
  const when = formatMoment(at, i18n.language)
  return (
    <Callout tone="info">
      <p>
        {by === null ? t('historyTable.cancelledAt', { when }) : t('historyTable.cancelledBy', { when, by })}
      </p>
      <p>{note}</p>
    </Callout>
  )
}
