/** The records of DNS that service discovery needs (RFC 1035, RFC 6763). */
export type DnsRecord =
  | { type: 'PTR'; name: string; target: string }
  | { type: 'SRV'; name: string; target: string; port: number }
  | { type: 'TXT'; name: string; texts: string[] }
  | { type: 'A'; name: string; address: string }

const typeNumbers = { A: 1, PTR: 12, TXT: 16, SRV: 33 } as const
export type DnsType = keyof typeof typeNumbers

export interface DnsQuestion {
  name: string
  type: DnsType
}

const headerBytes = 12
const internetClass = 1
/** Requests a unicast response (RFC 6762, 5.4). */
const unicastAnswer = 0x8000
// Anybody on the network can send any message: these limits bound the work for one.
/** The maximum size of a multicast DNS message (RFC 6762, 17). */
const maxMessageBytes = 9000
const maxQuestions = 200
/** Further records of a message are ignored. */
const maxRecords = 200
/** The maximum size of a name, including length bytes and the empty last label (RFC 1035, 2.3.4). */
const maxNameBytes = 255
/** Names in service discovery have about five labels. */
const maxLabels = 32
const maxPointers = 32
const maxLabelBytes = 63
const maxTexts = 100

/** Encodes a query without recursion. Dots separate the labels of a name; a dot inside a label is written as `\.`. */
export function encodeQuery(questions: readonly DnsQuestion[]): Buffer {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt16BE(questions.length, 4)
  const parts = questions.map(({ name, type }) => {
    const ending = Buffer.alloc(4)
    ending.writeUInt16BE(typeNumbers[type], 0)
    ending.writeUInt16BE(internetClass | unicastAnswer, 2)
    return Buffer.concat([encodeName(name), ending])
  })
  return Buffer.concat([header, ...parts])
}

function encodeName(name: string): Buffer {
  const labels = name.match(/(?:\\.|[^.\\])+/g) ?? []
  const parts = labels.map((label) => {
    const bytes = Buffer.from(label.replace(/\\(.)/g, '$1')).subarray(0, 63)
    return Buffer.concat([Buffer.from([bytes.length]), bytes])
  })
  return Buffer.concat([...parts, Buffer.from([0])])
}

/**
 * Decodes the supported records among the first 200 of an answer. Returns none when the message is not a complete
 * answer, is larger than 9,000 bytes, or contains a name that is longer than 255 bytes or has a pointer that does not
 * point backwards.
 */
export function decodeAnswer(message: Buffer): DnsRecord[] {
  if (message.length > maxMessageBytes) return []
  try {
    return readRecords(message)
  } catch (error) {
    if (error instanceof RangeError) return []
    throw error
  }
}

function readRecords(message: Buffer): DnsRecord[] {
  const isAnswer = (message.readUInt16BE(2) & 0x8000) !== 0
  if (!isAnswer) return []
  const questions = message.readUInt16BE(4)
  const count = message.readUInt16BE(6) + message.readUInt16BE(8) + message.readUInt16BE(10)
  let at = headerBytes
  if (questions > maxQuestions) throw new RangeError('the answer has too many questions')
  for (let index = 0; index < questions; index += 1) at = findNameEnd(message, at) + 4
  const records: DnsRecord[] = []
  for (let index = 0; index < Math.min(count, maxRecords); index += 1) {
    const start = at
    const end = findNameEnd(message, start)
    const type = message.readUInt16BE(end)
    const length = message.readUInt16BE(end + 8)
    const from = end + 10
    at = from + length
    if (at > message.length) throw new RangeError('a record ends after the message')
    const record = readRecord(message, start, type, from, at)
    if (record !== undefined) records.push(record)
  }
  return records
}

function readRecord(
  message: Buffer,
  start: number,
  type: number,
  from: number,
  to: number,
): DnsRecord | undefined {
  switch (type) {
    case typeNumbers.PTR:
      return { type: 'PTR', name: readName(message, start), target: readName(message, from) }
    case typeNumbers.SRV:
      return {
        type: 'SRV',
        name: readName(message, start),
        port: message.readUInt16BE(from + 4),
        target: readName(message, from + 6),
      }
    case typeNumbers.TXT:
      return { type: 'TXT', name: readName(message, start), texts: readTexts(message.subarray(from, to)) }
    case typeNumbers.A:
      return to - from === 4
        ? { type: 'A', name: readName(message, start), address: [...message.subarray(from, to)].join('.') }
        : undefined
    default:
      return undefined
  }
}

function isPointer(length: number): boolean {
  return (length & 0xc0) === 0xc0
}

/** The end of a name in the message; its pointer is not followed. */
function findNameEnd(message: Buffer, start: number): number {
  for (let at = start; ; ) {
    const length = message.readUInt8(at)
    if (isPointer(length)) return at + 2
    if (length === 0) return at + 1
    at += 1 + length
  }
}

function readName(message: Buffer, start: number): string {
  const labels: string[] = []
  let bytes = 1
  let at = start
  /** The start of the current part: a pointer must point to before it. */
  let partStart = start
  for (let pointers = 0; ; ) {
    const length = message.readUInt8(at)
    if (length === 0) return labels.join('.')
    if (isPointer(length)) {
      pointers += 1
      at = message.readUInt16BE(at) & 0x3fff
      if (at >= partStart || pointers > maxPointers)
        throw new RangeError('a name has a pointer that does not point backwards, or too many pointers')
      partStart = at
      continue
    }
    bytes += 1 + length
    if (length > maxLabelBytes || bytes > maxNameBytes || labels.length === maxLabels)
      throw new RangeError('a name is too long')
    if (at + 1 + length > message.length) throw new RangeError('a name ends after the message')
    const label = message.toString('utf8', at + 1, at + 1 + length)
    labels.push(label.replace(/[.\\]/g, '\\$&'))
    at += 1 + length
  }
}

function readTexts(bytes: Buffer): string[] {
  const texts: string[] = []
  for (let at = 0; at < bytes.length && texts.length < maxTexts; ) {
    const length = bytes.readUInt8(at)
    texts.push(bytes.toString('utf8', at + 1, at + 1 + length))
    at += 1 + length
  }
  return texts
}
