import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { testNetworkConnection } from '../../../src/main/network/connectionTest'
import { createNetwork, createNetworkHandlers } from '../../../src/main/network/createNetwork'
import { fetchText } from '../../../src/main/updates/download'
import { appError } from '../../../src/shared/errors'
import {
  type CertificateSettings,
  certificateSettingsSchema,
  type ProxyCredentials,
  type ProxySettings,
  proxySettingsSchema,
} from '../../../src/shared/network'
import { ok } from '../../../src/shared/result'
import { defaultSettings } from '../../../src/shared/settings'
import { type ConnectProxy, type ProxyOptions, startConnectProxy } from '../../support/network/connectProxy'
import { makePrivateAuthority, type PrivateAuthority } from '../../support/network/privateAuthority'
import { plainJsonFile } from '../../support/plainJsonFile'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectionTo, createCarrierClient, directAnswer, draft, pdf } from '../carrier/fixtures'
import { httpText, jsonText, type RawServer, startRawServer } from '../carrier/rawServer'

let authority: PrivateAuthority
const servers: RawServer[] = []

beforeAll(() => {
  authority = makePrivateAuthority('Company Root')
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close()
})

interface World {
  proxy?: ProxyOptions | 'none'
  settings?: Partial<Extract<ProxySettings, { mode: 'manual' }>> | ProxySettings
  certificates?: Partial<CertificateSettings>
  credentials?: ProxyCredentials
  systemProxy?: (port: number) => string | Promise<string>
  systemAuthorities?: () => Promise<string[]>
  /** The service reads requests and never answers. */
  isSilent?: boolean
}

/** A service that is reachable only through the proxy, with a certificate of the company's authority. */
async function world({
  proxy: options = {},
  settings = {},
  certificates,
  credentials,
  systemProxy,
  systemAuthorities = async () => [],
  isSilent = false,
}: World = {}) {
  const folder = await temporaryFolder()
  const service = await startRawServer(
    (socket) => {
      if (!isSilent) socket.write(jsonText(directAnswer))
    },
    { tls: authority.issue('carrier.test') },
  )
  servers.push(service)
  const proxy: ConnectProxy | undefined =
    options === 'none'
      ? undefined
      : await startConnectProxy({ names: { 'carrier.test': service.port }, ...options })
  const chosen = proxySettingsSchema.parse(
    'mode' in settings
      ? settings
      : { mode: 'manual', host: '127.0.0.1', port: proxy?.port ?? 9, ...settings },
  )
  const current = {
    ...defaultSettings,
    proxy: chosen,
    certificates: certificateSettingsSchema.parse({ system: false, pem: authority.pem, ...certificates }),
  }
  const secrets: string[] = []
  const made = createNetwork({
    settings: { current: () => current },
    proxyFile: plainJsonFile(join(folder, 'proxy.json')),
    vault: {
      encrypt: (text) => Buffer.from(text).toString('base64'),
      decrypt: (text) => Buffer.from(text, 'base64').toString(),
    },
    memory: { held: null },
    redactor: { add: (secret) => void secrets.push(secret) },
    systemProxy: async () => systemProxy?.(proxy?.port ?? 9) ?? 'DIRECT',
    systemCertificates: systemAuthorities,
    log: silentLog,
  })
  if (credentials !== undefined) made.proxyCredentials.keep(`127.0.0.1:${proxy?.port}`, credentials)
  const client = createCarrierClient({
    timeouts: () => ({ connectTimeoutMs: 2_000, answerTimeoutMs: 2_000 }),
    network: made.network,
    log: silentLog,
    labelPolicy: () => ({ baseUrl: new URL('https://carrier.test/api'), labelHosts: [] }),
  })
  onTestFinished(() => client.close())
  const create = () => client.createShipment(connectionTo('https://carrier.test'), draft, 'in-answer')
  const look = () =>
    testNetworkConnection(new URL('https://carrier.test/api'), current, {
      ...made,
      askService: async () => 'answered' as const,
    })
  return { ...made, folder, service, proxy, current, secrets, create, look, client }
}

