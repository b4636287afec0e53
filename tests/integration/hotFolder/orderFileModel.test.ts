import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { modelRuns } from '../../support/modelRuns'
import { Exchange, order } from './exchange'
import { never } from './shippingStandIn'

/** The behaviour of the service for a line. */
const fates = ['create', 'refuse', 'lose-the-answer'] as const
type Fate = (typeof fates)[number]
type Line = readonly [reference: string, fate: Fate]

/** Where the app crashes: at the record of the file, at one of its lines, or while labels are printing. */
const recordSteps = ['begin', 'noted', 'finish'] as const
const deaths = [...recordSteps, 'die-before-intent', 'die-after-sending', 'printing'] as const
type Death = (typeof deaths)[number]

type Outcome = 'created' | 'refused' | 'unknown' | 'duplicate'

interface Model {
  /** The outcome of each reference. */
  references: Map<string, Outcome>
  /** References in the order in which requests must be sent. */
  requests: string[]
  /** Every expected result, with its content when it was first found. */
  results: Map<string, string>
  files: number
}

type Command = fc.AsyncCommand<Model, Exchange>

const times = { restMs: 1, cutOffMs: 5, pollMs: 20 }
const places = ['done', 'failed'] as const

async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = Date.now() + 20_000
  while (!isSo()) {
    if (Date.now() > giveUpAt) throw new Error(`The condition ${isSo} was never true`)
    await pause(1)
  }
}

function isSendable(model: Model, reference: string): boolean {
  const before = model.references.get(reference)
  return before === undefined || before === 'refused'
}

/** Returns the outcome of a line and applies it to the model. */
function ship(model: Model, reference: string, fate: Fate): Outcome {
  if (!isSendable(model, reference))
    return model.references.get(reference) === 'created' ? 'duplicate' : 'unknown'
  const outcome = { create: 'created', refuse: 'refused', 'lose-the-answer': 'unknown' } as const
  model.requests.push(reference)
  model.references.set(reference, outcome[fate])
  return outcome[fate]
}

/** Waits until all files are delivered. Returns the outcomes of the files with these names. */
async function readDelivered(
  model: Model,
  exchange: Exchange,
  names: readonly string[],
): Promise<Outcome[][]> {
  await until(() => [...exchange.list('in'), ...exchange.list('work'), ...exchange.files.rows].length === 0)
  const delivered = names.map((name) => {
    const place = places.find((each) => exchange.list(each).includes(`${name}.result.json`)) ?? 'done'
    const result = exchange.result(place, `${name}.result.json`)
    const outcomes = result.results.map(({ outcome }): Outcome => {
      if (outcome === 'invalid') throw new Error(`${name}: a line is invalid`)
      return outcome
    })
    expect([name, place]).toEqual([name, outcomes.every((each) => each === 'created') ? 'done' : 'failed'])
    expect(exchange.list(place)).toContain(`${name}.json`)
    model.results.set(
      `${place}/${name}.result.json`,
      readFileSync(exchange.path(place, `${name}.result.json`), 'utf8'),
    )
    return outcomes
  })
  // No other result exists, none is duplicated, and none has changed.
  const found = places.flatMap((place) =>
    exchange
      .list(place)
      .filter((name) => name.endsWith('.result.json'))
      .map((name) => [`${place}/${name}`, readFileSync(exchange.path(place, name), 'utf8')] as const),
  )
  expect(new Map(found)).toEqual(model.results)
  expect(exchange.shipping.requests).toEqual(model.requests)
  return delivered
}

/** Drops an order file; the app may crash while processing it. */
class Drop implements Command {
  constructor(
    private readonly lines: readonly Line[],
    private readonly death: Death | null,
    private readonly diesAt: number,
  ) {}

  check(): boolean {
    return true
  }

