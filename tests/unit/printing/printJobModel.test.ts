import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import type { PrinterDriver, PrinterDrivers, PrintOutcome } from '../../../src/main/printing/drivers/driver'
import type { PrintableLabel } from '../../../src/main/printing/printableLabel'
import { createPrintQueue, type PrintQueue } from '../../../src/main/printing/queue/printQueue'
import type { PrintJobRepository } from '../../../src/main/printing/queue/repository'
import { appError } from '../../../src/shared/errors'
import { type Printer, type PrintJob, printerSchema } from '../../../src/shared/printing'
import { ok } from '../../../src/shared/result'
import { modelRuns } from '../../support/modelRuns'
import { labelsInMemory, labelWith, noInvoices } from '../../support/printing/labels'
import { createMemoryJobs, type MemoryJobs } from '../../support/printing/memoryJobs'
import { printingSettings } from '../../support/printing/printingSettings'
import { silentLog } from '../../support/silentLog'

const printers: Printer[] = [
  printerSchema.parse({ id: 'zebra', driver: 'socket', host: 'h' }),
  printerSchema.parse({ id: 'cups', driver: 'system', queue: 'LABEL' }),
  printerSchema.parse({ id: 'file', driver: 'folder', path: 'labels' }),
]
const printerIds = printers.map(({ id }) => id)

/** Labels for carrier option 34 go to `zebra`, standby `cups`; those of 35 to `file`, without a standby. */
const routing = [
  { carrierOptionId: 34, printer: 'zebra', standby: 'cups' },
  { carrierOptionId: 35, printer: 'file' },
]

const openStates = ['failed', 'unconfirmed', 'waiting']

/** The possible outcomes of a label that is being sent. */
const endings = {
  'handed over': { kind: 'handed-over' },
  unconfirmed: { kind: 'unconfirmed', error: appError('print-unconfirmed') },
  'torn off': { kind: 'failed', error: appError('printer-failed'), nothingPrinted: false },
} satisfies Record<string, PrintOutcome>
type Ending = keyof typeof endings

/** What the model allows for one label. */
interface Wanted {
  /** The maximum number of prints. */
  prints: number
  /** Whether the operator has cancelled or closed the label. */
  isGivenUp: boolean
}

interface Arrival {
  jobId: string
  end(outcome: PrintOutcome): void
}

/** Physical printers, which survive every run of the app. */
class Floor {
  readonly off = new Set<string>()
  /** Printers on which labels need a placement. */
  readonly unplaced = new Set<string>()
  /** Jobs whose bytes were sent to a printer, in that order. */
  readonly left: string[] = []
  private readonly listeners = new Set<() => void>()

  power(printerId: string, isOn: boolean): void {
    if (isOn) this.off.delete(printerId)
    else this.off.add(printerId)
    for (const listener of [...this.listeners]) listener()
  }

  whenOn(printerId: string): Promise<void> {
    if (!this.off.has(printerId)) return Promise.resolve()
    return new Promise((resolve) => {
      const listener = () => {
        if (this.off.has(printerId)) return
        this.listeners.delete(listener)
        resolve()
      }
      this.listeners.add(listener)
    })
  }
}

/** One run of the app. After `kill` it writes nothing more. */
class Run {
  readonly arrivals: Arrival[] = []
  readonly queue: PrintQueue
  private isKilled = false

  constructor(station: Omit<Station, 'run'>) {
    const { floor, labels, paused } = station
    this.queue = createPrintQueue({
      jobs: this.untilKilled(station.jobs),
      labels: labelsInMemory(labels),
      invoices: noInvoices,
      settings: printingSettings(() => ({ printers, routing })),
      paused: {
        list: async () => [...paused],
        set: async (printerId, isPaused) =>
          void (isPaused ? paused.add(printerId) : paused.delete(printerId)),
      },
      drivers: this.drivers(floor),
      measure: async () => ok([{ widthMm: 100, heightMm: 150 }]),
      log: silentLog,
      now: () => new Date(),
      bus: createEventBus(),
    })
  }

  kill(): void {
    this.isKilled = true
  }

  /** Never answers a call of a killed run, so that nothing of the run is written. */
  private untilKilled(jobs: PrintJobRepository): PrintJobRepository {
    const guarded =
      <A extends unknown[], T>(call: (...args: A) => Promise<T>) =>
      (...args: A): Promise<T> =>
        this.isKilled ? new Promise<never>(() => undefined) : call(...args)
    return {
      add: guarded(jobs.add),
      find: guarded(jobs.find),
      listByShipment: guarded(jobs.listByShipment),
      listByShipments: guarded(jobs.listByShipments),
      listInStates: guarded(jobs.listInStates),
      listQueues: guarded(jobs.listQueues),
      newestInStates: guarded(jobs.newestInStates),
      findLastSent: guarded(jobs.findLastSent),
      change: guarded(jobs.change),
      replace: guarded(jobs.replace),
    }
  }

