import { type Answer, htmlAnswer, jsonAnswer } from './answer'
import { refusedShipment } from './createShipment'
import type { Fault } from './faults'
import type { Route } from './route'
import type { LabelStyle } from './shipmentStore'
import { dateTimeText, isRecord, type Json, type JsonObject } from './wire'

const hugeLabelBytes = 20 * 1024 * 1024
const notAPdf = '<html><body>Your session has expired</body></html>'

/** The label style under a fault; `undefined` when the fault does not affect labels. */
export function labelStyle(fault: Fault | undefined): LabelStyle | undefined {
  switch (fault?.kind) {
    case 'zplLabel':
      return { format: 'zpl' }
    case 'hugeLabel':
      return { format: 'pdf', paddingBytes: fault.bytes ?? hugeLabelBytes }
    case 'otherPage':
      return { format: 'pdf', page: { widthMm: fault.widthMm, heightMm: fault.heightMm } }
    default:
      return undefined
  }
}

function isJsonObject(value: Json): value is JsonObject {
  return isRecord(value)
}

function otherType(value: Json): Json {
  if (typeof value === 'string') return value === 'true' ? true : [value]
  if (typeof value === 'number') return String(value)
  if (typeof value === 'boolean') return value ? 'true' : 'false'
  if (Array.isArray(value)) return Object.fromEntries(value.entries())
  return 'none'
}

function withExtraFields(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map((element) =>
      isJsonObject(element) ? { ...element, addedLater: 'x', AddedToo: { deep: [1, null] } } : element,
    )
  }
  return value
}

function mapValues(value: JsonObject, change: (field: Json) => Json): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, change(field)]))
}

function withLabels(value: JsonObject, change: (label: JsonObject) => JsonObject): JsonObject {
  const { labels } = value
  if (!Array.isArray(labels)) return value
  return { ...value, labels: labels.map((label) => (isJsonObject(label) ? change(label) : label)) }
}

function withContents(value: JsonObject, change: (content: string) => string): JsonObject {
  return withLabels(value, (label) =>
    typeof label.content === 'string' ? { ...label, content: change(label.content) } : label,
  )
}

function without(value: JsonObject, name: string): JsonObject {
  const { [name]: _left, ...others } = value
  return others
}

function damageJson(value: JsonObject, fault: Fault): JsonObject {
  switch (fault.kind) {
    case 'wrongTypes':
      return mapValues(value, otherType)
    case 'extraFields':
      return { ...mapValues(value, withExtraFields), addedLater: { since: 'next version' }, extra: null }
    case 'badBase64':
      return withContents(value, (content) => `${content.slice(0, 40)}*%!${content.slice(41)}`)
    case 'wrappedBase64':
      return withContents(value, (content) => content.replace(/.{76}/g, '$&\r\n'))
    case 'notPdf':
      return withContents(value, () => Buffer.from(notAPdf).toString('base64'))
    case 'upperCaseLabelType':
      return withLabels(value, (label) => ({ ...label, labeltype: 'PDF' }))
    case 'emptyLabels':
      if ('url' in value) return { ...value, url: '' }
      return 'labels' in value ? { ...value, labels: [] } : value
    case 'missingLabels':
      return without(without(value, 'labels'), 'url')
    default:
      return damageTracking(value, fault)
  }
}

function withBody(answer: Answer, text: string): Answer {
  const contentType = answer.kind === 'json' ? 'application/json' : answer.contentType
  return { kind: 'bytes', status: answer.status, contentType, bytes: Buffer.from(text) }
}

/** Applies a fault to the service's answer. A fault that does not concern this kind of answer changes nothing. */
export function damage(answer: Answer, fault: Fault): Answer {
  switch (fault.kind) {
    case 'notJson':
      return withBody(answer, 'OK: request processed')
    case 'nullBody':
      return withBody(answer, 'null')
    case 'emptyBody':
      return withBody(answer, '')
  }
  if (answer.kind === 'json') return { ...answer, value: damageJson(answer.value, fault) }
  return fault.kind === 'notPdf' ? withBody(answer, notAPdf) : answer
}

const manyEventsCount = 5000

/** `flightTracking` in various shapes, because the specification shows none. */
const flights: Json = [
  { flight: 'KL0714', from: 'AMS', to: 'PBM', departed: '2026-11-20 10:25:00', legs: [{ no: 1 }, { no: 2 }] },
  'MP8371 AMS-MIA',
  null,
]

function withEvents(value: JsonObject, change: (events: Json[]) => Json[]): JsonObject {
  const { items } = value
  if (!isRecord(items)) return value
  const changed = Object.entries(items).map(([code, events]): [string, Json] => [
    code,
    Array.isArray(events) ? change(events) : [],
  ])
  return { ...value, items: Object.fromEntries(changed) }
}

function manyEvents(count: number): Json[] {
  const newest = Date.UTC(2026, 10, 21, 9)
  return Array.from({ length: count }, (_, itemNumber) => ({
    itemNumber,
    code: itemNumber === 0 ? '3000' : '2002',
    description: `Scan ${count - itemNumber}`,
    location: 'Rotterdam',
    dateTime: dateTimeText(new Date(newest - itemNumber * 60_000)),
  }))
}

function damageTracking(value: JsonObject, fault: Fault): JsonObject {
  switch (fault.kind) {
    case 'itemsAsList':
      return 'items' in value ? { ...value, items: [] } : value
    case 'noLastStatus': {
      const { lastStatus: _left, ...others } = value
      return others
    }
    case 'shuffledEvents':
      return withEvents(value, (events) => [
        ...events.filter((_, at) => at % 2),
        ...events.filter((_, at) => !(at % 2)),
      ])
    case 'manyEvents':
      return withEvents(value, () => manyEvents(fault.count ?? manyEventsCount))
    case 'flights':
      return 'flightTracking' in value ? { ...value, flightTracking: flights } : value
    default:
      return value
  }
}

const errorPage = `<!doctype html>
<html><head><title>Bad Gateway</title></head>
<body><center><h1>The server is temporarily unable to service your request</h1></center><hr></body></html>
`

/** A refusal of an operation. The spec shows no failure bodies, only the fields to check (spec, Errors). */
function refusal(operation: Route['operation'], direct: boolean, message: string): Answer {
  const refusals: Partial<Record<Route['operation'], JsonObject>> = {
    shipment: refusedShipment(direct, message),
    trackCode: { state: false, message, notFound: [] },
    trackBulk: { state: false, message, notFound: [] },
    preAlert: { ok: false, message },
  }
  if (operation === 'label') return jsonAnswer({ state: 'false', message, Errors: message }, 403)
  return jsonAnswer(refusals[operation] ?? { state: 'false', message: '', Errors: message })
}

/**
 * The answer of a fault that replaces the service's answer; `undefined` for faults that let the service answer.
 * @param direct whether a shipment creation requested the label (DO=Y)
 * @param origin scheme, host and port of the simulator
 */
export function toFaultAnswer(
  fault: Fault,
  operation: Route['operation'],
  direct: boolean,
  origin: string,
): Answer | undefined {
  switch (fault.kind) {
    case 'refused':
      return refusal(operation, direct, fault.message ?? 'Refused by the service')
    case 'status':
      return jsonAnswer(fault.body ?? { state: 'false', Errors: `Error ${fault.status}` }, fault.status)
    case 'htmlError':
      return htmlAnswer(errorPage, fault.status ?? 502)
    case 'redirect':
      return htmlAnswer('', 302, { Location: fault.location ?? `${origin}/redirected` })
    default:
      return undefined
  }
}
