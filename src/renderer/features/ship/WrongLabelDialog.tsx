import { Box, Button, Modal } from '@mantine/core'
import { IconAlertOctagon } from '@tabler/icons-react'
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../i18n/texts'
import styles from './ship.module.css'
import { useScan } from './stores'

/** Blocks the whole screen when the scanned label is not the expected one. */
export function WrongLabelDialog() {
  const { t } = useTranslation()
  const { outcome, failure, dismiss } = useScan((state) => state)
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
              {failure?.shipmentId === wrong.shipmentId ? <p>{errorText(t, failure.error)}</p> : null}
              <HoldButton onHeld={dismiss}>{t('scan.hold')}</HoldButton>
            </div>
          ) : null}
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}

/** How long the button must be held, in milliseconds: longer than a scanner or a slip of the hand holds a key. */
const holdMs = 1500

/** A button that must be held, with the pointer or with Enter or Space. */
export function HoldButton({ onHeld, children }: { onHeld: () => void; children: ReactNode }) {
  const [holder, setHolder] = useState<'pointer' | 'key' | null>(null)
  const isHeld = holder !== null
  const held = useEffectEvent(onHeld)
  // Only a release restarts the timer; a new render does not.
  useEffect(() => {
    if (!isHeld) return
    const timer = setTimeout(() => held(), holdMs)
    return () => clearTimeout(timer)
  }, [isHeld])
  const releaseKey = () => setHolder((now) => (now === 'key' ? null : now))
  return (
    <Button
      size="xl"
      variant="white"
      color="dark"
      className={styles.hold}
      data-held={isHeld}
      onPointerDown={({ currentTarget, pointerId }) => {
        // Keeps the hold when the pointer slips off the button or something covers it.
        currentTarget.setPointerCapture(pointerId)
        setHolder('pointer')
      }}
      onLostPointerCapture={() => setHolder(null)}
      onKeyDown={({ key }) => {
        if (key === 'Enter' || key === ' ') setHolder((now) => now ?? 'key')
      }}
      onKeyUp={releaseKey}
      onBlur={releaseKey}
    >
      {children}
    </Button>
  )
}
