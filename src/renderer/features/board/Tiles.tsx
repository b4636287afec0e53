import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Board, ParcelState, ParcelTrouble } from '../../../shared/tracking'
import { useBoard, useStation } from '../../app/storesContext'
import styles from './board.module.css'
import { stateClass, stateOrder } from './states'

/** What needs someone, by kind; each opens its list. */
export function TroubleTiles({ board }: { board: Board }) {
  const { t } = useTranslation()
  const only = useBoard((state) => state.only)
  const show = useBoard((state) => state.show)
  const tracking = useStation((state) => state.settings?.tracking)
  const words = (trouble: ParcelTrouble) =>
    t(`board.trouble.${trouble}`, {
      hours: tracking?.notFoundAfterHours ?? '',
      count: tracking?.silentAfterDays ?? 0,
    })
  return (
    <section aria-label={t('board.troubles')} className={styles.troubles}>
      {board.troubles.map(({ trouble, count }) => (
        <button
          key={trouble}
          type="button"
          className={styles.trouble}
          data-trouble={trouble}
          data-some={count > 0}
          aria-pressed={only?.by === 'trouble' && only.trouble === trouble}
          onClick={() => void show({ by: 'trouble', trouble })}
        >
          {count > 0 ? (
            <IconAlertTriangle size={24} aria-hidden />
          ) : (
            <IconCircleCheck size={24} aria-hidden />
          )}
          <strong className={styles.number}>{count}</strong>
          {words(trouble)}
        </button>
      ))}
    </section>
  )
}

/** How many parcels are in which state; each opens its list, and the colours are those of the chart. */
export function StateTiles({ board }: { board: Board }) {
  const { t } = useTranslation()
  const only = useBoard((state) => state.only)
  const show = useBoard((state) => state.show)
  const countOf = (state: ParcelState) => board.states.find((each) => each.state === state)?.count ?? 0
  return (
    <section aria-label={t('board.states')} className={styles.states}>
      {stateOrder.map((state) => (
        <button
          key={state}
          type="button"
          className={styles.state}
          data-parcel-state={state}
          aria-pressed={only?.by === 'state' && only.state === state}
          onClick={() => void show({ by: 'state', state })}
        >
          <span className={`${styles.swatch} ${stateClass[state]}`} aria-hidden />
          <strong className={styles.number}>{countOf(state)}</strong>
          <span>{t(`board.state.${state}`)}</span>
        </button>
      ))}
    </section>
  )
}