describe('a request through a proxy', () => {
  it('creates a shipment over a tunnel, with only host and port sent to the proxy', async () => {
    const { create, proxy, service } = await world()
    expect((await create()).ok).toBe(true)
    expect(proxy?.asked).toEqual([{ target: 'carrier.test:443', authorization: undefined }])
    expect(service.requests).toHaveLength(1)
  })

  it('tracks with a body on GET as without a proxy', async () => {
    const { client, service } = await world()
    await client.trackBulk(connectionTo('https://carrier.test'), ['3S1', '3S2'], {
      ...{ flightTracking: 'exclude', language: 'en', type: 'barcode', details: 'full' },
    })
    expect(service.requests[0]?.requestLine).toMatch(/^GET /)
    expect(service.requests[0]?.body).toContain('3S1')
    expect(service.requests[0]?.headers).not.toContainEqual(expect.stringMatching(/^connection: close/i))
  })

  it('signs in to the proxy with its stored credentials, and not with those of another proxy', async () => {
    const credentials = { user: 'bench-7', password: 'proxy-s3cret:x' }
    const { create, proxy, secrets } = await world({
      proxy: { credentials: 'bench-7:proxy-s3cret:x' },
      credentials,
    })
    expect((await create()).ok).toBe(true)
    expect(proxy?.asked[0]?.authorization).toMatch(/^Basic /)
    expect(secrets).toContain('proxy-s3cret:x')
    const other = await world({ credentials: undefined })
    other.proxyCredentials.keep('proxy.example:3128', credentials)
    expect((await other.create()).ok).toBe(true)
    expect(other.proxy?.asked[0]?.authorization).toBeUndefined()
  })

  it.each([
    ['is unreachable', { proxy: 'none' as const }, 'unreachable'],
    ['wants credentials', { proxy: { credentials: 'a:b' } }, 'credentials-missing'],
    [
      'refuses the credentials',
      { proxy: { credentials: 'a:b' }, credentials: { user: 'a', password: 'other' } },
      'credentials-refused',
    ],
    [
      'requires an unsupported sign-in method',
      {
        proxy: {
          answer: 'HTTP/1.1 407 Auth\r\nProxy-Authenticate: NTLM\r\nProxy-Authenticate: Negotiate\r\n\r\n',
        },
      },
      'credentials-other',
    ],
    ['refuses the host', { proxy: { answer: 'HTTP/1.1 403 Forbidden\r\n\r\n' } }, 'refused'],
    ['cannot reach the host', { proxy: { names: {} } }, 'service-not-reached'],
    ['answers with something else', { proxy: { answer: 'SSH-2.0-OpenSSH_9.2\r\n' } }, 'broken'],
    ['does not answer', { proxy: { isSilent: true } }, 'silent'],
    ['closes the connection', { proxy: { answer: '' } }, 'broken'],
    ['cuts the tunnel before TLS', { proxy: { cuts: true } }, 'broken'],
  ])('ends as not sent when the proxy %s', async (_what, given, kind) => {
    const { create, service } = await world(given)
    expect(await create()).toMatchObject({
      kind: 'not-sent',
      error: { code: 'proxy-failed', details: { case: kind, host: 'carrier.test' } },
    })
    expect(service.requests).toEqual([])
  })

  it('ends as unknown when the tunnel breaks after the service received the request and before it answers', async () => {
    const { create, service, proxy } = await world({ isSilent: true })
    const sent = create()
    await expect.poll(() => service.requests).toHaveLength(1)
    await proxy?.close()
    expect(await sent).toMatchObject({ kind: 'unknown', error: { code: 'service-connection-lost' } })
    expect(service.requests).toHaveLength(1)
  })

  it('uses the next proxy of the system when the first one is unreachable', async () => {
    const { create, proxy } = await world({
      settings: { mode: 'system' },
      systemProxy: (port) => `PROXY 127.0.0.1:9; SOCKS5 127.0.0.1:9; PROXY 127.0.0.1:${port}; DIRECT`,
    })
    expect((await create()).ok).toBe(true)
    expect(proxy?.asked).toHaveLength(1)
  })

  it('names the unreachable proxy, and not the SOCKS proxy before it that is ignored', async () => {
    const { create } = await world({
      settings: { mode: 'system' },
      systemProxy: () => 'SOCKS5 127.0.0.1:1080; PROXY 127.0.0.1:9',
    })
    expect(await create()).toMatchObject({
      kind: 'not-sent',
      error: { code: 'proxy-failed', details: { case: 'unreachable', proxy: '127.0.0.1:9' } },
    })
  })

  it('ends as not sent when the system does not return a proxy in time', async () => {
    const { create, service } = await world({
      settings: { mode: 'system' },
      systemProxy: () => new Promise<string>(() => undefined),
    })
    expect(await create()).toMatchObject({
      kind: 'not-sent',
      error: { code: 'proxy-failed', details: { case: 'system-silent', host: 'carrier.test' } },
    })
    expect(service.requests).toEqual([])
  })

  it('does not try the next route after a refusal by the proxy', async () => {
    const { create } = await world({
      settings: { mode: 'system' },
      proxy: { answer: 'HTTP/1.1 403 Forbidden\r\n\r\n' },
      systemProxy: (port) => `PROXY 127.0.0.1:${port}; DIRECT`,
    })
    expect(await create()).toMatchObject({ kind: 'not-sent', error: { details: { case: 'refused' } } })
  })

  it('to this computer bypasses the proxy unless the settings include loopback', async () => {
    const { client, proxy, service } = await world()
    const local = connectionTo(`https://127.0.0.1:${service.port}`)
    expect(await client.createShipment(local, draft, 'in-answer')).toMatchObject({
      kind: 'not-sent',
      error: { code: 'service-insecure' },
    })
    expect(proxy?.asked).toEqual([])
    const said = await world({ settings: { loopback: true } })
    await said.client.createShipment(connectionTo('https://127.0.0.1:1'), draft, 'in-answer')
    expect(said.proxy?.asked).toHaveLength(1)
  })

  it('to an exception bypasses the proxy', async () => {
    const { create, proxy } = await world({ settings: { exceptions: ['*.test'] } })
    expect(await create()).toMatchObject({ kind: 'not-sent', error: { code: 'service-unreachable' } })
    expect(proxy?.asked).toEqual([])
  })

  it('uses TLS to the proxy with a certificate of the company’s authority, and refuses another certificate', async () => {
    const { create } = await world({
      proxy: { identity: authority.issue('127.0.0.1') },
      settings: { tls: true },
    })
    expect((await create()).ok).toBe(true)
    const unknown = makePrivateAuthority('Somebody')
    const other = await world({ proxy: { identity: unknown.issue('127.0.0.1') }, settings: { tls: true } })
    expect(await other.create()).toMatchObject({
      kind: 'not-sent',
      error: { code: 'proxy-failed', details: { case: 'insecure' } },
    })
    expect(other.proxy?.asked).toEqual([])
  })
})

