import { IconTruckReturn } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { ShipmentDetails } from '../../../shared/shipments'
import { useBridgeMutation } from '../../bridge'
import { formatMoment } from '../../i18n/format'
import { Callout } from '../../ui/Callout'
import { ReasonDialog } from '../../ui/ReasonDialog'

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

/** Marks a shipment as cancelled at the carrier. The service has no operation to cancel one. */
export function NoteCancellation({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const save = useBridgeMutation('noteCancellation')
  if (shipment.state !== 'created' || shipment.cancellation !== undefined) return null
  return (
    <ReasonDialog
      open={t('historyTable.cancel')}
      icon={<IconTruckReturn size={20} aria-hidden />}
      title={t('historyTable.cancel')}
      explain={t('historyTable.cancelExplain', { reference: shipment.reference })}
      label={t('historyTable.cancelNote')}
      missing={t('historyTable.cancelNeeded')}
      maxLength={500}
      save={t('historyTable.cancelSave')}
      isSaving={save.isPending}
      error={save.error}
      onSave={(note, close) => save.mutate({ shipmentId: shipment.id, note }, { onSuccess: close })}
    />
  )
}
