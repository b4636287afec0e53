import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Order, type OrderValues, orderValueFields } from '../../../shared/orders'
import { queryKey, useBridgeMutation, useBridgeQuery } from '../../bridge'
import { formatMoment } from '../../i18n/format'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import { OrderValueField } from '../../ui/OrderValueField'
import { RuledWords } from '../../ui/RuledWords'
import styles from './orders.module.css'
import { useOrdersView } from './ordersView'
import { SkipOrders } from './SkipOrders'

/** The order that was chosen: what it says, what has to be corrected, and what can be done with it. */
export function OrderPane() {
  const selectedId = useOrdersView((view) => view.selectedId)
  return selectedId === null ? null : <OneOrder key={selectedId} orderId={selectedId} />
}

function OneOrder({ orderId }: { orderId: string }) {
  const { t } = useTranslation()
  const order = useBridgeQuery('getOrder', { orderId })
  if (order.error) {
    return (
      <aside className={styles.pane} aria-label={t('orders.one')}>
        <ErrorCallout error={order.error} />
      </aside>
    )
  }
  return order.data === undefined ? null : <OrderForm order={order.data} />
}

/** Fields in the order of an address. */
const paneFields = orderValueFields.filter((field) => field !== 'carrierOptionId')

function OrderForm({ order }: { order: Order }) {
  const { t, i18n } = useTranslation()
  const select = useOrdersView((view) => view.select)
  const shipOrder = useNavigation((state) => state.shipOrder)
  const client = useQueryClient()
  const [values, setValues] = useState<OrderValues>(order.values)
  const isOpen = order.state === 'to-ship' || order.state === 'problem'
  // What is being corrected is checked again when it is saved.
  const isTouched = (field: keyof OrderValues) => (values[field] ?? '') !== (order.values[field] ?? '')
  const isChanged = orderValueFields.some(isTouched)
  useEffect(() => setValues(order.values), [order.values])
  const change = useBridgeMutation('changeOrder', {
    onSuccess: (changed) => client.setQueryData(queryKey('getOrder', { orderId: changed.id }), changed),
  })
  return (
    <aside className={styles.pane} aria-label={t('orders.one')}>
      <h2 className={styles.paneTitle}>{order.values.reference ?? t('orders.noReference')}</h2>
      <p className="pb-soft">
        {order.source.line === null
          ? order.source.name
          : t('orders.fromLine', { name: order.source.name, line: order.source.line })}
        {' · '}
        {formatMoment(order.importedAt, i18n.language)}
      </p>
      {order.skippedReason === null ? null : (
        <Callout tone="info">
          {t('orders.skippedBecause', { reason: order.skippedReason })}
          {order.skippedBy ? ` (${order.skippedBy})` : null}
        </Callout>
      )}
      {order.rule === null ? null : (
        <p>
          {t('orders.because', { rule: order.rule })}
          <RuledWords ruled={order.ruled} />
        </p>
      )}
      {order.issues.some((issue) => issue.field === 'printer') ? (
        <Callout tone="attention">{t('orders.printerUnknown')}</Callout>
      ) : null}
      {order.items.length === 0 ? null : (
        <ul className={styles.items} aria-label={t('orders.items')}>
          {order.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same product may stand in two rows
            <li key={index}>
              <strong>{item.quantity || '1'} ×</strong> {item.name || item.sku}
              {item.sku !== '' && item.name !== '' ? <span className="pb-soft"> {item.sku}</span> : null}
            </li>
          ))}
        </ul>
      )}
      <form
        className={styles.paneFields}
        onSubmit={(event) => {
          event.preventDefault()
          if (isChanged) change.mutate({ orderId: order.id, values: withoutEmpty(values) })
        }}
      >
        {paneFields.map((field) => (
          <OrderValueField
            key={field}
            field={field}
            value={values[field] ?? ''}
            found={isTouched(field) ? undefined : order.issues.find((each) => each.field === field)}
            readOnly={!isOpen}
            onChange={(text) => setValues({ ...values, [field]: text })}
          />
        ))}
        {change.error ? (
          <div className={styles.whole}>
            <ErrorCallout error={change.error} />
          </div>
        ) : null}
        <div className={`${styles.whole} ${styles.paneMoves}`}>
          {order.state === 'to-ship' && order.values.reference !== undefined ? (
            <Button onClick={() => shipOrder(order.values.reference ?? '')}>{t('orders.ship')}</Button>
          ) : null}
          {isOpen ? (
            <Button type="submit" variant="default" disabled={!isChanged} loading={change.isPending}>
              {t('orders.save')}
            </Button>
          ) : null}
          {order.state === 'shipped' ? null : (
            <SkipOrders
              orderIds={[order.id]}
              isSkipped={order.state === 'skipped'}
              onDone={() => select(null)}
            />
          )}
          <Button variant="subtle" onClick={() => select(null)}>
            {t('common.close')}
          </Button>
        </div>
      </form>
    </aside>
  )
}

function withoutEmpty(values: OrderValues): OrderValues {
  return Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim() !== ''))
}
