import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../../shared/settings'
import { FormField, FormSelect, languageChoices, toChoices } from '../../../ui/FormField'
import { Panel } from '../../../ui/Panel'
import { listPrinterChoices } from '../printerChoices'
import styles from '../settings.module.css'
import { SaveBar, useTab } from '../tabForm'
import { Catalogue } from './Catalogue'
import { Senders } from './Senders'

/** Customs settings: invoices, senders and products. */
export function CustomsTab({ settings }: { settings: Settings }) {
  return (
    <div className={styles.wide}>
      <Invoices printers={settings.printers} />
      <Senders />
      <Catalogue />
      <SaveBar tab={useTab('customs')} />
    </div>
  )
}

function Invoices({ printers }: Pick<Settings, 'printers'>) {
  const { t } = useTranslation()
  const { form } = useTab('customs')
  return (
    <Panel title={t('customs.settingsInvoice')}>
      <div className={styles.grid}>
        <FormSelect
          {...form.getInputProps('documentPrinter')}
          label={t('customs.documentPrinter')}
          data={[
            { value: '', label: t('customs.noPrinter') },
            ...listPrinterChoices(t, printers, form.values.documentPrinter),
          ]}
        />
        <FormSelect
          {...form.getInputProps('printInvoice')}
          label={t('customs.when')}
          data={toChoices({ 'on-demand': t('customs.onDemand'), 'with-label': t('customs.withLabel') })}
        />
        <FormSelect
          {...form.getInputProps('invoiceLanguage')}
          label={t('customs.invoiceLanguage')}
          data={languageChoices}
        />
        <FormField
          {...form.getInputProps('invoicePrefix')}
          label={t('customs.prefix')}
          hint={t('customs.prefixHint')}
          maxLength={30}
        />
      </div>
    </Panel>
  )
}
