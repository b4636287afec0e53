import { useTranslation } from 'react-i18next'
import type { Settings } from '../../../shared/settings'
import { formatTime } from '../../locales/format'
import { ShipmentBadge } from '../../ui/Badge'
import { useNavigation } from '../../ui/navigation'
import { Panel } from '../../ui/Panel'
import styles from './ship.module.css'
import { useShip } from './stores'

/** The last shipments since the app started; each opens in History. */
export function SessionPanel({ settings }: { settings: Settings }) {
  const { t, i18n } = useTranslation()
  const showShipment = useNavigation((state) => state.showShipment)
  const session = useShip((state) => state.session)
  const carrierName = (optionId: number) =>
    settings.carriers.find((option) => option.carrierOptionId === optionId)?.name
  return (
    <Panel title={t('ship.session')}>
      {session.length === 0 ? <p className="pb-soft">{t('ship.sessionEmpty')}</p> : null}
      <ul className={styles.session}>
        {session.map((shipment) => (
          <li key={shipment.id}>
            <button type="button" className={styles.sessionRow} onClick={() => showShipment(shipment.id)}>
              <span className={styles.sessionTop}>
                <strong>{shipment.reference}</strong>
                <ShipmentBadge shipment={shipment} />
              </span>
              <span className="pb-soft">
                {formatTime(shipment.takenAt, i18n.language)}
                {' · '}
                {[shipment.recipient, shipment.city, carrierName(shipment.carrierOptionId)]
                  .filter(Boolean)
                  .join(', ')}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
