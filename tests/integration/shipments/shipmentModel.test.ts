import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { CreationOutcome } from '../../../src/main/carrier/createShipment'
import type { ShipmentRepository } from '../../../src/main/shipments/repository'
import type { ShipmentFiles } from '../../../src/main/shipments/shipmentFiles'
import { appError } from '../../../src/shared/errors'
import { aDraft } from '../../support/drafts'
import { modelRuns } from '../../support/modelRuns'
import { temporaryFolder } from '../../support/temporaryFolder'
import {
  aCreation,
  aLabel,
  bench,
  created,
  refused,
  request,
  ScriptedService,
  unknownWith,
  value,
} from './shippingBench'

const answers = ['created', 'refused', 'unknown', 'unknown-named'] as const
/** The steps at which the app crashes; the step never ends. */
const deaths = ['order', 'sent', 'answer', 'kept', 'outcome'] as const

type Answer = (typeof answers)[number]
type Death = (typeof deaths)[number]

/** The expected state of a shipment. */
interface ExpectedShipment {
  attemptId: string
  reference: string
  state: 'created' | 'refused' | 'unknown'
  /** The label that the service sent and that was stored, or null. */
  label: string | null
  /** The number of first print jobs. */
  jobs: number
  isCancelled: boolean
}

interface Model {
  shipments: ExpectedShipment[]
  /** The references of the creation requests, oldest first. */
  requests: string[]
}

interface Station {
  folder: string
  service: ScriptedService
  running: Awaited<ReturnType<typeof bench>>
}

type Command = fc.AsyncCommand<Model, Station>

function listByReference(model: Readonly<Model>, reference: string): ExpectedShipment[] {
  return model.shipments.filter((each) => each.reference === reference)
}

/** The error that blocks a reference, or undefined. */
function expectedBlocker(
  model: Readonly<Model>,
  reference: string,
  confirmed: ExpectedShipment | undefined,
): string | undefined {
  const earlier = listByReference(model, reference)
  if (earlier.some(({ state }) => state === 'unknown')) return 'shipment-unsettled'
  const created = earlier.filter(({ state }) => state === 'created')
  const last = created.findLast(({ isCancelled }) => !isCancelled) ?? created.at(-1)
  return last === undefined || last === confirmed ? undefined : 'shipment-duplicate'
}

function textOf(attemptId: string): string {
  return `%PDF-1.7 label of ${attemptId}`
}

function answerWith(answer: Answer, attemptId: string): CreationOutcome {
  const creation = aCreation({ labels: [aLabel({ bytes: Buffer.from(textOf(attemptId)) })] })
  if (answer === 'created') return created(creation)
  if (answer === 'refused') return refused(appError('service-refused'))
  return unknownWith(answer === 'unknown-named' ? creation : null)
}

/** Simulates a crash: pending steps never end, and another run opens the same folder. */
async function restart(station: Station): Promise<void> {
  await station.running.close()
  station.running = await bench({ folder: station.folder, service: station.service })
  await station.running.shipping.recover()
}

async function idOf(station: Station, attemptId: string): Promise<string> {
  const shipment = await station.running.shipmentRepository.findAttempt(attemptId)
  if (shipment === undefined) throw new Error('The journal does not know the attempt.')
  return shipment.id
}

/** Makes one step hang forever. Resolves when the step is reached. */
function hangAt(
  death: Death,
  files: ShipmentFiles,
  shipmentRepository: ShipmentRepository,
  service: ScriptedService,
) {
  return new Promise<void>((resolve) => {
    const hang = () => {
      resolve()
      return new Promise<never>(() => undefined)
    }
    if (death === 'order') files.writeOrder = hang
    if (death === 'sent') {
      const writeIntent = shipmentRepository.writeIntent.bind(shipmentRepository)
      shipmentRepository.writeIntent = async (...intent) => (await writeIntent(...intent)) ?? hang()
    }
    if (death === 'answer') service.answer = hang
    if (death === 'kept') files.writeAnswer = hang
    if (death === 'outcome') {
      shipmentRepository.markCreated = hang
      shipmentRepository.markRefused = hang
      shipmentRepository.markUnknown = hang
    }
  })
}

