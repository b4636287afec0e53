import { afterEach, describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/main/log/redactor'
import { noRedactor } from '../../support/noRedactor'
import { silentLog } from '../../support/silentLog'
import {
  type CarrierClient,
  connectionTo,
  createCarrierClient,
  directAnswer,
  draft,
  localService,
  trackingOptions,
} from './fixtures'
import { httpText, jsonText, type RawServer, startRawServer } from './rawServer'

const user = 'station-user'
const password = 'station-password'
const labelUrl = 'https://carrier.example/label/t0ken?size=a6'
const apiKey = 'k3y-0f-the-station'
const secrets = [user, password, apiKey, 't0ken']
const quote = `Account ${user} with ${password} and ${apiKey} asked for ${labelUrl}`

let client: CarrierClient | undefined
let server: RawServer | undefined

afterEach(async () => {
  await client?.close()
  await server?.close()
})

/** A client that redacts the account's secrets as the app does, and a service that gives every request this answer. */
async function startServiceWith(answer: Buffer) {
  const redactor = createRedactor()
  redactor.add(user)
  redactor.add(password)
  const labelUrls: string[] = []
  server = await startRawServer((socket) => socket.write(answer))
  client = createCarrierClient({
    timeouts: () => ({ connectTimeoutMs: 500, answerTimeoutMs: 2_000 }),
    labelPolicy: localService,
    log: silentLog,
    redactor: {
      redact: redactor.redact,
      addPassing(url) {
        labelUrls.push(url)
        redactor.addPassing(url)
      },
    },
  })
  return { client, connection: connectionTo(server.origin, apiKey), labelUrls }
}

function expectNoSecret(value: unknown): void {
  const text = JSON.stringify(value)
  for (const secret of secrets) expect(text).not.toContain(secret)
}

describe('the client, after an answer that quotes secrets', () => {
  it.each([
    ['denied', 'refused', jsonText({ state: 'false', Errors: quote })],
    ['refused by HTTP 400', 'refused', httpText(400, JSON.stringify({ Errors: quote }))],
    ['refused by HTTP 400 without JSON', 'refused', httpText(400, quote.replace(labelUrl, ''))],
    ['unclear', 'unknown', jsonText({ Errors: quote, Barcode: `3S-${password}`, url: labelUrl })],
    ['failed with HTTP 500', 'unknown', httpText(500, JSON.stringify({ message: quote, url: labelUrl }))],
  ])('reports no secret when the creation is %s', async (_name, kind, answer) => {
    const { client, connection } = await startServiceWith(answer)
    const outcome = await client.createShipment(connection, draft, 'by-url')
    if (outcome.ok) throw new Error('not expected to be created')
    expect(outcome.kind).toBe(kind)
    expect(outcome.error.details?.serviceSays).toMatch(/^Account \[redacted\] with \[redacted\] and/)
    expect(JSON.stringify(outcome.error)).not.toMatch(new RegExp([user, password, apiKey].join('|')))
    if (kind === 'unknown') expectNoSecret(outcome.error)
  })

  it('reports no secret in the message and tracking link of a created shipment', async () => {
    const answer = {
      state: 'true',
      Errors: '',
      message: quote,
      Barcode: '3S1',
      trace: labelUrl,
      url: labelUrl,
    }
    const { client, connection, labelUrls } = await startServiceWith(jsonText(answer))
    const outcome = await client.createShipment(connection, draft, 'by-url')
    if (!outcome.ok) throw new Error(outcome.error.message)
    const { labelUrl: own, ...shown } = outcome.value.creation
    expect(own).toBe(labelUrl)
    expect(labelUrls).toEqual([labelUrl])
    expect(shown.message).toMatch(/^Account \[redacted\] with/)
    expect(shown.trackingUrl).toBeNull()
    expectNoSecret(shown)
  })

  it('reports no secret when sign-in is refused', async () => {
    const { client, connection } = await startServiceWith(
      jsonText({ state: 'false', Errors: quote, apikey: apiKey, url: labelUrl }),
    )
    const refused = await client.authenticate({ baseUrl: connection.baseUrl, user, password })
    expect(refused).toMatchObject({ ok: false, error: { code: 'account-refused' } })
    expect(JSON.stringify(refused)).not.toMatch(new RegExp([user, password, apiKey].join('|')))
  })

  it('reports no secret in the names of the account', async () => {
    const name = `${user} of ${password}`
    const { client, connection } = await startServiceWith(
      jsonText({ state: 'true', apikey: apiKey, id: user, id2: '7', name }),
    )
    expect(await client.authenticate({ baseUrl: connection.baseUrl, user, password })).toEqual({
      ok: true,
      value: { apiKey, customerId: '[redacted]', accountId: '7', name: '[redacted] of [redacted]' },
    })
  })

  it('reports no secret when tracking fails', async () => {
    const { client, connection } = await startServiceWith(httpText(400, JSON.stringify({ Errors: quote })))
    for (const tracked of [
      await client.trackCode(connection, 'A', trackingOptions),
      await client.trackBulk(connection, ['A'], trackingOptions),
    ]) {
      expect(tracked).toMatchObject({ ok: false, error: { code: 'service-refused' } })
      expect(JSON.stringify(tracked)).not.toMatch(new RegExp([user, password, apiKey].join('|')))
    }
  })
})

describe('a secret that is a common word', () => {
  it('is redacted in messages, but not in dates, barcodes, links and places', async () => {
    const redactor = createRedactor()
    redactor.add('2026')
    redactor.add('Amsterdam')
    const item = {
      code: '2026',
      description: 'In Amsterdam',
      location: 'Amsterdam',
      dateTime: '2026-11-22 10:00:00',
    }
    const creation = {
      state: 'true',
      Errors: '',
      message: 'Taken for Amsterdam in 2026',
      Barcode: '3S2026',
      trace: 'https://trace.example/2026/Amsterdam',
      url: labelUrl,
    }
    const answers = [jsonText(creation), jsonText({ state: 'true', items: { '3S2026': [item] } })]
    server = await startRawServer((socket) => socket.write(answers.shift() ?? ''))
    client = createCarrierClient({
      timeouts: () => ({ connectTimeoutMs: 500, answerTimeoutMs: 2_000 }),
      labelPolicy: localService,
      log: silentLog,
      redactor: { ...noRedactor, redact: redactor.redact },
    })
    const connection = connectionTo(server.origin, apiKey)
    expect(await client.createShipment(connection, draft, 'by-url')).toMatchObject({
      ok: true,
      value: {
        creation: {
          barcodes: ['3S2026'],
          trackingUrl: 'https://trace.example/2026/Amsterdam',
          message: 'Taken for [redacted] in [redacted]',
        },
      },
    })
    const tracked = await client.trackCode(connection, '3S2026', trackingOptions)
    expect(tracked).toMatchObject({ ok: true, value: { found: true } })
    expect(JSON.stringify(tracked)).toContain('2026-11-22 10:00:00')
    expect(JSON.stringify(tracked)).toContain('In Amsterdam')
    expect(JSON.stringify(tracked)).not.toContain('redacted')
  })
})

describe('a label URL of 24 kB', () => {
  it('does not fail the created shipment and is redacted in its message and tracking link', async () => {
    const long = `https://carrier.example/label/${'t0ken/'.repeat(4_096)}`
    const answer = {
      state: 'true',
      Errors: '',
      Barcode: '3S1',
      url: long,
      message: `Label at ${long}`,
      trace: long,
    }
    const { client, connection } = await startServiceWith(jsonText(answer))
    const outcome = await client.createShipment(connection, draft, 'by-url')
    expect(outcome).toMatchObject({
      ok: true,
      value: { creation: { labelUrl: long, message: 'Label at [redacted]', trackingUrl: null } },
    })
  })
})

describe('a creation answer with a contradictory or missing status', () => {
  it.each([
    ['without status', jsonText({ ...directAnswer, status: undefined })],
    ['with a status that is no flag', jsonText({ ...directAnswer, status: 'ok' })],
    ['with status false', jsonText({ ...directAnswer, status: false })],
    ['with HTTP 500', httpText(500, JSON.stringify(directAnswer))],
    ['with HTTP 409', httpText(409, JSON.stringify(directAnswer))],
  ])('is unknown and keeps labels and ids %s', async (_name, answer) => {
    const { client, connection } = await startServiceWith(answer)
    const outcome = await client.createShipment(connection, draft, 'in-answer')
    expect(outcome).toMatchObject({
      kind: 'unknown',
      error: { details: { barcodes: '3SPACK0001' } },
      answer: {
        creation: {
          labels: [{ barcode: '3SPACK0001', kind: 'pdf', problem: null }],
          barcodes: ['3SPACK0001'],
          serviceShipmentId: '77',
          subLogId: 'SUB77',
        },
        receivedAt: expect.any(Date),
      },
    })
  })

  it('is unknown and keeps the label URL with HTTP 502', async () => {
    const { client, connection, labelUrls } = await startServiceWith(
      httpText(502, JSON.stringify({ url: labelUrl, logId: 5 })),
    )
    const outcome = await client.createShipment(connection, draft, 'by-url')
    expect(outcome).toMatchObject({
      kind: 'unknown',
      answer: { creation: { labelUrl, logId: '5', labels: [] } },
    })
    expect(labelUrls).toEqual([labelUrl])
  })

  it('is accepted when it has labels and the status 1', async () => {
    const { client, connection } = await startServiceWith(jsonText({ ...directAnswer, status: 1 }))
    expect(await client.createShipment(connection, draft, 'in-answer')).toMatchObject({
      ok: true,
      value: { creation: { barcodes: ['3SPACK0001'] } },
    })
  })

  it('is unknown without content when it names no shipment', async () => {
    const { client, connection } = await startServiceWith(httpText(500, '{"Errors":"oops"}'))
    expect(await client.createShipment(connection, draft, 'in-answer')).toMatchObject({
      kind: 'unknown',
      answer: null,
    })
  })

  it('keeps every digit of an id beyond the safe integer range', async () => {
    const answer = '{"state":"true","Errors":"","ZendingID":9007199254740993,"Barcode":"3S1"}'
    const { client, connection } = await startServiceWith(httpText(200, answer))
    expect(await client.createShipment(connection, draft, 'by-url')).toMatchObject({
      ok: true,
      value: { creation: { zendingId: '9007199254740993' } },
    })
  })
})
