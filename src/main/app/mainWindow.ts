import { join } from 'node:path'
import { app, BrowserWindow, type Input, nativeTheme, screen, type WebContents } from 'electron'
import type { EventName, ToldEvent } from '../../shared/bridge'
import { eventsChannel } from '../../shared/channels'
import { appOrigin } from './appProtocol'
import { type PlaceFile, placeInSight, readWindowPlace, writeWindowPlace } from './windowPlace'

/** How long a loaded page may take to be painted before its window is shown all the same, in milliseconds. */
const maxPaintMs = 1000

const background = { light: '#f6f7f9', dark: '#14171c' }

/** The app's one window: made when it is first asked for, brought to the front after that. */
export interface MainWindow {
  /** Loads the page while the app starts; it is not seen, and hears of nothing, before `show`. */
  prepare(): void
  show(): void
  send(told: readonly ToldEvent[]): void
  /** Brings it to the front and tells its page, also one that has yet to load. */
  showWith<Name extends EventName>(told: ToldEvent<Name>): void
  dialogParent(): BrowserWindow | undefined
  /** Writes where the window stands, before the app ends. */
  keepPlace(): Promise<void>
}

/**
 * @param outFolder absolute path of the built app
 * @param keepOpenWhenClosed whether closing the window only hides it, because there is work without one
 * @param placeFile keeps where the window stood
 * @param onCrash called when the page crashed, before it is loaded again
 */
export function createMainWindow(
  outFolder: string,
  keepOpenWhenClosed: () => boolean,
  placeFile: PlaceFile,
  onCrash: (reason: string) => void,
): MainWindow {
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
    opensMaximised = place?.maximised ?? false
    created.once('show', () => {
      wasShown = true
      keepWindowPlace(created, placeFile)
    })
    const reveal = () => {
      if (isPainted || window !== created) return
      isPainted = true
      if (isWanted) bringUp(created)
    }
    created.once('ready-to-show', reveal)
    // On Linux a hidden window now and then has no size, and is never painted: an empty moment is better than no window.
    created.webContents.once('did-finish-load', () => setTimeout(reveal, maxPaintMs))
    created.on('close', (event) => {
      if (!keepOpenWhenClosed()) return
      event.preventDefault()
      created.hide()
    })
    reviveAfterCrash(created, onCrash)
    zoomByKeys(created.webContents, (percent) => sendTo(created, [['zoomChanged', { percent }]]))
    created.on('closed', () => {
      window = undefined
      isPainted = false
      wasShown = false
    })
    void created.loadURL(`${appOrigin}/`)
    return created
  }

  /** To maximise a window shows it: it is done when there is something to see. */
  function bringUp(painted: BrowserWindow): void {
    if (opensMaximised) painted.maximize()
    opensMaximised = false
    painted.show()
  }

  function show(): BrowserWindow {
    isWanted = true
    window ??= open()
    if (!isPainted) return window
    if (window.isMinimized()) window.restore()
    bringUp(window)
    window.focus()
    return window
  }

  return {
    prepare() {
      window ??= open()
    },
    show,
    send(told) {
      if (isWanted && window !== undefined) sendTo(window, told)
    },
    showWith(told) {
      const shown = show()
      const { webContents } = shown
      const tell = () => sendTo(shown, [told])
      if (webContents.isLoading()) webContents.once('did-finish-load', tell)
      else tell()
    },
    dialogParent: () => (isWanted ? window : undefined),
    async keepPlace() {
      // One that nobody has seen is not where it was to be.
      if (window !== undefined && wasShown) await writePlace(window, placeFile)
    },
  }
}

function sendTo(window: BrowserWindow, told: readonly ToldEvent[]): void {
  window.webContents.send(eventsChannel, told)
}

function findEarlierPlace(file: PlaceFile) {
  const kept = readWindowPlace(file)
  if (kept === undefined) return undefined
  const primary = screen.getPrimaryDisplay()
  const others = screen.getAllDisplays().filter(({ id }) => id !== primary.id)
  return placeInSight(
    kept,
    [primary, ...others].map(({ workArea }) => workArea),
  )
}

/** Being moved is reported in many steps: the place is written when they pause, and when the window is closed. */
const pauseOfMovesMs = 400

function keepWindowPlace(window: BrowserWindow, file: PlaceFile): void {
  let timer: NodeJS.Timeout | undefined
  const writeSoon = () => {
    clearTimeout(timer)
    timer = setTimeout(() => void writePlace(window, file), pauseOfMovesMs)
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

/** Most times that a window whose page crashes is loaded again; one that crashes at each try would never end. */
const maxRevivals = 5

/** A page that crashed is loaded again: its work is in main, and an operator can do nothing about it. */
function reviveAfterCrash(window: BrowserWindow, onCrash: (reason: string) => void): void {
  let revivals = 0
  window.webContents.on('render-process-gone', (_event, { reason, exitCode }) => {
    if (reason === 'clean-exit') return
    onCrash(`${reason} (${exitCode})`)
    if (revivals >= maxRevivals) return
    revivals += 1
    window.webContents.reload()
  })
}

/** The steps of the zoom, in per cent. */
const zoomSteps = [75, 80, 90, 100, 110, 125, 150, 175, 200]
const usualZoom = 100

type Change = 'larger' | 'smaller' | 'usual'

function changeBy({ type, control, meta, alt, key, code }: Input): Change | undefined {
  if (type !== 'keyDown' || alt || !(control || meta)) return undefined
  if (key === '+' || key === '=' || code === 'NumpadAdd') return 'larger'
  if (key === '-' || key === '_' || code === 'NumpadSubtract') return 'smaller'
  return key === '0' || code === 'Numpad0' ? 'usual' : undefined
}

function nextZoom(percent: number, change: Change): number {
  if (change === 'usual') return usualZoom
  const steps = change === 'larger' ? zoomSteps : zoomSteps.toReversed()
  const isFurther = (step: number) => (change === 'larger' ? step > percent : step < percent)
  return steps.find(isFurther) ?? steps.at(-1) ?? usualZoom
}

/**
 * Changes the size of a page by Ctrl with +, - or 0, or with the mouse wheel: without a menu no one else does. Chromium
 * keeps it for the app's origin, across restarts too.
 * @param onZoom gets the new size in per cent
 */
export function zoomByKeys(contents: WebContents, onZoom: (percent: number) => void): void {
  function zoom(change: Change): void {
    const percent = nextZoom(Math.round(contents.getZoomFactor() * 100), change)
    contents.setZoomFactor(percent / 100)
    onZoom(percent)
  }
  contents.on('before-input-event', (event, input) => {
    const change = changeBy(input)
    if (change === undefined) return
    event.preventDefault()
    zoom(change)
  })
  contents.on('zoom-changed', (_event, direction) => zoom(direction === 'in' ? 'larger' : 'smaller'))
}
