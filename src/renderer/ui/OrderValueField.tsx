import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OrderIssue, OrderValueField as ValueName } from '../../shared/orders'
import { useSettings } from '../bridge'
import { listOptionChoices } from './carrierOptions'
import { FormField, useIssueText } from './FormField'
import { CountrySelect } from './SearchSelect'
import styles from './ui.module.css'
import { issueCode } from './validation'

/** Turns an issue of an order into a sentence. */
export function useOrderIssueText() {
  const { t } = useTranslation()
  const issueText = useIssueText()
  return ({ field, code }: OrderIssue): string => {
    if (code === 'twice-in-file') return t('orders.twiceInFile')
    if (code === 'twice-in-fleet') return t('sharedOrders.twiceInFleet')
    if (code === 'changed-elsewhere')
      return t(field === 'reference' ? 'sharedOrders.referenceElsewhere' : 'sharedOrders.changedElsewhere')
    if (code === 'newer-elsewhere') return t('sharedOrders.newerElsewhere')
    if (code === 'customs-needed') return t('orders.customsNeeded')
    if (field === 'printer') return t('orders.printerUnknown')
    if (code === 'scanned-as-command') return t('orders.scannedAsCommand')
    if (code === 'scanned-as-badge') return t('orders.scannedAsBadge')
    const label = t(`fields.${field}`)
    return issueText({ code: issueCode(code) }, label, field) ?? label
  }
}

interface OrderValueFieldProps {
  field: ValueName
  value: string
  onChange: (text: string) => void
  /** Issue of the last check; undefined once the value was edited. */
  found: OrderIssue | undefined
  readOnly?: boolean
}

/** An editable value of an order; country and carrier option are selects. */
export function OrderValueField({ field, value, onChange, found, readOnly = false }: OrderValueFieldProps) {
  const { t } = useTranslation()
  const orderIssueText = useOrderIssueText()
  const errorText = found === undefined ? undefined : orderIssueText(found)
  const common = { label: t(`fields.${field}`), value, onChange, readOnly }
  if (field === 'country') return <CountrySelect {...common} errorText={errorText} />
  if (field === 'carrierOptionId') {
    return <CarrierField value={value} errorText={errorText} disabled={readOnly} onChange={onChange} />
  }
  return (
    <FormField
      {...common}
      field={field}
      issue={found === undefined ? undefined : { code: issueCode(found.code) }}
      {...(errorText !== undefined && { errorText })}
    />
  )
}

interface CarrierFieldProps {
  /** A carrier option's id, or the file's text if it is none. */
  value: string
  errorText: string | undefined
  disabled: boolean
  onChange: (value: string) => void
}

/** The carrier option of an order. Empty leaves the choice to its rule or the defaults. */
function CarrierField({ value, errorText, disabled, onChange }: CarrierFieldProps) {
  const { t } = useTranslation()
  const carriers = useSettings((settings) => settings.carriers) ?? []
  const options = listOptionChoices(carriers)
  const isKnown = value === '' || options.some((option) => option.value === value)
  return (
    <NativeSelect
      className={styles.whole}
      label={t('fields.carrierOptionId')}
      value={value}
      data={[
        { value: '', label: t('orders.carrierByRules') },
        ...options,
        // The file's text stays visible until another option is chosen.
        ...(isKnown ? [] : [value]),
      ]}
      error={errorText}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
