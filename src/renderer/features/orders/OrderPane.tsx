import { Button, Flex, Stack } from '@mantine/core'
import { useHotkeys } from '@mantine/hooks'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { type Order, type OrderValues, orderValueFields } from '../../../shared/orders'
import { queryKey, useBridgeMutation, useBridgeQuery } from '../../bridge'
import { formatMoment } from '../../i18n/format'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { toShortcut } from '../../ui/dialogs'
import { useHolderText } from '../../ui/holderText'
import { useNavigation } from '../../ui/navigation'
import { OrderValueField } from '../../ui/OrderValueField'
import { RuleLine } from '../../ui/RuleLine'
import { BatchEndCallout } from './BatchEnd'
import styles from './orders.module.css'
import { findChanges, newOrderKey, useOrdersView, withoutEmpty } from './ordersViewStore'
import { SkipOrders } from './SkipOrders'

/** The selected order: its values, what has to be corrected, and the actions on it. */
export function OrderPane() {
  const { selectedId, isAdding } = useOrdersView((view) => view)
  if (isAdding) return <NewOrder />
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

/** A new order. It is validated once it is in the list. */
function NewOrder() {
  const { t } = useTranslation()
  const { select, setDraft } = useOrdersView((view) => view)
  const view = useOrdersView.getStore(useQueryClient())
  const form = useRef<HTMLFormElement>(null)
  const values = useOrdersView(({ drafts }) => drafts[newOrderKey]) ?? {}
  const dropDraft = () => setDraft(newOrderKey, {})
  const add = useBridgeMutation('addOrder', {
    onSuccess({ id, state }, sent) {
      const { drafts, filter, isAdding, ticked, show } = view.getState()
      // Another new order may have been begun, or another order opened, meanwhile.
      const isLater = Object.keys(findChanges(sent.values, drafts[newOrderKey] ?? {})).length > 0
      if (isLater) return
      dropDraft()
      if (!isAdding) return
      // A change of list unticks the orders.
      if (state !== filter.state && ticked.size === 0) show({ state })
      select(id)
    },
  })
  useEffect(() => form.current?.querySelector('input')?.focus(), [])
  const hasReference = (values.reference ?? '').trim() !== ''
  return (
    <aside className={styles.pane} aria-label={t('orders.newOrder')}>
      <h2 className={styles.paneTitle}>{t('orders.newOrder')}</h2>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          if (hasReference) add.mutate({ values: withoutEmpty(values) })
        }}
      >
        <Stack gap={10}>
          <div className={styles.paneFields}>
            {orderValueFields.map((field) => (
              <OrderValueField
                key={field}
                field={field}
                value={values[field] ?? ''}
                found={undefined}
                readOnly={add.isPending}
                onChange={(text) => setDraft(newOrderKey, { ...values, [field]: text })}
              />
            ))}
            {add.error ? (
              <div className={styles.whole}>
                <ErrorCallout error={add.error} />
              </div>
            ) : null}
          </div>
          <div className={styles.paneActions}>
            <Button type="submit" disabled={!hasReference} loading={add.isPending}>
              {t('orders.addNow')}
            </Button>
            <Button
              variant="subtle"
              onClick={() => {
                dropDraft()
                select(null)
              }}
            >
              {t('common.close')}
            </Button>
          </div>
        </Stack>
      </form>
    </aside>
  )
}

/** Issues that saving may end without a change. */
const savedUnchanged = ['changed-elsewhere', 'twice-in-file', 'twice-in-fleet']

