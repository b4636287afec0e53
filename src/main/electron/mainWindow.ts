import { join } from 'node:path'
import { app, BrowserWindow, nativeTheme } from 'electron'
import { channelOf, type EventName, type EventPayload } from '../../shared/bridge'
import { appOrigin } from './appProtocol'
import { zoomByKeys } from './zoomKeys'

const background = { light: '#f6f7f9', dark: '#14171c' }

/** The app's one window: made when it is first asked for, brought to the front after that. */
export interface MainWindow {
  show(): void
  send<Name extends EventName>(event: Name, payload: EventPayload<Name>): void
  /** Brings it to the front and tells its page, also one that has yet to load. */
  showWith<Name extends EventName>(event: Name, payload: EventPayload<Name>): void
  dialogParent(): BrowserWindow | undefined
}

/**
 * @param outFolder absolute path of the built app
 * @param keepOpenWhenClosed whether closing the window only hides it, because there is work without one
 */
export function createMainWindow(outFolder: string, keepOpenWhenClosed: () => boolean): MainWindow {
  let window: BrowserWindow | undefined

  function open(): BrowserWindow {
    const created = new BrowserWindow({
      width: 1280,
      height: 800,
      minWidth: 1024,
      minHeight: 700,
      show: false,
      title: 'Packbench',
      backgroundColor: nativeTheme.shouldUseDarkColors ? background.dark : background.light,
      // SECURITY: each of these is Electron's default today and stated so that it stays.
      webPreferences: {
        preload: join(outFolder, 'preload', 'index.cjs'),
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
        nodeIntegrationInWorker: false,
        nodeIntegrationInSubFrames: false,
        webSecurity: true,
        webviewTag: false,
        navigateOnDragDrop: false,
        spellcheck: false,
        devTools: !app.isPackaged,
      },
    })
    created.removeMenu()
    created.once('ready-to-show', () => created.show())
    created.on('close', (event) => {
      if (!keepOpenWhenClosed()) return
      event.preventDefault()
      created.hide()
    })
    reviveAfterCrash(created)
    zoomByKeys(created.webContents, (percent) =>
      created.webContents.send(channelOf('zoomChanged'), { percent }),
    )
    created.on('closed', () => {
      window = undefined
    })
    void created.loadURL(`${appOrigin}/`)
    return created
  }

  function show(): BrowserWindow {
    if (window === undefined) {
      window = open()
      return window
    }
    if (window.isMinimized()) window.restore()
    window.show()
    window.focus()
    return window
  }

  return {
    show,
    send(event, payload) {
      window?.webContents.send(channelOf(event), payload)
    },
    showWith(event, payload) {
      const { webContents } = show()
      const tell = () => webContents.send(channelOf(event), payload)
      if (webContents.isLoading()) webContents.once('did-finish-load', tell)
      else tell()
    },
    dialogParent: () => window,
  }
}

/** Most times that a window whose page crashes is loaded again; one that crashes at each try would never end. */
const mostRevivals = 5

/** A page that crashed is loaded again: its work is in main, and a packer can do nothing about it. */
function reviveAfterCrash(window: BrowserWindow): void {
  let revivals = 0
  window.webContents.on('render-process-gone', (_event, details) => {
    if (details.reason === 'clean-exit' || revivals >= mostRevivals) return
    revivals += 1
    window.webContents.reload()
  })
}
