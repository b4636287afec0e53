import { askKeyring, type KeyringState, unlockKeyring } from './secretService'

/** The session's keyring as it was last seen. Elsewhere than on Linux it has no lock of its own. */
export interface Keyring {
  state(): KeyringState
  /** Looks how it is; takes at most two seconds. */
  ask(): Promise<void>
  /** Lets it ask for its password, and waits until it is unlocked; false after half a minute. */
  unlock(): Promise<boolean>
}

const unlockMs = 30_000

/** Makes the keyring; nothing is asked yet. */
export function createKeyring(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Keyring {
  let state: KeyringState = 'unlocked'
  return {
    state: () => state,
    async ask() {
      if (platform === 'linux') state = await askKeyring(env)
    },
    async unlock() {
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
