import { randomUUID } from 'node:crypto'
import { expect, it, vi } from 'vitest'
import { OutboxRepository } from '../../../src/main/fleet/outboxRepository'
import { CountingCarrier } from '../../support/countingCarrier'
import { aDraft } from '../../support/drafts'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'

vi.mock('pg', () => {
  throw new Error('a station without a fleet must not load PostgreSQL')
})

it('a station without a fleet ships, queues nothing for publication and never loads PostgreSQL', async () => {
  const station = await stationOn(await temporaryFolder())
  const started = await station.start()
  if (!started.ok) throw new Error(started.error.message)
  const { shipping, database, fleet } = started.value
  new CountingCarrier().serve(started.value)
  const draft = aDraft({ reference: 'ALONE-1' })
  const request = { attemptId: randomUUID(), origin: 'screen' as const, print: false, takenAt: new Date() }
  expect(await shipping.create({ ...request, draft })).toMatchObject({ value: { state: 'created' } })
  expect(await fleet.status()).toMatchObject({ state: 'off', backlog: 0 })
  expect(await new OutboxRepository(database).count()).toBe(0)
  await expect(import('pg')).rejects.toThrow()
})