  private drivers(floor: Floor): PrinterDrivers {
    const driver: PrinterDriver<Printer> = {
      cancellable: false,
      print: async ({ printer, hasStandby, claim, jobId }) => {
        if (floor.off.has(printer.id) && hasStandby) {
          return { kind: 'failed', error: appError('printer-unreachable'), nothingPrinted: true }
        }
        await floor.whenOn(printer.id)
        if (floor.unplaced.has(printer.id)) {
          return { kind: 'failed', error: appError('label-needs-placement'), nothingPrinted: true }
        }
        if (!(await claim())) return { kind: 'not-started' }
        if (this.isKilled) return new Promise<never>(() => undefined)
        floor.left.push(jobId)
        return new Promise((end) => this.arrivals.push({ jobId, end }))
      },
    }
    return { folder: driver, system: driver, socket: driver }
  }
}

interface Station {
  floor: Floor
  jobs: MemoryJobs
  labels: PrintableLabel[]
  paused: Set<string>
  run: Run
}

type Model = Map<string, Wanted>
type Command = fc.AsyncCommand<Model, Station>

/** Waits until the jobs stay the same for four rounds of the event loop. */
async function waitUntilIdle({ jobs, floor }: Station): Promise<void> {
  let before = ''
  for (let same = 0; same < 4; ) {
    await new Promise((resolve) => setImmediate(resolve))
    const now = JSON.stringify([jobs.all().map(({ id, state }) => [id, state]), floor.left.length])
    same = now === before ? same + 1 : 0
    before = now
  }
}

function command(title: string, run: (model: Model, station: Station) => Promise<void>): Command {
  return {
    check: () => true,
    async run(model, station) {
      await run(model, station)
      await waitUntilIdle(station)
      checkPromises(model, station)
    },
    toString: () => title,
  }
}

/** Checks that no label is printed more often than requested and that none is lost. */
function checkPromises(model: Model, { floor, jobs }: Station): void {
  const all = jobs.all()
  expect(floor.left).toEqual([...new Set(floor.left)])
  for (const [labelId, wanted] of model) {
    const own = all.filter((job) => job.labelId === labelId)
    const prints = own.filter(({ id }) => floor.left.includes(id))
    expect(prints.length, 'number of prints of a label').toBeLessThanOrEqual(wanted.prints)
    const waiting = own.filter(({ state }) => state === 'queued' || state === 'waiting')
    expect(waiting.length, 'number of waiting jobs of a label').toBeLessThanOrEqual(1)
    const isAlive = own.some(({ state }) => state !== 'cancelled')
    expect(isAlive || wanted.isGivenUp, 'a label that was not given up has a job').toBe(true)
  }
  for (const job of all) {
    const hasLeft = floor.left.includes(job.id)
    if (job.state === 'queued') expect(hasLeft, 'a queued job was sent').toBe(false)
    if (job.state === 'handed-over' || job.state === 'sending') expect(hasLeft).toBe(true)
  }
}

function pick(station: Station, index: number, states: readonly string[]): PrintJob | undefined {
  const found = station.jobs.all().filter(({ state }) => states.includes(state))
  return found[index % Math.max(found.length, 1)]
}

/** An action of the operator on one of the jobs in these states, if there is one. */
function toJob(
  title: string,
  index: number,
  states: readonly string[],
  act: (job: PrintJob, wanted: Wanted, queue: PrintQueue) => Promise<void>,
): Command {
  return command(`${title} ${index}`, async (model, station) => {
    const job = pick(station, index, states)
    const wanted = model.get(job?.labelId ?? '')
    if (job !== undefined && wanted !== undefined) await act(job, wanted, station.run.queue)
  })
}

const index = fc.nat(7)
const anyState = [...openStates, 'queued', 'sending', 'handed-over', 'cancelled']

