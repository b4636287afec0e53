import { Button } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { orderValueFields } from '../../../shared/orders'
import { Callout } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import styles from './orders.module.css'
import { useOrdersView } from './ordersViewStore'

/** Orders that were shipped without their unsaved changes. It is shown on every screen: their parcels have to be stopped. */
export function ShippedUnsaved() {
  const { t } = useTranslation()
  const shipped = useOrdersView((view) => view.shippedUnsaved)
  const close = useOrdersView((view) => view.closeShippedUnsaved)
  const showShipment = useNavigation((state) => state.showShipment)
  if (shipped.length === 0) return null
  return (
    <section className={styles.shippedUnsaved} aria-label={t('orders.shippedUnsavedTitle')}>
      {shipped.map(({ order: { id, values, shipmentId }, changes }) => (
        <Callout
          key={id}
          tone="bad"
          actions={
            <>
              {shipmentId === null ? null : (
                <Button variant="default" onClick={() => showShipment(shipmentId, 'all')}>
                  {t('outcome.showInHistory')}
                </Button>
              )}
              <Button variant="subtle" onClick={() => close(id)}>
                {t('common.close')}
              </Button>
            </>
          }
        >
          <p>{t('orders.shippedUnsaved', { reference: values.reference ?? t('orders.noReference') })}</p>
          <ul>
            {orderValueFields
              .filter((field) => field in changes)
              .map((field) => (
                <li key={field}>
                  {t(`fields.${field}`)}: {changes[field] || t('orders.removedValue')}
                </li>
              ))}
          </ul>
        </Callout>
      ))}
    </section>
  )
}
