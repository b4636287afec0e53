import { randomUUID } from 'node:crypto'
import type { appMethods } from '../../shared/app'
import type { Handlers } from '../../shared/bridge'
import { ok, type Result } from '../../shared/result'
import { createAccount } from '../account/account'
import { createVault } from '../account/vault'
import { createBatches } from '../batch/createBatches'
import { createConsignees } from '../consignees/handlers'
import { createConsignments } from '../consignments/consignments'
import { createCustomsHandlers } from '../customs/handlers'
import { createInvoices } from '../customs/invoices'
import { createDiscoveryHandlers } from '../discovery/handlers'
import { createFleet } from '../fleet/createFleet'
import { createHotFolderHandlers, HotFolderService } from '../hotFolder/hotFolderService'
import { ImportFolder } from '../importFolder/importFolder'
import { createNetwork, createNetworkHandlers } from '../network/createNetwork'
import { createOrders } from '../orders/handlers'
import { createPeopleHandlers } from '../people/handlers'
import { People } from '../people/people'
import { createPinNote, wasPinSet } from '../people/repository'
import { createPrinting } from '../printing/printing'
import { createSettingsHandlers } from '../settings/handlers'
import { createSettingsStore, type SettingsStore } from '../settings/settingsStore'
import { fillEmptyGuard } from '../shipments/duplicateGuard'
import { createLabelStore, createShipments } from '../shipments/shipments'
import { type Database, openDatabase, openReader, startThread } from '../storage/database'
import type { DatabaseCare } from '../storage/databaseCare'
import type { DatabaseProcess } from '../storage/databaseChecks'
import type { MigrationProgress } from '../storage/databaseWorker'
import { type DatabaseThread, endThread } from '../storage/workerDialect'
import { createTracking } from '../tracking/tracking'
import { createUpdates } from '../updates/createUpdates'
import type { Adapters } from './adapters'
import { reactToChanges } from './reactions'
import { createUpkeep } from './upkeep'

type ComposeAdapters = Adapters & { databaseProcess: DatabaseProcess }

/** Everything that works on an open database. */
export type Services = ReturnType<typeof compose>

/** The station's connections: one writes, the other reads for lists and searches. */
export type DatabaseThreads = Record<'writer' | 'reader', DatabaseThread>

/** They start at once and open nothing yet; `onMigration` is called before each step that brings an older database to this version. */
export function startThreads(
  script: URL,
  onMigration?: (progress: MigrationProgress) => void,
): DatabaseThreads {
  return { writer: startThread(script, onMigration), reader: startThread(script) }
}

/** Ends threads that have no connection. */
export async function endThreads({ writer, reader }: DatabaseThreads): Promise<void> {
  await Promise.all([endThread(writer), endThread(reader)])
}

/**
 * Opens the settings and the database and constructs the services on top of them. Nothing works by itself yet.
 * @param isVerified whether the pages of the database are checked elsewhere
 * @param threads for the database; they are ended when it is not opened
 * @returns the error that keeps the app from working; no file was changed then
 */
export async function openServices(
  adapters: ComposeAdapters,
  care: Pick<DatabaseCare, 'backUp'>,
  isVerified: boolean,
  threads: DatabaseThreads,
): Promise<Result<Services>> {
  const settings = createSettingsStore(adapters.settingsFile).open()
  if (!settings.ok) {
    await endThreads(threads)
    return settings
  }
  let hadPin = false
  const database = await openDatabase(adapters.places.database, {
    script: adapters.databaseWorker,
    thread: threads.writer,
    isVerified,
    async afterMigrations(opened) {
      await fillEmptyGuard(opened)
      hadPin = await wasPinSet(opened)
    },
  })
  if (!database.ok) {
    await endThread(threads.reader)
    return database
  }
  const reader = await openReader(adapters.places.database, threads.reader)
  if (!reader.ok) {
    await database.value.destroy()
    return reader
  }
  const opened = { database: database.value, reader: reader.value }
  return ok(compose(adapters, care, settings.value, opened, hadPin))
}

