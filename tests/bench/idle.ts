import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { provisionSwitch, stationProvisioning } from '../e2e/support/provisioned'
import { type Figure, inFolder, type Parts, round, simulatorProcess } from './bench'
import { makeEmptyApp } from './start'
import { startUntilReady } from './startedApp'

/** The measured time of an idle app; 600 for the ten minutes of the goal. */
const seconds = Number(process.env.PACKBENCH_BENCH_IDLE_SECONDS ?? 60)
/** The time of the background work after a start. */
const restMs = 15_000
/** The time after which the garbage collections that follow a start have also run, in every thread with a heap. */
const longRestMs = 60_000

interface Use {
  /** Sum of the proportional set sizes, in kB. */
  pssKb: number
  /** Bytes that its processes had written to disks. */
  writtenBytes: number
  /** The bytes of these that the main process had written, without Chromium's other processes. */
  writtenByMain: number
  /** Voluntary context switches by «process thread»: each wake-up of a thread ends with one. */
  wakeUps: ReadonlyMap<string, number>
}

/** The resources that an idle app uses, compared with an empty window (Linux only). */
export const parts: Parts = { window: measureWindow, later: measureLater }

async function* measureWindow(): AsyncGenerator<Figure> {
  yield* await withApps(async (empty, app) => toFigures(await measureUse(empty), await measureUse(app)))
}

/** Wake-ups without a focused field, whose caret blinks in the tests' runtime, and after the background work of the start. */
async function* measureLater(): AsyncGenerator<Figure> {
  yield* await withApps(async (...both) => {
    const [empty, app] = await Promise.all([measureUseLater(both[0]), measureUseLater(both[1])])
    return toWakeUps(empty, app, ', a minute after the start, no field with the focus')
  })
}

/** @param measure receives the arguments of an empty window and those of the app */
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

function measureUse(args: readonly string[]): Promise<Use> {
  return measureUseAfter(args, () => pause(restMs))
}

function measureUseLater(args: readonly string[]): Promise<Use> {
  return measureUseAfter(args, async ({ leaveField }) => {
    await leaveField()
    await pause(longRestMs)
  })
}

/** The resources that an app used in the measured time, which begins once it is idle, and its memory at the end of it. */
async function measureUseAfter(
  args: readonly string[],
  waitUntilIdle: (app: Awaited<ReturnType<typeof startUntilReady>>) => Promise<unknown>,
): Promise<Use> {
  const app = await startUntilReady(args)
  try {
    await waitUntilIdle(app)
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
    // The first entry is the main process.
    writtenByMain: uses[0]?.writtenBytes ?? 0,
    wakeUps: new Map(uses.flatMap(({ wakeUps }) => wakeUps)),
  }
}

/** The count of each thread by name and id, so that threads that start or end during the measurement stay distinct. */
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

/** The kind of a Chromium process, from its command line. */
async function findKind(pid: number): Promise<string> {
  return /--type=([\w-]+)/.exec(await readProc(`${pid}/cmdline`))?.[1] ?? 'other'
}

/** A process and all its descendants. */
async function listProcesses(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const started = await Promise.all(threads.map((thread) => readProc(`${pid}/task/${thread}/children`)))
  const children = started.flatMap((text) => text.split(' ').filter(Boolean).map(Number))
  return [pid, ...(await Promise.all(children.map(listProcesses))).flat()]
}

/** The text of a file in /proc; empty for a process or thread that has ended. */
function readProc(path: string): Promise<string> {
  return readFile(`/proc/${path}`, 'utf8').catch(() => '')
}

function readNumber(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? 0)
}

function sum(values: readonly number[]): number {
  return values.reduce((one, other) => one + other, 0)
}
