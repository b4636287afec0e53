import { type AppError, withUnknownOutcome } from '../../shared/errors'
import { ok } from '../../shared/result'
import type { ShipmentDraft } from '../../shared/shipments'
import { hiding, type Redact } from '../log/redactor'
import {
  type Creation,
  judgeCreation,
  namesAnything,
  namesShipment,
  readCreation,
  readTrackingUrl,
} from './creationAnswer'
import type { HttpAnswer } from './httpClient'
import { asRecord, asText, type CutAnswer, type JsonRecord, parseJson, readCut } from './json'
import {
  type CarrierConnection,
  type CarrierOutcome,
  failedByStatus,
  isSuccess,
  misunderstood,
  refusal,
  refused,
  requestService,
  type Service,
  toAsked,
  unanswered,
} from './service'
import { shipmentToWire } from './shipmentCodec'

/** What an answer names of a shipment. */
export interface NamedCreation {
  creation: Creation
  receivedAt: Date
}

/**
 * What became of a creation request. `refused` and `not-sent`: it does not exist at the service, provably. `unknown`: a
 * person has to find out, and what the answer named all the same (labels, ids) is kept for them.
 */
export type CreationOutcome = CarrierOutcome<NamedCreation>

/** What an outcome's answer named of a shipment, whether it was created or not; null when that is nothing. */
export function findNamed(outcome: CreationOutcome): NamedCreation | null {
  return outcome.ok ? outcome.value : outcome.answer
}

interface CreationOptions {
  delivery: LabelDelivery
  /** Labels are inside: several of 20 MB each may come in one answer. */
  maxAnswerBytes: number
  /** Puts the answer on the disk before it is judged: see `ReceivedAnswer`. */
  keep: KeepAnswer
  /** Called with the label URL before anything that the answer says is looked at. */
  onLabelUrl: (url: string) => void
  /** Asked just before the first byte: see `HttpRequest`. */
  mayLeave: () => boolean
}

/** Creates a shipment (spec: Create shipment): one request, never repeated. */
export async function createShipment(
  service: Service,
  draft: ShipmentDraft,
  options: CreationOptions,
): Promise<CreationOutcome> {
  const exchanged = await requestService(service, {
    method: 'POST',
    operation: 'action',
    segments: ['101'],
    query: { o: 'JSON', DO: options.delivery === 'in-answer' ? 'Y' : 'N' },
    body: JSON.stringify(shipmentToWire(draft)),
    isRepeatable: false,
    maxAnswerBytes: options.maxAnswerBytes,
    readsToEnd: true,
    mayLeave: options.mayLeave,
  })
  const asked = toAsked(service)
  const intake = { ...service, ...options }
  if (exchanged.ok) {
    const received = takeIn(exchanged.value, intake)
    await options.keep(received)
    return readOutcome(received, asked.redact)
  }
  const failed = unanswered(exchanged.error, asked)
  if (exchanged.error.kind === 'not-sent') return failed
  if (exchanged.error.cut === undefined) return unknownOutcome(failed.error)
  const cut = takeInCut(exchanged.error.cut, intake)
  await options.keep(cut)
  return unknownOutcome(failed.error, whatItNames(cut, asked.redact))
}

/**
 * What an answer says became of the request.
 * @param redact takes out secrets that are not known to the answer; one that was kept holds none any more
 */
export function readOutcome(received: ReceivedAnswer, redact: Redact = (words) => words): CreationOutcome {
  const { host, status, content, text, labelUrl, receivedAt } = received
  const asked = { host, redact: hiding(labelUrl === null ? [] : [labelUrl], redact) }
  const named = whatItNames(received, redact)
  if (received.isCut) return unknownOutcome(unclear(host, 'it is too large, or it broke off'), named)
  if (!isSuccess(status)) {
    const failed = failedByStatus(status, content ?? Buffer.from(text ?? '', 'latin1'), asked)
    const provable = failed.kind === 'refused' && !(content !== null && namesShipment(content))
    return provable ? failed : unknownOutcome(failed.error, named)
  }
  if (content === null) {
    return unknownOutcome(unclear(host, 'it is not a JSON object, or it is cut off'))
  }
  switch (judgeCreation(content)) {
    case 'accepted':
      return ok({ creation: named?.creation ?? readCreation(content, asked.redact), receivedAt })
    case 'denied':
      return refused(content, asked)
    case 'unclear': {
      const error = unclear(host, 'it does not say clearly whether the shipment was created')
      return unknownOutcome(
        { ...error, details: { ...error.details, ...refusal(content, asked).details } },
        named,
      )
    }
  }
}

