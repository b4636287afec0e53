import type { IppAttribute, IppGroup, IppMessage, IppValue } from './message'
import { valueTag } from './message'

const endOfAttributes = 0x03
const firstValueTag = 0x10
const endOfCollection = 0x37
const memberName = 0x4a
const textWithLanguage = 0x35
const nameWithLanguage = 0x36
/** The unit of a resolution that is not in dots per inch. */
const dotsPerCm = 4
/** Real messages nest two deep. */
const deepestNesting = 8
/** More than the queues of any server. */
const maxGroups = 10_000
/** More than the attributes, their values and members of any answer: a printer with a thousand media has ten thousand. */
const maxFields = 200_000

interface Field {
  tag: number
  name: string
  value: Buffer
}

/** Reads a message in the encoding of RFC 8010; undefined when the bytes are no such message. */
export function decodeIpp(bytes: Buffer): IppMessage | undefined {
  try {
    return readMessage(bytes)
  } catch (error) {
    // Buffer's bounds checks find every message that ends too early; hostile ones are too long.
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

/** An attribute without a name is one more value of the attribute before it. */
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
      return resolutionIn(bytes)
    case textWithLanguage:
    case nameWithLanguage:
      return textAfterLanguage(bytes)
    default:
      return field.tag >= valueTag.text && field.tag <= valueTag.mimeType ? bytes.toString('utf8') : bytes
  }
}

/** In dots per inch, whichever unit it came in. */
function resolutionIn(bytes: Buffer): { x: number; y: number } {
  const scale = bytes.readUInt8(8) === dotsPerCm ? 2.54 : 1
  return { x: bytes.readInt32BE(0) * scale, y: bytes.readInt32BE(4) * scale }
}

function readCollection(fields: FieldReader, depth: number): IppAttribute[] {
  if (depth > deepestNesting) throw new RangeError('collections nest too deep')
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

function textAfterLanguage(bytes: Buffer): string {
  const start = 2 + bytes.readUInt16BE(0)
  const length = bytes.readUInt16BE(start)
  return bytes.toString('utf8', start + 2, start + 2 + length)
}

/** Walks over the tags and fields of a message; reading past the end throws a RangeError. */
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
