import type { LookupFunction, Socket } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LabelPolicy } from '../../../src/main/carrier/fetchLabel'
import { silentLog } from '../../support/silentLog'
import { type CarrierClient, clientFor, createCarrierClient, pdf } from './fixtures'
import { httpText, type RawRequest, type RawServer, startRawServer } from './rawServer'

let client: CarrierClient
let server: RawServer

afterEach(async () => {
  await client.close()
  await server.close()
})

async function fetchFrom(respond: (socket: Socket, request: RawRequest) => void, path = '/labels/t0ken?x=1') {
  server = await startRawServer(respond)
  // Each of these servers answers, but 32 MB can take a busy computer longer than the short timeouts.
  client = clientFor(20_000)
  return client.fetchLabel(`${server.origin}${path}`)
}

function answer(...args: Parameters<typeof httpText>): (socket: Socket) => void {
  return (socket) => socket.write(httpText(...args))
}

/** Redirects `/1` to `/2` and so on, `count` times, and then answers with the PDF. */
function hops(count: number): (socket: Socket, request: RawRequest) => void {
  return (socket, { requestLine }) => {
    const hop = Number(/^GET \/(\d+) /.exec(requestLine)?.[1])
    socket.write(hop > count ? httpText(200, pdf) : httpText(302, '', { Location: `/${hop + 1}` }))
  }
}

