import { hash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Libsql from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { migrations } from '../../src/main/storage/migrations'
import type { Fault } from '../../src/simulator/faults'
import { turnIntoOlderDatabase } from '../support/olderDatabase'
import { startZplMachine } from '../support/printing/zplMachine'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { startPlain } from './support/electron'
import { provisionSwitch, stationProvisioning } from './support/provisioned'

/** The number of shipments, set by `npm run prove:soak`; 0 skips the test. */
const shipments = Number(process.env.PACKBENCH_SOAK ?? 0)
const linesOfFile = 50
/** The service's faults, of which one applies to every 20th shipment in turn. */
const faults: Fault[] = [
  { kind: 'refused', message: 'no such street' },
  { kind: 'status', status: 500 },
  { kind: 'htmlError', created: true },
  { kind: 'resetAfterReading' },
  { kind: 'cutOff' },
  { kind: 'badBase64' },
]
const outages = { everyMs: 9_000, forMs: 2_000 }
/** In the middle of the run the database is set back to this version, so that the newest migrations run over all shipments. */
const olderVersion = migrations.length - 8

/** The resources of the app's main process at a moment. */
interface Sample {
  shipped: number
  at: number
  rssMb: number
  handles: number
  threads: number
  /** The number of files in the data folder, without labels, printed files and Chromium's files. */
  files: number
}

async function readSample(pid: number, data: string, shipped: number): Promise<Sample> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const number = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  const names = await readdir(data, { recursive: true })
  return {
    ...{ shipped, at: Date.now(), rssMb: number('VmRSS') / 1024, threads: number('Threads') },
    handles: (await readdir(`/proc/${pid}/fd`)).length,
    files: names.filter((name) => !/^(?:labels|out|browser)\//.test(name)).length,
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? Number.NaN
}

/** Medians of the second and the last quarter of a run; the first is left out, because growth after a start is no leak. */
function findTrend(samples: readonly Sample[], get: (sample: Sample) => number) {
  const quarter = Math.max(1, Math.floor(samples.length / 4))
  const early = median(samples.slice(quarter, 2 * quarter).map(get))
  return { early: Math.round(early), late: Math.round(median(samples.slice(-quarter).map(get))) }
}

const logLine = z.object({ level: z.string(), msg: z.string() })

async function listErrors(data: string): Promise<string[]> {
  const folder = join(data, 'logs')
  const texts = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')))
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => {
        const { level, msg } = logLine.parse(JSON.parse(line))
        return level === 'error' ? [`${msg}: ${line}`] : []
      }),
  )
}

