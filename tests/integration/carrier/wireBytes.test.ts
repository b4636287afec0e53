import { afterEach, describe, expect, it } from 'vitest'
import {
  type CarrierClient,
  clientFor,
  connectionTo,
  directAnswer,
  draft,
  getKind,
  trackingOptions,
} from './fixtures'
import { jsonText, type RawServer, startRawServer } from './rawServer'

let client: CarrierClient
let server: RawServer

afterEach(async () => {
  await client.close()
  await server.close()
})

async function serve(answer: unknown): Promise<void> {
  client = clientFor()
  server = await startRawServer((socket) => socket.write(jsonText(answer)))
}

const notFound = {
  state: true,
  numberOfItems: 0,
  notFound: [],
  items: [],
  lastStatus: [],
  flightTracking: [],
}

describe('the client on the wire', () => {
  it('signs in with exactly the two headers, no body and no query', async () => {
    await serve({ state: 'true', Errors: '', apikey: 'abcdef' })
    const baseUrl = new URL(`${server.origin}/api`)
    const signedIn = await client.authenticate({ baseUrl, user: 'station', password: 'pässword €' })
    expect(signedIn).toEqual({
      ok: true,
      value: { apiKey: 'abcdef', customerId: null, accountId: null, name: null },
    })
    const [request] = server.requests
    expect(request?.requestLine).toBe('GET /api/auth HTTP/1.1')
    expect(request?.body).toBe('')
    const utf8 = Buffer.from('pässword €', 'utf8').toString('latin1')
    expect(request?.headers).toEqual([
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      'AUTH_USER: station',
      `AUTH_PW: ${utf8}`,
    ])
  })

  it('creates a shipment with one POST on a new connection', async () => {
    await serve(directAnswer)
    const connection = connectionTo(server.origin, 'key/with spaces')
    await client.trackCode(connection, 'A', trackingOptions)
    const outcome = await client.createShipment(connection, draft, 'in-answer')
    expect(getKind(outcome)).toBe('ok')
    const request = server.requests[1]
    expect(request?.connection).toBe(2)
    expect(request?.requestLine).toBe('POST /api/action/key%2Fwith%20spaces/101?o=JSON&DO=Y HTTP/1.1')
    expect(request?.headers).toEqual([
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      'Content-Type: application/json',
      `content-length: ${Buffer.byteLength(request?.body ?? '')}`,
    ])
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ first_name: 'Zoë', weight: 1.25, carrier_id: 12 })
    await client.createShipment(connection, draft, 'by-url')
    expect(server.requests[2]?.requestLine).toContain('?o=JSON&DO=N ')
  })

  it('tracks one code without a body or content type', async () => {
    await serve(notFound)
    await client.trackCode(connectionTo(server.origin, 'KEY'), '../3S/ö', trackingOptions)
    const [request] = server.requests
    expect(request?.requestLine).toBe(
      'GET /api/get_tracking_information/KEY/..%2F3S%2F%C3%B6?flight_tracking_setting=exclude&lang=en' +
        '&type=barcode&tracking_details=full HTTP/1.1',
    )
    expect(request?.headers).toEqual([`host: 127.0.0.1:${server.port}`, 'connection: keep-alive'])
  })

  it('tracks several codes with a body on GET and keeps the connection', async () => {
    await serve(notFound)
    const connection = connectionTo(server.origin, 'KEY')
    await client.trackBulk(connection, ['A', 'B'], { ...trackingOptions, language: 'nl', details: 'minimal' })
    // The client reuses the connection from the next turn of the event loop on.
    await new Promise(setImmediate)
    await client.trackBulk(connection, ['C'], trackingOptions)
    const [first, second] = server.requests
    expect(first?.requestLine).toBe(
      'GET /api/get_tracking_information/KEY?flight_tracking_setting=exclude&lang=nl' +
        '&type=barcode&tracking_details=minimal HTTP/1.1',
    )
    expect(first?.headers).toEqual([
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      'Content-Type: application/json',
      'content-length: 9',
    ])
    expect(first?.body).toBe('["A","B"]')
    expect(second?.body).toBe('["C"]')
    expect(second?.connection).toBe(1)
  })

  it('makes no connection for an empty list of codes', async () => {
    await serve(notFound)
    expect(await client.trackBulk(connectionTo(server.origin), [], trackingOptions)).toEqual({
      ok: true,
      value: [],
    })
    expect(server.connections()).toBe(0)
  })

  it('sends nothing when the password is not a valid header value', async () => {
    await serve(notFound)
    const baseUrl = new URL(`${server.origin}/api`)
    const signedIn = await client.authenticate({ baseUrl, user: 'u', password: 'line\r\nX: y' })
    expect(signedIn).toMatchObject({ ok: false, error: { code: 'invalid-input' } })
    expect(server.requests).toEqual([])
  })
})
