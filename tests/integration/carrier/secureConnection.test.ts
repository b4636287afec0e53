import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type CarrierClient, clientFor, connectionTo, directAnswer, draft } from './fixtures'
import { jsonText, type RawServer, startRawServer } from './rawServer'

let client: CarrierClient
let server: RawServer

afterEach(async () => {
  await client.close()
  await server.close()
})

function selfSigned(): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'packbench-tls-'))
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const subject = ['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1']
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  try {
    execFileSync(
      'openssl',
      ['req', '-x509', ...newKey, '-keyout', key, '-out', cert, '-days', '1', ...subject],
      {
        stdio: 'ignore',
      },
    )
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('a failed TLS connection', () => {
  it('sends nothing to a service with a self-signed certificate', async () => {
    server = await startRawServer((socket) => socket.write(jsonText(directAnswer)), { tls: selfSigned() })
    client = clientFor()
    const outcome = await client.createShipment(connectionTo(server.origin), draft, 'in-answer')
    expect(outcome).toMatchObject({
      kind: 'not-sent',
      error: { code: 'service-insecure', details: { reason: 'DEPTH_ZERO_SELF_SIGNED_CERT' } },
    })
    expect(server.requests).toEqual([])
  })

  it('sends nothing to a service that does not speak TLS', async () => {
    server = await startRawServer((socket) => socket.write(jsonText(directAnswer)), {
      onConnection: (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    })
    client = clientFor()
    const secure = connectionTo(server.origin.replace('http:', 'https:'))
    const outcome = await client.createShipment(secure, draft, 'in-answer')
    expect(outcome).toMatchObject({ kind: 'not-sent', error: { code: 'service-insecure' } })
    expect(server.requests).toEqual([])
  })

  it('ends as not sent when the handshake exceeds the connect timeout', async () => {
    server = await startRawServer(() => {}, { read: false })
    client = clientFor(5_000, 200)
    const secure = connectionTo(server.origin.replace('http:', 'https:'))
    const outcome = await client.createShipment(secure, draft, 'in-answer')
    expect(outcome).toMatchObject({
      kind: 'not-sent',
      error: { code: 'service-unreachable', details: { reason: 'connect-timeout' } },
    })
  })
})
