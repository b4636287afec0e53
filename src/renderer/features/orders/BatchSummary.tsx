import { Button, Flex, Modal } from '@mantine/core'
import { keepPreviousData } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Batch, BatchItem } from '../../../shared/batches'
import { printJobStates } from '../../../shared/printing'
import { useBridgeQuery } from '../../bridge'
import { Badge, JobBadge } from '../../ui/Badge'
import { ErrorCallout } from '../../ui/Callout'
import { outcomeLooks, WhyWords } from './BatchEnd'
import styles from './orders.module.css'

const pageSize = 100

/** All orders of a batch with their outcomes; starts with those that were not created. */
export function BatchSummary({ batch, onClose }: { batch: Batch; onClose: () => void }) {
  const { t } = useTranslation()
  const [shown, setShown] = useState<'all' | 'not-created'>(
    batch.outcomes.created === batch.total ? 'all' : 'not-created',
  )
  const [offset, setOffset] = useState(0)
  const query = useBridgeQuery(
    'listBatchItems',
    { batchId: batch.id, shown, offset, limit: pageSize },
    { placeholderData: keepPreviousData },
  )
  const { items = [], total = 0 } = query.data ?? {}
  // While the batch runs, «Not created» becomes shorter.
  const lastOffset = Math.max(0, Math.ceil(total / pageSize) - 1) * pageSize
  if (query.data && offset > lastOffset) setOffset(lastOffset)
  const show = (which: typeof shown) => {
    setShown(which)
    setOffset(0)
  }
  return (
    <Modal opened title={t('batch.summary')} onClose={onClose} size={1080}>
      <Flex component="p" wrap="wrap" align="center" gap={10} mb={10}>
        {(['not-created', 'all'] as const).map((which) => (
          <Button
            key={which}
            variant={shown === which ? 'filled' : 'default'}
            aria-pressed={shown === which}
            onClick={() => show(which)}
          >
            {t(`batch.shown.${which}`)}
          </Button>
        ))}
      </Flex>
      <ErrorCallout error={query.error} />
      {query.data && total === 0 ? <p>{t('batch.nothing')}</p> : null}
      {items.length > 0 ? (
        <div className={styles.preview}>
          <table aria-label={t('batch.summary')}>
            <thead>
              <tr>
                <th scope="col">{t('batch.number')}</th>
                <th scope="col">{t('fields.reference')}</th>
                <th scope="col">{t('batch.outcome')}</th>
                <th scope="col">{t('batch.why')}</th>
              </tr>
            </thead>
            <tbody>
              {items.map((item) => (
                <Item key={item.position} item={item} />
              ))}
            </tbody>
          </table>
        </div>
      ) : null}
      {total > pageSize ? (
        <div className={styles.dialogActions}>
          <Button variant="default" disabled={offset === 0} onClick={() => setOffset(offset - pageSize)}>
            {t('batch.previous')}
          </Button>
          <span>{t('batch.page', { from: offset + 1, to: Math.min(total, offset + pageSize), total })}</span>
          <Button
            variant="default"
            disabled={offset + pageSize >= total}
            onClick={() => setOffset(offset + pageSize)}
          >
            {t('batch.next')}
          </Button>
        </div>
      ) : null}
    </Modal>
  )
}

function Item({ item }: { item: BatchItem }) {
  const { t } = useTranslation()
  const { outcome, jobs, position, reference } = item
  const openJobs = jobs.filter(({ state }) => printJobStates.open.includes(state))
  return (
    <tr data-testid="batch-item" data-outcome={outcome ?? 'pending'}>
      <td>{position}</td>
      <td className={styles.reference}>{reference}</td>
      <td>
        {outcome === null ? (
          t('batch.pending')
        ) : (
          <Badge look={outcomeLooks[outcome]} text={t(`batch.outcomes.${outcome}`)} />
        )}
        {openJobs.map(({ id, state }) => (
          <JobBadge key={id} state={state} />
        ))}
      </td>
      <td>
        <WhyWords end={item} />
      </td>
    </tr>
  )
}
