import { expect, it } from 'vitest'
import { createRunMark } from '../../../src/main/app/crashes'
import type { Lifecycle } from '../../../src/main/app/lifecycle'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'

async function codes(station: Lifecycle): Promise<string[]> {
  return (await station.status()).notices.map(({ code }) => code)
}

it('the station reports an interrupted last run once, and nothing after a clean exit', async () => {
  const data = await temporaryFolder()
  const first = await stationOn(data)
  await first.start()
  expect(await codes(first)).not.toContain('ended-unexpectedly')
  await first.stop()
  createRunMark(data).write(new Date('2026-11-22T10:00:00Z'))

  const second = await stationOn(data)
  await second.start()
  const { notices } = await second.status()
  expect(notices).toContainEqual(
    expect.objectContaining({
      code: 'ended-unexpectedly',
      details: {
        ...{ since: '2026-11-22T10:00:00.000Z', shipments: '0', finished: '0', unknown: '0', jobs: '0' },
      },
    }),
  )
  await second.stop()

  const third = await stationOn(data)
  await third.start()
  expect(await codes(third)).not.toContain('ended-unexpectedly')
})

it('the station reports a crashed window in one notice, even after several crashes', async () => {
  const station = await stationOn(await temporaryFolder())
  await station.start()
  station.noteWindowCrash('crashed (11)')
  station.noteWindowCrash('crashed (11)')
  expect((await codes(station)).filter((code) => code === 'window-failed')).toHaveLength(1)
})
