import { Button } from '@mantine/core'
import { IconPlaneDeparture } from '@tabler/icons-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ManifestSummary, waybillAdvice } from '../../../shared/consignments'
import type { Settings } from '../../../shared/settings'
import { useBridgeMutation, useBridgeQuery } from '../../bridge'
import { formatMoment } from '../../i18n/format'
import { ErrorCallout } from '../../ui/Callout'
import { Empty } from '../../ui/Panel'
import { TextField } from '../../ui/TextField'
import { ManifestPage, StateBadges } from './ManifestPage'
import styles from './manifests.module.css'
import { pageCallOptions, useCallState, useOpenPage, useShowManifest } from './queries'

/** Air waybills: the list, or the page of the open one. */
export function ManifestsScreen({ settings }: { settings: Settings }) {
  const page = useOpenPage()
  return page ? <ManifestPage page={page} settings={settings} /> : <WaybillList />
}

function WaybillList() {
  const { t } = useTranslation()
  const query = useBridgeQuery('listManifests', undefined)
  const list = query.data ?? []
  const error = useCallState(null).error ?? query.error
  return (
    <div className={styles.screen}>
      <h1 className="pb-title">{t('nav.manifests')}</h1>
      <NewWaybill />
      <ErrorCallout error={error} />
      {list.length === 0 ? (
        <Empty
          icon={<IconPlaneDeparture size={56} stroke={1.3} aria-hidden />}
          title={t('manifests.empty')}
          hint={t('manifests.emptyHint')}
        />
      ) : (
        <ul className={`pb-surface ${styles.list}`} aria-label={t('manifests.list')}>
          {list.map((manifest) => (
            <WaybillRow key={manifest.id} manifest={manifest} />
          ))}
        </ul>
      )}
    </div>
  )
}

function NewWaybill() {
  const { t } = useTranslation()
  const [number, setNumber] = useState('')
  const { mutate: create } = useBridgeMutation('createManifest', {
    ...pageCallOptions(null),
    onSuccess: useShowManifest(),
  })
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const advice = number === '' ? null : waybillAdvice(number)
  const words = advice === 'form' ? t('manifests.adviceForm') : t('manifests.adviceCheckDigit')
  const open = () => {
    if (number.trim() !== '') create({ airWaybillNumber: number.trim() })
  }
  return (
    <div className={styles.newWaybill}>
      <TextField
        ref={field}
        label={t('manifests.newNumber')}
        hint={t('manifests.newNumberHint')}
        value={number}
        onChange={setNumber}
        advice={advice === null ? undefined : words}
        maxLength={60}
        onKeyDown={(event) => {
          if (event.key === 'Enter') open()
        }}
      />
      <Button className={styles.besideField} disabled={number.trim() === ''} onClick={open}>
        {t('manifests.create')}
      </Button>
    </div>
  )
}

function WaybillRow({ manifest }: { manifest: ManifestSummary }) {
  const { t, i18n } = useTranslation()
  const { mutate: open } = useBridgeMutation('getManifest', {
    ...pageCallOptions(null),
    onSuccess: useShowManifest(),
  })
  return (
    <li>
      <button type="button" className={styles.waybill} onClick={() => open({ manifestId: manifest.id })}>
        <span className={styles.waybillNumber}>{manifest.airWaybillNumber}</span>
        <StateBadges manifest={manifest} />
        <span>{t('manifests.lines', { count: manifest.lines })}</span>
        <span className="pb-soft">
          {t('manifests.changed', { when: formatMoment(manifest.changedAt, i18n.language) })}
        </span>
      </button>
    </li>
  )
}
