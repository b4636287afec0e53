import { setTimeout as pause } from 'node:timers/promises'
import { type BusReply, openSessionBus, type SessionBus } from './sessionBus'

export type Keyring = ReturnType<typeof createKeyring>

const unlockMs = 30_000

/** The session's keyring as it was last seen. Elsewhere than on Linux it has no lock of its own. */
export function createKeyring(env: NodeJS.ProcessEnv, platform: NodeJS.Platform) {
  let state: KeyringState = 'unlocked'
  return {
    state: () => state,
    /** Looks how it is; takes at most two seconds. */
    async ask(): Promise<void> {
      if (platform === 'linux') state = await askKeyring(env)
    },
    /** Lets it ask for its password, and waits until it is unlocked; false after half a minute. */
    async unlock(): Promise<boolean> {
      if (state === 'locked' && (await unlockKeyring(env, unlockMs))) state = 'unlocked'
      return state !== 'locked'
    },
  }
}

/**
 * Which password store Chromium has to be told to use; undefined when it chooses well by itself. It goes by the
 * desktop's name, which kiosks do not have, and would take none where a keyring answers.
 */
export function passwordStore(
  state: KeyringState,
  { XDG_CURRENT_DESKTOP: desktop = '' }: NodeJS.ProcessEnv,
): string | undefined {
  // KDE's desktop has secrets in its own store, under its own key.
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
 * The keyring of a Linux session. `absent`: no program offers one, or it has no keyring to keep things in; `kwallet5`,
 * `kwallet6`: KDE's own, without the common interface; `locked` also when it does not answer in time.
 */
type KeyringState = 'absent' | 'locked' | 'unlocked' | 'kwallet5' | 'kwallet6'

const service = 'org.freedesktop.secrets'
const servicePath = '/org/freedesktop/secrets'
const serviceInterface = 'org.freedesktop.Secret.Service'
const answerMs = 2_000
const pollMs = 300

/** Asks the session's bus for the state of the keyring, and waits at most two seconds. Unlocks nothing. */
export async function askKeyring(env: NodeJS.ProcessEnv): Promise<KeyringState> {
  let bus: SessionBus | undefined
  try {
    bus = await openSessionBus(env, AbortSignal.timeout(answerMs))
    if (bus === undefined) return 'absent'
    const names = await offeredNames(bus)
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
 * Asks the keyring to unlock, for which it shows its own dialog where there is one, and waits until it has.
 * @param limitMs longest wait; the dialog goes with its end
 * @returns whether it is unlocked
 */
export async function unlockKeyring(env: NodeJS.ProcessEnv, limitMs: number): Promise<boolean> {
  const limit = AbortSignal.timeout(limitMs)
  let bus: SessionBus | undefined
  try {
    bus = await openSessionBus(env, limit)
    if (bus === undefined) return false
    const collection = await defaultCollection(bus)
    if (collection === undefined) return false
    const unlocking = await callService(bus, 'Unlock', { ao: [collection] })
    unlocking.texts()
    const prompt = unlocking.text()
    if (prompt !== '/') {
      // Its answer says only that the dialog is on its way, and may be long in coming.
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
  const collection = await defaultCollection(bus)
  if (collection === undefined) return 'absent'
  return (await isLocked(bus, collection)) ? 'locked' : 'unlocked'
}

/** Names of programs that run or that the bus would start. */
async function offeredNames(bus: SessionBus): Promise<Set<string>> {
  const face = 'org.freedesktop.DBus'
  const call = { destination: face, path: '/org/freedesktop/DBus', interface: face }
  const running = await bus.call({ ...call, member: 'ListNames' })
  const startable = await bus.call({ ...call, member: 'ListActivatableNames' })
  return new Set([...running.texts(), ...startable.texts()])
}

/** The default collection of secrets; undefined when there is no such place yet: making it asks for a password. */
async function defaultCollection(bus: SessionBus): Promise<string | undefined> {
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
  return locked.variantFlag()
}

function callService(
  bus: SessionBus,
  member: string,
  argument: { s: string } | { ao: readonly string[] },
): Promise<BusReply> {
  return bus.call({
    destination: service,
    path: servicePath,
    interface: serviceInterface,
    member,
    args: [argument],
  })
}
