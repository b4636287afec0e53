import { Menu, nativeImage, Tray } from 'electron'
import { locales } from '../../locales'
import type { Language } from '../../shared/fields'
import icon from './trayIcon.png?asset'

/** How to reach an app without a window. */
export interface AppTray {
  /** @param canWork whether the station could start its work */
  relabel(language: Language, canWork: boolean): void
  remove(): void
}

/** Puts Packbench in the tray. Desktops without a tray show nothing; a second start opens the window there. */
export function createTray(actions: { open: () => void; quit: () => void }): AppTray {
  const tray = new Tray(nativeImage.createFromPath(icon))
  tray.on('click', actions.open)
  return {
    relabel(language, canWork) {
      const words = locales[language].tray
      tray.setToolTip(canWork ? words.tooltip : words.cannotStart)
      tray.setContextMenu(
        Menu.buildFromTemplate([
          { label: canWork ? words.open : words.cannotStart, click: actions.open },
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
