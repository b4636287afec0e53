import type { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createMainWindow } from '../../../src/main/app/mainWindow'

const windows = vi.hoisted((): (EventEmitter & { hide: () => void })[] => [])

/** The pages of the windows that were opened, the newest last. */
const pages = vi.hoisted((): (EventEmitter & { isCrashed: () => boolean; reload: () => void })[] => [])

vi.mock('electron', async () => {
  const { EventEmitter: Emitter } = await import('node:events')
  class BrowserWindow extends Emitter {
    hide = vi.fn()
    webContents = Object.assign(new Emitter(), { isCrashed: () => false, reload: vi.fn() })
    constructor() {
      super()
      pages.push(this.webContents)
      windows.push(this)
    }
    removeMenu() {}
    async loadURL() {}
  }
  return {
    app: { isPackaged: true },
    BrowserWindow,
    nativeTheme: { shouldUseDarkColors: false },
    screen: { getPrimaryDisplay: () => ({ id: 1, workArea: {} }), getAllDisplays: () => [] },
  }
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** An open window with its page, and the crashes that it reported. */
function openWindow(decideClose: () => 'close' | 'hide' | 'stay' = () => 'close') {
  const crashes: string[] = []
  const placeFile = { read: () => undefined, write: async () => undefined }
  const window = createMainWindow('/out', decideClose, placeFile, (reason) => crashes.push(reason))
  window.show()
  const page = pages.at(-1)
  if (page === undefined) throw new Error('no window was opened')
  return { window, page, crashes }
}

it.each([
  ['close', false, 0],
  ['hide', true, 1],
  ['stay', true, 0],
] as const)('a window that is closed follows the decision «%s»', (decision, isKept, hidden) => {
  openWindow(() => decision)
  const window = windows.at(-1)
  const preventDefault = vi.fn()
  window?.emit('close', { preventDefault })
  expect(preventDefault.mock.calls.length > 0).toBe(isKept)
  expect(window?.hide).toHaveBeenCalledTimes(hidden)
})

it('a page that crashes is reloaded five times within ten minutes, and again after that', () => {
  const { page, crashes } = openWindow()
  const crash = () => page.emit('render-process-gone', {}, { reason: 'oom', exitCode: 9 })
  for (let count = 0; count < 7; count += 1) crash()
  expect(crashes).toEqual(Array.from({ length: 7 }, () => 'oom (9)'))
  expect(page.reload).toHaveBeenCalledTimes(5)
  vi.advanceTimersByTime(10 * 60_000)
  crash()
  expect(page.reload).toHaveBeenCalledTimes(6)
})

it('a window whose page is gone loads it again when a person asks for the window', () => {
  const { window, page } = openWindow()
  window.show()
  expect(page.reload).not.toHaveBeenCalled()
  page.isCrashed = () => true
  window.show()
  expect(page.reload).toHaveBeenCalledTimes(1)
})
