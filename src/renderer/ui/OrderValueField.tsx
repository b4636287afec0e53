import { useTranslation } from 'react-i18next'
import type { OrderIssue, OrderValueField as ValueName } from '../../shared/orders'
import { FormField, useIssueText } from './FormField'
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

/** A value of an order as it was read or typed, to be corrected in place; the country has a list of its own. */
export function OrderValueField({ field, value, onChange, found, readOnly = false }: OrderValueFieldProps) {
  const { t } = useTranslation()
  const orderIssueText = useOrderIssueText()
  const errorText = found === undefined ? undefined : orderIssueText(found)
  const common = { label: t(`fields.${field}`), value, onChange, readOnly }
  if (field === 'country') return <CountrySelect {...common} errorText={errorText} />
  return (
    <FormField
      {...common}
      field={field}
      issue={found === undefined ? undefined : { code: issueCode(found.code) }}
      {...(errorText !== undefined && { errorText })}
    />
  )
}
