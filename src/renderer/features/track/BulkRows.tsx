import { Box, Flex } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconCircleCheck, IconHelpCircle } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, type RefObject, useLayoutEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { BulkRow } from '../../../shared/tracking'
import { formatWritten } from '../../i18n/format'
import { Badge } from '../../ui/Badge'
import styles from './bulk.module.css'
import { type BulkState, useBulk } from './bulkStore'
import { daysSince, type SortColumn } from './bulkView'
import { ParcelActions } from './ParcelActions'

const rowHeight = 46
const columns: SortColumn[] = ['code', 'found', 'status', 'location', 'dateTime', 'events', 'shipment']

/** Only the visible rows are in the document, so that ten thousand rows are as fast as ten. */
export const BulkRows = memo(function BulkRows({ table: { rows } }: { table: BulkState['table'] }) {
  const { t } = useTranslation()
  const box = useRef<HTMLDivElement>(null)
  const { scroller, above } = useScroller(box)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller,
    estimateSize: () => rowHeight,
    scrollMargin: above,
    overscan: 8,
  })
  const items = virtual.getVirtualItems()
  const today = new Date().toDateString()
  return (
    <div className={`pb-surface ${styles.rows}`} ref={box}>
      <table className={styles.table} aria-label={t('bulk.table')} aria-rowcount={rows.length + 1}>
        <thead className={styles.head}>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Heading key={column} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Gap height={(items[0]?.start ?? above) - above} />
          {items.map(({ index }) => {
            const row = rows[index]
            return row === undefined ? null : <Row key={row.code} row={row} index={index} today={today} />
          })}
          <Gap height={virtual.getTotalSize() - ((items.at(-1)?.end ?? above) - above)} />
        </tbody>
      </table>
      {rows.length === 0 ? (
        <Box component="p" p={24} ta="center" c="dimmed">
          {t('bulk.noRows')}
        </Box>
      ) : null}
    </div>
  )
})

/** The table's scroll container, and the table's offset in it in pixels. */
function useScroller(box: RefObject<HTMLElement | null>) {
  const [place, setPlace] = useState<{ scroller: HTMLElement | null; above: number }>(nowhere)
  useLayoutEffect(() => {
    const table = box.current
    const scroller = table?.closest<HTMLElement>('main')
    if (!table || !scroller) return
    const measure = () => {
      const above = Math.round(
        table.getBoundingClientRect().top - scroller.getBoundingClientRect().top + scroller.scrollTop,
      )
      setPlace((before) => (before.above === above && before.scroller ? before : { scroller, above }))
    }
    measure()
    // A size change of anything above the table changes the container's height.
    const observer = new ResizeObserver(measure)
    for (const part of scroller.children) observer.observe(part)
    return () => observer.disconnect()
  }, [box])
  return place
}

const nowhere = { scroller: null, above: 0 }

/** Fills the space of the rows out of view. */
function Gap({ height }: { height: number }) {
  if (height <= 0) return null
  return (
    <tr aria-hidden className={styles.gap}>
      <td style={{ height }} />
    </tr>
  )
}

function Heading({ column }: { column: SortColumn }) {
  const { t } = useTranslation()
  const sort = useBulk((state) => (state.view.sort?.column === column ? state.view.sort : null))
  const sortBy = useBulk((state) => state.sortBy)
  const Icon = sort?.descending ? IconChevronDown : IconChevronUp
  const direction = sort === null ? 'none' : sort.descending ? 'descending' : 'ascending'
  return (
    <th scope="col" aria-sort={direction} className={styles.heading} data-column={column}>
      <button type="button" onClick={() => sortBy(column)}>
        {t(`bulk.${column}`)}
        {sort === null ? null : <Icon size={18} aria-hidden />}
      </button>
    </th>
  )
}

interface RowProps {
  row: BulkRow
  index: number
  /** Changes at midnight, like the ages. */
  today: string
}

const Row = memo(function Row({ row, index, today }: RowProps) {
  const { i18n } = useTranslation()
  const { lastStatus: last, shipment } = row
  return (
    <tr aria-rowindex={index + 2} className={styles.row} data-testid="bulk-row" data-code={row.code}>
      <td className={styles.code} title={row.code}>
        {row.code}
      </td>
      <td>
        <Found found={row.found} />
      </td>
      <td title={last?.description}>
        <span className={styles.lines}>
          {last ? [last.description, last.code && `(${last.code})`].filter(Boolean).join(' ') : ''}
          {last?.location ? <span className={styles.placeToo}> · {last.location}</span> : null}
        </span>
      </td>
      <td data-column="location" title={last?.location}>
        <span className={styles.lines}>{last?.location}</span>
      </td>
      <td className={styles.when}>
        <span>{formatWritten(last?.dateTime ?? '', i18n.language)}</span>
        <Age dateTime={last?.dateTime ?? ''} today={today} />
      </td>
      <td data-column="events">{row.eventCount}</td>
      <td>
        {shipment ? (
          <Flex component="span" align="center" gap={4}>
            <span className={styles.reference}>{shipment.reference}</span>
            <ParcelActions shipment={shipment} />
          </Flex>
        ) : null}
      </td>
    </tr>
  )
})

function Found({ found }: { found: boolean }) {
  const { t } = useTranslation()
  return found ? (
    <Badge look={{ tone: 'good', Icon: IconCircleCheck }} text={t('common.yes')} />
  ) : (
    <Badge look={{ tone: 'attention', Icon: IconHelpCircle }} text={t('common.no')} />
  )
}

function Age({ dateTime, today }: { dateTime: string; today: string }) {
  const { t } = useTranslation()
  const days = daysSince(dateTime, new Date(today))
  if (days === null) return null
  return <span className="pb-soft">{days === 0 ? t('bulk.today') : t('bulk.days', { count: days })}</span>
}
