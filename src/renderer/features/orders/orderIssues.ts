import { useTranslation } from 'react-i18next'
import type { OrderIssue } from '../../../shared/orders'
import { useIssueText } from '../../ui/FormField'
import { issueCode } from '../../ui/validation'

/** Words what is wrong with a field of an order. */
export function useOrderIssueText() {
  const { t } = useTranslation()
  const issueText = useIssueText()
  return ({ field, code }: OrderIssue): string => {
    if (code === 'twice-in-file') return t('orders.twiceInFile')
    if (code === 'customs-needed') return t('orders.customsNeeded')
    if (code === 'scanned-as-command') return t('orders.scannedAsCommand')
    if (code === 'scanned-as-badge') return t('orders.scannedAsBadge')
    const label = t(field === 'carrierOptionId' ? 'fields.carrier' : `fields.${field}`)
    return issueText({ code: issueCode(code) }, label, field) ?? label
  }
}
