import { describe, expect, it } from 'vitest'
import { isTrustedSender, registerMethods } from '../../../src/main/ipc/registrar'

import { type Handlers, methods } from '../../../src/shared/bridge'
import { toChannel } from '../../../src/shared/channels'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'
import { defaultSettings } from '../../../src/shared/settings'

const silent = { info() {}, warn() {}, error() {} }

type FakeEvent = { trusted: boolean }

function setUp(override: Partial<Handlers>, started?: Promise<void>, beforeAnswer = () => {}) {
  const listeners = new Map<string, (event: FakeEvent, input: unknown) => Promise<unknown>>()
  const notExpected = () => err(appError('internal'))
  const refusing: unknown = Object.fromEntries(Object.keys(methods).map((name) => [name, notExpected]))
  const handlers = Object.assign(refusing as Handlers, override)
  registerMethods<FakeEvent>({
    ipc: { handle: (channel, listener) => void listeners.set(channel, listener) },
    appHandlers: {},
    services: () => ok({ handlers, people: { permit: () => ok(undefined) } }),
    isTrusted: (event) => event.trusted,
    ...(started && { started }),
    beforeAnswer,
    redact: (text) => text.replaceAll('hunter22', '[secret]'),
    log: silent,
  })
  const call = (name: keyof typeof methods, input: unknown, trusted = true) =>
    listeners.get(toChannel(name))?.({ trusted }, input)
  return { listeners, call }
}

