import { Checkbox } from '@mantine/core'
import { IconAlertTriangle, IconPackages, IconPencil, IconUser } from '@tabler/icons-react'
import { keepPreviousData, useQueryClient } from '@tanstack/react-query'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BatchEnd } from '../../../shared/batches'
import { maxChosenOrders, type Order } from '../../../shared/orders'
import { callMain, useBridgeQuery } from '../../bridge'
import { ErrorCallout } from '../../ui/Callout'
import { formatShortDay } from '../../ui/days'
import { useHolderText } from '../../ui/holderText'
import { Empty } from '../../ui/Panel'
import { outcomeLooks, useBatchEndText } from './BatchEnd'
import styles from './orders.module.css'
import { countFilters, type OrderFilter, useOrdersView } from './ordersViewStore'

const rowHeight = 56
/** Rows are fetched in steps, so that scrolling by one row fetches nothing. */
const step = 50
const rowsAtOnce = 150
/** Rows per Page Down. */
const rowsInSight = 8

/** The orders of the current list. Only the visible rows are in the document, and few more in memory. */
export function OrderTable() {
  const { t } = useTranslation()
  const view = useOrdersView.getStore(useQueryClient())
  const filter = useOrdersView((state) => state.filter)
  const selectedId = useOrdersView((view) => view.selectedId)
  const select = useOrdersView((view) => view.select)
  const ticked = useOrdersView((view) => view.ticked)
  const tickOrders = useOrdersView((view) => view.tick)
  const box = useRef<HTMLDivElement>(null)
  /** The order that was selected or ticked last; a tick with Shift starts there while the filter is the same. */
  const anchor = useRef<{ orderId: string; filter: OrderFilter } | null>(null)
  const first = useRef(0)
  /** The row that a key moved to; it gets the focus once its order is loaded. */
  const [wanted, setWanted] = useState<number | null>(null)
  const offset = Math.max(0, Math.floor(first.current / step) * step - step)
  const query = useBridgeQuery(
    'listOrders',
    { ...filter, offset, limit: rowsAtOnce },
    { placeholderData: keepPreviousData },
  )
  const total = query.data?.total ?? 0
  const isOpen = filter.state === 'to-ship' || filter.state === 'problem'
  const orderIds = isOpen ? (query.data?.orders ?? []).map(({ id }) => id) : []
  const ends = useBridgeQuery('listBatchEnds', { orderIds }, { placeholderData: keepPreviousData })
  const virtual = useVirtualizer({
    count: total,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 6,
  })
  const { scrollToOffset } = virtual
  // The first hits of a new search, filter or list are at its top.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the filter scrolls
  useEffect(() => scrollToOffset(0), [filter])
  const items = virtual.getVirtualItems()
  first.current = items[0]?.index ?? 0
  const orderAt = (index: number) => query.data?.orders[index - query.data.offset]

  const selectOrder = (orderId: string) => {
    anchor.current = { orderId, filter }
    select(orderId)
  }
  const focusRow = (to: number) => {
    virtual.scrollToIndex(to)
    setWanted(to)
  }
  useEffect(() => {
    if (wanted === null) return
    const focused = document.activeElement
    // Removing a focused row moves the focus to the body. Any other focus outside the list was set by a person.
    if (focused !== document.body && !box.current?.contains(focused)) return setWanted(null)
    const order = orderAt(wanted)
    const row = box.current?.querySelector<HTMLElement>(`[data-index="${wanted}"]`)
    if (!order || !row) return
    setWanted(null)
    selectOrder(order.id)
    row.focus()
  })
  const forgetWanted = () => setWanted(null)
  /** Ids of a range of the list, from main; none if the filter was changed meanwhile. */
  const listIds = async (offset: number, limit: number) => {
    const listed = await callMain('listOrderIds', { ...filter, offset, limit })
    // Orders of a filter that was changed meanwhile are not on the screen.
    return listed.ok && view.getState().filter === filter ? listed.value : []
  }
  /** Ticks a range of the list; ids that are not loaded are fetched. */
  const tickRange = async (from: number, to: number) => {
    const first = Math.min(from, to)
    const limit = Math.min(Math.abs(to - from) + 1, maxChosenOrders)
    const known = Array.from({ length: limit }, (_, place) => orderAt(first + place)?.id)
    const ids = known.filter((id) => id !== undefined)
    tickOrders(ids.length === limit ? ids : await listIds(first, limit), true)
  }
  /**
   * Ticks an order.
   * @param isRange whether also those between it and the anchor, if the list still contains the anchor
   */
  const tick = async (orderId: string, isTicked: boolean, isRange: boolean) => {
    const from = isRange && anchor.current?.filter === filter ? anchor.current.orderId : orderId
    anchor.current = { orderId, filter }
    tickOrders([orderId], isTicked)
    const loaded = query.data?.orders.map(({ id }) => id) ?? []
    const ids = loaded.includes(from) ? loaded : await listIds(0, maxChosenOrders)
    const start = ids.indexOf(from)
    const end = ids.indexOf(orderId)
    if (start < 0 || end < 0) return
    tickOrders(ids.slice(Math.min(start, end), Math.max(start, end) + 1), isTicked)
  }
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    if (event.key === 'a' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      void tickRange(0, total - 1)
      return
    }
    if (event.key === ' ') {
      event.preventDefault()
      const order = orderAt(index)
      if (order) void tick(order.id, !ticked.has(order.id), event.shiftKey)
      return
    }
    const to = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: Math.min(index + rowsInSight, total - 1),
      PageUp: Math.max(index - rowsInSight, 0),
      Home: 0,
      End: total - 1,
    }[event.key]
    if (to === undefined || to < 0 || to >= total) return
    event.preventDefault()
    if (event.shiftKey) void tickRange(index, to)
    focusRow(to)
  }
  // Rows are memoised, so their handlers go through a ref to use the current list.
  const latest = useRef({ selectOrder, tick, onKeyDown })
  latest.current = { selectOrder, tick, onKeyDown }

  if (query.error) return <ErrorCallout error={query.error} />
  if (query.data && total === 0)
    return <NoOrders isFiltered={filter.text !== '' || countFilters(filter) > 0} />
  return (
    <div className={styles.rows} ref={box}>
      <table className={styles.table} aria-label={t('orders.list')} aria-rowcount={total}>
        <tbody
          style={{ height: virtual.getTotalSize() }}
          onFocus={forgetWanted}
          onPointerDown={forgetWanted}
          onWheel={forgetWanted}
        >
          {items.map(({ index, start }) => {
            const order = orderAt(index)
            return order === undefined ? null : (
              <Row
                key={order.id}
                order={order}
                end={isOpen ? ends.data?.find(({ orderId }) => orderId === order.id) : undefined}
                index={index}
                start={start}
                isSelected={order.id === selectedId}
                isTicked={ticked.has(order.id)}
                onSelect={() => latest.current.selectOrder(order.id)}
                onTick={(isTicked, isRange) => void latest.current.tick(order.id, isTicked, isRange)}
                onKeyDown={(event) => latest.current.onKeyDown(event, index)}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  order: Order
  /** Why a batch did not ship the order. */
  end: BatchEnd | undefined
  index: number
  /** Offset of the row in pixels from the top of the list. */
  start: number
  isSelected: boolean
  isTicked: boolean
  onSelect: () => void
  onTick: (isTicked: boolean, isRange: boolean) => void
  onKeyDown: (event: KeyboardEvent) => void
}

const Row = memo(
  function Row({ order, end, index, start, isSelected, isTicked, onSelect, onTick, onKeyDown }: RowProps) {
    const { t, i18n } = useTranslation()
    const holderText = useHolderText()
    const endText = useBatchEndText()
    const isEdited = useOrdersView(({ drafts }) => order.id in drafts) && order.state !== 'shipped'
    const EndIcon = end && outcomeLooks[end.outcome].Icon
    const { values, issues, source } = order
    const name = [values.companyName, [values.firstName, values.lastName].filter(Boolean).join(' ')]
    const place = [values.postalCode, values.city, values.country].filter(Boolean).join(' ')
    const toCorrect = issues.map(({ field }) => t(`fields.${field}`)).join(', ')
    const street = [values.street, values.houseNumber].filter(Boolean).join(' ')
    return (
      <tr
        aria-rowindex={index + 1}
        aria-selected={isSelected}
        className={styles.row}
        style={{ transform: `translateY(${start}px)` }}
        data-testid="order-row"
        data-reference={values.reference}
      >
        <td className={styles.tick}>
          <Checkbox
            aria-label={t('orders.tick', { reference: values.reference ?? '' })}
            checked={isTicked}
            onChange={(event) => {
              const { nativeEvent } = event
              onTick(event.currentTarget.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
            }}
          />
        </td>
        <td className={styles.cell}>
          <button
            type="button"
            className={styles.open}
            data-index={index}
            aria-current={isSelected}
            onClick={onSelect}
            onKeyDown={onKeyDown}
          >
            <span className={styles.line}>
              <strong className={styles.reference}>{values.reference ?? t('orders.noReference')}</strong>
              <span title={name.filter(Boolean).join(', ')}>{name.filter(Boolean).join(', ')}</span>
            </span>
            <span className={`${styles.line} pb-soft`}>
              <span title={[street, place].filter(Boolean).join(', ')}>
                {[street, place].filter(Boolean).join(', ')}
              </span>
              {isEdited ? (
                <span className={styles.issues}>
                  <IconPencil size={17} aria-hidden />
                  <span>{t('orders.unsaved')}</span>
                </span>
              ) : order.holder !== undefined ? (
                <span className={styles.holder} title={holderText(order.holder)}>
                  <IconUser size={17} aria-hidden />
                  <span>{holderText(order.holder)}</span>
                </span>
              ) : issues.length > 0 ? (
                <span className={styles.issues}>
                  <IconAlertTriangle size={17} aria-hidden />
                  <span title={toCorrect}>{toCorrect}</span>
                </span>
              ) : end !== undefined && EndIcon !== undefined ? (
                <span className={styles.issues} title={endText(end)}>
                  <EndIcon size={17} aria-hidden />
                  <span>{t(`batch.outcomes.${end.outcome}`)}</span>
                </span>
              ) : (
                <span className={styles.from}>
                  {order.orderDate === null ? source.name : formatShortDay(order.orderDate, i18n.language)}
                </span>
              )}
            </span>
          </button>
        </td>
      </tr>
    )
  },
  (before, after) =>
    before.order === after.order &&
    before.end === after.end &&
    before.index === after.index &&
    before.start === after.start &&
    before.isSelected === after.isSelected &&
    before.isTicked === after.isTicked,
)

function NoOrders({ isFiltered }: { isFiltered: boolean }) {
  const { t } = useTranslation()
  const icon = <IconPackages size={56} stroke={1.3} aria-hidden />
  return isFiltered ? (
    <Empty icon={icon} title={t('orders.nothingFound')} hint={t('orders.nothingFoundHint')} />
  ) : (
    <Empty icon={icon} title={t('orders.empty')} hint={t('orders.emptyHint')} />
  )
}
