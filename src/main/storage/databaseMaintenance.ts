import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Backup } from '../../shared/app'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { listBackups, makeBackup, putBackup, rotateBackups, setDatabaseAside } from './backups'
import {
  checkDatabase,
  checkingMarker,
  type DatabaseProcess,
  type DatabaseVerdict,
  damageMarker,
  isDatabaseEmpty,
  replacedMarker,
  wasNotClosed,
} from './databaseChecks'
import type { DataFolder } from './dataFolder'

/** Larger databases are not read in a moment: a start does not wait for their check, which goes on while the station works. */
const maxCheckedFirstBytes = 16 * 1024 * 1024

/** Longest wait of a start for the check of its database, in milliseconds. */
function getStartBudgetMs(bytes: number): number {
  return bytes > maxCheckedFirstBytes ? 0 : 2000
}

/** A check that takes longer hangs with its disk, and tells nothing. */
const maxCheckMs = 30 * 60 * 1000

export interface DatabaseMaintenanceDeps {
  places: DataFolder
  databaseProcess: DatabaseProcess
  checkBudgetMs?: (bytes: number) => number
  log: Log
  now: () => Date
  /** Damage was found while the station works. */
  onDamage(reason: string): void
}

/** What a start may do with its database. */
type StartCheck =
  | { kind: 'open'; verified: boolean }
  | { kind: 'damaged'; reason: string }
  /** The last run was cut off, or damage was found before: nothing may be created until the check has ended. */
  | { kind: 'hold'; ended: Promise<unknown> }

/** Checks a database that was closed in good order, in a thread of this process. */
type CheckInThread = (path: string) => Promise<DatabaseVerdict>

/** Checks the database at start and once a day, and keeps daily copies of it. */
export interface DatabaseMaintenance {
  /** @param look for a small database that the last run closed; others, and all without it, are checked in another process */
  checkAtStart(checkInThread?: CheckInThread): Promise<StartCheck>
  /** Checks the database and copies it when there is no copy of today. */
  backUp(mayRotate: boolean): Promise<void>
  /**
   * Copies a database that this version is about to change, so that the version before can be gone back to. A copy that can't be made
   * keeps nobody from working: the change itself is one transaction.
   * @param version its version
   * @param onCopy called before a copy is made
   */
  backUpBeforeUpdate(version: number, onCopy: () => void): Promise<void>
  /** The copy from before an update that a version can use; null for none. */
  findBackupForVersion(known: number): Promise<string | null>
  /** The copies, newest first. */
  backups(): Promise<Backup[]>
  /** Puts a copy in the database's place; the database is kept under another name. */
  restore(name: string): Promise<Result<undefined>>
  /** Keeps the database, or the log that is left of it, under another name. */
  setAside(): Promise<void>
  /** Another database is about to take the place of this one: ends what checks it. */
  abandonChecks(): void
  stop(): void
}

