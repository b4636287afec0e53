import type { FleetSettings } from '../../shared/fleet'
import type { Result } from '../../shared/result'
import type { JsonFile } from '../lib/jsonText'
import { KeptSecret, type KeptSecretDeps } from '../lib/keptSecret'
import type { Redactor } from '../log/redactor'

export interface FleetPasswordDeps {
  file: JsonFile
  vault: KeptSecretDeps['vault']
  redactor: Pick<Redactor, 'add'>
}

/** The password of the fleet's database. SECURITY: it belongs to one user at one server, and is never sent to another. */
export class FleetPassword {
  private readonly kept: KeptSecret

  constructor({ file, vault, redactor }: FleetPasswordDeps) {
    this.kept = new KeptSecret({ file, vault, protect: (password) => redactor.add(password) })
  }

  /** The password for a server's user; null when none is kept, or none that can be read here. */
  find(settings: FleetSettings): string | null {
    return this.kept.find(toServer(settings))
  }

  /** Keeps another one; null takes it away. `settings-not-saved` when the file can't be written: it holds until the app closes then. */
  keep(settings: FleetSettings, password: string | null): Result<undefined> {
    return this.kept.keep(toServer(settings), password)
  }

  /** Secrets may be kept in another way than before. */
  followStorage(): void {
    this.kept.followStorage()
  }
}

function toServer({ host, port, user }: FleetSettings): string {
  return `${user}@${host.toLowerCase()}:${port}`
}
