import { isEventName, methodNames, type ToldEvent } from '../shared/bridge'
import { eventsChannel, toChannel } from '../shared/channels'

/** What the preload needs of Electron's ipcRenderer. */
export interface Ipc {
  invoke(channel: string, ...inputs: unknown[]): Promise<unknown>
  on(channel: string, listener: (event: unknown, told: readonly ToldEvent[]) => void): unknown
}

/**
 * Makes the object that the page sees: one function per method of the contract and `on` for its events. No other
 * channel can be reached through it, and Electron's event objects stay behind.
 */
export function createClient(ipc: Ipc): Record<string, unknown> {
  const client: Record<string, unknown> = {}
  for (const name of methodNames) {
    client[name] = (input: unknown) => ipc.invoke(toChannel(name), input)
  }
  const listening = new Set<{ event: string; listener: (payload: unknown) => void }>()
  // The page hears what came together in one go, and renders once.
  ipc.on(eventsChannel, (_event, told) => {
    for (const [name, payload] of told) {
      for (const { event, listener } of [...listening]) if (event === name) tell(listener, payload)
    }
  })
  client.on = (event: string, listener: (payload: unknown) => void) => {
    if (!isEventName(event)) throw new Error(`There is no event named ${event}.`)
    if (typeof listener !== 'function') throw new TypeError('A listener must be a function.')
    const entry = { event, listener }
    listening.add(entry)
    return () => {
      listening.delete(entry)
    }
  }
  return client
}

/** A listener that throws keeps nothing from the others. */
function tell(listener: (payload: unknown) => void, payload: unknown): void {
  try {
    listener(payload)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
