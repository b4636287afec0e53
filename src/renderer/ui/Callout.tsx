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
  /** Buttons below the text. */
  actions?: ReactNode
}

/**
 * A message on the page. Mantine's Alert always has the role «alert», which interrupts a screen reader; here only the
 * tone `bad` has it.
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

/** An error in the operator's language, if there is one, followed by the service's own words or the technical reason. */
export function ErrorWords({ error }: { error: AppError | null | undefined }) {
  const { t } = useTranslation()
  if (!error) return null
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

/** The service's message, unchanged. */
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

interface ErrorCalloutProps {
  error: AppError | null | undefined
  actions?: ReactNode
}

/** A message about an error, if there is one. */
export function ErrorCallout({ error, actions }: ErrorCalloutProps) {
  if (!error) return null
  return (
    <Callout tone="bad" actions={actions}>
      <ErrorWords error={error} />
    </Callout>
  )
}
