import { expect, it } from 'vitest'
import { createTargetConsent } from '../../../src/main/app/targetConsent'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, stationOn, testSimulator } from '../../support/testStation'

it('the status includes an account that is provisioned while the status is being composed', async () => {
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

it('the start succeeds when a late step fails, and a notice reports the failure', async () => {
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

it('a failed attempt to connect another service leaves the status of the account’s service as it is', async () => {
  const targetConsent = createTargetConsent({ dataFolder: '/', ask: async () => true })
  const { station, features } = await connectedStation(
    await temporaryFolder(),
    await testSimulator(),
    {},
    { targetConsent },
  )
  const { connectAccount, testAccount } = features.handlers
  expect(await testAccount(undefined)).toMatchObject({ ok: true })
  const mistyped = { baseUrl: 'http://127.0.0.1:1', user: 'station', password: 'long-enough-1' }
  expect(await connectAccount(mistyped)).toMatchObject({ ok: false, error: { code: 'service-unreachable' } })
  expect((await station.status()).service).toMatchObject({ state: 'reachable', error: null })
})
