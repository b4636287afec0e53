import { randomUUID } from 'node:crypto'
import type { appMethods } from '../../shared/app'
import type { Handlers } from '../../shared/bridge'
import { ok, type Result } from '../../shared/result'
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
import { createOrders } from '../orders/handlers'
import { ImportFolder } from '../orders/importFolder'
import { createPeople } from '../people/people'
import { wasPinSet } from '../people/repository'
import { createPrinting } from '../printing/printing'
import { createSettingsHandlers } from '../settings/handlers'
import { openSettings, type SettingsStore } from '../settings/settingsStore'
import { fillEmptyGuard } from '../shipments/duplicateGuard'
import { createLabelStore, createShipments } from '../shipments/shipments'
import type { Database, OpenDatabase } from '../storage/database'
import type { DatabaseMaintenance } from '../storage/databaseMaintenance'
import { endThread } from '../storage/databaseThread'
import { createReader, type OpenOptions, openDatabase } from '../storage/openDatabase'
import { createTracking } from '../tracking/tracking'
import { createUpdates } from '../updates/createUpdates'
import type { ComposeAdapters } from './adapters'
import { reactToChanges } from './reactions'
import { createUpkeep } from './upkeep'

/** All services that need an open database. */
export type Services = ReturnType<typeof compose>

/**
 * Opens the settings and the database and constructs the services on top of them. Starts none of them.
 * @param opening its thread is ended when the database can't be opened
 * @returns the error that keeps the app from starting; no file was changed then
 */
export async function openServices(
  adapters: ComposeAdapters,
  care: Pick<DatabaseMaintenance, 'backUp' | 'rotateBackups'>,
  opening: Omit<OpenOptions, 'afterMigrations'>,
): Promise<Result<Services>> {
  const settings = openSettings(adapters.settingsFile)
  if (!settings.ok) {
    await endThread(opening.thread)
    return settings
  }
  let hadPin = false
  const { database } = adapters.places
  const opened = await openDatabase(database, {
    ...opening,
    async afterMigrations(database) {
      await fillEmptyGuard(database)
      hadPin = await wasPinSet(database)
    },
  })
  if (!opened.ok) return opened
  const reader = await createReader(database, adapters.createDatabaseThread())
  const connections = { database: opened.value, reader }
  return ok(compose(adapters, care, settings.value, connections, hadPin))
}

/** Constructs every service, each after the services that it depends on. */
function compose(
  adapters: ComposeAdapters,
  care: Pick<DatabaseMaintenance, 'backUp' | 'rotateBackups'>,
  settings: SettingsStore,
  { database, reader }: { database: OpenDatabase; reader: Database },
  hadPin: boolean,
) {
  const people = createPeople({ ...adapters, settings, database }, hadPin)
  const core = { ...adapters, settings, database, reader, newId: randomUUID, ...people }
  const allowWeak = () => settings.current().allowWeakStorage
  const vault = createVault({ file: adapters.vaultFile, cipher: adapters.cipher, allowWeak })
  const memory = adapters.secretsInMemory
  const { network, trust, proxyCredentials } = createNetwork({
    ...core,
    vault,
    memory: memory.proxyCredentials,
  })
  const account = createAccount({ ...core, network, vault, memory: memory.account })
  const journal = createLabelStore({ ...core, urlCipher: vault })
  const withJournal = { ...core, network, trust, proxyCredentials, ...account, ...journal }
  const fleet = createFleet({ ...withJournal, vault, memory: memory.fleetPassword })
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
    ...withFleet,
    ...{ ...printing, ...shipments, ...tracking, ...orders, ...consignees, ...batches, invoices, customs },
  }
  const importFolder = new ImportFolder({ ...withFeatures, dataFolder: adapters.places.root })
  const hotFolder = new HotFolderService(withFeatures)
  const upkeep = createUpkeep({ ...withFeatures, orderFileIssues: hotFolder.issues, care })
  const updates = createUpdates({
    ...withFeatures,
    dispatcher: (timeoutMs) => network.dispatcher(timeoutMs),
  })
  const services = { ...withFeatures, ...consignments, ...updates, hotFolder, importFolder, upkeep }
  const endReactions = reactToChanges(services)

  const handlers = {
    ...createSettingsHandlers(withFleet),
    ...account.handlers,
    ...people.handlers,
    ...shipments.handlers,
    ...fleet.handlers,
    ...createNetworkHandlers(withJournal),
    ...orders.handlers,
    ...createDiscoveryHandlers(core.targetConsent, () => settings.current()),
    ...createHotFolderHandlers(hotFolder, core.desktop.openFolder),
    ...batches.handlers,
    ...consignees.handlers,
    ...printing.handlers,
    ...tracking.handlers,
    ...consignments.handlers,
    ...createCustomsHandlers(withFeatures),
    ...updates.handlers,
  } satisfies Omit<Handlers, keyof typeof appMethods>

  return {
    ...services,
    handlers,
    /** Needed only with storage in memory: with a keyring, a change of the setting re-encrypts the secrets at once. */
    async followStorage() {
      if (vault.storage() !== 'memory') return
      fleet.fleetPassword.followStorage()
      proxyCredentials.followStorage()
      await journal.reencryptLabelUrls()
    },
    /** Ends the reactions, the PIN's grant and the reader connection, and writes manifest lines that are not on disk yet. */
    async close() {
      endReactions()
      people.people.stop()
      await consignments.close()
      await reader.destroy()
    },
  }
}
