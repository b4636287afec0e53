import { ActionIcon, Button, Flex } from '@mantine/core'
import { IconCheck, IconExternalLink, IconHistory, IconPrinter } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ParcelShipment } from '../../../shared/tracking'
import { ErrorCallout } from '../../ui/Callout'
import { useLabelActions, useLabelError } from '../../ui/labelActions'
import { useNavigation } from '../../ui/navigation'

interface ParcelActionsProps {
  /** `station` is set if another station shipped it. */
  shipment: ParcelShipment & { station?: string | undefined }
}

/** Actions on one of our shipments from any list: open it, reprint the label unless it was cancelled, open the carrier's page. */
export function ParcelActions({ shipment }: ParcelActionsProps) {
  const { t } = useTranslation()
  const showShipment = useNavigation((state) => state.showShipment)
  const [reprinted, setReprinted] = useState(false)
  const { isBusy, act } = useLabelActions(shipment.id)
  const { id, reference, trackingLinkHost: host } = shipment
  const printWords = reprinted ? t('parcel.reprinted', { reference }) : t('parcel.reprint', { reference })
  const printAgain = async () => {
    setReprinted(false)
    setReprinted(await act('reprint', { shipmentId: id }))
  }
  return (
    <Flex component="span" align="center" display="inline-flex" miw={0}>
      <ActionIcon
        aria-label={t('parcel.open', { reference })}
        title={t('parcel.open', { reference })}
        onClick={() => showShipment(id, shipment.station === undefined ? 'this' : 'all')}
      >
        <IconHistory size={20} aria-hidden />
      </ActionIcon>
      {shipment.isCancelled ? (
        <span className="pb-soft">{t('historyTable.cancelled')}</span>
      ) : (
        <ActionIcon
          aria-label={printWords}
          title={printWords}
          disabled={isBusy}
          onClick={() => void printAgain()}
        >
          {reprinted ? <IconCheck size={20} aria-hidden /> : <IconPrinter size={20} aria-hidden />}
        </ActionIcon>
      )}
      {host === null ? null : (
        <Button
          variant="subtle"
          miw={0}
          px={8}
          leftSection={<IconExternalLink size={18} aria-hidden />}
          aria-label={t('parcel.pageFor', { host, reference })}
          title={t('parcel.pageFor', { host, reference })}
          onClick={() => void act('openTrackingLink', { shipmentId: id })}
        >
          {shortHost(host)}
        </Button>
      )}
    </Flex>
  )
}

/** The last failed action on one of the listed shipments. */
export function ParcelActionErrors({ shipmentIds }: { shipmentIds: readonly string[] }) {
  const error = useLabelError(shipmentIds)
  return error === undefined ? null : <ErrorCallout error={error} />
}

const maxHostLength = 40

/** The end of a long host name, which identifies its owner. */
export function shortHost(host: string): string {
  return host.length > maxHostLength ? `…${host.slice(-maxHostLength)}` : host
}
