import { Button, Modal } from '@mantine/core'
import { IconAlertOctagon } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { useScan } from '../../app/storesContext'
import styles from './queue.module.css'

/** Fills the screen when another label was scanned than the one that was to come out. */
export function WrongLabelDialog() {
  const { t } = useTranslation()
  const { outcome, dismiss } = useScan((state) => state)
  const wrong = outcome && !outcome.matches ? outcome : null
  return (
    <Modal
      opened={wrong !== null}
      onClose={dismiss}
      fullScreen
      withCloseButton={false}
      closeOnEscape={false}
      title={t('scan.wrongTitle')}
      classNames={{
        content: styles.stop ?? '',
        header: styles.stopHead ?? '',
        title: styles.stopTitle ?? '',
      }}
    >
      {wrong ? (
        <div className={styles.stopBody} role="alert">
          <IconAlertOctagon size={140} stroke={1.4} aria-hidden />
          <p>{t('scan.wrongText', { scanned: wrong.scanned, expected: wrong.expected.join(', ') })}</p>
          <Button size="xl" variant="white" color="dark" onClick={dismiss}>
            {t('scan.understood')}
          </Button>
        </div>
      ) : null}
    </Modal>
  )
}
