import {
  hashKey,
  type InfiniteData,
  notifyManager,
  QueryClient,
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
import type { PrintJob } from '../shared/printing'
import { err, type Result } from '../shared/result'
import type { Settings } from '../shared/settings'
import type { ShipmentSummary } from '../shared/shipments'

declare module '@tanstack/react-query' {
  interface Register {
    /** All that is cached comes from main. */
    defaultError: AppError
  }
}

export type Input<Name extends MethodName> = z.input<Methods[Name]['input']>
type Calls = { [Name in MethodName]: (input: Input<Name>) => Promise<Result<MethodOutput<Name>, AppError>> }

/**
 * Waits for a call over the bridge. A call that throws is a bug on the other side, and becomes an `internal` error so
 * that the screen can say so and keep what was typed.
 */
export async function toResult<T>(call: Promise<Result<T, AppError>>): Promise<Result<T, AppError>> {
  try {
    return await call
  } catch (reason) {
    return err(appError('internal', { reason: reason instanceof Error ? reason.message : String(reason) }))
  }
}

/** What a call may lack that a person can give: an operator who is signed in, the administrator's PIN. */
export type Lacking = 'operator' | 'pin'

const lackings: Partial<Record<AppError['code'], Lacking>> = {
  'operator-required': 'operator',
  'pin-required': 'pin',
}

let askForLacking: (lacking: Lacking) => Promise<boolean> = () => Promise.resolve(false)

/**
 * Names who asks a person for what a call lacks; false when the person does not give it.
 * @returns takes it back
 */
export function answerLacking(ask: (lacking: Lacking) => Promise<boolean>): () => void {
  const before = askForLacking
  askForLacking = ask
  return () => {
    askForLacking = before
  }
}

/** As `toResult`; a call that main refused because something lacks is sent once more when a person has given it. */
export async function withPermission<T>(
  call: () => Promise<Result<T, AppError>>,
): Promise<Result<T, AppError>> {
  const result = await toResult(call())
  const lacking = result.ok ? undefined : lackings[result.error.code]
  return lacking !== undefined && (await askForLacking(lacking)) ? withPermission(call) : result
}

/** Calls a method of main; for a store. A component asks with `useBridgeQuery` or `useBridgeMutation`. */
export function callMain<Name extends MethodName>(
  method: Name,
  input: Input<Name>,
): Promise<Result<MethodOutput<Name>, AppError>> {
  const calls: Calls = window.packbench
  return withPermission(() => calls[method](input))
}

/** As `callMain` for a query of its own: an expected failure rejects, always with an `AppError`. */
export async function askMain<Name extends MethodName>(
  method: Name,
  input: Input<Name>,
): Promise<MethodOutput<Name>> {
  const result = await callMain(method, input)
  return result.ok ? result.value : Promise.reject(result.error)
}

/** Under which the answer of a method is cached; without an input, all of its answers. */
export function queryKey<Name extends MethodName>(method: Name, ...input: [Input<Name>?]): QueryKey {
  return [method, ...input]
}

/**
 * Makes the cache of what main answered. Nothing is asked twice by itself: a failure is shown, the operator decides.
 * What it tells of is drawn at once and not a timer later, so that a button is off before it can be pressed again.
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

/** What a method that only reads answers; asked again when the component comes up and when an event says so. */
export function useBridgeQuery<Name extends MethodName, Data = MethodOutput<Name>>(
  method: Name,
  input: Input<Name>,
  options?: Omit<UseQueryOptions<MethodOutput<Name>, AppError, Data>, 'queryKey' | 'queryFn'>,
): UseQueryResult<Data, AppError> {
  return useQuery({
    queryKey: queryKey(method, input),
    queryFn: () => askMain(method, input),
    ...options,
  })
}

type MutationOptions<Name extends MethodName> = Omit<
  UseMutationOptions<MethodOutput<Name>, AppError, Input<Name>>,
  'mutationKey' | 'mutationFn'
>

/** A method that changes something: sent once for each `mutate`, and not at all while the one before is under way. */
export function useBridgeMutation<Name extends MethodName>(
  method: Name,
  options?: MutationOptions<Name>,
): UseMutationResult<MethodOutput<Name>, AppError, Input<Name>> {
  const underWay = useRef(false)
  const mutation = useMutation({
    mutationKey: queryKey(method),
    mutationFn: (input: Input<Name>) => askMain(method, input),
    ...options,
    onSettled: (...answer) => {
      underWay.current = false
      return options?.onSettled?.(...answer)
    },
  })
  const mutate: typeof mutation.mutate = (...given) => {
    if (underWay.current) return
    underWay.current = true
    mutation.mutate(...given)
  }
  return { ...mutation, mutate }
}

/** Listens to what main tells by itself as long as the component is there. */
export function useBridgeEvent<Name extends EventName>(
  event: Name,
  listener: (payload: EventPayload<Name>) => void,
): void {
  const onEvent = useEffectEvent(listener)
  useEffect(() => window.packbench.on(event, (payload) => onEvent(payload)), [event])
}

/** The answer about the station's status; each change of it comes by an event. */
export function useStatusQuery<Data = AppStatus>(select?: (status: AppStatus) => Data) {
  return useBridgeQuery('getAppStatus', undefined, { select, staleTime: Number.POSITIVE_INFINITY })
}

/** The answer about the settings, which can't be read as long as the app has a start error; each change comes by an event. */
export function useSettingsQuery<Data = Settings>(select?: (settings: Settings) => Data) {
  const enabled = useStatus((status) => status.startError === null) === true
  return useBridgeQuery('getSettings', undefined, { select, enabled, staleTime: Number.POSITIVE_INFINITY })
}

/** Who is at the station; undefined until it was heard the first time. */
export function usePeopleStatus(): PeopleStatus | undefined {
  const enabled = useStatus((status) => status.startError === null) === true
  return useBridgeQuery('getPeople', undefined, { enabled, staleTime: Number.POSITIVE_INFINITY }).data
}

/** The station's status; undefined until it was heard the first time. */
export function useStatus<Data = AppStatus>(select?: (status: AppStatus) => Data): Data | undefined {
  return useStatusQuery(select).data
}

/** The settings; undefined until they were read. */
export function useSettings<Data = Settings>(select?: (settings: Settings) => Data): Data | undefined {
  return useSettingsQuery(select).data
}

/** Takes a newer status; once the app works again, its settings may be others. */
export function takeStatus(client: QueryClient, status: AppStatus): void {
  const key = queryKey('getAppStatus', undefined)
  const before = client.getQueryData<AppStatus>(key)
  client.setQueryData(key, status)
  const isFixed = before !== undefined && before.startError !== null && status.startError === null
  if (isFixed) {
    void client.invalidateQueries({ queryKey: queryKey('getSettings') })
    void client.invalidateQueries({ queryKey: queryKey('getPeople') })
  }
}

/** What main reports as changed is asked for again at most so often, in milliseconds. */
const betweenAnswersMs = 250

/**
 * Keeps what is cached in step with what main tells: a small change is put into the answers that hold it, of a large
 * one they are asked for again.
 * @returns stops it
 */
export function followMain(client: QueryClient): () => void {
  const { on } = window.packbench
  /** What was asked for again just now, and whether it changed once more since. */
  const resting = new Map<string, { isOutdated: boolean; timer: ReturnType<typeof setTimeout> }>()
  /**
   * Asks again for what is on the screen; an answer that is under way may be older than the change. While much changes, as in a
   * batch, each is asked for a few times a second only.
   */
  function askAgain<Name extends MethodName>(method: Name, ...input: [Input<Name>?]): void {
    const filter = { queryKey: queryKey(method, ...input) }
    const key = hashKey(filter.queryKey)
    const rest = resting.get(key)
    if (rest !== undefined) {
      rest.isOutdated = true
      return
    }
    const timer = setTimeout(() => {
      const { isOutdated = false } = resting.get(key) ?? {}
      resting.delete(key)
      if (isOutdated) askAgain(method, ...input)
    }, betweenAnswersMs)
    resting.set(key, { isOutdated: false, timer })
    void client.cancelQueries(filter).then(() => client.invalidateQueries(filter))
  }
  /** An answer that is under way may be older than what was just put in, and would take its place. */
  function replaceUnderWay<Name extends MethodName>(method: Name, ...input: [Input<Name>?]): void {
    if (client.isFetching({ queryKey: queryKey(method, ...input) }) > 0) askAgain(method, ...input)
  }
  function take<Name extends MethodName>(method: Name, answer: MethodOutput<Name>): void {
    client.setQueryData(queryKey(method, undefined), answer)
    replaceUnderWay(method)
  }
  function change<Name extends MethodName>(
    method: Name,
    update: (answer: MethodOutput<Name>) => MethodOutput<Name>,
    ...input: [Input<Name>?]
  ): void {
    const filter = { queryKey: queryKey(method, ...input) }
    client.setQueriesData<MethodOutput<Name>>(filter, (answer) => answer && update(answer))
    replaceUnderWay(method, ...input)
  }
  /**
   * Changes a shipment in the lists that hold it: it stays in its place until the list is asked for anew, also when it
   * would not be found any more.
   * @returns whether a list on the screen holds it
   */
  function changeListed(id: string, update: (shipment: ShipmentSummary) => ShipmentSummary): boolean {
    const filter = { queryKey: queryKey('searchShipments') }
    client.setQueriesData<InfiniteData<MethodOutput<'searchShipments'>>>(filter, (list) => {
      if (!list?.pages.some(({ shipments }) => shipments.some((each) => each.id === id))) return list
      const pages = list.pages.map((page) => ({
        ...page,
        // Of whose shipment it is an event of this station says nothing.
        shipments: page.shipments.map((each) =>
          each.id === id ? { ...update(each), ...(each.station && { station: each.station }) } : each,
        ),
      }))
      return { ...list, pages }
    })
    return client
      .getQueriesData<InfiniteData<MethodOutput<'searchShipments'>>>({ ...filter, type: 'active' })
      .some(([, list]) => list?.pages.some(({ shipments }) => shipments.some((each) => each.id === id)))
  }
  const stops = [
    on('appStatusChanged', (status) => {
      takeStatus(client, status)
      replaceUnderWay('getAppStatus')
      // A label that was printed takes a place on its sheet.
      askAgain('getSheetPlace')
      // What kept an update waiting may be over.
      askAgain('getUpdateStatus')
    }),
    on('updateStatusChanged', (status) => take('getUpdateStatus', status)),
    on('settingsChanged', (settings) => {
      take('getSettings', settings)
      // A verdict holds for a printer as it was set up.
      askAgain('listTestVerdicts')
      askAgain('getNetwork')
    }),
    on('fleetChanged', () => askAgain('getFleet')),
    on('fleetShipmentsChanged', () => {
      askAgain('searchShipments')
      askAgain('getShipment')
    }),
    on('peopleChanged', (people) => take('getPeople', people)),
    on('printJobChanged', (job) => {
      change('listQueue', (jobs) => withJobs(jobs, [job]))
      change('getShipment', (shipment) => withOwnJobs(shipment, [job]), { shipmentId: job.shipmentId })
      changeListed(job.shipmentId, (shipment) => withOwnJobs(shipment, [job]))
    }),
    on('shipmentChanged', (shipment) => {
      askAgain('getShipment', { shipmentId: shipment.id })
      if (!changeListed(shipment.id, () => shipment)) askAgain('searchShipments')
      askAgain('listQueue')
      // The service states limits with its answer to a creation.
      if (shipment.state === 'created') askAgain('getCarrierLimits')
    }),
    on('ordersChanged', (counts) => {
      take('countOrders', counts)
      askAgain('listOrders')
      askAgain('listOrderFilters')
      askAgain('getOrder')
    }),
    on('manifestChanged', (manifest) =>
      change('listManifests', (list) => list.map((each) => (each.id === manifest.id ? manifest : each))),
    ),
    on('manifestLinesChecked', ({ manifestId, summary }) => {
      change('getManifest', (page) => ({ ...page, lines: summary.lines, summary }), { manifestId })
      askAgain('listManifestIssues')
    }),
    on('orderFileIssuesChanged', () => askAgain('listOrderFileIssues')),
    on('batchChanged', (batch) => {
      take('getBatch', batch)
      askAgain('listBatchItems')
      askAgain('listBatchEnds')
    }),
    on('watchedParcelsChanged', (watch) => {
      change('getTrackingBoard', (board) => ({ ...board, watch }))
      if (watch.state === 'asking') return
      askAgain('getTrackingBoard')
      askAgain('listWatchedParcels')
    }),
  ]
  return () => {
    for (const stop of stops) stop()
    for (const { timer } of resting.values()) clearTimeout(timer)
  }
}

/** Hands on the answer of a method without input, now and whenever the cache holds another one; for a store. */
export function followAnswer<Name extends MethodName>(
  client: QueryClient,
  method: Name,
  take: (answer: MethodOutput<Name>) => void,
): () => void {
  const key: QueryKey = [method, undefined]
  let taken: MethodOutput<Name> | undefined
  const look = () => {
    const answer = client.getQueryData<MethodOutput<Name>>(key)
    if (answer === undefined || answer === taken) return
    taken = answer
    take(answer)
  }
  look()
  return client.getQueryCache().subscribe(({ query }) => {
    if (query.queryKey[0] === method) look()
  })
}

/** Puts jobs' newer states into a list of jobs; those that are not in it come last. */
export function withJobs(jobs: readonly PrintJob[], changed: readonly PrintJob[]): PrintJob[] {
  const merged = new Map(jobs.map((job) => [job.id, job]))
  for (const job of changed) {
    const known = merged.get(job.id)
    if (known === undefined || known.updatedAt <= job.updatedAt) merged.set(job.id, job)
  }
  return [...merged.values()]
}

/** A shipment with newer states of its own print jobs; the very same one when no job is its. */
export function withOwnJobs<Shipment extends { id: string; jobs: PrintJob[] }>(
  shipment: Shipment,
  changed: readonly PrintJob[],
): Shipment {
  const own = changed.filter((job) => job.shipmentId === shipment.id)
  return own.length === 0 ? shipment : { ...shipment, jobs: withJobs(shipment.jobs, own) }
}