/** Makes the care; nothing is looked at before it is asked. */
export function createDatabaseMaintenance(deps: DatabaseMaintenanceDeps): DatabaseMaintenance {
  const { places, log, now, databaseProcess } = deps
  const mark = damageMarker(places.database)
  const stopping = new AbortController()
  /** Aborted when another database takes the place of the one that is being checked: what is found of that one counts no more. */
  let replacing = new AbortController()
  let checking: Promise<DatabaseVerdict> | undefined
  /** The check of this start: the first backup needs no other. */
  let latest: Promise<DatabaseVerdict> | undefined

  function inProcess(limit: AbortSignal): Promise<DatabaseVerdict> {
    return checkDatabase(databaseProcess, places.database, limit)
  }

  /** In this process, unless the last try ended it: a process of its own costs a start more than all the rest of the check. */
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
      // A process that waits for its disk can't be ended.
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

  /** A disk that takes no note of what was found keeps nobody from hearing it. */
  function tryToRecord(change: () => void): boolean {
    try {
      change()
      return true
    } catch (error) {
      log.error('what the check of the database found could not be noted for the next start', {
        reason: toReason(error),
      })
      return false
    }
  }

  function abandonChecks(): void {
    replacing.abort()
    replacing = new AbortController()
    checking = undefined
    latest = undefined
  }

  function watch(running: Promise<DatabaseVerdict>): void {
    void running.then((verdict) => {
      if (verdict.kind === 'damaged') deps.onDamage(verdict.reason)
    })
  }

  async function setAside(): Promise<void> {
    // Before anything changes: a run that is cut off from here on must not trust what takes the database's place.
    replacedMarker(places.database).write('set aside')
    abandonChecks()
    const aside = await setDatabaseAside(places.database, now())
    mark.remove()
    log.warn('the database was kept aside', { aside })
  }

  return {
    async checkAtStart(checkInThread) {
      if (isDatabaseEmpty(places.database)) return { kind: 'open', verified: true }
      const knownDamage = mark.read()
      const isSuspicious = knownDamage !== undefined || wasNotClosed(places.database)
      const budgetMs = (deps.checkBudgetMs ?? getStartBudgetMs)(statSync(places.database).size)
      const isQuick = checkInThread !== undefined && budgetMs > 0 && !isSuspicious
      const running = checking ?? check(isQuick ? (limit) => inThreadOnce(limit, checkInThread) : inProcess)
      checking = running
      latest = running
      const budget = pause(budgetMs, undefined, { ref: false })
      const verdict = await Promise.race([running, budget])
      if (verdict === undefined && isSuspicious) return { kind: 'hold', ended: running }
      checking = undefined
      if (verdict === undefined) watch(running)
      if (verdict?.kind === 'damaged') return verdict
      if (verdict?.kind === 'not-checked') {
        // The quick check of opening does not see all damage: what was found before holds until a check ends.
        if (knownDamage !== undefined) return { kind: 'damaged', reason: knownDamage }
        latest = undefined
      }
      return { kind: 'open', verified: verdict === undefined || verdict.kind === 'sound' }
    },
    async backUp(mayRotate) {
      const verdict = await (latest ?? check())
      latest = undefined
      if (verdict.kind === 'damaged') deps.onDamage(verdict.reason)
      if (verdict.kind !== 'sound') return
      const day = now().toISOString().slice(0, 10)
      const copied = await makeBackup(databaseProcess, places, day, stopping.signal)
      if (copied === undefined) return
      if (copied.kind !== 'sound') {
        log.error('the database could not be backed up', { reason: copied.reason })
        return
      }
      log.info('the database was backed up', { day, shipments: copied.shipments })
      if (mayRotate) await rotateBackups(places.backups)
    },
    async backUpBeforeUpdate(version, onCopy) {
      onCopy()
      const day = now().toISOString().slice(0, 10)
      const limit = AbortSignal.any([stopping.signal, AbortSignal.timeout(maxCheckMs)])
      const copied = await makeBackup(databaseProcess, places, day, limit, version)
      if (copied === undefined) return
      if (copied.kind === 'sound')
        log.info('the database was copied before an update changes it', { version })
      else
        log.error('the database could not be copied before an update changes it', {
          version,
          reason: copied.reason,
        })
    },
    async findBackupForVersion(known) {
      const usable = (await listBackups(places.backups)).filter(
        ({ version }) => version !== null && version <= known,
      )
      return usable.toSorted((one, other) => (other.version ?? 0) - (one.version ?? 0))[0]?.name ?? null
    },
    backups: () => listBackups(places.backups),
    async restore(name) {
      const backup = join(places.backups, name)
      const verdict = await checkDatabase(databaseProcess, backup, stopping.signal)
      if (verdict.kind !== 'sound') return err(toBackupUnusableError(backup, verdict.reason))
      await setAside()
      await putBackup(backup, places.database)
      log.warn('a backup was restored', { backup: name, shipments: verdict.shipments })
      return ok(undefined)
    },
    setAside,
    abandonChecks,
    stop: () => stopping.abort(),
  }
}

const previousCheckCrashed: DatabaseVerdict = { kind: 'not-checked', reason: 'the last try ended the app' }
const checkEnded: DatabaseVerdict = { kind: 'not-checked', reason: 'the check was ended' }
const checkTooLong: DatabaseVerdict = { kind: 'not-checked', reason: 'the check took too long' }

function toBackupUnusableError(path: string, reason: string) {
  return appError('backup-unusable', { path, reason })
}
