import { Button } from '@mantine/core'
import { IconAlertTriangle, IconArrowLeft, IconPackages } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { ShipmentSummary } from '../../../shared/shipments'
import { formatMoment } from '../../i18n/format'
import { ShipmentBadge } from '../../ui/Badge'
import { Empty } from '../../ui/Panel'
import styles from './history.module.css'
import type { ShipmentListView } from './shipmentList'

const pageOfRows = 8
const steps: Record<string, number> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: pageOfRows,
  PageUp: -pageOfRows,
  Home: -1_000_000,
  End: 1_000_000,
}

/** The shipments that answer to the search, newest first. Arrow keys move through them. */
export function ShipmentList({ list }: { list: ShipmentListView }) {
  const { t } = useTranslation()
  const { rows, selectedId, move } = list
  const element = useRef<HTMLUListElement>(null)
  useEffect(() => {
    if (selectedId === null) return
    const row = element.current?.querySelector<HTMLButtonElement>('[aria-current="true"]')
    row?.scrollIntoView({ block: 'nearest' })
    if (element.current?.contains(document.activeElement)) row?.focus()
  }, [selectedId])
  const onKeyDown = (event: KeyboardEvent) => {
    const places = steps[event.key]
    if (places === undefined) return
    event.preventDefault()
    move(places)
  }
  if (rows.length === 0) return <NothingHere list={list} />
  return (
    <div className={styles.listBox}>
      {selectedId === null ? null : <WholeList total={list.total} onOpen={() => list.select(null)} />}
      <ul ref={element} aria-label={t('history.list')} className={styles.list}>
        {rows.map((row) => (
          <li key={row.id}>
            <Row
              row={row}
              wanted={list.text}
              selected={row.id === selectedId}
              onSelect={() => list.select(row.id)}
              onKeyDown={onKeyDown}
            />
          </li>
        ))}
      </ul>
      {list.hasMore ? (
        <Button variant="default" loading={list.isFetching} onClick={list.showMore}>
          {t('history.showMore')}
        </Button>
      ) : null}
    </div>
  )
}

interface RowProps {
  row: ShipmentSummary
  /** What is searched for. */
  wanted: string
  selected: boolean
  onSelect: () => void
  onKeyDown: (event: KeyboardEvent) => void
}

function Row({ row, wanted, selected, onSelect, onKeyDown }: RowProps) {
  const { t, i18n } = useTranslation()
  return (
    <button
      type="button"
      aria-current={selected}
      data-testid="shipment-row"
      className={styles.row}
      onClick={onSelect}
      onKeyDown={onKeyDown}
    >
      <span className={styles.rowTop}>
        <strong className={styles.reference}>{row.reference}</strong>
        <ShipmentBadge shipment={row} />
      </span>
      <span className={styles.rowMore}>
        <span>{[row.recipient, row.city, row.country].filter(Boolean).join(', ')}</span>
        <span>{formatMoment(row.takenAt, i18n.language)}</span>
      </span>
      <span className={styles.rowMore}>
        <Codes codes={row.barcodes} wanted={wanted.trim().toLowerCase()} />
        {needsSomeone(row) ? (
          <span className={styles.attention}>
            <IconAlertTriangle size={17} aria-hidden />
            {t('states.needsAttention')}
          </span>
        ) : null}
      </span>
    </button>
  )
}

/** As `needsAttention`, by the jobs as they are now. */
function needsSomeone({ state, labels, jobs }: ShipmentSummary): boolean {
  const openJobs = jobs.some((job) => ['failed', 'unconfirmed', 'waiting'].includes(job.state))
  const openLabels = labels.some((label) => label.problem !== null && label.closed === undefined)
  return state === 'unknown' || openJobs || openLabels
}

/** Where there is room for one column, a chosen shipment stands in for the list; this brings the list back. */
function WholeList({ total, onOpen }: { total: number; onOpen: () => void }) {
  const { t } = useTranslation()
  return (
    <div className={styles.wholeList}>
      <Button variant="default" leftSection={<IconArrowLeft size={20} aria-hidden />} onClick={onOpen}>
        {t('history.wholeList', { count: total })}
      </Button>
    </div>
  )
}

/** The code that was searched for, else the first, and how many more there are; the title holds them all. */
function Codes({ codes, wanted }: { codes: readonly string[]; wanted: string }) {
  const { t } = useTranslation()
  const shown = codes.find((code) => wanted !== '' && code.toLowerCase().includes(wanted)) ?? codes[0]
  if (shown === undefined) return <span />
  const more = codes.length - 1
  return (
    <span className={styles.code} title={more > 0 ? codes.join('\n') : undefined}>
      {shown}
      {more > 0 ? (
        <span className={styles.moreCodes}>
          <span aria-hidden>+{more}</span>
          <span className="pb-unseen">{t('history.moreCodes', { count: more })}</span>
        </span>
      ) : null}
    </span>
  )
}

function NothingHere({ list: { text, onlyNeedingAttention, isLoaded } }: { list: ShipmentListView }) {
  const { t } = useTranslation()
  if (!isLoaded) return null
  const icon = <IconPackages size={56} stroke={1.3} aria-hidden />
  if (text.trim() !== '') {
    return <Empty icon={icon} title={t('history.nothingFound')} hint={t('history.nothingFoundHint')} />
  }
  if (onlyNeedingAttention) {
    return <Empty icon={icon} title={t('history.noAttention')} hint={t('history.noAttentionHint')} />
  }
  return <Empty icon={icon} title={t('history.empty')} hint={t('history.emptyHint')} />
}
