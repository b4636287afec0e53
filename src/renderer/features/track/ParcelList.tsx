import { Box, Button, Flex, Group } from '@mantine/core'
import { IconCircleCheck, IconPackages, IconRoute } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { MethodOutput } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import type { WatchedParcel } from '../../../shared/tracking'
import { callMainOrThrow, queryKey } from '../../bridge'
import { formatMoment, formatWritten } from '../../i18n/format'
import { Badge } from '../../ui/Badge'
import { ErrorCallout } from '../../ui/Callout'
import { type BoardFilter, useNavigation } from '../../ui/navigation'
import { Empty } from '../../ui/Panel'
import { warningLook } from '../../ui/tone'
import styles from './board.module.css'
import { ParcelActionErrors, ParcelActions } from './ParcelActions'
import { stateClass } from './parcelStates'

const pageSize = 50

/** The parcels of a list, newest first, page by page. */
function useParcels(only: BoardFilter) {
  const query = useInfiniteQuery<MethodOutput<'listWatchedParcels'>, AppError>({
    queryKey: queryKey('listWatchedParcels', { only, limit: pageSize, offset: 0 }),
    queryFn: ({ pageParam }) =>
      callMainOrThrow('listWatchedParcels', { only, limit: pageSize, offset: Number(pageParam) }),
    initialPageParam: 0,
    getNextPageParam: ({ total }, pages) =>
      pages.length * pageSize < total ? pages.length * pageSize : undefined,
  })
  // A parcel added after a page was loaded shifts the last row of that page to the next one, where it would appear
  // again.
  const all = query.data?.pages.flatMap(({ parcels }) => parcels) ?? []
  const parcels = [...new Map(all.map((parcel) => [parcel.code, parcel])).values()]
  return { ...query, parcels, total: query.data?.pages[0]?.total }
}

/**
 * The parcels of the selected list, newest first.
 * @param isEmpty whether the board has no parcels at all
 */
export function ParcelList({ isEmpty }: { isEmpty: boolean }) {
  const { t } = useTranslation()
  const { boardFilter, setBoardFilter } = useNavigation((state) => state)
  const { parcels, total, error, hasNextPage, fetchNextPage } = useParcels(boardFilter)
  const title = useTitle(boardFilter)
  return (
    <Flex component="section" direction="column" gap={10} aria-label={t('board.list')}>
      <Group gap="6px 14px">
        <Box component="h3" fz={18} fw={650}>
          {title}
        </Box>
        <p className="pb-soft" role="status">
          {total === undefined ? '' : t('board.listCount', { count: total })}
        </p>
        <Flex component="span" wrap="wrap" gap={8} ml="auto">
          <Button
            variant={boardFilter?.by === 'any-alert' ? 'filled' : 'default'}
            aria-pressed={boardFilter?.by === 'any-alert'}
            onClick={() => setBoardFilter({ by: 'any-alert' })}
          >
            {t('board.anyAlert')}
          </Button>
          <Button
            variant={boardFilter === null ? 'filled' : 'default'}
            aria-pressed={boardFilter === null}
            onClick={() => setBoardFilter(null)}
          >
            {t('board.allParcels')}
          </Button>
        </Flex>
      </Group>
      <ParcelActionErrors shipmentIds={parcels.map(({ shipment }) => shipment.id)} />
      <ErrorCallout error={error} />
      {total === 0 ? <NoParcels only={boardFilter} isEmpty={isEmpty} /> : <Parcels parcels={parcels} />}
      {hasNextPage ? (
        <Button variant="default" onClick={() => void fetchNextPage()}>
          {t('board.showMore')}
        </Button>
      ) : null}
    </Flex>
  )
}

function useTitle(only: BoardFilter): string {
  const { t } = useTranslation()
  if (only === null) return t('board.allParcels')
  if (only.by === 'any-alert') return t('board.anyAlert')
  return only.by === 'state' ? t(`board.state.${only.state}`) : t(`board.alertShort.${only.alert}`)
}

function NoParcels({ only, isEmpty }: { only: BoardFilter; isEmpty: boolean }) {
  const { t } = useTranslation()
  if (only?.by === 'any-alert' && !isEmpty) {
    const icon = <IconCircleCheck size={56} stroke={1.3} aria-hidden />
    return <Empty icon={icon} title={t('board.noAlert')} hint={t('board.noAlertHint')} />
  }
  const icon = <IconPackages size={56} stroke={1.3} aria-hidden />
  return <Empty icon={icon} title={t('board.noParcels')} hint={t('board.noParcelsHint')} />
}

function Parcels({ parcels }: { parcels: readonly WatchedParcel[] }) {
  return (
    <Box component="ul" bg="var(--pb-surface)" bd="1px solid var(--pb-line)" bdrs={8}>
      {parcels.map((parcel) => (
        <Parcel key={parcel.code} parcel={parcel} />
      ))}
    </Box>
  )
}

interface ParcelProps {
  parcel: WatchedParcel
}

/** Memoised on the visible data: hundreds of parcels are on the screen, and most do not change in a round. */
const Parcel = memo(ParcelLine, (before, after) => getVisibleParts(before) === getVisibleParts(after))

function getVisibleParts({ parcel: { askedAt: _unseen, ...seen } }: ParcelProps): string {
  return JSON.stringify(seen)
}

function ParcelLine({ parcel }: ParcelProps) {
  const { t, i18n } = useTranslation()
  const lookUp = useNavigation((state) => state.lookUp)
  const { lastStatus: last, shipment } = parcel
  return (
    <li
      className={styles.parcel}
      data-testid="parcel"
      data-code={parcel.code}
      data-parcel-state={parcel.state}
    >
      <span className={styles.parcelWho}>
        <strong>{shipment.reference}</strong>
        <button type="button" className={styles.codeLink} onClick={() => lookUp(parcel.code)}>
          <IconRoute size={18} aria-hidden />
          {parcel.code}
        </button>
        <span className="pb-soft">
          {[parcel.consignee, parcel.city, parcel.country].filter(Boolean).join(', ')}
        </span>
      </span>
      <span className={styles.parcelState}>
        <Flex component="span" wrap="wrap" align="center" gap={8} fw={600}>
          <span className={`${styles.swatch} ${stateClass[parcel.state]}`} aria-hidden />
          {t(`board.state.${parcel.state}`)}
          {parcel.alert === null ? null : (
            <Badge look={warningLook} text={t(`board.alertShort.${parcel.alert}`)} />
          )}
        </Flex>
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
