import { describe, expect, it, vi } from 'vitest'
import { Session } from '../../../src/main/account/session'
import { createVault } from '../../../src/main/account/vault'
import type { Credentials, SignedIn } from '../../../src/main/carrier/authenticate'
import type { CarrierConnection } from '../../../src/main/carrier/service'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { createRedactor } from '../../../src/main/log/redactor'
import { appError, type ErrorCode } from '../../../src/shared/errors'
import { err, ok, type Result } from '../../../src/shared/result'
import { fakeCipher, type MemoryFile, memoryFile } from './memoryFile'

const input = { baseUrl: 'https://carrier.example/api/', user: 'station-user', password: 'station-password' }
const secrets = ['station-user', 'station-password', 'first-key', 'second-key', 'third-key']

function signedIn(apiKey: string): Result<SignedIn> {
  return ok({ apiKey, customerId: '1042', accountId: '7', name: 'Warehouse' })
}

function failed(code: ErrorCode): Result<never> {
  return err(appError(code))
}

/** A session whose service gives the answers in turn and then repeats the last one. */
function sessionWith(
  answers: Result<SignedIn>[],
  file: MemoryFile = memoryFile(),
  cipher = fakeCipher(),
  settings = { allowWeak: false },
) {
  const waiting = [...answers]
  const authenticate = vi.fn(async (_credentials: Credentials): Promise<Result<SignedIn>> => {
    const [answer, ...rest] = waiting
    if (answer === undefined) throw new Error('no answer was planned')
    if (rest.length > 0) waiting.shift()
    return answer
  })
  const redactor = createRedactor()
  const log = { info: vi.fn(), warn: vi.fn(), error: vi.fn() }
  const vault = createVault({ file, cipher, allowWeak: () => settings.allowWeak })
  const bus = createEventBus()
  const session = new Session({ vault, memory: { held: null }, authenticate, redactor, bus, log })
  return {
    session,
    bus,
    authenticate,
    redactor,
    file,
    log,
    cipher,
    settings,
    answer: (next: Result<SignedIn>) => waiting.splice(0, 9, next),
  }
}

async function connected(...answers: Result<SignedIn>[]) {
  const parts = sessionWith([signedIn('first-key'), ...answers])
  await parts.session.connect(input)
  parts.authenticate.mockClear()
  return parts
}

const keyRefused = () => Promise.resolve(failed('key-refused'))

describe('the check for weak passwords', () => {
  it.each([
    ['2026', true],
    ['Amsterdam', true],
    ['20261122', true],
    ['station-password', false],
  ])('reports for the password %s that it is weak: %s', async (password, weak) => {
    const { session } = sessionWith([signedIn('first-key')])
    expect(session.hasWeakPassword()).toBe(false)
    await session.connect({ ...input, password })
    expect(session.hasWeakPassword()).toBe(weak)
  })
})

/** A locked keyring: that it is unlocked elsewhere shows only when it is asked. */
function lockedCipher() {
  const cipher = {
    ...fakeCipher('locked'),
    unlock: vi.fn(async () => false),
    checkUnlocked: vi.fn(async () => false),
    unlockElsewhere() {
      cipher.checkUnlocked.mockImplementation(async () => {
        cipher.kind = 'keyring'
        return true
      })
    },
  }
  return cipher
}