const commands = {
  ship: fc.constantFrom(34, 35).map((carrierOptionId) =>
    command(`ship ${carrierOptionId}`, async (model, station) => {
      const label = labelWith({ bytes: Buffer.from('%PDF'), carrierOptionId })
      station.labels.push(label)
      model.set(label.labelId, { prints: 1, isGivenUp: false })
      const { labelId, shipmentId } = label
      const printer = carrierOptionId === 34 ? 'zebra' : 'file'
      const job = { shipmentId, labelId, printerId: printer, printerName: printer, kind: 'first' as const }
      await station.jobs.add([{ id: randomUUID(), ...job }])
      station.run.queue.wake()
    }),
  ),
  end: fc
    .tuple(index, fc.constantFrom<Ending>('handed over', 'handed over', 'unconfirmed', 'torn off'))
    .map(([which, ending]) =>
      command(`${ending} ${which}`, async (_model, station) => {
        const { arrivals } = station.run
        const [arrival] = arrivals.splice(which % Math.max(arrivals.length, 1), 1)
        arrival?.end(endings[ending])
      }),
    ),
  kill: fc.constant(
    command('kill and start', async (_model, station) => {
      station.run.kill()
      station.run = new Run(station)
      await station.run.queue.start()
    }),
  ),
  power: fc
    .tuple(fc.constantFrom(...printerIds), fc.boolean())
    .map(([id, isOn]) =>
      command(`${id} ${isOn ? 'on' : 'off'}`, async (_model, { floor }) => floor.power(id, isOn)),
    ),
  pause: fc
    .tuple(fc.constantFrom(...printerIds), fc.boolean())
    .map(([id, isPaused]) =>
      command(`${id} ${isPaused ? 'pauses' : 'resumes'}`, (_model, { run }) => run.queue.pause(id, isPaused)),
    ),
  again: index.map((which) =>
    toJob('print again', which, anyState, async ({ id }, wanted, queue) => {
      // Simulates a double click.
      const results = await Promise.all([queue.printAgain(id), queue.printAgain(id)])
      wanted.prints += results.filter((result) => result.ok).length
      expect(results.filter((result) => result.ok).length).toBeLessThanOrEqual(1)
    }),
  ),
  reprint: index.map((which) =>
    toJob('reprint the label of', which, anyState, async ({ shipmentId, labelId }, wanted, queue) => {
      const made = await queue.reprint(shipmentId, labelId ?? undefined)
      if (made.ok) {
        wanted.prints += made.value.length
        wanted.isGivenUp = false
      }
    }),
  ),
  move: fc.tuple(index, fc.constantFrom(...printerIds)).map(([which, to]) =>
    toJob(`move to ${to}`, which, anyState, async ({ id, state }, wanted, queue) => {
      const moved = await queue.move(id, to)
      if (moved.ok && state !== 'queued') wanted.prints += 1
    }),
  ),
  cancel: index.map((which) =>
    toJob('cancel', which, anyState, async ({ id }, wanted, queue) => {
      if ((await queue.cancel(id)).ok) wanted.isGivenUp = true
    }),
  ),
  resolve: fc
    .tuple(index, fc.constantFrom('printed' as const, 'not-printed' as const))
    .map(([which, verdict]) =>
      toJob(verdict, which, anyState, async ({ id }, wanted, queue) => {
        if ((await queue.resolveJob(id, verdict)).ok) wanted.isGivenUp = true
      }),
    ),
  place: fc.tuple(fc.constantFrom(...printerIds), fc.boolean()).map(([id, isPlaced]) =>
    command(`labels ${isPlaced ? 'fit' : 'do not fit'} ${id}`, async (_model, { floor }) => {
      if (isPlaced) floor.unplaced.delete(id)
      else floor.unplaced.add(id)
    }),
  ),
  release: fc.constant(
    command('release waiting jobs', async (_model, { run }) => {
      await run.queue.releaseWaiting()
    }),
  ),
}

const anyCommand = fc.oneof(
  { weight: 4, arbitrary: commands.ship },
  { weight: 4, arbitrary: commands.end },
  { weight: 1, arbitrary: commands.kill },
  { weight: 2, arbitrary: commands.power },
  { weight: 1, arbitrary: commands.pause },
  { weight: 2, arbitrary: commands.again },
  { weight: 1, arbitrary: commands.reprint },
  { weight: 1, arbitrary: commands.move },
  { weight: 1, arbitrary: commands.cancel },
  { weight: 1, arbitrary: commands.resolve },
  { weight: 1, arbitrary: commands.place },
  { weight: 1, arbitrary: commands.release },
)

/** Switches every printer on and hands over every label. After that, no job may be queued or being sent. */
async function endAllJobs(station: Station): Promise<void> {
  for (const printerId of printerIds) {
    station.floor.power(printerId, true)
    await station.run.queue.pause(printerId, false)
  }
  await waitUntilIdle(station)
  while (station.run.arrivals.length > 0) {
    for (const arrival of station.run.arrivals.splice(0)) arrival.end({ kind: 'handed-over' })
    await waitUntilIdle(station)
  }
}

it(
  'prints no label more often than requested and loses none, in any order of crashes, failures and operator actions',
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands([anyCommand], { maxCommands: 25, size: 'max' }), async (history) => {
        const base = { floor: new Floor(), jobs: createMemoryJobs(), labels: [], paused: new Set<string>() }
        const station: Station = Object.assign(base, { run: new Run(base) })
        const model: Model = new Map()
        await station.run.queue.start()
        await fc.asyncModelRun(() => ({ model, real: station }), history)
        await endAllJobs(station)
        checkPromises(model, station)
        const left = station.jobs.all().filter(({ state }) => state === 'queued' || state === 'sending')
        expect(left).toEqual([])
        station.run.kill()
      }),
      { numRuns: modelRuns },
    )
  },
  60_000 + modelRuns * 1000,
)
