import type { QueryClient } from '@tanstack/react-query'
import type { StoreApi } from 'zustand/vanilla'
import type { AppStatus } from '../../../shared/app'
import { getLabelState, type LabelStateKind } from '../../../shared/labelState'
import type { PrintJob } from '../../../shared/printing'
import { followAnswer, queryKey } from '../../bridge'
import type { Signal } from '../../ui/sounds'
import type { ShipState } from './shipStore'

/** What is heard when a label gets into a state; nothing while it is on its way. */
const sounds: Partial<Record<LabelStateKind, Signal>> = {
  out: 'success',
  refused: 'failure',
  'no-label': 'failure',
  'not-printed': 'failure',
  unknown: 'attention',
  waiting: 'attention',
  'to-come': 'attention',
}

export interface LabelSounds {
  /** Whether the sounds of a job's shipment are made here; also of one whose answer is still to come. */
  follows: (job: Pick<PrintJob, 'shipmentId' | 'reference'>) => boolean
  stop: () => void
}

/**
 * Makes the sounds of the shipments of this session, once for each state that a label gets into: success is heard when
 * the label is out, not when the shipment is created.
 */
export function followLabels(
  ship: StoreApi<Pick<ShipState, 'session' | 'outcome' | 'sending' | 'form'>>,
  client: QueryClient,
  signal: (signal: Signal) => void,
): LabelSounds {
  let heard = new Map<string, LabelStateKind>()

  function listen(): void {
    const { session, outcome } = ship.getState()
    const printers = client.getQueryData<AppStatus>(queryKey('getAppStatus', undefined))?.printers ?? []
    const now = new Map<string, LabelStateKind>()
    const take = (shipment: (typeof session)[number], silentAtFirst: boolean) => {
      const before = heard.get(shipment.id)
      const { kind } = getLabelState(shipment, printers)
      // A printer that is tried again and again is heard once.
      const still = before === kind || (before === 'waiting' && kind === 'printing')
      now.set(shipment.id, still ? before : kind)
      const sound = sounds[kind]
      if (!still && sound !== undefined && !(silentAtFirst && before === undefined)) signal(sound)
    }
    for (const shipment of session) take(shipment, false)
    // A shipment that was brought back from the history has been heard of in its time.
    if (outcome?.kind === 'shipment' && !now.has(outcome.shipment.id)) take(outcome.shipment, true)
    heard = now
  }

  const stops = [ship.subscribe(listen), followAnswer(client, 'getAppStatus', listen)]
  return {
    follows({ shipmentId, reference }) {
      const { sending, form } = ship.getState()
      return heard.has(shipmentId) || (sending && form.reference.trim() === reference)
    },
    stop() {
      for (const stop of stops) stop()
    },
  }
}