describe('an account in a locked keyring', () => {
  async function locked() {
    const file = memoryFile()
    await sessionWith([signedIn('first-key')], file).session.connect(input)
    const before = file.content
    const cipher = lockedCipher()
    const parts = sessionWith([signedIn('second-key')], file, cipher)
    return { ...parts, before, cipher }
  }

  it('is reported as locked, stays stored and is not used', async () => {
    const { session, file, before, authenticate } = await locked()
    expect(session.status()).toMatchObject({ state: 'locked', error: { code: 'vault-locked' } })
    expect(await session.key()).toMatchObject({ ok: false, error: { code: 'vault-locked' } })
    session.storageChanged()
    expect(await session.test()).toMatchObject({ ok: false, error: { code: 'vault-locked' } })
    expect(file.content).toEqual(before)
    expect(file.setAsideContents).toEqual([])
    expect(authenticate).not.toHaveBeenCalled()
  })

  it('is connected as soon as an unlock request unlocks the keyring', async () => {
    const { session, bus, cipher } = await locked()
    const states: string[] = []
    bus.on('accountChanged', ({ state }) => states.push(state))
    cipher.unlock.mockImplementation(async () => {
      cipher.kind = 'keyring'
      return true
    })
    await session.unlock()
    expect(session.status()).toMatchObject({ state: 'connected', storage: 'keyring', error: null })
    expect(states).toEqual(['connected'])
  })

  it('is used by the next request after the keyring was unlocked elsewhere', async () => {
    const { session, bus, cipher } = await locked()
    const states: string[] = []
    bus.on('accountChanged', ({ state }) => states.push(state))
    cipher.unlockElsewhere()
    expect(await session.key()).toMatchObject({ value: { apiKey: 'first-key' } })
    expect(session.status()).toMatchObject({ state: 'connected', isKeyringLocked: false, error: null })
    expect(states).toEqual(['connected'])
    expect(cipher.unlock).not.toHaveBeenCalled()
  })

  it('stays stored while a provisioned account is used from memory at each start', async () => {
    const { file, before, cipher } = await locked()
    for (const key of ['second-key', 'third-key']) {
      const { session } = sessionWith([signedIn(key)], file, cipher)
      session.provision({ ...input, user: 'other-user' })
      session.storageChanged()
      expect(session.status()).toMatchObject({ state: 'not-connected', storage: 'memory', error: null })
      expect(await session.key()).toMatchObject({ value: { apiKey: key } })
      expect(session.status()).toMatchObject({ state: 'connected', storage: 'memory', error: null })
    }
    expect(file.content).toEqual(before)
    expect(file.setAsideContents).toEqual([])
  })

  it('is used again after the unlock with its key if the provisioned account is the same, and else replaced by it', async () => {
    for (const [user, key] of [
      [input.user, 'first-key'],
      ['other-user', 'second-key'],
    ] as const) {
      const { session, file, cipher } = await locked()
      session.provision({ ...input, user })
      cipher.unlock.mockImplementation(async () => {
        cipher.kind = 'keyring'
        return true
      })
      await session.unlock()
      expect(session.status()).toMatchObject({ storage: 'keyring', error: null })
      expect(await session.key()).toMatchObject({ value: { apiKey: key } })
      expect(await sessionWith([], file).session.key()).toMatchObject({ value: { apiKey: key } })
      expect(file.setAsideContents).toEqual([])
    }
  })

  it('is replaced after the unlock by the same account with the newer key that was fetched meanwhile', async () => {
    const { session, file, cipher } = await locked()
    session.provision(input)
    await session.key()
    cipher.kind = 'keyring'
    session.storageChanged()
    expect(session.status()).toMatchObject({ state: 'connected', storage: 'keyring' })
    expect(await sessionWith([], file).session.key()).toMatchObject({ value: { apiKey: 'second-key' } })
  })

  it('is replaced by an account typed meanwhile, which stays in memory until the keyring is unlocked and is then stored there', async () => {
    const { session, file, cipher } = await locked()
    expect(await session.connect({ ...input, user: 'other-user' })).toMatchObject({
      value: { storage: 'memory' },
    })
    expect(file.setAsideContents).toHaveLength(1)
    cipher.kind = 'keyring'
    session.storageChanged()
    expect(session.status()).toMatchObject({ state: 'connected', storage: 'keyring' })
  })
})

