import { setTimeout as pause } from 'node:timers/promises'
import type { AppStatus, Notice } from '../../shared/app'
import { type AppError, appError, temporaryStartErrors } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { UpdateHold } from '../../shared/updates'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Provisioning } from '../settings/provisioning'
import { readSettingsOrDefaults } from '../settings/settingsStore'
import { databaseMissing, findMissingHistory, type MissingHistoryChoice } from '../shipments/missingHistory'
import { type DatabaseProcess, isDatabaseEmpty, wasNotClosed } from '../storage/databaseChecks'
import { createDatabaseMaintenance } from '../storage/databaseMaintenance'
import { type DatabaseThread, endThread } from '../storage/databaseThread'
import { prepareDataFolder } from '../storage/dataFolder'
import {
  checkInThread,
  closeDatabase,
  databaseDamaged,
  findOlderVersion,
  refusal,
} from '../storage/openDatabase'
import { restoreStation, type StationCopy } from '../storage/stationCopy'
import { type Adapters, createSecretsInMemory } from './adapters'
import type { Services } from './compose'
import { createRunMark, rotateCrashDumps } from './crashes'
import { permitProvisioning } from './demo'
import { createNotice, toBackupNotice } from './notices'
import { openServices } from './openServices'
import { followStorage, reactToChanges } from './reactions'
import { errorStatus, type StatusFacts, settingsNotices, workingStatus } from './status'

export interface LifecycleDeps extends Adapters {
  simulatorUrl: string | null
  /** The operating system's country code as the system reports it; empty when it has none. */
  systemCountry: string
  /** Notices that apply from the start. */
  notices: Notice[]
  /** Checks databases in a separate process. */
  databaseProcess: DatabaseProcess
  /** Thread for the database, started early; it opens the database only after the check. */
  databaseThread?: DatabaseThread
  /** Whether a small database that was closed normally is checked in that thread instead, which is faster. */
  checksInThread?: boolean
  /** How long a start waits for the check of a database of this size, in milliseconds. */
  checkBudgetMs?: (bytes: number) => number
  /** Called when the services have started, at once or after a start error. */
  onStarted(services: Services): Promise<void>
  /** Relaunches the app; set when this process holds no lock on the data folder, which it must not open then. */
  relaunch?: () => void
  /** Called when the services had to stop and a person has to decide. */
  onWorkStopped(): void
  /** Called at each step of a database migration, which may take long; `status` reports the progress. */
  onUpdating?: () => void
}

export type Lifecycle = ReturnType<typeof createLifecycle>

/** Delays before a start is retried after a temporary start error: doubled each time up to `maxMs`. */
const retryDelay = { firstMs: 1000, maxMs: 30_000 }

/**
 * Creates the lifecycle, which starts and stops the services, and holds the start error while they are not running. Opens
 * nothing.
 */
