import { setTimeout as pause } from 'node:timers/promises'
import type { AppStatus, Backup, Notice } from '../../shared/app'
import { type AppError, appError, passingTroubles } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { HotFolderService } from '../hotFolder/hotFolderService'
import type { EventBus } from '../lib/eventBus'
import type { Provisioning } from '../settings/provisioning'
import { databaseMissing, missingHistory, type WayOutOfMissingHistory } from '../shipments/missingHistory'
import { closeDatabase, databaseDamaged, refusal } from '../storage/database'
import { createDatabaseCare, type DatabaseCare } from '../storage/databaseCare'
import { type DatabaseProcess, isDatabaseEmpty, wasNotClosed } from '../storage/databaseChecks'
import { prepareDataFolder } from '../storage/dataFolder'
import { type FeatureDeps, type Features, openFeatures } from './compose'
import { type StationFacts, settingsNotices, troubledStatus, workingStatus } from './status'
import { createUpkeep, type Upkeep } from './upkeep'

export interface StationDeps extends FeatureDeps {
  version: string
  simulatorUrl: string | null
  /** What is to be said from the start. */
  notices: Notice[]
  /** Checks databases in a process of its own. */
  databaseProcess: DatabaseProcess
  /** Longest wait of a start for that check, in milliseconds. */
  checkBudgetMs?: number
  /** The station has started its work, at once or after trouble. */
  onStarted(features: Features): Promise<void>
  /** Starts the app anew; given where this process may not use the data folder. */
  relaunch?: () => void
  /** The station had to stop its work: a person has to decide. */
  onWorkStopped(): void
}

/** A packing station at work, or in trouble that somebody has to fix first. */
export interface Station {
  /** Opens everything and takes up what an earlier run left. May be called again after trouble. */
  start(): Promise<Result<Features>>
  /** The working features; the trouble while there are none. */
  features(): Result<Features>
  status(): Promise<AppStatus>
  /** Puts an unreadable settings file aside and starts with default settings. */
  setAsideSettings(): Promise<Result<Features>>
  /** A person decides about shipments that the labels folder holds and the history does not. */
  recoverHistory(way: WayOutOfMissingHistory): Promise<Result<Features>>
  /** Daily copies of the database, newest first. */
  backups(): Promise<Backup[]>
  /** Puts a copy in the place of a database that can't be used, and fills in what was shipped since. */
  restoreBackup(name: string): Promise<Result<Features>>
  /** A person says that the computer's clock is right. */
  confirmClock(): Promise<Result<undefined>>
  /** Applies a provisioning file that was read and found valid. */
  provision(provisioning: Provisioning): Promise<Result<undefined>>
  /** Finishes the commits under way and closes the database. */
  stop(): Promise<void>
}

interface Work {
  features: Features
  orders: HotFolderService
  upkeep: Upkeep
}

/** Waits between tries to start after trouble that passes: doubled each time, up to the longest one. */
const tries = { firstMs: 1000, maxMs: 30_000 }

