import { Button, NativeSelect, Switch } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import { meaningOf, statusMeaningSchema } from '../../../shared/tracking'
import { useSeenStatuses, useStores } from '../../app/storesContext'
import { Panel } from '../../ui/Panel'
import { TextField } from '../../ui/TextField'
import { useFaultText } from '../../ui/useFaultText'
import { SaveBar } from './SaveBar'
import styles from './settings.module.css'
import type { TrackingNumber } from './trackingForm'

/** How parcels are followed: how often and how much is asked, what counts as trouble, what status codes mean. */
export function TrackingTab() {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const values = useStore(tabs.tracking, (state) => state.values)
  const edit = useStore(tabs.tracking, (state) => state.edit)
  if (!values) return null
  return (
    <div className={styles.wide}>
      <Panel title={t('trackingTab.groupAsking')}>
        <div className={styles.grid}>
          <NumberField name="pollMinutes" />
          <NumberField name="chunkSize" />
          <NumberField name="parallelRequests" />
        </div>
      </Panel>
      <Panel title={t('trackingTab.groupTrouble')}>
        <div className={styles.grid}>
          <NumberField name="notFoundAfterHours" />
          <NumberField name="silentAfterDays" />
        </div>
        <div className={styles.checks}>
          <Switch
            label={t('trackingTab.notify')}
            checked={values.notify}
            onChange={(event) => {
              const notify = event.currentTarget.checked
              edit((before) => ({ ...before, notify }))
            }}
          />
        </div>
      </Panel>
      <Panel title={t('trackingTab.groupMeanings')}>
        <Meanings />
      </Panel>
      <SaveBar store={tabs.tracking} />
    </div>
  )
}

function NumberField({ name }: { name: TrackingNumber }) {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const value = useStore(tabs.tracking, (state) => state.values?.[name] ?? '')
  const fault = useStore(tabs.tracking, (state) => state.faults[name])
  const edit = useStore(tabs.tracking, (state) => state.edit)
  const faultText = useFaultText()
  const label = t(`trackingTab.${name}`)
  return (
    <TextField
      label={label}
      value={value}
      onChange={(text) => edit((before) => ({ ...before, [name]: text }))}
      fault={faultText(fault, label)}
      inputMode="decimal"
    />
  )
}

function Meanings() {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const { statuses, load } = useSeenStatuses((state) => state)
  const meanings = useStore(tabs.tracking, (state) => state.values?.meanings) ?? {}
  useEffect(() => {
    void load()
  }, [load])
  const seen = new Map(statuses.map(({ code, description }) => [code, description]))
  const codes = [...new Set([...Object.keys(meanings), ...seen.keys()])].sort((one, other) =>
    one.localeCompare(other, 'en', { numeric: true }),
  )
  return (
    <div className={styles.editor}>
      <p className="pb-soft">{t('trackingTab.meaningsIntro')}</p>
      <table className={styles.meanings}>
        <thead>
          <tr>
            <th scope="col">{t('trackingTab.code')}</th>
            <th scope="col">{t('trackingTab.description')}</th>
            <th scope="col">{t('trackingTab.meaning')}</th>
          </tr>
        </thead>
        <tbody>
          {codes.map((code) => (
            <MeaningLine key={code} code={code} description={seen.get(code)} />
          ))}
        </tbody>
      </table>
      <AddCode />
    </div>
  )
}

function MeaningLine({ code, description }: { code: string; description: string | undefined }) {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const meaning = useStore(tabs.tracking, ({ values }) => meaningOf(values?.meanings ?? {}, code) ?? '')
  const edit = useStore(tabs.tracking, (state) => state.edit)
  return (
    <tr>
      <td className="pb-mono">{code}</td>
      <td>{description ?? <span className="pb-soft">{t('trackingTab.notSeen')}</span>}</td>
      <td>
        <NativeSelect
          aria-label={t('trackingTab.meaningOf', { code })}
          value={meaning}
          data={[
            { value: '', label: t('trackingTab.noMeaning') },
            ...statusMeaningSchema.options.map((value) => ({ value, label: t(`board.state.${value}`) })),
          ]}
          onChange={(event) => {
            const chosen = event.currentTarget.value
            edit((before) => ({ ...before, meanings: { ...before.meanings, [code]: chosen } }))
          }}
        />
      </td>
    </tr>
  )
}

/** A code that was announced but not seen yet can be given its meaning beforehand. */
function AddCode() {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const edit = useStore(tabs.tracking, (state) => state.edit)
  const [code, setCode] = useState('')
  const add = () => {
    const typed = code.trim()
    if (typed === '') return
    edit((before) => ({ ...before, meanings: { [typed]: '', ...before.meanings } }))
    setCode('')
  }
  return (
    <div className={styles.pathRow}>
      <TextField label={t('trackingTab.addCode')} value={code} onChange={setCode} maxLength={100} />
      <Button variant="default" leftSection={<IconPlus size={20} aria-hidden />} onClick={add}>
        {t('trackingTab.add')}
      </Button>
    </div>
  )
}
