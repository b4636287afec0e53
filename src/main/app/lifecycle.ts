import { setTimeout as pause } from 'node:timers/promises'
import type { AppStatus, Backup, Notice } from '../../shared/app'
import { type AppError, appError, passingStartErrors } from '../../shared/errors'
import type { Language } from '../../shared/fields'
import { err, ok, type Result } from '../../shared/result'
import { defaultSettings, type Settings } from '../../shared/settings'
import type { UpdateHold } from '../../shared/updates'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Provisioning } from '../settings/provisioning'
import { createSettingsStore } from '../settings/settingsStore'
import { databaseMissing, findMissingHistory, type MissingHistoryChoice } from '../shipments/missingHistory'
import type { KeptBackup } from '../storage/backups'
import { type DatabaseProcess, isDatabaseEmpty, wasNotClosed } from '../storage/databaseChecks'
import { createDatabaseMaintenance } from '../storage/databaseMaintenance'
import { type DatabaseThread, endThread, startThread } from '../storage/databaseThread'
import { prepareDataFolder } from '../storage/dataFolder'
import {
  checkInThread,
  closeDatabase,
  databaseDamaged,
  findOlderVersion,
  refusal,
} from '../storage/openDatabase'
import { restoreStation } from '../storage/stationCopy'
import type { Adapters } from './adapters'
import { openServices, type Services } from './compose'
import type { RunMark } from './crashes'
import { errorStatus, type StatusFacts, settingsNotices, workingStatus } from './status'

export interface LifecycleDeps extends Adapters {
  simulatorUrl: string | null
  /** The operating system's country, as it gives it; empty when it has none. */
  systemCountry: string
  /** What is to be said from the start. */
  notices: Notice[]
  /** Notes that the station works, so that the next start knows how this run ended. */
  runMark: RunMark
  /** Checks databases in a process of its own. */
  databaseProcess: DatabaseProcess
  /** For the database, started before all else: nothing is opened in it before it was checked. */
  databaseThread?: DatabaseThread
  /** Whether a small database that was closed is checked in its thread instead, which takes less time. */
  checksInThread?: boolean
  /** Longest wait of a start for that check of a database of so many bytes, in milliseconds. */
  checkBudgetMs?: (bytes: number) => number
  /** The station has started its work, at once or after a start error. */
  onStarted(services: Services): Promise<void>
  /** Starts the app anew; given where this process may not use the data folder. */
  relaunch?: () => void
  /** The station had to stop its work: a person has to decide. */
  onWorkStopped(): void
  /** An update changes the database, which may take long: `status` says how far it is. */
  onUpdating?: () => void
}

/** The app at work, or a start error that somebody has to fix first. */
export interface Lifecycle {
  /** Opens everything and takes up what an earlier run left. May be called again after a start error. */
  start(): Promise<Result<Services>>
  /** The services at work; the start error while there are none. */
  services(): Result<Services>
  /** The settings as they are now; the default ones while there are no services. */
  settings(): Settings
  status(): Promise<AppStatus>
  /** Puts an unreadable settings file aside and starts with default settings. */
  setAsideSettings(): Promise<Result<Services>>
  /** A person decides about shipments that the labels folder holds and the history does not. */
  recoverHistory(way: MissingHistoryChoice): Promise<Result<Services>>
  /** Daily copies of the database, newest first. */
  backups(): Promise<Backup[]>
  /** Puts a copy in the place of a database that can't be used, and fills in what was shipped since. */
  restoreBackup(name: string): Promise<Result<Services>>
  /**
   * Puts a copy of a station into the place of this one's data; the app is to be started anew then.
   * @param copy as `findStationCopy` found it in the folder
   * @returns `restore-not-now` while something is open, `backup-unusable` when it could not be done; the station goes on then
   */
  restoreStation(folder: string, copy: KeptBackup): Promise<Result<undefined>>
  /** Something that an administrator should know, until the app ends. */
  addNotice(notice: Notice): void
  /** The window's page crashed, and was opened again. */
  noteWindowCrash(reason: string): void
  /** A person says that the computer's clock is right. */
  confirmClock(): Promise<Result<undefined>>
  /** Applies a provisioning file that was read and found valid. */
  provision(provisioning: Provisioning): Promise<Result<undefined>>
  /** Finishes the commits under way and closes the database. */
  stop(): Promise<void>
}

/** Waits between tries to start after a start error that passes: doubled each time, up to the longest one. */
const tries = { firstMs: 1000, maxMs: 30_000 }

