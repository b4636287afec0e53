import { ok, type Result } from '../../shared/result'
import { wasPinSet } from '../people/repository'
import { openSettings } from '../settings/settingsStore'
import { fillEmptyGuard } from '../shipments/duplicateGuard'
import { endThread } from '../storage/databaseThread'
import { createReader, type OpenDeps, openDatabase } from '../storage/openDatabase'
import type { ComposeAdapters } from './adapters'
import { compose, type Services } from './compose'

/**
 * Opens the settings and the database and composes the services on top of them. Starts none of them.
 * @param opening its thread is ended when the database can't be opened
 * @returns the error that keeps the app from starting; no file was changed then
 */
export async function openServices(
  adapters: ComposeAdapters,
  opening: Omit<OpenDeps, 'afterMigrations'>,
): Promise<Result<Services>> {
  const settings = openSettings(adapters.settingsFile, adapters.bus)
  if (!settings.ok) {
    await endThread(opening.thread)
    return settings
  }
  let hadPin = false
  const { database: path } = adapters.places
  const database = await openDatabase(path, {
    ...opening,
    async afterMigrations(migrated) {
      await fillEmptyGuard(migrated)
      hadPin = await wasPinSet(migrated)
    },
  })
  if (!database.ok) return database
  const reader = await createReader(path, adapters.createDatabaseThread())
  return ok(compose({ ...adapters, settings: settings.value, database: database.value, reader, hadPin }))
}
