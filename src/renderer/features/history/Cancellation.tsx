import { Button, Modal } from '@mantine/core'
import { IconTruckReturn } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ShipmentDetails } from '../../../shared/shipments'
import { useBridgeMutation } from '../../bridge'
import { formatMoment } from '../../i18n/format'
import { Callout, ErrorCallout } from '../../ui/Callout'
import fieldStyles from '../../ui/field.module.css'
import { TextField } from '../../ui/TextField'

/** That a shipment was cancelled at the carrier, and by whom. */
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

/** Notes that a shipment was cancelled at the carrier: the service itself can't cancel. */
export function NoteCancellation({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  const [note, setNote] = useState('')
  const [missing, setMissing] = useState(false)
  const save = useBridgeMutation('noteCancellation', { onSuccess: () => setOpened(false) })
  if (shipment.state !== 'created' || shipment.cancellation !== undefined) return null
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setMissing(note.trim() === '')
    if (note.trim() !== '') save.mutate({ shipmentId: shipment.id, note: note.trim() })
  }
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconTruckReturn size={20} aria-hidden />}
        onClick={() => setOpened(true)}
      >
        {t('historyTable.cancel')}
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={t('historyTable.cancelTitle')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <form onSubmit={submit}>
          <p>{t('historyTable.cancelExplain', { reference: shipment.reference })}</p>
          <TextField
            label={t('historyTable.cancelNote')}
            value={note}
            onChange={(text) => {
              setNote(text)
              setMissing(false)
            }}
            errorText={missing ? t('historyTable.cancelNeeded') : undefined}
            maxLength={500}
            needed
            data-autofocus
          />
          {save.error ? <ErrorCallout error={save.error} /> : null}
          <div className={fieldStyles.moves}>
            <Button type="submit" loading={save.isPending}>
              {t('historyTable.cancelSave')}
            </Button>
            <Button variant="default" onClick={() => setOpened(false)}>
              {t('common.cancel')}
            </Button>
          </div>
        </form>
      </Modal>
    </>
  )
}
