import type { IppAttribute, IppMessage, IppValue } from './message'
import { valueTag } from './message'

const endOfAttributes = 0x03
const endOfCollection = 0x37
const memberName = 0x4a
const dotsPerInch = 3

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
