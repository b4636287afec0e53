import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { useStore } from 'zustand'
import type { Settings } from '../../../../shared/settings'
import { useStores } from '../../../app/storesContext'
import { Panel } from '../../../ui/Panel'
import { TextField } from '../../../ui/TextField'
import { SaveBar } from '../SaveBar'
import styles from '../settings.module.css'
import { Catalogue } from './Catalogue'
import type { CustomsValues } from './customsTabForm'
import { Senders } from './Senders'

/** Settings for exporters: invoices, senders and products. */
export function CustomsTab({ settings }: { settings: Settings }) {
  const { tabs } = useStores()
  const values = useStore(tabs.customs, (state) => state.values)
  if (!values) return null
  return (
    <div className={styles.wide}>
      <Invoices values={values} settings={settings} />
      <Senders />
      <Catalogue />
      <SaveBar store={tabs.customs} />
    </div>
  )
}

function Invoices({ values, settings }: { values: CustomsValues; settings: Settings }) {
  const { t } = useTranslation()
  const { tabs } = useStores()
  const edit = useStore(tabs.customs, (state) => state.edit)
  const set = (change: Partial<CustomsValues>) => edit((before) => ({ ...before, ...change }))
  const printers = settings.printers.map((printer) => ({
    value: printer.id,
    label: printer.name ?? printer.id,
  }))
  return (
    <Panel title={t('customs.settingsInvoice')}>
      <div className={styles.grid}>
        <NativeSelect
          label={t('customs.documentPrinter')}
          data={[{ value: '', label: t('customs.noPrinter') }, ...printers]}
          value={values.documentPrinter}
          onChange={(event) => set({ documentPrinter: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('customs.when')}
          data={[
            { value: 'on-demand', label: t('customs.onDemand') },
            { value: 'with-label', label: t('customs.withLabel') },
          ]}
          value={values.printInvoice}
          onChange={(event) => set({ printInvoice: event.currentTarget.value })}
        />
        <NativeSelect
          label={t('customs.invoiceLanguage')}
          data={[
            { value: 'en', label: 'English' },
            { value: 'nl', label: 'Nederlands' },
          ]}
          value={values.invoiceLanguage}
          onChange={(event) => set({ invoiceLanguage: event.currentTarget.value })}
        />
        <TextField
          label={t('customs.prefix')}
          value={values.invoicePrefix}
          onChange={(invoicePrefix) => set({ invoicePrefix })}
          maxLength={30}
        />
      </div>
    </Panel>
  )
}
