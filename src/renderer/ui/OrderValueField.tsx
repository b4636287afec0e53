import { NativeSelect } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { OrderIssue, OrderValueField as ValueName } from '../../shared/orders'
import { useSettings } from '../bridge'
import { FormField, useIssueText } from './FormField'
import styles from './field.module.css'
import { CountrySelect } from './SearchSelect'
import { issueCode } from './validation'

/** Words what is wrong with a field of an order. */
export function useOrderIssueText() {
  const { t } = useTranslation()
  const issueText = useIssueText()
  return ({ field, code }: OrderIssue): string => {
    if (code === 'twice-in-file') return t('orders.twiceInFile')
    if (code === 'twice-in-fleet') return t('sharedOrders.twiceInFleet')
    if (code === 'changed-elsewhere') return t('sharedOrders.changedElsewhere')
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
  /** What was found when the value was checked last; undefined once it was touched. */
  found: OrderIssue | undefined
  readOnly?: boolean
}

/** A value of an order as it was read or typed, to be corrected in place; country and carrier option have lists. */
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
  /** An option's number, or what the file says instead. */
  value: string
  errorText: string | undefined
  disabled: boolean
  onChange: (value: string) => void
}

/** The carrier option of an order: one of the settings, or none, so that its rule or the defaults choose. */
function CarrierField({ value, errorText, disabled, onChange }: CarrierFieldProps) {
  const { t } = useTranslation()
  const carriers = useSettings((settings) => settings.carriers) ?? []
  // Two carriers may have an option of the same number, which is all that an order says of it: it is offered once.
  const options = carriers
    .filter((option) => option === carriers.find((each) => each.carrierOptionId === option.carrierOptionId))
    .map((option) => ({ value: String(option.carrierOptionId), label: option.name }))
  const isKnown = value === '' || options.some((option) => option.value === value)
  return (
    <NativeSelect
      className={styles.whole}
      label={t('fields.carrierOptionId')}
      value={value}
      data={[
        { value: '', label: t('orders.carrierByRules') },
        ...options,
        // What the file says stays in sight until another one is chosen.
        ...(isKnown ? [] : [value]),
      ]}
      error={errorText}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
