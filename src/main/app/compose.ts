import { randomUUID } from 'node:crypto'
import type { appMethods } from '../../shared/app'
import type { Handlers } from '../../shared/bridge'
import { ok, type Result } from '../../shared/result'
import { createAccount } from '../account/account'
import { createVault, type StoredAccount } from '../account/vault'
import { createBatches } from '../batch/batches'
import { createConsignees } from '../consignees/consignees'
import { createConsignments } from '../consignments/consignments'
import { createCustomsHandlers } from '../customs/handlers'
import { createInvoices } from '../customs/invoices'
import { CustomsRepository } from '../customs/repository'
import { createDiscoveryHandlers } from '../discovery/handlers'
import { createFleet } from '../fleet/createFleet'
import { createHotFolderHandlers, HotFolderService } from '../hotFolder/hotFolderService'
import type { SecretMemory, ServerSecret } from '../lib/storedSecret'
import { createNetwork, createNetworkHandlers } from '../network/createNetwork'
import { createOrders } from '../orders/handlers'
import { ImportFolder } from '../orders/importFolder'
import { createPeopleHandlers, People } from '../people/people'
import { createPinNote, wasPinSet } from '../people/repository'
import { createPrinting } from '../printing/printing'
import { createSettingsHandlers } from '../settings/handlers'
import { openSettings, type SettingsStore } from '../settings/settingsStore'
import { fillEmptyGuard } from '../shipments/duplicateGuard'
import { createLabelStore, createShipments } from '../shipments/shipments'
import type { Database, OpenDatabase } from '../storage/database'
import type { DatabaseProcess } from '../storage/databaseChecks'
import type { DatabaseMaintenance } from '../storage/databaseMaintenance'
import { endThread } from '../storage/databaseThread'
import { createReader, type OpenDeps, openDatabase } from '../storage/openDatabase'
import { createTracking } from '../tracking/tracking'
import { createUpdates } from '../updates/createUpdates'
import type { Adapters } from './adapters'
import { reactToChanges } from './reactions'
import { createUpkeep } from './upkeep'

type ComposeAdapters = Adapters & { databaseProcess: DatabaseProcess; secretsInMemory: SecretsInMemory }

/** Secrets that outlive the services: they start again in the same run, e.g. after a restore that failed. */
interface SecretsInMemory {
  account: SecretMemory<StoredAccount>
  fleetPassword: SecretMemory<ServerSecret>
  proxyCredentials: SecretMemory<ServerSecret>
}

/** Creates the memory for the secrets of a station. It holds none yet. */
export function createSecretsInMemory(): SecretsInMemory {
  return { account: { held: null }, fleetPassword: { held: null }, proxyCredentials: { held: null } }
}

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
  opening: Omit<OpenDeps, 'afterMigrations'>,
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
  const people = new People({ ...adapters, settings, pinNote: createPinNote(database, hadPin) })
  const currentOperator = () => people.current()
  const common = { ...adapters, settings, database, reader, newId: randomUUID, currentOperator }
  const allowWeak = () => settings.current().allowWeakStorage
  const vault = createVault({ file: adapters.vaultFile, cipher: adapters.cipher, allowWeak })
  const memory = adapters.secretsInMemory
  const network = createNetwork({ ...common, vault, memory: memory.proxyCredentials })
  const account = createAccount({ ...common, ...network, vault, memory: memory.account })
  const journal = createLabelStore({ ...common, urlCipher: vault })
  const own = { ...common, ...account, ...journal }
  const shared = createFleet({ ...own, vault, memory: memory.fleetPassword })
  const base = { ...own, ...shared }
  const invoices = createInvoices(base)
  const printing = createPrinting({ ...base, invoices })
  const shipments = createShipments({ ...base, ...printing, people })
  const tracking = createTracking(base)
  const consignments = createConsignments(base)
  const customs = new CustomsRepository(database, reader)
  const orders = createOrders({ ...common, ...shared, customs, people })
  const consignees = createConsignees(common)
  const batches = createBatches({ ...base, ...printing, ...shipments, ...orders })

  // Services that run on their own
  const worked = { ...base, ...printing, ...shipments, ...tracking, ...orders, ...consignees, ...batches }
  const importFolder = new ImportFolder({ ...worked, dataFolder: adapters.places.root })
  const hotFolder = new HotFolderService({ ...worked, people, customs })
  const upkeep = createUpkeep({ ...worked, orderFileIssues: hotFolder.issues, care })
  const updates = createUpdates({
    ...worked,
    dispatcher: (timeoutMs) => network.network.dispatcher(timeoutMs),
  })
  const reacting = { ...worked, ...network, ...updates, hotFolder, importFolder }
  const endReactions = reactToChanges(reacting)

  const handlers = {
    ...createSettingsHandlers(base),
    ...account.handlers,
    ...createPeopleHandlers(people),
    ...shipments.handlers,
    ...shared.handlers,
    ...createNetworkHandlers({ ...own, ...network }),
    ...orders.handlers,
    ...createDiscoveryHandlers(common.targetConsent, () => settings.current()),
    ...createHotFolderHandlers(hotFolder, common.desktop.openFolder),
    ...batches.handlers,
    ...consignees.handlers,
    ...printing.handlers,
    ...tracking.handlers,
    ...consignments.handlers,
    ...createCustomsHandlers({ ...base, ...printing, invoices, customs }),
    ...updates.handlers,
  } satisfies Omit<Handlers, keyof typeof appMethods>

  return {
    ...{ ...reacting, ...consignments, people, upkeep, handlers },
    /** Needed only with storage in memory: with a keyring, a change of the setting re-encrypts the secrets at once. */
    async followStorage() {
      if (vault.storage() !== 'memory') return
      shared.fleetPassword.followStorage()
      network.proxyCredentials.followStorage()
      await journal.reencryptLabelUrls()
    },
    /** Ends the reactions and the reader connection, and writes manifest lines that are not on disk yet. */
    async close() {
      endReactions()
      people.stop()
      await consignments.close()
      await reader.destroy()
    },
  }
}