describe('label and update downloads through a proxy', () => {
  /** Fetches a label and an update channel from another server that is reachable only through the proxy. */
  async function fetchBoth(certificates?: Partial<CertificateSettings>) {
    const other = await startRawServer((socket) => socket.write(httpText(200, pdf)), {
      tls: authority.issue('elsewhere.test'),
    })
    servers.push(other)
    const { client, network, proxy } = await world({
      proxy: { names: { 'elsewhere.test': other.port }, credentials: 'bench-7:s3cret' },
      credentials: { user: 'bench-7', password: 's3cret' },
      ...(certificates && { certificates }),
    })
    const dispatcher = await network.dispatcher(2_000)
    onTestFinished(() => dispatcher.destroy())
    const label = await client.fetchLabel('https://elsewhere.test/t0ken')
    const url = new URL('https://elsewhere.test/stable.json')
    const channel = await fetchText({ dispatcher, url, signal: AbortSignal.timeout(5_000) }, 10_000)
    return { label, channel, hosts: proxy?.asked.map(({ target }) => target), requests: other.requests }
  }

  it('succeed with a certificate of the company’s authority', async () => {
    const { label, channel, hosts } = await fetchBoth()
    expect(label).toEqual({ ok: true, value: pdf })
    expect(channel).toEqual({ ok: true, value: pdf.toString() })
    expect(new Set(hosts)).toEqual(new Set(['elsewhere.test:443']))
  })

  it('of a label fail with the reason in words when the proxy is unreachable', async () => {
    const { client } = await world({ proxy: 'none' })
    const label = await client.fetchLabel('https://elsewhere.test/t0ken')
    expect(label.ok ? '' : label.error.message).toBe(
      'The label could not be fetched from the service (elsewhere.test): the shipment exists, fetch the label again. Reason: the proxy could not be used.',
    )
  })

  it('fail when no trusted authority signed the server’s certificate', async () => {
    const { label, channel, requests } = await fetchBoth({ pem: undefined })
    expect(label).toMatchObject({ ok: false, error: { code: 'label-not-fetched' } })
    expect(channel).toMatchObject({ ok: false, error: { kind: 'unreachable' } })
    expect(requests).toEqual([])
  })
})