/** Nothing is opened yet. */
export function createLifecycle(deps: LifecycleDeps): Lifecycle {
  const { bus, log } = deps
  const notices: Notice[] = [...deps.notices]
  let work: Services | undefined
  /** That of a start that has not opened the database; the next try takes it. */
  let thread = deps.databaseThread
  /** The end of the last work: until then its connection holds the database. */
  let ending = Promise.resolve()
  let stopped = false
  let nextTry: NodeJS.Timeout | undefined
  let tryAfterMs = tries.firstMs
  /** Until what was provisioned is applied, the window must not take the station for one that nobody has set up. */
  let isReady = false
  let starting: Promise<Result<Services>> | undefined
  const notStarted = appError('startup-failed', { case: 'starting' })
  let startError: AppError = notStarted
  const facts = (more: Notice[] = []): StatusFacts => ({
    version: deps.version,
    simulatorUrl: deps.simulatorUrl,
    systemCountry: deps.systemCountry,
    dataFolder: deps.places.root,
    notices: [...notices, ...more],
  })

  const care = createDatabaseMaintenance({ ...deps, onDamage: (reason) => void stopFor(reason) })

  function failed(error: AppError): Result<Services> {
    if (error.message !== startError.message) {
      log.error('the station can not start', { code: error.code, reason: error.message })
    }
    startError = error
    bus.emit('statusOutdated')
    if (passingStartErrors.includes(error.code) && !stopped) retryLater()
    return err(error)
  }

  function retryLater(): void {
    clearTimeout(nextTry)
    nextTry = setTimeout(() => {
      if (work !== undefined) return
      // Without a lock on the data folder another Packbench may be at work there: begin from the beginning.
      if (deps.relaunch !== undefined && prepareDataFolder(deps.places) === undefined) deps.relaunch()
      else void start()
    }, tryAfterMs)
    tryAfterMs = Math.min(tryAfterMs * 2, tries.maxMs)
  }

  function reportUpdate(details: Record<string, string>): void {
    startError = appError('database-updating', { path: deps.places.database, ...details })
    bus.emit('statusOutdated')
    deps.onUpdating?.()
  }

  /** The language of a station that does not work: that of its settings file, where it can be read. */
  function findLanguage(): Language {
    const opened = createSettingsStore(deps.settingsFile).open()
    return opened.ok ? opened.value.current().language : defaultSettings.language
  }

  /** What the folder says is nearer to the cause than what the database makes of it. */
  function whyNotStarted(error: unknown): AppError {
    return prepareDataFolder(deps.places) ?? refusal(deps.places.database, error) ?? failedStart(error)
  }

  /** Damage was found while the station works: nothing may go on that trusts the journal. */
  async function stopFor(reason: string): Promise<void> {
    // The check may end while the start that it belongs to has not ended.
    if (work === undefined) await starting
    if (work === undefined) return
    const ended = endWork()
    failed(databaseDamaged(deps.places.database, reason))
    deps.onWorkStopped()
    await ended
  }

  function endWork(): Promise<void> {
    const last = work
    work = undefined
    isReady = false
    if (last !== undefined) {
      ending = end(last).catch((error: unknown) => {
        log.error('the station did not end in good order', { reason: String(error) })
      })
    }
    return ending
  }

  /**
   * Lets nothing new begin, and waits for the answers to what was begun: a copy would not guard it.
   * @returns what is open even so; null for nothing
   */
  async function finishBegun(): Promise<UpdateHold | null> {
    const last = work
    if (last === undefined) return null
    work = undefined
    isReady = false
    try {
      await last.hotFolder.stop()
      await last.shipping.idle()
      return await last.findHold()
    } finally {
      work = last
    }
  }

  function addNotice(notice: Notice): void {
    log.warn(notice.message, { code: notice.code })
    notices.push(notice)
    bus.emit('statusOutdated')
  }

  function start(way?: MissingHistoryChoice): Promise<Result<Services>> {
    return alone(() => open(way))
  }

  /** Two starts at once would take each other's requests for leftovers: the second one waits for the first. */
  function alone(opening: () => Promise<Result<Services>>): Promise<Result<Services>> {
    starting ??= opening()
      .catch((error: unknown) => failed(whyNotStarted(error)))
      .finally(() => {
        starting = undefined
      })
    return starting
  }

  async function open(way?: MissingHistoryChoice): Promise<Result<Services>> {
    if (work !== undefined) return ok(work)
    await ending
    const folderError = prepareDataFolder(deps.places)
    if (folderError !== undefined) return failed(folderError)
    // While it is checked: to start them takes as long as the check of a small database.
    thread ??= startThread(deps.databaseWorker)
    const checked = await checkDatabase(way, thread)
    if (checked.kind === 'error') return failed(checked.error)
    if (stopped) return err(startError)
    const older = await findOlderVersion(thread, deps.places.database)
    if (older !== undefined) await care.backUpBeforeUpdate(older, () => reportUpdate({ case: 'copy' }))
    const started = thread
    thread = undefined
    const opened = await openServices(deps, care, {
      isVerified: checked.verified,
      thread: started,
      onMigration: ({ step, steps }) => reportUpdate({ step: String(step), steps: String(steps) }),
    })
    if (!opened.ok) return failed(await withWayBack(opened.error))
    const services = opened.value
    for (const { code, message } of settingsNotices(services.settings)) log.warn(message, { code })
    try {
      const missing = await findMissingHistory(services, deps, way)
      if (missing !== undefined) {
        await services.close()
        await closeDatabase(services.database)
        return failed(missing)
      }
      await begin(services, notices, deps.runMark.findCutOff())
      deps.runMark.write(deps.now())
      work = services
    } catch (error) {
      await Promise.allSettled([services.close()])
      await services.database.destroy()
      throw error
    }
    // The station is at work by now: its window must be let in, whatever the rest of the start meets.
    try {
      bus.emit('settingsOpened', services.settings.current())
      await deps.onStarted(services)
    } catch (error) {
      addNotice(startIncomplete(toReason(error)))
    }
    if (work === undefined) return err(startError)
    isReady = true
    startError = notStarted
    clearTimeout(nextTry)
    tryAfterMs = tries.firstMs
    bus.emit('statusOutdated')
    return opened
  }

  /** After a return to an older version: names the copy that it can use. */
  async function withWayBack(error: AppError): Promise<AppError> {
    if (error.code !== 'database-newer') return error
    const { details = {} } = error
    const backup = await care.findBackupForVersion(Number(details.known))
    return backup === null ? error : appError('database-newer', { ...details, case: 'backup', backup })
  }

  /** Whether the database may be opened, and whether its pages are checked. */
  async function checkDatabase(
    way: MissingHistoryChoice | undefined,
    thread: DatabaseThread,
  ): Promise<{ kind: 'none'; verified: boolean } | { kind: 'error'; error: AppError }> {
    const { database, backups } = deps.places
    if (isDatabaseEmpty(database)) {
      // SQLite deletes the log of an empty database, and with it what may be left of the history.
      if (wasNotClosed(database)) await care.setAside()
      const isReplaceable = way === undefined && (await care.backups()).length > 0
      return isReplaceable
        ? { kind: 'error', error: databaseMissing(database, backups) }
        : { kind: 'none', verified: true }
    }
    const checked = await care.checkAtStart(
      deps.checksInThread === true ? (path) => checkInThread(thread, path) : undefined,
    )
    switch (checked.kind) {
      case 'open':
        return { kind: 'none', verified: checked.verified }
      case 'damaged':
        return { kind: 'error', error: databaseDamaged(database, checked.reason) }
      case 'hold':
        void checked.ended.then(() => (stopped ? undefined : start(way)))
        return { kind: 'error', error: databaseChecking(database) }
    }
  }

  /** A way out of a start error that changes files; what the disk refuses is reported as one. */
  async function withoutAlert(
    change: () => Promise<Result<undefined>>,
    way: MissingHistoryChoice,
  ): Promise<Result<Services>> {
    await starting
    return alone(async () => {
      if (work !== undefined) return ok(work)
      await ending
      const changed = await change()
      return changed.ok ? open(way) : changed
    })
  }

  return {
    start: () => start(),
    recoverHistory: (way) =>
      withoutAlert(async () => {
        if (startError.code === 'database-damaged') await care.setAside()
        return ok(undefined)
      }, way),
    backups: () => care.backups(),
    restoreBackup: (name) => withoutAlert(() => care.restore(name), 'rebuild'),
    services: () => (work === undefined ? err(startError) : ok(work)),
    settings: () => work?.settings.current() ?? defaultSettings,
    async status() {
      return work === undefined || !isReady
        ? { ...errorStatus(facts(), startError), language: findLanguage() }
        : workingStatus(facts(work.upkeep.notices()), work)
    },
    async setAsideSettings() {
      if (work !== undefined || startError.code !== 'settings-invalid') return start()
      try {
        const aside = deps.settingsFile.setAside()
        log.warn('the settings file was set aside', { aside })
      } catch (error) {
        return err(notSetAside(deps.settingsFile.path, error))
      }
      return start()
    },
    async restoreStation(folder, copy) {
      await starting
      const hold = work === undefined ? null : await work.findHold()
      if (hold !== null) return err(appError('restore-not-now', { case: hold }))
      const outcome: { restored: Result<undefined> } = { restored: err(startError) }
      await alone(async () => {
        const begun = await finishBegun()
        await endWork()
        if (begun !== null) {
          outcome.restored = err(appError('restore-not-now', { case: begun }))
          return open()
        }
        care.abandonChecks()
        outcome.restored = await restoreStation(deps, folder, copy)
        return outcome.restored.ok ? err(startError) : open()
      })
      return outcome.restored
    },
    addNotice,
    noteWindowCrash(reason) {
      log.error('the window failed and was opened again', { reason })
      const others = notices.filter(({ code }) => code !== 'window-failed')
      notices.splice(0, notices.length, ...others, windowFailed)
      bus.emit('statusOutdated')
    },
    async confirmClock() {
      if (work === undefined) return err(startError)
      await work.upkeep.confirmClock()
      return ok(undefined)
    },
    async provision(provisioning) {
      if (work === undefined) return err(startError)
      return applyProvisioning(work, provisioning, notices, bus)
    },
    async stop() {
      stopped = true
      clearTimeout(nextTry)
      care.stop()
      if (work === undefined) await starting
      if (thread !== undefined) await endThread(thread)
      await endWork()
      deps.runMark.remove()
    },
  }
}

