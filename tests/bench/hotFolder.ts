import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { provisionSwitch, stationProvisioning } from '../e2e/support/provisioned'
import { inFolder, type Parts, simulatorProcess } from './bench'
import { anOrderFile } from './start'

const backlog = Number(process.env.PACKBENCH_BENCH_FILES ?? 10_000)
/** The number of measured files, in a long backlog and in one of only these files. */
const measured = 400
/** The first files are left out, because they are processed while the app starts. */
const skipped = 50

/** The time of an order file in a short backlog and in one of 10,000. */
export const parts: Parts = {
  async *backlog() {
    const few = await measureFiles(measured + skipped)
    const many = await measureFiles(backlog)
    yield {
      name: `an order file of ${backlog.toLocaleString('en')} that wait`,
      ...{ value: many.perFileMs, unit: 'ms', atMost: 1.25 },
      reference: { name: `of ${measured + skipped} that wait`, value: few.perFileMs },
      note: `${measured} of them, from result to result, printed into a folder`,
    }
    yield {
      name: `start of the app to the first result, ${backlog.toLocaleString('en')} waiting`,
      ...{ value: many.firstMs, unit: 'ms', atMost: 1.25 },
      reference: { name: `${measured + skipped} waiting`, value: few.firstMs },
    }
  },
}

interface Times {
  /** From the start of the app to the first result. */
  firstMs: number
  perFileMs: number
}

/** Measures a hidden app that finds a backlog of one-order files in `in/`. */
async function measureFiles(waiting: number): Promise<Times> {
  const simulator = await simulatorProcess()
  try {
    return await inFolder((folder) => measureBacklog(folder, simulator.baseUrl, waiting))
  } finally {
    simulator.stop()
  }
}

async function measureBacklog(folder: string, baseUrl: string, waiting: number): Promise<Times> {
  const exchange = join(folder, 'exchange')
  const inbox = join(exchange, 'in')
  await mkdir(inbox, { recursive: true })
  for (let number = 1; number <= waiting; number += 1) {
    const name = `ORDER-${String(number).padStart(6, '0')}`
    await writeFile(join(inbox, `${name}.json`), JSON.stringify(anOrderFile(name)))
  }
  const provision = await provisionSwitch(folder, {
    ...stationProvisioning(baseUrl),
    hotFolder: { path: exchange, print: true },
  })
  const startedAt = Date.now()
  const app = startHidden(join(folder, 'data'), provision)
  const ended = once(app, 'close')
  try {
    while ((await listResults(exchange)).length < measured + skipped) await pause(100)
  } finally {
    app.kill('SIGTERM')
    await ended
  }
  const times = (await resultTimes(exchange)).slice(0, measured + skipped)
  const rest = times.slice(skipped)
  return {
    firstMs: (times[0] ?? Number.NaN) - startedAt,
    perFileMs: ((rest.at(-1) ?? 0) - (rest[0] ?? 0)) / (rest.length - 1),
  }
}

function startHidden(dataFolder: string, provision: string): ChildProcess {
  const switches = (process.env.PACKBENCH_ELECTRON_SWITCHES ?? '').split(' ').filter(Boolean)
  const args = [process.cwd(), ...switches, `--user-data-dir=${dataFolder}`, '--hidden', provision]
  return spawn(process.env.PACKBENCH_ELECTRON ?? '', args, { stdio: 'ignore' })
}

async function listResults(exchange: string): Promise<string[]> {
  const names = await readdir(join(exchange, 'done')).catch(() => [])
  return names.filter((name) => name.endsWith('.result.json'))
}

/** The times of the results, in ascending order. */
async function resultTimes(exchange: string): Promise<number[]> {
  const names = await listResults(exchange)
  const times = await Promise.all(
    names.map(async (name) => (await stat(join(exchange, 'done', name))).mtimeMs),
  )
  return times.sort((one, other) => one - other)
}
