import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { methods } from '../../src/shared/bridge'
import { listenOnLoopback } from '../support/loopback'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { answerDialogs } from './support/dialogs'
import { launch } from './support/drivenApp'
import { provisionSwitch, sharedStation, startStation, stationProvisioning } from './support/provisioned'
import { getConfinement, sandboxedElectron, whyNotSandboxed } from './support/sandboxed'
import { fillShipment, open, outcome, printed } from './support/screens'

const notSandboxed = whyNotSandboxed()

/** The number of devices of each kind that a page can see without a permission. */
async function devicesOf(): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const kind of ['hid', 'usb', 'serial']) {
    const api: unknown = Reflect.get(navigator, kind)
    if (typeof api !== 'object' || api === null) continue
    const list: unknown = Reflect.get(api, kind === 'serial' ? 'getPorts' : 'getDevices')
    const devices: unknown =
      typeof list === 'function' ? await Reflect.apply(list, api, []).catch(() => []) : []
    found[kind] = Array.isArray(devices) ? devices.length : -1
  }
  return found
}

const station = sharedStation()

describe('the window', () => {
  it('has the bridge, and no other API of Node or Electron', async () => {
    const { page } = await station()
    const seen = await page.evaluate(() => ({
      bridge: Object.keys(window.packbench).sort(),
      node: ['require', 'process', 'module', 'global', 'Buffer'].filter((name) => name in window),
      frozen: (() => {
        try {
          Object.assign(window, { packbench: {} })
        } catch {
          return true
        }
        return Object.keys(window.packbench).length > 1
      })(),
    }))
    expect(seen.bridge).toEqual([...Object.keys(methods), 'on'].sort())
    expect(seen.node).toEqual([])
    expect(seen.frozen).toBe(true)
  })

  it('runs with its protections enabled', async () => {
    const { app } = await station()
    const preferences = await app.evaluate(({ BrowserWindow }) => {
      const [window] = BrowserWindow.getAllWindows()
      // This method is not in Electron's published types, but it is the only way to read the effective values.
      const contents: unknown = window?.webContents
      return contents !== null && typeof contents === 'object' && 'getLastWebPreferences' in contents
        ? (contents as { getLastWebPreferences(): Record<string, unknown> }).getLastWebPreferences()
        : {}
    })
    expect(preferences).toMatchObject({
      sandbox: true,
      contextIsolation: true,
      nodeIntegration: false,
      webSecurity: true,
      webviewTag: false,
    })
  })

  it('reaches no network and evaluates no code from text', async () => {
    const { page, simulator } = await station()
    const tried = await page.evaluate(async (url) => {
      const toOutcome = async (attempt: () => unknown) => {
        try {
          await attempt()
          return 'worked'
        } catch {
          return 'blocked'
        }
      }
      const loaded = (element: HTMLElement) =>
        new Promise((resolve, reject) => {
          element.onload = resolve
          element.onerror = reject
          document.body.append(element)
        })
      return {
        fetch: await toOutcome(() => fetch(url)),
        socket: await toOutcome(
          () =>
            new Promise((resolve, reject) => {
              const socket = new WebSocket(url.replace('http', 'ws'))
              socket.onopen = resolve
              socket.onerror = reject
            }),
        ),
        image: await toOutcome(() => loaded(Object.assign(new Image(), { src: `${url}/x.png` }))),
        script: await toOutcome(() => loaded(Object.assign(document.createElement('script'), { src: url }))),
        code: await toOutcome(() => new Function('return 1')()),
        worker: await toOutcome(() => new Worker(URL.createObjectURL(new Blob(['1'])))),
      }
    }, simulator.baseUrl)
    expect(tried).toEqual({
      fetch: 'blocked',
      socket: 'blocked',
      image: 'blocked',
      script: 'blocked',
      code: 'blocked',
      worker: 'blocked',
    })
  })

  it('can’t be navigated elsewhere, opens no windows and gets no permissions', async () => {
    const { page, app, simulator } = await station()
    await page.evaluate((url) => {
      window.open(url)
      const link = Object.assign(document.createElement('a'), { href: url, target: '_blank' })
      document.body.append(link)
      link.click()
      window.location.href = url
    }, simulator.baseUrl)
    const permissions = await page.evaluate(async () => {
      const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi'] as const
      const states = await Promise.all(
        names.map((name) =>
          navigator.permissions.query({ name: name as PermissionName }).then(
            (status) => status.state,
            () => 'denied',
          ),
        ),
      )
      return states
    })
    expect(permissions).toEqual(['denied', 'denied', 'denied', 'denied', 'denied'])
    expect(await page.evaluate(devicesOf)).toEqual({ hid: 0, usb: 0, serial: 0 })
    expect(page.url()).toBe('app://packbench/')
    expect(app.windows()).toHaveLength(1)
  })

  it('can load no file from outside the built renderer', async () => {
    const { app } = await station()
    const answers = await app.evaluate(async ({ session }) => {
      const paths = [
        '../main/index.js',
        '%2e%2e/main/index.js',
        '..%2fmain%2findex.js',
        'nothing.js',
        'index.html',
      ]
      return Promise.all(
        paths.map(async (path) => (await session.defaultSession.fetch(`app://packbench/${path}`)).status),
      )
    })
    expect(answers).toEqual([404, 404, 404, 404, 200])
  })

  it('has every call rejected that violates the contract', async () => {
    const { page } = await station()
    const answers = await page.evaluate(async () => {
      const call = (name: string, input: unknown) => {
        const methods: Record<string, unknown> = { ...window.packbench }
        const method = methods[name]
        return typeof method === 'function' ? method(input) : undefined
      }
      return Promise.all([
        call('getShipment', { shipmentId: "x' OR 1=1" }),
        call('searchShipments', { text: 'x', onlyNeedingAttention: false, limit: 1e9 }),
        call('changeSettings', { allowWeakStorage: true, surprise: 1 }),
        call('changeSettings', { version: 2 }),
        call('createShipment', { attemptId: 'no', draft: {} }),
        call('trackCode', { code: 'x'.repeat(20_000), options: {} }),
      ])
    })
    for (const answer of answers) {
      expect(answer).toMatchObject({ ok: false, error: { code: 'invalid-input' } })
    }
  })
})

