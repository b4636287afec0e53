import { Box, Group } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconInfoCircle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../shared/errors'
import { errorText, reasonText, technicalDetail } from '../i18n/texts'
import styles from './tone.module.css'

const icons = {
  good: IconCircleCheck,
  bad: IconCircleX,
  attention: IconAlertTriangle,
  info: IconInfoCircle,
}

interface CalloutProps {
  tone: keyof typeof icons
  children: ReactNode
  /** Buttons under the text. */
  actions?: ReactNode
}

/**
 * A message that stands in the page, with an icon in the colour of its meaning. Mantine's Alert always has a role, and its
 * own interrupts a screen reader for each of them; here only what is bad does.
 */
export function Callout({ tone, children, actions }: CalloutProps) {
  const Icon = icons[tone]
  return (
    <div className={`${styles.callout} ${styles[tone]}`} role={tone === 'bad' ? 'alert' : undefined}>
      <Icon size={22} aria-hidden />
      <div className={styles.calloutBody}>
        {children}
        {actions ? (
          <Group gap={8} mt={10}>
            {actions}
          </Group>
        ) : null}
      </div>
    </div>
  )
}

/** What went wrong in the operator's language, and apart from it the service's own words or the reason. */
export function ErrorWords({ error }: { error: AppError }) {
  const { t } = useTranslation()
  const { serviceSays } = error.details ?? {}
  const reason = reasonText(t, error)
  const technical = technicalDetail(t, error)
  return (
    <>
      <p>{errorText(t, error)}</p>
      {serviceSays ? <ServiceWords words={serviceSays} /> : null}
      {reason && !serviceSays ? (
        <p className={styles.quote}>
          <Box component="span" fz={15} fw={600}>
            {t('common.reason')}:{' '}
          </Box>
          {reason}
        </p>
      ) : null}
      {technical && !serviceSays ? (
        <p className={`${styles.quote} pb-soft`}>
          {t('common.technical')}: <span className="pb-mono">{technical}</span>
        </p>
      ) : null}
    </>
  )
}

/** What the service said, in its own words and language. */
export function ServiceWords({ words }: { words: string }) {
  const { t } = useTranslation()
  return (
    <blockquote className={styles.quote}>
      <Box component="span" fz={15} fw={600}>
        {t('common.serviceSays')}:{' '}
      </Box>
      “{words}”
    </blockquote>
  )
}

/** An error that stands in the page. */
export function ErrorCallout({ error, actions }: { error: AppError; actions?: ReactNode }) {
  return (
    <Callout tone="bad" actions={actions}>
      <ErrorWords error={error} />
    </Callout>
  )
}
