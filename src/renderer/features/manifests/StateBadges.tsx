import {
  IconAlertTriangle,
  IconFilePencil,
  IconLock,
  IconLockQuestion,
  IconUpload,
} from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { ManifestSummary } from '../../../shared/consignments'
import { Badge } from '../../ui/Badge'
import styles from './manifests.module.css'

/** Where an air waybill's manifest stands, and what is not known of it. */
export function StateBadges({ manifest }: { manifest: ManifestSummary }) {
  const { t } = useTranslation()
  const looks = {
    draft: { look: { tone: 'quiet', Icon: IconFilePencil }, text: t('manifests.stateDraft') },
    uploaded: { look: { tone: 'good', Icon: IconUpload }, text: t('manifests.stateUploaded') },
    locked: {
      look: { tone: 'known', Icon: manifest.lock === 'locked' ? IconLock : IconLockQuestion },
      text: manifest.lock === 'locked' ? t('manifests.stateLocked') : t('manifests.lockAssumed'),
    },
  } as const
  return (
    <span className={styles.badges}>
      <Badge {...looks[manifest.state]} />
      {manifest.lock === 'uncertain' ? (
        <Badge look={{ tone: 'attention', Icon: IconLockQuestion }} text={t('manifests.lockUncertain')} />
      ) : null}
      {manifest.unknownUpload ? (
        <Badge look={{ tone: 'attention', Icon: IconAlertTriangle }} text={t('manifests.unknownUpload')} />
      ) : null}
      {manifest.unknownPreAlert ? (
        <Badge look={{ tone: 'attention', Icon: IconAlertTriangle }} text={t('manifests.unknownPreAlert')} />
      ) : null}
    </span>
  )
}
