import { type AppError, appError } from '../../shared/errors'
import { faultDetails } from '../../shared/fileFaults'
import { assertNever } from '../../shared/result'
import { diskCause } from '../lib/diskCause'
import type { Blocker } from './duplicateGuard'
import type { WaitingAnswer } from './labelIntake'

/** Words for the operator why a creation may not start. `details.shipmentId` names the shipment in the way. */
export function blockerError(blocker: Blocker): AppError {
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
      return appError(
        'shipment-in-progress',
        `${shipment.reference} is being created at this moment. Wait for its outcome; nothing was sent again.`,
        details,
      )
    case 'unresolved':
      return appError(
        'shipment-unsettled',
        `Whether ${shipment.reference} was created at ${shipment.takenAt} is not known. Find out at the carrier and resolve it in History before sending it again.`,
        details,
      )
    case 'already-created':
      return appError(
        'shipment-duplicate',
        `${shipment.reference} was already shipped at ${shipment.takenAt}${barcodes === '' ? '' : ` with ${barcodes}`}. Reprint its label, or confirm that it is to be shipped again.`,
        details,
      )
    default:
      return assertNever(kind)
  }
}

/** The shipment was removed, or never was. */
export function notFound(shipmentId: string): AppError {
  return appError('shipment-not-found', 'This shipment is not in the history any more.', { shipmentId })
}

/** Somebody else resolved it first. */
export function notUnresolved(shipmentId: string): AppError {
  return appError('shipment-not-unsettled', 'This shipment was resolved already; nothing was changed.', {
    shipmentId,
  })
}

/**
 * Too little room to start a creation.
 * @param room free bytes
 */
export function diskFull(room: number): AppError {
  const megabytes = String(Math.floor(room / 1024 / 1024))
  return appError(
    'disk-full',
    `The disk has ${megabytes} MB left, too little to keep a label safe. Nothing was sent: make room and press again.`,
    { megabytes },
  )
}

/** A label came but the disk refused it; it is tried again until the disk takes it. */
export function labelNotStored(error: unknown): AppError {
  const cause = diskCause(error)
  return appError(
    'label-not-stored',
    `The label can't be written: ${cause.words}. Packbench keeps trying: do not close it until the label is stored.`,
    faultDetails(cause),
  )
}

/** The labels folder takes no files, so nothing may be sent. */
export function labelsNotWritable(folder: string, error: unknown): AppError {
  const cause = diskCause(error)
  return appError(
    'labels-not-writable',
    `Packbench can't write to its labels folder ${folder}: ${cause.words}. Nothing was sent: make the folder writable and send again.`,
    { path: folder, ...faultDetails(cause) },
  )
}

/** Answers wait in memory for the disk, so no further one may be asked for. */
export function labelsWaiting(waiting: readonly WaitingAnswer[]): AppError {
  const cause = diskCause(waiting.at(-1)?.reason)
  const count = String(waiting.length)
  return appError(
    'labels-waiting',
    `${count} label(s) wait in memory, since ${cause.words}. Nothing was sent: they are written as soon as the disk allows, and sending goes on then.`,
    { count, ...faultDetails(cause) },
  )
}

/** The label URL could be kept neither encrypted nor in memory. */
export function labelGone(reference: string): AppError {
  return appError(
    'label-missing',
    `The address of the label of ${reference} is not known any more. Ask the carrier for the label, with the ids of this shipment.`,
    { reference },
  )
}

/** The app stopped between the request and its outcome. */
export function interrupted(reference: string): AppError {
  return appError(
    'shipment-interrupted',
    `Packbench stopped while ${reference} was being created. Find out at the carrier whether it exists and resolve it.`,
    { reference },
  )
}

/** A bug of the app hid the answer: the outcome is as unknown as after a broken line. */
export function answerLost(): AppError {
  return appError(
    'internal',
    'Packbench failed while it waited for the answer. Find out at the carrier whether the shipment exists.',
  )
}

/**
 * The intent could not be marked as sent, so nothing was sent.
 * @param reason the database's words
 */
export function journalNotWritten(reason: string): AppError {
  return appError(
    'journal-not-written',
    `Packbench can't write to its database (${reason}). Nothing was sent: make room or end what holds the file, and press again.`,
    { reason },
  )
}

/** The outcome is known and can't be stored yet; the app keeps trying. */
export function outcomeNotWritten(reference: string, barcodes: string[], reason: string): AppError {
  const known = barcodes.length === 0 ? '' : ` Its barcode is ${barcodes.join(', ')}.`
  return appError(
    'outcome-not-written',
    `The service has answered for ${reference}, and the answer can't be stored (${reason}).${known} Packbench keeps trying: make room, and do not close it until History shows the outcome.`,
    { reference, barcodes: barcodes.join(', '), reason },
  )
}
