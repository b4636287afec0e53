import type { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { CarrierClient } from '../../../src/main/carrier/carrierClient'
import { clientFor, pdf } from './fixtures'
import { httpText, type RawRequest, type RawServer, startRawServer } from './rawServer'

let client: CarrierClient
let server: RawServer

afterEach(async () => {
  await client.close()
  await server.close()
})

async function fetchFrom(respond: (socket: Socket, request: RawRequest) => void, path = '/labels/t0ken?x=1') {
  server = await startRawServer(respond)
  client = clientFor()
  return client.fetchLabel(`${server.origin}${path}`)
}

function answer(...args: Parameters<typeof httpText>): (socket: Socket) => void {
  return (socket) => socket.write(httpText(...args))
}

/** Redirects `/1` to `/2` and so on, and gives the PDF at the last one. */
function hops(count: number): (socket: Socket, request: RawRequest) => void {
  return (socket, { requestLine }) => {
    const hop = Number(/^GET \/(\d+) /.exec(requestLine)?.[1])
    socket.write(hop > count ? httpText(200, pdf) : httpText(302, '', { Location: `/${hop + 1}` }))
  }
}

describe('a label that is fetched by its URL', () => {
  it('comes byte for byte, and no header but the host goes along', async () => {
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

  const failures: [string, (socket: Socket, request: RawRequest) => void, string, string | undefined][] = [
    ['leads on four times', hops(4), 'label-not-fetched', 'redirects'],
    [
      'leads to another scheme',
      answer(302, '', { Location: 'https://127.0.0.1/label' }),
      'label-not-fetched',
      'other-scheme',
    ],
    ['redirects without a place', answer(302, ''), 'label-not-fetched', 'status'],
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
      'is larger than 32 MB',
      answer(200, Buffer.alloc(32 * 1024 * 1024 + 1, '%PDF-')),
      'label-not-fetched',
      'service-answer-not-understood',
    ],
  ]
  it.each(failures)('is refused when it %s', async (_name, respond, code, reason) => {
    const fetched = await fetchFrom(respond, '/1')
    expect(fetched).toMatchObject({ ok: false, error: { code } })
    expect(fetched.ok ? '' : fetched.error.details?.reason).toBe(reason)
    expect(JSON.stringify(fetched)).not.toContain('/1')
  })

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/label', 'label.pdf', ''])(
    'is not looked for at %s',
    async (url) => {
      server = await startRawServer(() => {})
      client = clientFor()
      expect(await client.fetchLabel(url)).toMatchObject({ ok: false, error: { code: 'label-not-fetched' } })
    },
  )
})
