import { useTranslation } from 'react-i18next'
import type { ManifestDetails } from '../../../shared/consignments'
import styles from './manifests.module.css'
import { PreAlertResult } from './PreAlertResult'
import { UploadResult } from './UploadResult'

/** Everything that was sent of an air waybill, newest first. */
export function HistoryTab({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const entries = [
    ...page.uploads.map((upload) => ({ at: upload.startedAt, upload, preAlert: null })),
    ...page.preAlerts.map((preAlert) => ({ at: preAlert.sentAt, upload: null, preAlert })),
  ].sort((one, other) => other.at.localeCompare(one.at))
  if (entries.length === 0) return <p>{t('manifests.historyEmpty')}</p>
  return (
    <ol className={styles.stack}>
      {entries.map(({ at, upload, preAlert }) => (
        <li key={at}>
          <h2 className={styles.legend}>{upload ? t('manifests.upload') : t('manifests.preAlertTitle')}</h2>
          {upload ? <UploadResult upload={upload} /> : null}
          {preAlert ? <PreAlertResult preAlert={preAlert} page={page} /> : null}
        </li>
      ))}
    </ol>
  )
}
