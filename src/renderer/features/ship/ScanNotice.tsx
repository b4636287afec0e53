import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Callout } from '../../ui/Callout'
import styles from './ship.module.css'
import { useScan } from './stores'

/** How long a notice stands on the screen, in milliseconds. */
const shownMs = 8000

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
  return (
    <div role="status" className={styles.scanNotice} data-testid="scan-notice">
      {noticed === null ? null : (
        <Callout tone={noticed.kind === 'right' ? 'good' : 'attention'}>
          <p>{t(`scanner.notices.${noticed.kind}`, { code: noticed.code })}</p>
        </Callout>
      )}
    </div>
  )
}
