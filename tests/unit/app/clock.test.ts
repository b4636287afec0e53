import { describe, expect, it } from 'vitest'
import { type ClockState, judgeClock, trialMs } from '../../../src/main/app/clock'

const hour = 60 * 60 * 1000
const day = 24 * hour
const start = Date.parse('2026-11-02T08:00:00.000Z')

/** A station that judges its clock several times, each time with the state of the time before. */
class Watched {
  state: ClockState | undefined
  newest: { number: number; takenAt: string } | undefined

  look(at: number, ranMs: number, sleptMs = 0): 'plausible' | 'uncertain' {
    const reading = { now: new Date(at), ranMs, passedMs: ranMs + sleptMs, newest: this.newest }
    this.state = judgeClock(this.state, reading)
    return this.state.trial === null ? 'plausible' : 'uncertain'
  }

  ship(number: number, at: number): void {
    this.newest = { number, takenAt: new Date(at).toISOString() }
  }
}

describe('the clock of the station', () => {
  it('is plausible on a new station, after a night, and during a week of running without shipments', () => {
    const station = new Watched()
    expect(station.look(start, 0)).toBe('plausible')
    station.ship(1, start)
    expect(station.look(start + 16 * hour, 0)).toBe('plausible')
    for (let at = 17; at < 17 + 7 * 24; at += 1) {
      expect(station.look(start + at * hour, hour)).toBe('plausible')
    }
  })

  it.each([
    ['ahead of the last seen time', 2 * day],
    ['behind the last seen time', -2 * day],
  ])(
    'is uncertain when it starts %s by more than a day, and plausible again once it was corrected',
    (_, off) => {
      const station = new Watched()
      station.look(start, 0)
      expect(station.look(start + off, 0)).toBe('uncertain')
      expect(station.look(start + off + hour, hour)).toBe('uncertain')
      expect(station.look(start + 2 * hour, hour)).toBe('plausible')
    },
  )

  it.each([
    ['100 days old', -100 * day],
    ['100 days in the future', 100 * day],
  ])('is uncertain on the first start when the newest row is %s', (_, off) => {
    const station = new Watched()
    station.ship(1, start + off)
    expect(station.look(start, 0)).toBe('uncertain')
  })

  it('is plausible again after a trial over several short days, so that a station that was off keeps working', () => {
    const station = new Watched()
    station.look(start, 0)
    const back = start + 30 * day
    expect(station.look(back, 0)).toBe('uncertain')
    expect(station.look(back + 3 * hour, 3 * hour)).toBe('uncertain')
    expect(station.look(back + 7 * day, 0)).toBe('uncertain')
    expect(station.look(back + 7 * day + 5 * hour, 5 * hour)).toBe('plausible')
  })

  it('is plausible again after eight hours of running on a computer that sleeps at noon and at night', () => {
    const station = new Watched()
    station.look(start, 0)
    let at = start
    for (const [ranHours, sleptHours, verdict] of [
      [1, 63, 'uncertain'],
      [3, 0, 'uncertain'],
      [3, 2, 'uncertain'],
      [1, 16, 'uncertain'],
      [1, 0, 'plausible'],
    ] as const) {
      at += (ranHours + sleptHours) * hour
      expect(station.look(at, ranHours * hour, sleptHours * hour)).toBe(verdict)
    }
  })

  it('restarts its trial when it is set while the computer sleeps', () => {
    const station = new Watched()
    station.look(start, 0)
    const wrong = start + 50 * day
    expect(station.look(wrong, 0)).toBe('uncertain')
    expect(station.look(wrong + 7 * hour, 7 * hour)).toBe('uncertain')
    expect(station.look(wrong + 30 * hour, hour, 10 * hour)).toBe('uncertain')
    expect(station.look(wrong + 37 * hour, 7 * hour)).toBe('uncertain')
    expect(station.look(wrong + 38 * hour, hour)).toBe('plausible')
  })

  it('stays uncertain although shipments are created with it', () => {
    const station = new Watched()
    station.ship(1, start)
    station.look(start, 0)
    const wrong = start + 100 * day
    expect(station.look(wrong, 0)).toBe('uncertain')
    station.ship(2, wrong + hour)
    expect(station.look(wrong + 2 * hour, 2 * hour)).toBe('uncertain')
    expect(station.look(wrong + 3 * hour, 0)).toBe('uncertain')
    // The clock was corrected: the shipment of the wrong day is no evidence.
    expect(station.look(start + 4 * hour, 0)).toBe('plausible')
    expect(station.look(start + 5 * hour, hour)).toBe('plausible')
  })

  it('restarts its trial whenever it jumps', () => {
    const station = new Watched()
    station.look(start, 0)
    let at = start + 50 * day
    station.look(at, 0)
    for (let turn = 0; turn < 20; turn += 1) {
      at += turn % 2 === 0 ? 20 * day : -20 * day
      expect(station.look(at, hour)).toBe('uncertain')
    }
    expect(station.look(at + trialMs, trialMs)).toBe('plausible')
  })
})
