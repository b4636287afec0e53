import { type EventMessage, type EventName, type EventPayload, eventNames } from '../../shared/bridge'
import type { EventBus } from '../lib/eventBus'

/** Minimum time between two messages to the page: a batch emits a hundred events a second, more than anyone can read. */
const sendEveryMs = 100

/** Events of which the page needs only the latest: per shipment or print job, or in total. */
const payloadKeys: { [Name in EventName]?: (payload: EventPayload<Name>) => string } = {
  shipmentChanged: ({ id }) => id,
  printJobChanged: ({ id }) => id,
  ordersChanged: () => '',
  watchedParcelsChanged: () => '',
  appStatusChanged: () => '',
  batchChanged: () => '',
}

/**
 * Forwards the contract's events to the page in order. The first of frequent events is sent at once; those that follow within 100 ms are
 * sent together, only the latest per key. Any other event is sent at once, after the waiting ones.
 * @returns a function that sends the waiting events now
 */
export function forwardEvents(
  bus: Pick<EventBus, 'on'>,
  send: (messages: readonly EventMessage[]) => void,
): () => void {
  const waiting = new Map<unknown, EventMessage>()
  let timer: NodeJS.Timeout | undefined

  function sendWaiting(): void {
    clearTimeout(timer)
    timer = undefined
    if (waiting.size === 0) return
    timer = setTimeout(sendWaiting, sendEveryMs).unref()
    const messages = [...waiting.values()]
    waiting.clear()
    send(messages)
  }

  function forward<Name extends EventName>(name: Name): void {
    const toKey = payloadKeys[name]
    bus.on(name, (payload) => {
      const key = toKey === undefined ? Symbol(name) : `${name} ${toKey(payload)}`
      // Moves to the end: a replaced print job must arrive after the job that replaced it.
      waiting.delete(key)
      waiting.set(key, [name, payload])
      if (toKey === undefined || timer === undefined) sendWaiting()
    })
  }

  eventNames.forEach(forward)
  return sendWaiting
}
