import type { TrackingEvent } from '../../shared/tracking'
import { asRecord, asText, type JsonRecord } from './lenientJson'

/** Nobody reads more of a description; a text without end would hold up every list that it stands in. */
const maxTextLength = 2000
/** As long as the settings take a status code. */
const maxStatusCodeLength = 100

/**
 * Reads events in any of the shapes that the specification does not rule out: a list of events, an object with events
 * as values, or one event. What says nothing at all is left out.
 * @returns newest first (spec: itemNumber 0 is the newest)
 */
export function readEvents(value: unknown): TrackingEvent[] {
  const record = asRecord(value)
  const single = record !== undefined && ('code' in record || 'description' in record || 'dateTime' in record)
  const elements = Array.isArray(value) ? value : single ? [record] : Object.values(record ?? {})
  return elements
    .map((element: unknown, index) => readEvent(asRecord(element), index))
    .filter((event) => event !== undefined)
    .sort((one, other) => one.itemNumber - other.itemNumber)
}

function readEvent(fields: JsonRecord | undefined, index: number): TrackingEvent | undefined {
  if (fields === undefined) return undefined
  const itemNumber = Number(asText(fields.itemNumber) ?? index)
  const event = {
    itemNumber: Number.isFinite(itemNumber) ? itemNumber : index,
    code: bounded(fields.code, maxStatusCodeLength),
    description: bounded(fields.description, maxTextLength),
    location: bounded(fields.location, maxTextLength),
    dateTime: bounded(fields.dateTime, maxTextLength),
  }
  const { code, description, location, dateTime } = event
  return [code, description, location, dateTime].every((text) => text === '') ? undefined : event
}

/** A text of bounded length, with a mark for what neither the database nor the screen can hold. */
function bounded(value: unknown, longest: number): string {
  const whole = (asText(value) ?? '').toWellFormed()
  // Hardly any text has one, and looking costs a quarter of replacing.
  const text = whole.includes('\u0000') ? whole.replaceAll('\u0000', '\ufffd') : whole
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}
