import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { connectToFleet } from '../../../src/main/fleet/connection'
import { FleetRepository } from '../../../src/main/fleet/fleetRepository'
import { prepareSchema } from '../../../src/main/fleet/schemaRepository'
import { StationsRepository } from '../../../src/main/fleet/stationsRepository'
import { modelRuns } from '../../support/modelRuns'
import { postgresOfBlock, postgresPassword } from '../../support/privatePostgres'

const postgres = postgresOfBlock()

const stationIds = ['a', 'b', 'c']

/** One creation at one station, and whether the service really made the shipment. */
interface Attempt {
  station: string
  reference: string
  attemptId: string
  shipmentId: string
  /** `claimed` is only in the station's memory, every later stage also in its journal. */
  stage: 'claimed' | 'intended' | 'sent' | 'created' | 'refused' | 'unknown'
  /** Whether the service has made the shipment. */
  exists: boolean
  /** The shipment that a person confirmed. */
  confirmed: string | undefined
  /** The stage that was published last; null before the first publication. */
  published: Attempt['stage'] | null
  /** Whether the attempt began while the database was unreachable. */
  isAway: boolean
}

interface Model {
  attempts: Attempt[]
}

interface Fleet {
  repository: FleetRepository
  stations: StationsRepository
  /** Prefix of this history's references, so that histories do not share any. */
  history: string
}

type Command = fc.AsyncCommand<Model, Fleet>

const open: readonly Attempt['stage'][] = ['intended', 'sent', 'unknown']

function listOf(model: Readonly<Model>, reference: string): Attempt[] {
  return model.attempts.filter((each) => each.reference === reference)
}

function toShared({ shipmentId, attemptId, station, stage, reference }: Attempt, history: string) {
  if (stage === 'claimed') throw new Error('a claim is no shipment yet')
  return {
    ...{ shipmentId: `${history}-${shipmentId}`, attemptId, station, state: stage },
    ...{
      operator: null,
      takenAt: '2026-11-22T10:00:00.000Z',
      barcodes: stage === 'created' ? [shipmentId] : [],
    },
    references: [`${history}-${reference}`] as [string],
    ...{ carrierOptionId: 1, packages: 1, country: 'NL', searchText: null, document: null },
  }
}

async function publish(attempt: Attempt, { repository, history }: Fleet): Promise<void> {
  const published = await repository.publish(toShared(attempt, history))
  expect(published.ok).toBe(true)
  attempt.published = attempt.stage
}

/** Sends the one request. No unconfirmed shipment of the reference may exist, and no other request may be in progress. */
function send(attempt: Attempt, isMade: boolean, model: Model): void {
  attempt.stage = 'sent'
  attempt.exists = isMade
  if (attempt.isAway) return
  const others = listOf(model, attempt.reference).filter((each) => each !== attempt && !each.isAway)
  const made = others.filter(({ exists }) => exists)
  const covered =
    attempt.confirmed === undefined
      ? []
      : made.slice(0, made.findIndex(({ shipmentId }) => shipmentId === attempt.confirmed) + 1)
  expect(made.filter((each) => !covered.includes(each))).toEqual([])
  expect(others.filter(({ stage }) => stage === 'sent')).toEqual([])
}

function answer(attempt: Attempt, isClear: boolean): void {
  if (!isClear) attempt.stage = 'unknown'
  else attempt.stage = attempt.exists ? 'created' : 'refused'
}

/** A command on one of the attempts that it applies to. */
abstract class OnAttempt implements Command {
  constructor(private readonly index: number) {}

  protected abstract fits(attempt: Attempt): boolean
  protected abstract change(attempt: Attempt, model: Model, fleet: Fleet): Promise<void>

  check({ attempts }: Readonly<Model>): boolean {
    return attempts.some((each) => this.fits(each))
  }

  async run(model: Model, fleet: Fleet): Promise<void> {
    const fitting = model.attempts.filter((each) => this.fits(each))
    const attempt = fitting[this.index % fitting.length]
    if (attempt !== undefined) await this.change(attempt, model, fleet)
  }