describe('a label URL', () => {
  it('is fetched byte for byte with no other headers than Host and Connection', async () => {
    const fetched = await fetchFrom(answer(200, pdf, { 'Content-Type': 'application/octet-stream' }))
    expect(fetched).toEqual({ ok: true, value: pdf })
    expect(server.requests).toEqual([
      {
        connection: 1,
        requestLine: 'GET /labels/t0ken?x=1 HTTP/1.1',
        headers: [`host: 127.0.0.1:${server.port}`, 'connection: keep-alive'],
        body: '',
      },
    ])
  })

  it('is followed through three redirects', async () => {
    expect(await fetchFrom(hops(3), '/1')).toEqual({ ok: true, value: pdf })
  })

  it.each([
    ['without a Content-Length', '', pdf],
    ['without a Content-Length, with bytes after its end', '', Buffer.concat([pdf, Buffer.alloc(500)])],
    ['with a Content-Length but no end marker', 'Content-Length: 8\r\n', Buffer.from('%PDF-1.7')],
  ])('is taken whole when it comes %s', async (_name, length, bytes) => {
    const head = `HTTP/1.1 200 OK\r\n${length}Connection: close\r\n\r\n`
    expect(await fetchFrom((socket) => socket.end(Buffer.concat([Buffer.from(head), bytes])))).toEqual({
      ok: true,
      value: bytes,
    })
  })

  const failures: [string, (socket: Socket, request: RawRequest) => void, string, string | undefined][] = [
    ['redirects four times', hops(4), 'label-not-fetched', 'redirects'],
    [
      'redirects to another scheme',
      answer(302, '', { Location: 'https://127.0.0.1/label' }),
      'label-not-fetched',
      'other-scheme',
    ],
    ['redirects without a Location', answer(302, ''), 'label-not-fetched', 'status'],
    ['is gone', answer(404, 'gone'), 'label-not-fetched', 'status'],
    ['asks for a login', answer(401, ''), 'label-not-fetched', 'status'],
    ['is a web page', answer(200, '<html>log in</html>'), 'label-unreadable', undefined],
    ['is empty', answer(200, ''), 'label-not-fetched', 'empty'],
    [
      'is cut off',
      (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n%PDF-'),
      'label-not-fetched',
      'service-connection-lost',
    ],
    [
      'is cut off without a Content-Length',
      (socket) => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${pdf.subarray(0, 99)}`),
      'label-not-fetched',
      'service-connection-lost',
    ],
    [
      'is larger than 32 MB',
      answer(200, Buffer.alloc(32 * 1024 * 1024 + 1, '%PDF-')),
      'label-not-fetched',
      'service-answer-not-understood',
    ],
  ]
  it.each(failures)('fails when it %s', async (_name, respond, code, reason) => {
    const fetched = await fetchFrom(respond, '/1')
    expect(fetched).toMatchObject({ ok: false, error: { code } })
    expect(fetched.ok ? '' : fetched.error.details?.reason).toBe(reason)
    expect(JSON.stringify(fetched)).not.toContain('/1')
  })

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/label', 'label.pdf', ''])(
    'fails when it is «%s»',
    async (url) => {
      server = await startRawServer(() => {})
      client = clientFor()
      expect(await client.fetchLabel(url)).toMatchObject({ ok: false, error: { code: 'label-not-fetched' } })
    },
  )
})

/** The host names of these tests and their addresses, instead of the system's resolver. */
const addresses: Record<string, string[]> = {
  'carrier.example': ['203.0.113.7'],
  'intern.example': ['127.0.0.1'],
  'labels.example': ['127.0.0.1'],
  'mixed.example': ['203.0.113.8', '127.0.0.1'],
}

/** Fetches a label under the given policy, with host names resolved by `addresses`. */
async function fetchAs(policy: { baseUrl: string | null; labelHosts?: string[] }, url: string) {
  const lookups: string[] = []
  const lookup: LookupFunction = (hostname, _options, callback) => {
    lookups.push(hostname)
    const found = (addresses[hostname] ?? []).map((address) => ({ address, family: 4 }))
    if (found.length === 0) callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '')
    else callback(null, found)
  }
  const { baseUrl, labelHosts = [] } = policy
  const labelPolicy = (): LabelPolicy => ({ baseUrl: baseUrl === null ? null : new URL(baseUrl), labelHosts })
  client = createCarrierClient({
    timeouts: () => ({ connectTimeoutMs: 300, answerTimeoutMs: 2_000 }),
    log: silentLog,
    labelPolicy,
    lookup,
  })
  return { fetched: await client.fetchLabel(url.replace(':0/', `:${server.port}/`)), lookups }
}

describe('the log entry of a failed label fetch', () => {
  it('contains the reason and no part of the URL', async () => {
    server = await startRawServer(answer(410, ''))
    const info = vi.fn()
    client = createCarrierClient({
      timeouts: () => ({ connectTimeoutMs: 300, answerTimeoutMs: 2_000 }),
      log: { ...silentLog, info },
      labelPolicy: () => ({ baseUrl: new URL(server.origin), labelHosts: [] }),
    })
    await client.fetchLabel(`${server.origin}/t0ken`)
    expect(info).toHaveBeenCalledWith(
      'the service was called',
      expect.objectContaining({ operation: 'fetch label', outcome: 'label-not-fetched: status' }),
    )
    expect(JSON.stringify(info.mock.calls)).not.toContain('t0ken')
  })
})

describe('a label URL into a private network', () => {
  const refused = {
    ok: false,
    error: { code: 'label-host-not-allowed', details: { reason: 'private-address' } },
  }

  it.each([
    ['this computer by name', 'http://labels.example:0/t0ken'],
    ['this computer by address', 'http://127.0.0.1:0/t0ken'],
    ['this computer by a decimal number', 'http://2130706433:0/t0ken'],
    ['this computer in IPv6', 'http://[::1]:0/t0ken'],
    ['this computer by an IPv4 address mapped to IPv6', 'http://[::ffff:127.0.0.1]:0/t0ken'],
    ['a network behind NAT64', 'http://[64:ff9b::10.0.0.1]:0/t0ken'],
    ['a network behind 6to4', 'http://[2002:a00:1::]:0/t0ken'],
    ['the metadata service of a cloud', 'http://169.254.169.254:0/t0ken'],
    ['the unspecified address', 'http://0.0.0.0:0/t0ken'],
    ['a carrier-grade NAT network', 'http://100.64.0.1:0/t0ken'],
    ['a name with a public and a private address', 'http://mixed.example:0/t0ken'],
  ])('is refused without a connection to %s', async (_name, url) => {
    server = await startRawServer(answer(200, pdf))
    const { fetched } = await fetchAs({ baseUrl: 'http://carrier.example/api' }, url)
    expect(fetched).toMatchObject(refused)
    expect(JSON.stringify(fetched)).not.toContain('t0ken')
    expect(server.connections()).toBe(0)
  })

  it('is named in the error as the list of label hosts has to name it: without its port', async () => {
    server = await startRawServer(answer(200, pdf))
    const { fetched } = await fetchAs({ baseUrl: 'http://carrier.example/api' }, 'http://127.0.0.1:0/t0ken')
    expect(fetched).toMatchObject({ ...refused, error: { details: { host: '127.0.0.1' } } })
  })

  it('is refused when a redirect points to a private address', async () => {
    server = await startRawServer(answer(302, '', { Location: 'http://intern.example/t0ken' }))
    const { fetched } = await fetchAs(
      { baseUrl: 'http://carrier.example/api', labelHosts: ['labels.example'] },
      'http://labels.example:0/t0ken',
    )
    expect(fetched).toMatchObject({ ...refused, error: { details: { host: 'intern.example' } } })
    expect(server.connections()).toBe(1)
  })

  it.each([
    [
      'the host is on the list',
      'http://carrier.example/api',
      ['labels.example'],
      'http://labels.example:0/l',
    ],
    ['the address is on the list', 'http://carrier.example/api', ['127.0.0.1'], 'http://127.0.0.1:0/l'],
    [
      'the name of the service resolves to a private address',
      'http://intern.example/api',
      [],
      'http://labels.example:0/l',
    ],
    ['the address of the service is private', 'http://10.0.0.1/api', [], 'http://127.0.0.1:0/l'],
  ])('is fetched when %s', async (_name, baseUrl, labelHosts, url) => {
    server = await startRawServer(answer(200, pdf))
    const { fetched } = await fetchAs({ baseUrl, labelHosts }, url)
    expect(fetched).toEqual({ ok: true, value: pdf })
  })

  it('is resolved only once for the check and the connection', async () => {
    server = await startRawServer(answer(200, pdf))
    const { lookups } = await fetchAs({ baseUrl: 'http://intern.example/api' }, 'http://labels.example:0/l')
    expect(lookups.filter((name) => name === 'labels.example')).toHaveLength(1)
  })
})

describe('a label URL of another scheme than the service’s', () => {
  it.each([
    ['https://carrier.example/api', 'http://labels.example:0/t0ken'],
    [null, 'http://labels.example:0/t0ken'],
  ])('is refused without a connection when the service address is %s', async (baseUrl, url) => {
    server = await startRawServer(answer(200, pdf))
    const { fetched } = await fetchAs({ baseUrl, labelHosts: ['labels.example'] }, url)
    expect(fetched).toMatchObject({
      ok: false,
      error: { code: 'label-not-fetched', details: { reason: 'other-scheme' } },
    })
    expect(fetched.ok ? '' : fetched.error.message).toContain(`labels.example:${server.port}`)
    expect(server.connections()).toBe(0)
  })
})
