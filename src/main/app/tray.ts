import { Menu, nativeImage, Tray } from 'electron'
import type { TrayWords } from './mainWords'
import icon from './trayIcon.png?asset'

/** The way to an app without a window. Words in the station's language come with each call of `relabel`. */
export interface AppTray {
  relabel(words: TrayWords): void
  remove(): void
}

/** Puts Packbench in the tray. Desktops without a tray show nothing; a second start opens the window there. */
export function createTray(actions: { open: () => void; quit: () => void }): AppTray {
  const tray = new Tray(nativeImage.createFromPath(icon))
  tray.on('click', actions.open)
  return {
    relabel(words) {
      tray.setToolTip(words.tooltip)
      tray.setContextMenu(
        Menu.buildFromTemplate([
          { label: words.open, click: actions.open },
          { type: 'separator' },
          { label: words.quit, click: actions.quit },
        ]),
      )
    },
    remove() {
      tray.destroy()
    },
  }
}
