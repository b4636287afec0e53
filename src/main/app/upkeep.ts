import { uptime } from 'node:os'
import { resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Notice } from '../../shared/app'
import { type AppError, appError } from '../../shared/errors'
import type { Batches } from '../batch/batches'
import type { Consignees } from '../consignees/consignees'
import type { Manifests } from '../consignments/manifests'
import type { CustomsRepository } from '../customs/repository'
import type { Fleet } from '../fleet/fleet'
import type { LabelCopyRepository } from '../fleet/labelCopyRepository'
import type { OrderFileIssues } from '../hotFolder/issues'
import type { EventBus } from '../lib/eventBus'
import { dayMs } from '../lib/localDay'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { Orders } from '../orders/orders'
import type { SettingsStore } from '../settings/settingsStore'
import type { ShipmentRepository } from '../shipments/repository'
import { maxDailyRemovals, removeOldShipments } from '../shipments/retention'
import type { RetentionRepository } from '../shipments/retentionRepository'
import type { ShipmentFiles } from '../shipments/shipmentFiles'
import type { Database } from '../storage/database'
import type { DatabaseProcess } from '../storage/databaseChecks'
import type { DatabaseMaintenance } from '../storage/databaseMaintenance'
import type { DataFolder } from '../storage/dataFolder'
import { copyStation, removeCutOffRestores } from '../storage/stationCopy'
import type { ParcelRepository } from '../tracking/repository'
import { acceptClock, type ClockReading, type ClockState, judgeClock } from './clock'
import { createClockRepository } from './clockRepository'
import { createNotice, toBackupNotice } from './notices'

/** Interval at which the clock is checked and due tasks run. */
const checkIntervalMs = 10 * 60 * 1000

/** Interval at which a trusted clock is stored. */
const clockWriteMs = 60 * 60 * 1000

export interface UpkeepDeps {
  database: Database
  shipmentRepository: Pick<ShipmentRepository, 'count'>
  retention: RetentionRepository
  files: ShipmentFiles
  fleet: Pick<Fleet, 'applyRetention'>
  labelCopies: Pick<LabelCopyRepository, 'removeBefore'>
  parcels: Pick<ParcelRepository, 'forgetLookups'>
  orders: Pick<Orders, 'forgetClosed'>
  batches: Pick<Batches, 'forgetEnded'>
  consignees: Pick<Consignees, 'forgetBefore'>
  manifests: Pick<Manifests, 'forgetBefore'>
  customs: Pick<CustomsRepository, 'getLastInvoiceNumber'>
  orderFileIssues: Pick<OrderFileIssues, 'forgetClosed'>
  settings: Pick<SettingsStore, 'current'>
  maintenance: Pick<DatabaseMaintenance, 'backUp' | 'rotateBackups'>
  places: DataFolder
  databaseProcess: DatabaseProcess
  log: Log
  now: () => Date
  bus: EventBus
}

/**
 * Creates the daily maintenance, which removes old data and makes backups. Nothing is removed while the clock is implausible.
 * Does nothing before `start`.
 */
