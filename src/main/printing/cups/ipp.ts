import { request } from 'node:http'
import { userInfo } from 'node:os'
import { err, ok, type Result } from '../../../shared/result'

/** Delimiter tags that begin a group of attributes (RFC 8010, section 3.5.1). */
export const groupTag = {
  operation: 0x01,
  job: 0x02,
  printer: 0x04,
  subscription: 0x06,
  event: 0x07,
} as const

/** Value tags (RFC 8010, section 3.5.2). */
export const valueTag = {
  integer: 0x21,
  boolean: 0x22,
  enumeration: 0x23,
  resolution: 0x32,
  range: 0x33,
  collection: 0x34,
  text: 0x41,
  name: 0x42,
  keyword: 0x44,
  uri: 0x45,
  charset: 0x47,
  language: 0x48,
  mimeType: 0x49,
} as const

// Tags that only the encoding itself needs.
const endOfAttributes = 0x03
const firstValueTag = 0x10
const textWithLanguage = 0x35
const nameWithLanguage = 0x36
const endOfCollection = 0x37
const memberName = 0x4a
/** Units of a resolution. */
const dotsPerInch = 3
const dotsPerCm = 4

/** The operations that the app uses (RFC 8011; RFC 3995 for subscriptions; CUPS' own from 0x4001 on). */
export const operation = {
  getJobAttributes: 0x0009,
  getJobs: 0x000a,
  getPrinterAttributes: 0x000b,
  createPrinterSubscriptions: 0x0016,
  cancelSubscription: 0x001b,
  getNotifications: 0x001c,
  getPrinters: 0x4002,
} as const

/** This status code and higher ones are errors. */
const firstErrorStatus = 0x0400
const notFoundStatus = 0x0406

/** A value; its attribute's tag defines its meaning. Values of other types stay bytes. */
export type IppValue =
  | number
  | boolean
  | string
  | { lower: number; upper: number }
  /** A resolution in dots per inch. */
  | { x: number; y: number }
  | IppAttribute[]
  | Buffer

export interface IppAttribute {
  name: string
  tag: number
  values: IppValue[]
}

export interface IppGroup {
  tag: number
  attributes: IppAttribute[]
}

export interface IppMessage {
  /** The operation of a request, the status of an answer. */
  code: number
  requestId: number
  groups: IppGroup[]
  /** The document after the attributes; empty when there is none. */
  data: Buffer
}

/** The texts of an attribute in a group, without values of other kinds; empty when the attribute is missing. */
export function toTexts(group: IppGroup | undefined, name: string): string[] {
  return toValues(group, name).filter((value) => typeof value === 'string')
}

/** The first text of an attribute in a group. */
export function toText(group: IppGroup | undefined, name: string): string | undefined {
  return toTexts(group, name)[0]
}

/** The first number of an attribute in a group. */
export function toNumber(group: IppGroup | undefined, name: string): number | undefined {
  return toValues(group, name).find((value) => typeof value === 'number')
}

/** The `printer-state` of a queue that takes jobs and prints none. */
export const printerStopped = 5

/** The first resolution of an attribute in a group, across the feed direction, in dots per inch. */
export function getResolution(group: IppGroup | undefined, name: string): number | undefined {
  for (const value of toValues(group, name)) if (typeof value === 'object' && 'x' in value) return value.x
  return undefined
}

/** The boolean value of an attribute in a group; undefined when the attribute is missing. */
export function getFlag(group: IppGroup | undefined, name: string): boolean | undefined {
  return toValues(group, name).find((value) => typeof value === 'boolean')
}

/** The values of an attribute in a group; empty when it is missing. */
export function toValues(group: IppGroup | undefined, name: string): IppValue[] {
  return group?.attributes.find((attribute) => attribute.name === name)?.values ?? []
}

/** Where a print server listens: a TCP address, or a socket in the file system. */
export type PrintServer = { host: string; port: number } | { socketPath: string }