describe.skipIf(notSandboxed !== undefined)(
  `the sandbox of an ordinary user${notSandboxed ? ` (${notSandboxed})` : ''}`,
  () => {
    it('confines the window while a shipment is created and its label printed', async () => {
      const folder = await temporaryFolder()
      const simulator = await testSimulator()
      const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
      const { started, env } = await sandboxedElectron(folder)
      const { page, app } = await launch(join(folder, 'data'), [provision], env, started)
      await fillShipment(page, { Reference: 'ORDER-1' })
      await page.keyboard.press('F9')
      await outcome(page, 'created')
      await printed(page)

      const processes = await app.evaluate(({ app: electronApp }) =>
        electronApp.getAppMetrics().map(({ pid, type }) => ({ pid, type })),
      )
      const confinements = await Promise.all(
        processes.map(async ({ pid, type }) => ({ type, ...(await getConfinement(pid)) })),
      )
      for (const { user, commandLine } of confinements) {
        expect(user).not.toBe('0')
        expect(commandLine).not.toContain('--no-sandbox')
      }
      const windows = confinements.filter(({ type }) => type === 'Tab')
      expect(windows).toHaveLength(1)
      expect(windows[0]).toMatchObject({ seccomp: '2', noNewPrivileges: '1' })
      expect(windows[0]?.ids.length).toBeGreaterThan(1)
    })
  },
)