it.runIf(shipments > 0)(
  `ships ${shipments} orders with failing printers, a failing service and an upgrade, without growth of memory, handles, threads or files`,
  { retry: 0, timeout: 60_000 + shipments * 1000 },
  async () => {
    const folder = await temporaryFolder()
    const [data, exchange] = [join(folder, 'data'), join(folder, 'exchange')]
    const simulator = await testSimulator()
    const machine = await startZplMachine({ labelMs: 1 })
    const provision = await provisionSwitch(folder, {
      ...stationProvisioning(simulator.baseUrl),
      hotFolder: { path: exchange, print: true },
      printers: [
        {
          ...{ id: 'zebra', driver: 'socket', host: '127.0.0.1', port: machine.port, dpi: 203 },
          stock: { widthMm: 100, heightMm: 150 },
        },
        { id: 'file', driver: 'folder', path: 'out' },
      ],
      routing: [{ printer: 'zebra', standby: 'file' }],
    })
    const references = Array.from({ length: shipments }, (_, index) => `SOAK-${index}`)
    for (const [index, reference] of references.entries()) {
      const fault = faults[Math.floor(index / 20) % faults.length]
      if (index % 20 === 7 && fault !== undefined)
        simulator.faults.add({ operation: 'shipment', fault, reference, times: 1 })
    }
    const printed = new Set<string>()
    let physical = 0
    const flapping = setInterval(() => {
      machine.cutPower()
      machine.is.state = { paperOut: true }
      setTimeout(() => {
        machine.is.state = {}
      }, outages.forMs)
    }, outages.everyMs)
    onTestFinished(() => clearInterval(flapping))

    const start = () => startPlain(data, ['--hidden', provision])
    const dropFile = async (from: number) => {
      const lines = references.slice(from, from + linesOfFile).map((reference) => ({
        ...{ reference, last_name: 'de Vries', street: 'Keizersgracht', house_number: '12A' },
        ...{ postal_code: '1015 CJ', city: 'Amsterdam' },
      }))
      await mkdir(join(exchange, 'in'), { recursive: true })
      const name = `soak-${String(from).padStart(6, '0')}.json`
      await writeFile(join(exchange, name), JSON.stringify(lines))
      await rename(join(exchange, name), join(exchange, 'in', name))
    }
    const countLeft = async () => {
      const left = await Promise.all(
        ['in', 'work'].map((place) => readdir(join(exchange, place)).catch(() => [''])),
      )
      return left.flat().length
    }

    /** Ships a part of the orders in one run of the app. */
    async function runPart(from: number, to: number): Promise<Sample[]> {
      const app = start()
      const samples: Sample[] = []
      let handed = from
      while (handed < to || (await countLeft()) > 0) {
        if (app.process.exitCode !== null) throw new Error(`the app ended: ${app.stderr()}`)
        // Up to four files wait, as in a shop that exports from time to time.
        for (let left = await countLeft(); left < 4 && handed < to; left += 1, handed += linesOfFile)
          await dropFile(handed)
        for (const label of machine.printed.splice(0)) {
          physical += 1
          printed.add(hash('sha256', label))
        }
        const shipped = simulator.ledger.entries.length
        if (shipped - (samples.at(-1)?.shipped ?? from) >= shipments / 40) {
          const sample = await readSample(app.process.pid ?? 0, data, shipped)
          samples.push(sample)
          process.stdout.write(`${JSON.stringify(sample)}\n`)
        }
        await pause(50)
      }
      app.process.kill('SIGTERM')
      expect(await app.ended).toBe(0)
      return samples
    }

    const half = Math.floor(shipments / linesOfFile / 2) * linesOfFile
    const parts = [await runPart(0, half)]
    const file = join(data, 'packbench.db')
    turnIntoOlderDatabase(file, olderVersion)
    parts.push(await runPart(half, shipments))

    const database = new Libsql(file)
    onTestFinished(() => void database.close())
    const all = (sql: string) =>
      z.array(z.object({ key: z.string(), total: z.int() })).parse(database.prepare(sql).all())
    const states = all('select state as key, count(*) as total from shipments group by state')
    const jobs = all('select state as key, count(*) as total from print_jobs group by state')
    const { entries } = simulator.ledger
    const trends = parts.map((samples) => ({
      memoryMb: findTrend(samples, ({ rssMb }) => rssMb),
      handles: findTrend(samples, ({ handles }) => handles),
      threads: findTrend(samples, ({ threads }) => threads),
      files: findTrend(samples, ({ files }) => files),
      perSecond:
        ((samples.at(-1)?.shipped ?? 0) - (samples[0]?.shipped ?? 0)) /
        (((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0)) / 1000),
    }))
    process.stdout.write(
      `${JSON.stringify({ requests: entries.length, states, jobs, physical, trends }, null, 1)}\n`,
    )

    const requests = new Map<string, number>()
    for (const { reference } of entries) requests.set(reference, (requests.get(reference) ?? 0) + 1)
    expect([...requests.values()].filter((count) => count !== 1)).toEqual([])
    expect(states.reduce((sum, { total }) => sum + total, 0)).toBe(shipments)
    expect(
      states.map(({ key }) => key).filter((key) => !['created', 'refused', 'unknown'].includes(key)),
    ).toEqual([])
    expect(
      jobs.map(({ key }) => key).filter((key) => ['queued', 'sending', 'waiting'].includes(key)),
    ).toEqual([])
    // No label came out twice, and every job that is handed over or done was printed.
    expect(printed.size).toBe(physical)
    const count = (state: string) => jobs.find(({ key }) => key === state)?.total ?? 0
    expect(physical).toBeGreaterThanOrEqual(count('handed-over'))
    expect(physical).toBeLessThanOrEqual(count('handed-over') + count('unconfirmed'))
    expect(await readdir(join(data, 'out'))).toHaveLength(count('done'))
    expect(await listErrors(data)).toEqual([])
    for (const { memoryMb, handles, threads, files } of trends) {
      expect(memoryMb.late).toBeLessThan(memoryMb.early * 1.15 + 10)
      expect(handles.late).toBeLessThanOrEqual(handles.early + 4)
      expect(threads.late).toBeLessThanOrEqual(threads.early + 4)
      // Log rotation may add files.
      expect(files.late).toBeLessThanOrEqual(files.early + 4)
    }
  },
)
