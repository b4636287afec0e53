import { type QueryClient, useMutationState, useQueryClient } from '@tanstack/react-query'
import type { AppError } from '../../shared/errors'
import { callMainOrThrow, type Input } from '../bridge'

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

const labelActionKey = 'labelAction'

/**
 * Runs an action on a shipment's labels or print jobs. Each shipment runs one action at a time; a call during another
 * action does nothing. Main reports the effect by events.
 * @returns whether the action succeeded
 */
export async function runLabelAction<Name extends LabelMethod>(
  client: QueryClient,
  shipmentId: string,
  method: Name,
  input: Input<Name>,
): Promise<boolean> {
  if (isLabelActionRunning(client, shipmentId)) return false
  const mutationKey = [labelActionKey, shipmentId]
  const cache = client.getMutationCache()
  for (const ended of cache.findAll({ mutationKey })) cache.remove(ended)
  const options = client.defaultMutationOptions({
    mutationKey,
    mutationFn: () => callMainOrThrow(method, input),
    // The error is shown until the next action.
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

/** Whether an action on the labels of a shipment runs; another one does nothing then. */
export function isLabelActionRunning(client: QueryClient, shipmentId: string): boolean {
  return client.isMutating({ mutationKey: [labelActionKey, shipmentId] }) > 0
}

/** Runs actions on the labels of a shipment, and reports whether one is running and the error of the last one. */
export function useLabelActions(shipmentId: string) {
  const client = useQueryClient()
  const mutationKey = [labelActionKey, shipmentId]
  const [last] = useMutationState({
    filters: { mutationKey },
    select: ({ state: { status, error } }) => ({ status, error }),
  })
  const act = <Name extends LabelMethod>(method: Name, input: Input<Name>) =>
    runLabelAction(client, shipmentId, method, input)
  return { isBusy: last?.status === 'pending', error: last?.error ?? undefined, act }
}

/** The error of the last action on one of the given shipments. */
export function useLabelError(shipmentIds: readonly string[]): AppError | undefined {
  const ended = useMutationState({
    filters: { mutationKey: [labelActionKey], status: 'error' },
    select: ({ options, state }) => ({ shipmentId: options.mutationKey?.[1], error: state.error }),
  })
  const failed = ended.find(({ shipmentId }) => shipmentIds.some((id) => id === shipmentId))
  return failed?.error ?? undefined
}
