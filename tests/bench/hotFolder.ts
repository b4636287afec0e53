import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { provisionSwitch, stationProvisioning } from '../e2e/support/provisioned'
import { type Figure, inFolder, round, simulatorProcess } from './bench'

const backlog = Number(process.env.PACKBENCH_BENCH_FILES ?? 10_000)
const portion = Math.min(1_000, backlog / 2)

/** A hidden app that finds a backlog of one-order files in `in/`: how long it takes for each of the first and last ones. */
export async function measure(): Promise<Figure[]> {
  const simulator = await simulatorProcess()
  try {
    return await inFolder((folder) => measureBacklog(folder, simulator.baseUrl))
  } finally {
    simulator.stop()
  }
}

async function measureBacklog(folder: string, baseUrl: string): Promise<Figure[]> {
  const exchange = join(folder, 'exchange')
  const inbox = join(exchange, 'in')
  await mkdir(inbox, { recursive: true })
  for (let number = 1; number <= backlog; number += 1) {
    const name = `ORDER-${String(number).padStart(6, '0')}`
    await writeFile(join(inbox, `${name}.json`), JSON.stringify(order(name)))
  }
  const provision = await provisionSwitch(folder, {
    ...stationProvisioning(baseUrl),
    hotFolder: { path: exchange, print: true },
  })
  const startedAt = Date.now()
  const app = startHidden(join(folder, 'data'), provision)
  const ended = once(app, 'close')
  try {
    while (!(await isWorkedOff(exchange))) await pause(1_000)
  } finally {
    app.kill('SIGTERM')
    await ended
  }
  return figures(await resultTimes(join(exchange, 'done')), startedAt)
}

function order(reference: string) {
  return {
    reference,
    last_name: 'de Vries',
    street: 'Keizersgracht',
    house_number: '12A',
    postal_code: '1015 CJ',
    city: 'Amsterdam',
  }
}

function startHidden(dataFolder: string, provision: string): ChildProcess {
  const switches = (process.env.PACKBENCH_ELECTRON_SWITCHES ?? '').split(' ').filter(Boolean)
  const args = [process.cwd(), ...switches, `--user-data-dir=${dataFolder}`, '--hidden', provision]
  return spawn(process.env.PACKBENCH_ELECTRON ?? '', args, { stdio: 'ignore' })
}

async function isWorkedOff(exchange: string): Promise<boolean> {
  const left = await Promise.all(
    ['in', 'work'].map((place) => readdir(join(exchange, place)).catch(() => [''])),
  )
  return left.flat().length === 0
}

/** When each file got its result, in order. */
async function resultTimes(done: string): Promise<number[]> {
  const names = (await readdir(done)).filter((name) => name.endsWith('.result.json'))
  const times = await Promise.all(names.map(async (name) => (await stat(join(done, name))).mtimeMs))
  return times.sort((one, other) => one - other)
}

function figures(times: readonly number[], startedAt: number): Figure[] {
  const first = perFile(times.slice(0, portion))
  const last = perFile(times.slice(-portion))
  return [
    { name: 'order files with a result in done/', value: times.length, unit: 'files' },
    {
      name: 'from the start of the app to the first result',
      value: round((times[0] ?? 0) - startedAt),
      unit: 'ms',
    },
    { name: `a file, the first ${portion}`, value: round(first), unit: 'ms' },
    { name: `a file, the last ${portion}`, value: round(last), unit: 'ms' },
    { name: 'the last ones over the first ones', value: round(last / first), unit: 'x', limit: 1.25 },
  ]
}

function perFile(times: readonly number[]): number {
  return ((times.at(-1) ?? 0) - (times[0] ?? 0)) / (times.length - 1)
}
