import { join } from 'node:path'
import { app, BrowserWindow, type Input, nativeTheme, screen, type WebContents } from 'electron'
import type { EventMessage, EventName } from '../../shared/bridge'
import { eventsChannel } from '../../shared/channels'
import { appOrigin } from './appProtocol'
import { fitToScreens, type PlaceFile, readWindowPlace, writeWindowPlace } from './windowPlace'

/** How long to wait for a loaded page to be painted before its window is shown anyway, in milliseconds. */
const maxPaintMs = 1000

const background = { light: '#f6f7f9', dark: '#14171c' }

export type MainWindow = ReturnType<typeof createMainWindow>

/**
 * The app's only window: created on first use, afterwards brought to the front.
 * @param outFolder absolute path of the built app
 * @param keepOpenWhenClosed whether closing the window only hides it, because the station works without a window
 * @param placeFile stores position and size of the window
 * @param onCrash called when the page crashed, before it is reloaded
 */
export function createMainWindow(
  outFolder: string,
  keepOpenWhenClosed: () => boolean,
  placeFile: PlaceFile,
  onCrash: (reason: string) => void,
) {
  let window: BrowserWindow | undefined
  let isWanted = false
  let isPainted = false
  let wasShown = false
  let opensMaximised = false

  function open(): BrowserWindow {
    const place = findEarlierPlace(placeFile)
    const created = new BrowserWindow({
      width: 1280,
      height: 800,
      ...place?.bounds,
      minWidth: 1024,
      minHeight: 700,
      show: false,
      title: 'Packbench',
      backgroundColor: nativeTheme.shouldUseDarkColors ? background.dark : background.light,
      // SECURITY: most are Electron's defaults, stated so that they stay when a default changes.
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
    opensMaximised = place?.maximised ?? false
    created.once('show', () => {
      wasShown = true
      saveWindowPlaceOnChange(created, placeFile)
    })
    const reveal = () => {
      if (isPainted || window !== created) return
      isPainted = true
      if (isWanted) bringUp(created)
    }
    created.once('ready-to-show', reveal)
    // On Linux a hidden window sometimes has no size and is never painted: show it blank rather than not at all.
    created.webContents.once('did-finish-load', () => setTimeout(reveal, maxPaintMs))
    created.on('close', (event) => {
      if (!keepOpenWhenClosed()) return
      event.preventDefault()
      created.hide()
    })
    reloadAfterCrash(created.webContents, onCrash)
    zoomByKeys(created.webContents, (percent) => sendTo(created, [['zoomChanged', { percent }]]))
    created.on('closed', () => {
      window = undefined
      isPainted = false
      wasShown = false
    })
    void created.loadURL(`${appOrigin}/`)
    return created
  }

  /** Maximising shows a window, so it waits until the page is painted. */
  function bringUp(painted: BrowserWindow): void {
    if (opensMaximised) painted.maximize()
    opensMaximised = false
    painted.show()
  }

  function show(): BrowserWindow {
    isWanted = true
    window ??= open()
    if (window.webContents.isCrashed()) window.webContents.reload()
    if (!isPainted) return window
    if (window.isMinimized()) window.restore()
    bringUp(window)
    window.focus()
    return window
  }

  return {
    /** Loads the page while the app starts. Until `show` the window is invisible and receives no events. */
    prepare(): void {
      window ??= open()
    },
    show,
    send(messages: readonly EventMessage[]): void {
      if (isWanted && window !== undefined) sendTo(window, messages)
    },
    /** Brings the window to the front and sends its page an event, after loading if necessary. */
    showWith<Name extends EventName>(message: EventMessage<Name>): void {
      const shown = show()
      const { webContents } = shown
      const send = () => sendTo(shown, [message])
      if (webContents.isLoading()) webContents.once('did-finish-load', send)
      else send()
    },
    dialogParent: () => (isWanted ? window : undefined),
    /** Saves position and size of the window before the app ends. */
    async savePlace(): Promise<void> {
      // A window that was never shown does not have its final position.
      if (window !== undefined && wasShown) await writePlace(window, placeFile)
    },
  }
}

function sendTo(window: BrowserWindow, messages: readonly EventMessage[]): void {
  window.webContents.send(eventsChannel, messages)
}

function findEarlierPlace(file: PlaceFile) {
  const kept = readWindowPlace(file)
  if (kept === undefined) return undefined
  const primary = screen.getPrimaryDisplay()
  const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id)
  return fitToScreens(
    kept,
    [primary, ...others].map(({ workArea }) => workArea),
  )
}

/** A move fires many events: the place is saved when they pause this long, and when the window closes. */
const moveSettleMs = 400

function saveWindowPlaceOnChange(window: BrowserWindow, file: PlaceFile): void {
  let timer: NodeJS.Timeout | undefined
  const writeSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void writePlace(window, file), moveSettleMs)
  }
  window.on('resize', writeSoon)
  window.on('move', writeSoon)
  window.on('close', () => void writePlace(window, file))
  window.on('closed', () => clearTimeout(timer))
}

