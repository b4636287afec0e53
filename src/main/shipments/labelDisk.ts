import type { AppError } from '../../shared/errors'
import { type BackOff, backOffMs } from '../lib/retry'
import type { Log } from '../log/log'
import type { LabelFiles } from './labelFiles'
import { type LabelIntake, toOrder } from './labelIntake'
import type { NewShipment } from './repository'
import { diskFull, labelsNotWritable, labelsWaiting } from './shippingErrors'

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

/** Knows whether the disk takes what a creation brings. Nothing may be paid for when it does not. */
export interface LabelDisk {
  /**
   * Proves, right before a shipment is sent, that its files can be written: its order is, durably.
   * @returns why nothing may be sent
   */
  writeOrder(shipment: NewShipment): Promise<AppError | undefined>
  /** What is wrong with the disk now; undefined when nothing is. It ends by itself. */
  error(): AppError | undefined
  stop(): void
}

/** Makes the guard of the labels folder. */
export function createLabelDisk({ files, intake, log, onChange }: LabelDiskDeps): LabelDisk {
  let refusal: AppError | undefined
  let next: NodeJS.Timeout | undefined
  let stopped = false

  async function refused(write: () => Promise<void>): Promise<AppError | undefined> {
    try {
      const room = await files.freeBytes()
      if (room < minRoomBytes) return diskFull(room)
      await write()
      return undefined
    } catch (error) {
      return labelsNotWritable(files.folder, error)
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
    return waiting.length === 0 ? undefined : labelsWaiting(waiting)
  }

  return {
    async writeOrder(shipment) {
      const found = waitingError() ?? (await refused(() => files.writeOrder(shipment.id, toOrder(shipment))))
      if (found === undefined) {
        note(undefined, 0)
        return undefined
      }
      await intake.discard(shipment.id)
      if (intake.waiting().length === 0) note(found, 0)
      return found
    },
    error: () => waitingError() ?? refusal,
    stop() {
      stopped = true
      clearTimeout(next)
    },
  }
}
