import { Box, Progress } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { IconDatabaseCog } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../../shared/errors'
import { ErrorWords } from '../../ui/Callout'
import styles from './startError.module.css'

/** Shown while an update migrates a large database. The operator can only wait. */
export function UpdatingScreen({ startError }: { startError: AppError }) {
  const { t } = useTranslation()
  const title = t('startError.updating')
  const { step, steps } = startError.details ?? {}
  useDocumentTitle(`${title} — ${t('common.appName')}`)
  return (
    <main className={styles.page}>
      <div className={`${styles.card} ${styles.calm}`}>
        <div className={styles.head}>
          <IconDatabaseCog size={44} aria-hidden />
          <Box component="h1" fz={30} lh={1.2}>
            {title}
          </Box>
        </div>
        <div className={styles.words} role="status">
          <ErrorWords error={startError} />
        </div>
        {step === undefined ? null : (
          <Progress size="xl" value={((Number(step) - 1) / Number(steps)) * 100} aria-label={title} />
        )}
      </div>
    </main>
  )
}
