import { useTranslation } from 'react-i18next'
import type { Order, RuleFact } from '../../shared/orders'
import { RuledWords } from './RuledWords'

/** Which rule filled in an order, what of the order made it hold, and what it says besides the values. */
export function RuleLine({ order: { rule, because = [], ruled } }: { order: Order }) {
  const { t } = useTranslation()
  if (rule === null) return null
  return (
    <>
      {t('orders.because', { rule })}
      <RuleFacts facts={because} />
      <RuledWords ruled={ruled} />
    </>
  )
}

/** What of an order made a rule hold; nothing where the rule asks for nothing. */
export function RuleFacts({ facts }: { facts: readonly RuleFact[] }) {
  const { t } = useTranslation()
  if (facts.length === 0) return null
  const words = facts.map(({ condition, value }) => t(`rulesTab.fact.${condition}`, { value }))
  return <> ({t('rulesTab.because', { facts: words.join(', ') })})</>
}
