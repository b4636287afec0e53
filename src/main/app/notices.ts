import { BrowserWindow, Notification } from 'electron'
import type { DesktopMessage } from './desktopMessages'

/** Messages on the desktop, where there are any. */
export interface Notices {
  /** @param onClick called when it is clicked */
  show(message: DesktopMessage, onClick: () => void): void
  /** Shows nothing when the operator has the app in front and sees it there. */
  showUnlessInFront(message: DesktopMessage, onClick: () => void): void
}

/** A desktop that never tells of a notification's end must not make the app keep them all. */
const maxKept = 50

/** Makes the notices. They are kept until they are clicked or closed: one that nobody holds is let go with its click. */
export function createNotices(): Notices {
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
    showUnlessInFront(message, onClick) {
      if (BrowserWindow.getFocusedWindow() === null) show(message, onClick)
    },
  }
}
