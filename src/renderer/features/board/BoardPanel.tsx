import { IconRefresh } from '@tabler/icons-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { Board, WatchStatus } from '../../../shared/tracking'
import { useBoard } from '../../app/storesContext'
import { formatRecent } from '../../locales/format'
import { Callout, ErrorCallout, ErrorWords } from '../../ui/Callout'
import { SteadyButton } from '../../ui/SteadyButton'
import styles from './board.module.css'
import { DayChart } from './DayChart'
import { ParcelList } from './ParcelList'
import { StateTiles, TroubleTiles } from './Tiles'

/** Every parcel of the station that is on its way, and first of all those that need someone. */
export function BoardPanel() {
  const board = useBoard((state) => state.board)
  const error = useBoard((state) => state.error)
  const refresh = useBoard((state) => state.refresh)
  useEffect(() => {
    // A look-up on another tab may have brought news of a parcel.
    void refresh()
  }, [refresh])
  return (
    <div className={styles.board}>
      {error ? <ErrorCallout error={error} /> : null}
      {board === null ? null : <Shown board={board} />}
    </div>
  )
}

function Shown({ board }: { board: Board }) {
  return (
    <>
      <Head board={board} />
      <WatchTrouble watch={board.watch} />
      <TroubleTiles board={board} />
      <div className={styles.overview}>
        <StateTiles board={board} />
        <DayChart board={board} />
      </div>
      <ParcelList board={board} />
    </>
  )
}

function Head({ board }: { board: Board }) {
  const { t } = useTranslation()
  const asking = useBoard((state) => state.asking)
  const askNow = useBoard((state) => state.askNow)
  return (
    <div className={styles.head}>
      <h2 className={styles.title}>{t('board.title')}</h2>
      <p className="pb-soft">{t('board.watched', { count: board.watched })}</p>
      <p className={styles.when} role="status" data-testid="watch" data-state={board.watch.state}>
        <When watch={board.watch} />
      </p>
      <SteadyButton
        variant="default"
        busy={asking || board.watch.state === 'asking'}
        leftSection={<IconRefresh size={20} aria-hidden />}
        onClick={() => void askNow()}
      >
        {t('board.askNow')}
      </SteadyButton>
    </div>
  )
}

function When({ watch }: { watch: WatchStatus }) {
  const { t, i18n } = useTranslation()
  const moment = (iso: string | null) => (iso === null ? '—' : formatRecent(iso, i18n.language))
  if (watch.state === 'asking') return t('board.asking')
  if (watch.lastRoundAt === null) return t('board.waitingFirst', { next: moment(watch.nextRoundAt) })
  return t('board.waiting', { last: moment(watch.lastRoundAt), next: moment(watch.nextRoundAt) })
}

function WatchTrouble({ watch }: { watch: WatchStatus }) {
  const { t } = useTranslation()
  if (watch.state === 'waiting' && watch.error !== null) return <ErrorCallout error={watch.error} />
  if (watch.state !== 'offline' && watch.state !== 'no-account') return null
  return (
    <Callout tone="attention">
      <p>{watch.state === 'offline' ? t('board.offline') : t('board.noAccount')}</p>
      {watch.error === null ? null : <ErrorWords error={watch.error} />}
    </Callout>
  )
}
