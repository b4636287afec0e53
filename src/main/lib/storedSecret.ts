import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { JsonFile } from './jsonText'
import { toReason } from './toReason'

/** Ciphertext, and whose secret it is. */
const fileSchema = z.object({ version: z.literal(1), server: z.string(), password: z.base64() })

export interface StoredSecretDeps {
  file: JsonFile
  vault: {
    /** Null when no encryption may be used. */
    encrypt(text: string): string | null
    /** Null when it can't be read here. */
    decrypt(encrypted: string): string | null
  }
  /** Told the secret before it is used. */
  protect(secret: string): void
}

/**
 * One secret beside the account's, kept as those are: encrypted, or in memory until the app closes.
 * SECURITY: it belongs to one server, and is never given out for another.
 */
export class StoredSecret {
  private inMemory: { server: string; secret: string } | null = null

  constructor(private readonly deps: StoredSecretDeps) {}

  /** The secret for a server; null when none is kept for it, or none that can be read here. */
  find(server: string): string | null {
    if (this.inMemory?.server === server) return this.inMemory.secret
    const kept = this.read()
    if (kept?.server !== server) return null
    const secret = this.deps.vault.decrypt(kept.password)
    if (secret === null) return null
    this.deps.protect(secret)
    this.inMemory = { server, secret }
    return secret
  }

  /** The server that a secret is kept for, readable or not; null for none. */
  server(): string | null {
    return this.inMemory?.server ?? this.read()?.server ?? null
  }

  /** Keeps another one; null takes it away. `settings-not-saved` when the file can't be written: it holds until the app closes then. */
  keep(server: string, secret: string | null): Result<undefined> {
    if (secret !== null) this.deps.protect(secret)
    this.inMemory = secret === null ? null : { server, secret }
    return this.write()
  }

  /**
   * Secrets may be kept in another way than before: the file is written anew, or emptied when the secret may be in memory
   * alone. One that can't be read here, as with a locked keyring, is left as it is.
   */
  followStorage(): void {
    const server = this.server()
    if (server !== null && this.find(server) !== null) this.write()
  }

  private write(): Result<undefined> {
    const { file, vault } = this.deps
    const encrypted = this.inMemory === null ? null : vault.encrypt(this.inMemory.secret)
    try {
      if (this.inMemory !== null && encrypted !== null) {
        file.write({ version: 1, server: this.inMemory.server, password: encrypted })
      } else if (file.read() !== undefined) file.write({})
      return ok(undefined)
    } catch (error) {
      return err(notSaved(file.path, error))
    }
  }

  private read() {
    try {
      return fileSchema.safeParse(this.deps.file.read()).data
    } catch {
      return undefined
    }
  }
}

function notSaved(path: string, error: unknown): AppError {
  return appError('settings-not-saved', { case: 'credentials', path, reason: toReason(error) })
}
