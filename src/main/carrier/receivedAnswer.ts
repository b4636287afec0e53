import { askedOf, type CarrierConnection } from './connection'
import { readTrackingUrl } from './creationAnswer'
import { type Discretion, hiding, type Redact } from './discretion'
import type { HttpAnswer } from './exchange'
import { asRecord, asText, type CutAnswer, type JsonRecord, parseJson, readCut } from './json'

/** The label in the answer (`DO=Y`), or an answer that says where it can be fetched (`DO=N`). */
export type LabelDelivery = 'in-answer' | 'by-url'

/**
 * The answer to a creation request as it may lie on the disk: all that the service said, without secrets. The outcome is
 * read from it and from nothing else, at once and again after a crash.
 */
export interface ReceivedAnswer {
  /** Host and port of the service, for sentences about the answer. */
  host: string
  delivery: LabelDelivery
  status: number
  receivedAt: Date
  /** The body's JSON object; null when it is none. `url` is only a mark when there was one. */
  content: JsonRecord | null
  /** The body byte for byte as Latin-1 when it is no JSON object, else null. */
  text: string | null
  /** Whether the answer broke off or is too large: `content` is what could be read of it. */
  isCut: boolean
  /** `url`: where the label can be fetched. A secret, which is kept apart and encrypted. */
  labelUrl: string | null
}

/** Puts a received answer on the disk, or holds it in memory until the disk takes it. Never throws. */
export type KeepAnswer = (answer: ReceivedAnswer) => Promise<void>

/** Stands in `content` for what is kept apart. */
const mark = '[label URL]'

/** Business data, kept exactly as it came: a short password must not cut a hole into a label or an id. */
const exactFields = new Set([
  ...['status', 'state', 'ActionName', 'shipmentID', 'shipmentId', 'ZendingID', 'SubLogID', 'logId'],
  ...['Barcode', 'barcode', 'carrierId', 'carrierOptionId', 'labeltype', 'encodeType', 'content', 'zpl'],
])

/** Deeper than any answer that means something; what lies deeper is dropped. */
const maxDepth = 50

/** Any web address, also with slashes that JSON escaped: under a name that is not known it may be a label's. */
const webAddress = /https?:(?:\\?\/){2}[^\s"'<>]+/gi

/** The label URL of an answer that is not understood: it may be without a host. */
const urlField = /("url"\s*:\s*")(?:[^"\\]|\\.)*/g

const noBytes = Buffer.alloc(0)

/** Most of a body without a JSON object that is kept of an answer that broke off. */
const maxCutText = 1024 * 1024

/** Takes in what came of an answer that is not whole; see `takeIn`. */
export function takeInCut(
  cut: CutAnswer,
  asked: { connection: CarrierConnection; delivery: LabelDelivery },
  discretion: Discretion,
): ReceivedAnswer {
  const body = cut.head.subarray(0, maxCutText)
  const received = clean({ ...cut, body, content: readCut(cut) }, asked, discretion)
  return { ...received, isCut: true }
}

/**
 * Takes an answer in: finds its label URL and takes every secret out of the rest.
 * @param connection a label URL without a host is relative to its base URL
 * @param discretion gets the label URL before anything else is looked at
 */
export function takeIn(
  answer: HttpAnswer,
  asked: { connection: CarrierConnection; delivery: LabelDelivery },
  discretion: Discretion,
): ReceivedAnswer {
  const content = asRecord(parseJson(answer.body))
  const isGood = answer.status >= 200 && answer.status <= 299
  // Without a length the end of the connection is the end of the body, wherever it broke off.
  const rest =
    content === undefined && isGood ? readCut({ ...answer, head: answer.body, tail: noBytes }) : undefined
  return { ...clean({ ...answer, content: content ?? rest }, asked, discretion), isCut: rest !== undefined }
}

function clean(
  {
    status,
    body,
    receivedAt,
    content,
  }: Pick<HttpAnswer, 'status' | 'body' | 'receivedAt'> & { content: JsonRecord | undefined },
  { connection, delivery }: { connection: CarrierConnection; delivery: LabelDelivery },
  { redact, onLabelUrl }: Discretion,
): ReceivedAnswer {
  const url = asText(content?.url)
  const labelUrl = url === null ? null : absoluteUrl(url, connection.baseUrl)
  if (labelUrl !== null) onLabelUrl(labelUrl)
  const asked = askedOf(connection, hiding(url === null || labelUrl === null ? [] : [url, labelUrl], redact))
  const hide: Redact = (text) => asked.redact(text).replace(webAddress, '[redacted]')
  return {
    host: asked.host,
    delivery,
    status,
    receivedAt,
    content: content === undefined ? null : cleanContent(content, labelUrl !== null, asked.redact, hide),
    text: content === undefined ? hide(body.toString('latin1').replace(urlField, '$1')) : null,
    isCut: false,
    labelUrl,
  }
}

/** What can't be resolved stays as it is: fetching it says what is wrong with it. */
function absoluteUrl(url: string, { origin, pathname }: URL): string {
  const base = `${origin}${pathname.replace(/\/*$/, '/')}`
  return URL.canParse(url, base) ? new URL(url, base).href : url
}

function cleanContent(content: JsonRecord, hasLabelUrl: boolean, redact: Redact, hide: Redact): JsonRecord {
  return {
    ...asRecord(cleaned(content, hide)),
    ...('message' in content && { message: cleaned(content.message, redact) }),
    ...('Errors' in content && { Errors: cleaned(content.Errors, redact) }),
    ...('trace' in content && { trace: readTrackingUrl(content.trace, redact) }),
    ...('url' in content && { url: hasLabelUrl ? mark : null }),
  }
}

/** The same value with every text redacted but those of `exactFields`. */
function cleaned(value: unknown, redact: Redact, depth = 0): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return null
  if (Array.isArray(value)) return value.map((element: unknown) => cleaned(element, redact, depth + 1))
  const fields = Object.entries(value).map(([name, field]: [string, unknown]) => [
    redact(name),
    exactFields.has(name) && typeof field === 'string' ? field : cleaned(field, redact, depth + 1),
  ])
  return Object.fromEntries(fields)
}
