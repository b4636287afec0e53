import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useMemo, useState } from 'react'
import type { MethodOutput } from '../../../shared/bridge'
import type { AppError } from '../../../shared/errors'
import { type HistoryFilter, historyPlaceSchema } from '../../../shared/history'
import type { ShipmentSummary } from '../../../shared/shipments'
import { askMain, queryKey } from '../../bridge'
import { useNavigation } from '../../ui/navigation'
import { countFilters, toDays } from './filters'

const pageSize = 100
const searchDelayMs = 180

/** The shipments that answer to the search and the filters, newest first, and the selection among them. */
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
      askMain('searchShipments', {
        ...search,
        limit: pageSize,
        before: historyPlaceSchema.nullable().parse(pageParam),
      }),
    initialPageParam: null,
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
  })
  const isFiltered = countFilters(history) > 0
  const { data, isPlaceholderData, dataUpdatedAt, refetch } = query
  const rows = useMemo(() => {
    // A shipment that is new since a page was loaded moves the others on to the next one.
    const all = data?.pages.flatMap(({ shipments }) => shipments) ?? []
    return [...new Map(all.map((shipment) => [shipment.id, shipment])).values()]
  }, [data])
  const select = (id: string | null) => setHistory({ selectedId: id })

  /** The details always belong to the list: one hit is opened, and what is not in the list is closed. */
  const selectAmong = useEffectEvent((asked: string, rows: readonly ShipmentSummary[]) => {
    if (asked !== typed) return
    const listed = rows.some(({ id }) => id === selectedId)
    // Without a search the list holds every shipment, though not all of them are loaded.
    const isFurther = asked === '' && !onlyNeedingAttention && !isFiltered && query.hasNextPage
    if (listed || (selectedId !== null && isFurther)) return
    select(asked === '' ? null : (findMeant(asked, rows)?.id ?? null))
  })
  useEffect(() => {
    // Once for each answer, also when it is the same as before.
    if (dataUpdatedAt > 0 && !isPlaceholderData) selectAmong(asked, rows)
  }, [dataUpdatedAt, isPlaceholderData, asked, rows])

  return {
    text,
    onlyNeedingAttention,
    isFiltered,
    stations: history.stations,
    fleetError: data?.pages[0]?.fleetError ?? null,
    selectedId,
    rows,
    total: data?.pages[0]?.total ?? 0,
    isLoaded: data !== undefined,
    isFetching: query.isFetchingNextPage,
    error: query.error,
    hasMore: query.hasNextPage,
    /** Loads the next page, unless it is under way. */
    showMore() {
      if (query.hasNextPage && !query.isFetchingNextPage) void query.fetchNextPage()
    },
    select,
    /** Types into the search: closes what is open, and searches when the typing pauses. */
    setText(next: string) {
      // What is open now belongs to the search of before: nothing of it may be printed by mistake.
      setHistory(next.trim() === text.trim() ? { text: next } : { text: next, selectedId: null })
    },
    /** Searches at once, as a scanner's Enter asks for. */
    searchNow() {
      if (asked === typed) void refetch()
      setEntered(typed)
    },
    setStations: (stations: HistoryFilter['stations']) => setHistory({ stations }),
    setOnlyNeedingAttention: (only: boolean) => setHistory({ onlyNeedingAttention: only }),
    /** Selects the row so many places below (above: negative) the selected one. */
    move(places: number) {
      const at = rows.findIndex(({ id }) => id === selectedId)
      const next = at < 0 ? 0 : Math.min(rows.length - 1, Math.max(0, at + places))
      const row = rows[next]
      if (row) select(row.id)
    },
  }
}

/** What `useShipmentList` gives. */
export type ShipmentListView = ReturnType<typeof useShipmentList>

/** The one shipment that a search means: the only hit, or the only one with exactly that reference or barcode. */
function findMeant(text: string, shipments: readonly ShipmentSummary[]): ShipmentSummary | undefined {
  const wanted = text.toLowerCase()
  const exact = shipments.filter(({ reference, barcodes }) =>
    [reference, ...barcodes].some((code) => code.toLowerCase() === wanted),
  )
  const [only, ...others] = exact.length > 0 ? exact : shipments
  return others.length === 0 ? only : undefined
}
