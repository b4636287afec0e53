import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { AccountStatus } from '../../shared/settings'
import type { JsonFile } from '../settings/ports'
import type { Cipher } from './cipher'

/** Everything that is kept of an account. All of it is encrypted as one text. */
const storedAccountSchema = z.object({
  baseUrl: z.url(),
  user: z.string(),
  password: z.string(),
  apiKey: z.string().nullable(),
  customerId: z.string().nullable(),
  accountId: z.string().nullable(),
  name: z.string().nullable(),
})
export type StoredAccount = z.infer<typeof storedAccountSchema>

/** `vault.json`: ciphertext only. `account` is null when nothing is kept. */
const vaultFileSchema = z.object({
  version: z.literal(1),
  storage: z.enum(['keyring', 'weak']).nullable(),
  account: z.base64().nullable(),
})

/** Where the account's secrets lie between two runs. */
export interface Vault {
  /** Where an account saved now would be kept: `memory` without encryption that may be used. */
  storage(): AccountStatus['storage']
  /**
   * The account that is kept; null when there is none.
   * @returns `vault-unreadable` when the file is there and can't be read here; it is left as it is
   */
  load(): Result<StoredAccount | null>
  /**
   * Keeps an account in the place of the one before; null keeps none.
   * @param unreadable what becomes of a file that can't be read: a person who connects again lets it be set aside, a
   * key that was renewed is no reason to touch it
   * @returns `settings-not-saved` when the disk does not take it
   */
  save(account: StoredAccount | null, unreadable: 'set-aside' | 'leave'): Result<void>
  /** Encrypts a text for another file, as base64; null when no encryption may be used. */
  seal(text: string): string | null
  /** The text that was sealed; null when it can't be read here. */
  unseal(sealed: string): string | null
}

export interface VaultParts {
  file: JsonFile
  cipher: Cipher
  /** Whether the operating system's unencrypted fallback may be used (the account setting `allowWeakStorage`). */
  allowWeak: () => boolean
}

/** Makes the vault over its file. Nothing is read or written yet. */
export function createVault({ file, cipher, allowWeak }: VaultParts): Vault {
  function usableCipher(): 'keyring' | 'weak' | null {
    const available = cipher.available()
    if (available === 'weak') return allowWeak() ? 'weak' : null
    return available === 'keyring' ? 'keyring' : null
  }

  function load(): Result<StoredAccount | null> {
    try {
      const content = file.read()
      if (content === undefined) return ok(null)
      const { account } = vaultFileSchema.parse(content)
      if (account === null) return ok(null)
      if (usableCipher() === null) return err(unreadable(file.path, 'no-cipher'))
      const text = cipher.decrypt(Buffer.from(account, 'base64'))
      return ok(storedAccountSchema.parse(JSON.parse(text)))
    } catch {
      return err(unreadable(file.path, 'not-decipherable'))
    }
  }

  function write(account: StoredAccount | null, unreadable: 'set-aside' | 'leave'): void {
    if (!load().ok) {
      if (unreadable === 'leave') return
      file.setAside()
    }
    const storage = usableCipher()
    // Without a cipher the file is written only to take an earlier account's ciphertext off the disk.
    if (storage === null && file.read() === undefined) return
    const ciphertext = storage === null || account === null ? null : encryptText(JSON.stringify(account))
    file.write({ version: 1, storage, account: ciphertext })
  }

  function encryptText(text: string): string {
    return cipher.encrypt(text).toString('base64')
  }

  return {
    storage: () => usableCipher() ?? 'memory',
    load,
    save(account, unreadable) {
      try {
        write(account, unreadable)
        return ok(undefined)
      } catch (error) {
        return err(notSaved(file.path, error))
      }
    },
    seal: (text) => (usableCipher() === null ? null : encryptText(text)),
    unseal(sealed) {
      if (usableCipher() === null) return null
      try {
        return cipher.decrypt(Buffer.from(sealed, 'base64'))
      } catch {
        return null
      }
    },
  }
}

function unreadable(path: string, reason: 'no-cipher' | 'not-decipherable'): AppError {
  return appError(
    'vault-unreadable',
    `The stored credentials in ${path} can't be read on this machine; the file is left as it is. Connect the account again.`,
    { path, reason },
  )
}

function notSaved(path: string, error: unknown): AppError {
  const reason = error instanceof Error ? error.message : String(error)
  return appError(
    'settings-not-saved',
    `The credentials could not be kept in ${path} (${reason}); they hold until the app closes.`,
    { path, reason },
  )
}
