import { ActionIcon } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Notice } from '../../shared/appStatus'
import { Callout } from '../components/Callout'
import styles from './app.module.css'

/** Things an administrator should know; each can be closed until the app starts again. */
export function NoticeBar({ notices }: { notices: readonly Notice[] }) {
  const { t } = useTranslation()
  const [closed, setClosed] = useState<ReadonlySet<Notice['code']>>(new Set())
  const shown = notices.filter((notice) => !closed.has(notice.code))
  if (shown.length === 0) return null
  return (
    <section className={styles.notices} aria-label={t('notices.label')}>
      {shown.map((notice) => (
        <Callout key={notice.code} tone="attention">
          <div className={styles.notice}>
            <p>{t(`notices.${notice.code}`, notice.details)}</p>
            <ActionIcon
              color="gray"
              aria-label={t('common.dismiss')}
              onClick={() => setClosed(new Set([...closed, notice.code]))}
            >
              <IconX size={20} aria-hidden />
            </ActionIcon>
          </div>
        </Callout>
      ))}
    </section>
  )
}
