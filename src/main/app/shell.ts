import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { app, Menu, nativeImage, nativeTheme, Tray } from 'electron'
import { locales } from '../../locales'
import type { Language } from '../../shared/fields'
import type { Settings } from '../../shared/settings'
import { throttle } from '../lib/async'
import type { Desktop } from '../lib/desktop'
import type { AppEvents, EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { autostartOnLinux, quoteForWindows, toAutostartArguments } from './autostart'
import { createJobNotifier, findCommonAlert, toAlertMessage } from './desktopMessages'
import { createDesktopNotifications } from './desktopNotifications'
import type { Lifecycle } from './lifecycle'
import type { MainWindow } from './mainWindow'
import { findExecutable } from './process'
import icon from './trayIcon.png?asset'
import { forwardEvents } from './windowEvents'

export interface ShellDeps {
  /** The demo does not start with the computer, and leaves alone what a station has set. */
  isDemo: boolean
  bus: EventBus
  window: MainWindow
  desktop: Pick<Desktop, 'askQuit'>
  lifecycle: Lifecycle
  log: Log
}

/** Applies the autostart setting, for an installed app only. */
function followAutostart(choice: Settings['startWithComputer']): void {
  if (!app.isPackaged) return
  const { values } = parseArgs({
    args: process.argv.slice(1),
    options: { 'user-data-dir': { type: 'string' } },
    strict: false,
  })
  const folder = values['user-data-dir']
  const dataFolder = typeof folder === 'string' ? resolve(folder) : undefined
  if (process.platform === 'linux') {
    autostartOnLinux(choice, { path: findExecutable(), dataFolder }, process.env)
    return
  }
  // Electron joins them with blanks and quotes nothing.
  const args = choice === 'off' ? [] : toAutostartArguments(choice, { dataFolder }).map(quoteForWindows)
  app.setLoginItemSettings({ openAtLogin: choice !== 'off', args })
}

/** Minimum time between two status events, in milliseconds: each queries the database, and a batch changes it many times a second. */
const reportEveryMs = 100

/** Events after which the app's status may differ. */
const shownInStatus = [
  'statusOutdated',
  'settingsChanged',
  'accountChanged',
  'serviceHealthChanged',
  'shipmentChanged',
  'printJobChanged',
  'manifestChanged',
] as const satisfies (keyof AppEvents)[]

/**
 * The app on the operator's desktop outside its page: tray, notifications, light or dark theme. Shows events on the desktop as
 * they occur, and forwards the contract's events to the page.
 */
export function createShell({ isDemo, bus, window, desktop, lifecycle, log }: ShellDeps) {
  let tray: ReturnType<typeof createTray> | undefined
  // Must match the installer's shortcut: without one of this ID, Windows shows no notifications of the app.
  app.setAppUserModelId('app.packbench.station')
  const notifications = createDesktopNotifications()

  function relabelTray(): void {
    tray?.relabel(lifecycle.settings().language, lifecycle.services().ok)
  }

  function followSettings(settings: Settings): void {
    nativeTheme.themeSource = settings.appearance
    try {
      if (!isDemo) followAutostart(settings.startWithComputer)
    } catch (error) {
      // The other settings still apply.
      log.warn('starting with the computer could not be turned on or off', { reason: toReason(error) })
    }
    relabelTray()
  }

  bus.on('settingsOpened', (settings) => {
    followSettings(settings)
    window.send([['settingsChanged', settings]])
  })
  bus.on('settingsChanged', followSettings)

  const needsAttention = createJobNotifier(
    () => lifecycle.settings().language,
    (message) => notifications.showUnlessFocused(message, () => window.showWith(['queueAskedFor', {}])),
  )
  bus.on('printJobChanged', (job) => {
    const { id, shipmentId, printerId, state, error } = job
    log.info('print job', { jobId: id, shipmentId, printer: printerId, state, error: error?.code })
    needsAttention(job)
  })
  bus.on('parcelsAlerted', ({ parcels, language }) =>
    notifications.show(toAlertMessage(parcels, language), () =>
      window.showWith(['alertsAskedFor', { alert: findCommonAlert(parcels) }]),
    ),
  )

  const reportStatus = throttle(
    async () => {
      relabelTray()
      bus.emit('appStatusChanged', await lifecycle.status())
    },
    reportEveryMs,
    (error) => log.error('the status could not be reported', { reason: String(error) }),
  )
  for (const name of shownInStatus) bus.on(name, reportStatus)

  const flushEvents = forwardEvents(bus, (messages) => window.send(messages))

  return {
    /** Sends the page all pending events. */
    flushEvents,
    /** Asks a person who ends the app whether labels in memory may be lost; true when there are none. */
    async confirmQuit(): Promise<boolean> {
      if (!lifecycle.holdsLabels()) return true
      // The dialog belongs to the window, which the tray may have hidden.
      window.show()
      return desktop.askQuit(lifecycle.settings().language)
    },
    /** Adds Packbench to the tray. On desktops without a tray, starting Packbench again opens the window. */
    showTray(actions: { open: () => void; quit: () => void }): void {
      tray = createTray(actions)
      relabelTray()
    },
  }
}

function createTray(actions: { open: () => void; quit: () => void }) {
  const tray = new Tray(nativeImage.createFromPath(icon))
  tray.on('click', actions.open)
  let shown: { language: Language; canWork: boolean } | undefined
  return {
    /** @param canWork whether the services run */
    relabel(language: Language, canWork: boolean): void {
      // Building a menu is slow.
      if (shown?.language === language && shown.canWork === canWork) return
      shown = { language, canWork }
      const words = locales[language].tray
      tray.setToolTip(canWork ? locales[language].common.appName : words.cannotStart)
      tray.setContextMenu(
        Menu.buildFromTemplate([
          { label: canWork ? words.open : words.cannotStart, click: actions.open },
          { type: 'separator' },
          { label: words.quit, click: actions.quit },
        ]),
      )
    },
  }
}
