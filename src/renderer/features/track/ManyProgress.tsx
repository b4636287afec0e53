import { Button, Progress } from '@mantine/core'
import { IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useBulk } from '../../app/storesContext'
import { Callout, ErrorCallout, ErrorWords } from '../../components/Callout'
import styles from './many.module.css'

/** How far asking for many codes is, and what became of it. */
export function ManyProgress() {
  const { t } = useTranslation()
  const { progress, error, done, cancel } = useBulk((state) => state)
  const status = useRef<HTMLParagraphElement>(null)
  const running = progress === null ? undefined : progress.state === 'running'
  useEffect(() => {
    // Buttons come and go with the state; for who works without a mouse the focus must not go with them.
    const { activeElement } = document
    const lost = activeElement === document.body || activeElement?.matches(':disabled')
    if (running !== undefined && lost) status.current?.focus()
  }, [running])
  const unfinished = progress !== null && !running && progress.answered < progress.total
  const percent = progress === null || progress.total === 0 ? 0 : (progress.answered / progress.total) * 100
  return (
    <>
      {progress === null ? null : (
        <div className={styles.progress}>
          <Progress.Root size="lg" className={styles.bar}>
            <Progress.Section value={percent} aria-label={t('bulk.progress')} />
          </Progress.Root>
          <p role="status" tabIndex={-1} ref={status} data-testid="bulk-progress" data-state={progress.state}>
            {t('bulk.progressText', { answered: progress.answered, total: progress.total })}
            {progress.pausing ? ` ${t('bulk.pausing')}` : ''}
          </p>
          {running ? (
            <Button
              variant="default"
              leftSection={<IconPlayerStop size={20} aria-hidden />}
              onClick={() => void cancel()}
            >
              {t('bulk.cancel')}
            </Button>
          ) : null}
        </div>
      )}
      {unfinished ? <Unfinished /> : null}
      {error && !unfinished ? <ErrorCallout error={error} /> : null}
      {done === null ? null : (
        <Callout tone="good">
          <p role="status">
            {done.kind === 'saved'
              ? t('bulk.saved', { path: done.path })
              : t('bulk.copied', { count: done.count })}
          </p>
        </Callout>
      )}
    </>
  )
}

function Unfinished() {
  const { t } = useTranslation()
  const { progress, error, unanswered, resume } = useBulk((state) => state)
  const failed = progress?.failed ?? 0
  return (
    <Callout
      tone="attention"
      actions={
        <Button leftSection={<IconRefresh size={20} aria-hidden />} onClick={() => void resume()}>
          {t('bulk.resume')}
        </Button>
      }
    >
      <p>{failed > 0 ? t('bulk.failed', { count: failed }) : t('bulk.cancelled')}</p>
      {failed > 0 ? (
        <p className={styles.unanswered}>{t('bulk.unanswered', { codes: unanswered.join(', ') })}</p>
      ) : null}
      {error ? <ErrorWords error={error} /> : null}
    </Callout>
  )
}
