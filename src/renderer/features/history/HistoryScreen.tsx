import { Switch } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../shared/settings'
import { ErrorCallout } from '../../ui/Callout'
import { TextField } from '../../ui/TextField'
import { DetailsPane } from './DetailsPane'
import styles from './history.module.css'
import { ShipmentList } from './ShipmentList'
import { useShipmentList } from './shipmentList'

/** Every shipment of the station: find it, see all of it, print it again, resolve it. */
export function HistoryScreen({ settings }: { settings: Settings }) {
  const { t } = useTranslation()
  const list = useShipmentList()
  const search = useRef<HTMLInputElement>(null)
  useEffect(() => search.current?.focus(), [])
  return (
    <div className={styles.screen}>
      <div className={styles.left}>
        <div className={styles.top}>
          <h1 className="pb-title">{t('history.title')}</h1>
          <p className="pb-soft" role="status">
            {list.isLoaded ? t('history.count', { count: list.total }) : ''}
          </p>
          <Switch
            className={styles.filter}
            label={t('history.onlyAttention')}
            checked={list.onlyNeedingAttention}
            onChange={(event) => list.setOnlyNeedingAttention(event.currentTarget.checked)}
          />
        </div>
        <TextField
          ref={search}
          aria-label={t('history.search')}
          placeholder={t('history.searchHint')}
          title={t('history.searchHint')}
          leftSection={<IconSearch size={20} aria-hidden />}
          value={list.text}
          onChange={list.setText}
          maxLength={200}
          data-home
          onKeyDown={(event) => {
            if (event.key === 'Enter') list.searchNow()
            if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
            event.preventDefault()
            list.move(event.key === 'ArrowDown' ? 1 : -1)
          }}
        />
        {list.error ? <ErrorCallout error={list.error} /> : <ShipmentList list={list} />}
      </div>
      <DetailsPane shipmentId={list.selectedId} settings={settings} />
    </div>
  )
}