  toString(): string {
    return `${this.constructor.name}(${this.index})`
  }
}

/** A station begins to ship a reference; a person may have confirmed the shipment that was created last. */
class Begin implements Command {
  constructor(
    private readonly station: string,
    private readonly reference: string,
    private readonly confirms: boolean,
    private readonly isAway: boolean,
    /** The number of further stages that follow at once: intended, sent, answered, published. */
    private readonly steps: number,
    private readonly isMade: boolean,
    private readonly isClear: boolean,
  ) {}

  check(): boolean {
    return true
  }

  async run(model: Model, fleet: Fleet): Promise<void> {
    const { repository, history } = fleet
    const earlier = listOf(model, this.reference)
    const last = earlier.findLast(({ exists, published }) => exists && published === 'created')
    const confirmed = this.confirms ? last?.shipmentId : undefined
    const attempt: Attempt = {
      ...{ station: this.station, reference: this.reference, stage: 'claimed', exists: false },
      ...{
        attemptId: randomUUID(),
        shipmentId: randomUUID(),
        published: null,
        isAway: this.isAway,
        confirmed,
      },
    }
    if (this.isAway) {
      // The station's own guard still checks its own journal.
      if (earlier.every((each) => each.station !== this.station || each.stage === 'refused'))
        model.attempts.push(attempt)
      return
    }
    const claimed = await repository.claim({
      ...{ reference: `${history}-${this.reference}`, station: this.station, operator: null },
      ...{ attemptId: attempt.attemptId, shipmentId: `${history}-${attempt.shipmentId}` },
      confirmedDuplicateOf: confirmed === undefined ? null : `${history}-${confirmed}`,
    })
    // Every attempt that began and is not published as refused blocks the claim.
    const blockers = earlier.filter(
      ({ isAway, stage, published }) => !isAway && (stage !== 'refused' || published !== 'refused'),
    )
    const isFree = blockers.every(({ stage, published }) => stage === 'created' && published === 'created')
    const isShipped = blockers.length > 0
    if (earlier.every(({ isAway }) => !isAway)) {
      expect(claimed.kind).toBe(isFree && (!isShipped || confirmed !== undefined) ? 'granted' : 'blocked')
    }
    if (claimed.kind !== 'granted') return
    model.attempts.push(attempt)
    if (this.steps > 0) attempt.stage = 'intended'
    if (this.steps > 1) send(attempt, this.isMade, model)
    if (this.steps > 2) answer(attempt, this.isClear)
    if (this.steps > 3) await publish(attempt, fleet)
  }

  toString(): string {
    return `${this.station} begins ${this.reference}${this.confirms ? ', confirmed' : ''}${this.isAway ? ', away' : ''}, ${this.steps} steps`
  }
}

/** The same attempt claims again, as after a lost answer. */
class ClaimAgain extends OnAttempt {
  protected fits({ stage, isAway }: Attempt): boolean {
    return stage === 'claimed' && !isAway
  }

  protected async change(attempt: Attempt, model: Model, { repository, history }: Fleet): Promise<void> {
    const claimed = await repository.claim({
      ...{ reference: `${history}-${attempt.reference}`, station: attempt.station, operator: null },
      ...{
        attemptId: attempt.attemptId,
        shipmentId: `${history}-${attempt.shipmentId}`,
        confirmedDuplicateOf: null,
      },
    })
    if (listOf(model, attempt.reference).every(({ isAway }) => !isAway)) expect(claimed.kind).toBe('granted')
  }
}

class Intend extends OnAttempt {
  protected fits({ stage }: Attempt): boolean {
    return stage === 'claimed'
  }

  protected async change(attempt: Attempt): Promise<void> {
    attempt.stage = 'intended'
  }
}

class Send extends OnAttempt {
  constructor(
    index: number,
    private readonly isMade: boolean,
  ) {
    super(index)
  }

  protected fits({ stage }: Attempt): boolean {
    return stage === 'intended'
  }

