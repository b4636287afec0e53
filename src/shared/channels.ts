/**
 * The IPC channels of the bridge. They stand apart from `bridge.ts`, whose schemas take longer to load than the window to open: main and the
 * preload name a channel before the contract is read.
 */

/** Events: each message holds those that occurred together, in order. */
export const eventsChannel = 'packbench:events'

/** A method, by its name in the contract. */
export function toChannel(method: string): string {
  return `packbench:${method}`
}