/** Constructs every service, each after those that it needs. */
function compose(
  adapters: ComposeAdapters,
  care: Pick<DatabaseCare, 'backUp'>,
  settings: SettingsStore,
  { database, reader }: { database: Database; reader: Database },
  hadPin: boolean,
) {
  const people = new People({ ...adapters, settings, pinNote: createPinNote(database, hadPin) })
  const currentOperator = () => people.current()
  const common = { ...adapters, settings, database, newId: randomUUID, currentOperator }
  const allowWeak = () => settings.current().allowWeakStorage
  const vault = createVault({ file: adapters.vaultFile, cipher: adapters.cipher, allowWeak })
  const network = createNetwork({ ...common, vault })
  const { handlers: accountHandlers, ...account } = createAccount({ ...common, ...network, vault })
  const { reencryptLabelUrls, ...journal } = createLabelStore({ ...common, reader, urlCipher: vault })
  const own = { ...common, ...account, ...journal }
  const { handlers: fleetHandlers, ...shared } = createFleet({ ...own, vault })
  const base = { ...own, ...shared }
  const invoices = createInvoices(base)
  const { handlers: printingHandlers, ...printing } = createPrinting({ ...base, invoices })
  const withClaims = { ...base, ...printing, people }
  const { handlers: shipmentHandlers, ...shipments } = createShipments(withClaims)
  const { handlers: trackingHandlers, ...tracking } = createTracking({ ...base, reader })
  const { handlers: consignmentHandlers, ...consignments } = createConsignments(base)
  const { handlers: orderHandlers, ...orders } = createOrders({
    ...{ ...common, reader, sharing: shared.sharedOrders },
  })
  const { handlers: consigneeHandlers, consignees } = createConsignees(common)
  const { handlers: batchHandlers, batches } = createBatches({
    ...{ ...base, ...printing, ...shipments, ...orders },
    sharing: shared.sharedOrders,
  })

  // What works by itself
  const importFolder = new ImportFolder({ ...common, ...orders, dataFolder: adapters.places.root })
  const hotFolder = new HotFolderService({ ...base, ...shipments, ...printing, ...orders, people })
  const upkeep = createUpkeep({
    ...base,
    ...tracking,
    ...orders,
    batches,
    consignees,
    orderFileIssues: hotFolder.issues,
    care,
  })
  const {
    handlers: updateHandlers,
    updater,
    findHold,
  } = createUpdates({
    ...base,
    ...shipments,
    batches,
    dispatcher: (timeoutMs) => network.network.dispatcher(timeoutMs),
  })
  const endReactions = reactToChanges({
    ...base,
    ...shipments,
    ...tracking,
    ...orders,
    consignees,
    hotFolder,
    importFolder,
    ...shared,
    ...network,
    updater,
    reencryptLabelUrls,
  })

  const handlers = {
    ...createSettingsHandlers({ ...common, ...shared }),
    ...accountHandlers,
    ...createPeopleHandlers(people),
    ...shipmentHandlers,
    ...fleetHandlers,
    ...createNetworkHandlers({
      ...{ ...common, ...network },
      account: () => ({ state: account.session.status().state, baseUrl: account.session.baseUrl() }),
      askService: () => account.session.test(),
    }),
    ...orderHandlers,
    ...createDiscoveryHandlers(common.targetConsent, () => settings.current()),
    ...createHotFolderHandlers(hotFolder, common.desktop.openFolder),
    ...batchHandlers,
    ...consigneeHandlers,
    ...printingHandlers,
    ...trackingHandlers,
    ...consignmentHandlers,
    ...createCustomsHandlers({ ...base, ...printing, invoices }),
    ...updateHandlers,
  } satisfies Omit<Handlers, keyof typeof appMethods>

  return {
    permit: people.permit.bind(people),
    ...{
      handlers,
      settings,
      people,
      database,
      ...orders,
      batches,
      importFolder,
      consignees,
      hotFolder,
      upkeep,
    },
    ...{ updater, findHold },
    ...{
      ...account,
      ...network,
      ...journal,
      ...shared,
      ...shipments,
      ...printing,
      ...tracking,
      ...consignments,
    },
    /** With a keyring secrets are encrypted well, unless the setting changed, and then it was done at once. */
    async followStorage() {
      if (vault.storage() !== 'memory') return
      shared.fleetPassword.followStorage()
      network.proxyCredentials.followStorage()
      await reencryptLabelUrls()
    },
    closeConnections: () => account.carrier.close(),
    /** Writes the manifests' lines that are not on the disk yet; nothing reacts to a change or reads a list any more. */
    async close() {
      endReactions()
      people.stop()
      await consignments.close()
      await reader.destroy()
    },
  }
}
