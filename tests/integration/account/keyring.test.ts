import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { askKeyring, createKeyring, unlockKeyring } from '../../../src/main/account/keyring'
import { startKeyring, startSessionBus, whyNoKeyring } from '../../support/keyring'
import { temporaryFolder } from '../../support/temporaryFolder'

const missing = whyNoKeyring()

describe.skipIf(missing !== undefined)(`the session keyring${missing ? ` (${missing})` : ''}`, () => {
  it('is reported as absent on a session bus without a keyring', async () => {
    expect(await askKeyring(await startSessionBus())).toBe('absent')
  })

  it('is reported as unlocked or locked, and unlockKeyring returns true when it gets unlocked', async () => {
    const keyring = await startKeyring()
    expect(await askKeyring(keyring.env)).toBe('unlocked')
    await keyring.lock()
    expect(await askKeyring(keyring.env)).toBe('locked')
    await keyring.unlock()
    expect(await unlockKeyring(keyring.env, 5_000)).toBe(true)
  })

  it('counts as locked until it is asked again after it was unlocked elsewhere', async () => {
    const { env, lock, unlock } = await startKeyring()
    await lock()
    const keyring = createKeyring(env, 'linux')
    await keyring.ask()
    expect(await keyring.checkUnlocked()).toBe(false)
    await unlock()
    expect(keyring.state()).toBe('locked')
    expect(await keyring.checkUnlocked()).toBe(true)
    expect(keyring.state()).toBe('unlocked')
  })

  it('stays locked, and unlockKeyring returns false, when nobody unlocks it within the limit', async () => {
    const keyring = await startKeyring()
    await keyring.lock()
    expect(await unlockKeyring(keyring.env, 700)).toBe(false)
    expect(await askKeyring(keyring.env)).toBe('locked')
  })
})

describe('the keyring without a working session bus', () => {
  it('is reported as absent when there is no bus', async () => {
    expect(await askKeyring({})).toBe('absent')
    expect(await askKeyring({ DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nowhere/bus' })).toBe('absent')
    expect(await unlockKeyring({}, 1_000)).toBe(false)
  })

  it('is reported as locked when the bus does not answer', async () => {
    const path = join(await temporaryFolder(), 'bus')
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(path, resolve))
    onTestFinished(() => void silent.close())
    expect(await askKeyring({ DBUS_SESSION_BUS_ADDRESS: `unix:path=${path}` })).toBe('locked')
  })
})
