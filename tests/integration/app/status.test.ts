import { expect, it } from 'vitest'
import { temporaryFolder } from '../../support/temporaryFolder'
import { stationOn } from '../../support/testStation'

it('knows of an account that came while it was put together: the window would open the set-up without it', async () => {
  const station = await stationOn(await temporaryFolder())
  const started = await station.start()
  if (!started.ok) throw new Error(started.error.message)
  const { session, historyRepository } = started.value
  const { countOpen } = historyRepository
  historyRepository.countOpen = async () => {
    const open = await countOpen.call(historyRepository)
    session.provision({ baseUrl: 'https://carrier.example', user: 'station', password: 'long-enough-1' })
    return open
  }
  expect((await station.status()).account).toMatchObject({ state: 'not-connected', host: 'carrier.example' })
})

it('opens the window although a late step of the start failed, and reports the failure', async () => {
  const onStarted = () => Promise.reject(new Error('ENOSPC: no space left on device'))
  const station = await stationOn(await temporaryFolder(), { onStarted })
  expect(await station.start()).toMatchObject({ ok: true })
  expect(await station.status()).toMatchObject({
    startError: null,
    notices: [
      { code: 'start-incomplete', details: { reason: expect.stringContaining('no space left on device') } },
    ],
  })
  expect(await station.start()).toMatchObject({ ok: true })
})
