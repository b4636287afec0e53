import { afterEach, describe, expect, it } from 'vitest'
import { startOfDay, toDay } from '../../../src/main/lib/localDay'

const { TZ } = process.env
afterEach(() => {
  if (TZ === undefined) delete process.env.TZ
  else process.env.TZ = TZ
})

describe('a day of the station', () => {
  it.each([
    ['Europe/Amsterdam', '2026-11-21T23:30:00.000Z', '2026-11-22'],
    ['America/New_York', '2026-11-22T03:30:00.000Z', '2026-11-21'],
    ['UTC', '2026-11-22T00:00:00.000Z', '2026-11-22'],
  ])('is the one in its time zone: %s', (zone, moment, day) => {
    process.env.TZ = zone
    expect(toDay(new Date(moment))).toBe(day)
  })

  it('starts at midnight of its time zone, also on the days on which the clocks change', () => {
    process.env.TZ = 'Europe/Amsterdam'
    expect(startOfDay('2026-03-29').toISOString()).toBe('2026-03-28T23:00:00.000Z')
    expect(startOfDay('2026-03-29', 1).toISOString()).toBe('2026-03-29T22:00:00.000Z')
    expect(toDay(startOfDay('2026-11-22', -30))).toBe('2026-10-23')
  })
})
