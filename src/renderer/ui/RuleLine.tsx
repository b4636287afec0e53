import { useTranslation } from 'react-i18next'
import type { Order, RuledExtras, RuleFact } from '../../shared/orders'
import { useSettings } from '../bridge'

/** The rule that filled in an order, the facts that matched, and the extras that the rule sets. */
export function RuleLine({ order: { rule, because = [], ruled } }: { order: Order }) {
  const { t } = useTranslation()
  if (rule === null) return null
  return (
    <>
      {t('orders.because', { rule })}
      <RuleFacts facts={because} />
      <RuleExtras ruled={ruled} />
    </>
  )
}

/** The facts of an order that matched a rule's conditions; nothing for a rule without conditions. */
export function RuleFacts({ facts }: { facts: readonly RuleFact[] }) {
  const { t } = useTranslation()
  if (facts.length === 0) return null
  const words = facts.map(({ condition, value }) => t(`rulesTab.fact.${condition}`, { value }))
  return <> ({t('rulesTab.because', { facts: words.join(', ') })})</>
}

/** Printer and customs data that a rule sets. A printer that does not exist is reported as such. */
export function RuleExtras({ ruled }: { ruled: RuledExtras | undefined }) {
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
