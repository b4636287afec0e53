import { NativeSelect, Stack, Switch } from '@mantine/core'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { findMeaning, statusMeaningSchema } from '../../../shared/tracking'
import { useBridgeQuery } from '../../bridge'
import { FormField } from '../../ui/FormField'
import { Panel } from '../../ui/Panel'
import { AddButton } from '../../ui/RowButtons'
import { TextField } from '../../ui/TextField'
import styles from './settings.module.css'
import { SaveBar, useTab } from './tabForm'

/** How parcels are tracked: frequency and volume of requests, alerts, and the meaning of status codes. */
export function TrackingTab() {
  const { t } = useTranslation()
  const tab = useTab('tracking')
  const numberField = (
    name: 'pollMinutes' | 'chunkSize' | 'parallelRequests' | 'notFoundAfterHours' | 'silentAfterDays',
  ) => <FormField {...tab.form.getInputProps(name)} label={t(`trackingTab.${name}`)} numeric="decimal" />
  return (
    <div className={styles.wide}>
      <Panel title={t('trackingTab.groupAsking')}>
        <div className={styles.grid}>
          {numberField('pollMinutes')}
          {numberField('chunkSize')}
          {numberField('parallelRequests')}
        </div>
      </Panel>
      <Panel title={t('trackingTab.groupErrors')}>
        <div className={styles.grid}>
          {numberField('notFoundAfterHours')}
          {numberField('silentAfterDays')}
        </div>
        <div className={styles.checks}>
          <Switch
            {...tab.form.getInputProps('notify', { type: 'checkbox' })}
            label={t('trackingTab.notify')}
          />
        </div>
      </Panel>
      <Panel title={t('trackingTab.groupMeanings')}>
        <Meanings />
      </Panel>
      <SaveBar tab={tab} />
    </div>
  )
}

function Meanings() {
  const { t } = useTranslation()
  const { form } = useTab('tracking')
  const { meanings } = form.values
  const { data: statuses = [] } = useBridgeQuery('listSeenStatuses', undefined)
  const seen = new Map(statuses.map(({ code, description }) => [code, description]))
  const codes = [...new Set([...Object.keys(meanings), ...seen.keys()])].sort((one, other) =>
    one.localeCompare(other, 'en', { numeric: true }),
  )
  // A code may contain a dot, which separates the parts of a form path, so the meanings are set as a whole.
  const set = (code: string, meaning: string) =>
    form.setFieldValue('meanings', { ...meanings, [code]: meaning })
  return (
    <Stack gap={12}>
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
            <tr key={code}>
              <td className="pb-mono">{code}</td>
              <td>{seen.get(code) ?? <span className="pb-soft">{t('trackingTab.notSeen')}</span>}</td>
              <td>
                <NativeSelect
                  aria-label={t('trackingTab.codeMeaning', { code })}
                  value={findMeaning(meanings, code) ?? ''}
                  data={[
                    { value: '', label: t('trackingTab.noMeaning') },
                    ...statusMeaningSchema.options.map((value) => ({
                      value,
                      label: t(`board.state.${value}`),
                    })),
                  ]}
                  onChange={(event) => set(code, event.currentTarget.value)}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <AddCode onAdd={(code) => set(code, findMeaning(meanings, code) ?? '')} />
    </Stack>
  )
}

/** Adds a code that was announced but not seen yet. */
function AddCode({ onAdd }: { onAdd: (code: string) => void }) {
  const { t } = useTranslation()
  const [code, setCode] = useState('')
  const add = () => {
    const typed = code.trim()
    if (typed === '') return
    onAdd(typed)
    setCode('')
  }
  return (
    <div className={styles.pathRow}>
      <TextField label={t('trackingTab.addCode')} value={code} onChange={setCode} maxLength={100} />
      <AddButton onClick={add}>{t('trackingTab.add')}</AddButton>
    </div>
  )
}
