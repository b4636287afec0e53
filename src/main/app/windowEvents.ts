import { type EventName, type EventPayload, eventNames, type ToldEvent } from '../../shared/bridge'
import type { EventBus } from '../lib/eventBus'

/** A batch changes what the page shows a hundred times a second, and nobody reads faster than this. */
const tellEveryMs = 100

/** Of these the page needs the newest alone: of each shipment and print job, or of all. */
const newestOf: { [Name in EventName]?: (payload: EventPayload<Name>) => string } = {
  shipmentChanged: ({ id }) => id,
  printJobChanged: ({ id }) => id,
  ordersChanged: () => '',
  watchedParcelsChanged: () => '',
  appStatusChanged: () => '',
  batchChanged: () => '',
}

/**
 * Hands the contract's events on, in their order. Of those that come many times a second the first goes at once, and what follows it within a
 * tenth of a second goes together, the newest of each thing; any other event goes at once, with those that wait before it.
 * @returns tells what waits now
 */
export function forwardEvents(
  bus: Pick<EventBus, 'on'>,
  send: (told: readonly ToldEvent[]) => void,
): () => void {
  const waiting = new Map<unknown, ToldEvent>()
  let timer: NodeJS.Timeout | undefined

  function tell(): void {
    clearTimeout(timer)
    timer = undefined
    if (waiting.size === 0) return
    timer = setTimeout(tell, tellEveryMs).unref()
    const told = [...waiting.values()]
    waiting.clear()
    send(told)
  }

  function forward<Name extends EventName>(name: Name): void {
    const toKey = newestOf[name]
    bus.on(name, (payload) => {
      const key = toKey === undefined ? Symbol(name) : `${name} ${toKey(payload)}`
      // Behind all that came meanwhile: a print job that another one took the place of comes after it.
      waiting.delete(key)
      waiting.set(key, [name, payload])
      if (toKey === undefined || timer === undefined) tell()
    })
  }

  eventNames.forEach(forward)
  return tell
}
