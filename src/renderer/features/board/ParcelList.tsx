import { Button } from '@mantine/core'
import { IconCircleCheck, IconPackages, IconRoute } from '@tabler/icons-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Board, WatchedParcel } from '../../../shared/tracking'
import { useBoard, useNavigation, useTrack } from '../../app/storesContext'
import { formatMoment, formatWritten } from '../../locales/format'
import { Badge } from '../../ui/Badge'
import { Empty } from '../../ui/Panel'
import { ParcelActionErrors, ParcelActions } from '../../ui/ParcelActions'
import { warningLook } from '../../ui/tone'
import styles from './board.module.css'
import type { BoardFilter } from './boardStore'
import { stateClass } from './states'

/** The parcels of the list that was chosen, newest first. */
export function ParcelList({ board }: { board: Board }) {
  const { t } = useTranslation()
  const { only, parcels, total, show, more } = useBoard((state) => state)
  const title = useTitle(only)
  return (
    <section className={styles.listing} aria-label={t('board.list')}>
      <div className={styles.listHead}>
        <h3 className={styles.listTitle}>{title}</h3>
        <p className="pb-soft" role="status">
          {t('board.listCount', { count: total })}
        </p>
        <span className={styles.choices}>
          <Button
            variant={only?.by === 'any-trouble' ? 'filled' : 'default'}
            aria-pressed={only?.by === 'any-trouble'}
            onClick={() => void show({ by: 'any-trouble' })}
          >
            {t('board.anyTrouble')}
          </Button>
          <Button
            variant={only === null ? 'filled' : 'default'}
            aria-pressed={only === null}
            onClick={() => void show(null)}
          >
            {t('board.allParcels')}
          </Button>
        </span>
      </div>
      <ParcelActionErrors shipmentIds={parcels.map(({ shipment }) => shipment.id)} />
      {total === 0 ? <NoParcels only={only} watched={board.watched} /> : <Parcels parcels={parcels} />}
      {parcels.length < total ? (
        <Button variant="default" onClick={() => void more()}>
          {t('board.showMore')}
        </Button>
      ) : null}
    </section>
  )
}

function useTitle(only: BoardFilter): string {
  const { t } = useTranslation()
  if (only === null) return t('board.allParcels')
  if (only.by === 'any-trouble') return t('board.anyTrouble')
  return only.by === 'state' ? t(`board.state.${only.state}`) : t(`board.troubleShort.${only.trouble}`)
}

function NoParcels({ only, watched }: { only: BoardFilter; watched: number }) {
  const { t } = useTranslation()
  if (only?.by === 'any-trouble' && watched > 0) {
    const icon = <IconCircleCheck size={56} stroke={1.3} aria-hidden />
    return <Empty icon={icon} title={t('board.noTrouble')} hint={t('board.noTroubleHint')} />
  }
  const icon = <IconPackages size={56} stroke={1.3} aria-hidden />
  return <Empty icon={icon} title={t('board.noParcels')} hint={t('board.noParcelsHint')} />
}

function Parcels({ parcels }: { parcels: readonly WatchedParcel[] }) {
  return (
    <ul className={styles.list}>
      {parcels.map((parcel) => (
        <Parcel key={parcel.code} parcel={parcel} />
      ))}
    </ul>
  )
}

interface ParcelProps {
  parcel: WatchedParcel
}

/** Hundreds of them are on the screen: those that look as before are not drawn again after each round. */
const Parcel = memo(ParcelLine, (before, after) => looksOf(before) === looksOf(after))

function looksOf({ parcel: { askedAt: _unseen, ...seen } }: ParcelProps): string {
  return JSON.stringify(seen)
}

function ParcelLine({ parcel }: ParcelProps) {
  const { t, i18n } = useTranslation()
  const goToTrack = useNavigation((state) => state.goToTrack)
  const lookUp = useTrack((state) => state.lookUp)
  const { lastStatus: last, shipment } = parcel
  const open = () => {
    goToTrack('one')
    void lookUp(parcel.code)
  }
  return (
    <li
      className={styles.parcel}
      data-testid="parcel"
      data-code={parcel.code}
      data-parcel-state={parcel.state}
    >
      <span className={styles.parcelWho}>
        <strong>{shipment.reference}</strong>
        <button type="button" className={styles.codeLink} onClick={open}>
          <IconRoute size={18} aria-hidden />
          {parcel.code}
        </button>
        <span className="pb-soft">
          {[parcel.recipient, parcel.city, parcel.country].filter(Boolean).join(', ')}
        </span>
      </span>
      <span className={styles.parcelState}>
        <span className={styles.stateLine}>
          <span className={`${styles.swatch} ${stateClass[parcel.state]}`} aria-hidden />
          {t(`board.state.${parcel.state}`)}
          {parcel.trouble === null ? null : (
            <Badge look={warningLook} text={t(`board.troubleShort.${parcel.trouble}`)} />
          )}
        </span>
        {last === null ? null : (
          <span>
            {[last.description, last.location, formatWritten(last.dateTime, i18n.language)]
              .filter(Boolean)
              .join(' · ')}
          </span>
        )}
        <span className="pb-soft">
          {t('board.changed')}:{' '}
          {parcel.changedAt === null ? t('board.never') : formatMoment(parcel.changedAt, i18n.language)}
        </span>
      </span>
      <ParcelActions shipment={shipment} />
    </li>
  )
}
