import type { HandlersOf } from '../../shared/bridge'
import type { FleetSettings, fleetMethods } from '../../shared/fleet'
import type { Result } from '../../shared/result'
import { OrderListRepository } from '../orders/listRepository'
import { OrderRepository } from '../orders/repository'
import type { LabelSource } from '../printing/printableLabel'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database } from '../storage/database'
import { Fleet, type FleetDeps } from './fleet'
import { FleetPassword, type FleetPasswordDeps } from './fleetPassword'
import { createFleetLabelSource, LabelCopyRepository } from './labelCopyRepository'
import { LocalOrdersRepository } from './ordersLocalRepository'
import { SharedOrders } from './ordersSharing'
import { OutboxRepository } from './outboxRepository'

export interface CreateFleetDeps
  extends Omit<FleetDeps, 'password' | 'outboxEntries' | 'orders' | 'settings'>,
    Omit<FleetPasswordDeps, 'file'> {
  settings: SettingsStore
  fleetFile: FleetPasswordDeps['file']
  database: Database
  /** The labels of this station. */
  labels: LabelSource
  targetConsent: {
    /** Asks a person before this station connects to a database server other than the configured one. */
    forFleet(wanted: FleetSettings, present: FleetSettings | null): Promise<Result<undefined>>
  }
}

/** Creates the fleet's services. They load and connect nothing until `Fleet.follow` is called. */
export function createFleet(deps: CreateFleetDeps) {
  const password = new FleetPassword({ ...deps, file: deps.fleetFile })
  const { database } = deps
  const sharedOrders = new SharedOrders({
    ...deps,
    rows: new LocalOrdersRepository(database, deps.settings),
    repository: new OrderRepository(database),
    orderList: new OrderListRepository(database),
  })
  const outboxEntries = new OutboxRepository(database)
  const fleet = new Fleet({ ...deps, password, outboxEntries, orders: sharedOrders })
  const labelCopies = new LabelCopyRepository(deps.database)
  const labels = createFleetLabelSource(deps.labels, labelCopies, (by, value) =>
    fleet.queryHistory((history) => history.listLabelContents(by, value)),
  )
  const handlers: HandlersOf<typeof fleetMethods> = {
    getFleet: async () => ({ ok: true, value: await fleet.overview() }),
    async testFleet({ settings, password: typed }) {
      const agreed = await deps.targetConsent.forFleet(settings, deps.settings.current().fleet)
      return agreed.ok ? fleet.test(settings, typed) : agreed
    },
    setFleetPassword: ({ password: typed }) => fleet.setPassword(typed),
    declareStationLost: ({ stationId }) => fleet.declareLost(stationId),
    closeFleetConflict: ({ id }) => fleet.closeConflict(id),
  }
  return {
    ...{ fleet, claims: fleet.claims, sharedShipments: fleet, sharing: sharedOrders },
    ...{ fleetPassword: password, labels, labelCopies, handlers },
  }
}
