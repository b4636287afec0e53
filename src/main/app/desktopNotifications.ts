import { BrowserWindow, Notification } from 'electron'
import type { DesktopMessage } from './desktopMessages'

/** Desktop notifications, where the system supports them. */
export interface Notifications {
  /** @param onClick called when the notification is clicked */
  show(message: DesktopMessage, onClick: () => void): void
  /** Shows nothing while the app has the focus, because the operator sees it there. */
  showUnlessFocused(message: DesktopMessage, onClick: () => void): void
}

/** Limits memory on desktops that never report that a notification was closed. */
const maxKept = 50

/** Keeps a reference to each notification until it is clicked or closed: a garbage-collected one loses its click handler. */
export function createDesktopNotifications(): Notifications {
  const kept = new Set<Notification>()

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
    showUnlessFocused(message, onClick) {
      if (BrowserWindow.getFocusedWindow() === null) show(message, onClick)
    },
  }
}
