import { Box, Group, Stack } from '@mantine/core'
import { IconAlertTriangle, IconCircleCheck, IconRefresh } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Board, ParcelAlert, ParcelState, WatchStatus } from '../../../shared/tracking'
import { useBridgeMutation, useBridgeQuery, useSettings } from '../../bridge'
import { formatNumber, formatRecent } from '../../i18n/format'
import { BusyButton } from '../../ui/BusyButton'
import { Callout, ErrorCallout, ErrorWords } from '../../ui/Callout'
import { useNavigation } from '../../ui/navigation'
import styles from './board.module.css'
import { DayChart } from './DayChart'
import { ParcelList } from './ParcelList'
import { stateClass, stateOrder } from './parcelStates'

/** All parcels of the station that are under way; those that need attention come first. */
export function BoardPanel() {
  const { data: board, error } = useBridgeQuery('getTrackingBoard', undefined)
  const { mutate, isPending, error: askError } = useBridgeMutation('askWatchedParcels')
  const shownError = askError ?? error
  return (
    <Stack gap={14} maw={1500} pb={16}>
      <ErrorCallout error={shownError} />
      {board === undefined ? null : (
        <>
          <Head board={board} asking={isPending} onAsk={() => mutate(undefined)} />
          <WatchError watch={board.watch} />
          <AlertTiles board={board} />
          <div className={styles.overview}>
            <StateTiles board={board} />
            <DayChart board={board} />
          </div>
          <ParcelList isEmpty={board.states.every(({ count }) => count === 0)} />
        </>
      )}
    </Stack>
  )
}

function Head({ board, asking, onAsk }: { board: Board; asking: boolean; onAsk: () => void }) {
  const { t } = useTranslation()
  return (
    <Group gap="6px 16px">
      <Box component="h2" fz={20} fw={650}>
        {t('board.title')}
      </Box>
      <p className="pb-soft">{t('board.watched', { count: board.watched })}</p>
      <Box
        component="p"
        ml="auto"
        c="dimmed"
        role="status"
        data-testid="watch"
        data-state={board.watch.state}
      >
        <When watch={board.watch} />
      </Box>
      <BusyButton
        variant="default"
        busy={asking || board.watch.state === 'asking'}
        leftSection={<IconRefresh size={20} aria-hidden />}
        onClick={onAsk}
      >
        {t('board.askNow')}
      </BusyButton>
    </Group>
  )
}

function When({ watch }: { watch: WatchStatus }) {
  const { t, i18n } = useTranslation()
  const moment = (iso: string | null) => (iso === null ? '—' : formatRecent(iso, i18n.language))
  if (watch.state === 'asking') return t('board.asking')
  if (watch.lastRoundAt === null) return t('board.waitingFirst', { next: moment(watch.nextRoundAt) })
  return t('board.waiting', { last: moment(watch.lastRoundAt), next: moment(watch.nextRoundAt) })
}

function WatchError({ watch }: { watch: WatchStatus }) {
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

/** Parcels that need attention, by kind; a click opens their list. */
function AlertTiles({ board }: { board: Board }) {
  const { t, i18n } = useTranslation()
  const { boardFilter, setBoardFilter } = useNavigation((state) => state)
  const { notFoundAfterHours = 0, silentAfterDays = 0 } = useSettings()?.tracking ?? {}
  const words = (alert: ParcelAlert) =>
    t(`board.alert.${alert}`, {
      hours: formatNumber(notFoundAfterHours, i18n.language),
      days: formatNumber(silentAfterDays, i18n.language),
      count: silentAfterDays,
    })
  return (
    <section aria-label={t('board.alerts')} className={styles.alerts}>
      {board.alerts.map(({ alert, count }) => (
        <button
          key={alert}
          type="button"
          className={styles.alert}
          data-alert={alert}
          data-some={count > 0}
          aria-pressed={boardFilter?.by === 'alert' && boardFilter.alert === alert}
          onClick={() => setBoardFilter({ by: 'alert', alert })}
        >
          {count > 0 ? (
            <IconAlertTriangle size={24} aria-hidden />
          ) : (
            <IconCircleCheck size={24} aria-hidden />
          )}
          <strong className={styles.number}>{count}</strong>
          {words(alert)}
        </button>
      ))}
    </section>
  )
}

/** Number of parcels by state; a click opens their list. The colours are those of the chart. */
function StateTiles({ board }: { board: Board }) {
  const { t } = useTranslation()
  const { boardFilter, setBoardFilter } = useNavigation((state) => state)
  const getCount = (state: ParcelState) => board.states.find((each) => each.state === state)?.count ?? 0
  return (
    <section aria-label={t('board.states')} className={styles.states}>
      {stateOrder.map((state) => (
        <button
          key={state}
          type="button"
          className={styles.state}
          data-parcel-state={state}
          aria-pressed={boardFilter?.by === 'state' && boardFilter.state === state}
          onClick={() => setBoardFilter({ by: 'state', state })}
        >
          <span className={`${styles.swatch} ${stateClass[state]}`} aria-hidden />
          <strong className={styles.number}>{getCount(state)}</strong>
          <span>{t(`board.state.${state}`)}</span>
        </button>
      ))}
    </section>
  )
}
