import { join } from 'node:path'
import { _electron, type ElectronApplication, type Page } from 'playwright'
import { provisionSwitch, stationProvisioning } from '../e2e/support/provisioned'

/** The real app with its window, connected to a simulator. */
export interface BenchApp {
  app: ElectronApplication
  page: Page
}

/**
 * Starts the real app, runs a measurement with it, and closes the app.
 * @param settings parts of the provisioning that override those of a usual station
 */
export async function inApp<T>(
  folder: string,
  baseUrl: string,
  run: (bench: BenchApp) => Promise<T>,
  settings: object = {},
): Promise<T> {
  const provision = await provisionSwitch(folder, { ...stationProvisioning(baseUrl), ...settings })
  const switches = (process.env.PACKBENCH_ELECTRON_SWITCHES ?? '').split(' ').filter(Boolean)
  const app = await _electron.launch({
    executablePath: process.env.PACKBENCH_ELECTRON ?? '',
    args: [process.cwd(), ...switches, `--user-data-dir=${join(folder, 'data')}`, provision],
  })
  try {
    const page = await app.firstWindow()
    await page.locator('html[data-ready="true"]').waitFor()
    return await run({ app, page })
  } finally {
    await app.close()
  }
}

/** From now on records the window's longest task, which `maxTask` returns. */
export async function watchTasks(page: Page): Promise<void> {
  await page.evaluate(() => {
    const seen = { longest: 0 }
    Reflect.set(window, 'benchSeen', seen)
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) seen.longest = Math.max(seen.longest, duration)
    }).observe({ type: 'longtask' })
  })
}

/** The longest task since the last call in milliseconds; 0 when none took 50 ms or more, because the browser reports no shorter ones. */
export async function maxTask(page: Page): Promise<number> {
  return page.evaluate(async () => {
    // The browser reports tasks with a delay.
    await new Promise((resolve) => setTimeout(resolve, 200))
    const seen: unknown = Reflect.get(window, 'benchSeen')
    if (typeof seen !== 'object' || seen === null) throw new Error('Nothing is being watched.')
    const longest = Number(Reflect.get(seen, 'longest'))
    Reflect.set(seen, 'longest', 0)
    return longest
  })
}
