import { type AppError, withUnknownOutcome } from '../../shared/errors'
import { ok } from '../../shared/result'
import type { CarrierLimits, LabelDefect, LabelKind, ShipmentDraft } from '../../shared/shipments'
import { hiding, type Redact } from '../log/redactor'
import type { HttpAnswer } from './httpClient'
import {
  asFlag,
  asRecord,
  asText,
  hasErrors,
  type JsonRecord,
  parseJson,
  parseTruncatedJson,
  type TruncatedAnswer,
} from './json'
import {
  type CarrierConnection,
  type CarrierOutcome,
  failedByAnswer,
  failedByStatus,
  failedByTransport,
  isSuccess,
  requestService,
  type Service,
  toDisplayLine,
  toRefusalError,
  toRequestContext,
  toUnreadableAnswerError,
} from './service'
import { shipmentToWire } from './shipmentCodec'

/** The shipment data that an answer contains. */
export interface ReportedCreation {
  creation: Creation
  receivedAt: Date
}

/**
 * The outcome of a creation request. `refused` and `not-sent` prove that the shipment does not exist at the service. For
 * `unknown` a person has to find out; labels and ids that the answer contains are kept to help them.
 */
export type CreationOutcome = CarrierOutcome<ReportedCreation>

/** The shipment data of an outcome's answer, whether the creation succeeded or not; null when there are none. */
export function findReportedCreation(outcome: CreationOutcome): ReportedCreation | null {
  return outcome.ok ? outcome.value : outcome.answer
}

interface CreationOptions {
  delivery: LabelDelivery
  /** One answer may contain several labels of 20 MB each. */
  maxAnswerBytes: number
  /** Stores the answer on disk before it is evaluated; see `ReceivedAnswer`. */
  keep: KeepAnswer
  /** Called with the label URL before anything else of the answer is read. */
  onLabelUrl: (url: string) => void
  /** Called just before the first byte is sent; see `HttpRequest`. */
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
  const context = toRequestContext(service)
  const sanitizeDeps = { ...service, ...options }
  if (exchanged.ok) {
    const received = sanitizeAnswer(exchanged.value, sanitizeDeps)
    await options.keep(received)
    return readCreationOutcome(received, context.redact)
  }
  const failed = failedByTransport(exchanged.error, context)
  if (exchanged.error.kind === 'not-sent') return failed
  if (exchanged.error.cut === undefined) return toUnknownOutcome(failed.error)
  const cut = sanitizeTruncatedAnswer(exchanged.error.cut, sanitizeDeps)
  await options.keep(cut)
  return toUnknownOutcome(failed.error, findReported(cut, context.redact))
}

/** Whether an answer is complete and clearly says that the shipment was created. */
export function isCreationConfirmed({ isCut, status, content }: ReceivedAnswer): boolean {
  return !isCut && isSuccess(status) && content !== null && judgeCreation(content) === 'accepted'
}

/**
 * Reads the outcome of a creation request from its answer.
 * @param redact removes further secrets; not needed for an answer read back from disk, which contains none
 */
export function readCreationOutcome(
  received: ReceivedAnswer,
  redact: Redact = (words) => words,
): CreationOutcome {
  const { host, status, content, text, labelUrl, receivedAt } = received
  const context = { host, redact: hiding(labelUrl === null ? [] : [labelUrl], redact) }
  const reported = findReported(received, redact)
  if (received.isCut) return toUnknownOutcome(toUnreadableAnswerError(host, 'too-large-or-cut'), reported)
  if (!isSuccess(status)) {
    const failed = failedByStatus(status, content ?? Buffer.from(text ?? '', 'latin1'), context)
    const isProvenRefusal = failed.kind === 'refused' && !(content !== null && contradictsRefusal(content))
    return isProvenRefusal ? failed : toUnknownOutcome(failed.error, reported)
  }
  if (content === null) {
    return toUnknownOutcome(toUnreadableAnswerError(host, 'no-object-or-cut'))
  }
  switch (judgeCreation(content)) {
    case 'accepted':
      return ok({ creation: reported?.creation ?? readCreation(content, context.redact), receivedAt })
    case 'denied':
      return failedByAnswer(content, context)
    case 'unclear': {
      const error = toUnreadableAnswerError(host, 'created-unclear')
      return toUnknownOutcome(
        { ...error, details: { ...error.details, ...toRefusalError(content, context).details } },
        reported,
      )
    }
  }
}

