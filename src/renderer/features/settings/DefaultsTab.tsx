import { Checkbox } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { CarrierOption } from '../../../shared/settings'
import { FormField, useIssueText } from '../../ui/FormField'
import { Panel } from '../../ui/Panel'
import { CarrierSelect, CountrySelect } from '../../ui/SearchSelect'
import { fromFormError } from '../../ui/validation'
import styles from './settings.module.css'
import { SaveBar, useTab } from './tabForm'

/** The defaults of new shipments. */
export function DefaultsTab({ carriers }: { carriers: readonly CarrierOption[] }) {
  const { t } = useTranslation()
  const tab = useTab('defaults')
  const { form } = tab
  const issueText = useIssueText()
  const country = t('fields.country')
  return (
    <div className={styles.wide}>
      <p>{t('defaultsTab.intro')}</p>
      <Panel title={t('ship.groupOrder')}>
        <div className={styles.grid}>
          <CarrierSelect
            {...form.getInputProps('carrier', { withError: false })}
            label={t('fields.carrier')}
            value={form.values.carrier}
            carriers={carriers}
            clearable
          />
          <CountrySelect
            {...form.getInputProps('country', { withError: false })}
            label={country}
            value={form.values.country}
            errorText={issueText(fromFormError(form.errors.country), country)}
          />
          <DefaultField field="createdBy" />
          <DefaultField field="reference2" />
          <DefaultField field="printPhoneNumber" />
        </div>
      </Panel>
      <Panel title={t('ship.groupParcel')}>
        <div className={styles.grid}>
          <DefaultField field="weight" hint={t('defaultsTab.weightHint')} />
          <DefaultField field="numberOfPackages" />
          <DefaultField field="content" />
          <DefaultField field="length" />
          <DefaultField field="width" />
          <DefaultField field="height" />
        </div>
        <div className={styles.checks}>
          {(['signatureRequired', 'returnLabel', 'isCompany'] as const).map((field) => (
            <Checkbox
              key={field}
              {...form.getInputProps(field, { type: 'checkbox' })}
              label={t(`fields.${field}`)}
            />
          ))}
        </div>
      </Panel>
      <SaveBar tab={tab} />
    </div>
  )
}

interface DefaultFieldProps {
  field:
    | 'createdBy'
    | 'reference2'
    | 'printPhoneNumber'
    | 'weight'
    | 'numberOfPackages'
    | 'content'
    | 'length'
    | 'width'
    | 'height'
  hint?: string
}

function DefaultField({ field, hint }: DefaultFieldProps) {
  const { t } = useTranslation()
  const { form } = useTab('defaults')
  return <FormField {...form.getInputProps(field)} label={t(`fields.${field}`)} field={field} hint={hint} />
}
