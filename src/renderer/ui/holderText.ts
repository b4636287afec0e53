import { useTranslation } from 'react-i18next'
import type { OrderHolder } from '../../shared/orders'

/** Words which other station has an order, and who works there. */
export function useHolderText() {
  const { t } = useTranslation()
  return ({ station, operator }: OrderHolder): string =>
    operator === null
      ? t('sharedOrders.holder', { station })
      : t('sharedOrders.holderNamed', { station, operator })
}