/** Takes up what an earlier run left, then starts what works by itself. */
async function begin(services: Services, notices: Notice[], cutOffSince: string | undefined): Promise<void> {
  const { settings, shipping, printing, watch, hotFolder, upkeep } = services
  // Before this run writes anything: its rows would speak for a wrong clock.
  await upkeep.start()
  const underWay = await services.past.countUnderWay()
  const { unknownShipments: unknownBefore } = await services.past.countOpen()
  await services.submissions.recover()
  const recovered = await shipping.recover()
  if (cutOffSince !== undefined) {
    const { unknownShipments } = await services.past.countOpen()
    const unknown = unknownShipments - unknownBefore
    notices.push(endedUnexpectedly(cutOffSince, { ...underWay, unknown }))
  } else if (recovered > 0) {
    notices.push({
      code: 'recovered-shipments',
      message: `${recovered} shipment(s) that an earlier run could not finish were finished from the disk.`,
      details: { count: String(recovered) },
    })
  }
  void services.fleet.follow()
  await services.orderRecheck.start()
  await hotFolder.issues.start()
  await services.batches.start()
  await services.followStorage()
  await shipping.resumeLabels()
  await printing.start()
  // A folder or a printer on the network may be slow to answer, and nothing waits for it.
  void services.removeLeftovers()
  watch.start()
  await hotFolder.follow(settings.current().hotFolder)
  await services.importFolder.follow(settings.current().orderImport)
  services.consignees.noteSoon()
  services.searchTexts.start()
  void services.updater.start()
  // Last: what an earlier run left has its outcome by now. A long removal does not hold up the start.
  void upkeep.run()
}