describe('the registrar', () => {
  it('registers every method of the contract and nothing else', () => {
    const { listeners } = setUp({})
    expect([...listeners.keys()].sort()).toEqual(
      Object.keys(methods)
        .map((name) => `packbench:${name}`)
        .sort(),
    )
  })

  it('answers an early call after the start has ended, with the state at that time', async () => {
    const answers: string[] = []
    let start = (): void => undefined
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const { call } = setUp({ getSettings: () => ok(defaultSettings) }, started)
    const asked = call('getSettings', undefined)?.then(() => answers.push('answered'))
    await new Promise((resolve) => setImmediate(resolve))
    answers.push('started')
    start()
    await asked
    expect(answers).toEqual(['started', 'answered'])
  })

  it('sends pending events to the page before the answer', async () => {
    const said: string[] = []
    const saveSettings = () => {
      said.push('changed')
      return ok(defaultSettings)
    }
    const { call } = setUp({ getSettings: saveSettings }, undefined, () => said.push('notified'))
    await call('getSettings', undefined)?.then(() => said.push('answered'))
    expect(said).toEqual(['changed', 'notified', 'answered'])
  })

  it('refuses a foreign frame without calling the handler', async () => {
    let called = false
    const { call } = setUp({
      getSettings() {
        called = true
        return ok(defaultSettings)
      },
    })
    expect(await call('getSettings', undefined, false)).toMatchObject({
      ok: false,
      error: { code: 'invalid-input' },
    })
    expect(called).toBe(false)
  })

  it('refuses a call that this run must not make, also while no services run', async () => {
    const listeners = new Map<string, (event: undefined, input: unknown) => Promise<unknown>>()
    const asked: string[] = []
    registerMethods<undefined>({
      ipc: { handle: (channel, listener) => void listeners.set(channel, listener) },
      appHandlers: {
        restoreStation() {
          asked.push('restoreStation')
          return ok(true)
        },
        retryStart: () => err(appError('internal')),
      },
      services: () => err(appError('startup-failed')),
      permitCall: (method) => (method === 'restoreStation' ? err(appError('not-in-demo')) : ok(undefined)),
      isTrusted: () => true,
      redact: (text) => text,
      log: silent,
    })
    const call = (name: keyof typeof methods) => listeners.get(toChannel(name))?.(undefined, undefined)
    expect(await call('restoreStation')).toMatchObject({ error: { code: 'not-in-demo' } })
    expect(asked).toEqual([])
    expect(await call('retryStart')).toMatchObject({ error: { code: 'internal' } })
  })

  it.each([
    ['copyText', { text: 'half \ud83d of it' }, 'text'],
    ['findEarlierShipments', { reference: 'A\udc00' }, 'reference'],
    ['startBulkTracking', { codes: ['A', '\ud800'], options: {} }, 'codes.1'],
    ['getShipment', { shipmentId: 'x', '\ud800': 1 }, 'input'],
  ] as const)('refuses half characters in the input of %s', async (method, input, place) => {
    const { call } = setUp({})
    expect(await call(method, input)).toMatchObject({
      ok: false,
      error: { code: 'invalid-input', details: { faults: `${place}: it contains half a surrogate pair` } },
    })
  })

  it.each([
    ['readManifestFile', 100, { fileName: 'lines.csv' }, 'bytes'],
    ['importProducts', 100, { fileName: 'products.csv' }, 'bytes'],
    ['readOrderFile', 100, { fileName: 'orders.csv', pasted: false }, 'bytes'],
    ['previewPdf', 25, {}, 'bytes'],
    ['sendPreAlert', 25, { fileName: 'waybill.pdf' }, 'bytes'],
    ['readCodesFile', 20, { name: 'codes.csv' }, 'content'],
  ] as const)(
    'refuses a file for %s that is larger than %i MB in one sentence',
    async (method, megabytes, input, field) => {
      const { call } = setUp({})
      const sized = (bytes: number) => ({ ...input, [field]: new ArrayBuffer(bytes) })
      const tooLarge = await call(method, sized(megabytes * 1024 * 1024 + 1))
      expect(tooLarge).toMatchObject({
        ok: false,
        error: { code: 'invalid-input', details: { case: 'file-too-large' } },
      })
      expect(JSON.stringify(tooLarge)).toContain(
        `The file is larger than ${megabytes} MB, so nothing of it was read`,
      )
      expect(await call(method, sized(megabytes * 1024 * 1024))).not.toMatchObject({
        error: { details: { case: 'file-too-large' } },
      })
    },
  )

  it.each([
    ['a missing field', {}],
    ['an unknown field', { shipmentId: '3f2c1b1e-8c5e-4b6f-9a55-0d3a3b0c9d11', extra: 1 }],
    ['an id that is none', { shipmentId: '../../etc/passwd' }],
    ['nothing', undefined],
    ['null', null],
  ])('refuses %s as input', async (_what, input) => {
    const { call } = setUp({})
    expect(await call('getShipment', input)).toMatchObject({ ok: false, error: { code: 'invalid-input' } })
  })

  it('drops what the contract does not name from an answer', async () => {
    const status = { ...accountStatus, password: 'hunter22' }
    const { call } = setUp({ testAccount: () => ok(status) })
    expect(await call('testAccount', undefined)).toEqual({ ok: true, value: accountStatus })
  })

  it('turns an exception into a numbered error without its text', async () => {
    const { call } = setUp({
      testAccount() {
        throw new Error('password hunter22 at /home/x')
      },
    })
    const answer = await call('testAccount', undefined)
    expect(answer).toMatchObject({ ok: false, error: { code: 'internal' } })
    expect(JSON.stringify(answer)).not.toContain('hunter22')
  })

  it('redacts errors on their way out', async () => {
    const { call } = setUp({
      testAccount: () => err(appError('service-refused', { serviceSays: 'bad hunter22' })),
    })
    expect(await call('testAccount', undefined)).toEqual({
      ok: false,
      error: {
        code: 'service-refused',
        message:
          'The service refused the request: correct what it names and try again. The service says: “bad [secret]”',
        details: { serviceSays: 'bad [secret]' },
      },
    })
  })

  it('passes a printer’s messages on, redacted', async () => {
    const error = appError('printer-not-ready', undefined, [
      { code: 'out-of-labels' as const },
      { code: 'own-words' as const, words: 'hunter22 is out' },
    ])
    const { call } = setUp({ printTestLabel: () => err(error) })
    expect(await call('printTestLabel', { printerId: 'zebra' })).toEqual({
      ok: false,
      error: {
        code: 'printer-not-ready',
        message:
          'The printer is not ready: see to it, then print again. Reason: it is out of labels, in its own words: “[secret] is out”.',
        says: [{ code: 'out-of-labels' }, { code: 'own-words', words: '[secret] is out' }],
      },
    })
  })
})

const accountStatus = {
  state: 'connected' as const,
  host: 'carrier.example',
  name: 'Shop',
  customerId: '1',
  accountId: '2',
  storage: 'keyring' as const,
  isKeyringLocked: false,
  error: null,
}

describe('the sender check', () => {
  const frame = (url: string, parent: object | null = null) => {
    const fake: unknown = { senderFrame: { url, parent } }
    return fake as Parameters<typeof isTrustedSender>[0]
  }

  it('takes the app’s own top frame', () => {
    expect(isTrustedSender(frame('app://packbench/'), 'app://packbench')).toBe(true)
  })

  it.each([
    ['another host', frame('app://evil/')],
    ['a host that starts alike', frame('app://packbench.evil/')],
    ['the web', frame('https://carrier.example/')],
    ['an empty page', frame('about:blank')],
    ['no address', frame('')],
    ['a subframe', frame('app://packbench/', {})],
    ['a frame that is gone', { senderFrame: null }],
  ])('refuses %s', (_what, event) => {
    expect(isTrustedSender(event, 'app://packbench')).toBe(false)
  })
})
