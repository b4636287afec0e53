import { Button, Modal, Stack } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useBridgeMutation } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { toShortcut } from '../../ui/dialogs'
import styles from './orders.module.css'
import { useOrdersView } from './ordersViewStore'

/**
 * Ships the ticked orders as one batch, after a confirmation because it costs money. F9 opens the confirmation too.
 */
export function ShipOrders({ orderIds, onStarted }: { orderIds: string[]; onStarted: () => void }) {
  const { t } = useTranslation()
  const [isAsking, setIsAsking] = useState(false)
  const sort = useOrdersView((view) => view.filter.sort)
  const descending = useOrdersView((view) => view.filter.descending)
  const start = useBridgeMutation('startBatch', {
    onSuccess: () => {
      setIsAsking(false)
      onStarted()
    },
  })
  useHotkeys([['F9', toShortcut(() => setIsAsking(true))]], [])
  const count = orderIds.length
  // Unsaved changes would not be on the labels.
  const unsaved = useOrdersView(({ drafts }) => orderIds.filter((id) => id in drafts).length)
  return (
    <>
      <Button
        aria-keyshortcuts="F9"
        rightSection={<kbd aria-hidden>F9</kbd>}
        onClick={() => setIsAsking(true)}
      >
        {t('batch.ship', { count })}
      </Button>
      {isAsking ? (
        <Modal opened title={t('batch.ship', { count })} onClose={() => setIsAsking(false)} size={620}>
          <Stack gap={12}>
            <p>{t('batch.question')}</p>
            {unsaved === 0 ? null : (
              <Callout tone="attention">{t('batch.unsaved', { count: unsaved })}</Callout>
            )}
            <ErrorCallout error={start.error} />
          </Stack>
          <div className={styles.dialogActions}>
            <Button
              {...(unsaved === 0 && { 'data-autofocus': true })}
              disabled={unsaved > 0}
              loading={start.isPending}
              onClick={() => start.mutate({ orderIds, sort, descending })}
            >
              {t('batch.start', { count })}
            </Button>
            <Button
              variant="default"
              {...(unsaved > 0 && { 'data-autofocus': true })}
              onClick={() => setIsAsking(false)}
            >
              {t('common.cancel')}
            </Button>
          </div>
        </Modal>
      ) : null}
    </>
  )
}