/** The shipment data in an answer, whatever its success test says; undefined when there are none. */
function findReported(
  { content, labelUrl, receivedAt }: ReceivedAnswer,
  redact: Redact,
): ReportedCreation | undefined {
  if (content === null || !holdsShipmentData(content)) return undefined
  const creation = readCreation(content, hiding(labelUrl === null ? [] : [labelUrl], redact))
  return { creation: { ...creation, labelUrl }, receivedAt }
}

/** The error lists the tracking numbers of an unclear answer: they help the person who resolves the unknown outcome. */
function toUnknownOutcome(error: AppError, reported?: ReportedCreation): CreationOutcome {
  const barcodes = reported?.creation.barcodes ?? []
  const details = barcodes.length === 0 ? error.details : { ...error.details, barcodes: barcodes.join(', ') }
  return {
    ok: false,
    kind: 'unknown',
    error: withUnknownOutcome({ ...error, ...(details && { details }) }, 'shipment'),
    answer: reported ?? null,
  }
}

/** The label is in the answer (`DO=Y`), or the answer has a URL to fetch it from (`DO=N`). */
export type LabelDelivery = 'in-answer' | 'by-url'

/**
 * The answer to a creation request as it is stored on disk: complete, but without secrets. The outcome is always read
 * from this, right away and again after a crash, so that both readings agree.
 */
export interface ReceivedAnswer {
  /** Host and port of the service, for error messages. */
  host: string
  delivery: LabelDelivery
  status: number
  receivedAt: Date
  /** The JSON object of the body; null when the body is not one. A placeholder replaces `url`. */
  content: JsonRecord | null
  /**
   * When the body is not a JSON object: its first MB, one Latin-1 character for each byte. Else null, and also when the body
   * is compressed and could not be decompressed: secrets in it would not be found.
   */
  text: string | null
  /** Whether the answer was truncated or is too large: `content` holds the readable part. */
  isCut: boolean
  /** `url`: where the label can be fetched. A secret, stored separately and encrypted. */
  labelUrl: string | null
}

/** Stores a received answer on disk, or keeps it in memory until the disk accepts it. Never throws. */
export type KeepAnswer = (answer: ReceivedAnswer) => Promise<void>

/** Replaces the label URL in `content`. */
const labelUrlPlaceholder = '[label URL]'

/** Business data, stored unchanged: redacting a short password must not damage a label or an id. */
const unredactedFields = new Set([
  ...['status', 'state', 'ActionName', 'shipmentID', 'shipmentId', 'ZendingID', 'SubLogID', 'logId'],
  ...['Barcode', 'barcode', 'carrierId', 'carrierOptionId', 'labeltype', 'encodeType', 'content', 'zpl'],
])

/** Names that the app reads: redacting a user name or password that equals one would make the answer unreadable. */
const unredactedNames = new Set([
  ...unredactedFields,
  ...['labels', 'url', 'trace', 'message', 'Errors', 'errors', 'error', 'Pricing', 'parcelInformation'],
  ...['MinL', 'MaxL', 'DBMinB', 'DBMaxB', 'DBMinH', 'DBMaxH', 'DBMinGewicht', 'DBMaxGewicht'],
  ...['DBMaxVolume', 'DBMaxOmtrek'],
])

/** Deeper than any valid answer; deeper values are dropped. */
const maxDepth = 50

/** Any web address, also with slashes escaped for JSON: in an unknown field it may be a label URL. */
const webAddress = /https?:(?:\\?\/){2}[^\s"'<>]+/gi

/** The label URL in an answer that can't be parsed; it may be relative. */
const urlField = /("url"\s*:\s*")(?:[^"\\]|\\.)*/g

const emptyBuffer = Buffer.alloc(0)

/** Limit for the stored text of a body that is not JSON: regular expressions overflow the stack on several MB. */
const maxTextBytes = 1024 * 1024

interface SanitizeDeps extends Pick<CreationOptions, 'delivery' | 'onLabelUrl'> {
  /** A relative label URL is resolved against its base URL. */
  connection: CarrierConnection
  redact: Redact
}

