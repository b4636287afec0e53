import { Button, Group, Modal, SegmentedControl, Switch } from '@mantine/core'
import { IconAdjustmentsHorizontal, IconChartBar, IconSearch } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { AppError } from '../../../shared/errors'
import { maxCounted } from '../../../shared/history'
import type { Settings } from '../../../shared/settings'
import { formatNumber } from '../../i18n/format'
import { errorText } from '../../i18n/texts'
import { Callout, ErrorCallout } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import { TextField } from '../../ui/TextField'
import { DetailsPane } from './DetailsPane'
import { countFilters } from './filters'
import { ChooseView, HistoryFilters } from './HistoryFilters'
import styles from './history.module.css'
import { ShipmentList } from './ShipmentList'
import { ShippingReport } from './ShippingReport'
import { type ShipmentListView, useShipmentList } from './shipmentList'

/** All shipments of the station: find, inspect, reprint, resolve and report. */
export function HistoryScreen({ settings }: { settings: Settings }) {
  const [isReport, setReport] = useState(false)
  return isReport ? (
    <ShippingReport settings={settings} onClose={() => setReport(false)} />
  ) : (
    <Shipments settings={settings} onReport={() => setReport(true)} />
  )
}

/** The number of shipments; counting stops at an upper bound. */
function ShipmentCount({ total }: { total: number }) {
  const { t, i18n } = useTranslation()
  if (total <= maxCounted) return t('history.count', { count: total })
  return t('history.countMany', { min: formatNumber(maxCounted, i18n.language) })
}

function Shipments({ settings, onReport }: { settings: Settings; onReport: () => void }) {
  const { t } = useTranslation()
  const list = useShipmentList()
  const [hasFilters, setFilters] = useState(false)
  const filterCount = useNavigation((state) => countFilters(state.history))
  return (
    <div className={styles.screen} data-chosen={list.selectedId !== null}>
      <div className={styles.left}>
        <Group gap="4px 12px">
          <h1 className="pb-title">{t('nav.history')}</h1>
          <p className="pb-soft" role="status">
            {list.isLoaded ? <ShipmentCount total={list.total} /> : ''}
          </p>
          <Switch
            className={styles.filter}
            label={t('history.onlyAttention')}
            checked={list.onlyNeedingAttention}
            onChange={(event) => list.setOnlyNeedingAttention(event.currentTarget.checked)}
          />
        </Group>
        <div className={styles.tools}>
          {settings.fleet === null ? null : (
            <SegmentedControl
              aria-label={t('historyTable.stations')}
              value={list.stations}
              data={[
                { value: 'this', label: t('historyTable.thisStation') },
                { value: 'all', label: t('historyTable.allStations') },
              ]}
              onChange={(value) => list.setStations(value === 'all' ? 'all' : 'this')}
            />
          )}
          <Search list={list} />
          <ChooseView settings={settings} />
          <Button
            variant="default"
            leftSection={<IconAdjustmentsHorizontal size={20} aria-hidden />}
            aria-haspopup="dialog"
            onClick={() => setFilters(true)}
          >
            {filterCount === 0
              ? t('historyTable.filters')
              : t('historyTable.filtersOn', { count: filterCount })}
          </Button>
          <Button variant="default" leftSection={<IconChartBar size={20} aria-hidden />} onClick={onReport}>
            {t('historyTable.report')}
          </Button>
        </div>
        <Modal
          opened={hasFilters}
          onClose={() => setFilters(false)}
          size={760}
          title={t('historyTable.filters')}
        >
          <HistoryFilters settings={settings} />
        </Modal>
        {list.fleetError ? <FleetMissing error={list.fleetError} isListCut={list.isFleetListCut} /> : null}
        {list.error ? (
          <ErrorCallout error={list.error} />
        ) : (
          <ShipmentList list={list} carriers={settings.carriers} />
        )}
      </div>
      {list.selectedId === null ? null : <DetailsPane shipmentId={list.selectedId} settings={settings} />}
    </div>
  )
}

/** The shared database is unreachable: the list has only this station's shipments, or ends where the database went away. */
function FleetMissing({ error, isListCut }: { error: AppError; isListCut: boolean }) {
  const { t } = useTranslation()
  return (
    <Callout tone="attention">
      <p title={errorText(t, error)}>
        {t(isListCut ? 'historyTable.fleetListCut' : 'historyTable.fleetMissing')}
      </p>
    </Callout>
  )
}

function Search({ list }: { list: ShipmentListView }) {
  const { t } = useTranslation()
  const search = useRef<HTMLInputElement>(null)
  useEffect(() => search.current?.focus(), [])
  return (
    <TextField
      ref={search}
      className={styles.search}
      aria-label={t('orders.searchHint')}
      placeholder={t('history.searchHint')}
      title={t('history.searchHint')}
      leftSection={<IconSearch size={20} aria-hidden />}
      value={list.text}
      onChange={list.setText}
      maxLength={200}
      data-home
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          list.searchNow()
          // The next scan replaces this one.
          event.currentTarget.select()
        }
        if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
        event.preventDefault()
        list.move(event.key === 'ArrowDown' ? 1 : -1)
      }}
    />
  )
}
