import { Button, Modal } from '@mantine/core'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ShipmentDetails } from '../../../shared/shipments'
import styles from '../../ui/field.module.css'
import { useLabels } from '../../ui/labelActions'
import { TextField } from '../../ui/TextField'

/** Closes the problem of a shipment whose label will never come; the reason stays with the shipment. */
export function CloseProblem({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const [opened, setOpened] = useState(false)
  const [reason, setReason] = useState('')
  const [missing, setMissing] = useState(false)
  const closeProblems = useLabels((state) => state.closeProblems)
  const busy = useLabels((state) => state.busy[shipment.id] === true)
  if (!shipment.labels.some(({ problem, closed }) => problem !== null && closed === undefined)) return null
  const save = (event: FormEvent) => {
    event.preventDefault()
    setMissing(reason.trim() === '')
    if (reason.trim() === '') return
    setOpened(false)
    void closeProblems(shipment.id, reason.trim())
  }
  return (
    <>
      <Button variant="default" disabled={busy} onClick={() => setOpened(true)}>
        {t('closeLabel.open')}
      </Button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title={t('closeLabel.title')}
        closeButtonProps={{ 'aria-label': t('common.close') }}
      >
        <form onSubmit={save}>
          <p>{t('closeLabel.explain', { reference: shipment.reference })}</p>
          <TextField
            label={t('closeLabel.reason')}
            value={reason}
            onChange={(text) => {
              setReason(text)
              setMissing(false)
            }}
            fault={missing ? t('closeLabel.reasonNeeded') : undefined}
            maxLength={200}
            data-autofocus
          />
          <div className={styles.moves}>
            <Button type="submit">{t('closeLabel.save')}</Button>
            <Button variant="default" onClick={() => setOpened(false)}>
              {t('common.cancel')}
            </Button>
          </div>
        </form>
      </Modal>
    </>
  )
}
