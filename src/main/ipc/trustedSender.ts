import type { IpcMainInvokeEvent } from 'electron'

/**
 * SECURITY: a call counts only when its own frame is a top frame that shows the app's page. The frame is taken from
 * the event, not from the window: the window's main frame could be another one by then.
 * @param origin the app's origin, e.g. `app://packbench`
 */
export function isTrustedSender(event: Pick<IpcMainInvokeEvent, 'senderFrame'>, origin: string): boolean {
  const frame = event.senderFrame
  if (frame === null || frame.parent !== null) return false
  return frame.url.startsWith(`${origin}/`)
}
