import { z } from 'zod'
import type { AccountStatus } from '../../shared/account'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { parseBaseUrl } from '../carrier/service'
import type { JsonFile } from '../lib/jsonText'
import { toReason } from '../lib/toReason'

/** Everything that is kept of an account. All of it is encrypted as one text. */
const storedAccountSchema = z.object({
  /** As `parseBaseUrl` allows it: it is looked at here, not at each request. */
  baseUrl: z.string().refine((url) => parseBaseUrl(url).ok),
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

/** Where an account's secrets are kept: `memory` when nothing of them is on the disk. */
type Storage = AccountStatus['storage']

/** An account and where it was found. */
interface KeptAccount {
  account: StoredAccount
  storage: Storage
}

export type Vault = ReturnType<typeof createVault>

interface VaultDeps {
  file: JsonFile
  cipher: Cipher
  /** Whether the operating system's unencrypted fallback may be used (the account setting `allowWeakStorage`). */
  allowWeak: () => boolean
}

/** Where the account's secrets lie between two runs. Nothing is read or written at first. */
export function createVault({ file, cipher, allowWeak }: VaultDeps) {
  function usableCipher(): 'keyring' | 'weak' | null {
    const available = cipher.available()
    if (available === 'weak') return allowWeak() ? 'weak' : null
    return available === 'keyring' ? 'keyring' : null
  }

  /**
   * The account that is kept; null when there is none.
   * @returns `vault-locked` while the keyring is; `vault-unreadable` when the file is there and can't be read here; it is left as it is
   */
  function load(): Result<KeptAccount | null> {
    try {
      const content = file.read()
      if (content === undefined) return ok(null)
      const { account, storage } = vaultFileSchema.parse(content)
      if (account === null) return ok(null)
      if (cipher.available() === 'locked') return err(appError('vault-locked'))
      if (usableCipher() === null) return err(unreadable(file.path, 'no-cipher'))
      const text = cipher.decrypt(Buffer.from(account, 'base64'))
      return ok({ account: storedAccountSchema.parse(JSON.parse(text)), storage: storage ?? 'memory' })
    } catch {
      return err(unreadable(file.path, 'not-decipherable'))
    }
  }

  function write(account: StoredAccount, unreadable: 'set-aside' | 'leave'): Storage {
    if (!load().ok && !isWeak()) {
      if (unreadable === 'leave') return 'memory'
      file.setAside()
    }
    const storage = usableCipher()
    if (storage === null) {
      empty()
      return 'memory'
    }
    file.write({ version: 1, storage, account: encryptText(JSON.stringify(account)) })
    return storage
  }

  function isWeak(): boolean {
    const content = toContent(file)
    return content !== undefined && vaultFileSchema.safeParse(content).data?.storage === 'weak'
  }

  /** A file is written only to take an account's ciphertext off the disk. */
  function empty(): void {
    if (toContent(file) !== undefined) file.write({ version: 1, storage: null, account: null })
  }

  function encryptText(text: string): string {
    return cipher.encrypt(text).toString('base64')
  }

  return {
    /** Where an account saved now would be kept: `memory` without encryption that may be used. */
    storage: (): Storage => usableCipher() ?? 'memory',
    load,
    /** Lets a locked keyring ask for its password; false when it is locked still. */
    unlock: () => cipher.unlock(),
    /**
     * Keeps an account in the place of the one before, and gives where it is kept now. When it may only be kept in
     * memory, what the file held of it is taken off the disk. A file whose account is weakly encrypted is as good as
     * plain text: it is always replaced, never left or set aside.
     * @param unreadable what becomes of another file that can't be read: a person who connects again lets it be set
     * aside, a key that was renewed is no reason to touch it
     * @returns `settings-not-saved` when the disk does not take it
     */
    save(account: StoredAccount, unreadable: 'set-aside' | 'leave'): Result<Storage> {
      try {
        return ok(write(account, unreadable))
      } catch (error) {
        return err(usableCipher() === null ? notCleared(file.path, error) : notSaved(file.path, error))
      }
    },
    /**
     * Takes every account off the disk, readable or not.
     * @returns `settings-not-saved` when the disk does not take it
     */
    clear(): Result<void> {
      try {
        empty()
        return ok(undefined)
      } catch (error) {
        return err(notCleared(file.path, error))
      }
    },
    /** Encrypts a text for another file, as base64; null when no encryption may be used. */
    encrypt: (text: string): string | null => (usableCipher() === null ? null : encryptText(text)),
    /** The text that was encrypted, in whatever way; null when it can't be read here. */
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

function unreadable(path: string, reason: 'no-cipher' | 'not-decipherable'): AppError {
  return appError('vault-unreadable', { path, reason })
}

/** The content as it stands there; a file that is no JSON has some content too. */
function toContent(file: JsonFile): unknown {
  try {
    return file.read()
  } catch {
    return null
  }
}

function notSaved(path: string, error: unknown): AppError {
  const reason = toReason(error)
  return appError('settings-not-saved', { case: 'credentials', path, reason })
}

function notCleared(path: string, error: unknown): AppError {
  const reason = toReason(error)
  return appError('settings-not-saved', { case: 'credentials-left', path, reason })
}

/** Encryption that the operating system offers. */
export interface Cipher {
  /** `keyring`: a real one; `weak`: a fallback that anyone on the machine can undo; `locked`: a real one, not now. */
  available(): 'keyring' | 'weak' | 'locked' | 'none'
  /** Lets a locked keyring ask for its password; false when it is locked still. */
  unlock(): Promise<boolean>
  encrypt(text: string): Buffer
  /** Throws when the data were not encrypted by this user on this machine. */
  decrypt(data: Buffer): string
}
