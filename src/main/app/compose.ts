import { randomUUID } from 'node:crypto'
import type { appMethods } from '../../shared/app'
import type { Handlers } from '../../shared/bridge'
import { ok, type Result } from '../../shared/result'
import { createAccount } from '../account/account'
import { createBatches } from '../batch/createBatches'
import { createConsignees } from '../consignees/handlers'
import { createConsignments } from '../consignments/consignments'
import { createCustomsHandlers } from '../customs/handlers'
import { createInvoices } from '../customs/invoices'
import { createDiscoveryHandlers } from '../discovery/handlers'
import { createFleet } from '../fleet/createFleet'
import { createHotFolderHandlers } from '../hotFolder/handlers'
import { HotFolderService } from '../hotFolder/hotFolderService'
import { ImportFolder } from '../importFolder/importFolder'
import { createOrders } from '../orders/handlers'
import { createPeopleHandlers } from '../people/handlers'
import { People } from '../people/people'
import { createPinNote, wasPinSet } from '../people/repository'
import { createPrinting } from '../printing/printing'
import { createSettingsHandlers } from '../settings/handlers'
import { createSettingsStore, type SettingsStore } from '../settings/settingsStore'
import { fillEmptyGuard } from '../shipments/duplicateGuard'
import { createLabelStore, createShipments } from '../shipments/shipments'
import { type Database, openDatabase } from '../storage/database'
import type { DatabaseCare } from '../storage/databaseCare'
import { createTracking } from '../tracking/tracking'
import type { Adapters } from './adapters'
import { reactToChanges } from './reactions'
import { createUpkeep } from './upkeep'

/** Everything that works on an open database. */
export type Services = ReturnType<typeof compose>

/**
 * Opens the settings and the database and constructs the services on top of them. Nothing works by itself yet.
 * @param isVerified whether the pages of the database are checked elsewhere
 * @returns the error that keeps the app from working; no file was changed then
 */
export function openServices(
  adapters: Adapters,
  care: Pick<DatabaseCare, 'backUp'>,
  isVerified: boolean,
): Result<Services> {
  const settings = createSettingsStore(adapters.settingsFile).open()
  if (!settings.ok) return settings
  let hadPin = false
  const database = openDatabase(adapters.places.database, {
    isVerified,
    afterMigrations(connection) {
      fillEmptyGuard(connection)
      hadPin = wasPinSet(connection)
    },
  })
  if (!database.ok) return database
  return ok(compose(adapters, care, settings.value, database.value, hadPin))
}

/** Constructs every service, each after those that it needs. */
function compose(
  adapters: Adapters,
  care: Pick<DatabaseCare, 'backUp'>,
  settings: SettingsStore,
  database: Database,
  hadPin: boolean,
) {
  const people = new People({ ...adapters, settings, pinNote: createPinNote(database, hadPin) })
  const currentOperator = () => people.current()
  const common = { ...adapters, settings, database, newId: randomUUID, currentOperator }
  const { handlers: accountHandlers, vault, ...account } = createAccount(common)
  const { reencryptLabelUrls, ...journal } = createLabelStore({ ...common, urlCipher: vault })
  const base = { ...common, ...account, ...journal }
  const invoices = createInvoices(base)
  const { handlers: printingHandlers, ...printing } = createPrinting({ ...base, invoices })
  const { handlers: fleetHandlers, ...shared } = createFleet({ ...base, vault })
  const withClaims = { ...base, ...printing, people, claims: shared.fleet }
  const { handlers: shipmentHandlers, ...shipments } = createShipments(withClaims)
  const { handlers: trackingHandlers, ...tracking } = createTracking(base)
  const { handlers: consignmentHandlers, ...consignments } = createConsignments(base)
  const { handlers: orderHandlers, orders } = createOrders(common)
  const { handlers: consigneeHandlers, consignees } = createConsignees(common)
  const { handlers: batchHandlers, batches } = createBatches({ ...base, ...printing, ...shipments, orders })

  // What works by itself
  const importFolder = new ImportFolder({ ...common, orders, dataFolder: adapters.places.root })
  const hotFolder = new HotFolderService({ ...base, ...shipments, ...printing, orders, people })
  const upkeep = createUpkeep({
    ...base,
    ...tracking,
    orders,
    batches,
    consignees,
    orderFileIssues: hotFolder.issues,
    care,
  })
  const endReactions = reactToChanges({
    ...base,
    ...tracking,
    orders,
    consignees,
    hotFolder,
    importFolder,
    ...shared,
    reencryptLabelUrls,
  })

  const handlers = {
    ...createSettingsHandlers({ ...common, ...shared }),
    ...accountHandlers,
    ...createPeopleHandlers(people),
    ...shipmentHandlers,
    ...fleetHandlers,
    ...orderHandlers,
    ...createDiscoveryHandlers(common.targetConsent, () => settings.current()),
    ...createHotFolderHandlers({ hotFolder, openFolder: common.desktop.openFolder }),
    ...batchHandlers,
    ...consigneeHandlers,
    ...printingHandlers,
    ...trackingHandlers,
    ...consignmentHandlers,
    ...createCustomsHandlers({ ...base, ...printing, invoices }),
  } satisfies Omit<Handlers, keyof typeof appMethods>

  return {
    permit: people.permit.bind(people),
    ...{ handlers, settings, people, database, orders, batches, importFolder, consignees, hotFolder, upkeep },
    ...{ ...account, ...journal, ...shared, ...shipments, ...printing, ...tracking, ...consignments },
    // With a keyring they are encrypted well, unless the setting changed, and then it was done at once.
    reencryptLabelUrls: () => (vault.storage() === 'memory' ? reencryptLabelUrls() : Promise.resolve()),
    closeConnections: () => account.carrier.close(),
    /** Writes the manifests' lines that are not on the disk yet; nothing reacts to a change any more. */
    async close() {
      endReactions()
      people.stop()
      await consignments.close()
    },
  }
}
