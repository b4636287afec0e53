import { z } from 'zod'
import { dayMs } from '../lib/localDay'

const hourMs = 60 * 60 * 1000

/** An implausible clock is accepted after Packbench ran this long with it in total, across restarts. */
export const trialMs = 8 * hourMs

/** Tolerated difference between the clock and measured time within a run, e.g. after a correction by NTP. */
const driftMs = hourMs

/** What is stored about the computer's clock between runs. */
export const clockStateSchema = z.object({
  /** The latest trusted time: when the clock was last read, or the newest row's time. */
  trustedAt: z.iso.datetime(),
  /** An implausible clock, and how long Packbench has run with it; null while the clock is trusted. */
  trial: z
    .object({
      seenAt: z.iso.datetime(),
      ranMs: z.number(),
      /** The journal's newest row when the trial began: later rows were written with the uncertain clock. */
      number: z.int().nonnegative(),
    })
    .nullable(),
  /** Journal rows up to this number are not compared with the clock: they may have been written with a wrong one. */
  acceptedNumber: z.int().nonnegative(),
  /**
   * Rows after number `after` up to `to` were written with a wrong clock: their times are meaningless. They are treated as
   * written at `until`, when the clock was right again.
   */
  misdated: z
    .object({ after: z.int().nonnegative(), to: z.int().nonnegative(), until: z.iso.datetime() })
    .nullable()
    .default(null),
  /** When a clock that was implausible was last corrected; null before the first time. */
  correctedAt: z.iso.datetime().nullable().default(null),
  /** When old shipments and references were last removed, up to the daily limits; null before the first time. */
  removedAt: z.iso.datetime().nullable().default(null),
})
export type ClockState = z.infer<typeof clockStateSchema>

export interface ClockReading {
  now: Date
  /** Measured time that Packbench ran since the previous reading in this run, independent of the clock; 0 at the first reading. */
  ranMs: number
  /** The same, with the time during which the computer slept. */
  passedMs: number
  /** The newest row of the journal. */
  newest: { number: number; takenAt: string } | undefined
}

/**
 * Compares the clock with the newest row and with its last reading. It is implausible when it is more than a day behind or
 * ahead: either it is wrong, or the computer was off for that long. It is trusted again as soon as it agrees, or after a
 * trial, because a station that was off for weeks must keep working.
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
      correctedAt: trial === undefined ? (before?.correctedAt ?? null) : now.toISOString(),
      removedAt: before?.removedAt ?? null,
    }
  }
  if (ranMs >= trialMs) return acceptClock(before, reading)
  return {
    trustedAt: new Date(known).toISOString(),
    trial: { seenAt: now.toISOString(), ranMs, number: trial?.number ?? newest?.number ?? 0 },
    acceptedNumber,
    misdated: before?.misdated ?? null,
    correctedAt: before?.correctedAt ?? null,
    removedAt: before?.removedAt ?? null,
  }
}

/** When a trial ends because the clock was corrected, the rows written during the trial have wrong times. */
function misdatedBy(before: ClockState | undefined, { now, newest }: ClockReading): ClockState['misdated'] {
  const known = before?.misdated ?? null
  const after = before?.trial?.number
  if (after === undefined || newest === undefined || newest.number <= after) return known
  return { after: Math.min(after, known?.after ?? after), to: newest.number, until: now.toISOString() }
}

function agree(aheadMs: number, ranMs: number): boolean {
  return aheadMs >= -dayMs && aheadMs <= dayMs + ranMs
}

/** The later of the last trusted time and the newest row's time. */
function lastKnownTime(before: ClockState | undefined, newest: ClockReading['newest']): number | undefined {
  if (before === undefined) return newest === undefined ? undefined : Date.parse(newest.takenAt)
  const { trustedAt, trial, acceptedNumber } = before
  const counts = newest !== undefined && newest.number > acceptedNumber && trial === null
  return Math.max(Date.parse(trustedAt), counts ? Date.parse(newest.takenAt) : 0)
}

/** Accepts the clock, whatever the journal's times. */
export function acceptClock(before: ClockState | undefined, { now, newest }: ClockReading): ClockState {
  return {
    trustedAt: now.toISOString(),
    trial: null,
    acceptedNumber: newest?.number ?? 0,
    misdated: before?.misdated ?? null,
    correctedAt: before?.correctedAt ?? null,
    removedAt: before?.removedAt ?? null,
  }
}

/** How long Packbench has run with this clock; starts over when the clock was set meanwhile. */
function trialLength(trial: ClockState['trial'] | undefined, { now, ranMs, passedMs }: ClockReading): number {
  if (trial === null || trial === undefined) return 0
  const passed = now.getTime() - Date.parse(trial.seenAt)
  const wasSet = ranMs === 0 ? passed < -driftMs : Math.abs(passed - passedMs) > driftMs
  return wasSet ? 0 : trial.ranMs + ranMs
}
