import { Button, Group } from '@mantine/core'
import { IconAlertTriangle, IconArrowLeft, IconPackages } from '@tabler/icons-react'
import { useVirtualizer } from '@tanstack/react-virtual'
import { type KeyboardEvent, memo, useEffect, useEffectEvent, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { maxCounted } from '../../../shared/history'
import { isLabelOpen } from '../../../shared/labelState'
import { printJobStates } from '../../../shared/printing'
import { nameCarrierOptions, type Settings } from '../../../shared/settings'
import { getReferences, type ShipmentSummary } from '../../../shared/shipments'
import { useSettings } from '../../bridge'
import { formatNumber, toLocale } from '../../i18n/format'
import { ShipmentBadge } from '../../ui/Badge'
import { Empty } from '../../ui/Panel'
import styles from './history.module.css'
import type { ShipmentListView } from './shipmentList'

const rowHeight = 44
/** The next page is fetched when fewer rows than this remain below the visible ones. */
const rowsAhead = 30
const pageOfRows = 8
const steps: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: pageOfRows,
  PageUp: -pageOfRows,
  Home: -1_000_000,
  End: 1_000_000,
}

/** Columns of a row, in order. Narrow lists omit the later ones (see the style sheet). */
const columns = [
  'taken',
  'reference',
  'station',
  'consignee',
  'postalCode',
  'country',
  'carrierOption',
  'weight',
  'packages',
  'operator',
  'state',
  'label',
] as const

interface ShipmentListProps {
  list: ShipmentListView
  carriers: Settings['carriers']
}

