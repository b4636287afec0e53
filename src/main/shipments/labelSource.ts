import { type AppError, appError } from '../../shared/errors'
import { assertNever, err, ok, type Result } from '../../shared/result'
import type { LabelDefect } from '../../shared/shipments'
import { findReportedCreation } from '../carrier/createShipment'
import type { Log } from '../log/log'
import type { LabelSource, PrintableLabel } from '../printing/printableLabel'
import type { ReceivedAnswers } from './receivedAnswers'
import {
  type LabelRecord,
  type ShipmentRecord,
  type ShipmentRepository,
  toPrintableLabel,
} from './repository'
import type { ShipmentFiles } from './shipmentFiles'

interface LabelSourceDeps {
  shipmentRepository: ShipmentRepository
  files: ShipmentFiles
  receivedAnswers: Pick<ReceivedAnswers, 'readStoredOutcome'>
  log: Log
}

/** The stored labels, for printing: always from the disk, never from the service. */
export function createLabelSource({
  shipmentRepository,
  files,
  receivedAnswers,
  log,
}: LabelSourceDeps): LabelSource {
  /** Makes a damaged or missing label file again from the stored answer; undefined if the answer lacks these bytes. */
  async function restore(label: LabelRecord): Promise<Buffer | undefined> {
    const { shipmentId, position, file, sha256 } = label
    const outcome = await receivedAnswers.readStoredOutcome(shipmentId).catch((error: unknown) => {
      log.error('the stored answer could not be read; a damaged label file was not restored', {
        shipmentId,
        reason: String(error),
      })
      return undefined
    })
    const found =
      outcome === undefined ? undefined : findReportedCreation(outcome)?.creation.labels[position - 1]
    if (found === undefined || file === null) return undefined
    if (files.describe(shipmentId, position, found.kind, found.bytes).sha256 !== sha256) return undefined
    await files.write(file, found.bytes, true).catch((error: unknown) => {
      log.error('a label was restored, but its file could not be written', { file, reason: String(error) })
    })
    return found.bytes
  }

  async function readPrintable(
    shipment: ShipmentRecord,
    label: LabelRecord,
  ): Promise<Result<PrintableLabel>> {
    if (label.problem !== null) return err(problemError(label.problem, shipment.reference))
    if (label.file === null || label.sha256 === null) return err(problemError('empty', shipment.reference))
    const read = await files.read(label.file, label.sha256)
    const bytes = read.ok ? read.value : await restore(label)
    if (bytes === undefined) return read.ok ? err(labelNotFound()) : read
    return ok(toPrintableLabel({ ...shipment, printer: shipment.draft.printer }, label, bytes))
  }

  return {
    async listByShipment(shipmentId) {
      const shipment = await shipmentRepository.find(shipmentId)
      if (shipment === undefined) return err(labelNotFound())
      const labels: PrintableLabel[] = []
      const unusable: number[] = []
      let problem = labelNotFound()
      for (const record of await shipmentRepository.listLabels(shipmentId)) {
        const label = await readPrintable(shipment, record)
        if (label.ok) {
          labels.push(label.value)
          continue
        }
        problem = label.error
        if (record.problem === null) unusable.push(record.position)
      }
      // A label that can't be printed must not keep the shipment's other labels from being printed.
      return labels.length === 0 ? err(problem) : ok({ labels, unusable })
    },
    async find(labelId) {
      const label = await shipmentRepository.findLabel(labelId)
      const shipment = label === undefined ? undefined : await shipmentRepository.find(label.shipmentId)
      return label === undefined || shipment === undefined
        ? err(labelNotFound())
        : readPrintable(shipment, label)
    },
  }
}

function labelNotFound(): AppError {
  return appError('label-not-found', { case: 'nothing-stored' })
}

function problemError(problem: LabelDefect, reference: string): AppError {
  switch (problem) {
    case 'not-fetched':
      return appError('label-not-fetched', { case: 'not-yet', reference })
    case 'not-stored':
      return appError('label-not-fetched', { case: 'no-room', reference })
    case 'type-unknown':
      return appError('label-type-unknown', { reference })
    case 'too-few':
    case 'too-many':
    case 'empty':
    case 'undecodable':
    case 'not-a-pdf':
      return appError('label-unreadable', { reference, reason: problem })
    default:
      return assertNever(problem)
  }
}
