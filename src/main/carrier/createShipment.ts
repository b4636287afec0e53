import { type AppError, withUnknownOutcome } from '../../shared/errors'
import { ok } from '../../shared/result'
import type { CarrierLimits, LabelDefect, LabelKind, ShipmentDraft } from '../../shared/shipments'
import { hiding, type Redact } from '../log/redactor'
import type { HttpAnswer } from './httpClient'
import {
  asFlag,
  asRecord,
  asText,
  type CutAnswer,
  hasErrors,
  type JsonRecord,
  parseJson,
  readCut,
} from './json'
import {
  type CarrierConnection,
  type CarrierOutcome,
  failedByStatus,
  isSuccess,
  misunderstood,
  presentable,
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

/** Whether an answer is whole and says clearly that the shipment was created. */
export function saysCreated({ isCut, status, content }: ReceivedAnswer): boolean {
  return !isCut && isSuccess(status) && content !== null && judgeCreation(content) === 'accepted'
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

/** One label of a created shipment, decoded as far as that was possible. */
export interface CarrierLabel {
  barcode: string
  kind: LabelKind
  /** The label's bytes: decoded when the encoding was understood, else the content exactly as it came. */
  bytes: Buffer
  /** Why the bytes can't be printed as they are; null when they can. */
  problem: LabelDefect | null
  /** `labels[].shipmentId` of the direct label response. */
  shipmentId: string | null
}

/** What the service said of a shipment that exists now. */
export interface Creation {
  /** The first labels of the answer, `maxLabels` at most. */
  labels: CarrierLabel[]
  /** How many labels the answer holds. */
  labelCount: number
  /** Every tracking number that the answer named, without repeats, in its order. */
  barcodes: string[]
  /** `shipmentID` of the direct label response. */
  serviceShipmentId: string | null
  zendingId: string | null
  subLogId: string | null
  logId: string | null
  message: string | null
  /** `trace`: the public tracking link. */
  trackingUrl: string | null
  /** `url`: where the label can be fetched. A secret; null for a direct label response. */
  labelUrl: string | null
  limits: CarrierLimits | null
}

/**
 * What an answer to a creation says by its success test (spec: Errors): `status` with DO=Y, `state` and `Errors`
 * with DO=N. Whichever of the two is there is looked at, whatever was asked for. A denial that also names a shipment
 * or a label is `unclear`: nothing may be sent again on its word.
 */
type CreationVerdict = 'accepted' | 'denied' | 'unclear'

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
function namesAnything(answer: JsonRecord): boolean {
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
function readTrackingUrl(trace: unknown, redact: Redact): string | null {
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

/** Readers look this far for the mark that begins a file, and for the one that ends it. */
const markWithin = 1024

/** Whether the bytes begin like a PDF file. */
export function looksLikePdf(bytes: Buffer): boolean {
  return bytes.subarray(0, markWithin).includes('%PDF-')
}

/**
 * Reads one element of `labels` (spec: Direct label response). What the bytes are decides over `labeltype`, which may
 * be missing. Never fails: what can't be decoded is kept as it came, with the reason, since it was paid for.
 */
export function readLabel(element: unknown): CarrierLabel {
  const record = asRecord(element)
  if (record === undefined) {
    return { barcode: '', kind: 'other', bytes: rawBytes(element), problem: 'undecodable', shipmentId: null }
  }
  return {
    barcode: asText(record.barcode) ?? '',
    ...decode(record.content, asText(record.encodeType), kindNamed(asText(record.labeltype))),
    shipmentId: asText(record.shipmentId),
  }
}

/** A label that came as ZPL text in `zpl` (spec: Shipment-creation response). */
function zplLabel(zpl: string, barcode: string): CarrierLabel {
  return { barcode, kind: 'zpl', bytes: Buffer.from(zpl, 'utf8'), problem: null, shipmentId: null }
}

function kindNamed(labelType: string | null): LabelKind {
  const type = labelType?.toLowerCase()
  return type === 'pdf' || type === 'zpl' ? type : 'other'
}

/** What the bytes show themselves to be; undefined when they show nothing that is known. */
function findKind(bytes: Buffer): LabelKind | undefined {
  if (/^\s*\^XA/i.test(bytes.subarray(0, markWithin).toString('latin1'))) return 'zpl'
  return looksLikePdf(bytes) ? 'pdf' : undefined
}

function decode(
  content: unknown,
  encoding: string | null,
  named: LabelKind,
): { kind: LabelKind; bytes: Buffer; problem: LabelDefect | null } {
  if (content === undefined || content === null || content === '') {
    return { kind: named, bytes: Buffer.alloc(0), problem: 'empty' }
  }
  const bytes = typeof content === 'string' ? decodeContent(content, encoding) : undefined
  if (bytes === undefined) return { kind: named, bytes: rawBytes(content), problem: 'undecodable' }
  if (bytes.length === 0) return { kind: named, bytes, problem: 'empty' }
  const kind = findKind(bytes) ?? named
  if (kind === 'other') return { kind, bytes, problem: 'type-unknown' }
  if (kind === 'pdf' && !looksLikePdf(bytes)) return { kind, bytes, problem: 'not-a-pdf' }
  return { kind, bytes, problem: null }
}

const dataUrlPrefix = /^\s*data:[^,]{0,200};base64,/i

/** Decodes base64, as it is or as a data URL; undefined for anything else. */
function decodeContent(content: string, encoding: string | null): Buffer | undefined {
  const prefix = dataUrlPrefix.exec(content)?.[0]
  if (prefix !== undefined) return decodeBase64(content.slice(prefix.length))
  // Base64 is the only encoding that the specification shows: what it means when the field is left out.
  return (encoding ?? 'base64').toLowerCase() === 'base64' ? decodeBase64(content) : undefined
}

/**
 * Decodes base64 of either alphabet, with line breaks anywhere; undefined when it is not valid. Node's decoder skips
 * what it does not know, which shows in the length. (A regular expression over 20 MB runs out of stack.) Without its
 * padding it may as well have lost its end: then the label has to show that it is whole.
 */
function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '')
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0
  const bytes = Buffer.from(compact, 'base64')
  if (bytes.length !== Math.floor(((compact.length - padding) * 3) / 4)) return undefined
  return compact.length % 4 === 0 || (padding === 0 && hasEnd(bytes)) ? bytes : undefined
}

/** Whether the bytes end as a PDF or a ZPL label does. */
function hasEnd(bytes: Buffer): boolean {
  return /%%EOF|\^XZ/i.test(bytes.subarray(-markWithin).toString('latin1'))
}

function rawBytes(content: unknown): Buffer {
  return Buffer.from(typeof content === 'string' ? content : (JSON.stringify(content) ?? ''), 'utf8')
}
