import type { Answer } from '../http/answer'
import { isRecord, type Json, type JsonObject } from '../json'
import type { LabelStyle } from '../service/shipmentStore'
import { damageTracking } from './damageTracking'
import type { Fault } from './fault'

const HUGE_LABEL_BYTES = 20 * 1024 * 1024
const NOT_A_PDF = '<html><body>Your session has expired</body></html>'

/** The way labels are made under a fault; `undefined` when it leaves them alone. */
export function labelStyle(fault: Fault | undefined): LabelStyle | undefined {
  switch (fault?.kind) {
    case 'zplLabel':
      return { format: 'zpl' }
    case 'hugeLabel':
      return { format: 'pdf', paddingBytes: fault.bytes ?? HUGE_LABEL_BYTES }
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
      return withContents(value, () => Buffer.from(NOT_A_PDF).toString('base64'))
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

/** The service's answer as a fault leaves it. Issues that do not concern this kind of answer change nothing. */
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
  return fault.kind === 'notPdf' ? withBody(answer, NOT_A_PDF) : answer
}
