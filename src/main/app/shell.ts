import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { app, Menu, nativeImage, nativeTheme, Tray } from 'electron'
import { locales } from '../../locales'
import type { Language } from '../../shared/fields'
import type { Settings } from '../../shared/settings'
import type { AppEvents, EventBus } from '../lib/eventBus'
import { throttle } from '../lib/throttle'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { autostartOnLinux, toAutostartArguments } from './autostart'
import { alertMessage, createAttention, listOfAlerts } from './desktopMessages'
import type { Lifecycle } from './lifecycle'
import type { MainWindow } from './mainWindow'
import { createNotices } from './notices'
import icon from './trayIcon.png?asset'
import { forwardEvents } from './windowEvents'

export interface ShellDeps {
  bus: EventBus
  window: MainWindow
  lifecycle: Lifecycle
  log: Log
}

/** Only an installed app: one that runs from its sources is started by hand. */
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
    // An AppImage is mounted at another place each time.
    const path = process.env.APPIMAGE ?? process.execPath
    autostartOnLinux(choice, { path, dataFolder }, process.env)
    return
  }
  const args = choice === 'off' ? [] : toAutostartArguments(choice, { dataFolder })
  app.setLoginItemSettings({ openAtLogin: choice !== 'off', args })
}

/** What the operator sees of the app beside its page: the tray, notifications, light or dark. */
export interface Shell {
  /** Puts Packbench in the tray. Desktops without a tray show nothing; a second start opens the window there. */
  showTray(actions: { open: () => void; quit: () => void }): void
  /** Tells the page of what has happened until now. */
  tellPage(): void
}

/** Between two reports of the status, in milliseconds: each asks the database, and a batch changes it many times a second. */
const reportEveryMs = 100

/** What the app's status is made of. */
const shownInStatus = [
  'statusOutdated',
  'settingsChanged',
  'accountChanged',
  'serviceHealthChanged',
  'shipmentChanged',
  'printJobChanged',
  'manifestChanged',
] as const satisfies (keyof AppEvents)[]

/** Shows events as they come, and hands those of the contract to the window's page. */
export function createShell({ bus, window, lifecycle, log }: ShellDeps): Shell {
  let tray: AppTray | undefined
  let language: Language = 'en'
  // By this name Windows finds the shortcut that the installer made, without which it shows no notification of an app.
  app.setAppUserModelId('app.packbench.station')
  const notices = createNotices()

  function relabelTray(): void {
    tray?.relabel(language, lifecycle.services().ok)
  }

  function followSettings(settings: Settings): void {
    language = settings.language
    nativeTheme.themeSource = settings.appearance
    try {
      followAutostart(settings.startWithComputer)
    } catch (error) {
      // Everything else of the settings holds all the same.
      log.warn('the app can not be made to start with the computer', { reason: toReason(error) })
    }
    relabelTray()
  }

  bus.on('settingsOpened', (settings) => {
    followSettings(settings)
    window.send([['settingsChanged', settings]])
  })
  bus.on('settingsChanged', followSettings)

  const needsAttention = createAttention(
    () => language,
    (message) => notices.showUnlessInFront(message, () => window.showWith(['queueAskedFor', {}])),
  )
  bus.on('printJobChanged', (job) => {
    const { id, shipmentId, printerId, state, error } = job
    log.info('print job', { jobId: id, shipmentId, printer: printerId, state, error: error?.code })
    needsAttention(job)
  })
  bus.on('parcelsAlerted', ({ parcels, language: told }) =>
    notices.show(alertMessage(parcels, told), () =>
      window.showWith(['alertsAskedFor', { alert: listOfAlerts(parcels) }]),
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

  const tellPage = forwardEvents(bus, (told) => window.send(told))

  return {
    tellPage,
    showTray(actions) {
      tray = createTray(actions)
      relabelTray()
    },
  }
}

/** How to reach an app without a window. */
interface AppTray {
  /** @param canWork whether the station could start its work */
  relabel(language: Language, canWork: boolean): void
}

function createTray(actions: { open: () => void; quit: () => void }): AppTray {
  const tray = new Tray(nativeImage.createFromPath(icon))
  tray.on('click', actions.open)
  let shown: { language: Language; canWork: boolean } | undefined
  return {
    relabel(language, canWork) {
      // The system takes a while to make a menu.
      if (shown?.language === language && shown.canWork === canWork) return
      shown = { language, canWork }
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
  }
}
