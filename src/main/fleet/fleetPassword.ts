import { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import type { FleetSettings } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import type { Vault } from '../account/vault'
import type { JsonFile } from '../lib/jsonText'
import { toReason } from '../lib/toReason'
import type { Redactor } from '../log/redactor'

/** `fleet.json`: ciphertext, and whose password it is. */
const passwordFileSchema = z.object({ version: z.literal(1), server: z.string(), password: z.base64() })

export interface FleetPasswordDeps {
  file: JsonFile
  vault: Pick<Vault, 'encrypt' | 'decrypt'>
  redactor: Pick<Redactor, 'add'>
}

/**
 * The password of the fleet's database, kept as the account's secrets are: encrypted, or in memory until the app closes.
 * SECURITY: it belongs to one user at one server, and is never sent to another.
 */
export class FleetPassword {
  private inMemory: { server: string; password: string } | null = null

  constructor(private readonly deps: FleetPasswordDeps) {}

  /** The password for a server's user; null when none is kept, or none that can be read here. */
  find(settings: FleetSettings): string | null {
    const server = toServer(settings)
    if (this.inMemory?.server === server) return this.inMemory.password
    const kept = this.read()
    if (kept?.server !== server) return null
    const password = this.deps.vault.decrypt(kept.password)
    if (password === null) return null
    this.deps.redactor.add(password)
    this.inMemory = { server, password }
    return password
  }

  /** Keeps another one; null takes it away. `settings-not-saved` when the file can't be written: it holds until the app closes then. */
  keep(settings: FleetSettings, password: string | null): Result<undefined> {
    const server = toServer(settings)
    if (password !== null) this.deps.redactor.add(password)
    this.inMemory = password === null ? null : { server, password }
    return this.write()
  }

  /** Secrets may be kept in another way than before. */
  followStorage(): void {
    if (this.inMemory !== null) this.write()
  }

  private write(): Result<undefined> {
    const { file, vault } = this.deps
    const encrypted = this.inMemory === null ? null : vault.encrypt(this.inMemory.password)
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
      return passwordFileSchema.safeParse(this.deps.file.read()).data
    } catch {
      return undefined
    }
  }
}

function toServer({ host, port, user }: FleetSettings): string {
  return `${user}@${host.toLowerCase()}:${port}`
}

function notSaved(path: string, error: unknown): AppError {
  return appError('settings-not-saved', { case: 'credentials', path, reason: toReason(error) })
}