describe('certificate authorities of a company', () => {
  it.each([
    ['given as text', async () => ({ pem: authority.pem })],
    [
      'in a file',
      async () => {
        const file = join(await temporaryFolder(), 'company.pem')
        await writeFile(file, `# the company's\n${authority.pem}`)
        return { pem: undefined, file }
      },
    ],
  ])('are trusted when they are %s', async (_how, certificates) => {
    const { create } = await world({ certificates: await certificates() })
    expect((await create()).ok).toBe(true)
  })

  it.each([
    ['on', true],
    ['off', false],
  ])(
    'of the system’s store are trusted or refused when the use of that store is %s',
    async (_state, system) => {
      const { create, service } = await world({
        certificates: { pem: undefined, system },
        systemAuthorities: async () => [authority.pem],
      })
      const outcome = await create()
      if (system) expect(outcome.ok).toBe(true)
      else expect(outcome).toMatchObject({ kind: 'not-sent', error: { code: 'service-insecure' } })
      expect(service.requests).toHaveLength(system ? 1 : 0)
    },
  )

  it('are not trusted when they are hidden in the text of another one', async () => {
    const both = `${makePrivateAuthority('Other Root').pem}${authority.pem}`
    const pem = [
      '-----BEGIN CERTIFICATE----- x',
      both.replaceAll('CERTIFICATE', 'X509 CERTIFICATE').trim(),
      '-----END CERTIFICATE-----',
    ].join('\n')
    const { create, service } = await world({ certificates: { pem } })
    expect(await create()).toMatchObject({ kind: 'not-sent', error: { code: 'service-insecure' } })
    expect(service.requests).toEqual([])
  })
})

