import { useTimeout } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBridgeEvent } from '../bridge'
import styles from './app.module.css'

/** How long a new size stands on the screen, in milliseconds. */
const shownMs = 1500

/** Says for a moment how large the window's contents are, after that was changed. */
export function ZoomNotice() {
  const { t } = useTranslation()
  const [percent, setPercent] = useState<number | null>(null)
  const { start, clear } = useTimeout(() => setPercent(null), shownMs)
  useBridgeEvent('zoomChanged', (zoom) => {
    setPercent(zoom.percent)
    clear()
    start()
  })
  if (percent === null) return null
  return (
    <p className={styles.zoom} role="status" data-testid="zoom">
      {t('common.zoom', { percent })}
    </p>
  )
}