export function createLifecycle(deps: LifecycleDeps) {
  const { bus, log } = deps
  const notices: Notice[] = [...deps.notices]
  let running: Services | undefined
  /** Ends the reactions of the last services that were opened. */
  let endReactions = (): void => undefined
  /** The database thread of a start that has not opened the database yet; the next attempt uses it. */
  let thread = deps.databaseThread
  /** Resolves when the last services have stopped; until then their connection holds the database. */
  let ending = Promise.resolve()
  let stopped = false
  let secretsInMemory = createSecretsInMemory()
  let nextTry: NodeJS.Timeout | undefined
  let tryAfterMs = retryDelay.firstMs
  /** False until provisioning is applied, so that the window does not show the station as not set up. */
  let isReady = false
  let starting: Promise<Result<Services>> | undefined
  const notStarted = appError('startup-failed', { case: 'starting' })
  let startError: AppError = notStarted
  /** Marks the run as active, so that the next start can tell whether this run ended normally. */
  const runMark = createRunMark(deps.places.root)
  /** When the last run started, if it was cut off and not reported yet. */
  let interruptedSince = runMark.findInterruptedRun()
  let hasMarkedRun = false
  const facts = (more: Notice[] = []): StatusFacts => ({
    version: deps.version,
    simulatorUrl: deps.simulatorUrl,
    systemCountry: deps.systemCountry,
    dataFolder: deps.places.root,
    notices: [...notices, ...more],
  })

  const maintenance = createDatabaseMaintenance({ ...deps, onDamage: (reason) => void stopForDamage(reason) })

  function failStart(error: AppError): Result<Services> {
    if (error.message !== startError.message) {
      log.error('the station could not start', { code: error.code, reason: error.message })
    }
    startError = error
    bus.emit('statusOutdated')
    if (temporaryStartErrors.includes(error.code) && !stopped) retryLater()
    return err(error)
  }

  function retryLater(): void {
    clearTimeout(nextTry)
    nextTry = setTimeout(() => {
      if (running === undefined) void start()
    }, tryAfterMs)
    tryAfterMs = Math.min(tryAfterMs * 2, retryDelay.maxMs)
  }

  function reportUpdate(details: Record<string, string>): void {
    startError = appError('database-updating', { path: deps.places.database, ...details })
    bus.emit('statusOutdated')
    deps.onUpdating?.()
  }

  /** The current settings; while no services run those of the settings file, or the defaults when it can't be read. */
  function currentSettings(): Settings {
    return running === undefined ? readSettingsOrDefaults(deps.settingsFile) : running.settings.current()
  }

  /** An error of the data folder comes first: the database's error is often only its consequence. */
  function toStartError(error: unknown): AppError {
    return (
      prepareDataFolder(deps.places) ??
      refusal(deps.places.database, error) ??
      appError('startup-failed', { reason: toReason(error) })
    )
  }

  /** Stops the services when damage is found while they run: nothing may rely on a damaged journal. */
  async function stopForDamage(reason: string): Promise<void> {
    // The check may finish before the start that began it.
    if (running === undefined) await starting
    if (running === undefined) return
    const ended = stopWork()
    failStart(databaseDamaged(deps.places.database, reason))
    deps.onWorkStopped()
    await ended
  }

  function stopWork(): Promise<void> {
    const last = running
    running = undefined
    isReady = false
    return last === undefined ? ending : endServices(last)
  }

  function endServices(services: Services): Promise<void> {
    ending = stopServices(services, endReactions).catch((error: unknown) => {
      log.error('the station did not stop cleanly', { reason: String(error) })
    })
    return ending
  }

  /**
   * Blocks new work and waits for the answers to requests in progress, which a restored copy would not guard against duplicates.
   * @returns `restore-not-now` when work is still open, or that can't be found out
   */
  async function finishRequests(): Promise<Result<undefined>> {
    const last = running
    if (last === undefined) return ok(undefined)
    running = undefined
    isReady = false
    try {
      await last.hotFolder.stop()
      await last.shipping.idle()
      return toRestoreVerdict(await last.findHold())
    } catch (error) {
      return err(appError('restore-not-now', { reason: toReason(error) }))
    } finally {
      running = last
    }
  }

  /** Shows a notice to administrators, until the app ends or the notice is withdrawn. */
  function addNotice(notice: Notice): void {
    // A retried start can fail to copy again.
    if (notices.some(({ message }) => message === notice.message)) return
    log.warn(notice.message, { code: notice.code })
    notices.push(notice)
    bus.emit('statusOutdated')
  }

  /** Reports what a start found of the last run. If that start fails later, its repetition finds nothing more to report. */
  function reportLastRun(notice: Notice): void {
    interruptedSince = undefined
    addNotice(notice)
  }

  /** Withdraws the notices with this code about this file, because their cause has ended. */
  function endNotices(code: Notice['code'], path: string): void {
    const others = notices.filter((notice) => notice.code !== code || notice.details?.path !== path)
    if (others.length === notices.length) return
    notices.splice(0, notices.length, ...others)
    bus.emit('statusOutdated')
  }

  function start(choice?: MissingHistoryChoice): Promise<Result<Services>> {
    return startExclusively(() => open(choice))
  }

  /** Runs one start at a time: a concurrent one would treat the other's requests as left over from an earlier run. */
  function startExclusively(opening: () => Promise<Result<Services>>): Promise<Result<Services>> {
    starting ??= opening()
      .catch((error: unknown) => failStart(toStartError(error)))
      .finally(() => {
        starting = undefined
      })
    return starting
  }

  async function open(choice?: MissingHistoryChoice): Promise<Result<Services>> {
    if (running !== undefined) return ok(running)
    await ending
    const folderError = prepareDataFolder(deps.places)
    if (folderError !== undefined) return failStart(folderError)
    // This process holds no lock on the data folder, so another Packbench may use it: start a new process.
    if (deps.relaunch !== undefined) {
      deps.relaunch()
      return err(startError)
    }
    // During the check: starting the thread takes as long as checking a small database.
    thread ??= deps.createDatabaseThread()
    thread.warmUp()
    const checked = await checkDatabase(choice, thread)
    if (!checked.ok) return failStart(checked.error)
    if (stopped) return err(startError)
    const older = await findOlderVersion(thread, deps.places.database)
    const copied =
      older === undefined
        ? ok(undefined)
        : await maintenance.backUpBeforeUpdate(older, () => reportUpdate({ case: 'copy' }))
    // A stop ends the copy: without it the database must not be migrated.
    if (stopped) return err(startError)
    if (!copied.ok) addNotice(toBackupNotice(copied.error))
    const started = thread
    thread = undefined
    const opened = await openServices(
      { ...deps, databaseProcess: maintenance.databaseProcess, secretsInMemory, maintenance },
      {
        isVerified: checked.value,
        thread: started,
        onMigration: ({ step, steps }) => reportUpdate({ step: String(step), steps: String(steps) }),
      },
    )
    if (!opened.ok) return failStart(await addUsableBackup(opened.error))
    const services = opened.value
    endReactions = reactToChanges(services)
    for (const { code, message } of settingsNotices(services.settings)) log.warn(message, { code })
    try {
      const missing = await findMissingHistory(services, deps, choice)
      if (missing !== undefined) {
        await closeServices(services, endReactions)
        return failStart(missing)
      }
      await startServices(services, interruptedSince, reportLastRun)
      runMark.write(deps.now())
      hasMarkedRun = true
      running = services
    } catch (error) {
      await endServices(services)
      throw error
    }
    // The services run by now: the window must open even if the rest of the start fails.
    try {
      bus.emit('settingsOpened', services.settings.current())
      await deps.onStarted(services)
    } catch (error) {
      addNotice(createNotice('start-incomplete', { reason: toReason(error) }))
    }
    if (running === undefined) return err(startError)
    isReady = true
    startError = notStarted
    clearTimeout(nextTry)
    tryAfterMs = retryDelay.firstMs
    bus.emit('statusOutdated')
    return opened
  }

  /** After a downgrade of the app: names the daily copy that this version can open. */
  async function addUsableBackup(error: AppError): Promise<AppError> {
    if (error.code !== 'database-newer') return error
    const { details = {} } = error
    const backup = await maintenance.findBackupForVersion(Number(details.known))
    return backup === null ? error : appError('database-newer', { ...details, case: 'backup', backup })
  }

  /** @returns whether the database's pages were verified; the reason when it may not be opened */
  async function checkDatabase(
    choice: MissingHistoryChoice | undefined,
    thread: DatabaseThread,
  ): Promise<Result<boolean>> {
    const { database, backups } = deps.places
    if (isDatabaseEmpty(database)) {
      // SQLite deletes the WAL of an empty database, which may hold the only remains of the history.
      if (wasNotClosed(database)) await maintenance.setAside()
      const isReplaceable = choice === undefined && (await maintenance.backups()).length > 0
      return isReplaceable ? err(databaseMissing(database, backups)) : ok(true)
    }
    const checked = await maintenance.checkAtStart(
      deps.checksInThread === true ? (path) => checkInThread(thread, path) : undefined,
    )
    switch (checked.kind) {
      case 'open':
        return ok(checked.verified)
      case 'damaged':
        return err(databaseDamaged(database, checked.reason))
      case 'hold':
        void checked.ended.then(() => (stopped ? undefined : start(choice)))
        return err(appError('database-checking', { path: database }))
    }
  }

  /** Changes files to recover from a start error, then opens the data. A failed change becomes the start error. */
  async function recover(
    change: () => Promise<Result<undefined>>,
    choice: MissingHistoryChoice,
  ): Promise<Result<Services>> {
    await starting
    return startExclusively(async () => {
      if (running !== undefined) return ok(running)
      await ending
      const changed = await change()
      return changed.ok ? open(choice) : changed
    })
  }

  bus.on('windowCrashed', ({ reason }) => {
    log.error('the window crashed and was reloaded', { reason })
    void rotateCrashDumps(deps.places.crashes)
    const others = notices.filter(({ code }) => code !== 'window-failed')
    notices.splice(0, notices.length, ...others, createNotice('window-failed'))
    bus.emit('statusOutdated')
  })

  return {
    /** Opens the data and finishes what an earlier run left open. May be called again after a start error. */
    start: () => start(),
    /** Applies a person's decision about shipments that are in the labels folder but not in the history. */
    recoverHistory: (choice: MissingHistoryChoice) =>
      recover(async () => {
        if (startError.code === 'database-damaged') await maintenance.setAside()
        return ok(undefined)
      }, choice),
    /** Daily copies of the database, newest first. */
    backups: () => maintenance.backups(),
    /** Replaces an unusable database by a copy, and adds the shipments made since from the labels folder. */
    restoreBackup: (name: string) => recover(() => maintenance.restore(name), 'rebuild'),
    /** The running services, or the start error. */
    services: (): Result<Services> => (running === undefined ? err(startError) : ok(running)),
    settings: currentSettings,
    /** Whether labels are only in memory, because the disk does not take them: the end of the app can lose them. */
    holdsLabels: () => running?.shipping.diskError()?.code === 'labels-waiting',
    async status(): Promise<AppStatus> {
      return running === undefined || !isReady
        ? errorStatus(facts(), startError, currentSettings().language)
        : workingStatus(facts(running.upkeep.notices()), running)
    },
    /** Renames an unreadable settings file and starts with default settings. */
    async setAsideSettings(): Promise<Result<Services>> {
      if (running !== undefined || startError.code !== 'settings-invalid') return start()
      try {
        const aside = deps.settingsFile.setAside()
        log.warn('the unreadable settings file was renamed; default settings apply', { aside })
      } catch (error) {
        const { path } = deps.settingsFile
        return err(appError('settings-not-saved', { case: 'not-set-aside', path, reason: toReason(error) }))
      }
      return start()
    },
    /**
     * Replaces this station's data by a copy of a station. The caller must relaunch the app afterwards.
     * @param copy as `findStationCopy` found it in the folder
     * @returns `restore-not-now` while work is open, `backup-unusable` when the copy failed; the station keeps running then
     */
    async restoreStation(folder: string, copy: StationCopy): Promise<Result<undefined>> {
      await starting
      const permitted = toRestoreVerdict(running === undefined ? null : await running.findHold())
      if (!permitted.ok) return permitted
      const outcome: { restored: Result<undefined> } = { restored: err(startError) }
      await startExclusively(async () => {
        const finished = await finishRequests()
        await stopWork()
        if (!finished.ok) {
          outcome.restored = finished
          return open()
        }
        await maintenance.abandonChecks()
        outcome.restored = await restoreStation(deps, folder, copy)
        if (!outcome.restored.ok) return open()
        // The copy may be of another station: its account is asked for again.
        secretsInMemory = createSecretsInMemory()
        return err(startError)
      })
      return outcome.restored
    },
    addNotice,
    endNotices,
    /** Records that a person confirmed the computer's clock. */
    async confirmClock(): Promise<Result<undefined>> {
      if (running === undefined) return err(startError)
      await running.upkeep.confirmClock()
      return ok(undefined)
    },
    /** Applies a validated provisioning file. */
    async provision(provisioning: Provisioning): Promise<Result<undefined>> {
      if (running === undefined) return err(startError)
      const permitted = permitProvisioning(provisioning, deps.simulatorUrl !== null)
      if (!permitted.ok) return permitted
      return applyProvisioning(running, provisioning, addNotice, bus)
    },
    /** To be called when the system ends this run: it may not wait until the station has stopped. */
    noteSystemEnd: () => runMark.remove(),
    /** Finishes the commits in progress and closes the database. */
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(nextTry)
      maintenance.stop()
      if (running === undefined) await starting
      if (thread !== undefined) await endThread(thread)
      await stopWork()
      // The mark of an interrupted run stays until a start has reported it.
      if (hasMarkedRun) runMark.remove()
    },
  }
}