class Create implements Command {
  constructor(
    private readonly reference: string,
    private readonly answer: Answer,
    private readonly death: Death | null,
    private readonly confirms: 'nothing' | 'last' | 'first',
  ) {}

  check(): boolean {
    return true
  }

  async run(model: Model, station: Station): Promise<void> {
    const attemptId = randomUUID()
    const before = listByReference(model, this.reference).filter(({ state }) => state === 'created')
    const confirmed = { nothing: undefined, last: before.at(-1), first: before[0] }[this.confirms]
    const blocker = expectedBlocker(model, this.reference, confirmed)
    const { shipping, files, shipmentRepository } = station.running
    station.service.answer = async () => answerWith(this.answer, attemptId)
    const confirmedDuplicates =
      confirmed === undefined
        ? []
        : [{ reference: this.reference, shipmentId: await idOf(station, confirmed.attemptId) }]
    const asked = request({ attemptId, draft: aDraft({ reference: this.reference }), confirmedDuplicates })

    const isNamed = this.answer === 'created' || this.answer === 'unknown-named'
    // The scripted service stores no answer without a shipment.
    const death = this.death === 'kept' && !isNamed ? 'outcome' : this.death
    if (death !== null && (death === 'order' || blocker === undefined)) {
      const dead = hangAt(death, files, shipmentRepository, station.service)
      void shipping.create(asked)
      await dead
      await restart(station)
    } else {
      // A double click: both calls return the same outcome.
      const [first, second] = await Promise.all([shipping.create(asked), shipping.create(asked)])
      expect(second).toEqual(first)
      if (blocker === undefined) expect(first.ok).toBe(true)
      else expect(first).toMatchObject({ ok: false, error: { code: blocker } })
    }

    if (blocker !== undefined || death === 'order') return
    if (death !== 'sent') model.requests.push(this.reference)
    const isKnown = death === null || (death === 'outcome' && isNamed)
    const state = isKnown && this.answer !== 'unknown-named' ? this.answer : 'unknown'
    const label = isKnown && isNamed ? textOf(attemptId) : null
    const jobs = state === 'created' ? 1 : 0
    model.shipments.push({ attemptId, reference: this.reference, state, label, jobs, isCancelled: false })
  }

  toString(): string {
    return `create ${this.reference}, ${this.answer}, confirms ${this.confirms}, dies at ${this.death}`
  }
}

/** Two windows or lists ship one reference at the same time. */
class CreateTwice implements Command {
  constructor(private readonly reference: string) {}

  check(): boolean {
    return true
  }

  async run(model: Model, station: Station): Promise<void> {
    const blocker = expectedBlocker(model, this.reference, undefined)
    const attempts = [randomUUID(), randomUUID()]
    station.service.answer = async () =>
      created(aCreation({ labels: [aLabel({ bytes: Buffer.from(textOf(this.reference)) })] }))
    const results = await Promise.all(
      attempts.map((attemptId) =>
        station.running.shipping.create(request({ attemptId, draft: aDraft({ reference: this.reference }) })),
      ),
    )
    const winner = attempts[results.findIndex(({ ok }) => ok)]
    expect(results.filter(({ ok }) => ok)).toHaveLength(blocker === undefined ? 1 : 0)
    if (winner === undefined) return
    model.requests.push(this.reference)
    const label = textOf(this.reference)
    const shipped = { attemptId: winner, reference: this.reference, state: 'created' } as const
    model.shipments.push({ ...shipped, label, jobs: 1, isCancelled: false })
  }

  toString(): string {
    return `create ${this.reference} twice at once`
  }
}

/** Repeats an earlier attempt. */
class Repeat implements Command {
  constructor(private readonly index: number) {}

  check(model: Readonly<Model>): boolean {
    return model.shipments.length > 0
  }

  async run(model: Model, station: Station): Promise<void> {
    const shipment = model.shipments[this.index % model.shipments.length]
    if (shipment === undefined) return
    const { attemptId, reference, state } = shipment
    const again = await station.running.shipping.create(request({ attemptId, draft: aDraft({ reference }) }))
    expect(value(again).state).toBe(state)
  }

  toString(): string {
    return `repeat attempt ${this.index}`
  }
}

