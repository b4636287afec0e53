import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OrderState } from '../../../shared/orders'
import { useBridgeMutation } from '../../bridge'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { ReasonDialog } from '../../ui/Reason'

interface SkipOrdersProps {
  orderIds: string[]
  /** The list in which the orders were chosen; one that has left it meanwhile stays as it is. */
  state: OrderState
  /** Called when all orders were skipped or put back. */
  onDone: () => void
}

/** Takes orders off the list with a stored reason, or puts skipped ones back. */
export function SkipOrders({ orderIds, state, onDone }: SkipOrdersProps) {
  const { t } = useTranslation()
  const skip = useBridgeMutation('skipOrders', {
    onSuccess({ changed }, sent) {
      if (changed === sent.orderIds.length) onDone()
    },
  })
  const notSkipped = skip.isSuccess ? skip.variables.orderIds.length - skip.data.changed : 0
  const unskip = useBridgeMutation('unskipOrders', { onSuccess: onDone })
  if (state === 'skipped') {
    return (
      <>
        <Button variant="default" loading={unskip.isPending} onClick={() => unskip.mutate({ orderIds })}>
          {t('orders.unskip', { count: orderIds.length })}
        </Button>
        {unskip.error ? <ErrorCallout error={unskip.error} /> : null}
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