/** As `sanitizeAnswer`, for the received part of a truncated answer. */
function sanitizeTruncatedAnswer(cut: TruncatedAnswer, sanitizeDeps: SanitizeDeps): ReceivedAnswer {
  const received = sanitize({ ...cut, body: cut.head, content: parseTruncatedJson(cut) }, sanitizeDeps)
  return { ...received, isCut: true }
}

/** Extracts the label URL and removes every secret from the rest. */
function sanitizeAnswer(answer: HttpAnswer, sanitizeDeps: SanitizeDeps): ReceivedAnswer {
  const content = asRecord(parseJson(answer.body))
  // Without a Content-Length a dropped connection looks like the end of the body.
  const rest =
    content === undefined && isSuccess(answer.status)
      ? parseTruncatedJson({ ...answer, head: answer.body, tail: emptyBuffer })
      : undefined
  return { ...sanitize({ ...answer, content: content ?? rest }, sanitizeDeps), isCut: rest !== undefined }
}

function sanitize(
  {
    status,
    body,
    receivedAt,
    content,
    isEncoded = false,
  }: Pick<HttpAnswer, 'status' | 'body' | 'receivedAt' | 'isEncoded'> & { content: JsonRecord | undefined },
  { connection, delivery, redact, onLabelUrl }: SanitizeDeps,
): ReceivedAnswer {
  const url = asText(content?.url)
  const labelUrl = url === null ? null : resolveLabelUrl(url, connection.baseUrl)
  if (labelUrl !== null) onLabelUrl(labelUrl)
  const context = toRequestContext({
    connection,
    redact: hiding(url === null || labelUrl === null ? [] : [url, labelUrl], redact),
  })
  const redactUnknown: Redact = (text) => context.redact(text).replace(webAddress, '[redacted]')
  return {
    host: context.host,
    delivery,
    status,
    receivedAt,
    content:
      content === undefined
        ? null
        : sanitizeContent(content, labelUrl !== null, context.redact, redactUnknown),
    text:
      content === undefined && !isEncoded
        ? redactUnknown(body.toString('latin1', 0, maxTextBytes).replace(urlField, '$1'))
        : null,
    isCut: false,
    labelUrl,
  }
}

/** A URL that can't be resolved is kept unchanged: fetching the label then reports what is wrong with it. */
function resolveLabelUrl(url: string, { origin, pathname }: URL): string {
  const base = `${origin}${pathname.replace(/\/*$/, '/')}`
  return URL.canParse(url, base) ? new URL(url, base).href : url
}

function sanitizeContent(
  content: JsonRecord,
  hasLabelUrl: boolean,
  redact: Redact,
  redactUnknown: Redact,
): JsonRecord {
  return {
    ...asRecord(redactValue(content, redactUnknown)),
    ...('message' in content && { message: redactValue(content.message, redact) }),
    ...('Errors' in content && { Errors: redactValue(content.Errors, redact) }),
    ...('trace' in content && { trace: readTrackingUrl(content.trace, redact) }),
    ...('url' in content && { url: hasLabelUrl ? labelUrlPlaceholder : null }),
  }
}

/** Redacts every text and name of a value except `unredactedNames` and the texts of `unredactedFields`. */
function redactValue(value: unknown, redact: Redact, depth = 0): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth === maxDepth) return null
  if (Array.isArray(value)) return value.map((element: unknown) => redactValue(element, redact, depth + 1))
  const fields = Object.entries(value).map(([name, field]: [string, unknown]) => [
    unredactedNames.has(name) ? name : redact(name),
    unredactedFields.has(name) && typeof field === 'string' ? field : redactValue(field, redact, depth + 1),
  ])
  return Object.fromEntries(fields)
}

/** One label of a created shipment, decoded where possible. */
export interface CarrierLabel {
  barcode: string
  kind: LabelKind
  /** The label's bytes: decoded when the encoding is supported, else the content as received. */
  bytes: Buffer
  /** Why the bytes can't be printed as they are; null when they can. */
  problem: LabelDefect | null
}

