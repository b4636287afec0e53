import { ActionIcon, Button, Group } from '@mantine/core'
import { useTimeout } from '@mantine/hooks'
import { IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Notice } from '../../shared/app'
import { applyStatus, useBridgeEvent, useBridgeMutation } from '../bridge'
import { formatMoment } from '../i18n/format'
import { noticeText } from '../i18n/texts'
import { Callout } from '../ui/Callout'
import { SaveDiagnostics } from '../ui/SaveDiagnostics'
import styles from './app.module.css'

/**
 * Notices for the administrator. A dismissed notice returns when its condition ends and occurs again. It hides no notice of
 * another cause.
 */
export function NoticeBar({ notices }: { notices: readonly Notice[] }) {
  const { t, i18n } = useTranslation()
  const client = useQueryClient()
  const { mutate: confirmClock } = useBridgeMutation('confirmClock', {
    onSuccess: (status) => applyStatus(client, status),
  })
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const over = [...closed].filter((cause) => !notices.some((notice) => toCause(notice) === cause))
  if (over.length > 0) setClosed(new Set([...closed].filter((cause) => !over.includes(cause))))
  const shown = notices.filter((notice) => !closed.has(toCause(notice)))
  if (shown.length === 0) return null
  return (
    <section className={styles.notices} aria-label={t('notices.label')}>
      {shown.map((notice) => (
        <Callout key={notice.message} tone="attention">
          <Group wrap="nowrap" justify="space-between" gap={12} m="-10px 0" mih={44}>
            <NoticeWords text={noticeText(t, { ...notice, details: toWords(notice, i18n.language) })} />
            {notice.code === 'clock-not-plausible' ? (
              <Button variant="default" onClick={() => confirmClock(undefined)}>
                {t('notices.clockIsRight')}
              </Button>
            ) : null}
            {notice.code === 'ended-unexpectedly' ? <SaveDiagnostics size="sm" /> : null}
            <ActionIcon
              color="gray"
              aria-label={t('common.dismiss')}
              onClick={() => setClosed(new Set([...closed, toCause(notice)]))}
            >
              <IconX size={20} aria-hidden />
            </ActionIcon>
          </Group>
        </Callout>
      ))}
    </section>
  )
}

/** Identifies what a notice reports, without counts and times, which change while the cause stays. */
function toCause({ code, details }: Notice): string {
  const reason = details?.reason?.replaceAll(/\d+/g, '#')
  return JSON.stringify([code, details?.case, details?.path, reason])
}

/** One line in a low window; the full text is in its title. */
function NoticeWords({ text }: { text: string }) {
  return (
    <p className={styles.noticeText} title={text}>
      {text}
    </p>
  )
}

/** A notice's details, with dates and times in the operator's language. */
function toWords({ code, details }: Notice, language: string): Notice['details'] {
  if (code !== 'clock-not-plausible' || details === undefined) return details
  return Object.fromEntries(Object.entries(details).map(([name, at]) => [name, formatMoment(at, language)]))
}

/** How long the zoom notice is shown, in milliseconds. */
const shownMs = 1500

/** Shows the zoom factor for a moment after it changed. */
export function ZoomNotice() {
  const { t } = useTranslation()
  const [percent, setPercent] = useState<number | null>(null)
  const { start, clear } = useTimeout(() => setPercent(null), shownMs)
  useBridgeEvent('zoomChanged', (zoom) => {
    setPercent(zoom.percent)
    clear()
    start()
  })
  if (percent === null) return null
  return (
    <p className={`pb-surface ${styles.zoom}`} role="status" data-testid="zoom">
      {t('common.zoom', { percent })}
    </p>
  )
}
