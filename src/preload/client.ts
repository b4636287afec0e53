import { type EventMessage, isEventName, methodNames } from '../shared/bridge'
import { eventsChannel, toChannel } from '../shared/channels'

/** The part of Electron's ipcRenderer that the preload uses. */
export interface Ipc {
  invoke(channel: string, ...inputs: unknown[]): Promise<unknown>
  on(channel: string, listener: (event: unknown, messages: readonly EventMessage[]) => void): unknown
}

/**
 * Creates the object that the page sees: one function per method of the contract, and `on` for its events. It gives access to
 * no other channel and does not pass on Electron's event objects.
 */
export function createClient(ipc: Ipc): Record<string, unknown> {
  const client: Record<string, unknown> = {}
  for (const name of methodNames) {
    client[name] = (input: unknown) => ipc.invoke(toChannel(name), input)
  }
  const listening = new Set<{ event: string; listener: (payload: unknown) => void }>()
  // Events of one message are delivered synchronously, so that the page renders once.
  ipc.on(eventsChannel, (_event, messages) => {
    for (const [name, payload] of messages) {
      for (const { event, listener } of [...listening]) if (event === name) notify(listener, payload)
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

/** Calls a listener; an exception does not affect the other listeners. */
function notify(listener: (payload: unknown) => void, payload: unknown): void {
  try {
    listener(payload)
  } catch (error) {
    queueMicrotask(() => {
      throw error
    })
  }
}
