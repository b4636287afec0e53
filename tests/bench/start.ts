import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { provisionSwitch, stationProvisioning } from '../e2e/support/provisioned'
import { type Figure, inFolder, type Parts, quantile, round, simulatorProcess } from './bench'
import { longHistory, shipmentCount } from './longHistory'
import { start, startUntilReady } from './startedApp'

const rounds = Number(process.env.PACKBENCH_BENCH_ROUNDS ?? 7)

/** The time from a start until the app is usable. */
export const parts: Parts = {
  empty: measureEmptyHistory,
  long: measureLongHistory,
  hidden: measureHidden,
}

async function* measureEmptyHistory(): AsyncGenerator<Figure> {
  yield* await withSimulator(async (folder, provision) => {
    const [app, reference] = await startInTurn([
      [process.cwd(), `--user-data-dir=${join(folder, 'data')}`, provision],
      [await makeEmptyApp(folder), `--user-data-dir=${join(folder, 'window')}`],
    ])
    return [
      {
        name: 'start until the window is usable, empty history, median',
        ...{ value: app, unit: 'ms', atMost: 1.5 },
        reference: { name: 'an empty electron-vite window', value: reference },
      },
    ]
  })
}

async function* measureLongHistory(): AsyncGenerator<Figure> {
  const long = await longHistory()
  yield* await withSimulator(async (folder, provision) => {
    const [app, reference] = await startInTurn([
      [process.cwd(), `--user-data-dir=${long}`, provision],
      [process.cwd(), `--user-data-dir=${join(folder, 'data')}`, provision],
    ])
    return [
      {
        name: `start until the window is usable, ${shipmentCount.toLocaleString('en')} shipments, median`,
        ...{ value: app, unit: 'ms', atMost: 1.1 },
        reference: { name: 'an empty history', value: reference },
      },
    ]
  })
}

/** The time from a start without a window to the result of the order file that waits in the hot folder. */
async function* measureHidden(): AsyncGenerator<Figure> {
  const long = await longHistory()
  yield* await withSimulator(async (folder, _provision, baseUrl) => {
    const bare = await makeEmptyApp(folder)
    const times: [app: number[], full: number[], window: number[]] = [[], [], []]
    for (let at = 0; at <= rounds; at += 1) {
      const took = [
        await firstResult(join(folder, `hidden-${at}`), join(folder, `exchange-${at}`), baseUrl),
        await firstResult(long, join(folder, `exchange-long-${at}`), baseUrl),
        await untilReady([bare, `--user-data-dir=${join(folder, 'window')}`]),
      ]
      if (at > 0) for (const [index, ms] of took.entries()) times[index]?.push(ms)
    }
    const [app, full, window] = times.map((each) => quantile(each, 0.5))
    return [
      {
        name: 'hidden start until the first order file has its result, median',
        ...{ value: app ?? Number.NaN, unit: 'ms', atMost: 1.5 },
        reference: { name: 'an empty electron-vite window', value: window ?? Number.NaN },
      },
      {
        name: `the same with ${shipmentCount.toLocaleString('en')} shipments`,
        ...{ value: full ?? Number.NaN, unit: 'ms', atMost: 1.1 },
        reference: { name: 'an empty history', value: app ?? Number.NaN },
      },
    ]
  })
}

async function firstResult(dataFolder: string, exchange: string, baseUrl: string): Promise<number> {
  const inbox = join(exchange, 'in')
  await mkdir(inbox, { recursive: true })
  const reference = `FIRST-${Date.now()}`
  await writeFile(join(inbox, `${reference}.json`), JSON.stringify(anOrderFile(reference)))
  const provision = await provisionSwitch(exchange, {
    ...stationProvisioning(baseUrl),
    hotFolder: { path: exchange, print: false },
  })
  const startedAt = Date.now()
  const app = start([process.cwd(), `--user-data-dir=${dataFolder}`, '--hidden', provision])
  const result = join(exchange, 'done', `${reference}.result.json`)
  try {
    while (!(await exists(result))) await pause(5)
    return Date.now() - startedAt
  } finally {
    await app.stop()
  }
}

/** An order in a file for the hot folder. */
export function anOrderFile(reference: string) {
  return {
    ...{ reference, last_name: 'de Vries', street: 'Keizersgracht', house_number: '12A' },
    ...{ postal_code: '1015 CJ', city: 'Amsterdam' },
  }
}

async function withSimulator(
  measure: (folder: string, provision: string, baseUrl: string) => Promise<Figure[]>,
): Promise<Figure[]> {
  const simulator = await simulatorProcess()
  try {
    return await inFolder(async (folder) =>
      measure(
        folder,
        await provisionSwitch(folder, stationProvisioning(simulator.baseUrl)),
        simulator.baseUrl,
      ),
    )
  } finally {
    simulator.stop()
  }
}

/** Starts two apps in turn, several times; the first start of each creates its folders and is not counted. */
async function startInTurn([one, other]: [one: readonly string[], other: readonly string[]]): Promise<
  [one: number, other: number]
> {
  const times: [one: number[], other: number[]] = [[], []]
  for (let at = 0; at <= rounds; at += 1) {
    const took = [await untilReady(one), await untilReady(other)]
    if (at > 0) for (const [index, ms] of took.entries()) times[index]?.push(ms)
    process.stderr.write(`round ${at}: ${took.map((ms) => `${round(ms)} ms`).join(' and ')}\n`)
  }
  return [quantile(times[0], 0.5), quantile(times[1], 0.5)]
}

async function untilReady(args: readonly string[]): Promise<number> {
  const app = await startUntilReady(args)
  await app.stop()
  return app.ms
}

/** Writes an app that shows a window with one line, like a new project; returns its folder. */
export async function makeEmptyApp(folder: string): Promise<string> {
  const app = join(folder, 'emptyApp')
  await mkdir(app)
  await writeFile(
    join(app, 'package.json'),
    JSON.stringify({ name: 'empty', version: '1.0.0', main: 'main.mjs', type: 'module' }),
  )
  await writeFile(
    join(app, 'main.mjs'),
    `import { app, BrowserWindow } from 'electron'
    process.on('SIGTERM', () => app.exit(0))
    app.whenReady().then(() => {
      const window = new BrowserWindow({ width: 1280, height: 800, show: false })
      window.once('ready-to-show', () => window.show())
      void window.loadFile('index.html')
    })`,
  )
  await writeFile(
    join(app, 'index.html'),
    `<!doctype html><html><body><p>Empty</p><script>document.documentElement.dataset.ready = 'true'</script></body></html>`,
  )
  return app
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}
