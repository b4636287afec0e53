import { randomUUID } from 'node:crypto'
import type { appMethods } from '../../shared/app'
import type { Handlers } from '../../shared/bridge'
import { createAccount } from '../account/account'
import { createVault } from '../account/vault'
import { createBatches } from '../batch/batches'
import { createConsignees } from '../consignees/consignees'
import { createConsignments } from '../consignments/consignments'
import { createCustomsHandlers } from '../customs/handlers'
import { createInvoices } from '../customs/invoices'
import { CustomsRepository } from '../customs/repository'
import { createDiscoveryHandlers } from '../discovery/handlers'
import { createFleet } from '../fleet/createFleet'
import { createHotFolderHandlers, HotFolderService } from '../hotFolder/hotFolderService'
import { createNetwork, createNetworkHandlers } from '../network/createNetwork'
import { createOrders } from '../orders/createOrders'
import { ImportFolder } from '../orders/importFolder'
import { createPeople } from '../people/people'
import { createPrinting } from '../printing/printing'
import { createSettingsHandlers } from '../settings/handlers'
import { createShipmentJournal, createShipments } from '../shipments/shipments'
import { createTracking } from '../tracking/tracking'
import { createUpdates } from '../updates/createUpdates'
import type { ComposeDeps } from './adapters'
import { createUpkeep } from './upkeep'

/** All services that need an open database. */
export type Services = ReturnType<typeof compose>

/** Constructs every service, each after the services that it depends on. Starts none of them. */
export function compose(deps: ComposeDeps) {
  const { settings, database, reader, secretsInMemory } = deps
  const allowWeak = () => settings.current().allowWeakStorage
  const vault = createVault({ file: deps.vaultFile, cipher: deps.cipher, allowWeak })
  const people = createPeople(deps)
  const core = { ...deps, newId: randomUUID, ...people, vault }
  const network = createNetwork({ ...core, memory: secretsInMemory.proxyCredentials })
  const account = createAccount({ ...core, ...network, memory: secretsInMemory.account })
  const journal = createShipmentJournal({ ...core, urlCipher: vault })
  const withJournal = { ...core, ...network, ...account, ...journal }
  const fleet = createFleet({ ...withJournal, memory: secretsInMemory.fleetPassword })
  const withFleet = { ...withJournal, ...fleet }
  const invoices = createInvoices(withFleet)
  const customs = new CustomsRepository(database, reader)
  const printing = createPrinting({ ...withFleet, invoices })
  const shipments = createShipments({ ...withFleet, ...printing })
  const tracking = createTracking(withFleet)
  const consignments = createConsignments(withFleet)
  const orders = createOrders({ ...withFleet, customs })
  const consignees = createConsignees(core)
  const batches = createBatches({ ...withFleet, ...printing, ...shipments, ...orders })

  // Services that run on their own
  const withFeatures = {
    ...{ ...withFleet, ...printing, ...shipments, ...tracking, ...consignments, ...orders },
    ...{ ...consignees, ...batches, invoices, customs },
  }
  const importFolder = new ImportFolder({ ...withFeatures, dataFolder: deps.places.root })
  const hotFolder = new HotFolderService(withFeatures)
  const upkeep = createUpkeep({ ...withFeatures, orderFileIssues: hotFolder.issues })
  const updates = createUpdates(withFeatures)
  const services = { ...withFeatures, ...updates, hotFolder, importFolder, upkeep }

  const handlers = {
    ...createSettingsHandlers(withFleet),
    ...account.handlers,
    ...people.handlers,
    ...shipments.handlers,
    ...fleet.handlers,
    ...createNetworkHandlers(withJournal),
    ...orders.handlers,
    ...createDiscoveryHandlers(core),
    ...createHotFolderHandlers(hotFolder, core.desktop.openFolder),
    ...batches.handlers,
    ...consignees.handlers,
    ...printing.handlers,
    ...tracking.handlers,
    ...consignments.handlers,
    ...createCustomsHandlers(withFeatures),
    ...updates.handlers,
  } satisfies Omit<Handlers, keyof typeof appMethods>

  return { ...services, handlers }
}