  protected async change(attempt: Attempt, model: Model): Promise<void> {
    send(attempt, this.isMade, model)
  }
}

class Answer extends OnAttempt {
  constructor(
    index: number,
    private readonly isClear: boolean,
  ) {
    super(index)
  }

  protected fits({ stage }: Attempt): boolean {
    return stage === 'sent'
  }

  protected async change(attempt: Attempt): Promise<void> {
    answer(attempt, this.isClear)
  }
}

/** The outbox publishes the attempt, possibly once more. */
class Publish extends OnAttempt {
  protected fits({ stage }: Attempt): boolean {
    return stage !== 'claimed'
  }

  protected async change(attempt: Attempt, _model: Model, fleet: Fleet): Promise<void> {
    await publish(attempt, fleet)
  }
}

/** A person resolves an unknown shipment at its own station. */
class Resolve extends OnAttempt {
  protected fits({ stage }: Attempt): boolean {
    return stage === 'unknown'
  }

  protected async change(attempt: Attempt): Promise<void> {
    attempt.stage = attempt.exists ? 'created' : 'refused'
  }
}

/**
 * A person resolves an unknown shipment at another station, twice, as after a lost answer, and then the other way round; its own
 * station applies the first result.
 */
class ResolveElsewhere extends OnAttempt {
  protected fits({ stage }: Attempt): boolean {
    return stage === 'unknown'
  }

  protected async change(attempt: Attempt, _model: Model, { repository, history }: Fleet): Promise<void> {
    const verdict = attempt.exists ? ('exists' as const) : ('does-not-exist' as const)
    const said = {
      ...{ shipmentId: `${history}-${attempt.shipmentId}`, verdict, operator: null },
      barcode: attempt.exists ? attempt.shipmentId : null,
      station: stationIds.find((id) => id !== attempt.station) ?? '',
    }
    const opposite = attempt.exists ? ('does-not-exist' as const) : ('exists' as const)
    const [first, again] = [await repository.resolve(said), await repository.resolve(said)]
    const other = await repository.resolve({ ...said, verdict: opposite })
    const isUnknown = attempt.published === 'unknown'
    expect([first.ok, again.ok, other.ok]).toEqual([isUnknown, isUnknown, false])
    if (!first.ok) return
    attempt.stage = attempt.exists ? 'created' : 'refused'
    attempt.published = attempt.stage
  }
}

/** A station crashes and restarts: an attempt missing in its journal was never sent, one in progress is unknown. */
class Crash implements Command {
  constructor(private readonly station: string) {}

  check(): boolean {
    return true
  }

  async run(model: Model, { repository, history }: Fleet): Promise<void> {
    const own = model.attempts.filter(({ station }) => station === this.station)
    for (const attempt of own)
      if (attempt.stage === 'intended' || attempt.stage === 'sent') attempt.stage = 'unknown'
    model.attempts = model.attempts.filter((each) => !own.includes(each) || each.stage !== 'claimed')
    const journal = new Set(model.attempts.map(({ attemptId }) => attemptId))
    for (const { reference, attemptId } of await repository.listHeld(this.station)) {
      if (reference.startsWith(`${history}-`) && !journal.has(attemptId))
        await repository.release(reference, this.station, attemptId)
    }
  }

  toString(): string {
    return `${this.station} crashes`
  }
}

/**
 * Expects, with all stations back and empty outboxes, that only unknown shipments hold, only existing ones block, and only
 * those conflict that two stations created while they did not see each other.
 */
