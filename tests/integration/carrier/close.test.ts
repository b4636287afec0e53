import { expect, it, onTestFinished } from 'vitest'
import { createHttpClient } from '../../../src/main/carrier/httpClient'
import { startRawServer } from './rawServer'

it('close of the HTTP client ends requests in progress, even on connections from before a settings change', async () => {
  const server = await startRawServer(() => undefined)
  onTestFinished(() => server.close())
  let connectTimeoutMs = 2000
  const client = createHttpClient(() => ({ connectTimeoutMs, answerTimeoutMs: 60_000 }))
  const send = (path: string) =>
    client.send({ method: 'GET', origin: server.origin, path, maxAnswerBytes: 1000 })
  const first = send('/one')
  await expect.poll(() => server.requests.length).toBe(1)
  connectTimeoutMs = 3000
  const second = send('/two')
  await expect.poll(() => server.requests.length).toBe(2)
  await client.close()
  expect(await Promise.all([first, second])).toMatchObject([
    { ok: false, error: { kind: 'lost' } },
    { ok: false, error: { kind: 'lost' } },
  ])
})
