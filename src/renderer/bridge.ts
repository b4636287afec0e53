import {
  hashKey,
  type InfiniteData,
  notifyManager,
  QueryClient,
  type QueryFilters,
  type QueryKey,
  type UseMutationOptions,
  type UseMutationResult,
  type UseQueryOptions,
  type UseQueryResult,
  useMutation,
  useQuery,
} from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import type { z } from 'zod'
import type { AppStatus } from '../shared/app'
import type { EventName, EventPayload, MethodName, MethodOutput, Methods } from '../shared/bridge'
import { type AppError, appError } from '../shared/errors'
import type { PeopleStatus } from '../shared/people'
import { type PrintJob, printJobStates } from '../shared/printing'
import { err, type Result } from '../shared/result'
import type { Settings } from '../shared/settings'
import type { ShipmentSummary } from '../shared/shipments'

declare module '@tanstack/react-query' {
  interface Register {
    /** Every cached answer comes from main, so every error is an `AppError`. */
    defaultError: AppError
  }
}

export type Input<Name extends MethodName> = z.input<Methods[Name]['input']>
type Calls = { [Name in MethodName]: (input: Input<Name>) => Promise<Result<MethodOutput<Name>, AppError>> }

/**
 * Awaits a call over the bridge. Main answers expected failures as values; if the call throws, that is a defect. It
 * is turned into an `internal` error so that the screen can report it and keep the operator's input.
 */
export async function toResult<T>(call: Promise<Result<T, AppError>>): Promise<Result<T, AppError>> {
  try {
    return await call
  } catch (reason) {
    return err(appError('internal', { reason: reason instanceof Error ? reason.message : String(reason) }))
  }
}

/** What a refused call needs and a person can supply: a signed-in operator, or the administrator's PIN. */
export type MissingPermission = 'operator' | 'pin'

const missingPermissions: Partial<Record<AppError['code'], MissingPermission>> = {
  'operator-required': 'operator',
  'pin-required': 'pin',
}

let promptForPermission: (missing: MissingPermission) => Promise<boolean> = () => Promise.resolve(false)

/**
 * Registers the function that asks a person for what a refused call needs. It resolves to false if the person
 * cancels.
 * @returns a function that restores the previous handler
 */
export function setPermissionPrompt(ask: (missing: MissingPermission) => Promise<boolean>): () => void {
  const before = promptForPermission
  promptForPermission = ask
  return () => {
    promptForPermission = before
  }
}

/**
 * Like `toResult`, but repeats a call that main refused for lack of an operator or PIN, once a person has supplied
 * it. Such a refusal comes before main does anything, so the repeat is safe.
 */
export async function withPermission<T>(
  call: () => Promise<Result<T, AppError>>,
): Promise<Result<T, AppError>> {
  const result = await toResult(call())
  const missing = result.ok ? undefined : missingPermissions[result.error.code]
  return missing !== undefined && (await promptForPermission(missing)) ? withPermission(call) : result
}

/** Calls a method of main. For stores; components use `useBridgeQuery` or `useBridgeMutation`. */
export function callMain<Name extends MethodName>(
  method: Name,
  input: Input<Name>,
): Promise<Result<MethodOutput<Name>, AppError>> {
  const calls: Calls = window.packbench
  return withPermission(() => calls[method](input))
}

/** Like `callMain`, for TanStack Query: an expected failure rejects, always with an `AppError`. */
export async function callMainOrThrow<Name extends MethodName>(
  method: Name,
  input: Input<Name>,
): Promise<MethodOutput<Name>> {
  const result = await callMain(method, input)
  return result.ok ? result.value : Promise.reject(result.error)
}

/** The cache key of a method's answer. Without an input it matches all answers of the method. */
export function queryKey<Name extends MethodName>(method: Name, ...input: [Input<Name>?]): QueryKey {
  return [method, ...input]
}

/**
 * The cache of main's answers. It never retries by itself: a failure is shown and the operator decides. Changes are
 * rendered in a microtask instead of after a timer, so that a button is disabled before it can be pressed a second
 * time.
 */