/** Why a request to the print server failed; `reason` is for the log. */
export interface IppFailure {
  kind: 'unreachable' | 'not-found' | 'refused'
  reason: string
}

export interface IppRequest {
  operation: number
  /** Target attributes such as printer-uri and job-id. */
  target: IppAttribute[]
  /** The names of the requested attributes; the server chooses when left out. */
  wanted?: string[]
  /** The attributes of a new subscription. */
  subscription?: IppAttribute[]
}

/** Far more than the attributes of a hundred queues need. */
const maxAnswer = 8 * 1024 * 1024
const answerTimeoutMs = 5000

/**
 * Sends a request over IPP. Documents are sent with `lp`.
 * @param signal ends the wait early
 */
export async function askPrintServer(
  server: PrintServer,
  question: IppRequest,
  signal?: AbortSignal,
): Promise<Result<IppMessage, IppFailure>> {
  const posted = await post(server, encodeIpp(toMessage(question)), signal)
  if (!posted.ok) return err({ kind: 'unreachable', reason: posted.error })
  const answer = decodeIpp(posted.value)
  if (answer === undefined) return err({ kind: 'unreachable', reason: 'the answer is not IPP' })
  if (answer.code < firstErrorStatus) return ok(answer)
  const reason = toText(answer.groups[0], 'status-message') ?? `status 0x${answer.code.toString(16)}`
  return err({ kind: answer.code === notFoundStatus ? 'not-found' : 'refused', reason })
}

/**
 * Reads attributes of a queue.
 * @param wanted the names of the attributes
 */
export async function askAboutQueue(
  server: PrintServer,
  queue: string,
  wanted: string[],
  signal?: AbortSignal,
): Promise<Result<IppGroup | undefined, IppFailure>> {
  const target = [toPrinterUri(queue)]
  const answer = await askPrintServer(
    server,
    { operation: operation.getPrinterAttributes, target, wanted },
    signal,
  )
  return answer.ok ? ok(answer.value.groups.find(({ tag }) => tag === groupTag.printer)) : answer
}

/** The `printer-uri` attribute of a queue. */
export function toPrinterUri(queue: string): IppAttribute {
  return {
    name: 'printer-uri',
    tag: valueTag.uri,
    values: [`ipp://localhost/printers/${encodeURIComponent(queue)}`],
  }
}

function toMessage(question: IppRequest): IppMessage {
  const attributes: IppAttribute[] = [
    { name: 'attributes-charset', tag: valueTag.charset, values: ['utf-8'] },
    { name: 'attributes-natural-language', tag: valueTag.language, values: ['en'] },
    ...question.target,
    { name: 'requesting-user-name', tag: valueTag.name, values: [userName()] },
  ]
  const { wanted, subscription } = question
  if (wanted !== undefined) {
    attributes.push({ name: 'requested-attributes', tag: valueTag.keyword, values: wanted })
  }
  return {
    code: question.operation,
    requestId: 1,
    groups: [
      { tag: groupTag.operation, attributes },
      ...(subscription === undefined ? [] : [{ tag: groupTag.subscription, attributes: subscription }]),
    ],
    data: Buffer.alloc(0),
  }
}

/**
 * The user as whom `lp` prints: CUPS shows the title of a job to its owner only. A user without an entry in the password
 * file has no name and prints as `anonymous`.
 */
function userName(): string {
  const { CUPS_USER: named = '' } = process.env
  if (named !== '') return named
  try {
    return userInfo().username
  } catch {
    return 'anonymous'
  }
}

