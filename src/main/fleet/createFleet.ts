import type { HandlersOf } from '../../shared/bridge'
import type { fleetMethods } from '../../shared/fleet'
import type { TargetConsent } from '../lib/desktop'
import type { JsonFile } from '../lib/jsonText'
import { StoredSecret, type StoredSecretDeps } from '../lib/storedSecret'
import type { Redactor } from '../log/redactor'
import { OrderListRepository } from '../orders/listRepository'
import { OrderRepository } from '../orders/repository'
import type { LabelSource } from '../printing/printableLabel'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database } from '../storage/database'
import { Fleet, type FleetDeps } from './fleet'
import { createFleetLabelSource, LabelCopyRepository } from './labelCopyRepository'
import { LocalOrdersRepository } from './localOrdersRepository'
import { OutboxRepository } from './outboxRepository'
import { SharedOrders } from './sharedOrders'

export interface CreateFleetDeps
  extends Omit<FleetDeps, 'password' | 'outboxRepository' | 'orders' | 'settings'> {
  settings: SettingsStore
  fleetFile: JsonFile
  vault: StoredSecretDeps['vault']
  memory: StoredSecretDeps['memory']
  redactor: Pick<Redactor, 'add'>
  database: Database
  stationLabels: LabelSource
  targetConsent: Pick<TargetConsent, 'forFleet'>
}

/** Creates the fleet's services. They load and connect nothing until `Fleet.follow` is called. */
export function createFleet(deps: CreateFleetDeps) {
  const { database, fleetFile, vault, memory, redactor } = deps
  const protect = (secret: string) => redactor.add(secret)
  const password = new StoredSecret({ file: fleetFile, vault, memory, protect })
  const sharedOrders = new SharedOrders({
    ...deps,
    localOrdersRepository: new LocalOrdersRepository(database, deps.settings),
    orderRepository: new OrderRepository(database),
    orderList: new OrderListRepository(database),
    shipsWhenAway: () => fleet.shipsWhenAway(),
  })
  const outboxRepository = new OutboxRepository(database)
  const fleet: Fleet = new Fleet({ ...deps, password, outboxRepository, orders: sharedOrders })
  const labelCopies = new LabelCopyRepository(deps.database)
  const labels = createFleetLabelSource(deps.stationLabels, labelCopies, (by, value) =>
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
    joinFleetAsNewStation: () => fleet.joinAsNewStation(),
    closeFleetConflict: ({ id }) => fleet.closeConflict(id),
  }
  return {
    ...{ fleet, claims: fleet.claims, sharedShipments: fleet, sharing: sharedOrders },
    ...{ fleetPassword: password, labels, labelCopies, handlers },
  }
}
