import { Button, Group, Progress } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Batch } from '../../../shared/batches'
import { useBridgeMutation, useBridgeQuery } from '../../bridge'
import { Callout, ErrorCallout, ErrorWords } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import { BatchSummary } from './BatchSummary'
import styles from './orders.module.css'
import { newOrderKey, useOrdersView } from './ordersViewStore'

/** Progress or result of the batch. */
export function BatchPanel() {
  const batch = useBridgeQuery('getBatch', undefined).data
  return batch ? <CurrentBatch key={batch.id} batch={batch} /> : null
}

function CurrentBatch({ batch }: { batch: Batch }) {
  const { t } = useTranslation()
  const go = useNavigation((navigation) => navigation.go)
  const [isSummaryOpen, setIsSummaryOpen] = useState(false)
  const { state, total, outcomes, remainingMs, labels, pausedBy, error } = batch
  const finished = Object.values(outcomes).reduce((sum, count) => sum + count, 0)
  const notCreated = finished - outcomes.created - outcomes.elsewhere
  const facts = [
    state === 'ended'
      ? t('batch.created', { count: outcomes.created })
      : t('batch.progress', { finished, total }),
    notCreated > 0 ? t('batch.notCreated', { count: notCreated }) : undefined,
    outcomes.elsewhere > 0 ? t('batch.elsewhere', { count: outcomes.elsewhere }) : undefined,
    remainingMs === null ? undefined : t('batch.remaining', { time: toDuration(remainingMs) }),
    labels.underWay > 0 ? t('batch.labelsWaiting', { count: labels.underWay }) : undefined,
  ]
  return (
    <section className={styles.batch} aria-label={t('batch.title')} data-testid="batch" data-state={state}>
      <Group gap="6px 12px">
        <strong>{t(`batch.state.${state}`)}</strong>
        {state === 'ended' ? null : (
          <Progress.Root size="lg" className={styles.batchBar}>
            <Progress.Section value={(finished / total) * 100} aria-label={t('batch.title')} />
          </Progress.Root>
        )}
        <span role="status">{facts.filter(Boolean).join(' · ')}</span>
        <Group align="stretch" gap={8} ml="auto">
          {labels.forPerson > 0 ? (
            <Button variant="default" size="sm" onClick={() => go('queue')}>
              {t('batch.labelsOpen', { count: labels.forPerson })}
            </Button>
          ) : null}
          <Actions batch={batch} />
          <Button variant="default" size="sm" onClick={() => setIsSummaryOpen(true)}>
            {t('batch.summary')}
          </Button>
        </Group>
      </Group>
      {pausedBy === 'restart' ? <p>{t('batch.restarted')}</p> : null}
      {batch.waitsForOthers ? <p>{t('batch.waitsForOthers')}</p> : null}
      <ErrorWords error={error} />
      {isSummaryOpen ? <BatchSummary batch={batch} onClose={() => setIsSummaryOpen(false)} /> : null}
    </section>
  )
}

/** The actions that the batch's state allows. */
function Actions({ batch: { id: batchId, state, unshipped } }: { batch: Batch }) {
  const { t } = useTranslation()
  const pause = useBridgeMutation('pauseBatch')
  const resume = useBridgeMutation('resumeBatch')
  const stop = useBridgeMutation('stopBatch')
  const repeat = useBridgeMutation('repeatBatch')
  const close = useBridgeMutation('closeBatch')
  const error = pause.error ?? resume.error ?? stop.error ?? repeat.error ?? close.error
  const mayShip = state === 'paused' || unshipped > 0
  const unsaved = useUnsavedCount(batchId, mayShip)
  return (
    <>
      <ErrorCallout error={error} />
      {mayShip && unsaved > 0 ? (
        <Callout tone="attention">{t('batch.unsaved', { count: unsaved })}</Callout>
      ) : null}
      {state === 'running' ? (
        <Button variant="default" size="sm" onClick={() => pause.mutate({ batchId })}>
          {t('queue.pause')}
        </Button>
      ) : null}
      {state === 'paused' ? (
        <Button size="sm" disabled={unsaved > 0} onClick={() => resume.mutate({ batchId })}>
          {t('queue.resume')}
        </Button>
      ) : null}
      {state === 'running' || state === 'paused' ? (
        <Button variant="default" size="sm" onClick={() => stop.mutate({ batchId })}>
          {t('batch.stop')}
        </Button>
      ) : null}
      {state === 'ended' ? (
        <>
          {unshipped > 0 ? (
            <Button size="sm" disabled={unsaved > 0} onClick={() => repeat.mutate({ batchId })}>
              {t('batch.repeat', { count: unshipped })}
            </Button>
          ) : null}
          <Button variant="default" size="sm" onClick={() => close.mutate({ batchId })}>
            {t('common.close')}
          </Button>
        </>
      ) : null}
    </>
  )
}

/** How many orders of a batch that it did not ship have unsaved changes, which would not be on the labels. */
function useUnsavedCount(batchId: string, enabled: boolean): number {
  const drafts = useOrdersView((view) => view.drafts)
  const orderIds = Object.keys(drafts).filter((key) => key !== newOrderKey)
  const { data } = useBridgeQuery(
    'listBatchItems',
    { batchId, shown: 'not-created', orderIds, offset: 0, limit: 1 },
    { enabled: enabled && orderIds.length > 0 },
  )
  return data?.total ?? 0
}

/** «4:05» (minutes and seconds), with hours if there are any. */
function toDuration(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  const two = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes}:${two(seconds % 60)}`
  return `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${two(seconds % 60)}`
}