function unclear(host: string, problem: string): AppError {
  return misunderstood(host, problem).error
}

/** What an answer names of a shipment, whatever it says besides; undefined when that is nothing. */
function whatItNames(
  { content, labelUrl, receivedAt }: ReceivedAnswer,
  redact: Redact,
): NamedCreation | undefined {
  if (content === null || !namesAnything(content)) return undefined
  const creation = readCreation(content, hiding(labelUrl === null ? [] : [labelUrl], redact))
  return { creation: { ...creation, labelUrl }, receivedAt }
}

/** Tracking numbers in a uncertain answer help the person who has to find out what became of the request. */
function unknownOutcome(error: AppError, named?: NamedCreation): CreationOutcome {
  const barcodes = named?.creation.barcodes ?? []
  const details = barcodes.length === 0 ? error.details : { ...error.details, barcodes: barcodes.join(', ') }
  return {
    ok: false,
    kind: 'unknown',
    error: withUnknownOutcome({ ...error, ...(details && { details }) }, 'shipment'),
    answer: named ?? null,
  }
}

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
  /** The first MB of the body byte for byte as Latin-1 when it is no JSON object, else null. */
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

/** Most of a body without a JSON object that is kept. Patterns run out of stack in a text that is some MB long. */
const maxText = 1024 * 1024

/** What taking an answer in goes by. */
interface Intake extends Pick<CreationOptions, 'delivery' | 'onLabelUrl'> {
  /** A label URL without a host is relative to its base URL. */
  connection: CarrierConnection
  redact: Redact
}

/** Takes in what came of an answer that is not whole; see `takeIn`. */
function takeInCut(cut: CutAnswer, intake: Intake): ReceivedAnswer {
  const received = clean({ ...cut, body: cut.head, content: readCut(cut) }, intake)
  return { ...received, isCut: true }
}

/** Takes an answer in: finds its label URL and takes every secret out of the rest. */
function takeIn(answer: HttpAnswer, intake: Intake): ReceivedAnswer {
  const content = asRecord(parseJson(answer.body))
  // Without a length the end of the connection is the end of the body, wherever it broke off.
  const rest =
    content === undefined && isSuccess(answer.status)
      ? readCut({ ...answer, head: answer.body, tail: noBytes })
      : undefined
  return { ...clean({ ...answer, content: content ?? rest }, intake), isCut: rest !== undefined }
}

function clean(
  {
    status,
    body,
    receivedAt,
    content,
  }: Pick<HttpAnswer, 'status' | 'body' | 'receivedAt'> & { content: JsonRecord | undefined },
  { connection, delivery, redact, onLabelUrl }: Intake,
): ReceivedAnswer {
  const url = asText(content?.url)
  const labelUrl = url === null ? null : absoluteUrl(url, connection.baseUrl)
  if (labelUrl !== null) onLabelUrl(labelUrl)
  const asked = toAsked({
    connection,
    redact: hiding(url === null || labelUrl === null ? [] : [url, labelUrl], redact),
  })
  const hide: Redact = (text) => asked.redact(text).replace(webAddress, '[redacted]')
  return {
    host: asked.host,
    delivery,
    status,
    receivedAt,
    content: content === undefined ? null : cleanContent(content, labelUrl !== null, asked.redact, hide),
    text: content === undefined ? hide(body.toString('latin1', 0, maxText).replace(urlField, '$1')) : null,
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
