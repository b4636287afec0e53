import type { FleetSettings } from '../../shared/fleet'
import type { Result } from '../../shared/result'
import type { JsonFile } from '../lib/jsonText'
import { StoredSecret, type StoredSecretDeps } from '../lib/storedSecret'
import type { Redactor } from '../log/redactor'

export interface FleetPasswordDeps {
  file: JsonFile
  vault: StoredSecretDeps['vault']
  redactor: Pick<Redactor, 'add'>
}

/** The password of the fleet's database. SECURITY: it is stored for one user at one server, and never sent to another. */
export class FleetPassword {
  private readonly kept: StoredSecret

  constructor({ file, vault, redactor }: FleetPasswordDeps) {
    this.kept = new StoredSecret({ file, vault, protect: (password) => redactor.add(password) })
  }

  /** The password for a server's user; null when none is stored, or when it can't be read here. */
  find(settings: FleetSettings): string | null {
    return this.kept.find(toServer(settings))
  }

  /** Stores the password; null deletes it. `settings-not-saved`: the file can't be written, the change holds until exit. */
  keep(settings: FleetSettings, password: string | null): Result<undefined> {
    return this.kept.keep(toServer(settings), password)
  }

  /** See `StoredSecret.followStorage`. */
  followStorage(): void {
    this.kept.followStorage()
  }
}

function toServer({ host, port, user }: FleetSettings): string {
  return `${user}@${host.toLowerCase()}:${port}`
}
