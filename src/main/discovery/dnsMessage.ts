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
/** Asks for the answer to be sent to the asker alone (RFC 6762, 5.4). */
const unicastAnswer = 0x8000
/** A name that points on and on is a broken or hostile one. */
const maxPointers = 32

/** A query without recursion. Labels of names are separated by dots; one that holds a dot has it as `\.`. */
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

/** All records of an answer that are understood; none when the message is no whole answer. */
export function decodeAnswer(message: Buffer): DnsRecord[] {
  try {
    return readRecords(message)
  } catch (error) {
    // Anybody on the network may send anything: what reads past the end is no answer.
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
  for (let index = 0; index < questions; index += 1) at = readName(message, at).end + 4
  const records: DnsRecord[] = []
  for (let index = 0; index < count; index += 1) {
    const { name, end } = readName(message, at)
    const type = message.readUInt16BE(end)
    const length = message.readUInt16BE(end + 8)
    const from = end + 10
    at = from + length
    if (at > message.length) throw new RangeError('the record ends after the message')
    const record = readRecord(message, name, type, from, at)
    if (record !== undefined) records.push(record)
  }
  return records
}

function readRecord(
  message: Buffer,
  name: string,
  type: number,
  from: number,
  to: number,
): DnsRecord | undefined {
  switch (type) {
    case typeNumbers.PTR:
      return { type: 'PTR', name, target: readName(message, from).name }
    case typeNumbers.SRV:
      return {
        type: 'SRV',
        name,
        port: message.readUInt16BE(from + 4),
        target: readName(message, from + 6).name,
      }
    case typeNumbers.TXT:
      return { type: 'TXT', name, texts: readTexts(message.subarray(from, to)) }
    case typeNumbers.A:
      return to - from === 4
        ? { type: 'A', name, address: [...message.subarray(from, to)].join('.') }
        : undefined
    default:
      return undefined
  }
}

function readName(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = []
  let end: number | undefined
  let at = start
  for (let pointers = 0; ; ) {
    const length = message.readUInt8(at)
    if (length === 0) return { name: labels.join('.'), end: end ?? at + 1 }
    if ((length & 0xc0) === 0xc0) {
      pointers += 1
      if (pointers > maxPointers) throw new RangeError('the name points on and on')
      end ??= at + 2
      at = message.readUInt16BE(at) & 0x3fff
      continue
    }
    if (at + 1 + length > message.length) throw new RangeError('the name ends after the message')
    const label = message.toString('utf8', at + 1, at + 1 + length)
    labels.push(label.replace(/[.\\]/g, '\\$&'))
    at += 1 + length
  }
}

function readTexts(bytes: Buffer): string[] {
  const texts: string[] = []
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUInt8(at)
    texts.push(bytes.toString('utf8', at + 1, at + 1 + length))
    at += 1 + length
  }
  return texts
}