const windowFailed: Notice = {
  code: 'window-failed',
  message: 'The window failed and was opened again. What was typed on Ship is back; nothing was sent twice.',
}

function startIncomplete(reason: string): Notice {
  const message = `The station works, but its start was not finished: ${reason}. What was provisioned may not be applied. Start Packbench again.`
  return { code: 'start-incomplete', message, details: { reason } }
}

/** What a run that was cut off had under way; everything of it has its outcome by now, or waits for a person. */
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
  const message = `The last run (since ${since}) did not end in good order: ${shipments} shipment(s) were being created (${details.finished} ended from what was on the disk, ${details.unknown} of unknown outcome) and ${jobs} label(s) were being printed. Nothing was sent again.`
  return { code: 'ended-unexpectedly', message, details }
}

/** A request that is nearly answered gets this long before the line is cut; the app's end may take 3 s in all. */
const patienceMs = 1500

async function end(services: Services): Promise<void> {
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
    pause(patienceMs, undefined, { ref: false }),
  ])
  await services.carrier.close()
  // Not after the others: a printer or a folder that hangs must not keep answers from the disk.
  // A claim that waits for a database which does not answer ends with its connection.
  await Promise.allSettled([shipping.stop(), services.fleet.stop(), ...others])
  await services.close()
  await closeDatabase(services.database)
}

async function applyProvisioning(
  { settings, session, people, fleet, claims, proxyCredentials }: Services,
  provisioning: Provisioning,
  notices: Notice[],
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
  if (provisioning.holdsSecrets) {
    notices.push({
      code: 'provisioning-holds-secrets',
      message:
        'The provisioning file holds the account’s user name, a password or the PIN: keep it from others or remove it.',
    })
  }
  bus.emit('statusOutdated')
  return ok(undefined)
}

function notSetAside(path: string, error: unknown): AppError {
  const reason = toReason(error)
  return appError('settings-not-saved', { case: 'not-set-aside', path, reason })
}

function databaseChecking(path: string): AppError {
  return appError('database-checking', { path })
}

function failedStart(error: unknown): AppError {
  const reason = toReason(error)
  return appError('startup-failed', { reason })
}
