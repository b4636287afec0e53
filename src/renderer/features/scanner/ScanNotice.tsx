import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/Callout'
import type { ScanNotice as Noticed } from '../ship/scanStore'
import { useScan, useShip } from '../ship/stores'
import styles from './scanner.module.css'

/** How long a notice is shown, in milliseconds. */
const shownMs = 8000

const tones: Partial<Record<Noticed['kind'], 'good' | 'info'>> = {
  right: 'good',
  'no-order': 'info',
  reprinted: 'info',
  option: 'info',
  packages: 'info',
  paused: 'info',
  resumed: 'info',
}

/** Shows for a while the result of a scan that is not visible elsewhere. */
export function ScanNotice() {
  const { t } = useTranslation()
  const notice = useScan((state) => state.notice)
  const showNotice = useScan((state) => state.showNotice)
  useEffect(() => {
    if (notice === null) return
    const timer = setTimeout(() => showNotice(null), shownMs)
    return () => clearTimeout(timer)
  }, [notice, showNotice])
  const sending = useShip((state) => state.sending)
  useEffect(() => {
    // The operator's attention belongs to the coming outcome.
    if (sending) showNotice(null)
  }, [sending, showNotice])
  return (
    <div role="status" className={styles.notice} data-testid="scan-notice">
      {notice === null ? null : (
        <Callout tone={tones[notice.kind] ?? 'attention'}>
          <p>{t(`scanner.notices.${notice.kind}`, { code: notice.code })}</p>
        </Callout>
      )}
    </div>
  )
}