function toRestoreVerdict(hold: UpdateHold | null): Result<undefined> {
  return hold === null ? ok(undefined) : err(appError('restore-not-now', { case: hold }))
}

/** Finishes what an earlier run left open, then starts the services that run on their own. */
async function startServices(
  services: Services,
  interruptedSince: string | undefined,
  reportLastRun: (notice: Notice) => void,
): Promise<void> {
  const { settings, shipping, printing, watch, hotFolder, upkeep } = services
  // A rebuild may have restored it just now.
  if (await services.historyRepository.hasHistory()) settings.expectHistory()
  // Before this run writes rows: they would make a wrong clock look right.
  await upkeep.start()
  const underWay = await services.historyRepository.countUnderWay()
  const { unknownShipments: unknownBefore } = await services.historyRepository.countOpen()
  await services.submissions.recover()
  const recovered = await shipping.recover()
  if (interruptedSince !== undefined) {
    const { unknownShipments } = await services.historyRepository.countOpen()
    const unknown = unknownShipments - unknownBefore
    reportLastRun(endedUnexpectedly(interruptedSince, { ...underWay, unknown }))
  } else if (recovered > 0) {
    reportLastRun(createNotice('recovered-shipments', { count: String(recovered) }))
  }
  await services.fleet.follow()
  await services.orderRecheck.start()
  await hotFolder.issues.start()
  await services.batches.start()
  // Only with storage in memory: with a keyring, a change of the setting encrypts the secrets again at once.
  if (services.vault.storage() === 'memory') await followStorage(services)
  await shipping.resumeLabels()
  await printing.start()
  // Not awaited: a folder or printer on the network may be slow to answer.
  void services.removeLeftovers()
  watch.start()
  await hotFolder.follow(settings.current().hotFolder)
  await services.importFolder.follow(settings.current().orderImport)
  services.consignees.noteSoon()
  services.searchTexts.start()
  void services.updater.start()
  // Last, when the work of the earlier run has its outcome. Not awaited: a removal may take long.
  void upkeep.run()
}

