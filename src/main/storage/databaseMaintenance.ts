import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { checkBackup, listBackups, makeBackup, putBackup, rotateBackups, setDatabaseAside } from './backups'
import {
  checkDatabase,
  checkingMarker,
  type DatabaseProcess,
  type DatabaseVerdict,
  damageMarker,
  isDatabaseEmpty,
  wasNotClosed,
} from './databaseChecks'
import type { DataFolder } from './dataFolder'

/** The start does not wait for the check of a larger database; it continues while the station works. */
const maxCheckedFirstBytes = 16 * 1024 * 1024

/** How long the start waits for the check of the database, in milliseconds. */
function getStartBudgetMs(bytes: number): number {
  return bytes > maxCheckedFirstBytes ? 0 : 2000
}

/** A check that takes longer is stuck on its disk and counts as not done. */
const maxCheckMs = 30 * 60 * 1000

/** How long a replacement of the database waits for processes that are being killed. */
const maxProcessEndMs = 2000

export interface DatabaseMaintenanceDeps {
  places: DataFolder
  databaseProcess: DatabaseProcess
  checkBudgetMs?: (bytes: number) => number
  log: Log
  now: () => Date
  /** Called when a check finds damage while the station is working. */
  onDamage(reason: string): void
}

/** The result of the check at start. */
type StartCheck =
  | { kind: 'open'; verified: boolean }
  | { kind: 'damaged'; reason: string }
  /** The last run did not close the database, or damage was found before: create nothing until the check has ended. */
  | { kind: 'hold'; ended: Promise<unknown> }

/** Checks a cleanly closed database in a thread of this process. */
type CheckInThread = (path: string) => Promise<DatabaseVerdict>

export type DatabaseMaintenance = ReturnType<typeof createDatabaseMaintenance>

