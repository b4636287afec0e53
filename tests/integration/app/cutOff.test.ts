import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createRunMark } from '../../../src/main/app/crashes'
import type { Lifecycle } from '../../../src/main/app/lifecycle'
import { Batches } from '../../../src/main/batch/batches'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { placesIn } from '../../../src/main/storage/dataFolder'
import { deferred } from '../../support/deferred'
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

it('the station reports an interrupted run although a start without services came in between', async () => {
  const data = await temporaryFolder()
  createRunMark(data).write(new Date('2026-11-22T10:00:00Z'))
  await writeFile(join(data, 'settings.json'), 'not JSON')
  const unstarted = await stationOn(data)
  expect(await unstarted.start()).toMatchObject({ ok: false, error: { code: 'settings-invalid' } })
  await unstarted.stop()
  await rm(join(data, 'settings.json'))
  const second = await stationOn(data)
  await second.start()
  expect(await codes(second)).toContain('ended-unexpectedly')
})

it('the station reports an interrupted run once although the start that found it failed afterwards', async () => {
  const data = await temporaryFolder()
  createRunMark(data).write(new Date('2026-11-22T10:00:00Z'))
  const starting = vi.spyOn(Batches.prototype, 'start').mockRejectedValueOnce(new Error('the disk is full'))
  onTestFinished(() => starting.mockRestore())
  const station = await stationOn(data)
  expect(await station.start()).toMatchObject({ ok: false })
  expect(await codes(station)).toEqual(['ended-unexpectedly'])
  expect(await station.start()).toMatchObject({ ok: true })
  expect((await codes(station)).filter((code) => code === 'ended-unexpectedly')).toHaveLength(1)
})

it('the station reports no interrupted run when its services start again in the same run', async () => {
  const data = await temporaryFolder()
  const first = await stationOn(data)
  await first.start()
  await first.stop()
  const checking = deferred<{ output: string; code: number }>()
  const station = await stationOn(data, { databaseProcess: () => checking.promise, checkBudgetMs: () => 0 })
  expect(await station.start()).toMatchObject({ ok: true })
  checking.resolve({ output: '{"kind":"damaged","reason":"a test"}', code: 0 })
  await expect.poll(() => station.services()).toMatchObject({ error: { code: 'database-damaged' } })
  expect(await station.recoverHistory('rebuild')).toMatchObject({ ok: true })
  expect(await codes(station)).not.toContain('ended-unexpectedly')
})

it('the station keeps five dumps of crashed processes at most while its window crashes again and again', async () => {
  const data = await temporaryFolder()
  const { crashes } = placesIn(data)
  const bus = createEventBus()
  const station = await stationOn(data, { bus })
  await station.start()
  await mkdir(crashes, { recursive: true })
  for (const number of [1, 2, 3, 4, 5, 6, 7]) await writeFile(join(crashes, `${number}.dmp`), 'MDMP')
  bus.emit('windowCrashed', { reason: 'crashed (11)' })
  await expect.poll(() => readdir(crashes)).toHaveLength(5)
})

it('the station reports a crashed window in one notice, even after several crashes', async () => {
  const bus = createEventBus()
  const station = await stationOn(await temporaryFolder(), { bus })
  await station.start()
  bus.emit('windowCrashed', { reason: 'crashed (11)' })
  bus.emit('windowCrashed', { reason: 'crashed (11)' })
  expect((await codes(station)).filter((code) => code === 'window-failed')).toHaveLength(1)
})
