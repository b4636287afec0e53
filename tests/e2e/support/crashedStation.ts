import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import Libsql from 'libsql'
import { _electron, type Page } from 'playwright'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import type { Simulator } from '../../../src/simulator/simulator'
import { buildWorker } from '../../support/builtWorker'
import type { CrashOrder } from '../../support/crash/order'
import { aDraft } from '../../support/drafts'
import { startZplMachine, type ZplMachine } from '../../support/printing/zplMachine'
import { temporaryFolder } from '../../support/temporaryFolder'
import { testSimulator } from '../../support/testStation'
import { appArguments, electron } from './electron'
import { provisionSwitch, stationProvisioning } from './provisioned'

const repo = join(import.meta.dirname, '..', '..', '..')

/** The configuration of a station under test. */
export interface CrashVariant {
  /** Creations in flight: one by the hot folder, or four at once by the window. */
  inFlight: 1 | 4
  delivery: 'in-answer' | 'by-url'
  printer: 'folder' | 'socket'
}

/** The boundary at which, or the time after which, a run of the app is killed. */
export type Kill = { at: string; passes: number } | { afterMs: number } | 'never'

/** A boundary that the app reached, and its subject. */
export interface Reached {
  boundary: string
  subject: string
}

/** A station that is killed and restarted; the service and the printer keep running. */
export interface CrashedStation {
  data: string
  exchange: string
  simulator: Simulator
  machine: ZplMachine | undefined
  /** Every reference that was ordered. */
  references: string[]
  /** One run of the app with new orders. Orders of the previous run are placed again, or those of all runs. */
  run(kill: Kill, isAllAgain?: boolean): Promise<{ wasKilled: boolean; reached: Reached[]; ms: number }>
  /** The boundaries that all runs have reached. */
  reached(): Promise<Reached[]>
}

/** Makes an app that loads the hooks and then the built app. */
async function buildCrashApp(): Promise<string> {
  const hooks = await buildWorker('crashHooks', 'tests/support/crash/hooks.ts')
  const folder = join(repo, 'out', 'tests', 'crashApp')
  await mkdir(folder, { recursive: true })
  const description: unknown = JSON.parse(await readFile(join(repo, 'package.json'), 'utf8'))
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify(Object.assign({}, description, { main: 'main.mjs' })),
  )
  const app = pathToFileURL(join(repo, 'out', 'main', 'index.js'))
  await writeFile(join(folder, 'main.mjs'), `import '${hooks}'\nawait import('${app}')\n`)
  return folder
}
let built: Promise<string> | undefined

function order(reference: string): string {
  return JSON.stringify({
    ...{ reference, first_name: 'Jannie', last_name: 'de Vries', street: 'Keizersgracht' },
    ...{ house_number: '12A', postal_code: '1015 CJ', city: 'Amsterdam' },
  })
}

/** A run is finished when all its orders have outcomes and no boundary was reached for this long. */
const quietMs = 700
const maxRunMs = 60_000

