import { defaultTrackingSettings } from '../../src/shared/tracking'
import { demoAccount } from '../../src/simulator/demo'
import { knownBarcodes } from '../support/barcodes'
import { inApp, maxTask, watchTasks } from './appWindow'
import { type BareTracking, bareTracking } from './bareTracking'
import { type Figure, inFolder, type Parts, quantile, round, simulatorProcess, timed } from './bench'
import { type BenchStation, benchStation } from './benchStation'
import { measureWatched } from './watchedParcels'

const manyCodes = 10_000
const rounds = 5
const lookups = 300
const { chunkSize, parallelRequests } = defaultTrackingSettings

/** The minimum time of a bulk answer from a service across a network. */
const networkMs = 20

/**
 * The figures of tracking. The simulator runs in a separate process, the bare reference in this one. In `network`, answers take
 * as long as across a network. In `atOnce`, they take no time, so the ratio shows the app's own work at its largest. `watched`
 * uses no simulator.
 */
export const parts: Parts = {
  network: () => measureAgainst(networkMs),
  atOnce: () => measureAgainst(0),
  watched: measureWatched,
}

async function* measureAgainst(answerMs: number): AsyncGenerator<Figure> {
  const simulator = await simulatorProcess(answerMs > 0 ? { trackBulk: { kind: 'slow', ms: answerMs } } : {})
  const label = answerMs > 0 ? `answers after ${answerMs} ms` : 'answers at once'
  try {
    const { user, password } = demoAccount(simulator.baseUrl)
    const bare = await bareTracking(simulator.baseUrl, user, password)
    const codes = knownBarcodes(manyCodes, new Date(Date.now() - 3_600_000))
    for (const measure of [measureStation, measureApp]) {
      const figures = await inFolder((folder) => measure(folder, simulator.baseUrl, bare, codes))
      for (const figure of figures) yield { ...figure, name: `${figure.name}; ${label}` }
    }
    await bare.close()
  } finally {
    simulator.stop()
  }
}

async function measureStation(
  folder: string,
  baseUrl: string,
  bare: BareTracking,
  codes: readonly string[],
): Promise<Figure[]> {
  const station = await benchStation(folder, baseUrl)
  const many = await manyInNode(station, bare, codes)
  const one = await oneInNode(station, bare, codes)
  await station.stop()
  return [many, one]
}

/** The wall time of main's work alone: client, chunks and storage. */
async function manyInNode(
  station: BenchStation,
  bare: BareTracking,
  codes: readonly string[],
): Promise<Figure> {
  const own: number[] = []
  const reference: number[] = []
  await bare.many(codes, chunkSize, parallelRequests)
  await station.trackBulk(codes)
  for (let round = 0; round < rounds; round += 1) {
    reference.push(await timed(() => bare.many(codes, chunkSize, parallelRequests)))
    own.push(await timed(() => station.trackBulk(codes)))
  }
  const [mine, bareMs] = [quantile(own, 0.5), quantile(reference, 0.5)]
  return {
    name: `${manyCodes} codes in the main process, median of ${rounds}`,
    ...{ value: Math.round(mine), unit: 'ms', atMost: 1.1 },
    reference: { name: 'bare undici', value: bareMs },
  }
}

async function oneInNode(
  station: BenchStation,
  bare: BareTracking,
  codes: readonly string[],
): Promise<Figure> {
  const [overhead, own]: [number[], number[]] = [[], []]
  for (const code of codes.slice(0, lookups)) {
    const reference = await timed(() => bare.one(code))
    own.push(await timed(() => station.trackCode(code)))
    overhead.push((own.at(-1) ?? 0) - reference)
  }
  return {
    name: `one look-up less the bare request before it, p95 of ${lookups} pairs`,
    ...{ value: round(quantile(overhead, 0.95)), unit: 'ms', atMost: 15 },
    note: `median ${round(quantile(overhead, 0.5))} ms of ${round(quantile(own, 0.5))} ms; the timeline is stored in it`,
  }
}

/** The same in the real app, from the click on the button to the last row in the window. */
async function measureApp(
  folder: string,
  baseUrl: string,
  bare: BareTracking,
  codes: readonly string[],
): Promise<Figure[]> {
  return inApp(folder, baseUrl, async ({ app, page }) => {
    await page.keyboard.press('Control+2')
    await page.getByRole('tab', { name: 'Bulk look-up' }).click()
    await page.getByLabel('Tracking codes, one a line').focus()
    await app.evaluate(({ clipboard }, text) => clipboard.writeText(text), codes.join('\n'))
    await page.keyboard.press('Control+V')
    await page.getByTestId('bulk-loaded').waitFor()
    await watchTasks(page)
    const own: number[] = []
    const reference: number[] = []
    const longest: number[] = []
    for (let round = 0; round < rounds; round += 1) {
      reference.push(await timed(() => bare.many(codes, chunkSize, parallelRequests)))
      own.push(await page.evaluate(fillTable, codes.length))
      longest.push(await maxTask(page))
    }
    const [mine, bareMs] = [quantile(own, 0.5), quantile(reference, 0.5)]
    return [
      {
        name: `${manyCodes} codes in the real app, median of ${rounds}`,
        ...{ value: Math.round(mine), unit: 'ms', atMost: 1.1 },
        reference: { name: 'bare undici', value: bareMs },
        note: 'to the last row in the window',
      },
      {
        name: `longest task in the window while ${manyCodes} rows come in (worst of ${rounds})`,
        value: round(Math.max(...longest)),
        unit: 'ms',
        atMost: 50,
        note: '0: the browser reported none; it reports tasks of 50 ms and more',
      },
    ]
  })
}

/** Clicks the button and returns the milliseconds until all rows have arrived. Runs in the window. */
async function fillTable(count: number): Promise<number> {
  const button = [...document.querySelectorAll('button')].find((each) => each.textContent === 'Look up all')
  if (button === undefined) throw new Error('There is no button.')
  const startedAt = performance.now()
  button.click()
  await new Promise<void>((resolve) => {
    const watcher = new MutationObserver(() => {
      const progress = document.querySelector('[data-testid="bulk-progress"]')
      if (progress?.getAttribute('data-state') !== 'ended') return
      if (!progress.textContent?.startsWith(`${count} of ${count} `)) return
      watcher.disconnect()
      resolve()
    })
    watcher.observe(document.body, {
      subtree: true,
      childList: true,
      characterData: true,
      attributeFilter: ['data-state'],
    })
  })
  return performance.now() - startedAt
}
