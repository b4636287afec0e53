import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Tally, tallyCrashes } from '../support/crash/tally'
import { openTestDatabase } from '../support/databaseWorker'
import { type CrashedStation, type CrashVariant, crashedStation } from './support/crashedStation'

/** `npm run prove:crash` kills at every boundary; an ordinary test run kills at some of them. */
const isProof = process.env.PACKBENCH_CRASH_MATRIX === 'all'
/** The total number of kills at random moments. */
const randomKills = Number(process.env.PACKBENCH_CRASH_MOMENTS ?? (isProof ? 500 : 2))
const boundariesOfTest = 4
/** A shorter proof kills only at every n-th boundary. */
const everyOfProof = Number(process.env.PACKBENCH_CRASH_EVERY ?? 1)

const all = ([1, 4] as const).flatMap((inFlight) =>
  (['in-answer', 'by-url'] as const).flatMap((delivery) =>
    (['folder', 'socket'] as const).map((printer): CrashVariant => ({ inFlight, delivery, printer })),
  ),
)
const usual: CrashVariant[] = [{ inFlight: 1, delivery: 'in-answer', printer: 'folder' }]
const wanted = process.env.PACKBENCH_CRASH_VARIANTS?.split(',').map(Number)
const variants = isProof ? all.filter((_, index) => wanted?.includes(index) ?? true) : usual

/** Kills the app once at each boundary that it reaches, including those that only a start after a kill reaches. */
async function killAtBoundaries(station: CrashedStation, inFlight: number) {
  const plain = await station.run('never')
  const found = new Map<string, number>()
  for (const { boundary } of plain.reached) found.set(boundary, (found.get(boundary) ?? 0) + 1)
  const count = isProof ? Math.ceil(found.size / everyOfProof) : boundariesOfTest
  const chosen = pickSome([...found.keys()], Math.min(count, found.size))
  const tally = { boundaries: 0, kills: 0, notReached: [] as string[] }
  for (const at of chosen) {
    tally.boundaries += 1
    // With four creations in flight, a different one is interrupted each time.
    const times = Math.min(inFlight, found.get(at) ?? 1)
    const { wasKilled, reached } = await station.run({ at, passes: tally.boundaries % times })
    if (wasKilled) tally.kills += 1
    else tally.notReached.push(at)
    if (isProof && everyOfProof === 1) for (const { boundary } of reached) chosen.add(boundary)
  }
  return { ...tally, ms: plain.ms }
}

function pickSome(boundaries: readonly string[], count: number): Set<string> {
  const step = boundaries.length / count
  return new Set(
    Array.from({ length: count }, (_, index) => boundaries[Math.floor((index + 0.5) * step)] ?? ''),
  )
}

async function compare(station: CrashedStation, kills: number, inFlight: number) {
  // A run without a kill ends all open work, and all orders are placed once more.
  await station.run('never', true)
  // A second run without a kill has nothing left to do.
  if (isProof) await station.run('never')
  const { data, exchange, simulator, machine, references } = station
  const database = await openTestDatabase(join(data, 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  const kept = (await station.reached()).flatMap(({ boundary, subject }) =>
    boundary === 'after sync */answer.json' ? (subject.match(/[0-9a-f-]{36}/g) ?? []) : [],
  )
  return tallyCrashes({
    ...{ data, exchange, simulator, references, database: database.value },
    ...{ printed: machine?.printed, kept: new Set(kept), maxCutOff: kills * inFlight },
  })
}

const maxKillMs = 40_000

describe.each(variants)(
  'a station with $inFlight in flight, labels $delivery and a $printer printer',
  { retry: 0 },
  (variant) => {
    const { inFlight } = variant
    const share = Math.ceil(randomKills / variants.length)

    it(
      'sends nothing twice, loses no label and reports none falsely as handed over when it is killed at its durable boundaries and at random moments',
      async () => {
        const station = await crashedStation(variant)
        const { boundaries, kills, notReached, ms } = await killAtBoundaries(station, inFlight)
        let killed = kills
        for (let moment = 0; moment < share; moment += 1) {
          const { wasKilled } = await station.run({ afterMs: Math.random() * ms })
          if (wasKilled) killed += 1
        }
        const { tally, violations } = await compare(station, killed, inFlight)
        printTally(variant, { boundaries, kills: killed, ...tally })
        if (notReached.length > 0) process.stdout.write(`passed once only: ${notReached.join('; ')}\n`)
        expect(violations).toEqual([])
      },
      isProof ? 4 * 60 * 60 * 1000 : (boundariesOfTest + share + 4) * maxKillMs,
    )
  },
)

function printTally(variant: CrashVariant, tally: Tally & { boundaries: number; kills: number }): void {
  process.stdout.write(`${JSON.stringify({ ...variant, ...tally })}\n`)
}

describe('the shipped bundle', () => {
  it('contains no crash hook, because the tests load the hooks before it', async () => {
    const folder = join(import.meta.dirname, '../../out/main')
    const scripts = (await readdir(folder)).filter((name) => name.endsWith('.js'))
    const code = await Promise.all(scripts.map((name) => readFile(join(folder, name), 'utf8')))
    expect(code.join('')).toContain('Packbench starts')
    expect(code.join('')).not.toMatch(/PACKBENCH_CRASH/)
  })
})
