import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { provisionSwitch, stationProvisioning } from '../e2e/support/provisioned'
import { type Figure, inFolder, type Parts, round, simulatorProcess } from './bench'
import { makeEmptyApp } from './start'
import { startUntilReady } from './startedApp'

/** How long an idle app is looked at; 600 for the ten minutes of the goal. */
const seconds = Number(process.env.PACKBENCH_BENCH_IDLE_SECONDS ?? 60)
/** What a start leaves to do in the background. */
const restMs = 15_000
/** After which also the collections of garbage have come that follow a start, in every thread with a heap. */
const longRestMs = 60_000

interface Use {
  /** Sum of the proportional set sizes, in kB. */
  pssKb: number
  /** Bytes that its processes had written to disks. */
  writtenBytes: number
  /** What of them the app's own process had, without Chromium's others. */
  writtenByMain: number
  /** How often each thread gave up the processor by itself, by «process thread»: each wake-up ends so. */
  wakeUps: ReadonlyMap<string, number>
}

/** What the app uses while nobody uses it, beside an empty window (Linux alone). */
export const parts: Parts = { window: measureWindow, later: measureLater }

async function* measureWindow(): AsyncGenerator<Figure> {
  yield* await withApps(async (empty, app) => toFigures(await look(empty), await look(app)))
}

/** The app's own wake-ups: without a caret, which blinks in the tests' runtime, and when a start has left nothing. */
async function* measureLater(): AsyncGenerator<Figure> {
  yield* await withApps(async (...both) => {
    const [empty, app] = await Promise.all([lookLater(both[0]), lookLater(both[1])])
    return toWakeUps(empty, app, ', a minute after the start, no field with the focus')
  })
}

/** @param measure gets the switches of an empty window and those of the app */
async function withApps(
  measure: (empty: readonly string[], app: readonly string[]) => Promise<Figure[]>,
): Promise<Figure[]> {
  const simulator = await simulatorProcess()
  try {
    return await inFolder(async (folder) => {
      const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
      const bare = await makeEmptyApp(folder)
      return measure(
        [bare, `--user-data-dir=${join(folder, 'window')}`],
        [process.cwd(), `--user-data-dir=${join(folder, 'app')}`, provision],
      )
    })
  } finally {
    simulator.stop()
  }
}

function look(args: readonly string[]): Promise<Use> {
  return lookAfter(args, () => pause(restMs))
}

function lookLater(args: readonly string[]): Promise<Use> {
  return lookAfter(args, async ({ leaveField }) => {
    await leaveField()
    await pause(longRestMs)
  })
}

/** What an app used in the time that it was looked at, which begins when it rests; its memory at the end. */
async function lookAfter(
  args: readonly string[],
  rest: (app: Awaited<ReturnType<typeof startUntilReady>>) => Promise<unknown>,
): Promise<Use> {
  const app = await startUntilReady(args)
  try {
    await rest(app)
    const before = await readUse(app.pid)
    await pause(seconds * 1000)
    const after = await readUse(app.pid)
    const during = [...after.wakeUps].map(
      ([thread, count]) => [thread, count - (before.wakeUps.get(thread) ?? 0)] as const,
    )
    return {
      pssKb: after.pssKb,
      writtenBytes: after.writtenBytes - before.writtenBytes,
      writtenByMain: after.writtenByMain - before.writtenByMain,
      wakeUps: new Map(during),
    }
  } finally {
    await app.stop()
  }
}

function toFigures(empty: Use, app: Use): Figure[] {
  return [
    {
      name: 'memory of the idle app, sum of PSS',
      ...{ value: round(app.pssKb / 1000), unit: 'MB', atMost: 1.3 },
      reference: { name: 'an empty electron-vite window', value: empty.pssKb / 1000 },
    },
    {
      name: `written to disks in ${seconds} s`,
      ...{ value: app.writtenBytes, unit: 'bytes', judged: 'value', atMost: 0 },
      reference: { name: 'an empty electron-vite window', value: empty.writtenBytes },
      note: `of the app’s own process ${app.writtenByMain}`,
    },
    ...toWakeUps(empty, app),
  ]
}

function toWakeUps(empty: Use, app: Use, when = ''): Figure[] {
  const rate = ({ wakeUps }: Use, isCounted: (thread: string) => boolean) =>
    sum([...wakeUps].filter(([thread]) => isCounted(thread)).map(([, count]) => count)) / seconds
  const ofMain = (thread: string) => thread.startsWith('main ')
  const busiest = [...app.wakeUps]
    .sort(([, one], [, other]) => other - one)
    .slice(0, 5)
    .map(([thread, count]) => `${thread} ${round(count / seconds)}`)
  return [
    {
      name: `wake-ups of the main process, all threads${when}`,
      ...{ value: round(rate(app, ofMain)), unit: '/s', judged: 'difference', atMost: 1 },
      reference: { name: 'an empty electron-vite window', value: rate(empty, ofMain) },
      note: `most often, a second: ${busiest.join(', ')}`,
    },
    {
      name: `wake-ups of all processes${when}`,
      ...{ value: round(rate(app, () => true)), unit: '/s', judged: 'difference', atMost: 1 },
      reference: { name: 'an empty electron-vite window', value: rate(empty, () => true) },
    },
  ]
}

async function readUse(pid: number): Promise<Use> {
  const processes = await listProcesses(pid)
  const uses = await Promise.all(
    processes.map(async (each) => ({
      pssKb: readNumber(await readProc(`${each}/smaps_rollup`), /^Pss:\s+(\d+)/m),
      writtenBytes: readNumber(await readProc(`${each}/io`), /^write_bytes: (\d+)/m),
      wakeUps: await readWakeUps(each, each === pid ? 'main' : await findKind(each)),
    })),
  )
  return {
    pssKb: sum(uses.map(({ pssKb }) => pssKb)),
    writtenBytes: sum(uses.map(({ writtenBytes }) => writtenBytes)),
    // The process itself comes first.
    writtenByMain: uses[0]?.writtenBytes ?? 0,
    wakeUps: new Map(uses.flatMap(({ wakeUps }) => wakeUps)),
  }
}

/** Each thread with its name and id, so that those that begin or end meanwhile are told apart. */
async function readWakeUps(pid: number, kind: string): Promise<[thread: string, count: number][]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  return Promise.all(
    threads.map(async (thread): Promise<[string, number]> => {
      const status = await readProc(`${pid}/task/${thread}/status`)
      const name = /^Name:\s+(.+)/m.exec(status)?.[1] ?? ''
      return [`${kind} ${name} (${thread})`, readNumber(status, /^voluntary_ctxt_switches:\s+(\d+)/m)]
    }),
  )
}

/** Chromium's processes say by a switch what they are for. */
async function findKind(pid: number): Promise<string> {
  return /--type=([\w-]+)/.exec(await readProc(`${pid}/cmdline`))?.[1] ?? 'other'
}

/** A process and all that it started. */
async function listProcesses(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const started = await Promise.all(threads.map((thread) => readProc(`${pid}/task/${thread}/children`)))
  const children = started.flatMap((text) => text.split(' ').filter(Boolean).map(Number))
  return [pid, ...(await Promise.all(children.map(listProcesses))).flat()]
}

/** Empty for a process or thread that has ended. */
function readProc(path: string): Promise<string> {
  return readFile(`/proc/${path}`, 'utf8').catch(() => '')
}

function readNumber(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0)
}

function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0)
}
