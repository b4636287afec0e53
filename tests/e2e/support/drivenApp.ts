import { once } from 'node:events'
import { _electron, type ElectronApplication, type Page } from 'playwright'
import { onTestFinished } from 'vitest'
import { appArguments, type Electron, electron } from './electron'

/** The app with its window, driven as a person would. */
export interface DrivenApp {
  app: ElectronApplication
  page: Page
  /** Everything the page wrote to its console, and errors that it did not catch. */
  complaints: string[]
  /** Ends it as the operating system ends a crashed program. */
  kill(): Promise<void>
  close(): Promise<void>
}

const electronsOwnTalk = /Electron Security Warning|Download the React DevTools/

/** Starts the app and waits until its screen is ready; it is closed when the test ends. */
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
    // Playwright adds `--no-sandbox` otherwise. Where the machine needs that switch, the arguments hold it.
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
  onTestFinished(close)

  const complaints: string[] = []
  const page = await app.firstWindow()
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('console', (message) => {
    const bad = message.type() === 'error' || message.type() === 'warning'
    if (bad && !electronsOwnTalk.test(message.text())) complaints.push(message.text())
  })
  page.setDefaultTimeout(20_000)
  await page.locator('html[data-ready="true"]').waitFor()
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
