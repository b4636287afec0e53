import type { QueryClient } from '@tanstack/react-query'
import type { StoreApi } from 'zustand/vanilla'
import type { AppStatus } from '../../../shared/app'
import { getLabelState, type LabelStateKind } from '../../../shared/labelState'
import type { PrintJob } from '../../../shared/printing'
import { queryKey, subscribeToAnswer } from '../../bridge'
import type { Signal } from '../../ui/sounds'
import type { ShipState } from './shipStore'

/** Sound of each label state; none while the label is under way. */
const sounds: Partial<Record<LabelStateKind, Signal>> = {
  out: 'success',
  refused: 'failure',
  'no-label': 'failure',
  'not-printed': 'failure',
  unknown: 'attention',
  waiting: 'attention',
  'to-come': 'attention',
}

/**
 * Plays the sounds of this session's shipments, once per label state: success when the label is printed, not when the
 * shipment is created.
 * @returns whether the sounds of a job's shipment are played here, including a shipment whose answer is still outstanding
 */
export function playLabelSounds(
  ship: StoreApi<Pick<ShipState, 'session' | 'outcome' | 'sending' | 'form'>>,
  client: QueryClient,
  signal: (signal: Signal) => void,
): (job: Pick<PrintJob, 'shipmentId' | 'reference'>) => boolean {
  let heard = new Map<string, LabelStateKind>()

  function listen(): void {
    const { session, outcome } = ship.getState()
    const printers = client.getQueryData<AppStatus>(queryKey('getAppStatus', undefined))?.printers ?? []
    const now = new Map<string, LabelStateKind>()
    const take = (shipment: (typeof session)[number], silentAtFirst: boolean) => {
      const before = heard.get(shipment.id)
      const { kind } = getLabelState(shipment, printers)
      // A printer that is retried repeatedly sounds once.
      const still = before === kind || (before === 'waiting' && kind === 'printing')
      now.set(shipment.id, still ? before : kind)
      const sound = sounds[kind]
      if (!still && sound !== undefined && !(silentAtFirst && before === undefined)) signal(sound)
    }
    for (const shipment of session) take(shipment, false)
    // A shipment shown again from the history sounded when it was made.
    if (outcome?.kind === 'shipment' && !now.has(outcome.shipment.id)) take(outcome.shipment, true)
    heard = now
  }

  ship.subscribe(listen)
  subscribeToAnswer(client, 'getAppStatus', listen)
  return ({ shipmentId, reference }) => {
    const { sending, form } = ship.getState()
    return heard.has(shipmentId) || (sending && form.reference.trim() === reference)
  }
}