describe('the connection test', () => {
  it('reports every hop as reached when the connection works', async () => {
    const { look, proxy } = await world()
    expect(await look()).toEqual({
      target: 'carrier.test:443',
      proxy: `127.0.0.1:${proxy?.port}`,
      reached: ['proxy', 'tunnel', 'trust', 'service'],
      failed: null,
      issuer: 'Company Root',
    })
  })

  it.each([
    ['the proxy', { proxy: 'none' as const }, [], 'proxy', 'proxy-failed'],
    ['the tunnel', { proxy: { credentials: 'a:b' } }, ['proxy'], 'tunnel', 'proxy-failed'],
    [
      'the certificate',
      { certificates: { pem: undefined } },
      ['proxy', 'tunnel'],
      'trust',
      'certificate-not-trusted',
    ],
    [
      'an unusable certificate file',
      { certificates: { file: '/dev/zero' } },
      [],
      'certificates',
      'certificates-unusable',
    ],
    [
      'a missing certificate file',
      { certificates: { file: '/nowhere/company.pem' } },
      [],
      'certificates',
      'certificates-unusable',
    ],
  ])('reports a failure at %s', async (_what, given, reached, hop, code) => {
    const { look, service } = await world(given)
    expect(await look()).toMatchObject({ reached, failed: { hop, error: { code } } })
    expect(service.requests).toEqual([])
  })

  it('reports a failed handshake of a direct connection as insecure, not as unreachable', async () => {
    const plain = await startRawServer(() => {}, {
      onConnection: (socket) => socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    })
    servers.push(plain)
    const { current, look: _, ...made } = await world({ settings: { mode: 'off' } })
    const askService = async () => 'answered' as const
    const test = (port: number) =>
      testNetworkConnection(new URL(`https://127.0.0.1:${port}`), current, { ...made, askService })
    expect(await test(plain.port)).toMatchObject({
      failed: { hop: 'trust', error: { code: 'service-insecure' } },
    })
    expect(await test(1)).toMatchObject({
      failed: { hop: 'service', error: { code: 'service-unreachable' } },
    })
  })

  it('leaves the connections their certificates when it cannot read those of the system, or tests others', async () => {
    let reads = 0
    const { create, look, current, ...made } = await world({
      certificates: { pem: undefined, system: true },
      async systemAuthorities() {
        reads += 1
        if (reads > 1) throw new Error('too slow')
        return [authority.pem]
      },
    })
    expect((await create()).ok).toBe(true)
    expect(await look()).toMatchObject({ failed: { hop: 'trust' } })
    expect(reads).toBe(2)
    expect((await create()).ok).toBe(true)
    const other = { ...current, certificates: certificateSettingsSchema.parse({ system: false }) }
    const askService = async () => 'answered' as const
    await testNetworkConnection(new URL('https://carrier.test/'), other, { ...made, askService })
    expect((await create()).ok).toBe(true)
    expect(reads).toBe(2)
  })

  it('names the issuer of an untrusted certificate', async () => {
    const { look } = await world({ certificates: { pem: undefined } })
    const { failed, issuer } = await look()
    expect(issuer).toBe('Company Root')
    expect(failed?.error.message).toContain('Company Root')
  })

  it.each([
    ['the first proxy of the system gets', (port: number) => `PROXY 127.0.0.1:${port}`, true],
    [
      'a proxy after an unreachable one does not get',
      (port: number) => `PROXY 127.0.0.1:9; PROXY 127.0.0.1:${port}`,
      false,
    ],
  ])('%s the credentials that are typed', async (_which, systemProxy, isGiven) => {
    const { current, proxy, look: _, ...made } = await world({ settings: { mode: 'system' }, systemProxy })
    const { testNetwork } = createNetworkHandlers({
      ...made,
      settings: { current: () => current },
      session: {
        status: () => ({ state: 'connected' }),
        baseUrl: () => new URL('https://carrier.test/api'),
        test: async () => ok(undefined),
      },
      targetConsent: { forNetworkTest: async () => ok(undefined) },
    })
    const credentials = { user: 'bench-7', password: 's3cret' }
    const { certificates } = current
    const tested = await testNetwork({ proxy: current.proxy, certificates, credentials, address: null })
    expect(tested).toMatchObject({ ok: true, value: { proxy: `127.0.0.1:${proxy?.port}`, failed: null } })
    expect(proxy?.asked.map(({ authorization }) => authorization !== undefined)).toEqual([isGiven])
  })

  it('returns the error of the service', async () => {
    const { current, look: _, ...made } = await world()
    const error = appError('account-refused', { host: 'carrier.test' })
    const askService = async () => error
    const tested = await testNetworkConnection(new URL('https://carrier.test/'), current, {
      ...made,
      askService,
    })
    expect(tested).toMatchObject({ failed: { hop: 'service', error: { code: 'account-refused' } } })
  })
})
