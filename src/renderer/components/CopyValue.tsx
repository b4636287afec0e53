import { ActionIcon, CopyButton } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import styles from './field.module.css'

/** A value to read aloud or paste elsewhere, with a button that copies it. */
export function CopyValue({ what, value }: { what: string; value: string }) {
  const { t } = useTranslation()
  return (
    <span className={styles.copy}>
      <span className={styles.copyValue}>{value}</span>
      <CopyButton value={value} timeout={1500}>
        {({ copied, copy }) => (
          <ActionIcon
            onClick={copy}
            aria-label={copied ? t('common.copied') : t('common.copy', { what })}
            title={t('common.copy', { what })}
          >
            {copied ? <IconCheck size={20} aria-hidden /> : <IconCopy size={20} aria-hidden />}
          </ActionIcon>
        )}
      </CopyButton>
    </span>
  )
}
