import { appError } from '../../../shared/errors'
import type { ScanBack, ScanRule } from '../../../shared/labels'
import {
  type PrintJob,
  printJobStateSchema,
  printJobStates,
  type ScanOutcome,
} from '../../../shared/printing'
import { err, ok, type Result } from '../../../shared/result'
import type { LabelSource, PrintableLabel } from '../printableLabel'
import { type PrintJobRepository, printedAt } from './repository'

export interface ScanBackDeps {
  jobs: Pick<PrintJobRepository, 'listByShipment' | 'change'>
  labels: LabelSource
  settings(): Pick<ScanBack, 'rules'>
  now(): Date
}

/**
 * Compares a code that the operator scanned from a printed label with the barcodes of the shipment. Only a match proves
 * that the right label was printed and is readable: its jobs become `done`, those that are being sent when they end. Of
 * several labels that the code matches, it is the first that was not scanned.
 */
export async function confirmScan(
  { shipmentId, code }: { shipmentId: string; code: string },
  { jobs, labels, settings, now }: ScanBackDeps,
): Promise<Result<ScanOutcome>> {
  const found = await listScannableLabels(shipmentId, { jobs, labels })
  if (!found.ok) return found
  const known = found.value.filter(({ barcode }) => barcode !== '')
  if (known.length === 0) return err(appError('label-not-found', { case: 'no-barcode' }))
  const rule = settings().rules.find(({ carrierOptionId }) => carrierOptionId === known[0]?.carrierOptionId)
  const same = known.filter(({ barcode }) => matchesBarcode(code, barcode, undefined))
  const alike =
    same.length > 0 ? same : known.filter(({ barcode }) => matchesBarcode(code, barcode, rule?.match))
  const printed = await jobs.listByShipment(shipmentId)
  const isScanned = (label: PrintableLabel) =>
    printed.some(({ labelId, scannedAt }) => labelId === label.labelId && scannedAt !== undefined)
  const matching = alike.toSorted((one, other) => Number(isScanned(one)) - Number(isScanned(other)))
  const [label] = matching
  const answer = { scanned: code, expected: toBarcodes(known), matching: toBarcodes(matching) }
  if (label === undefined) return ok({ matches: false, ...answer, jobs: [] })
  const proven: PrintJob[] = []
  const own = printed.filter(({ labelId }) => labelId === label.labelId)
  // It is not known which pages bear the barcode, or which label was scanned: that proves nothing about an unconfirmed one.
  const isInParts = own.some(({ state, pages }) => state !== 'cancelled' && pages !== undefined)
  const isKnown = !isInParts && alike.length === 1
  const provable = isKnown ? printJobStates.printedOrUnconfirmed : printJobStates.printed
  // An earlier copy may be the one that was scanned: then it proves nothing about a label that is being sent.
  const hasEarlierCopy = own.some(({ state }) => provable.includes(state))
  for (const job of own) {
    const { id, state } = job
    // The state of a label that is being sent follows when its job ends.
    const sending = hasEarlierCopy ? undefined : await jobs.change(id, ['sending'], { scannedAt: now() })
    const done =
      sending ??
      (await jobs.change(id, provable, {
        ...{ state: 'done', error: null, note: null, scannedAt: now() },
        ...(state === 'unconfirmed' && { acceptedAt: new Date(printedAt(job)) }),
      }))
    if (done !== undefined) proven.push(done)
  }
  return ok({ matches: true, ...answer, jobs: proven })
}

function toBarcodes(labels: readonly PrintableLabel[]): string[] {
  return labels.map(({ barcode }) => barcode)
}

/**
 * The labels of a shipment, or those with a print job here when they can't be listed: the fleet may not have all labels of
 * another station's shipment, and some may have been printed singly.
 */
async function listScannableLabels(
  shipmentId: string,
  { jobs, labels }: Pick<ScanBackDeps, 'jobs' | 'labels'>,
): Promise<Result<PrintableLabel[]>> {
  const listed = await labels.listByShipment(shipmentId)
  if (listed.ok) return ok(listed.value.labels)
  const labelIds = new Set((await jobs.listByShipment(shipmentId)).map(({ labelId }) => labelId))
  const printed: PrintableLabel[] = []
  for (const labelId of labelIds) {
    const label = labelId === null ? undefined : await labels.find(labelId)
    if (label?.ok) printed.push(label.value)
  }
  return printed.length > 0 ? ok(printed) : listed
}

/** Stores with the jobs of a shipment's labels that were not scanned why the operator skipped the scan. */
export async function skipScan(
  { shipmentId, reason }: { shipmentId: string; reason: string },
  { jobs }: Pick<ScanBackDeps, 'jobs'>,
): Promise<PrintJob[]> {
  const skipped: PrintJob[] = []
  for (const { id, document, scannedAt } of await jobs.listByShipment(shipmentId)) {
    if (document !== 'label' || scannedAt !== undefined) continue
    const job = await jobs.change(id, printJobStateSchema.options, { scanSkipped: reason })
    if (job !== undefined) skipped.push(job)
  }
  return skipped
}

/** Whether a scanned code matches a barcode, exactly or by a rule. Spaces and upper or lower case don't matter. */
export function matchesBarcode(scanned: string, barcode: string, rule: ScanRule | undefined): boolean {
  const [code, wanted] = [normalize(scanned), normalize(barcode)]
  if (code === '' || wanted === '') return false
  switch (rule?.kind) {
    case undefined:
      return code === wanted
    case 'prefix':
      return code === normalize(rule.prefix) + wanted || normalize(rule.prefix) + code === wanted
    case 'length':
      return (
        Math.min(code.length, wanted.length) >= rule.length &&
        code.slice(0, rule.length) === wanted.slice(0, rule.length)
      )
    case 'part':
      return (
        Math.min(code.length, wanted.length) >= rule.least && (code.includes(wanted) || wanted.includes(code))
      )
  }
}

/** Drops spaces, and the GS and other control characters that scanners add between the parts of a code. */
function normalize(code: string): string {
  return code.replaceAll(/[\s\p{Cc}]/gu, '').toUpperCase()
}