/** The data that the service returned for a shipment. */
export interface Creation {
  /** The first labels of the answer, `maxLabels` at most. */
  labels: CarrierLabel[]
  /** Number of labels in the answer. */
  labelCount: number
  /** Every tracking number in the answer, without duplicates, in its order. */
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
 * The result of the success test for a creation (spec: Errors): `status` with DO=Y, `state` and `Errors` with DO=N. Both
 * are checked, whichever was requested. A denial that also affirms, or identifies a shipment or a label, is `unclear`: it
 * must not allow the request to be sent again.
 */
type CreationVerdict = 'accepted' | 'denied' | 'unclear'

/** Applies the success test of `CreationVerdict` to an answer. */
export function judgeCreation(answer: JsonRecord): CreationVerdict {
  const flags = [asFlag(answer.status), asFlag(answer.state)]
  const denied = flags.includes(false)
  if (denied && flags.includes(true)) return 'unclear'
  // The direct label response has no `Errors`: `status` alone decides.
  if (asFlag(answer.status) === true && affirmsCreation(answer)) return 'accepted'
  if (denied || hasErrors(answer)) return contradictsRefusal(answer) ? 'unclear' : 'denied'
  return affirmsCreation(answer) ? 'accepted' : 'unclear'
}

/** Whether an answer, read as a refusal, also says that the shipment exists. */
function contradictsRefusal(answer: JsonRecord): boolean {
  return affirmsCreation(answer) || identifiesShipment(answer)
}

/** A 1 instead of true may also be an error number: it means success only when the answer identifies a shipment. */
function affirmsCreation(answer: JsonRecord): boolean {
  const flags = [answer.status, answer.state]
  const isOne = flags.some((flag) => asText(flag) === '1')
  return flags.some((flag) => asFlag(flag) === true) && (!isOne || identifiesShipment(answer))
}

/** Whether the answer contains something that only an existing shipment has. Log ids do not prove that. */
export function identifiesShipment(answer: JsonRecord): boolean {
  const names = [answer.shipmentID, answer.ZendingID, answer.Barcode, answer.zpl, answer.url, answer.trace]
  return (
    labelElements(answer).length > 0 || names.some((name) => ![null, '0', 'false'].includes(asText(name)))
  )
}

/** Whether the answer contains anything that helps to resolve an unknown outcome, log ids included. */
function holdsShipmentData(answer: JsonRecord): boolean {
  return identifiesShipment(answer) || asText(answer.SubLogID) !== null || asText(answer.logId) !== null
}

/** Maximum number of labels read for one shipment: the maximum number of packages, each with a return label. */
export const maxLabels = 200

/** The tracking numbers in the answer, without duplicates, in its order; `maxLabels` + 1 at most. */
export function barcodesIn(answer: JsonRecord): string[] {
  const fromLabels = labelElements(answer)
    .slice(0, maxLabels)
    .map((element) => asText(asRecord(element)?.barcode))
  const all = [...fromLabels, asText(answer.Barcode)]
  return [...new Set(all.filter((barcode) => barcode !== null))]
}

/**
 * Reads the shipment data from either form of the answer. Fields that are missing or have the wrong type become null:
 * the shipment exists regardless.
 * @param redact removes secrets, including the label URL, from the displayed fields
 */
export function readCreation(answer: JsonRecord, redact: Redact): Creation {
  const barcodes = barcodesIn(answer)
  const elements = labelElements(answer)
  const labels = elements.slice(0, maxLabels).map(readLabel)
  const zpl = typeof answer.zpl === 'string' && answer.zpl.trim() !== '' ? answer.zpl : null
  if (labels.length === 0 && zpl !== null) labels.push(toZplLabel(zpl, barcodes[0] ?? ''))
  const message = asText(answer.message)
  return {
    labels,
    // One ZPL text contains the labels of all packages.
    labelCount: elements.length > 0 ? elements.length : (zpl?.match(/\^XA/gi)?.length ?? 0),
    barcodes,
    serviceShipmentId: asText(answer.shipmentID),
    zendingId: asText(answer.ZendingID),
    subLogId: asText(answer.SubLogID),
    logId: asText(answer.logId),
    message: message === null ? null : toDisplayLine(message, redact),
    trackingUrl: readTrackingUrl(answer.trace, redact),
    labelUrl: asText(answer.url),
    limits: readLimits(answer.parcelInformation),
  }
}

/** Accepts a list, an object whose values are the elements, or a single element. */
function labelElements({ labels }: JsonRecord): unknown[] {
  if (Array.isArray(labels)) return labels
  const record = asRecord(labels)
  if (record === undefined) return []
  return 'content' in record ? [record] : Object.values(record)
}

/** The link is shown and opened: only http(s), and never one that contains a secret such as the label URL. */
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

/** How far from the start or the end of a file PDF readers search for its markers. */
const magicWindowBytes = 1024

/** Whether the bytes start like a PDF file. */
export function looksLikePdf(bytes: Buffer): boolean {
  return bytes.subarray(0, magicWindowBytes).includes('%PDF-')
}

/**
 * Reads one element of `labels` (spec: Direct label response). The content of the bytes takes precedence over
 * `labeltype`, which may be missing. Never fails: a label that can't be decoded is kept as received, with the reason,
 * since it was paid for.
 */
export function readLabel(element: unknown): CarrierLabel {
  const record = asRecord(element)
  if (record === undefined) {
    return { barcode: '', kind: 'other', bytes: toRawBytes(element), problem: 'undecodable' }
  }
  return {
    barcode: asText(record.barcode) ?? '',
    ...decode(record.content, asText(record.encodeType), toLabelKind(asText(record.labeltype))),
  }
}

/** A label that came as ZPL text in `zpl` (spec: Shipment-creation response). */
function toZplLabel(zpl: string, barcode: string): CarrierLabel {
  return { barcode, kind: 'zpl', bytes: Buffer.from(zpl, 'utf8'), problem: null }
}

function toLabelKind(labelType: string | null): LabelKind {
  const type = labelType?.toLowerCase()
  return type === 'pdf' || type === 'zpl' ? type : 'other'
}

/** Detects the kind of label from the bytes; undefined when they match no known kind. */
function findKind(bytes: Buffer): LabelKind | undefined {
  if (/^\s*\^XA/i.test(bytes.subarray(0, magicWindowBytes).toString('latin1'))) return 'zpl'
  return looksLikePdf(bytes) ? 'pdf' : undefined
}

function decode(
  content: unknown,
  encoding: string | null,
  reported: LabelKind,
): { kind: LabelKind; bytes: Buffer; problem: LabelDefect | null } {
  if (content === undefined || content === null || content === '') {
    return { kind: reported, bytes: Buffer.alloc(0), problem: 'empty' }
  }
  const bytes = typeof content === 'string' ? decodeContent(content, encoding) : undefined
  if (bytes === undefined) return { kind: reported, bytes: toRawBytes(content), problem: 'undecodable' }
  if (bytes.length === 0) return { kind: reported, bytes, problem: 'empty' }
  const kind = findKind(bytes) ?? reported
  if (kind === 'other') return { kind, bytes, problem: 'type-unknown' }
  if (kind === 'pdf' && !looksLikePdf(bytes)) return { kind, bytes, problem: 'not-a-pdf' }
  return { kind, bytes, problem: null }
}

const dataUrlPrefix = /^\s*data:[^,]{0,200};base64,/i

/** Decodes plain base64 or a data URL; undefined for anything else. */
function decodeContent(content: string, encoding: string | null): Buffer | undefined {
  const prefix = dataUrlPrefix.exec(content)?.[0]
  if (prefix !== undefined) return decodeBase64(content.slice(prefix.length))
  // Base64 is the only encoding in the specification, and so the default for a missing field.
  return (encoding ?? 'base64').toLowerCase() === 'base64' ? decodeBase64(content) : undefined
}

/**
 * Decodes base64 of either alphabet, with line breaks anywhere; undefined when it is not valid. Node's decoder skips
 * invalid characters, which shows in the length. (A regular expression over 20 MB overflows the stack.) Text without
 * its padding may be truncated: then the label has to contain its end marker.
 */
function decodeBase64(text: string): Buffer | undefined {
  const compact = text.replace(/\s+/g, '')
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0
  const bytes = Buffer.from(compact, 'base64')
  if (bytes.length !== Math.floor(((compact.length - padding) * 3) / 4)) return undefined
  return compact.length % 4 === 0 || (padding === 0 && hasEndMarker(bytes)) ? bytes : undefined
}

/** Whether the bytes end like a PDF or a ZPL label. */
export function hasEndMarker(bytes: Buffer): boolean {
  return /%%EOF|\^XZ/i.test(bytes.subarray(-magicWindowBytes).toString('latin1'))
}

function toRawBytes(content: unknown): Buffer {
  return Buffer.from(typeof content === 'string' ? content : (JSON.stringify(content) ?? ''), 'utf8')
}
