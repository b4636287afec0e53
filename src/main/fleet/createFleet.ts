import type { HandlersOf } from '../../shared/bridge'
import type { FleetSettings, fleetMethods } from '../../shared/fleet'
import type { Result } from '../../shared/result'
import type { Database } from '../storage/database'
import { Fleet, type FleetDeps } from './fleet'
import { FleetPassword, type FleetPasswordDeps } from './fleetPassword'
import { OutboxRepository } from './outboxRepository'

export interface CreateFleetDeps
  extends Omit<FleetDeps, 'password' | 'outboxEntries'>,
    Omit<FleetPasswordDeps, 'file'> {
  fleetFile: FleetPasswordDeps['file']
  database: Database
  targetConsent: {
    /** Asks a person before this station speaks to another database server than the settings name. */
    forFleet(wanted: FleetSettings, present: FleetSettings | null): Promise<Result<undefined>>
  }
}

/** What this station shares with others. Nothing of it is loaded or connected before it is told to. */
export function createFleet(deps: CreateFleetDeps) {
  const password = new FleetPassword({ ...deps, file: deps.fleetFile })
  const fleet = new Fleet({ ...deps, password, outboxEntries: new OutboxRepository(deps.database) })
  const handlers: HandlersOf<typeof fleetMethods> = {
    getFleet: async () => ({ ok: true, value: await fleet.overview() }),
    async testFleet({ settings, password: typed }) {
      const agreed = await deps.targetConsent.forFleet(settings, deps.settings.current().fleet)
      return agreed.ok ? fleet.test(settings, typed) : agreed
    },
    setFleetPassword: ({ password: typed }) => fleet.setPassword(typed),
    closeFleetConflict: ({ id }) => fleet.closeConflict(id),
  }
  return { fleet, fleetPassword: password, handlers }
}