class Resolve implements Command {
  constructor(
    private readonly reference: string,
    private readonly verdict: 'exists' | 'does-not-exist',
  ) {}

  check(): boolean {
    return true
  }

  async run(model: Model, station: Station): Promise<void> {
    for (const shipment of listByReference(model, this.reference)) {
      const id = await idOf(station, shipment.attemptId)
      const result = await station.running.shipping.resolveUnknown(id, this.verdict, null)
      expect(result.ok).toBe(shipment.state === 'unknown')
      if (shipment.state === 'unknown') shipment.state = this.verdict === 'exists' ? 'created' : 'refused'
    }
  }

  toString(): string {
    return `resolve ${this.reference}: ${this.verdict}`
  }
}

class Cancel implements Command {
  constructor(private readonly reference: string) {}

  check(): boolean {
    return true
  }

  async run(model: Model, station: Station): Promise<void> {
    const last = listByReference(model, this.reference).findLast(({ state }) => state === 'created')
    if (last === undefined) return
    const id = await idOf(station, last.attemptId)
    value(await station.running.shipping.noteCancellation(id, 'Not wanted any more'))
    last.isCancelled = true
  }

  toString(): string {
    return `cancel the last ${this.reference}`
  }
}

class Restart implements Command {
  check(): boolean {
    return true
  }

  async run(_model: Model, station: Station): Promise<void> {
    await restart(station)
  }

  toString(): string {
    return 'restart'
  }
}

/** Compares the station with the model after each command. */
class Checked implements Command {
  constructor(private readonly command: Command) {}

  check(model: Readonly<Model>): boolean {
    return this.command.check(model)
  }

  async run(model: Model, station: Station): Promise<void> {
    await this.command.run(model, station)
    const { shipmentRepository, labels, jobs } = station.running
    expect(station.service.sent.map(({ reference }) => reference)).toEqual(model.requests)
    expect(await shipmentRepository.count()).toBe(model.shipments.length)
    for (const { attemptId, state, label, jobs: jobCount } of model.shipments) {
      const shipment = await shipmentRepository.findAttempt(attemptId)
      expect(shipment?.state).toBe(state)
      if (shipment === undefined || label === null) continue
      const [kept] = value(await labels.listByShipment(shipment.id)).labels
      expect(kept?.bytes.toString()).toBe(label)
      expect(await jobs.listByShipment(shipment.id)).toHaveLength(jobCount)
    }
  }

  toString(): string {
    return String(this.command)
  }
}

const reference = fc.constantFrom('ORDER-1', 'ORDER-2')

const anyCommand = fc
  .oneof(
    {
      weight: 6,
      arbitrary: fc
        .tuple(
          reference,
          fc.constantFrom(...answers),
          fc.option(fc.constantFrom(...deaths)),
          fc.constantFrom('nothing' as const, 'last' as const, 'first' as const),
        )
        .map((parts): Command => new Create(...parts)),
    },
    { weight: 1, arbitrary: reference.map((each): Command => new CreateTwice(each)) },
    { weight: 2, arbitrary: fc.nat(9).map((index): Command => new Repeat(index)) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(reference, fc.constantFrom('exists' as const, 'does-not-exist' as const))
        .map((parts): Command => new Resolve(...parts)),
    },
    { weight: 1, arbitrary: reference.map((each): Command => new Cancel(each)) },
    { weight: 1, arbitrary: fc.constant<Command>(new Restart()) },
  )
  .map((command): Command => new Checked(command))

it('shipping sends only allowed requests and matches the model after each step of random histories with crashes', {
  retry: 0,
  timeout: 60_000 + modelRuns * 2000,
}, async () => {
  const folders = await temporaryFolder()
  await fc.assert(
    fc.asyncProperty(fc.commands([anyCommand], { maxCommands: 12, size: 'max' }), async (commands) => {
      const folder = await mkdtemp(join(folders, 'run-'))
      const service = new ScriptedService()
      const station: Station = { folder, service, running: await bench({ folder, service }) }
      try {
        await fc.asyncModelRun(() => ({ model: { shipments: [], requests: [] }, real: station }), commands)
      } finally {
        await station.running.close()
        await rm(folder, { recursive: true, force: true })
      }
    }),
    { numRuns: modelRuns },
  )
})