  async run(model: Model, exchange: Exchange): Promise<void> {
    const { shipping, files } = exchange
    const { outcomes, dies, requests } = this.predict(model)
    let asked = -1
    let hasReached = false
    shipping.behave = () => {
      asked += 1
      const fate = this.lines[asked]?.[1] ?? 'create'
      if (!dies || asked !== this.dyingLine) return fate
      if (this.death !== 'die-before-intent' && this.death !== 'die-after-sending') return fate
      hasReached = true
      return this.death
    }
    shipping.print = () => {
      if (this.death !== 'printing') return Promise.resolve('done')
      hasReached = true
      return never()
    }
    files.dieAt = recordSteps.find((each) => each === this.death)
    model.files += 1
    const name = `F${model.files}`
    exchange.drop(
      `${name}.json`,
      this.lines.map(([reference]) => order(reference)),
    )
    if (dies) {
      await until(() => (files.dieAt === undefined ? hasReached : files.survives < 0))
      if (this.death === 'die-after-sending') await until(() => shipping.requests.length === requests)
      await exchange.crashAndRestart({ times })
    }
    expect(await readDelivered(model, exchange, [name])).toEqual([outcomes])
  }

  private get dyingLine(): number {
    return this.diesAt % this.lines.length
  }

  /** The outcome of each line, whether the app crashes, and the number of requests sent by then. */
  private predict(model: Model): { outcomes: Outcome[]; dies: boolean; requests: number } {
    // After a restart the service creates every shipment.
    let isBack = this.death === 'begin' || this.death === 'noted'
    let dies = recordSteps.some((each) => each === this.death)
    let { length: requests } = model.requests
    const outcomes = this.lines.map(([reference, fate], index) => {
      const isHere = index === this.dyingLine
      if (isHere && this.death === 'die-before-intent') dies = isBack = true
      if (isHere && this.death === 'die-after-sending' && isSendable(model, reference)) {
        dies = isBack = true
        const outcome = ship(model, reference, 'lose-the-answer')
        requests = model.requests.length
        return outcome
      }
      return ship(model, reference, isBack ? 'create' : fate)
    })
    if (this.death === 'printing') dies = outcomes.includes('created')
    return { outcomes, dies, requests }
  }

  toString(): string {
    const lines = this.lines.map(([reference, fate]) => `${reference} ${fate}`).join(', ')
    return `drop [${lines}], dies at ${this.death} ${this.dyingLine}`
  }
}

/** Drops two files with the same order at the same time. */
class DropTwins implements Command {
  constructor(private readonly reference: string) {}

  check(): boolean {
    return true
  }

  async run(model: Model, exchange: Exchange): Promise<void> {
    const outcomes = [ship(model, this.reference, 'create'), ship(model, this.reference, 'create')]
    const names = [1, 2].map((twin) => `F${model.files + 1}-twin-${twin}`)
    model.files += 1
    exchange.shipping.behave = () => 'create'
    exchange.shipping.print = async () => 'done'
    for (const name of names) exchange.drop(`${name}.json`, order(this.reference))
    const delivered = await readDelivered(model, exchange, names)
    expect(delivered.flat().toSorted()).toEqual(outcomes.toSorted())
  }

  toString(): string {
    return `drop ${this.reference} twice`
  }
}

class Restart implements Command {
  check(): boolean {
    return true
  }

  async run(model: Model, exchange: Exchange): Promise<void> {
    await exchange.crashAndRestart({ times })
    await readDelivered(model, exchange, [])
  }

  toString(): string {
    return 'restart'
  }
}

const sideBySide = 4
const reference = fc.constantFrom('A', 'B', 'C')
const anyCommand = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.array(fc.tuple(reference, fc.constantFrom(...fates)), { minLength: 1, maxLength: 3 }),
        fc.option(fc.constantFrom(...deaths)),
        fc.nat(2),
      )
      .map((parts): Command => new Drop(...parts)),
  },
  { weight: 1, arbitrary: reference.map((each): Command => new DropTwins(each)) },
  { weight: 1, arbitrary: fc.constant<Command>(new Restart()) },
)

it('the hot folder gives each line of each order file one outcome and one result in random histories with crashes', {
  retry: 0,
  timeout: 60_000 + modelRuns * 2000,
}, async () => {
  const history = fc.asyncProperty(
    fc.commands([anyCommand], { maxCommands: 6, size: 'max' }),
    async (commands) => {
      const exchange = new Exchange()
      try {
        await exchange.start({ times })
        const model: Model = { references: new Map(), requests: [], results: new Map(), files: 0 }
        await fc.asyncModelRun(() => ({ model, real: exchange }), commands)
      } finally {
        await exchange.end()
      }
    },
  )
  // Runs are parallel, because most of their time is waiting for files.
  const numRuns = Math.ceil(modelRuns / sideBySide)
  await Promise.all(Array.from({ length: sideBySide }, () => fc.assert(history, { numRuns })))
})
