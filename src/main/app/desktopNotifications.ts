import { BrowserWindow, Notification } from 'electron'
import type { DesktopMessage } from './desktopMessages'

/** Limits memory on desktops that never report that a notification was closed. */
const maxKept = 50

/**
 * Desktop notifications, where the system supports them. Keeps a reference to each one until it is clicked or closed: a
 * garbage-collected one loses its click handler.
 */
export function createDesktopNotifications() {
  const kept = new Set<Notification>()

  /** @param onClick called when the notification is clicked */
  function show({ title, body }: DesktopMessage, onClick: () => void): void {
    if (!Notification.isSupported()) return
    const notice = new Notification({ title, body })
    const letGo = () => kept.delete(notice)
    notice.on('click', () => {
      letGo()
      onClick()
    })
    notice.on('close', letGo)
    kept.add(notice)
    const [oldest] = kept
    if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
    notice.show()
  }

  return {
    show,
    /** Shows nothing while the app has the focus, because the operator sees it there. */
    showUnlessFocused(message: DesktopMessage, onClick: () => void): void {
      if (BrowserWindow.getFocusedWindow() === null) show(message, onClick)
    },
  }
}
