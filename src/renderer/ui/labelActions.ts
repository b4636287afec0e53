import { type QueryClient, useMutationState, useQueryClient } from '@tanstack/react-query'
import type { AppError } from '../../shared/errors'
import { askMain, type Input } from '../bridge'

type LabelMethod =
  | 'reprint'
  | 'printJobAgain'
  | 'moveJob'
  | 'allowZplCommands'
  | 'resolveJob'
  | 'cancelJob'
  | 'fetchLabels'
  | 'closeLabelProblems'
  | 'openTrackingLink'

const everyAction = 'labelAction'

/**
 * Does something with a shipment's labels or print jobs, from whichever screen: one thing a shipment at a time, and nothing while
 * another is under way. What comes of it is told by main's events.
 * @returns whether it was done
 */
export async function actOnLabels<Name extends LabelMethod>(
  client: QueryClient,
  shipmentId: string,
  method: Name,
  input: Input<Name>,
): Promise<boolean> {
  const mutationKey = [everyAction, shipmentId]
  if (client.isMutating({ mutationKey }) > 0) return false
  const cache = client.getMutationCache()
  for (const ended of cache.findAll({ mutationKey })) cache.remove(ended)
  const options = client.defaultMutationOptions({
    mutationKey,
    mutationFn: () => askMain(method, input),
    // What went wrong is shown until something else is done.
    gcTime: Number.POSITIVE_INFINITY,
  })
  const action = cache.build(client, options)
  return action.execute(undefined).then(
    () => {
      cache.remove(action)
      return true
    },
    () => false,
  )
}

/** What can be done with the labels of a shipment, whether something is under way, and what went wrong with the last thing. */
export function useLabelActions(shipmentId: string) {
  const client = useQueryClient()
  const mutationKey = [everyAction, shipmentId]
  const [last] = useMutationState({
    filters: { mutationKey },
    select: ({ state: { status, error } }) => ({ status, error }),
  })
  const act = <Name extends LabelMethod>(method: Name, input: Input<Name>) =>
    actOnLabels(client, shipmentId, method, input)
  return { isBusy: last?.status === 'pending', error: last?.error ?? undefined, act }
}

/** What went wrong with the last thing that was done with one of some shipments; undefined for nothing. */
export function useLabelError(shipmentIds: readonly string[]): AppError | undefined {
  const ended = useMutationState({
    filters: { mutationKey: [everyAction], status: 'error' },
    select: ({ options, state }) => ({ shipmentId: options.mutationKey?.[1], error: state.error }),
  })
  const failed = ended.find(({ shipmentId }) => shipmentIds.some((id) => id === shipmentId))
  return failed?.error ?? undefined
}