async function checkEnd(model: Model, fleet: Fleet): Promise<void> {
  for (const station of stationIds) await new Crash(station).run(model, fleet)
  for (const attempt of model.attempts) await publish(attempt, fleet)
  for (const reference of references) {
    const attempts = listOf(model, reference)
    const found = await fleet.repository.findBlocker(`${fleet.history}-${reference}`)
    const isUnknown = attempts.some(({ stage }) => open.includes(stage))
    const isCreated = attempts.some(({ stage }) => stage === 'created')
    expect(found?.kind).toBe(isUnknown ? 'unresolved' : isCreated ? 'already-created' : undefined)
    const conflicts = (await fleet.stations.listConflicts()).filter(
      (each) => each.reference === `${fleet.history}-${reference}`,
    )
    // The list is limited, and all histories share it.
    for (const { id } of conflicts) await fleet.stations.closeConflict(id, null)
    if (attempts.every(({ isAway }) => !isAway)) expect(conflicts).toEqual([])
    const created = attempts.filter(({ stage }) => stage === 'created')
    const toSide = ({ shipmentId }: Attempt) => [`${fleet.history}-${shipmentId}`, [shipmentId]]
    const sides = conflicts.map(({ one, other }) =>
      [one, other].map(({ shipmentId, barcodes }) => [shipmentId, barcodes]).toSorted(),
    )
    for (const side of sides.flat()) expect(created.map(toSide)).toContainEqual(side)
    const areUnseen =
      created.length === 2 &&
      created.every(({ confirmed }) => confirmed === undefined) &&
      created[0]?.station !== created[1]?.station
    if (areUnseen) expect(sides).toEqual([created.map(toSide).toSorted()])
  }
}

const references = ['R1', 'R2']
const sideBySide = 4
const index = fc.nat(7)
const station = fc.constantFrom(...stationIds)
const anyCommand = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .record({
        ...{
          at: station,
          reference: fc.constantFrom(...references),
          confirms: fc.boolean(),
          away: fc.nat(11),
        },
        ...{ steps: fc.nat(4), isMade: fc.boolean(), isClear: fc.boolean() },
      })
      .map(
        ({ at, reference, confirms, away, steps, isMade, isClear }): Command =>
          new Begin(at, reference, confirms, away === 0, steps, isMade, isClear),
      ),
  },
  { weight: 1, arbitrary: index.map((each): Command => new ClaimAgain(each)) },
  { weight: 5, arbitrary: index.map((each): Command => new Intend(each)) },
  { weight: 5, arbitrary: fc.tuple(index, fc.boolean()).map((parts): Command => new Send(...parts)) },
  { weight: 5, arbitrary: fc.tuple(index, fc.boolean()).map((parts): Command => new Answer(...parts)) },
  { weight: 6, arbitrary: index.map((each): Command => new Publish(each)) },
  { weight: 1, arbitrary: index.map((each): Command => new Resolve(each)) },
  { weight: 2, arbitrary: index.map((each): Command => new ResolveElsewhere(each)) },
  { weight: 2, arbitrary: station.map((each): Command => new Crash(each)) },
)

it('grants a claim only when no unconfirmed shipment of the reference exists, in random histories of three stations', {
  retry: 0,
  timeout: 60_000 + modelRuns * 1000,
}, async () => {
  const connected = await connectToFleet(await postgres().newFleet(), postgresPassword, () => undefined)
  if (!connected.ok) throw new Error(connected.error.message)
  onTestFinished(connected.value.close)
  const prepared = await prepareSchema(connected.value.database)
  if (!prepared.ok) throw new Error(prepared.error.message)
  const repository = new FleetRepository(connected.value.database)
  const stations = new StationsRepository(connected.value.database)
  for (const id of stationIds) await stations.enrol(id, `Bench ${id}`, '1', 'first')
  let histories = 0
  const history = fc.asyncProperty(
    fc.commands([anyCommand], { maxCommands: 20, size: 'max' }),
    async (commands) => {
      histories += 1
      const real: Fleet = { repository, stations, history: `H${histories}` }
      const model: Model = { attempts: [] }
      await fc.asyncModelRun(() => ({ model, real }), commands)
      await checkEnd(model, real)
    },
  )
  // Runs are parallel, because most of their time is waiting for the database.
  const numRuns = Math.ceil(modelRuns / sideBySide)
  await Promise.all(Array.from({ length: sideBySide }, () => fc.assert(history, { numRuns })))
})