function post(
  server: PrintServer,
  body: Buffer,
  signal: AbortSignal | undefined,
): Promise<Result<Buffer, string>> {
  const timeout = AbortSignal.timeout(answerTimeoutMs)
  const ended = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
  return new Promise((resolve) => {
    const failed = (error: Error) => resolve(err(timeout.aborted ? 'no answer in time' : error.message))
    const outgoing = request(
      {
        ...server,
        method: 'POST',
        path: '/',
        agent: false,
        signal: ended,
        headers: { 'content-type': 'application/ipp', 'content-length': body.length },
      },
      (answer) => {
        const parts: Buffer[] = []
        let size = 0
        answer.on('data', (part: Buffer) => {
          size += part.length
          parts.push(part)
          if (size > maxAnswer) answer.destroy(new Error('the answer is too long'))
        })
        answer.on('error', failed)
        answer.on('end', () =>
          resolve(
            answer.statusCode === 200
              ? ok(Buffer.concat(parts))
              : err(`HTTP status ${answer.statusCode ?? 'unknown'}`),
          ),
        )
      },
    )
    outgoing.on('error', failed)
    outgoing.end(body)
  })
}

/** Writes a message in the encoding of RFC 8010, version 2.0. */
export function encodeIpp(message: IppMessage): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt8(2, 0)
  head.writeUInt16BE(message.code, 2)
  head.writeUInt32BE(message.requestId, 4)
  const parts: Buffer[] = [head]
  for (const group of message.groups) {
    parts.push(Buffer.of(group.tag))
    for (const attribute of group.attributes) parts.push(...encodeAttribute(attribute))
  }
  parts.push(Buffer.of(endOfAttributes), message.data)
  return Buffer.concat(parts)
}

/** The first value carries the attribute's name, further ones an empty name. */
function encodeAttribute(attribute: IppAttribute): Buffer[] {
  return attribute.values.flatMap((value, index) =>
    encodeValue(attribute.tag, index === 0 ? attribute.name : '', value),
  )
}

function encodeValue(tag: number, name: string, value: IppValue): Buffer[] {
  if (!Array.isArray(value)) return [field(tag, name, toBytes(tag, value))]
  const members = value.flatMap((member) => [
    field(memberName, '', Buffer.from(member.name)),
    ...encodeAttribute({ ...member, name: '' }),
  ])
  return [
    field(valueTag.collection, name, Buffer.alloc(0)),
    ...members,
    field(endOfCollection, '', Buffer.alloc(0)),
  ]
}

function toBytes(tag: number, value: Exclude<IppValue, IppAttribute[]>): Buffer {
  if (Buffer.isBuffer(value)) return value
  if (typeof value === 'string') return Buffer.from(value)
  if (typeof value === 'boolean') return Buffer.of(value ? 1 : 0)
  if (typeof value === 'number') return integers(value)
  if ('lower' in value) return integers(value.lower, value.upper)
  if (tag === valueTag.resolution) return Buffer.concat([integers(value.x, value.y), Buffer.of(dotsPerInch)])
  throw new Error(`No encoding for a value with tag ${tag}`)
}

function integers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeInt32BE(value, index * 4)
  return bytes
}

function field(tag: number, name: string, value: Buffer): Buffer {
  const nameBytes = Buffer.from(name)
  const head = Buffer.alloc(3)
  head.writeUInt8(tag, 0)
  head.writeUInt16BE(nameBytes.length, 1)
  const length = Buffer.alloc(2)
  length.writeUInt16BE(value.length, 0)
  return Buffer.concat([head, nameBytes, length, value])
}

/** Real messages nest two levels deep. */
const maxDepth = 8
/** More than the queues of any server. */
const maxGroups = 10_000
/**
 * More than the attributes, their values and members of any answer: a printer with a thousand media has ten thousand.
 */
const maxFields = 200_000

interface Field {
  tag: number
  name: string
  value: Buffer
}

