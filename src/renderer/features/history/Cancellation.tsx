import { Flex } from '@mantine/core'
import { IconTruckReturn } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { ShipmentDetails } from '../../../shared/shipments'
import { useBridgeMutation } from '../../bridge'
import { ReasonDialog } from '../../ui/ReasonDialog'

/**
 * Marks a shipment as cancelled at the carrier, at the station that sent it. The service has no operation to cancel one.
 */
export function NoteCancellation({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const save = useBridgeMutation('noteCancellation')
  if (shipment.state !== 'created' || shipment.cancellation !== undefined) return null
  if (shipment.station?.isThisOne === false) {
    return (
      <Flex component="p" align="center" className="pb-soft">
        {t('historyTable.cancelElsewhere', { station: shipment.station.name })}
      </Flex>
    )
  }
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
