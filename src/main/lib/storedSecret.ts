import { z } from 'zod'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { JsonFile } from './jsonText'
import { readValid } from './readValid'
import { toReason } from './toReason'

const fileSchema = z.object({ version: z.literal(1), server: z.string(), password: z.base64() })

/** Holds a secret until the app closes, also when the services start again. Null for none. */
export interface SecretMemory<Secret> {
  held: Secret | null
}

/** A secret and the server that it belongs to. */
export interface ServerSecret {
  server: string
  secret: string
}

export interface StoredSecretDeps {
  file: JsonFile
  memory: SecretMemory<ServerSecret>
  vault: {
    /** Null when no encryption may be used. */
    encrypt(text: string): string | null
    /** Null when it can't be read here. */
    decrypt(encrypted: string): string | null
  }
  /** Registers the secret with the redactor before its first use. */
  protect(secret: string): void
}

/**
 * A secret other than the account's, stored in the same way: encrypted, or in memory until the app closes.
 * SECURITY: it belongs to one server, and is never returned for another.
 */
export class StoredSecret {
  constructor(private readonly deps: StoredSecretDeps) {}

  /** The secret for a server; null when none is stored, or when it can't be read here. */
  find(server: string): string | null {
    const { held } = this.deps.memory
    if (held?.server === server) return held.secret
    const kept = this.read()
    if (kept?.server !== server) return null
    const secret = this.deps.vault.decrypt(kept.password)
    if (secret === null) return null
    this.deps.protect(secret)
    this.deps.memory.held = { server, secret }
    return secret
  }

  /** The server of the stored secret, readable or not; null for none. */
  server(): string | null {
    return this.deps.memory.held?.server ?? this.read()?.server ?? null
  }

  /** Stores the secret; null deletes it. `settings-not-saved`: the file can't be written, the change holds until exit. */
  keep(server: string, secret: string | null): Result<undefined> {
    if (secret !== null) this.deps.protect(secret)
    this.deps.memory.held = secret === null ? null : { server, secret }
    return this.write()
  }

  /**
   * To be called when the available encryption may have changed: encrypts the secret again, or deletes it from the file
   * when only memory may be used. A secret that can't be read, e.g. with a locked keyring, stays.
   */
  followStorage(): void {
    const server = this.server()
    if (server !== null && this.find(server) !== null) this.write()
  }

  private write(): Result<undefined> {
    const { file, memory, vault } = this.deps
    const encrypted = memory.held === null ? null : vault.encrypt(memory.held.secret)
    try {
      if (memory.held !== null && encrypted !== null) {
        file.write({ version: 1, server: memory.held.server, password: encrypted })
      } else if (file.read() !== undefined) file.write({})
      return ok(undefined)
    } catch (error) {
      const details = { path: file.path, reason: toReason(error) }
      return err(appError('settings-not-saved', { case: 'credentials', ...details }))
    }
  }

  private read() {
    return readValid(fileSchema, () => this.deps.file.read())
  }
}