describe('an account of a station whose keyring is locked and stores nothing yet', () => {
  it('stays in memory, is reported as not stored because of the lock, and is stored by the next request after the keyring was unlocked elsewhere', async () => {
    const cipher = lockedCipher()
    const { session, bus, file } = sessionWith([signedIn('first-key')], memoryFile(), cipher)
    expect(await session.connect(input)).toMatchObject({
      value: { state: 'connected', storage: 'memory', isKeyringLocked: true },
    })
    expect(await session.key()).toMatchObject({ value: { apiKey: 'first-key' } })
    expect(file.writes).toBe(0)
    const reported: string[] = []
    bus.on('accountChanged', ({ storage }) => reported.push(storage))
    cipher.unlockElsewhere()
    await session.key()
    await vi.waitFor(() => expect(reported).toEqual(['keyring']))
    expect(session.status()).toMatchObject({ storage: 'keyring', isKeyringLocked: false, error: null })
    expect(await sessionWith([], file).session.key()).toMatchObject({ value: { apiKey: 'first-key' } })
  })

  it('is stored at once when the keyring was unlocked elsewhere before it was typed', async () => {
    const cipher = lockedCipher()
    const { session } = sessionWith([signedIn('first-key')], memoryFile(), cipher)
    cipher.unlockElsewhere()
    expect(await session.connect(input)).toMatchObject({ value: { storage: 'keyring' } })
  })

  it('is stored when the keyring asks for its password and gets it', async () => {
    const cipher = lockedCipher()
    const { session } = sessionWith([signedIn('first-key')], memoryFile(), cipher)
    session.provision(input)
    cipher.unlock.mockImplementation(async () => {
      cipher.kind = 'keyring'
      return true
    })
    await session.unlock()
    expect(session.status()).toMatchObject({ storage: 'keyring', isKeyringLocked: false })
  })
})

describe('connecting an account', () => {
  it('stores the account and exposes no secret', async () => {
    const { session, bus, redactor, file } = sessionWith([signedIn('first-key')])
    expect(session.status()).toMatchObject({ state: 'none', host: null, storage: 'keyring', error: null })
    const statuses: string[] = []
    bus.on('accountChanged', ({ state }) => statuses.push(state))
    const result = await session.connect(input)
    expect(result).toEqual({
      ok: true,
      value: {
        state: 'connected',
        host: 'carrier.example',
        name: 'Warehouse',
        customerId: '1042',
        accountId: '7',
        storage: 'keyring',
        isKeyringLocked: false,
        error: null,
      },
    })
    expect(statuses).toEqual(['connected'])
    for (const secret of secrets) expect(JSON.stringify([result, file.content])).not.toContain(secret)
    expect(redactor.redact('station-user station-password first-key')).toBe(
      '[redacted] [redacted] [redacted]',
    )
    const again = sessionWith([], file).session
    expect(again.status()).toEqual(session.status())
    expect(await again.key()).toMatchObject({ ok: true, value: { apiKey: 'first-key' } })
  })

  it('registers secrets before they are first used', async () => {
    const { session, authenticate, redactor } = sessionWith([signedIn('first-key')])
    let seen = ''
    authenticate.mockImplementationOnce(async ({ user, password }) => {
      seen = redactor.redact(`${user} ${password}`)
      return signedIn('first-key')
    })
    await session.connect(input)
    expect(seen).toBe('[redacted] [redacted]')
  })

  it.each(['account-refused', 'service-unreachable'] as const)(
    'leaves the connected account unchanged when the new one fails with %s',
    async (code) => {
      const { session, file } = await connected(failed(code))
      const before = [session.status(), structuredClone(file.content)]
      expect(await session.connect({ ...input, password: 'wrong-password' })).toMatchObject({
        ok: false,
        error: { code },
      })
      expect([session.status(), file.content]).toEqual(before)
      expect(await session.key()).toMatchObject({ ok: true, value: { apiKey: 'first-key' } })
    },
  )

  it('sends no request to an address that is not allowed', async () => {
    const { session, authenticate } = sessionWith([])
    const refused = await session.connect({ ...input, baseUrl: 'http://carrier.example' })
    expect(refused).toMatchObject({ ok: false, error: { code: 'base-url-not-allowed' } })
    expect(authenticate).not.toHaveBeenCalled()
  })

  it.each([{ user: ' station-user' }, { user: 'station-user\t' }, { password: 'station-password ' }])(
    'sends no credentials that begin or end with a blank, which servers drop: %j',
    async (changed) => {
      const { session, authenticate } = sessionWith([])
      expect(await session.connect({ ...input, ...changed })).toMatchObject({
        ok: false,
        error: { code: 'invalid-input', details: { case: 'not-sendable' } },
      })
      expect(authenticate).not.toHaveBeenCalled()
    },
  )

  it('keeps the account in memory when there is no keyring', async () => {
    const { session, file } = sessionWith([signedIn('first-key')], memoryFile(), fakeCipher('none'))
    await session.connect(input)
    expect(session.status()).toMatchObject({ state: 'connected', storage: 'memory' })
    expect((await session.key()).ok).toBe(true)
    expect(file.writes).toBe(0)
  })

  it('keeps the account in memory when the disk is full, and reports the failed write', async () => {
    const file = memoryFile()
    file.full = true
    const { session } = sessionWith([signedIn('first-key')], file)
    expect(await session.connect(input)).toMatchObject({
      ok: true,
      value: { state: 'connected', storage: 'memory', error: { code: 'settings-not-saved' } },
    })
  })
})