function OrderForm({ order }: { order: Order }) {
  const { t, i18n } = useTranslation()
  const holderText = useHolderText()
  const { select, setDraft } = useOrdersView((view) => view)
  const draft = useOrdersView(({ drafts }) => drafts[order.id]) ?? {}
  const { shipOrder, goToSettings, showShipment } = useNavigation((state) => state)
  const { shipmentId } = order
  const client = useQueryClient()
  const view = useOrdersView.getStore(client)
  const isOpen = order.state === 'to-ship' || order.state === 'problem'
  const values = isOpen ? { ...order.values, ...draft } : order.values
  const ends = useBridgeQuery('listBatchEnds', { orderIds: [order.id] })
  const end = isOpen ? ends.data?.[0] : undefined
  // An edited field has no issue until main checks it on save.
  const isTouched = (field: keyof OrderValues) => (values[field] ?? '') !== (order.values[field] ?? '')
  // Saving confirms a field that another station overwrote, and looks again for another order of the same reference.
  const isToBeChecked = order.issues.some(({ code }) => savedUnchanged.includes(code))
  const isChanged = isToBeChecked || orderValueFields.some(isTouched)
  const { reference } = order.values
  const isByKey = useOrdersView((view) => view.ticked.size === 0)
  // Unsaved changes would not be on the label.
  const canShip = order.state === 'to-ship' && reference !== undefined && !isChanged
  const ship = () => canShip && shipOrder(reference)
  useHotkeys([['F9', toShortcut(() => isByKey && ship())]], [])
  const findIssue = (field: keyof OrderValues) =>
    isTouched(field) ? undefined : order.issues.find((each) => each.field === field)
  const change = useBridgeMutation('changeOrder', {
    onSuccess(changed, sent) {
      client.setQueryData(queryKey('getOrder', { orderId: changed.id }), changed)
      const typed = view.getState().drafts[changed.id] ?? {}
      setDraft(changed.id, findChanges(sent.values, typed))
    },
  })
  useEffect(() => {
    // A change that is undone while it is being saved differs from what was saved.
    if (change.isPending) return
    const changes = findChanges(order.values, draft)
    if (Object.keys(changes).length < Object.keys(draft).length) setDraft(order.id, changes)
  })
  const close = () => {
    setDraft(order.id, {})
    select(null)
  }
  // Another order may have been opened meanwhile. Unsaved changes are there again when the order is put back.
  const closeSkipped = (ids: readonly string[]) => {
    if (ids.includes(order.id) && view.getState().selectedId === order.id) select(null)
  }
  return (
    <aside className={styles.pane} aria-label={t('orders.one')}>
      <h2 className={styles.paneTitle}>{order.values.reference ?? t('orders.noReference')}</h2>
      <p className="pb-soft">
        <SourceWords order={order} />
        {' · '}
        {formatMoment(order.importedAt, i18n.language)}
      </p>
      {order.holder === undefined ? null : (
        <Callout tone="info">
          {holderText(order.holder)}
          {order.holder.isBatch ? `, ${t('sharedOrders.inBatch')}` : ''}
          {', '}
          {t('sharedOrders.since', { time: formatMoment(order.holder.since, i18n.language) })}
        </Callout>
      )}
      {order.skippedReason === null ? null : (
        <Callout tone="info">
          {t('orders.skippedBecause', { reason: order.skippedReason })}
          {order.skippedBy ? ` (${order.skippedBy})` : null}
        </Callout>
      )}
      {end === undefined ? null : <BatchEndCallout end={end} />}
      {order.rule === null ? null : (
        <p>
          <RuleLine order={order} />
        </p>
      )}
      {order.issues.some((issue) => issue.field === 'printer') ? (
        <Callout
          tone="attention"
          actions={
            <Button variant="default" onClick={() => goToSettings('rules')}>
              {t('orders.toRules')}
            </Button>
          }
        >
          {t('orders.printerUnknown')}
        </Callout>
      ) : null}
      {order.items.length === 0 ? null : (
        <ul aria-label={t('orders.items')}>
          {order.items.map((item, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same product may stand in two rows
            <li key={index}>
              <strong>{item.quantity || '1'} ×</strong> {item.name || item.sku}
              {item.sku !== '' && item.name !== '' ? <span className="pb-soft"> {item.sku}</span> : null}
            </li>
          ))}
        </ul>
      )}
      <Flex
        component="form"
        direction="column"
        gap={10}
        onSubmit={(event) => {
          event.preventDefault()
          if (isChanged) change.mutate({ orderId: order.id, values: withoutEmpty(values) })
        }}
      >
        <div className={styles.paneFields}>
          {orderValueFields.map((field) => (
            <OrderValueField
              key={field}
              field={field}
              value={values[field] ?? ''}
              found={findIssue(field)}
              readOnly={!isOpen}
              onChange={(text) => setDraft(order.id, { ...draft, [field]: text })}
            />
          ))}
          {change.error ? (
            <div className={styles.whole}>
              <ErrorCallout error={change.error} />
            </div>
          ) : null}
        </div>
        <div className={styles.paneActions}>
          {order.state === 'to-ship' && reference !== undefined ? (
            <Button
              variant={isChanged ? 'default' : 'filled'}
              disabled={isChanged}
              aria-keyshortcuts={isByKey ? 'F9' : undefined}
              rightSection={isByKey ? <kbd aria-hidden>F9</kbd> : undefined}
              onClick={ship}
            >
              {t('orders.ship')}
            </Button>
          ) : null}
          {isOpen && isChanged ? (
            <Button type="submit" loading={change.isPending}>
              {t('orders.save')}
            </Button>
          ) : null}
          {shipmentId === null ? null : (
            <Button onClick={() => showShipment(shipmentId, 'all')}>{t('outcome.showInHistory')}</Button>
          )}
          {order.state === 'shipped' ? null : (
            <SkipOrders orderIds={[order.id]} state={order.state} onDone={closeSkipped} />
          )}
          <Button variant="subtle" onClick={close}>
            {t('common.close')}
          </Button>
        </div>
      </Flex>
    </aside>
  )
}

/** Where an order came from, with file and row if there are any. */
function SourceWords({ order: { source, origin } }: { order: Order }) {
  const { t } = useTranslation()
  const { name, line } = source
  const place = line === null ? name : t('orders.fromLine', { name, line })
  if (place === '') return t(`orders.origins.${origin}`)
  // The name of a file or of pasted rows already says what it is.
  if (origin === 'file' || origin === 'pasted') return place
  return t('orders.fromOrigin', { origin: t(`orders.origins.${origin}`), place })
}