export function createQueryClient(): QueryClient {
  notifyManager.setScheduler(queueMicrotask)
  return new QueryClient({
    defaultOptions: {
      queries: {
        networkMode: 'always',
        retry: false,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
}

/**
 * The answer of a read-only method. It is fetched again when the component mounts and when an event reports a change.
 */
export function useBridgeQuery<Name extends MethodName, Data = MethodOutput<Name>>(
  method: Name,
  input: Input<Name>,
  options?: Omit<UseQueryOptions<MethodOutput<Name>, AppError, Data>, 'queryKey' | 'queryFn'>,
): UseQueryResult<Data, AppError> {
  return useQuery({
    queryKey: queryKey(method, input),
    queryFn: () => callMainOrThrow(method, input),
    ...options,
  })
}

type MutationOptions<Name extends MethodName> = Omit<
  UseMutationOptions<MethodOutput<Name>, AppError, Input<Name>>,
  'mutationKey' | 'mutationFn'
>

/** Without `mutateAsync`, which would send a second call while one is in flight. */
type BridgeMutation<Mutation> = Mutation extends unknown ? Omit<Mutation, 'mutateAsync'> : never

/**
 * A method that changes something. Each `mutate` sends one call; while a call is in flight, `mutate` does nothing.
 */
export function useBridgeMutation<Name extends MethodName>(
  method: Name,
  options?: MutationOptions<Name>,
): BridgeMutation<UseMutationResult<MethodOutput<Name>, AppError, Input<Name>>> {
  const isInFlight = useRef(false)
  const { mutateAsync: _unguarded, ...mutation } = useMutation({
    mutationKey: queryKey(method),
    mutationFn: (input: Input<Name>) => callMainOrThrow(method, input),
    ...options,
    onSettled: (...answer) => {
      isInFlight.current = false
      return options?.onSettled?.(...answer)
    },
  })
  const mutate: typeof mutation.mutate = (...args) => {
    if (isInFlight.current) return
    isInFlight.current = true
    mutation.mutate(...args)
  }
  return { ...mutation, mutate }
}

/** Subscribes to an event of main while the component is mounted. */
export function useBridgeEvent<Name extends EventName>(
  event: Name,
  listener: (payload: EventPayload<Name>) => void,
): void {
  const onEvent = useEffectEvent(listener)
  useEffect(() => window.packbench.on(event, (payload) => onEvent(payload)), [event])
}

/** The station's status. It never goes stale: an event reports each change. */
export function useStatusQuery<Data = AppStatus>(select?: (status: AppStatus) => Data) {
  return useBridgeQuery('getAppStatus', undefined, { select, staleTime: Number.POSITIVE_INFINITY })
}

/** The settings. They can't be read while the app has a start error; an event reports each change. */
export function useSettingsQuery<Data = Settings>(select?: (settings: Settings) => Data) {
  const enabled = useStatus((status) => status.startError === null) === true
  return useBridgeQuery('getSettings', undefined, { select, enabled, staleTime: Number.POSITIVE_INFINITY })
}

/** Who is signed in at the station; undefined until the first answer. */
export function usePeopleStatus(): PeopleStatus | undefined {
  const enabled = useStatus((status) => status.startError === null) === true
  return useBridgeQuery('getPeople', undefined, { enabled, staleTime: Number.POSITIVE_INFINITY }).data
}

/** The station's status; undefined until the first answer. */
export function useStatus<Data = AppStatus>(select?: (status: AppStatus) => Data): Data | undefined {
  return useStatusQuery(select).data
}

/** The settings; undefined until the first answer. */
export function useSettings<Data = Settings>(select?: (settings: Settings) => Data): Data | undefined {
  return useSettingsQuery(select).data
}

/**
 * Stores a newer status. When a start error is gone, the settings and people are fetched again: they may have
 * changed.
 */
export function applyStatus(client: QueryClient, status: AppStatus): void {
  const key = queryKey('getAppStatus', undefined)
  const before = client.getQueryData<AppStatus>(key)
  client.setQueryData(key, status)
  const isFixed = before !== undefined && before.startError !== null && status.startError === null
  if (isFixed) {
    void client.invalidateQueries({ queryKey: queryKey('getSettings') })
    void client.invalidateQueries({ queryKey: queryKey('getPeople') })
  }
}

type ShipmentPage = MethodOutput<'searchShipments'>
/** How `searchShipments` is cached: as pages where more can be shown, else as the answer itself. */
type ShipmentList = ShipmentPage | InfiniteData<ShipmentPage>

/** Shortest time between two fetches of the same answer after events, in milliseconds. */
const minRefetchIntervalMs = 250

/** Longer intervals of answers for which main reads much. */
const longRefetchIntervalsMs: Partial<Record<MethodName, number>> = { getShippingReport: 5000 }

/**
 * Keeps the cache in step with main's events. An event that carries the new value updates the cached answers; any
 * other event makes the answers it affects be fetched again.
 * @returns stops it
 */
export function syncCacheWithMain(client: QueryClient): () => void {
  const { on } = window.packbench
  /** Answers fetched within the last interval, and whether they became outdated since. */
  const recentFetches = new Map<string, { isOutdated: boolean; timer: ReturnType<typeof setTimeout> }>()
  /** Answers that are being fetched because of an event. */
  const startedFetches = new Set<string>()
  /**
   * Fetches the answers that are on the screen. An answer in flight may be older than the change, so it is cancelled, unless
   * an event started it, it adds a page, or it takes main long: main would work on both, and an answer that takes long would
   * never arrive if each event cancelled it. Such an answer is awaited and then fetched again, as is one whose place a page
   * took. While much changes, as in a batch, each answer is fetched only a few times a second.
   */
  function refetch<Name extends MethodName>(method: Name, ...input: [Input<Name>?]): void {
    const filter = { queryKey: queryKey(method, ...input) }
    const key = hashKey(filter.queryKey)
    const recentFetch = recentFetches.get(key)
    if (recentFetch !== undefined) {
      recentFetch.isOutdated = true
      return
    }
    const timer = setTimeout(() => {
      const { isOutdated = false } = recentFetches.get(key) ?? {}
      recentFetches.delete(key)
      if (isOutdated) refetch(method, ...input)
    }, longRefetchIntervalsMs[method] ?? minRefetchIntervalMs)
    const isSlow = longRefetchIntervalsMs[method] !== undefined && client.isFetching(filter) > 0
    const isAwaited = isSlow || startedFetches.has(key) || isPageAsked({ ...filter, fetchStatus: 'fetching' })
    recentFetches.set(key, { isOutdated: isAwaited, timer })
    if (isAwaited) return
    startedFetches.add(key)
    void client
      .cancelQueries(filter)
      .then(() => client.invalidateQueries(filter))
      .finally(() => {
        startedFetches.delete(key)
        if (isPageAsked({ ...filter, type: 'active' })) refetch(method, ...input)
      })
  }
  /** Whether the last fetch of any of these answers adds a page to it. */
  function isPageAsked(filter: QueryFilters): boolean {
    const queries = client.getQueryCache().findAll(filter)
    return queries.some(({ state }) => state.fetchMeta?.fetchMore !== undefined)
  }
  /** An answer in flight may be older than the one just stored and would overwrite it. */
  function refetchIfInFlight<Name extends MethodName>(method: Name, ...input: [Input<Name>?]): void {
    if (client.isFetching({ queryKey: queryKey(method, ...input) }) > 0) refetch(method, ...input)
  }
  function take<Name extends MethodName>(method: Name, answer: MethodOutput<Name>): void {
    client.setQueryData(queryKey(method, undefined), answer)
    refetchIfInFlight(method)
  }
  function updateAnswers<Name extends MethodName>(
    method: Name,
    update: (answer: MethodOutput<Name>) => MethodOutput<Name>,
    ...input: [Input<Name>?]
  ): void {
    const filter = { queryKey: queryKey(method, ...input) }
    client.setQueriesData<MethodOutput<Name>>(filter, (answer) => answer && update(answer))
    refetchIfInFlight(method, ...input)
  }
  /**
   * Updates a shipment in the cached lists. It keeps its place until the list is fetched again, even if it no longer
   * matches the list's filter.
   * @returns whether a list on the screen contains it
   */
  function updateListedShipment(id: string, update: (shipment: ShipmentSummary) => ShipmentSummary): boolean {
    const filter = { queryKey: queryKey('searchShipments') }
    const isIn = (list: ShipmentList | undefined) =>
      list !== undefined &&
      ('pages' in list ? list.pages : [list]).some(({ shipments }) =>
        shipments.some((each) => each.id === id),
      )
    const updatePage = (page: ShipmentPage) => ({
      ...page,
      // An event of this station does not carry the station's name, so the list's value is kept.
      shipments: page.shipments.map((each) =>
        each.id === id ? { ...update(each), ...(each.station && { station: each.station }) } : each,
      ),
    })
    client.setQueriesData<ShipmentList>(filter, (list) => {
      if (list === undefined || !isIn(list)) return list
      return 'pages' in list ? { ...list, pages: list.pages.map(updatePage) } : updatePage(list)
    })
    refetchIfInFlight('searchShipments')
    return client.getQueriesData<ShipmentList>({ ...filter, type: 'active' }).some(([, list]) => isIn(list))
  }
  const stops = [
    on('appStatusChanged', (status) => {
      applyStatus(client, status)
      refetchIfInFlight('getAppStatus')
      // A printed label takes up a place on its sheet.
      refetch('getSheetPlace')
      // The reason why an update was postponed may be gone.
      refetch('getUpdateStatus')
    }),
    on('updateStatusChanged', (status) => take('getUpdateStatus', status)),
    on('settingsChanged', (settings) => {
      take('getSettings', settings)
      // A test verdict is valid only for the printer settings it was given for.
      refetch('listTestVerdicts')
      refetch('getNetwork')
    }),
    on('fleetChanged', () => refetch('getFleet')),
    on('fleetShipmentsChanged', () => {
      refetch('searchShipments')
      refetch('getShipment')
      refetch('getShippingReport')
    }),
    on('peopleChanged', (people) => take('getPeople', people)),
    on('printJobChanged', (job) => {
      updateAnswers('listQueue', (jobs) => withJobs(jobs, [job]))
      updateAnswers('getShipment', (shipment) => withOwnJobs(shipment, [job]), { shipmentId: job.shipmentId })
      const isListed = updateListedShipment(job.shipmentId, (shipment) => withOwnJobs(shipment, [job]))
      // Its shipment now belongs to those that need attention.
      if (!isListed && printJobStates.forPerson.includes(job.state)) refetch('searchShipments')
    }),
    on('shipmentChanged', (shipment) => {
      refetch('getShipment', { shipmentId: shipment.id })
      if (!updateListedShipment(shipment.id, () => shipment)) refetch('searchShipments')
      refetch('listQueue')
      refetch('getShippingReport')
      // The service states carrier limits in its answer to a creation.
      if (shipment.state === 'created') refetch('getCarrierLimits')
    }),
    on('ordersChanged', (counts) => {
      take('countOrders', counts)
      refetch('listOrders')
      refetch('listOrderFilters')
      refetch('getOrder')
      // The orders with unsaved changes that hold a batch.
      refetch('listBatchItems')
    }),
    on('manifestChanged', (manifest) => {
      updateAnswers('listManifests', (list) =>
        list.map((each) => (each.id === manifest.id ? manifest : each)),
      )
      const input = { manifestId: manifest.id }
      const { hasUnsentLines } = manifest
      updateAnswers('getManifest', (page) => ({ ...page, hasUnsentLines }), input)
      const page = client.getQueryData<MethodOutput<'getManifest'>>(queryKey('getManifest', input))
      // If the window was loaded during a submission, no answer reports its outcome.
      const submissions = [...(page?.uploads ?? []), ...(page?.preAlerts ?? [])]
      if (submissions.some(({ state }) => state === 'sending')) refetch('getManifest', input)
      else refetchIfInFlight('getManifest', input)
    }),
    on('manifestLinesChecked', ({ manifestId, summary }) => {
      updateAnswers('getManifest', (page) => ({ ...page, lines: summary.lines, summary }), { manifestId })
      refetch('listManifestIssues')
      refetch('listCancelledParcels')
    }),
    on('orderFileIssuesChanged', () => refetch('listOrderFileIssues')),
    on('batchChanged', (batch) => {
      take('getBatch', batch)
      refetch('listBatchItems')
      refetch('listBatchEnds')
    }),
    on('watchedParcelsChanged', (watch) => {
      updateAnswers('getTrackingBoard', (board) => ({ ...board, watch }))
      if (watch.state === 'asking') return
      refetch('getTrackingBoard')
      refetch('listWatchedParcels')
    }),
  ]
  return () => {
    for (const stop of stops) stop()
    for (const { timer } of recentFetches.values()) clearTimeout(timer)
  }
}

/**
 * Calls a listener with the answer of a method without input, now and each time the cached answer changes. For
 * stores.
 */
export function subscribeToAnswer<Name extends MethodName>(
  client: QueryClient,
  method: Name,
  take: (answer: MethodOutput<Name>) => void,
): () => void {
  const key: QueryKey = [method, undefined]
  let taken: MethodOutput<Name> | undefined
  const readAnswer = () => {
    const answer = client.getQueryData<MethodOutput<Name>>(key)
    if (answer === undefined || answer === taken) return
    taken = answer
    take(answer)
  }
  readAnswer()
  return client.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] === method) readAnswer()
  })
}

/** Merges newer states of jobs into a list; jobs that the list lacks are appended. */
export function withJobs(jobs: readonly PrintJob[], changed: readonly PrintJob[]): PrintJob[] {
  const merged = new Map(jobs.map((job) => [job.id, job]))
  for (const job of changed) {
    const known = merged.get(job.id)
    if (known === undefined || known.updatedAt <= job.updatedAt) merged.set(job.id, job)
  }
  return [...merged.values()]
}

/** A shipment with the newer states of its print jobs. Returns the same object if none of the jobs belongs to it. */
export function withOwnJobs<Shipment extends { id: string; jobs: PrintJob[] }>(
  shipment: Shipment,
  changed: readonly PrintJob[],
): Shipment {
  const own = changed.filter((job) => job.shipmentId === shipment.id)
  return own.length === 0 ? shipment : { ...shipment, jobs: withJobs(shipment.jobs, own) }
}
