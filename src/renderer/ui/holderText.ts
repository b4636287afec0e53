import { useTranslation } from 'react-i18next'
import type { OrderHolder } from '../../shared/orders'

/** Names the station that holds an order, and its operator. */
export function useHolderText() {
  const { t } = useTranslation()
  return ({ station, operator }: OrderHolder): string =>
    operator === null
      ? t('sharedOrders.holder', { station })
      : t('sharedOrders.holderNamed', { station, operator })
}
