import { once } from 'node:events'
import { _electron, type ElectronApplication, type Page } from 'playwright'
import { endWithTest } from '../../support/lifetime'
import { appArguments, type Electron, electron } from './electron'

/** The app with its window, driven by Playwright. */
export interface DrivenApp {
  app: ElectronApplication
  page: Page
  /** Warnings and errors that the page wrote to its console, and its uncaught errors. */
  complaints: string[]
  /** Ends the app with SIGKILL. */
  kill(): Promise<void>
  close(): Promise<void>
}

const ignoredMessages = /Electron Security Warning|Download the React DevTools/

/** Starts the app and waits until its screen is ready. It is closed at the end of the test, or of the tests that share it. */
export async function launch(
  dataFolder: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  started: Electron = electron(),
): Promise<DrivenApp> {
  const inherited = Object.entries(process.env).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  const app = await _electron.launch({
    executablePath: started.binary,
    args: appArguments(dataFolder, args, started),
    // Otherwise Playwright adds `--no-sandbox`. If the machine needs that switch, the arguments contain it.
    chromiumSandbox: true,
    env: { ...Object.fromEntries(inherited), ...env },
  })
  let open = true
  const child = app.process()
  const close = async () => {
    if (!open) return
    open = false
    await app.close()
  }
  endWithTest(close)

  const complaints: string[] = []
  const page = await app.firstWindow()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const bad = message.type() === 'error' || message.type() === 'warning'
    if (bad && !ignoredMessages.test(message.text())) complaints.push(message.text())
  })
  page.setDefaultTimeout(40_000)
  await page
    .locator('html[data-ready="true"]')
    .waitFor()
    .catch(async (error: unknown) => {
      const { exitCode, signalCode } = child
      const state = page.isClosed()
        ? `it is closed, the app ended with ${signalCode ?? exitCode ?? 'nothing yet'}`
        : await describeWindow(app, page).catch(String)
      throw new Error(`The window is not ready: ${state}`, { cause: error })
    })
  return {
    app,
    page,
    complaints,
    close,
    async kill() {
      open = false
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
  }
}

/** Reloads the window: empty forms and the first screen, as after a start. The state of main is kept. */
export async function reloadWindow({ page, complaints }: DrivenApp): Promise<void> {
  await page.emulateMedia({ colorScheme: null, forcedColors: null })
  await page.reload()
  await page.locator('html[data-ready="true"]').waitFor()
  complaints.length = 0
}

/** Describes a window that does not become ready. */
async function describeWindow(app: ElectronApplication, page: Page): Promise<string> {
  const inside = await page.evaluate(() => ({
    size: [innerWidth, innerHeight],
    visibility: document.visibilityState,
    text: document.body.innerText.slice(0, 200),
  }))
  const outside = await app.evaluate(({ BrowserWindow }) =>
    BrowserWindow.getAllWindows().map((window) => ({ visible: window.isVisible(), ...window.getBounds() })),
  )
  return JSON.stringify({ inside, outside })
}
