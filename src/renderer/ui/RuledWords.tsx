import { useTranslation } from 'react-i18next'
import type { RuledExtras } from '../../shared/orders'
import { useSettings } from '../bridge'

/** Printer and customs data that a rule fills in besides the values of an order; a printer that is not there is named as such. */
export function RuledWords({ ruled }: { ruled: RuledExtras | undefined }) {
  const { t } = useTranslation()
  const printers = useSettings((settings) => settings.printers) ?? []
  if (ruled === undefined) return null
  const { printer, invoiceTerms, invoiceCurrency, invoiceReason } = ruled
  const known = printers.find(({ id }) => id === printer)
  const words = [
    ...(printer === undefined
      ? []
      : known === undefined
        ? [t('rulesTab.printerUnknown', { printer })]
        : [t('rulesTab.ruledPrinter', { printer: known.name ?? known.id })]),
    ...[invoiceTerms, invoiceCurrency, invoiceReason].filter((text) => text !== undefined),
  ]
  return <span> {words.join(' · ')}</span>
}
