import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type Order, type OrderValueField, type OrderValues, orderValueFields } from '../../../shared/orders'
import { queryKey, useBridgeMutation, useBridgeQuery } from '../../bridge'
import { formatMoment } from '../../i18n/format'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { FormField } from '../../ui/FormField'
import { useNavigation } from '../../ui/navigation'
import { CountrySelect } from '../../ui/SearchSelect'
import { issueCode } from '../../ui/validation'
import { useOrderIssueText } from './orderIssues'
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

/** Fields in the order of an address; the country has a list of its own. */
const paneFields = orderValueFields.filter((field) => field !== 'carrierOptionId')

function OrderForm({ order }: { order: Order }) {
  const { t, i18n } = useTranslation()
  const select = useOrdersView((view) => view.select)
  const shipOrder = useNavigation((state) => state.shipOrder)
  const client = useQueryClient()
  const [values, setValues] = useState<OrderValues>(order.values)
  const isOpen = order.state === 'to-ship' || order.state === 'problem'
  const isChanged = orderValueFields.some((field) => (values[field] ?? '') !== (order.values[field] ?? ''))
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
        <Callout tone="info">{t('orders.skippedBecause', { reason: order.skippedReason })}</Callout>
      )}
      {order.rule === null ? null : <p>{t('orders.because', { rule: order.rule })}</p>}
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
          <OrderField
            key={field}
            field={field}
            order={order}
            value={values[field] ?? ''}
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

interface OrderFieldProps {
  field: OrderValueField
  order: Order
  value: string
  readOnly: boolean
  onChange: (text: string) => void
}

function OrderField({ field, order, value, readOnly, onChange }: OrderFieldProps) {
  const { t } = useTranslation()
  const orderIssueText = useOrderIssueText()
  const label = field === 'carrierOptionId' ? t('fields.carrier') : t(`fields.${field}`)
  const found = order.issues.find((each) => each.field === field)
  // What is being corrected is checked again when it is saved.
  const isTouched = value !== (order.values[field] ?? '')
  const errorText = found === undefined || isTouched ? undefined : orderIssueText(found)
  if (field === 'country') {
    return (
      <CountrySelect
        label={label}
        value={value}
        onChange={onChange}
        readOnly={readOnly}
        errorText={errorText}
      />
    )
  }
  return (
    <FormField
      label={label}
      field={field}
      value={value}
      onChange={onChange}
      readOnly={readOnly}
      issue={errorText === undefined || found === undefined ? undefined : { code: issueCode(found.code) }}
      {...(errorText !== undefined && { errorText })}
    />
  )
}

function withoutEmpty(values: OrderValues): OrderValues {
  return Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim() !== ''))
}
