import { setTimeout as pause } from 'node:timers/promises'
import { openSessionBus, type SessionBus } from './dbus'

export type Keyring = ReturnType<typeof createKeyring>

const unlockMs = 30_000

/** The desktop session's keyring, with its state as of the last question. Outside of Linux it counts as unlocked. */
export function createKeyring(env: NodeJS.ProcessEnv, platform: NodeJS.Platform) {
  let state: KeyringState = 'unlocked'
  return {
    state: () => state,
    /** Reads the current state; takes at most two seconds. */
    async ask(): Promise<void> {
      if (platform === 'linux') state = await askKeyring(env)
    },
    /**
     * Reads whether a locked keyring was unlocked elsewhere; takes at most two seconds. Other changes are not followed:
     * Electron chooses its way to encrypt at the start.
     */
    async checkUnlocked(): Promise<boolean> {
      if (state === 'locked' && (await askKeyring(env)) === 'unlocked') state = 'unlocked'
      return state !== 'locked'
    },
    /** Makes the keyring ask for its password and waits until it is unlocked; false after 30 seconds. */
    async unlock(): Promise<boolean> {
      if (state === 'locked' && (await unlockKeyring(env, unlockMs))) state = 'unlocked'
      return state !== 'locked'
    },
  }
}

/**
 * The value for Chromium's `--password-store`; undefined when Chromium's own choice is right. Chromium decides by the
 * desktop's name, which kiosks do not have, and would then ignore a running keyring.
 */
export function selectPasswordStore(
  state: KeyringState,
  { XDG_CURRENT_DESKTOP: desktop = '' }: NodeJS.ProcessEnv,
): string | undefined {
  // On KDE Chromium chooses KWallet, where its key already is.
  if (desktop.split(':').includes('KDE')) return undefined
  switch (state) {
    case 'absent':
      return 'basic'
    case 'locked':
    case 'unlocked':
      return 'gnome-libsecret'
    case 'kwallet5':
    case 'kwallet6':
      return state
  }
}

/**
 * The keyring of a Linux session. `absent`: no secret service, or it has no default collection; `kwallet5`, `kwallet6`:
 * KDE's own, without the common interface; `locked` also when it does not answer in time.
 */
type KeyringState = 'absent' | 'locked' | 'unlocked' | 'kwallet5' | 'kwallet6'

const service = 'org.freedesktop.secrets'
const servicePath = '/org/freedesktop/secrets'
const serviceInterface = 'org.freedesktop.Secret.Service'
const answerMs = 2_000
const pollMs = 300

/** Reads the state of the keyring over the session bus, in at most two seconds. Unlocks nothing. */
export async function askKeyring(env: NodeJS.ProcessEnv): Promise<KeyringState> {
  let bus: SessionBus | undefined
  try {
    bus = await openSessionBus(env, AbortSignal.timeout(answerMs))
    if (bus === undefined) return 'absent'
    const names = await listServiceNames(bus)
    if (names.has(service)) return await getState(bus)
    if (names.has('org.kde.kwalletd6')) return 'kwallet6'
    return names.has('org.kde.kwalletd5') ? 'kwallet5' : 'absent'
  } catch {
    return 'locked'
  } finally {
    bus?.close()
  }
}

/**
 * Asks the keyring to unlock, which usually shows its own dialog, and waits until it is unlocked.
 * @param limitMs time-out, which also closes the dialog
 * @returns whether the keyring is unlocked
 */
export async function unlockKeyring(env: NodeJS.ProcessEnv, limitMs: number): Promise<boolean> {
  const limit = AbortSignal.timeout(limitMs)
  let bus: SessionBus | undefined
  try {
    bus = await openSessionBus(env, limit)
    if (bus === undefined) return false
    const collection = await findDefaultCollection(bus)
    if (collection === undefined) return false
    const unlocking = await callService(bus, 'Unlock', { ao: [collection] })
    unlocking.texts()
    const prompt = unlocking.text()
    if (prompt !== '/') {
      // Not awaited: the reply says only that the dialog is being shown, and may take long.
      bus
        .call({
          ...{ destination: service, path: prompt, interface: 'org.freedesktop.Secret.Prompt' },
          ...{ member: 'Prompt', args: [{ s: '' }] },
        })
        .catch(() => undefined)
    }
    while ((await askKeyring(env)) !== 'unlocked') await pause(pollMs, undefined, { signal: limit })
    return true
  } catch {
    return false
  } finally {
    bus?.close()
  }
}

async function getState(bus: SessionBus): Promise<KeyringState> {
  const collection = await findDefaultCollection(bus)
  if (collection === undefined) return 'absent'
  return (await isLocked(bus, collection)) ? 'locked' : 'unlocked'
}

/** The names of services that run or that the bus can start. */
async function listServiceNames(bus: SessionBus): Promise<Set<string>> {
  const interfaceName = 'org.freedesktop.DBus'
  const call = { destination: interfaceName, path: '/org/freedesktop/DBus', interface: interfaceName }
  const running = await bus.call({ ...call, member: 'ListNames' })
  const startable = await bus.call({ ...call, member: 'ListActivatableNames' })
  return new Set([...running.texts(), ...startable.texts()])
}

/** The default collection of secrets; undefined when there is none. It is not created, which would ask for a password. */
async function findDefaultCollection(bus: SessionBus): Promise<string | undefined> {
  const path = (await callService(bus, 'ReadAlias', { s: 'default' })).text()
  return path === '/' ? undefined : path
}

async function isLocked(bus: SessionBus, collection: string): Promise<boolean> {
  const locked = await bus.call({
    destination: service,
    path: collection,
    interface: 'org.freedesktop.DBus.Properties',
    member: 'Get',
    args: [{ s: 'org.freedesktop.Secret.Collection' }, { s: 'Locked' }],
  })
  return locked.variantBoolean()
}

function callService(bus: SessionBus, member: string, argument: { s: string } | { ao: readonly string[] }) {
  return bus.call({
    destination: service,
    path: servicePath,
    interface: serviceInterface,
    member,
    args: [argument],
  })
}