describe('a vault encrypted on another machine', () => {
  async function locked() {
    const other = sessionWith([signedIn('first-key')], memoryFile(), fakeCipher('keyring', 'another-machine'))
    await other.session.connect(input)
    return sessionWith([signedIn('second-key')], other.file)
  }

  it('locks the account and stays unchanged', async () => {
    const { session, file, authenticate } = await locked()
    const before = structuredClone(file.content)
    expect(session.status()).toMatchObject({ state: 'locked', error: { code: 'vault-unreadable' } })
    const refused = { ok: false, error: { code: 'vault-unreadable' } }
    expect(await session.key()).toMatchObject(refused)
    expect(await session.test()).toMatchObject(refused)
    expect(authenticate).not.toHaveBeenCalled()
    expect(file.content).toEqual(before)
  })

  it('is set aside when the account is connected again', async () => {
    const { session, file } = await locked()
    const before = structuredClone(file.content)
    await session.connect(input)
    expect(file.setAsideContents).toEqual([before])
    expect(session.status()).toMatchObject({ state: 'connected', error: null })
  })

  it('is emptied when the account is forgotten', async () => {
    const { session, file } = await locked()
    expect(session.forget()).toMatchObject({ ok: true, value: { state: 'none' } })
    expect(file.setAsideContents).toEqual([])
    expect(file.content).toEqual({ version: 1, storage: null, account: null })
  })
})

describe('the API key', () => {
  it('is refused with no-account when there is no account', async () => {
    const { session } = sessionWith([])
    const none = { ok: false, error: { code: 'no-account' } }
    expect(await session.key()).toMatchObject(none)
    expect(await session.test()).toMatchObject(none)
    expect(await session.call(keyRefused)).toMatchObject(none)
  })

  it('is requested once for concurrent callers', async () => {
    const { session, authenticate } = sessionWith([signedIn('first-key')])
    session.provision(input)
    expect(session.status().state).toBe('not-connected')
    const keys = await Promise.all([session.key(), session.key(), session.key()])
    expect(keys.map((key) => key.ok && key.value.apiKey)).toEqual(['first-key', 'first-key', 'first-key'])
    expect(authenticate).toHaveBeenCalledTimes(1)
    expect(session.status().state).toBe('connected')
  })

  it('is requested again after a failed request', async () => {
    const { session } = sessionWith([failed('service-timeout'), signedIn('first-key')])
    session.provision(input)
    expect(await session.key()).toMatchObject({ ok: false, error: { code: 'service-timeout' } })
    expect(session.status()).toMatchObject({ state: 'not-connected', error: { code: 'service-timeout' } })
    expect((await session.key()).ok).toBe(true)
    expect(session.status()).toMatchObject({ state: 'connected', error: null })
  })

  it('is discarded when its account was replaced during the request', async () => {
    const { session, authenticate } = sessionWith([signedIn('second-key')])
    let finish: (result: Result<SignedIn>) => void = () => {}
    authenticate.mockImplementationOnce(
      () =>
        new Promise((resolve) => {
          finish = resolve
        }),
    )
    session.provision(input)
    const asked = session.key()
    session.provision({ ...input, user: 'another-user' })
    finish(signedIn('first-key'))
    expect(await asked).toMatchObject({ ok: true, value: { apiKey: 'second-key' } })
    expect(authenticate).toHaveBeenLastCalledWith(expect.objectContaining({ user: 'another-user' }))
  })

  it('is kept when the same account is provided again', async () => {
    const { session, authenticate } = await connected()
    session.provision(input)
    expect(await session.key()).toMatchObject({ ok: true, value: { apiKey: 'first-key' } })
    expect(authenticate).not.toHaveBeenCalled()
  })
})

