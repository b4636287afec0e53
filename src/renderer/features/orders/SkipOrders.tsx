import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OrderState } from '../../../shared/orders'
import { useBridgeMutation } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { ReasonDialog } from '../../ui/ReasonDialog'

interface SkipOrdersProps {
  orderIds: string[]
  /** The list in which the orders were chosen; one that has left it meanwhile stays as it is. */
  state: OrderState
  /** Called with the orders that were skipped or put back. */
  onDone: (orderIds: string[]) => void
}

/** Takes orders off the list with a stored reason, or puts skipped ones back. */
export function SkipOrders({ orderIds, state, onDone }: SkipOrdersProps) {
  const { t } = useTranslation()
  const skip = useBridgeMutation('skipOrders', {
    onSuccess({ left }, sent) {
      const notSkipped = new Set(left)
      onDone(sent.orderIds.filter((id) => !notSkipped.has(id)))
    },
  })
  const left = new Set(skip.data?.left)
  const notSkipped = orderIds.filter((id) => left.has(id)).length
  const unskip = useBridgeMutation('unskipOrders', { onSuccess: (_, sent) => onDone(sent.orderIds) })
  if (state === 'skipped') {
    return (
      <>
        <Button variant="default" loading={unskip.isPending} onClick={() => unskip.mutate({ orderIds })}>
          {t('orders.unskip', { count: orderIds.length })}
        </Button>
        <ErrorCallout error={unskip.error} />
      </>
    )
  }
  return (
    <>
      <ReasonDialog
        open={t('orders.skip', { count: orderIds.length })}
        title={t('orders.skipNow', { count: orderIds.length })}
        label={t('orders.skipReason')}
        maxLength={200}
        save={t('orders.skipNow', { count: orderIds.length })}
        isSaving={skip.isPending}
        error={skip.error}
        onSave={(reason, close) => skip.mutate({ orderIds, reason, state }, { onSuccess: close })}
      />
      {notSkipped > 0 ? (
        <Callout tone="attention">{t('orders.notSkipped', { count: notSkipped })}</Callout>
      ) : null}
    </>
  )
}
