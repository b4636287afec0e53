import { Button, Group, Progress } from '@mantine/core'
import { IconPlayerStop, IconRefresh } from '@tabler/icons-react'
import { memo, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Callout, ErrorCallout, ErrorWords } from '../../ui/Callout'
import styles from './bulk.module.css'
import { useBulk } from './bulkStore'

/** Progress and result of a bulk look-up. */
export function BulkStatus() {
  const { t } = useTranslation()
  const progress = useBulk((state) => state.progress)
  const status = useRef<HTMLParagraphElement>(null)
  const running = progress === null ? undefined : progress.state === 'running'
  useEffect(() => {
    // Buttons appear and disappear with the state; the keyboard focus must not get lost with them.
    const { activeElement } = document
    const lost = activeElement === document.body || activeElement?.matches(':disabled')
    if (running !== undefined && lost) status.current?.focus()
  }, [running])
  const percent = progress === null || progress.total === 0 ? 0 : (progress.answered / progress.total) * 100
  return (
    <>
      {progress === null ? null : (
        <Group wrap="nowrap" gap={14}>
          <Progress.Root size="lg" className={styles.bar}>
            <Progress.Section value={percent} aria-label={t('bulk.progress')} />
          </Progress.Root>
          <p role="status" tabIndex={-1} ref={status} data-testid="bulk-progress" data-state={progress.state}>
            {t('bulk.progressText', { answered: progress.answered, count: progress.total })}
            {progress.pausing ? ` ${t('bulk.pausing')}` : ''}
          </p>
          <Cancel />
        </Group>
      )}
      <BulkResult />
    </>
  )
}

const Cancel = memo(function Cancel() {
  const { t } = useTranslation()
  const running = useBulk((state) => state.progress?.state === 'running')
  const cancel = useBulk((state) => state.cancel)
  if (!running) return null
  return (
    <Button
      variant="default"
      leftSection={<IconPlayerStop size={20} aria-hidden />}
      onClick={() => void cancel()}
    >
      {t('bulk.cancel')}
    </Button>
  )
})

/** Errors, unfinished codes and exports, once the look-up has ended. */
const BulkResult = memo(function BulkResult() {
  const { t } = useTranslation()
  const unfinished = useBulk(
    ({ progress }) => progress !== null && progress.state !== 'running' && progress.answered < progress.total,
  )
  const error = useBulk((state) => state.error)
  const done = useBulk((state) => state.done)
  return (
    <>
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
})

function Unfinished() {
  const { t } = useTranslation()
  const failed = useBulk((state) => state.progress?.failed ?? 0)
  const error = useBulk((state) => state.error)
  const unanswered = useBulk((state) => state.unanswered)
  const resume = useBulk((state) => state.resume)
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
        <p className={styles.unanswered} title={unanswered.join(', ')}>
          {t('bulk.unanswered', { codes: unanswered.join(', ') })}
        </p>
      ) : null}
      <ErrorWords error={error} />
    </Callout>
  )
}