/** Reports the work in progress when the last run was cut off; it now has its outcome or waits for a person. */
function endedUnexpectedly(
  since: string,
  { shipments, jobs, unknown }: { shipments: number; jobs: number; unknown: number },
): Notice {
  const details = {
    since,
    shipments: String(shipments),
    finished: String(shipments - unknown),
    unknown: String(unknown),
    jobs: String(jobs),
  }
  return createNotice('ended-unexpectedly', details)
}

/** How long a shutdown waits for answers before it closes the connections; the whole shutdown may take 3 s. */
const answerGraceMs = 1500

async function stopServices(services: Services, endReactions: () => void): Promise<void> {
  const { shipping, printing, hotFolder, upkeep, bulk, watch } = services
  const ordersStopped = hotFolder.stop()
  const others = [
    upkeep.stop(),
    bulk.stop(),
    watch.stop(),
    ordersStopped,
    printing.stop(),
    services.batches.stop(),
    services.importFolder.stop(),
    services.consignees.stop(),
    services.searchTexts.stop(),
    services.updater.stop(),
  ]
  await Promise.race([
    ordersStopped.then(() => shipping.idle()),
    pause(answerGraceMs, undefined, { ref: false }),
  ])
  await services.carrier.close()
  // In parallel with the others: a printer or folder that hangs must not delay writing answers to disk.
  // Closing the connection ends a claim that waits for a fleet database which does not answer.
  await Promise.allSettled([shipping.stop(), services.fleet.stop(), ...others])
  await closeServices(services, endReactions)
}

