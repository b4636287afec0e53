import type { CarrierLimits } from '../../shared/shipments'
import type { Creation } from './creationOutcome'
import type { Redact } from './discretion'
import { readLabel, zplLabel } from './labelContent'
import { asFlag, asRecord, asText, hasErrors, type JsonRecord } from './lenientJson'
import { presentable } from './serviceWords'

/**
 * What an answer to a creation says by its success test (spec: Errors): `status` with DO=Y, `state` and `Errors`
 * with DO=N. Whichever of the two is there is looked at, whatever was asked for. A denial that also names a shipment
 * or a label is `unclear`: nothing may be sent again on its word.
 */
export type CreationVerdict = 'accepted' | 'denied' | 'unclear'

/** Judges an answer; see `CreationVerdict`. */
export function judgeCreation(answer: JsonRecord): CreationVerdict {
  const flags = [asFlag(answer.status), asFlag(answer.state)]
  const denied = flags.includes(false)
  const affirmed = flags.includes(true)
  if (denied && affirmed) return 'unclear'
  // `Errors` is no part of the direct label response: there `status` alone decides.
  if (asFlag(answer.status) === true && !isUnprovenOne(answer)) return 'accepted'
  if (denied || hasErrors(answer)) return namesShipment(answer) ? 'unclear' : 'denied'
  return affirmed && !isUnprovenOne(answer) ? 'accepted' : 'unclear'
}

/** A 1 in the place of true may as well be the number of an error: it counts when a shipment comes with it. */
function isUnprovenOne(answer: JsonRecord): boolean {
  const isOne = [answer.status, answer.state].some((flag) => asText(flag) === '1')
  return isOne && !namesShipment(answer)
}

/** Whether the answer holds something that only an existing shipment has. Log ids are not among that. */
export function namesShipment(answer: JsonRecord): boolean {
  const names = [answer.shipmentID, answer.ZendingID, answer.Barcode, answer.zpl, answer.url]
  return (
    labelElements(answer).length > 0 || names.some((name) => ![null, '0', 'false'].includes(asText(name)))
  )
}

/** Whether the answer holds anything that helps to find out what became of the shipment, log ids included. */
export function namesAnything(answer: JsonRecord): boolean {
  return namesShipment(answer) || asText(answer.SubLogID) !== null || asText(answer.logId) !== null
}

/** Most labels of one shipment that are read: the most packages of a shipment, each with a label for its return. */
export const maxLabels = 200

/** Tracking numbers that the answer names, without repeats, in its order; `maxLabels` and one at most. */
export function barcodesIn(answer: JsonRecord): string[] {
  const fromLabels = labelElements(answer)
    .slice(0, maxLabels)
    .map((element) => asText(asRecord(element)?.barcode))
  const all = [...fromLabels, asText(answer.Barcode)]
  return [...new Set(all.filter((barcode) => barcode !== null))]
}

/**
 * Reads what the service said of a shipment, from either of its two answers. Fields that are missing or of another type
 * become null; none of them makes the shipment any less real.
 * @param redact takes secrets, the label URL among them, out of what is shown
 */
export function readCreation(answer: JsonRecord, redact: Redact): Creation {
  const barcodes = barcodesIn(answer)
  const elements = labelElements(answer)
  const labels = elements.slice(0, maxLabels).map(readLabel)
  const zpl = typeof answer.zpl === 'string' && answer.zpl.trim() !== '' ? answer.zpl : null
  if (labels.length === 0 && zpl !== null) labels.push(zplLabel(zpl, barcodes[0] ?? ''))
  const message = asText(answer.message)
  return {
    labels,
    // ZPL holds the labels of all packages in one text.
    labelCount: elements.length > 0 ? elements.length : (zpl?.match(/\^XA/gi)?.length ?? 0),
    barcodes,
    serviceShipmentId: asText(answer.shipmentID),
    zendingId: asText(answer.ZendingID),
    subLogId: asText(answer.SubLogID),
    logId: asText(answer.logId),
    message: message === null ? null : presentable(message, redact),
    trackingUrl: readTrackingUrl(answer.trace, redact),
    labelUrl: asText(answer.url),
    limits: readLimits(answer.parcelInformation),
  }
}

/** A list; an object with the elements as its values and one element alone are taken for a list too. */
function labelElements({ labels }: JsonRecord): unknown[] {
  if (Array.isArray(labels)) return labels
  const record = asRecord(labels)
  if (record === undefined) return []
  return 'content' in record ? [record] : Object.values(record)
}

/** The link is shown and opened: only http(s), and never one that is or holds a secret such as the label URL. */
export function readTrackingUrl(trace: unknown, redact: Redact): string | null {
  const text = asText(trace)
  if (text === null || !URL.canParse(text)) return null
  const url = new URL(text)
  const holdsSecret = [text, url.href].some((form) => redact(form, 'data') !== form)
  return holdsSecret || !/^https?:$/.test(url.protocol) ? null : url.href
}

/** Limits of the carrier option, as decimal text (spec: Limits); null when the answer has none. */
function readLimits(value: unknown): CarrierLimits | null {
  const information = asRecord(value)
  if (information === undefined) return null
  const limits: CarrierLimits = {
    minLength: asText(information.MinL),
    maxLength: asText(information.MaxL),
    minWidth: asText(information.DBMinB),
    maxWidth: asText(information.DBMaxB),
    minHeight: asText(information.DBMinH),
    maxHeight: asText(information.DBMaxH),
    minWeight: asText(information.DBMinGewicht),
    maxWeight: asText(information.DBMaxGewicht),
    maxVolume: asText(information.DBMaxVolume),
    maxCircumference: asText(information.DBMaxOmtrek),
  }
  return Object.values(limits).every((limit) => limit === null) ? null : limits
}