describe('a new folder or host for labels, orders or credentials', () => {
  const socketPrinter = { driver: 'socket', id: 'net', host: '127.0.0.1' }

  it('is accepted only after a confirmation in a dialog of main', async () => {
    const { page, app, data } = await station()
    const { server, port, connections } = await listening()
    onTestFinished(() => void server.close())
    const change = (printers: object[]) =>
      page.evaluate(
        (list) => Reflect.apply(window.packbench.changeSettings, null, [{ printers: list }]),
        printers,
      )
    const check = (printer: object) =>
      page.evaluate((one) => Reflect.apply(window.packbench.checkPrinter, null, [{ printer: one }]), printer)
    const elsewhere = { ...socketPrinter, port }
    const folder = { driver: 'folder', id: 'file', path: '../elsewhere' }

    const questions = await answerDialogs(app, 1)
    const refused = { ok: false, error: { code: 'change-not-confirmed' } }
    expect(await change([elsewhere])).toMatchObject(refused)
    expect(await check(elsewhere)).toMatchObject(refused)
    expect(await change([folder])).toMatchObject(refused)
    expect(
      await page.evaluate(() =>
        window.packbench.changeSettings({ hotFolder: { path: 'exchange', print: true } }),
      ),
    ).toMatchObject(refused)
    expect(connections()).toBe(0)
    expect(await page.evaluate(() => window.packbench.getSettings(undefined))).toMatchObject({
      value: { printers: [{ id: 'file', path: 'out' }], hotFolder: null },
    })
    expect(existsSync(join(data, 'exchange'))).toBe(false)
    const asked = await questions()
    expect(asked).toHaveLength(4)
    expect(asked[0]).toContain(`127.0.0.1:${port}`)
    expect(asked[2]).toContain(join(data, '..', 'elsewhere'))

    const agreed = await answerDialogs(app, 0)
    await check(elsewhere)
    await vi.waitFor(() => expect(connections()).toBe(1))
    expect(await change([{ ...folder, path: 'out' }, elsewhere])).toMatchObject({ ok: true })
    expect(await agreed()).toHaveLength(1)
  })

  it('is accepted for credentials only after a confirmation, for another service as well as for weak storage', async () => {
    const { page, app } = await station()
    const [other, third] = [await testSimulator(), await testSimulator()]
    const connect = (baseUrl: string) =>
      page.evaluate(
        (url) =>
          window.packbench.connectAccount({ baseUrl: url, user: 'demo-station', password: 'demo-password' }),
        baseUrl,
      )
    const weaken = () => page.evaluate(() => window.packbench.changeSettings({ allowWeakStorage: true }))

    const questions = await answerDialogs(app, 1)
    const refused = { ok: false, error: { code: 'change-not-confirmed' } }
    await page.evaluate(() => window.packbench.forgetAccount(undefined))
    expect(await connect(other.baseUrl)).toMatchObject(refused)
    expect(await weaken()).toMatchObject(refused)
    expect(other.requests).toEqual([])
    expect(await page.evaluate(() => window.packbench.getSettings(undefined))).toMatchObject({
      value: { allowWeakStorage: false },
    })
    const asked = await questions()
    expect(asked).toHaveLength(2)
    expect(asked[0]).toContain(new URL(other.baseUrl).origin)
    expect(asked[1]).toContain('vault.json')

    const agreed = await answerDialogs(app, 0)
    expect(await connect(other.baseUrl)).toMatchObject({ ok: true, value: { state: 'connected' } })
    expect(await weaken()).toMatchObject({ ok: true, value: { allowWeakStorage: true } })
    expect(await agreed()).toHaveLength(2)

    await answerDialogs(app, 1)
    expect(await connect(third.baseUrl)).toMatchObject(refused)
    expect(third.requests).toEqual([])
  })

  it('needs no confirmation when it was chosen in a file dialog of main', async () => {
    const { page, app, data } = await station()
    const questions = await answerDialogs(app, 1)
    const chosen = join(data, '..', 'chosen')
    await app.evaluate(({ dialog }, path) => {
      dialog.showOpenDialog = async () => ({ canceled: false, filePaths: [path] })
    }, chosen)
    await page.evaluate(() => window.packbench.chooseFolder(undefined))
    const changed = await page.evaluate(
      (path) => window.packbench.changeSettings({ hotFolder: { path, print: true } }),
      chosen,
    )
    expect(changed).toMatchObject({ ok: true, value: { hotFolder: { path: chosen } } })
    expect(await questions()).toEqual([])
  })
})

describe('the account form', () => {
  it('leaves neither user name nor password in the window’s memory', async () => {
    const simulator = await testSimulator()
    const { page } = await launch(join(await temporaryFolder(), 'data'))
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByLabel('Base URL').fill(simulator.baseUrl)
    await page.getByLabel('User name').fill('demo-station')
    await page.getByLabel('Password', { exact: true }).fill('demo-password')
    await page.getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('heading', { name: 'Carriers and their options' }).waitFor()
    await vi.waitFor(
      async () => {
        const memory = await getHeap(page)
        expect(memory).toContain('packbench')
        expect(['demo-station', 'demo-password'].filter((secret) => memory.includes(secret))).toEqual([])
      },
      { timeout: 40_000, interval: 500 },
    )
  })
})

