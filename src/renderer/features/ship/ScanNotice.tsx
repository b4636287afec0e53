import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/Callout'
import type { ScanNotice as Noticed } from './scanStore'
import styles from './ship.module.css'
import { useScan, useShip } from './stores'

/** How long a notice stands on the screen, in milliseconds. */
const shownMs = 8000

const tones: Partial<Record<Noticed['kind'], 'good' | 'info'>> = {
  right: 'good',
  option: 'info',
  packages: 'info',
  paused: 'info',
  resumed: 'info',
}

/** Says for a while what a scan came to that nothing else on the screen shows. */
export function ScanNotice() {
  const { t } = useTranslation()
  const noticed = useScan((state) => state.noticed)
  const notice = useScan((state) => state.notice)
  useEffect(() => {
    if (noticed === null) return
    const timer = setTimeout(() => notice(null), shownMs)
    return () => clearTimeout(timer)
  }, [noticed, notice])
  const sending = useShip((state) => state.sending)
  useEffect(() => {
    // The outcome that comes has the operator's eyes.
    if (sending) notice(null)
  }, [sending, notice])
  return (
    <div role="status" className={styles.scanNotice} data-testid="scan-notice">
      {noticed === null ? null : (
        <Callout tone={tones[noticed.kind] ?? 'attention'}>
          <p>{t(`scanner.notices.${noticed.kind}`, { code: noticed.code })}</p>
        </Callout>
      )}
    </div>
  )
}
