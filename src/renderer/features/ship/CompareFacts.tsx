import { useTranslation } from 'react-i18next'
import type { ShipmentDraft } from '../../../shared/shipments'
import { useSettings } from '../../bridge'
import { formatNumber } from '../../locales/format'
import styles from './ship.module.css'

/** What the operator compares with the box in front of them: for whom it is, its weight, and how it travels. */
export function CompareFacts({ draft }: { draft: ShipmentDraft }) {
  const { t, i18n } = useTranslation()
  const carriers = useSettings()?.carriers
  const carrier = carriers?.find((option) => option.carrierOptionId === draft.carrierOptionId)
  const name = [draft.firstName, draft.lastName].filter(Boolean).join(' ')
  const weight = formatNumber(draft.weight, i18n.language)
  return (
    <dl className={styles.compare} aria-label={t('compare.title')}>
      <dt className="pb-unseen">{t('compare.consignee')}</dt>
      <dd>{[draft.companyName || name, draft.city, draft.country].filter(Boolean).join(', ')}</dd>
      <dt className="pb-unseen">{t('compare.weight')}</dt>
      <dd>
        {draft.numberOfPackages === 1
          ? t('compare.weightOf', { weight })
          : t('compare.packagesOf', { packages: draft.numberOfPackages, weight })}
      </dd>
      <dt className="pb-unseen">{t('compare.carrier')}</dt>
      <dd>{carrier?.name ?? t('remembered.option', { id: draft.carrierOptionId })}</dd>
    </dl>
  )
}
