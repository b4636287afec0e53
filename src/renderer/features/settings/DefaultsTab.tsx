import { Checkbox } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import type { CarrierOption } from '../../../shared/settings'
import { useStores } from '../../app/storesContext'
import { CarrierSelect } from '../../ui/CarrierSelect'
import { CountrySelect } from '../../ui/CountrySelect'
import { Panel } from '../../ui/Panel'
import { TextField } from '../../ui/TextField'
import { useFaultText } from '../../ui/useFaultText'
import {
  type DefaultsValues,
  defaultFlagFields,
  type defaultNumberFields,
  type defaultTextFields,
} from './defaultsForm'
import { SaveBar } from './SaveBar'
import styles from './settings.module.css'

type DefaultField = (typeof defaultTextFields)[number] | (typeof defaultNumberFields)[number]

/** What every new shipment starts from. */
export function DefaultsTab({ carriers }: { carriers: readonly CarrierOption[] }) {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const values = useStore(tabs.defaults, (state) => state.values)
  const edit = useStore(tabs.defaults, (state) => state.edit)
  const countryFault = useStore(tabs.defaults, (state) => state.faults.country)
  const faultText = useFaultText()
  if (!values) return null
  const set = (change: Partial<DefaultsValues>) => edit((before) => ({ ...before, ...change }))
  return (
    <div className={styles.wide}>
      <p>{t('defaultsTab.intro')}</p>
      <Panel title={t('ship.groupOrder')}>
        <div className={styles.grid}>
          <CarrierSelect
            label={t('fields.carrier')}
            carriers={carriers}
            value={values.carrier}
            onChange={(carrier) => set({ carrier })}
            clearable
          />
          <CountrySelect
            label={t('fields.country')}
            value={values.country}
            onChange={(country) => set({ country })}
            fault={faultText(countryFault, t('fields.country'))}
          />
          <DefaultText field="createdBy" values={values} />
          <DefaultText field="reference2" values={values} />
          <DefaultText field="printPhoneNumber" values={values} />
        </div>
      </Panel>
      <Panel title={t('ship.groupParcel')}>
        <div className={styles.grid}>
          <DefaultText field="weight" values={values} hint={t('defaultsTab.weightHint')} />
          <DefaultText field="numberOfPackages" values={values} />
          <DefaultText field="content" values={values} />
          <DefaultText field="length" values={values} />
          <DefaultText field="width" values={values} />
          <DefaultText field="height" values={values} />
        </div>
        <div className={styles.checks}>
          {defaultFlagFields.map((field) => (
            <Checkbox
              key={field}
              label={t(`fields.${field}`)}
              checked={values[field]}
              onChange={(event) => set({ [field]: event.currentTarget.checked })}
            />
          ))}
        </div>
      </Panel>
      <SaveBar store={tabs.defaults} />
    </div>
  )
}

interface DefaultTextProps {
  field: Exclude<DefaultField, 'country'>
  values: DefaultsValues
  hint?: string
}

function DefaultText({ field, values, hint }: DefaultTextProps) {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const edit = useStore(tabs.defaults, (state) => state.edit)
  const fault = useStore(tabs.defaults, (state) => state.faults[field])
  const faultText = useFaultText()
  const label = t(`fields.${field}`)
  return (
    <TextField
      label={label}
      value={values[field]}
      onChange={(text) => edit((before) => ({ ...before, [field]: text }))}
      fault={faultText(fault, label, field)}
      hint={hint}
    />
  )
}
