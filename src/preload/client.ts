import { isEventName, methodNames, toChannel } from '../shared/bridge'

/** What the preload needs of Electron's ipcRenderer. */
export interface Ipc {
  invoke(channel: string, ...inputs: unknown[]): Promise<unknown>
  on(channel: string, listener: (event: unknown, ...payloads: unknown[]) => void): unknown
  removeListener(channel: string, listener: (event: unknown, ...payloads: unknown[]) => void): unknown
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
  client.on = (event: string, listener: (payload: unknown) => void) => {
    if (!isEventName(event)) throw new Error(`There is no event named ${event}.`)
    if (typeof listener !== 'function') throw new TypeError('A listener must be a function.')
    const channel = toChannel(event)
    const forward = (_event: unknown, payload: unknown) => listener(payload)
    ipc.on(channel, forward)
    return () => {
      ipc.removeListener(channel, forward)
    }
  }
  return client
}