/** Creates the maintenance, which checks the database at start and once a day, and makes daily backups. */
export function createDatabaseMaintenance(deps: DatabaseMaintenanceDeps) {
  const { places, log, now } = deps
  const mark = damageMarker(places.database)
  const stopping = new AbortController()
  /** Aborted when another database replaces the one being checked: its result no longer applies. */
  let replacing = new AbortController()
  let checking: Promise<DatabaseVerdict> | undefined
  /** The check at start, which the first backup reuses. */
  let latest: Promise<DatabaseVerdict> | undefined

  /** Processes that read the database or a copy of it. */
  const processes = new Set<Promise<unknown>>()

  const databaseProcess: DatabaseProcess = (args, signal, isAwaited) => {
    const running = deps.databaseProcess(args, signal, isAwaited)
    const ended = running.catch(() => undefined).finally(() => processes.delete(ended))
    processes.add(ended)
    return running
  }

  function inProcess(limit: AbortSignal, isAwaited = false): Promise<DatabaseVerdict> {
    const run: DatabaseProcess = (args, signal) => databaseProcess(args, signal, isAwaited)
    return checkDatabase(run, places.database, limit)
  }

  /** Checks in this process unless the last such check crashed the app: starting a process takes longer than the check. */
  async function inThreadOnce(limit: AbortSignal, checkInThread: CheckInThread): Promise<DatabaseVerdict> {
    const trying = checkingMarker(places.database)
    const isFirstTry = trying.read() === undefined && tryToRecord(() => trying.write(''))
    const verdict = isFirstTry ? await checkInThread(places.database) : previousCheckCrashed
    const outcome = verdict.kind === 'not-checked' ? await inProcess(limit) : verdict
    if (outcome.kind !== 'not-checked') tryToRecord(() => trying.remove())
    return outcome
  }

  async function check(checkInThread = inProcess): Promise<DatabaseVerdict> {
    const ended = AbortSignal.any([stopping.signal, replacing.signal])
    const limit = AbortSignal.any([ended, AbortSignal.timeout(maxCheckMs)])
    const verdict = await Promise.race([
      checkInThread(limit),
      // A process that waits for the disk can't be killed.
      pause(maxCheckMs, checkTooLong, { ref: false }),
    ])
    if (ended.aborted) return checkEnded
    if (verdict.kind === 'damaged') {
      log.error('the database is damaged', { reason: verdict.reason })
      tryToRecord(() => mark.write(verdict.reason))
    }
    if (verdict.kind === 'sound') tryToRecord(() => mark.remove())
    if (verdict.kind === 'not-checked')
      log.warn('the database could not be checked', { reason: verdict.reason })
    return verdict
  }

  /** A failed write is logged only: the result of the check is still reported. */
  function tryToRecord(change: () => void): boolean {
    try {
      change()
      return true
    } catch (error) {
      log.error('the result of the database check could not be saved for the next start', {
        reason: toReason(error),
      })
      return false
    }
  }

  /** Ends running checks and backups, before another database replaces this one. */
  async function abandonChecks(): Promise<void> {
    replacing.abort()
    replacing = new AbortController()
    checking = undefined
    latest = undefined
    // A process that closes the replaced database could delete the log of the new one. One that waits for the disk can't be killed.
    await Promise.race([Promise.all(processes), pause(maxProcessEndMs, undefined, { ref: false })])
  }

  async function tryToBackUp(limit: AbortSignal, version?: number): Promise<DatabaseVerdict | undefined> {
    const ended = AbortSignal.any([limit, replacing.signal])
    try {
      return await makeBackup(databaseProcess, places, now(), ended, version)
    } catch (error) {
      return { kind: 'not-checked', reason: toReason(error) }
    }
  }

  function failBackup(which: 'database' | 'before-update', reason: string): Result<undefined> {
    return err(appError('backup-failed', { case: which, path: places.backups, reason }))
  }

  function watch(running: Promise<DatabaseVerdict>): void {
    void running.then((verdict) => {
      if (verdict.kind === 'damaged') deps.onDamage(verdict.reason)
    })
  }

  /** Renames the database, or what is left of it. */
  async function setAside() {
    await abandonChecks()
    const { aside, takeBack } = await setDatabaseAside(places.database, now(), 'set aside')
    log.warn('the database was set aside', { aside })
    return { takeBack }
  }

  return {
    /** @param checkInThread used for a small, cleanly closed database; otherwise the check runs in another process */
    async checkAtStart(checkInThread?: CheckInThread): Promise<StartCheck> {
      if (isDatabaseEmpty(places.database)) return { kind: 'open', verified: true }
      const knownDamage = mark.read()
      const isSuspicious = knownDamage !== undefined || wasNotClosed(places.database)
      const budgetMs = (deps.checkBudgetMs ?? getStartBudgetMs)(statSync(places.database).size)
      const isQuick = checkInThread !== undefined && budgetMs > 0 && !isSuspicious
      const atStart = (limit: AbortSignal) =>
        isQuick ? inThreadOnce(limit, checkInThread) : inProcess(limit, isSuspicious)
      const running = checking ?? check(atStart)
      checking = running
      latest = running
      const budget = pause(budgetMs, undefined, { ref: false })
      const verdict = await Promise.race([running, budget])
      if (verdict === undefined && isSuspicious) return { kind: 'hold', ended: running }
      checking = undefined
      if (verdict === undefined) watch(running)
      if (verdict?.kind === 'damaged') return verdict
      if (verdict?.kind === 'not-checked') {
        // The quick check when opening does not find all damage: the earlier result applies until a full check ends.
        if (knownDamage !== undefined) return { kind: 'damaged', reason: knownDamage }
        latest = undefined
      }
      return { kind: 'open', verified: verdict === undefined || verdict.kind === 'sound' }
    },
    /** Checks the database, and backs it up unless there is a backup of today. Damage is reported to `onDamage` instead. */
    async backUp(): Promise<Result<undefined>> {
      const verdict = await (latest ?? check())
      latest = undefined
      if (verdict.kind === 'damaged') {
        deps.onDamage(verdict.reason)
        return ok(undefined)
      }
      if (verdict.kind === 'not-checked') return failBackup('database', verdict.reason)
      const copied = await tryToBackUp(stopping.signal)
      if (copied === undefined) return ok(undefined)
      if (copied.kind !== 'sound') return failBackup('database', copied.reason)
      log.info('the database was backed up', { shipments: copied.shipments })
      return ok(undefined)
    },
    /** Removes old backups. */
    rotateBackups: () => rotateBackups(places.backups, now()),
    /**
     * Backs up a database before this version migrates it, so that the previous version can be restored. A failed backup
     * must not stop the start: each migration is one transaction.
     * @param version the database's version
     * @param onCopy called before the backup is made
     */
    async backUpBeforeUpdate(version: number, onCopy: () => void): Promise<Result<undefined>> {
      onCopy()
      const limit = AbortSignal.any([stopping.signal, AbortSignal.timeout(maxCheckMs)])
      const copied = await tryToBackUp(limit, version)
      if (copied === undefined) return ok(undefined)
      if (copied.kind !== 'sound') return failBackup('before-update', copied.reason)
      log.info('the database was backed up before its migration', { version })
      return ok(undefined)
    },
    /** The name of the newest backup from before an update that a version can open; null for none. */
    async findBackupForVersion(known: number): Promise<string | null> {
      const backups = await listBackups(places.backups, now())
      return backups.find(({ version }) => version !== null && version <= known)?.name ?? null
    },
    /** The backups, newest first. */
    backups: () => listBackups(places.backups, now()),
    /** Restores a backup; the present database is kept under another name, or stays as it was if the backup can't replace it. */
    async restore(name: string): Promise<Result<undefined>> {
      const path = join(places.backups, name)
      const backup = (await listBackups(places.backups, now())).find((kept) => kept.name === name)
      if (backup === undefined) return err(toBackupUnusableError(path, 'it is not in the backup folder'))
      const verdict = await checkBackup(databaseProcess, places.backups, backup, stopping.signal)
      if (verdict.kind !== 'sound') return err(toBackupUnusableError(path, verdict.reason))
      try {
        await putBackup(path, places.database, setAside)
      } catch (error) {
        return err(toBackupUnusableError(path, toReason(error)))
      }
      log.warn('a backup was restored', { backup: name, shipments: verdict.shipments })
      return ok(undefined)
    },
    /** For other copies of the database: `abandonChecks` waits for their processes too. */
    databaseProcess,
    /** Renames the database, or what is left of it, before it is rebuilt. */
    async setAside(): Promise<void> {
      await setAside()
      mark.remove()
    },
    abandonChecks,
    stop: () => stopping.abort(),
  }
}

const previousCheckCrashed: DatabaseVerdict = {
  kind: 'not-checked',
  reason: 'the last check crashed the app',
}
const checkEnded: DatabaseVerdict = { kind: 'not-checked', reason: 'the check was ended' }
const checkTooLong: DatabaseVerdict = { kind: 'not-checked', reason: 'the check took too long' }

function toBackupUnusableError(path: string, reason: string) {
  return appError('backup-unusable', { path, reason })
}