async function writePlace(window: BrowserWindow, file: PlaceFile): Promise<void> {
  if (window.isDestroyed() || window.isMinimized() || window.isFullScreen()) return
  await writeWindowPlace(file, { bounds: window.getNormalBounds(), maximised: window.isMaximized() })
}

/** A page that crashes more often than this within the time is not reloaded until a person asks for it, because it would loop forever. */
const reloads = { max: 5, withinMs: 10 * 60_000 }

/** Reloads a crashed page: the work is in main, and the operator could do nothing else. */
function reloadAfterCrash(contents: WebContents, onCrash: (reason: string) => void): void {
  let recent: number[] = []
  contents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return
    onCrash(`${reason} (${exitCode})`)
    recent = recent.filter((at) => Date.now() - at < reloads.withinMs)
    if (recent.length >= reloads.max) return
    recent.push(Date.now())
    contents.reload()
  })
}

/** Zoom levels, in percent. */
const zoomSteps = [75, 80, 90, 100, 110, 125, 150, 175, 200]
const defaultZoom = 100

type Change = 'larger' | 'smaller' | 'usual'

function toZoomChange({ type, control, meta, alt, key, code }: Input): Change | undefined {
  if (type !== 'keyDown' || alt || !(control || meta)) return undefined
  if (key === '+' || key === '=' || code === 'NumpadAdd') return 'larger'
  if (key === '-' || key === '_' || code === 'NumpadSubtract') return 'smaller'
  return key === '0' || code === 'Numpad0' ? 'usual' : undefined
}

function nextZoom(percent: number, change: Change): number {
  if (change === 'usual') return defaultZoom
  const steps = change === 'larger' ? zoomSteps : zoomSteps.toReversed()
  const isFurther = (step: number) => (change === 'larger' ? step > percent : step < percent)
  return steps.find(isFurther) ?? steps.at(-1) ?? defaultZoom
}

/**
 * Zooms a page by Ctrl with +, - or 0, or with the mouse wheel; Electron does this only for windows with a menu. Chromium
 * stores the zoom level for the app's origin across restarts.
 * @param onZoom receives the new level in percent
 */
function zoomByKeys(contents: WebContents, onZoom: (percent: number) => void): void {
  function zoom(change: Change): void {
    const percent = nextZoom(Math.round(contents.getZoomFactor() * 100), change)
    contents.setZoomFactor(percent / 100)
    onZoom(percent)
  }
  contents.on('before-input-event', (event, input) => {
    const change = toZoomChange(input)
    if (change === undefined) return
    event.preventDefault()
    zoom(change)
  })
  contents.on('zoom-changed', (_event, direction) => zoom(direction === 'in' ? 'larger' : 'smaller'))
}
