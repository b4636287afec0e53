import { Button, Modal } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { formatMoment } from '../../locales/format'
import { useLabels } from '../../ui/labelActions'
import styles from './ship.module.css'
import { useShip } from './stores'

/** Asks before a reference is shipped once more. The cursor is on the answer that costs nothing. */
export function DuplicateDialog() {
  const { t, i18n } = useTranslation()
  const asking = useShip((state) => state.asking)
  const outcome = useShip((state) => state.outcome)
  const { submit, stopAsking } = useShip((state) => state)
  const reprint = useLabels((state) => state.reprint)
  const duplicate = outcome?.kind === 'duplicate' ? outcome : null
  if (!duplicate) return null
  const { takenAt, barcodes, shipmentId } = duplicate.earlier
  return (
    <Modal
      opened={asking}
      onClose={stopAsking}
      title={t('outcome.duplicate')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
    >
      <p className={styles.dialogText}>
        {t('outcome.duplicateText', {
          reference: duplicate.reference,
          when: takenAt ? formatMoment(takenAt, i18n.language) : t('common.none'),
        })}
      </p>
      <ul className={styles.barcodes}>
        {barcodes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <p>{t('outcome.duplicateQuestion')}</p>
      <div className={styles.dialogMoves}>
        <Button
          onClick={() => {
            stopAsking()
            void reprint(shipmentId)
          }}
        >
          {t('outcome.reprintThat')}
        </Button>
        <Button variant="outline" onClick={() => void submit(shipmentId)}>
          {t('outcome.shipAgain')}
        </Button>
        <Button variant="default" data-autofocus onClick={stopAsking}>
          {t('common.cancel')}
        </Button>
      </div>
    </Modal>
  )
}