/** Makes a station on a data folder. Nothing is opened yet. */
export function createStation(deps: StationDeps): Station {
  const { bus, log } = deps
  const notices: Notice[] = [...deps.notices]
  let work: Work | undefined
  /** The end of the last work: until then its connection holds the database. */
  let ending = Promise.resolve()
  let stopped = false
  let nextTry: NodeJS.Timeout | undefined
  let tryAfterMs = tries.firstMs
  /** Until what was provisioned is applied, the window must not take the station for one that nobody has set up. */
  let isReady = false
  let starting: Promise<Result<Features>> | undefined
  let trouble: AppError = appError('startup-trouble', { case: 'starting' })
  const facts = (more: Notice[] = []): StationFacts => ({
    version: deps.version,
    simulatorUrl: deps.simulatorUrl,
    dataFolder: deps.places.root,
    notices: [...notices, ...more],
  })

  const care = createDatabaseCare({ ...deps, onDamage: (reason) => void stopFor(reason) })

  function troubled(error: AppError): Result<Features> {
    if (error.message !== trouble.message) {
      log.error('the station can not start', { code: error.code, reason: error.message })
    }
    trouble = error
    bus.emit('statusOutdated')
    if (passingTroubles.includes(error.code) && !stopped) retryLater()
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
    troubled(databaseDamaged(deps.places.database, reason))
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

  function start(way?: WayOutOfMissingHistory): Promise<Result<Features>> {
    return alone(() => open(way))
  }

  /** Two starts at once would take each other's requests for leftovers: the second one waits for the first. */
  function alone(opening: () => Promise<Result<Features>>): Promise<Result<Features>> {
    starting ??= opening()
      .catch((error: unknown) => troubled(whyNotStarted(error)))
      .finally(() => {
        starting = undefined
      })
    return starting
  }

  async function open(way?: WayOutOfMissingHistory): Promise<Result<Features>> {
    if (work !== undefined) return ok(work.features)
    await ending
    const folderTrouble = prepareDataFolder(deps.places)
    if (folderTrouble !== undefined) return troubled(folderTrouble)
    const doubt = await doubtAboutDatabase(way)
    if (doubt.kind === 'trouble') return troubled(doubt.error)
    if (stopped) return err(trouble)
    const features = openFeatures(deps, doubt.verified)
    if (!features.ok) return troubled(features.error)
    for (const { code, message } of settingsNotices(features.value.settings)) log.warn(message, { code })
    try {
      const missing = await missingHistory(features.value, deps, way)
      if (missing !== undefined) {
        await closeDatabase(features.value.database)
        return troubled(missing)
      }
      work = await begin(features.value, deps, notices, care)
    } catch (error) {
      await features.value.database.destroy()
      throw error
    }
    bus.emit('settingsChanged', features.value.settings.current())
    await deps.onStarted(features.value)
    if (work === undefined) return err(trouble)
    isReady = true
    clearTimeout(nextTry)
    tryAfterMs = tries.firstMs
    bus.emit('statusOutdated')
    return features
  }

  /** Whether the database may be opened, and whether its pages are checked. */
  async function doubtAboutDatabase(
    way: WayOutOfMissingHistory | undefined,
  ): Promise<{ kind: 'none'; verified: boolean } | { kind: 'trouble'; error: AppError }> {
    const { database, backups } = deps.places
    if (isDatabaseEmpty(database)) {
      // SQLite deletes the log of an empty database, and with it what may be left of the history.
      if (wasNotClosed(database)) await care.setAside()
      const isReplaceable = way === undefined && (await care.backups()).length > 0
      return isReplaceable
        ? { kind: 'trouble', error: databaseMissing(database, backups) }
        : { kind: 'none', verified: true }
    }
    const checked = await care.checkAtStart()
    switch (checked.kind) {
      case 'open':
        return { kind: 'none', verified: checked.verified }
      case 'damaged':
        return { kind: 'trouble', error: databaseDamaged(database, checked.reason) }
      case 'hold':
        void checked.ended.then(() => (stopped ? undefined : start(way)))
        return { kind: 'trouble', error: databaseChecking(database) }
    }
  }

  /** A way out of trouble that changes files; what the disk refuses is reported as trouble. */
  async function outOfTrouble(
    change: () => Promise<Result<undefined>>,
    way: WayOutOfMissingHistory,
  ): Promise<Result<Features>> {
    await starting
    return alone(async () => {
      if (work !== undefined) return ok(work.features)
      await ending
      const changed = await change()
      return changed.ok ? open(way) : changed
    })
  }

  return {
    start: () => start(),
    recoverHistory: (way) =>
      outOfTrouble(async () => {
        if (trouble.code === 'database-damaged') await care.setAside()
        return ok(undefined)
      }, way),
    backups: () => care.backups(),
    restoreBackup: (name) => outOfTrouble(() => care.restore(name), 'rebuild'),
    features: () => (work === undefined ? err(trouble) : ok(work.features)),
    async status() {
      return work === undefined || !isReady
        ? troubledStatus(facts(), trouble)
        : workingStatus(facts(work.upkeep.notices()), work.features, work.orders.status())
    },
    async setAsideSettings() {
      if (work !== undefined || trouble.code !== 'settings-invalid') return start()
      try {
        const aside = deps.settingsFile.setAside()
        log.warn('the settings file was set aside', { aside })
      } catch (error) {
        return err(notSetAside(deps.settingsFile.path, error))
      }
      return start()
    },
    async confirmClock() {
      if (work === undefined) return err(trouble)
      await work.upkeep.confirmClock()
      return ok(undefined)
    },
    async provision(provisioning) {
      if (work === undefined) return err(trouble)
      return applyProvisioning(work.features, provisioning, notices, bus)
    },
    async stop() {
      stopped = true
      clearTimeout(nextTry)
      care.stop()
      if (work === undefined) await starting
      await endWork()
    },
  }
}

/** Takes up what an earlier run left, then starts what works by itself. */
async function begin(
  features: Features,
  deps: StationDeps,
  notices: Notice[],
  care: DatabaseCare,
): Promise<Work> {
  const { settings, shipping, printing, session, watch } = features
  // Before this run writes anything: its rows would speak for a wrong clock.
  const upkeep = createUpkeep({ ...deps, features, care })
  await upkeep.start()
  await features.consignments.recover()
  const recovered = await shipping.recover()
  if (recovered > 0) {
    notices.push({
      code: 'recovered-shipments',
      message: `${recovered} shipment(s) that an earlier run could not finish were finished from the disk.`,
      details: { count: String(recovered) },
    })
  }
  await features.orders.start()
  await features.reencryptLabelUrls()
  await shipping.resumeLabels()
  await printing.start()
  // A folder on the network may be slow to answer, and nothing waits for it.
  void features.removeUnfinishedFiles()
  const orders = new HotFolderService({ ...features, ...deps })
  settings.onChange((changed) => {
    deps.bus.emit('settingsChanged', changed)
    void orders.follow(changed.hotFolder)
  })
  followWatchSettings(features)
  await watch.start()
  session.onChange(() => orders.retry())
  await orders.follow(settings.current().hotFolder)
  // Last: what an earlier run left has its outcome by now. A long removal does not hold up the start.
  void upkeep.run()
  return { features, orders, upkeep }
}

/** A changed interval holds from now on, and in another language what is known is asked for again. */
function followWatchSettings({ settings, watch }: Features): void {
  let before = settings.current()
  settings.onChange((changed) => {
    const { language, tracking } = before
    before = changed
    if (changed.tracking.pollMinutes !== tracking.pollMinutes) watch.reschedule()
    if (changed.language !== language) watch.askSoon()
  })
}

/** A request that is nearly answered gets this long before the line is cut; the app's end may take 3 s in all. */
const patienceMs = 1500

async function end({ features, orders, upkeep }: Work): Promise<void> {
  const { shipping, printing } = features
  const ordersStopped = orders.stop()
  const others = [upkeep.stop(), features.bulk.stop(), features.watch.stop(), ordersStopped, printing.stop()]
  await Promise.race([
    ordersStopped.then(() => shipping.idle()),
    pause(patienceMs, undefined, { ref: false }),
  ])
  await features.closeConnections()
  // Not after the others: a printer or a folder that hangs must not keep answers from the disk.
  await Promise.allSettled([shipping.stop(), ...others])
  await features.consignments.close()
  await closeDatabase(features.database)
}

async function applyProvisioning(
  features: Features,
  provisioning: Provisioning,
  notices: Notice[],
  bus: EventBus,
): Promise<Result<undefined>> {
  const { account, settingsChange } = provisioning
  const changed = features.settings.change({
    ...settingsChange,
    ...(account !== undefined && { allowWeakStorage: account.allowWeakStorage }),
  })
  if (!changed.ok) return changed
  if (account !== undefined) {
    const { baseUrl, user, password } = account
    const provided = features.session.provide({ baseUrl, user, password })
    if (!provided.ok) return provided
  }
  if (provisioning.holdsSecrets) {
    notices.push({
      code: 'provisioning-holds-secrets',
      message:
        'The provisioning file holds the account’s user name or password: keep it from others or remove it.',
    })
  }
  bus.emit('statusOutdated')
  return ok(undefined)
}

function notSetAside(path: string, error: unknown): AppError {
  const reason = error instanceof Error ? error.message : String(error)
  return appError('settings-not-saved', { case: 'not-set-aside', path, reason })
}

function databaseChecking(path: string): AppError {
  return appError('database-checking', { path })
}

function failedStart(error: unknown): AppError {
  const reason = error instanceof Error ? error.message : String(error)
  return appError('startup-trouble', { reason })
}
