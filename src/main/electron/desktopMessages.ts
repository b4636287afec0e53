import { BrowserWindow, Notification } from 'electron'
import type { DesktopMessage } from '../printing/attention'

/** Shows a message on the desktop, unless the operator has the app in front and sees it there. */
export function showDesktopMessage(message: DesktopMessage, onClick: () => void): void {
  if (BrowserWindow.getFocusedWindow() !== null || !Notification.isSupported()) return
  const notification = new Notification({ title: message.title, body: message.body })
  notification.on('click', onClick)
  notification.show()
}