/** Reads a message in the encoding of RFC 8010; undefined when the bytes are not a valid message. */
export function decodeIpp(bytes: Buffer): IppMessage | undefined {
  try {
    return readMessage(bytes)
  } catch (error) {
    // Buffer's bounds checks find truncated messages; the limits above reject hostile ones.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function readMessage(bytes: Buffer): IppMessage {
  const fields = new FieldReader(bytes, 8)
  const groups: IppGroup[] = []
  for (;;) {
    const tag = fields.peekTag()
    if (tag === endOfAttributes) break
    if (tag < firstValueTag) {
      fields.skipTag()
      if (groups.length === maxGroups) throw new RangeError('too many groups')
      groups.push({ tag, attributes: [] })
      continue
    }
    const group = groups.at(-1)
    if (group === undefined) throw new RangeError('an attribute outside a group')
    readAttribute(fields, group.attributes)
  }
  fields.skipTag()
  return { code: bytes.readUInt16BE(2), requestId: bytes.readUInt32BE(4), groups, data: fields.rest() }
}

/** An attribute without a name is a further value of the previous attribute. */
function readAttribute(fields: FieldReader, attributes: IppAttribute[]): void {
  const field = fields.next()
  const value = readValue(fields, field, 0)
  const previous = attributes.at(-1)
  if (field.name === '' && previous !== undefined) previous.values.push(value)
  else attributes.push({ name: field.name, tag: field.tag, values: [value] })
}

function readValue(fields: FieldReader, field: Field, depth: number): IppValue {
  if (field.tag === valueTag.collection) return readCollection(fields, depth)
  const bytes = field.value
  switch (field.tag) {
    case valueTag.integer:
    case valueTag.enumeration:
      return bytes.readInt32BE(0)
    case valueTag.boolean:
      return bytes.readUInt8(0) !== 0
    case valueTag.range:
      return { lower: bytes.readInt32BE(0), upper: bytes.readInt32BE(4) }
    case valueTag.resolution:
      return readResolution(bytes)
    case textWithLanguage:
    case nameWithLanguage:
      return readTextWithLanguage(bytes)
    default:
      return field.tag >= valueTag.text && field.tag <= valueTag.mimeType ? bytes.toString('utf8') : bytes
  }
}

/** Converts to dots per inch. */
function readResolution(bytes: Buffer): { x: number; y: number } {
  const scale = bytes.readUInt8(8) === dotsPerCm ? 2.54 : 1
  return { x: bytes.readInt32BE(0) * scale, y: bytes.readInt32BE(4) * scale }
}

function readCollection(fields: FieldReader, depth: number): IppAttribute[] {
  if (depth > maxDepth) throw new RangeError('collections nest too deep')
  const members: IppAttribute[] = []
  let name = ''
  for (;;) {
    const field = fields.next()
    if (field.tag === endOfCollection) return members
    if (field.tag === memberName) {
      name = field.value.toString('utf8')
      continue
    }
    const value = readValue(fields, field, depth + 1)
    const previous = members.at(-1)
    if (previous !== undefined && previous.name === name) previous.values.push(value)
    else members.push({ name, tag: field.tag, values: [value] })
  }
}

function readTextWithLanguage(bytes: Buffer): string {
  const start = 2 + bytes.readUInt16BE(0)
  const length = bytes.readUInt16BE(start)
  return bytes.toString('utf8', start + 2, start + 2 + length)
}

/** Reads the tags and fields of a message in order. Reading past the end throws a RangeError. */
class FieldReader {
  private count = 0

  constructor(
    private readonly bytes: Buffer,
    private position: number,
  ) {}

  peekTag(): number {
    return this.bytes.readUInt8(this.position)
  }

  skipTag(): void {
    this.position += 1
  }

  next(): Field {
    this.count += 1
    if (this.count > maxFields) throw new RangeError('too many fields')
    const tag = this.bytes.readUInt8(this.position)
    this.position += 1
    const name = this.block().toString('utf8')
    return { tag, name, value: this.block() }
  }

  rest(): Buffer {
    return this.bytes.subarray(this.position)
  }

  private block(): Buffer {
    const start = this.position + 2
    const end = start + this.bytes.readUInt16BE(this.position)
    if (end > this.bytes.length) throw new RangeError('a field ends after the message')
    this.position = end
    return this.bytes.subarray(start, end)
  }
}
