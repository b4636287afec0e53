import { Switch } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../shared/settings'
import { useHistory } from '../../app/storesContext'
import { ErrorCallout } from '../../ui/Callout'
import { TextField } from '../../ui/TextField'
import { DetailsPane } from './DetailsPane'
import styles from './history.module.css'
import { ShipmentList } from './ShipmentList'

/** Every shipment of the station: find it, see all of it, print it again, resolve it. */
export function HistoryScreen({ settings }: { settings: Settings }) {
  const { t } = useTranslation()
  const {
    text,
    onlyAttention,
    total,
    loaded,
    listError,
    setText,
    setOnlyAttention,
    searchNow,
    refresh,
    move,
  } = useHistory((state) => state)
  const search = useRef<HTMLInputElement>(null)
  useEffect(() => {
    void refresh()
    search.current?.focus()
  }, [refresh])
  return (
    <div className={styles.screen}>
      <div className={styles.left}>
        <div className={styles.top}>
          <h1 className="pb-title">{t('history.title')}</h1>
          <p className="pb-soft" role="status">
            {loaded ? t('history.count', { count: total }) : ''}
          </p>
          <Switch
            className={styles.filter}
            label={t('history.onlyAttention')}
            checked={onlyAttention}
            onChange={(event) => setOnlyAttention(event.currentTarget.checked)}
          />
        </div>
        <TextField
          ref={search}
          aria-label={t('history.search')}
          placeholder={t('history.searchHint')}
          title={t('history.searchHint')}
          leftSection={<IconSearch size={20} aria-hidden />}
          value={text}
          onChange={setText}
          maxLength={200}
          data-home
          onKeyDown={(event) => {
            if (event.key === 'Enter') void searchNow()
            if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
            event.preventDefault()
            move(event.key === 'ArrowDown' ? 1 : -1)
          }}
        />
        {listError ? <ErrorCallout error={listError} /> : <ShipmentList />}
      </div>
      <DetailsPane settings={settings} />
    </div>
  )
}
