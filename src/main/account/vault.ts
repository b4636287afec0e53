import { z } from 'zod'
import type { AccountStatus } from '../../shared/account'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { parseBaseUrl } from '../carrier/service'
import type { JsonFile } from '../lib/jsonText'
import { readValid } from '../lib/readValid'
import { toReason } from '../lib/toReason'

/** The stored account, which is encrypted as one text. */
const storedAccountSchema = z.object({
  /** Validated here once, not at each request. */
  baseUrl: z.string().refine((url) => parseBaseUrl(url).ok),
  user: z.string(),
  password: z.string(),
  apiKey: z.string().nullable(),
  customerId: z.string().nullable(),
  accountId: z.string().nullable(),
  name: z.string().nullable(),
})
export type StoredAccount = z.infer<typeof storedAccountSchema>

/** `vault.json`: ciphertext only. `account` is null when no account is stored. */
const vaultFileSchema = z.object({
  version: z.literal(1),
  storage: z.enum(['keyring', 'weak']).nullable(),
  account: z.base64().nullable(),
})

/** Where an account's secrets are stored: `memory` when none of them are on disk. */
type Storage = AccountStatus['storage']

/** An account and where it is stored. */
interface LoadedAccount {
  account: StoredAccount
  storage: Storage
}

export type Vault = ReturnType<typeof createVault>

interface VaultDeps {
  file: JsonFile
  cipher: Cipher
  /** Whether the operating system's weak fallback may be used (the account setting `allowWeakStorage`). */
  allowWeak: () => boolean
}

/** Creates the encrypted storage of the account's secrets. Reads and writes nothing yet. */
export function createVault({ file, cipher, allowWeak }: VaultDeps) {
  function findUsableCipher(): 'keyring' | 'weak' | null {
    const available = cipher.available()
    if (available === 'weak') return allowWeak() ? 'weak' : null
    return available === 'keyring' ? 'keyring' : null
  }

  /**
   * Reads the stored account; null when there is none.
   * @returns `vault-locked` while the keyring is locked; `vault-unreadable` when the file exists but can't be read here
   */
  function load(): Result<LoadedAccount | null> {
    try {
      const content = file.read()
      if (content === undefined) return ok(null)
      const { account, storage } = vaultFileSchema.parse(content)
      if (account === null) return ok(null)
      if (cipher.available() === 'locked') return err(appError('vault-locked'))
      if (findUsableCipher() === null) return err(toUnreadableError(file.path, 'no-cipher'))
      const text = cipher.decrypt(Buffer.from(account, 'base64'))
      return ok({ account: storedAccountSchema.parse(JSON.parse(text)), storage: storage ?? 'memory' })
    } catch {
      return err(toUnreadableError(file.path, 'not-decipherable'))
    }
  }

  function write(account: StoredAccount, unreadable: 'set-aside' | 'leave'): Storage {
    if (!load().ok && !isStoredWeakly()) {
      if (unreadable === 'leave') return 'memory'
      file.setAside()
    }
    const storage = findUsableCipher()
    if (storage === null) {
      eraseAccount()
      return 'memory'
    }
    file.write({ version: 1, storage, account: encryptText(JSON.stringify(account)) })
    return storage
  }

  function isStoredWeakly(): boolean {
    return readValid(vaultFileSchema, () => file.read())?.storage === 'weak'
  }

  /** Writes the file only when there is one, to delete an account's ciphertext. */
  function eraseAccount(): void {
    if (readContent(file) !== undefined) file.write({ version: 1, storage: null, account: null })
  }

  function encryptText(text: string): string {
    return cipher.encrypt(text).toString('base64')
  }

  function toNotSavedError(which: 'credentials' | 'credentials-left', error: unknown): AppError {
    return appError('settings-not-saved', { case: which, path: file.path, reason: toReason(error) })
  }

  return {
    /** Where an account would be stored now: `memory` when no encryption may be used. */
    storage: (): Storage => findUsableCipher() ?? 'memory',
    load,
    /** Whether the keyring is locked: nothing can be read or stored until it is unlocked. */
    isLocked: () => cipher.available() === 'locked',
    /** Reads whether a locked keyring was unlocked elsewhere, in at most two seconds. */
    checkUnlocked: () => cipher.checkUnlocked(),
    /** Makes a locked keyring ask for its password; false when it stays locked. */
    unlock: () => cipher.unlock(),
    /**
     * Stores an account, which replaces the previous one, and returns where it is stored. When only memory may be used,
     * the account in the file is deleted. A file with a weakly encrypted account is as unsafe as plain text: it is
     * always replaced, never left or set aside.
     * @param unreadable what to do with a file that can't be read: set it aside when a person connects again, leave it
     * when only the key was renewed
     * @returns `settings-not-saved` when the file can't be written
     */
    save(account: StoredAccount, unreadable: 'set-aside' | 'leave'): Result<Storage> {
      try {
        return ok(write(account, unreadable))
      } catch (error) {
        return err(toNotSavedError(findUsableCipher() === null ? 'credentials-left' : 'credentials', error))
      }
    },
    /**
     * Deletes the stored account, readable or not.
     * @returns `settings-not-saved` when the file can't be written
     */
    clear(): Result<void> {
      try {
        eraseAccount()
        return ok(undefined)
      } catch (error) {
        return err(toNotSavedError('credentials-left', error))
      }
    },
    /** Encrypts a text for another file, as base64; null when no encryption may be used. */
    encrypt: (text: string): string | null => (findUsableCipher() === null ? null : encryptText(text)),
    /** Decrypts a text of `encrypt`, with either kind of encryption; null when it can't be read here. */
    decrypt(encrypted: string): string | null {
      if (cipher.available() === 'none' || cipher.available() === 'locked') return null
      try {
        return cipher.decrypt(Buffer.from(encrypted, 'base64'))
      } catch {
        return null
      }
    },
  }
}

function toUnreadableError(path: string, reason: 'no-cipher' | 'not-decipherable'): AppError {
  return appError('vault-unreadable', { path, reason })
}

/** The file's content; undefined without a file, null when the file is not JSON. */
function readContent(file: JsonFile): unknown {
  try {
    return file.read()
  } catch {
    return null
  }
}

/** Encryption that the operating system offers. */
export interface Cipher {
  /** `weak`: a fallback that anyone on the machine can decrypt; `locked`: there is a keyring, which is locked. */
  available(): 'keyring' | 'weak' | 'locked' | 'none'
  /** Reads whether a locked keyring was unlocked elsewhere, in at most two seconds; false while it is locked. */
  checkUnlocked(): Promise<boolean>
  /** Makes a locked keyring ask for its password; false when it stays locked. */
  unlock(): Promise<boolean>
  encrypt(text: string): Buffer
  /** Throws when the data were not encrypted by this user on this machine. */
  decrypt(data: Buffer): string
}
