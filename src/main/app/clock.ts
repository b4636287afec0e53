import { z } from 'zod'

const hourMs = 60 * 60 * 1000
const dayMs = 24 * hourMs

/** A clock that disagrees is believed after Packbench ran this long with it in all, however often it was restarted. */
export const trialMs = 8 * hourMs

/** While it runs, a clock may differ from measured time by this much, e.g. when it is set right by the network. */
const driftMs = hourMs

/** What is remembered of the computer's clock from one run to the next. */
export const clockStateSchema = z.object({
  /** The latest time that the station believes has passed: when the clock was last seen, or the newest row's. */
  trustedAt: z.iso.datetime(),
  /** A clock that disagrees, and how long Packbench has run with it; null while it is believed. */
  trial: z
    .object({
      seenAt: z.iso.datetime(),
      ranMs: z.number(),
      /** The journal's newest row when the trial began: later ones were written with the uncertain clock. */
      number: z.int().nonnegative(),
    })
    .nullable(),
  /** Rows of the journal up to this number say nothing about the clock: they may have been written with a wrong one. */
  acceptedNumber: z.int().nonnegative(),
  /**
   * Rows that were written with a clock that turned out wrong, from after one number to another one: their moments say
   * nothing. They are not older than the moment at which the clock was right again.
   */
  misdated: z
    .object({ after: z.int().nonnegative(), to: z.int().nonnegative(), until: z.iso.datetime() })
    .nullable()
    .default(null),
})
export type ClockState = z.infer<typeof clockStateSchema>

/** One look at the clock. */
export interface ClockReading {
  now: Date
  /** Measured time since the last look in this run, independent of the clock; 0 at the first look. */
  ranMs: number
  /** The newest row of the journal. */
  newest: { number: number; takenAt: string } | undefined
}

/**
 * Judges the clock by the newest row and by the time it was last seen. It is not plausible when it is behind them by
 * more than a day, or ahead by more than a day: then either it is wrong, or the computer was off for that long. It is
 * believed again as soon as it agrees, or after a trial, since a station that was off for weeks must go on.
 */
export function judgeClock(before: ClockState | undefined, reading: ClockReading): ClockState {
  const { now, newest } = reading
  const trial = before?.trial ?? undefined
  const acceptedNumber = before?.acceptedNumber ?? 0
  const ranMs = trialLength(trial, reading)
  const known = lastKnownTime(before, newest)
  if (known === undefined || agree(now.getTime() - known, ranMs)) {
    const written = trial === undefined ? acceptedNumber : (newest?.number ?? acceptedNumber)
    return {
      trustedAt: now.toISOString(),
      trial: null,
      acceptedNumber: written,
      misdated: misdatedBy(before, reading),
    }
  }
  if (ranMs >= trialMs) return acceptClock(before, reading)
  return {
    trustedAt: new Date(known).toISOString(),
    trial: { seenAt: now.toISOString(), ranMs, number: trial?.number ?? newest?.number ?? 0 },
    acceptedNumber,
    misdated: before?.misdated ?? null,
  }
}

/** A clock whose time counts again because it was set right wrote the rows since then with a wrong time. */
function misdatedBy(before: ClockState | undefined, { now, newest }: ClockReading): ClockState['misdated'] {
  const known = before?.misdated ?? null
  const after = before?.trial?.number
  if (after === undefined || newest === undefined || newest.number <= after) return known
  return { after: Math.min(after, known?.after ?? after), to: newest.number, until: now.toISOString() }
}

function agree(aheadMs: number, ranMs: number): boolean {
  return aheadMs >= -dayMs && aheadMs <= dayMs + ranMs
}

/** The later one of the time that was last seen and the newest row's. */
function lastKnownTime(before: ClockState | undefined, newest: ClockReading['newest']): number | undefined {
  if (before === undefined) return newest === undefined ? undefined : Date.parse(newest.takenAt)
  const { trustedAt, trial, acceptedNumber } = before
  const counts = newest !== undefined && newest.number > acceptedNumber && trial === null
  return Math.max(Date.parse(trustedAt), counts ? Date.parse(newest.takenAt) : 0)
}

/** The clock is right, whatever the journal says. */
export function acceptClock(before: ClockState | undefined, { now, newest }: ClockReading): ClockState {
  return {
    trustedAt: now.toISOString(),
    trial: null,
    acceptedNumber: newest?.number ?? 0,
    misdated: before?.misdated ?? null,
  }
}

/** How long Packbench has run with this clock; it starts again when the clock was set meanwhile. */
function trialLength(trial: ClockState['trial'] | undefined, { now, ranMs }: ClockReading): number {
  if (trial === null || trial === undefined) return 0
  const passed = now.getTime() - Date.parse(trial.seenAt)
  const wasSet = ranMs === 0 ? passed < -driftMs : Math.abs(passed - ranMs) > driftMs
  return wasSet ? 0 : trial.ranMs + ranMs
}
