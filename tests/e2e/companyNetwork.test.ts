import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { join } from 'node:path'
import { createServer as createTlsServer } from 'node:tls'
import { expect, it, onTestFinished } from 'vitest'
import { collectDiagnostics } from '../../src/main/app/diagnostics'
import { placesIn } from '../../src/main/storage/dataFolder'
import { listenOnLoopback } from '../support/loopback'
import { startConnectProxy } from '../support/network/connectProxy'
import { makePrivateAuthority } from '../support/network/privateAuthority'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, open, outcome, picture, printed } from './support/screens'

function portOf(server: ReturnType<typeof createServer> | ReturnType<typeof createTlsServer>) {
  onTestFinished(() => void server.close())
  return listenOnLoopback(server)
}

/** Serves TLS with the given certificate and forwards the connections to a port. */
function secured(port: number, identity: { cert: string; key: string }): Promise<number> {
  const server = createTlsServer(identity, (socket) => {
    const upstream = connect(port, '127.0.0.1')
    socket.on('error', () => upstream.destroy())
    upstream.on('error', () => socket.destroy())
    socket.pipe(upstream).pipe(socket)
  })
  return portOf(server)
}

/** The text of all files in a folder and its subfolders. */
async function everyFile(folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  return (await Promise.all(files.map((file) => readFile(file, 'latin1').catch(() => '')))).join('\n')
}

const secret = 'Canary-proxy-9s3cret'

it('a station ships through the proxy of the system’s PAC file with the company’s certificate authority, and never shows the proxy’s password', async () => {
  const folder = await temporaryFolder()
  const data = join(folder, 'data')
  const simulator = await testSimulator()
  const authority = makePrivateAuthority('Company Root')
  const service = new URL(simulator.baseUrl)
  const port = await secured(Number(service.port), authority.issue('carrier.test'))
  const proxy = await startConnectProxy({
    names: { 'carrier.test': port },
    credentials: `bench-7:${secret}`,
  })
  const pac = createServer((_request, response) => {
    response.setHeader('Content-Type', 'application/x-ns-proxy-autoconfig')
    response.end(`function FindProxyForURL(url, host) {
      return host === 'carrier.test' ? 'PROXY 127.0.0.1:${proxy.port}' : 'DIRECT'
    }`)
  })
  const pacPort = await portOf(pac)
  const provision = await provisionSwitch(folder, {
    ...stationProvisioning(`https://carrier.test${service.pathname}`),
    proxy: {
      mode: 'system',
      credentialsFor: `127.0.0.1:${proxy.port}`,
      userEnv: 'PROXY_USER',
      passwordEnv: 'PROXY_PASSWORD',
    },
    certificates: { system: true, pem: authority.pem },
  })
  const env = {
    ...{ auto_proxy: `http://127.0.0.1:${pacPort}/proxy.pac`, XDG_CURRENT_DESKTOP: 'none' },
    ...{ PROXY_USER: 'bench-7', PROXY_PASSWORD: secret },
  }
  const { page, close } = await launch(data, [provision], env)
  await fillShipment(page, { Reference: 'ORDER-1' })
  await page.keyboard.press('F9')
  await outcome(page, 'created')
  await printed(page)
  expect(proxy.asked.length).toBeGreaterThan(0)
  expect(new Set(proxy.asked.map(({ target }) => target))).toEqual(new Set(['carrier.test:443']))

  await open(page, 'Settings')
  await page.getByRole('tab', { name: 'Network' }).click()
  await page.getByText(`is reached through 127.0.0.1:${proxy.port} now`).waitFor()
  await page.getByRole('button', { name: 'Test the connection' }).click()
  await page.getByText('The service answers').waitFor()
  await page.getByText('Issued by Company Root').waitFor()
  await picture(page, 'network')
  expect(await page.content()).not.toContain(secret)
  const overview = await page.evaluate(async () =>
    JSON.stringify(await window.packbench.getNetwork(undefined)),
  )
  expect(overview).not.toContain(secret)
  expect(overview).not.toContain('bench-7')
  await close()

  const bytes = await collectDiagnostics({
    ...{ places: placesIn(data), runtime: {}, status: undefined, now: () => new Date() },
    databaseProcess: async () => ({ output: '', code: 1 }),
  })
  const encoded = Buffer.from(`bench-7:${secret}`).toString('base64')
  for (const form of [secret, encoded]) {
    expect(await everyFile(join(data, 'logs'))).not.toContain(form)
    expect(await everyFile(data)).not.toContain(form)
    expect(Buffer.from(bytes).toString('latin1')).not.toContain(form)
  }
})