export function createUpkeep(deps: UpkeepDeps) {
  const { shipmentRepository, retention, files, settings, log, now } = deps
  const clocks = createClockRepository(deps.database)
  let clock: ClockState | undefined
  let stored: ClockState | undefined
  /** When the clock was last read, by clocks that nobody sets. */
  let clockReadAt: { runningMs: number; sinceBootMs: number } | undefined
  /** When this run of the app last removed what no daily limit protects. */
  let removedRecordsAt: Date | undefined
  /** Whether the fleet still waits for the day's removal: the station may join long after its start. */
  let isFleetDue = false
  let backedUpAt: Date | undefined
  let backingUp = Promise.resolve()
  /** The copy of the station in progress; it may never end when its share does not answer. */
  let copying: { folder: string; since: Date } | undefined
  /** The last copy of the station, and whether it removed old copies and labels. */
  let copied: { folder: string; at: Date; removedOld: boolean } | undefined
  /** Why the last copy of the database, or of the station, could not be made. */
  const failures = new Map<'database' | 'station', AppError>()
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  const stopping = new AbortController()

  async function readClock(): Promise<ClockReading> {
    // On Linux the former stops while the computer sleeps.
    const at = { runningMs: performance.now(), sinceBootMs: uptime() * 1000 }
    const last = clockReadAt ?? at
    clockReadAt = at
    return {
      now: now(),
      ranMs: at.runningMs - last.runningMs,
      passedMs: at.sinceBootMs - last.sinceBootMs,
      newest: await clocks.newest(),
    }
  }

  async function storeState(state: ClockState): Promise<void> {
    const wasUncertain = clock?.trial ?? null
    clock = state
    if (stored === undefined || isWorthStoring(state, stored)) {
      await clocks.write(state)
      stored = state
    }
    if ((wasUncertain === null) === (state.trial === null)) return
    if (state.trial === null) log.info('the clock is plausible again; old shipments are removed when due')
    else {
      log.warn('the clock is implausible; old shipments are kept', {
        now: state.trial.seenAt,
        lastKnown: state.trustedAt,
      })
    }
    deps.bus.emit('statusOutdated')
  }

  async function checkClock(): Promise<ClockState> {
    const known = clock ?? (await clocks.read())
    const state = judgeClock(known, await readClock())
    await storeState(state)
    return state
  }

  /** Removes the old data that no daily limit protects. */
  async function removeOldRecords(at: Date): Promise<void> {
    const before = new Date(at.getTime() - settings.current().retentionDays * dayMs)
    // The times of air waybills that were sent before the correction may be wrong.
    const correctedAt = new Date(clock?.correctedAt ?? 0)
    await runSteps([
      () => deps.labelCopies.removeBefore(before),
      () => deps.parcels.forgetLookups(before),
      () => deps.orders.forgetClosed(before),
      () => deps.batches.forgetEnded(before),
      () => deps.consignees.forgetBefore(before),
      () => deps.orderFileIssues.forgetClosed(before),
      async () => {
        if (correctedAt < before) await deps.manifests.forgetBefore(before, stopping.signal)
      },
    ])
  }

  function readRetention() {
    const { retentionDays, guardDays: wanted } = settings.current()
    const guardDays = Math.max(retentionDays, wanted)
    return { retentionDays, guardDays, maxForgotten: (total: number) => maxDailyRemovals(total, guardDays) }
  }

  /** Removes old shipments and references, up to the daily limits. */
  async function removeOldShipmentsAndReferences(at: Date): Promise<void> {
    const { retentionDays, guardDays, maxForgotten } = readRetention()
    const { signal } = stopping
    await runSteps([
      // Stores the number, so that it is not assigned again when its shipment is gone.
      () => deps.customs.getLastInvoiceNumber(settings.current().customs.invoicePrefix),
      () =>
        removeOldShipments(
          { shipmentRepository, retention, files, log },
          { retentionDays, now: at, misdated: clock?.misdated ?? null, signal },
        ),
      async () => {
        const before = new Date(at.getTime() - guardDays * dayMs)
        const count = await retention.forgetReferences(before, maxForgotten, signal)
        if (count > 0) log.info('old references were removed from the duplicate guard', { count })
      },
    ])
  }

  async function applyFleetRetention(): Promise<void> {
    const { maxForgotten, ...retention } = readRetention()
    isFleetDue = !(await deps.fleet.applyRetention(retention, maxForgotten))
  }

  /** The app must close within 3 s. */
  async function runSteps(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
    for (const step of steps) if (!stopping.signal.aborted) await step()
  }

  /** Runs each task once a day; an implausible clock removes nothing. */
  async function runDueTasks(): Promise<void> {
    if (stopping.signal.aborted) return
    try {
      const state = await checkClock()
      const isPlausible = state.trial === null
      const at = now()
      const areRecordsDue = isPlausible && isDue(removedRecordsAt)
      // Before the shipments, which may take an hour and are cut off when the app closes.
      if (areRecordsDue) {
        removedRecordsAt = at
        await removeOldRecords(at)
      }
      if (stopping.signal.aborted) return
      const { removedAt } = state
      if (isPlausible && (removedAt === null || isDue(new Date(removedAt)))) {
        // Before the first removal: after a restart the limits of the day still apply.
        await storeState({ ...state, removedAt: at.toISOString() })
        isFleetDue = true
        await removeOldShipmentsAndReferences(at)
      }
      if (isPlausible && isFleetDue && !stopping.signal.aborted) await applyFleetRetention()
      // A copy of an empty database would replace the day's copy.
      if (isDue(backedUpAt) && (await shipmentRepository.count()) > 0) {
        backedUpAt = now()
        backingUp = backingUp.then(backUpDatabase)
      }
      if (areRecordsDue) backingUp = backingUp.then(removeOldBackups)
      // Backups do not wait for the copy: it may be on a share that does not answer.
      void backingUp.then(() => copyStationToFolder(isPlausible))
    } catch (error) {
      log.error('old shipments could not be removed', { reason: String(error) })
    }
  }

  function isDue(last: Date | undefined): boolean {
    return last === undefined || Math.abs(now().getTime() - last.getTime()) >= dayMs
  }

  /** Copies the database in another process; nothing waits for it. A failed copy is retried at the next check. */
  async function backUpDatabase(): Promise<void> {
    const result = await deps.maintenance.backUp()
    if (stopping.signal.aborted) return
    if (!result.ok) {
      backedUpAt = undefined
      log.error('the database could not be backed up', { reason: result.error.message })
    }
    setFailure('database', result.ok ? undefined : result.error)
  }

  async function removeOldBackups(): Promise<void> {
    try {
      await deps.maintenance.rotateBackups()
    } catch (error) {
      log.error('old backups could not be removed', { reason: String(error) })
    }
  }

  /**
   * Copies the station to the backup folder of the settings once a day, and again once old copies may be removed; retries a
   * failed copy at each check.
   */
  async function copyStationToFolder(mayRemove: boolean): Promise<void> {
    const { folder, keep } = settings.current().backup
    if (folder === null) {
      copying = undefined
      setFailure('station', undefined)
    } else if (copying?.folder === folder) {
      if (isDue(copying.since)) {
        setFailure('station', appError('backup-failed', { case: 'not-ended', path: folder }))
      }
    } else if (copied?.folder !== folder || isDue(copied.at) || (mayRemove && !copied.removedOld)) {
      const current = { folder, since: now() }
      copying = current
      const labelDays = settings.current().retentionDays
      const options = { keep, labelDays, mayRemove, signal: stopping.signal }
      const result = await copyStation(deps, resolve(deps.places.root, folder), options)
      if (stopping.signal.aborted || copying !== current) return
      copying = undefined
      if (result.ok) {
        copied = { folder, at: now(), removedOld: mayRemove }
        log.info('the station was copied', { shipments: result.value })
      } else log.error('the station could not be copied', { reason: result.error.message })
      setFailure('station', result.ok ? undefined : result.error)
    }
  }

  function setFailure(copy: 'database' | 'station', error: AppError | undefined): void {
    const isNew = error?.message !== failures.get(copy)?.message
    if (error === undefined) failures.delete(copy)
    else failures.set(copy, error)
    if (isNew) deps.bus.emit('statusOutdated')
  }

  function run(): Promise<void> {
    running = running.then(runDueTasks)
    return running
  }

  return {
    /** Checks the clock. Must be called before this run writes anything. */
    start: checkClock,
    /** Runs the tasks that are due. Removes data only if the clock is plausible. */
    async run(): Promise<void> {
      timer ??= setInterval(() => void run(), checkIntervalMs)
      void removeCutOffRestores(deps.places).catch((error: unknown) =>
        log.error(
          'what a restore had copied that was cut off could not be removed; the next start tries again',
          {
            reason: toReason(error),
          },
        ),
      )
      await run()
    },
    notices: (): Notice[] => [
      ...(clock?.trial
        ? [
            createNotice('clock-not-plausible', {
              now: clock.trial.seenAt,
              lastKnown: clock.trustedAt,
            }),
          ]
        : []),
      ...[...failures.values()].map(toBackupNotice),
    ],
    /** Records that a person confirmed the clock. */
    async confirmClock(): Promise<void> {
      await running
      await storeState(acceptClock(clock, await readClock()))
      log.info('a person confirmed the clock', { now: now().toISOString() })
      void run()
    },
    async stop(): Promise<void> {
      clearInterval(timer)
      stopping.abort()
      await running
    },
  }
}

/** A trusted clock is stored once an hour, so that an idle station does not write at each check: it is compared in days. */
function isWorthStoring(state: ClockState, stored: ClockState): boolean {
  const { trustedAt, ...others } = state
  const { trustedAt: storedAt, ...otherStored } = stored
  const isOld = Math.abs(Date.parse(trustedAt) - Date.parse(storedAt)) >= clockWriteMs
  return isOld || JSON.stringify(others) !== JSON.stringify(otherStored)
}