describe('an operation at the service', () => {
  it('is repeated once with a new key when its key is refused', async () => {
    const { session, authenticate } = await connected(signedIn('second-key'))
    const used: string[] = []
    const result = await session.call(async ({ apiKey }: CarrierConnection) => {
      used.push(apiKey)
      return apiKey === 'first-key' ? failed('key-refused') : ok('done')
    })
    expect(result).toEqual(ok('done'))
    expect(used).toEqual(['first-key', 'second-key'])
    expect(authenticate).toHaveBeenCalledTimes(1)
  })

  it('is not repeated a second time when the new key is refused too', async () => {
    const { session } = await connected(signedIn('second-key'))
    const operation = vi.fn(keyRefused)
    expect(await session.call(operation)).toMatchObject({ ok: false, error: { code: 'key-refused' } })
    expect(operation).toHaveBeenCalledTimes(2)
  })

  it('fails with account-refused when the credentials are refused too', async () => {
    const { session } = await connected(failed('account-refused'))
    const operation = vi.fn(keyRefused)
    expect(await session.call(operation)).toMatchObject({ ok: false, error: { code: 'account-refused' } })
    expect(operation).toHaveBeenCalledTimes(1)
    expect(session.status()).toMatchObject({ state: 'not-connected', error: { code: 'account-refused' } })
  })

  it('is not repeated when it fails for another reason', async () => {
    const { session, authenticate } = await connected()
    const operation = vi.fn(() => Promise.resolve(failed('service-timeout')))
    expect(await session.call(operation)).toMatchObject({ ok: false, error: { code: 'service-timeout' } })
    expect(operation).toHaveBeenCalledTimes(1)
    expect(authenticate).not.toHaveBeenCalled()
  })

  it('shares the new key with operations whose key was refused at the same time', async () => {
    const { session, authenticate } = await connected(signedIn('second-key'))
    const operation = async ({ apiKey }: CarrierConnection) =>
      apiKey === 'first-key' ? failed('key-refused') : ok(apiKey)
    const results = await Promise.all([session.call(operation), session.call(operation)])
    expect(results).toEqual([ok('second-key'), ok('second-key')])
    expect(authenticate).toHaveBeenCalledTimes(1)
  })
})

describe('renewAfterRefusal', () => {
  it('requests a new key once, although the same key is reported as refused twice', async () => {
    const { session, authenticate } = await connected(signedIn('second-key'))
    await session.renewAfterRefusal('first-key')
    await session.renewAfterRefusal('first-key')
    expect(await session.key()).toMatchObject({ ok: true, value: { apiKey: 'second-key' } })
    expect(authenticate).toHaveBeenCalledTimes(1)
  })
})

describe('testing the account', () => {
  it('requests a new key and uses it afterwards', async () => {
    const { session } = await connected(signedIn('second-key'))
    expect(await session.test()).toMatchObject({ ok: true, value: { state: 'connected' } })
    expect(await session.key()).toMatchObject({ ok: true, value: { apiKey: 'second-key' } })
  })

  it('leaves the account connected with its key when the service can’t be reached', async () => {
    const { session, authenticate } = await connected(failed('service-unreachable'))
    expect(await session.test()).toMatchObject({ ok: false, error: { code: 'service-unreachable' } })
    expect(session.status()).toMatchObject({ state: 'connected', error: null })
    expect(await session.key()).toMatchObject({ ok: true, value: { apiKey: 'first-key' } })
    expect(authenticate).toHaveBeenCalledTimes(1)
  })

  it('reports account-refused when the service refuses the credentials', async () => {
    const { session } = await connected(failed('account-refused'))
    expect((await session.test()).ok).toBe(false)
    expect(session.status()).toMatchObject({ state: 'not-connected', error: { code: 'account-refused' } })
  })
})

describe('forgetting the account', () => {
  it('removes the account from the file and from memory', async () => {
    const { session, file } = await connected()
    expect(session.forget()).toMatchObject({ ok: true, value: { state: 'none', host: null, name: null } })
    expect(file.content).toMatchObject({ account: null })
    expect(await session.key()).toMatchObject({ ok: false, error: { code: 'no-account' } })
  })

  it('fails and keeps the account when the file can’t be written', async () => {
    const { session, file } = await connected()
    file.full = true
    expect(session.forget()).toMatchObject({ ok: false, error: { code: 'settings-not-saved' } })
    expect(session.status().state).toBe('connected')
  })
})

