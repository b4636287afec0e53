import { ActionIcon, Flex } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { callMain } from '../bridge'
import styles from './ui.module.css'

/** How long the button confirms the copy, in milliseconds. */
const shownMs = 1500

/**
 * A value with a button that copies it. Main does the copying: the window has no clipboard permission, which
 * Mantine's CopyButton needs.
 */
export function CopyValue({ what, value }: { what: string; value: string }) {
  const { t } = useTranslation()
  const [copied, setCopied] = useState(false)
  const { start } = useTimeout(() => setCopied(false), shownMs)
  const copy = async () => {
    if (!(await callMain('copyText', { text: value })).ok) return
    setCopied(true)
    start()
  }
  return (
    <Flex component="span" align="center" gap={4} miw={0}>
      <span className={styles.copyValue}>{value}</span>
      <ActionIcon
        onClick={() => void copy()}
        aria-label={copied ? t('common.copied') : t('common.copy', { what })}
        title={t('common.copy', { what })}
      >
        {copied ? <IconCheck size={20} aria-hidden /> : <IconCopy size={20} aria-hidden />}
      </ActionIcon>
    </Flex>
  )
}
