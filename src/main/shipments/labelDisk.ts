import { type AppError, appError } from '../../shared/errors'
import { issueDetails } from '../../shared/inputIssues'
import { type BackOff, backOffMs } from '../lib/retry'
import { diskCause } from '../lib/synced'
import type { Log } from '../log/log'
import type { LabelFiles } from './labelFiles'
import { type LabelIntake, toOrder } from './labelIntake'
import type { NewShipment } from './repository'

/** Room that must be free before a shipment is paid for: the largest label there can be, and the database. */
const minRoomBytes = 64 * 1024 * 1024

/** Waits between looks at a disk that refused. */
const looks: BackOff = { firstMs: 1000, maxMs: 15_000 }

interface LabelDiskDeps {
  files: LabelFiles
  intake: LabelIntake
  log: Log
  /** What there is to say about the disk has changed. */
  onChange: () => void
}

export type LabelDisk = ReturnType<typeof createLabelDisk>

/** Knows whether the disk takes what a creation brings. Nothing may be paid for when it does not. */
export function createLabelDisk({ files, intake, log, onChange }: LabelDiskDeps) {
  let refusal: AppError | undefined
  let next: NodeJS.Timeout | undefined
  let stopped = false

  async function refused(write: () => Promise<void>): Promise<AppError | undefined> {
    try {
      const room = await files.freeBytes()
      if (room < minRoomBytes) {
        const megabytes = String(Math.floor(room / 1024 / 1024))
        return appError('disk-full', { case: 'too-little', megabytes })
      }
      await write()
      return undefined
    } catch (error) {
      return appError('labels-not-writable', { path: files.folder, ...issueDetails(diskCause(error)) })
    }
  }

  /** A refusal ends by itself, so the disk is looked at until it does. */
  function note(found: AppError | undefined, failures: number): void {
    if (found?.message !== refusal?.message) {
      if (found === undefined) log.info('the labels folder can be written to again')
      else log.error('the labels folder can not be written to', { reason: found.message })
      refusal = found
      onChange()
    }
    clearTimeout(next)
    if (found === undefined || stopped) return
    next = setTimeout(
      () => void refused(() => files.probe()).then((now) => note(now, failures + 1)),
      backOffMs(looks, failures),
    )
    next.unref()
  }

  function waitingError(): AppError | undefined {
    const waiting = intake.waiting()
    const last = waiting.at(-1)
    if (last === undefined) return undefined
    const count = String(waiting.length)
    return appError('labels-waiting', { count, ...issueDetails(diskCause(last.reason)) })
  }

  return {
    /**
     * Proves, right before a shipment is sent, that its files can be written: its order is, durably.
     * @returns why nothing may be sent
     */
    async writeOrder(shipment: NewShipment): Promise<AppError | undefined> {
      const found = waitingError() ?? (await refused(() => files.writeOrder(shipment.id, toOrder(shipment))))
      if (found === undefined) {
        note(undefined, 0)
        return undefined
      }
      await intake.discard(shipment.id)
      if (intake.waiting().length === 0) note(found, 0)
      return found
    },
    /** What is wrong with the disk now; undefined when nothing is. It ends by itself. */
    error: () => waitingError() ?? refusal,
    stop(): void {
      stopped = true
      clearTimeout(next)
    },
  }
}