/**
 * Ends the reactions and the PIN's grant, writes manifest lines that are not on disk yet and closes both connections to the database;
 * rejects after that if some lines could not be written.
 */
async function closeServices(services: Services, endReactions: () => void): Promise<void> {
  endReactions()
  services.people.stop()
  try {
    await services.closeManifests()
  } finally {
    await services.reader.destroy().finally(() => closeDatabase(services.database))
  }
}

async function applyProvisioning(
  { settings, session, people, fleet, claims, proxyCredentials }: Services,
  provisioning: Provisioning,
  addNotice: (notice: Notice) => void,
  bus: EventBus,
): Promise<Result<undefined>> {
  const { account, settingsChange } = provisioning
  if (settingsChange.fleet !== undefined) {
    const leaving = await claims.mayLeaveFor(settingsChange.fleet)
    if (!leaving.ok) return leaving
  }
  const changed = settings.change({
    ...settingsChange,
    ...(account !== undefined && { allowWeakStorage: account.allowWeakStorage }),
  })
  if (!changed.ok) return changed
  if (account !== undefined) {
    const { baseUrl, user, password } = account
    const provided = session.provision({ baseUrl, user, password })
    if (!provided.ok) return provided
  }
  if (provisioning.pin !== undefined) {
    const set = await people.setPin(provisioning.pin)
    if (!set.ok) return set
  }
  if (provisioning.fleetPassword !== undefined) {
    const kept = await fleet.setPassword(provisioning.fleetPassword)
    if (!kept.ok) return kept
  }
  if (provisioning.proxyCredentials !== undefined) {
    const { place, credentials } = provisioning.proxyCredentials
    const kept = proxyCredentials.keep(place, credentials)
    if (!kept.ok) return kept
  }
  if (provisioning.holdsSecrets) addNotice(createNotice('provisioning-holds-secrets'))
  bus.emit('statusOutdated')
  return ok(undefined)
}
