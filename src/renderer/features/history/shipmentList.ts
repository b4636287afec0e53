import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import type { MethodOutput } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import { type HistoryFilter, historyCursorSchema } from '../../../shared/history'
import { getReferences, type ShipmentSummary } from '../../../shared/shipments'
import { callMainOrThrow, queryKey } from '../../bridge'
import { useNavigation } from '../../ui/navigation'
import { countFilters, toDays } from './filters'

const pageSize = 100
const searchDelayMs = 180

/** The shipments that match the search and the filters, newest first, and the selected one. */
export function useShipmentList() {
  const history = useNavigation((state) => state.history)
  const setHistory = useNavigation((state) => state.setHistory)
  const { text, onlyNeedingAttention, selectedId, period, ...filter } = history
  const typed = text.trim().slice(0, 200)
  const [typedBefore] = useDebouncedValue(typed, searchDelayMs)
  const [entered, setEntered] = useState(typed)
  const asked = entered === typed ? typed : typedBefore
  const search = { text: asked, onlyNeedingAttention, ...filter, ...toDays(period, new Date()) }
  const query = useInfiniteQuery<MethodOutput<'searchShipments'>, AppError>({
    queryKey: queryKey('searchShipments', { ...search, limit: pageSize }),
    queryFn: ({ pageParam }) =>
      callMainOrThrow('searchShipments', {
        ...search,
        limit: pageSize,
        before: historyCursorSchema.nullable().parse(pageParam),
      }),
    initialPageParam: null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const isFiltered = countFilters(history) > 0
  const { data, isPlaceholderData, isFetching, dataUpdatedAt, refetch } = query
  const rows = useMemo(() => {
    // A shipment added after a page was loaded shifts the last row of that page to the next one, where it would
    // appear again.
    const all = data?.pages.flatMap(({ shipments }) => shipments) ?? []
    return [...new Map(all.map((shipment) => [shipment.id, shipment])).values()]
  }, [data])
  const fleetError = data?.pages.find((page) => page.fleetError !== null)?.fleetError ?? null
  const select = (id: string | null) => setHistory({ selectedId: id })

  /**
   * Keeps the details in step with the list: opens a single hit, closes a shipment that the list does not contain.
   */
  const syncSelection = useEffectEvent((asked: string, rows: readonly ShipmentSummary[]) => {
    if (asked !== typed) return
    const listed = rows.some(({ id }) => id === selectedId)
    // Without search and filters the list contains every shipment, even if its page is not loaded yet.
    const mayBeOnLaterPage = asked === '' && !onlyNeedingAttention && !isFiltered && query.hasNextPage
    if (listed || (selectedId !== null && mayBeOnLaterPage)) return
    select(asked === '' ? null : (findUnambiguous(asked, rows)?.id ?? null))
  })
  useEffect(() => {
    // Runs once per answer, even if the answer is unchanged. While a new one is fetched, the stored one may lack the
    // shipment that another screen asked for.
    if (dataUpdatedAt > 0 && !isPlaceholderData && !isFetching) syncSelection(asked, rows)
  }, [dataUpdatedAt, isPlaceholderData, isFetching, asked, rows])

  return {
    text,
    onlyNeedingAttention,
    isFiltered,
    stations: history.stations,
    fleetError,
    /** The database went away between two pages, which ends a list that has shipments of other stations. */
    isFleetListCut: fleetError !== null && data?.pages[0]?.fleetError === null,
    selectedId,
    rows,
    total: data?.pages[0]?.total ?? 0,
    isLoaded: data !== undefined,
    isFetching: query.isFetchingNextPage,
    error: query.error,
    hasMore: query.hasNextPage,
    /** Loads the next page unless it is being loaded. */
    showMore() {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage()
    },
    select,
    /** Changes the search text: closes the open shipment, and searches when the typing pauses. */
    setText(next: string) {
      // The open shipment belongs to the previous search and must not be reprinted by mistake.
      setHistory(next.trim() === text.trim() ? { text: next } : { text: next, selectedId: null })
    },
    /** Searches at once, on a scanner's Enter. */
    searchNow() {
      if (asked === typed) void refetch()
      setEntered(typed)
    },
    setStations: (stations: HistoryFilter['stations']) => setHistory({ stations }),
    setOnlyNeedingAttention: (only: boolean) => setHistory({ onlyNeedingAttention: only }),
    /** Moves the selection down by a number of rows (negative: up). */
    move(places: number) {
      const at = rows.findIndex(({ id }) => id === selectedId)
      const next = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + places))
      const row = rows[next]
      if (row) select(row.id)
    },
  }
}

export type ShipmentListView = ReturnType<typeof useShipmentList>

/**
 * The only shipment that a search can refer to: the single hit, or the single exact match of a reference or barcode.
 */
function findUnambiguous(text: string, shipments: readonly ShipmentSummary[]): ShipmentSummary | undefined {
  const wanted = text.toLowerCase()
  const exact = shipments.filter((shipment) =>
    [...getReferences(shipment), ...shipment.barcodes].some((code) => code.toLowerCase() === wanted),
  )
  const [only, ...others] = exact.length > 0 ? exact : shipments
  return others.length === 0 ? only : undefined
}