/** The shipments that match the search, newest first. Only the visible rows are in the document. */
export function ShipmentList({ list, carriers }: ShipmentListProps) {
  const { t, i18n } = useTranslation()
  const { rows, selectedId, move, select, hasMore, showMore } = list
  const box = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  })
  const items = virtual.getVirtualItems()
  const chosen = rows.findIndex(({ id }) => id === selectedId)
  const last = Math.max(items.at(-1)?.index ?? 0, chosen)
  const isNearEnd = hasMore && rows.length > 0 && last >= rows.length - rowsAhead
  useEffect(() => {
    if (isNearEnd) showMore()
  })
  const follow = useEffectEvent((id: string | null) => {
    const place = rows.findIndex((row) => row.id === id)
    if (place < 0) return
    virtual.scrollToIndex(place)
    if (!box.current?.contains(document.activeElement)) return
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>('[aria-current="true"] button')?.focus({ preventScroll: true }),
    )
  })
  // Scrolls when the selection changes, not when the list does.
  useEffect(() => follow(selectedId), [selectedId])
  const names = useMemo(() => nameCarrierOptions(carriers), [carriers])
  const formatTaken = useMemo(() => createTakenFormat(i18n.language), [i18n.language])
  const onKeyDown = (event: KeyboardEvent) => {
    const places = steps[event.key]
    if (places === undefined) return
    event.preventDefault()
    move(places)
  }
  if (rows.length === 0) return <EmptyList list={list} />
  return (
    <div className={styles.listBox} data-chosen={selectedId !== null} data-stations={list.stations}>
      {selectedId === null ? null : <BackToList total={list.total} onOpen={() => select(null)} />}
      <div className={styles.rows} ref={box}>
        <table
          className={styles.table}
          aria-label={t('history.list')}
          aria-rowcount={list.total > maxCounted ? -1 : list.total + 1}
        >
          <thead>
            <tr className={styles.head}>
              {columns.map((column) => (
                <th key={column} scope="col" data-column={column}>
                  {t(`historyTable.columns.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody style={{ height: virtual.getTotalSize() }} onKeyDown={onKeyDown}>
            {items.map(({ index, start }) => {
              const row = rows[index]
              return row === undefined ? null : (
                <Row
                  key={row.id}
                  row={row}
                  index={index}
                  start={start}
                  carrierOption={names.get(row.carrierOptionId) ?? String(row.carrierOptionId)}
                  taken={formatTaken(new Date(row.takenAt))}
                  selected={row.id === selectedId}
                  onSelect={select}
                />
              )
            })}
          </tbody>
        </table>
      </div>
    </div>
  )
}

/** Day, month and time; of earlier years the year instead of the time, so that the column stays narrow. */
function createTakenFormat(language: string): (moment: Date) => string {
  const locale = toLocale(language)
  const thisYear = new Intl.DateTimeFormat(locale, {
    ...{ day: '2-digit', month: 'short', hour: '2-digit', minute: '2-digit' },
  })
  const earlier = new Intl.DateTimeFormat(locale, { day: '2-digit', month: 'short', year: 'numeric' })
  return (moment) => (moment.getFullYear() === new Date().getFullYear() ? thisYear : earlier).format(moment)
}

interface RowProps {
  row: ShipmentSummary
  index: number
  /** Offset of the row in pixels below the head. */
  start: number
  carrierOption: string
  taken: string
  selected: boolean
  onSelect: (id: string) => void
}

const Row = memo(function Row({ row, index, start, carrierOption, taken, selected, onSelect }: RowProps) {
  const { t, i18n } = useTranslation()
  return (
    <tr
      aria-current={selected}
      aria-rowindex={index + 2}
      data-testid="shipment-row"
      className={styles.row}
      style={{ transform: `translateY(${start}px)` }}
    >
      <td data-column="taken">
        <time dateTime={row.takenAt}>{taken}</time>
      </td>
      <td data-column="reference">
        <button
          type="button"
          className={styles.open}
          aria-current={selected}
          onClick={() => onSelect(row.id)}
        >
          <strong className={styles.reference}>{getReferences(row).join(' + ')}</strong>
        </button>
      </td>
      <td data-column="station" title={row.station?.name}>
        {row.station?.name ?? ''}
      </td>
      <td data-column="consignee" title={[row.consignee, row.city].filter(Boolean).join(', ')}>
        {[row.consignee, row.city].filter(Boolean).join(', ')}
      </td>
      <td data-column="postalCode">{row.postalCode}</td>
      <td data-column="country">{row.country}</td>
      <td data-column="carrierOption" title={carrierOption}>
        {carrierOption}
      </td>
      <td data-column="weight">{formatNumber(row.weight, i18n.language)}</td>
      <td data-column="packages">{row.numberOfPackages}</td>
      <td data-column="operator" title={row.operator}>
        {row.operator ?? ''}
      </td>
      <td data-column="state">
        {row.cancellation ? t('historyTable.cancelled') : t(`historyTable.states.${row.state}`)}
      </td>
      <td data-column="label">
        <ShipmentBadge shipment={row} />
        {row.state !== 'unknown' && needsAttention(row) ? (
          <IconAlertTriangle
            size={18}
            className={styles.attention}
            role="img"
            aria-label={t('states.needsAttention')}
          />
        ) : null}
      </td>
    </tr>
  )
})

/** Whether a label or job waits for a person, by the current jobs. An unknown outcome is shown by its badge. */
function needsAttention({ labels, jobs }: ShipmentSummary): boolean {
  const openJobs = jobs.some(({ state }) => printJobStates.forPerson.includes(state))
  return openJobs || labels.some((label) => isLabelOpen(label, jobs))
}

/** Brings the list back where there is room for one column only and the selected shipment covers it. */
function BackToList({ total, onOpen }: { total: number; onOpen: () => void }) {
  const { t } = useTranslation()
  return (
    <div className={styles.wholeList}>
      <Button variant="default" leftSection={<IconArrowLeft size={20} aria-hidden />} onClick={onOpen}>
        {t('history.wholeList', { count: total > maxCounted ? 1 : total })}
      </Button>
    </div>
  )
}

function EmptyList({ list }: { list: ShipmentListView }) {
  const { t } = useTranslation()
  const { text, onlyNeedingAttention, isFiltered, isLoaded, stations, setStations } = list
  const isFleet = useSettings((settings) => settings.fleet !== null) === true
  if (!isLoaded) return null
  const icon = <IconPackages size={56} stroke={1.3} aria-hidden />
  if (text.trim() !== '' || isFiltered) {
    return (
      <>
        <Empty icon={icon} title={t('history.nothingFound')} hint={t('history.nothingFoundHint')} />
        {isFleet && stations === 'this' ? (
          <Group justify="center" pb={20}>
            <Button onClick={() => setStations('all')}>{t('historyTable.searchAll')}</Button>
          </Group>
        ) : null}
      </>
    )
  }
  if (onlyNeedingAttention) {
    const hint = t(stations === 'all' ? 'history.noAttentionHintAll' : 'history.noAttentionHint')
    return <Empty icon={icon} title={t('history.noAttention')} hint={hint} />
  }
  return <Empty icon={icon} title={t('history.empty')} hint={t('history.emptyHint')} />
}