/** A provisioned station that has shipped one order and has exited normally. */
export async function crashedStation({ inFlight, delivery, printer }: CrashVariant): Promise<CrashedStation> {
  built ??= buildCrashApp()
  const appFolder = await built
  const folder = await temporaryFolder()
  const [data, exchange] = [join(folder, 'data'), join(folder, 'exchange')]
  const simulator = await testSimulator()
  // The delay gives kills time while the service works.
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'slow', ms: 30 } })
  const machine = printer === 'socket' ? await startZplMachine() : undefined
  const base = stationProvisioning(simulator.baseUrl)
  const provision = await provisionSwitch(folder, {
    ...base,
    // The URL of a label survives a kill only where encrypted storage is allowed.
    account: { ...base.account, allowWeakStorage: true },
    ...(inFlight === 1 && { hotFolder: { path: exchange, print: true } }),
    ...(machine !== undefined && {
      printers: [
        {
          ...{ id: 'file', driver: 'socket', host: '127.0.0.1', port: machine.port, dpi: 203 },
          stock: { widthMm: 100, heightMm: 150 },
        },
      ],
    }),
  })
  const logs: string[] = []
  const references: string[] = []
  let before: string[] = []

  async function readLog(log: string | undefined): Promise<Reached[]> {
    const text = log === undefined ? '' : await readFile(log, 'utf8').catch(() => '')
    return text.split('\n').flatMap((line) => {
      const [boundary, subject] = line.split('\t')
      return boundary === undefined || subject === undefined ? [] : [{ boundary, subject }]
    })
  }

  function toEnvironment(kill: Kill, log: string): Record<string, string | undefined> {
    const crash: CrashOrder = {
      ...{ log, dataFolder: data, watched: [data, exchange] },
      ...(typeof kill === 'object' && 'at' in kill ? kill : { at: null, passes: 0 }),
      ports: {
        [new URL(simulator.baseUrl).port]: 'service',
        ...(machine !== undefined && { [String(machine.port)]: 'printer' }),
      },
    }
    return { ...process.env, PACKBENCH_CRASH: JSON.stringify(crash) }
  }

  /** The arguments of the app, with the folder of the app with hooks. */
  function toArguments(more: readonly string[]): string[] {
    return [appFolder, ...appArguments(data, [...more, provision]).slice(1)]
  }

  async function drop(name: string, reference: string): Promise<void> {
    await mkdir(join(exchange, 'in'), { recursive: true })
    await writeFile(join(exchange, name), order(reference))
    await rename(join(exchange, name), join(exchange, 'in', `${name}.json`))
  }

  /** Waits until all orders have outcomes and the app is idle, or has exited. */
  async function whenQuiet(
    log: string,
    isDone: () => Promise<boolean>,
    hasEnded: () => boolean,
  ): Promise<void> {
    const giveUpAt = Date.now() + maxRunMs
    let seen = { length: -1, at: Date.now() }
    while (!hasEnded()) {
      const { length } = await readFile(log).catch(() => '')
      if (length !== seen.length) seen = { length, at: Date.now() }
      else if (Date.now() - seen.at > quietMs && (await isDone())) return
      if (Date.now() > giveUpAt)
        throw new Error(`the app does not become idle: ${(await readLog(log)).at(-1)?.boundary}`)
      await pause(30)
    }
  }

  async function killAfter(afterMs: number, log: string, child: ChildProcess): Promise<void> {
    while ((await readLog(log)).length === 0 && child.exitCode === null && child.signalCode === null)
      await pause(10)
    await pause(afterMs)
    child.kill('SIGKILL')
  }

  /** Follows the app until it is killed, or is idle and exits normally. */
  async function follow(child: ChildProcess, kill: Kill, log: string, isDone: () => Promise<boolean>) {
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null
    const ended = hasEnded() ? Promise.resolve() : once(child, 'exit')
    if (typeof kill === 'object' && 'afterMs' in kill) await killAfter(kill.afterMs, log, child)
    else {
      await whenQuiet(log, isDone, hasEnded)
      if (!hasEnded()) child.kill('SIGTERM')
    }
    await ended
  }

  async function runHidden(kill: Kill, log: string, ordered: readonly string[]): Promise<ChildProcess> {
    const names = [...ordered, ...before.map((reference) => `${reference}-again`)]
    for (const name of names) await drop(name, name.replace('-again', ''))
    const child = spawn(electron().binary, toArguments(['--hidden']), {
      env: toEnvironment(kill, log),
      stdio: 'ignore',
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const isDone = async () => {
      const left = await Promise.all(
        ['in', 'work'].map((place) => readdir(join(exchange, place)).catch(() => [''])),
      )
      return left.flat().length === 0
    }
    await follow(child, kill, log, isDone)
    return child
  }

  async function runWindow(
    kill: Kill,
    log: string,
    ordered: readonly string[],
  ): Promise<ChildProcess | undefined> {
    const environment = Object.entries(toEnvironment(kill, log)).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value] as const],
    )
    let failure = ''
    const app = await _electron
      .launch({
        executablePath: electron().binary,
        args: toArguments([]),
        chromiumSandbox: true,
        env: Object.fromEntries(environment),
        // An app that is killed during its start never gets ready: Playwright waits for it until this time-out.
        ...(kill !== 'never' && { timeout: 15_000 }),
      })
      .catch((error: unknown) => {
        failure = String(error)
      })
    if (app === undefined) {
      if (kill === 'never') throw new Error(`the app did not start: ${failure}`)
      return undefined
    }
    const child = app.process()
    onTestFinished(() => void child.kill('SIGKILL'))
    let isDone = false
    void app
      .firstWindow()
      .then((page) => createAll(page, [...ordered, ...before]))
      .then(
        () => {
          isDone = true
        },
        (error: unknown) => {
          failure = String(error)
        },
      )
    await follow(child, kill, log, async () => isDone && countOpenJobs(join(data, 'packbench.db')) === 0)
    if (kill === 'never' && !isDone) throw new Error(`the app ended before its work: ${failure}`)
    return child
  }

  const station: CrashedStation = {
    ...{ data, exchange, simulator, machine, references },
    async run(kill, isAllAgain = false) {
      const log = join(folder, `reached-${logs.length}.log`)
      const isFirst = logs.length === 0
      const ordered = Array.from(
        { length: isFirst ? 1 : inFlight },
        (_, index) => `CRASH-${logs.length}-${index}`,
      )
      logs.push(log)
      // Files of the hot folder need not be dropped again: it keeps every file until it is processed.
      if (isAllAgain && inFlight > 1) before = [...references]
      references.push(...ordered)
      const startedAt = Date.now()
      const child = await (inFlight === 1 ? runHidden : runWindow)(kill, log, ordered)
      before = ordered
      const wasKilled = child === undefined || child.signalCode === 'SIGKILL'
      return { wasKilled, reached: await readLog(log), ms: Date.now() - startedAt }
    },
    reached: async () => (await Promise.all(logs.map(readLog))).flat(),
  }
  await station.run('never')
  const settings = join(data, 'settings.json')
  const chosen: unknown = JSON.parse(await readFile(settings, 'utf8'))
  await writeFile(settings, JSON.stringify(Object.assign({}, chosen, { labelDelivery: delivery })))
  return station
}

const counted = z.array(z.object({ total: z.int() }))

/** The number of print jobs that are queued or being sent. */
function countOpenJobs(file: string): number {
  const database = new Libsql(file)
  try {
    const open = "select count(*) as total from print_jobs where state in ('queued', 'sending')"
    return counted.parse(database.prepare(open).all())[0]?.total ?? 0
  } finally {
    database.close()
  }
}

/** Creates shipments at the same time, by the bridge. */
async function createAll(page: Page, references: readonly string[]): Promise<void> {
  await page.locator('html[data-ready="true"]').waitFor({ timeout: maxRunMs })
  // After a kill the app accepts no orders before the database is checked. `whenQuiet` fails a run that never accepts any.
  while (!(await page.evaluate(takesOrders))) await pause(50)
  const inputs = references.map((reference) => ({
    attemptId: randomUUID(),
    draft: aDraft({ reference, carrierId: 1, carrierOptionId: 11 }),
  }))
  await page.evaluate((all) => Promise.all(all.map((each) => window.packbench.createShipment(each))), inputs)
}

/** Whether the station accepts orders. Runs in the page. */
async function takesOrders(): Promise<boolean> {
  const status = await window.packbench.getAppStatus(undefined)
  return status.ok && status.value.startError === null && status.value.account.state !== 'none'
}
