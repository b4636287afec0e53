import { safeStorage } from 'electron'
import type { Cipher } from '../account/cipher'
import type { Keyring } from '../account/keyring'

/**
 * The operating system's safe for secrets. On Linux without a keyring Electron can only obfuscate them with a key
 * that everybody knows: that counts as `weak`, and the settings decide whether it may be used. A locked
 * keyring is not touched: Electron would wait for its dialog, and the whole app with it.
 */
export function createSystemCipher(keyring: Keyring): Cipher {
  return {
    available() {
      if (keyring.state() === 'locked') return 'locked'
      if (safeStorage.isEncryptionAvailable()) return isPlain() ? 'weak' : 'keyring'
      return process.platform === 'linux' ? 'weak' : 'none'
    },
    unlock: () => keyring.unlock(),
    encrypt(text) {
      admitWeak()
      return safeStorage.encryptString(text)
    },
    decrypt(data) {
      admitWeak()
      return safeStorage.decryptString(data)
    },
  }
}

function isPlain(): boolean {
  return process.platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text'
}

/** Only reached when the settings admitted the weak way: without one Electron would throw. */
function admitWeak(): void {
  if (isPlain()) safeStorage.setUsePlainTextEncryption(true)
}
