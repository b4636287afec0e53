import { useQueryClient } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { ManifestDetails } from '../../../shared/consignments'
import { Callout } from '../../ui/Callout'
import { fieldName } from './fieldName'
import styles from './manifests.module.css'
import { useGrid, useManifests } from './stores'

/** Everything that the checks found, errors first; each leads to its cell. */
export function ChecksTab({ page }: { page: ManifestDetails }) {
  const { t } = useTranslation()
  const grid = useGrid.of(useQueryClient())
  const issues = useManifests((state) => state.issues)
  const setTab = useManifests((state) => state.setTab)
  const { errors, advice } = page.summary
  const isCut = issues.length > 0 && issues.length < errors + advice
  if (errors + advice === 0) return <Callout tone="good">{t('manifests.checksGood')}</Callout>
  return (
    <div className={styles.stack}>
      <p>
        {errors === 0 ? t('manifests.allGood') : t('manifests.errors', { count: errors })},{' '}
        {t('manifests.advice', { count: advice })}.{' '}
        {isCut ? t('manifests.checksMore', { count: issues.length }) : ''}
      </p>
      <ul className={styles.issues}>
        {issues.map((issue) => (
          <li key={`${issue.row} ${issue.column} ${issue.code}`} className={styles.issue}>
            <button
              type="button"
              className={styles.issueLink}
              onClick={() => {
                grid.getState().select({ row: issue.row, column: issue.column })
                setTab('lines')
              }}
            >
              {t('manifests.goTo', { line: issue.row + 1, field: fieldName(t, issue.column) })}
            </button>
            <span className={styles.severity} data-severity={issue.severity}>
              {issue.severity === 'error' ? t('manifests.error') : t('manifests.adviceWord')}
            </span>
            <span>{t(`issues.${issue.code}`, { detail: issue.detail })}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
