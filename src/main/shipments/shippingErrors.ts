import { type AppError, appError } from '../../shared/errors'
import { issueDetails } from '../../shared/fileIssues'
import { assertNever } from '../../shared/result'
import { diskCause } from '../lib/synced'

import type { WaitingAnswer } from './labelIntake'
import type { BeginBlocker } from './repository'

/** Words for the operator why a creation may not start. `details.shipmentId` names the shipment in the way. */
export function blockerError(blocker: Exclude<BeginBlocker, { kind: 'same-attempt' }>): AppError {
  if (!('shipment' in blocker)) return appError(blocker.kind, { reference: blocker.reference })
  const { kind, shipment } = blocker
  const barcodes = shipment.barcodes.join(', ')
  const details = {
    shipmentId: shipment.id,
    reference: shipment.reference,
    takenAt: shipment.takenAt,
    barcodes,
  }
  switch (kind) {
    case 'in-progress':
      return appError('shipment-in-progress', details)
    case 'unresolved':
      return appError('shipment-unsettled', details)
    case 'already-created':
      return appError('shipment-duplicate', details)
    default:
      return assertNever(kind)
  }
}

/** The shipment was removed, or never was. */
export function notFound(shipmentId: string): AppError {
  return appError('shipment-not-found', { shipmentId })
}

/** Somebody else resolved it first. */
export function notUnresolved(shipmentId: string): AppError {
  return appError('shipment-not-unsettled', {
    shipmentId,
  })
}

/**
 * Too little room to start a creation.
 * @param room free bytes
 */
export function diskFull(room: number): AppError {
  const megabytes = String(Math.floor(room / 1024 / 1024))
  return appError('disk-full', { case: 'too-little', megabytes })
}

/** A label came but the disk refused it; it is tried again until the disk takes it. */
export function labelNotStored(error: unknown): AppError {
  const cause = diskCause(error)
  return appError('label-not-stored', issueDetails(cause))
}

/** The labels folder takes no files, so nothing may be sent. */
export function labelsNotWritable(folder: string, error: unknown): AppError {
  const cause = diskCause(error)
  return appError('labels-not-writable', { path: folder, ...issueDetails(cause) })
}

/** Answers wait in memory for the disk, so no further one may be asked for. */
export function labelsWaiting(waiting: readonly WaitingAnswer[]): AppError {
  const cause = diskCause(waiting.at(-1)?.reason)
  const count = String(waiting.length)
  return appError('labels-waiting', { count, ...issueDetails(cause) })
}

/** The label URL could be kept neither encrypted nor in memory. */
export function labelGone(reference: string): AppError {
  return appError('label-missing', { reference })
}

/** The app stopped between the request and its outcome. */
export function interrupted(reference: string): AppError {
  return appError('shipment-interrupted', { reference })
}

/** A bug of the app hid the answer: the outcome is as unknown as after a broken line. */
export function answerLost(): AppError {
  return appError('internal', { case: 'answer-lost' })
}

/**
 * The intent could not be marked as sent, so nothing was sent.
 * @param reason the database's words
 */
export function journalNotWritten(reason: string): AppError {
  return appError('journal-not-written', { reason })
}

/** The outcome is known and can't be stored yet; the app keeps trying. */
export function outcomeNotWritten(reference: string, barcodes: string[], reason: string): AppError {
  return appError('outcome-not-written', { reference, barcodes: barcodes.join(', '), reason })
}