describe('weak storage of the account', () => {
  /** A session that was connected on a machine with weak encryption only, with weak storage allowed or not. */
  async function onWeakMachine(allowWeak: boolean) {
    const parts = sessionWith([signedIn('first-key')], memoryFile(), fakeCipher('weak'), { allowWeak })
    await parts.session.connect(input)
    return parts
  }
  const emptied = { version: 1, storage: null, account: null }

  it('is emptied at once when it is switched off, and the account stays connected from memory', async () => {
    const { session, bus, file, settings } = await onWeakMachine(true)
    expect(session.status().storage).toBe('weak')
    const reported: string[] = []
    bus.on('accountChanged', ({ storage }) => reported.push(storage))
    settings.allowWeak = false
    session.storageChanged()
    expect(file.content).toEqual(emptied)
    expect(file.setAsideContents).toEqual([])
    expect(reported).toEqual(['memory'])
    expect(session.status()).toMatchObject({ state: 'connected', storage: 'memory', error: null })
    expect(await session.key()).toMatchObject({ ok: true, value: { apiKey: 'first-key' } })
  })

  it('stores the account at once when it is switched on', async () => {
    const { session, file, settings } = await onWeakMachine(false)
    settings.allowWeak = true
    expect(session.status().storage).toBe('memory')
    session.storageChanged()
    expect(session.status()).toMatchObject({ state: 'connected', storage: 'weak' })
    const again = sessionWith([], file, fakeCipher('weak'), { allowWeak: true })
    expect(await again.session.key()).toMatchObject({ ok: true, value: { apiKey: 'first-key' } })
  })

  it('stores the account when the same one is provisioned after weak storage was allowed', async () => {
    const { session, file, settings } = await onWeakMachine(false)
    settings.allowWeak = true
    expect(session.provision(input)).toMatchObject({
      ok: true,
      value: { state: 'connected', storage: 'weak' },
    })
    expect(file.content).toMatchObject({ storage: 'weak', account: expect.any(String) })
  })

  it('locks the account when it is no longer allowed at the start, and forgetting the account removes it from the disk', async () => {
    const { file } = await onWeakMachine(true)
    const { session } = sessionWith([], file, fakeCipher('weak'))
    expect(session.status()).toMatchObject({ state: 'locked', storage: 'memory' })
    expect(session.forget()).toMatchObject({ ok: true, value: { state: 'none' } })
    expect(file.content).toEqual(emptied)
    expect(file.setAsideContents).toEqual([])
  })

  it('unlocks the stored account when it is allowed again', async () => {
    const { file } = await onWeakMachine(true)
    const { session, settings, redactor } = sessionWith([], file, fakeCipher('weak'))
    settings.allowWeak = true
    session.storageChanged()
    expect(session.status()).toMatchObject({ state: 'connected', storage: 'weak', error: null })
    expect(redactor.redact('station-password')).toBe('[redacted]')
  })

  it('is replaced by a keyring once one is available', async () => {
    const { session, file, cipher } = await onWeakMachine(true)
    cipher.kind = 'keyring'
    const { session: later } = sessionWith([], file)
    expect(later.status()).toMatchObject({ state: 'connected', storage: 'keyring' })
    expect(file.content).toMatchObject({ storage: 'keyring' })
    session.storageChanged()
    expect(session.status().storage).toBe('keyring')
  })

  it('is reported as holding the account until the file can be emptied', async () => {
    const { session, file, settings } = await onWeakMachine(true)
    settings.allowWeak = false
    file.full = true
    session.storageChanged()
    expect(session.status()).toMatchObject({
      state: 'connected',
      storage: 'weak',
      error: { code: 'settings-not-saved' },
    })
    file.full = false
    session.storageChanged()
    expect(session.status()).toMatchObject({ state: 'connected', storage: 'memory', error: null })
    expect(file.content).toEqual(emptied)
  })

  it('reports a changed storage place once when there is no account, and reports nothing else', () => {
    const { session, bus, file, settings } = sessionWith([], memoryFile(), fakeCipher('weak'))
    const reported: string[] = []
    bus.on('accountChanged', ({ storage }) => reported.push(storage))
    session.storageChanged()
    settings.allowWeak = true
    session.storageChanged()
    session.storageChanged()
    expect(reported).toEqual(['weak'])
    expect(file.writes).toBe(0)
  })
})
