import { Box, Modal } from '@mantine/core'
import { IconAlertOctagon } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import { HoldButton } from './HoldButton'
import styles from './ship.module.css'
import { useScan } from './stores'

/** Fills the screen when another label was scanned than the one that was to come out. */
export function WrongLabelDialog() {
  const { t } = useTranslation()
  const { outcome, dismiss } = useScan((state) => state)
  const wrong = outcome && !outcome.matches ? outcome : null
  return (
    <Modal.Root
      opened={wrong !== null}
      onClose={dismiss}
      fullScreen
      lockScroll={false}
      closeOnEscape={false}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Content aria-label={t('scan.wrongTitle')} className={styles.stop}>
        <Modal.Body>
          {wrong ? (
            <div className={styles.stopBody} role="alert">
              <IconAlertOctagon size={140} stroke={1.4} aria-hidden />
              <Box component="h2" fz="clamp(28px, 5vw, 44px)" fw={800}>
                {t('scan.wrongTitle')}
              </Box>
              <p>{t('scan.wrongText', { scanned: wrong.scanned, expected: wrong.expected.join(', ') })}</p>
              <p>{t('scan.wrongWayOut')}</p>
              <HoldButton onHeld={dismiss}>{t('scan.hold')}</HoldButton>
            </div>
          ) : null}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
