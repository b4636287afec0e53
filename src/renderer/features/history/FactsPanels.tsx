import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { CarrierOption } from '../../../shared/settings'
import type { ShipmentDetails } from '../../../shared/shipments'
import { countryName } from '../../i18n/countryNames'
import { formatExact, formatNumber } from '../../i18n/format'
import { CopyValue } from '../../ui/CopyValue'
import { findDraftCarrier } from '../../ui/carrierOptions'
import { Panel } from '../../ui/Panel'
import styles from './history.module.css'

interface FactsPanelsProps {
  shipment: ShipmentDetails
  carriers: readonly CarrierOption[]
}

/** All data of a shipment: ids, consignee, times. */
export function FactsPanels({ shipment, carriers }: FactsPanelsProps) {
  return (
    <>
      <Ids shipment={shipment} />
      <Consignee shipment={shipment} carriers={carriers} />
      <Times shipment={shipment} />
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Ids({ shipment }: { shipment: ShipmentDetails }) {
  const { t } = useTranslation()
  const barcodes = shipment.barcodes.map((value, index) => ({
    name:
      shipment.barcodes.length === 1
        ? t('history.barcode')
        : t('history.packageBarcode', { position: index + 1 }),
    value,
  }))
  const ids = [
    ...barcodes,
    { name: t('history.subLogId'), value: shipment.subLogId },
    { name: t('history.serviceShipmentId'), value: shipment.serviceShipmentId },
    { name: t('history.zendingId'), value: shipment.zendingId },
    { name: t('history.logId'), value: shipment.logId },
    { name: t('history.ourId'), value: shipment.id },
  ]
  return (
    <Panel title={t('history.ids')}>
      <dl className={styles.facts}>
        {ids.map(({ name, value }) =>
          value ? (
            <Fact key={name} name={name}>
              <CopyValue what={name} value={value} />
            </Fact>
          ) : null,
        )}
      </dl>
      {shipment.subLogId ? <p className="pb-soft">{t('history.subLogIdHint')}</p> : null}
    </Panel>
  )
}

function Consignee({ shipment, carriers }: FactsPanelsProps) {
  const { t, i18n } = useTranslation()
  const { draft } = shipment
  const carrier = findDraftCarrier(carriers, draft)
  const name = [draft.firstName, draft.lastName].filter(Boolean).join(' ')
  const lines = [
    draft.companyName,
    name,
    [draft.street, draft.houseNumber].filter(Boolean).join(' '),
    [draft.postalCode, draft.city].filter(Boolean).join(' '),
    countryName(draft.country, i18n.language),
    draft.email,
    draft.phoneNumber,
  ].filter((line) => line !== '')
  return (
    <Panel title={t('history.address')}>
      <address className={styles.address}>
        {lines.map((line) => (
          <span key={line}>{line}</span>
        ))}
      </address>
      <dl className={styles.facts}>
        <Fact name={t('fields.carrier')}>{carrier?.name ?? String(draft.carrierOptionId)}</Fact>
        <Fact name={t('history.parcel')}>
          {t('history.packagesAndWeight', {
            packages: draft.numberOfPackages,
            weight: formatNumber(draft.weight, i18n.language),
          })}
          {draft.content ? ` · ${draft.content}` : ''}
        </Fact>
        <Fact name={t('history.origin')}>{t(`history.origins.${shipment.origin}`)}</Fact>
        {shipment.operator ? <Fact name={t('people.operator')}>{shipment.operator}</Fact> : null}
        {shipment.serviceMessage ? (
          <Fact name={t('common.serviceSays')}>“{shipment.serviceMessage}”</Fact>
        ) : null}
      </dl>
    </Panel>
  )
}

function Times({ shipment }: { shipment: ShipmentDetails }) {
  const { t, i18n } = useTranslation()
  const { times, resolution } = shipment
  const moments: [string, string | null][] = [
    [t('history.taken'), times.taken],
    [t('history.requestSent'), times.requestSent],
    [t('history.responseReceived'), times.responseReceived],
    [t('history.labelStored'), times.labelStored],
    [t('history.resolvedAt'), resolution?.at ?? null],
  ]
  return (
    <Panel title={t('history.times')}>
      <dl className={styles.facts}>
        {moments.map(([name, iso]) =>
          iso ? (
            <Fact key={name} name={name}>
              <time dateTime={iso}>{formatExact(iso, i18n.language)}</time>
              {resolution?.by && iso === resolution.at ? ` · ${resolution.by}` : ''}
            </Fact>
          ) : null,
        )}
      </dl>
    </Panel>
  )
}