describe('secrets', { retry: 0 }, () => {
  const secrets = ['demo-password', 'd3m0f00d5ca1ab1e0ddba11ca55e77e5']

  it('are not logged when a screen fails with an error that contains one', async () => {
    const { page, data, close } = await startStation()
    const values = { reference: 'ORDER-1', lastName: 'Smit', street: 'Dam', city: 'Delft', country: 'NL' }
    await page.evaluate((order) => window.packbench.addOrder({ values: order }), values)
    await open(page, 'Orders')
    const [password, key] = secrets
    // From now on, formatting the date of an open order throws.
    await page.evaluate((message) => {
      class Broken {
        constructor() {
          throw new Error(message)
        }
      }
      Object.defineProperty(Intl, 'DateTimeFormat', { value: Broken })
    }, `no day in https://carrier.example/auth/${key} for ${password}`)
    await page.getByTestId('order-row').getByRole('button').click()
    await page.getByRole('heading', { name: 'This screen could not be shown' }).waitFor()
    // The other screens still work.
    await open(page, 'Ship')
    await page.getByLabel('Reference', { exact: true }).waitFor()
    await close()
    const log = await readFile(join(data, 'logs', 'packbench.log'), 'utf8')
    const entries: { msg: string; error?: string }[] = log
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const [failure] = entries.filter(({ msg }) => msg === 'a screen of the window threw an error')
    expect(failure?.error).toMatch(
      /^Error: no day in https:\/\/carrier\.example\/auth\/\[redacted\] for \[redacted\]\n/,
    )
    expect(secrets.filter((secret) => log.includes(secret))).toEqual([])
  })

  it('are in no file, no log and not in the window’s memory after a day’s work, with labels in the answer and by URL', async () => {
    const { page, data, simulator, close } = await startStation()
    const labelUrls = () =>
      simulator.requests.filter((one) => one.operation === 'label').map((one) => one.path)
    await fillShipment(page, { Reference: 'ORDER-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await printed(page)
    expect(labelUrls()).toHaveLength(0)
    await page.evaluate(() => window.packbench.changeSettings({ labelDelivery: 'by-url' }))
    await fillShipment(page, { Reference: 'ORDER-3' })
    await page.keyboard.press('F9')
    await page.locator('[data-testid="outcome"][data-label="out"]', { hasText: 'ORDER-3' }).waitFor()
    const { barcode } = await outcome(page, 'created')
    expect(labelUrls()).toHaveLength(1)
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'htmlError' }, times: 1 })
    await fillShipment(page, { Reference: 'ORDER-2' })
    await page.keyboard.press('F9')
    await outcome(page, 'unknown')
    await open(page, 'Track')
    await page.getByLabel('Tracking code', { exact: true }).fill(barcode)
    await page.getByRole('button', { name: 'Look up' }).click()
    await page.getByTestId('track-status').waitFor()
    const sought = [...secrets, ...labelUrls()]

    const memory = await getHeap(page)
    expect(memory).toContain('ORDER-2')
    expect(sought.filter((secret) => memory.includes(secret))).toEqual([])
    await close()
    for (const [file, content] of await filesBelow(data)) {
      expect([file, sought.filter((secret) => content.includes(secret))]).toEqual([file, []])
    }
    const log = (await readFile(join(data, 'logs', 'packbench.log'), 'utf8')).trim().split('\n')
    const entries = log.map((line) => JSON.parse(line))
    expect(entries[0]).toMatchObject({
      msg: 'Packbench starts',
      version: expect.any(String),
      system: expect.any(String),
    })
    expect(entries[0].electron).toMatch(/^\d+\./)
    expect(entries).toContainEqual(
      expect.objectContaining({ msg: 'print job', printer: 'file', state: 'done' }),
    )
    expect(entries.at(-1)).toMatchObject({ msg: 'Packbench ends' })
  })
})

describe('credentials from the environment', () => {
  it('are used, but not passed on to the window', async () => {
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const account = { baseUrl: simulator.baseUrl, userEnv: 'PB_USER', passwordEnv: 'PB_PASSWORD' }
    const provision = await provisionSwitch(folder, { ...stationProvisioning(simulator.baseUrl), account })
    const { page, app } = await launch(join(folder, 'data'), [provision], {
      PB_USER: 'demo-station',
      PB_PASSWORD: 'demo-password',
    })
    expect(await page.evaluate(() => window.packbench.testAccount(undefined))).toMatchObject({
      ok: true,
      value: { state: 'connected' },
    })
    expect(
      await app.evaluate(() => Object.keys(process.env).filter((name) => name.startsWith('PB_'))),
    ).toEqual([])
    const memory = await getHeap(page)
    expect(memory).toContain('packbench')
    expect(memory).not.toContain('demo-password')
  })
})

/** A TCP port that counts connections. */
async function listening() {
  let count = 0
  const server = createServer((socket) => {
    count += 1
    socket.on('error', () => undefined)
    socket.end()
  })
  const port = await listenOnLoopback(server)
  return { server, port, connections: () => count }
}

async function getHeap(page: Page): Promise<string> {
  const session = await page.context().newCDPSession(page)
  const pieces: string[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => pieces.push(chunk))
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  return pieces.join('')
}

async function filesBelow(folder: string): Promise<[string, Buffer][]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Promise.all(files.map(async (file): Promise<[string, Buffer]> => [file, await readFile(file)]))
}
