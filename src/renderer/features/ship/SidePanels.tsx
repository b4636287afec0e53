import { Flex } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { nameCarrierOptions, type Settings } from '../../../shared/settings'
import type { CarrierLimits } from '../../../shared/shipments'
import { formatDecimals, formatTime } from '../../i18n/format'
import { ShipmentBadge } from '../../ui/Badge'
import { useNavigation } from '../../ui/navigation'
import { Panel } from '../../ui/Panel'
import styles from './ship.module.css'
import { useCarrierLimits, useShip } from './stores'

/** The limits that the service last stated for the chosen carrier option. */
export function LimitsPanel() {
  const { t } = useTranslation()
  const limits = useCarrierLimits()
  const range = useRange()
  if (!limits) return null
  const rows = limitRows(limits).flatMap(([label, min, max]) => {
    const text = range(min, max)
    return text === null ? [] : [{ label, text }]
  })
  return (
    <Panel title={t('ship.limits')}>
      <Flex component="dl" direction="column" gap={3}>
        {rows.map(({ label, text }) => (
          <div key={label} className={styles.limitRow}>
            <dt>{t(`ship.${label}`)}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </Flex>
      <p className={`${styles.limitNote} pb-soft`}>{t('ship.limitsUnits')}</p>
    </Panel>
  )
}

function limitRows(limits: CarrierLimits) {
  const rows: [
    'limitWeight' | 'limitLength' | 'limitWidth' | 'limitHeight' | 'limitVolume' | 'limitCircumference',
    string | null,
    string | null,
  ][] = [
    ['limitWeight', limits.minWeight, limits.maxWeight],
    ['limitLength', limits.minLength, limits.maxLength],
    ['limitWidth', limits.minWidth, limits.maxWidth],
    ['limitHeight', limits.minHeight, limits.maxHeight],
    ['limitVolume', null, limits.maxVolume],
    ['limitCircumference', null, limits.maxCircumference],
  ]
  return rows
}

function useRange() {
  const { t, i18n } = useTranslation()
  return (minText: string | null, maxText: string | null): string | null => {
    // A minimum of 0 is no limit.
    const min = minText !== null && Number(minText) > 0 ? formatDecimals(minText, i18n.language) : null
    const max = maxText === null ? null : formatDecimals(maxText, i18n.language)
    if (min !== null && max !== null) return t('ship.limitRange', { min, max })
    if (max !== null) return t('ship.limitMax', { max })
    return min === null ? null : t('ship.limitMin', { min })
  }
}

/** The last shipments since the app started; a click opens one in History. */
export function SessionPanel({ settings }: { settings: Settings }) {
  const { t, i18n } = useTranslation()
  const showShipment = useNavigation((state) => state.showShipment)
  const session = useShip((state) => state.session)
  const names = nameCarrierOptions(settings.carriers)
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
                {[shipment.consignee, shipment.city, names.get(shipment.carrierOptionId)]
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
