import { randomBytes } from 'node:crypto'
import { createSocket } from 'node:dgram'

export const snmpPort = 161
const maxDescription = 60

/** The BER tags of ASN.1 types and of SNMP's messages (RFC 1157). */
const tag = { integer: 0x02, text: 0x04, nothing: 0x05, oid: 0x06, list: 0x30, request: 0xa0, response: 0xa2 }

/** `hrDeviceDescr.1` (RFC 2790): the manufacturer's name of the first device, which is the printer itself. */
const deviceDescription = [0x2b, 0x06, 0x01, 0x02, 0x01, 0x19, 0x03, 0x02, 0x01, 0x03, 0x01]

/**
 * Asks a device by SNMP v1, which no device prints, for its manufacturer's name.
 * @returns undefined without an answer within `waitMs` milliseconds
 */
export function describeDevice(host: string, waitMs: number, port = snmpPort): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4')
    // A positive number of four bytes: an agent repeats it in its answer in the same encoding.
    const id = Buffer.concat([Buffer.of(0x40), randomBytes(3)])
    const conclude = (answer: string | undefined) => {
      clearTimeout(timer)
      socket.close()
      resolve(answer)
    }
    const timer = setTimeout(() => conclude(undefined), waitMs)
    socket.on('error', () => conclude(undefined))
    socket.on('message', (message) => {
      const answer = readResponse(message, id)
      if (answer !== undefined) conclude(answer)
    })
    // A connected socket receives nothing from other addresses.
    // Not as the callback of `connect`, which gets the error of a failed connection, in place of the event.
    socket.once('connect', () => socket.send(encodeRequest(id)))
    socket.connect(port, host)
  })
}

function encodeRequest(id: Buffer): Buffer {
  const zero = encode(tag.integer, [0])
  const wanted = encode(tag.list, encode(tag.oid, deviceDescription), encode(tag.nothing))
  return encode(
    tag.list,
    zero,
    encode(tag.text, Buffer.from('public')),
    encode(tag.request, encode(tag.integer, id), zero, zero, encode(tag.list, wanted)),
  )
}

/** Encodes a value with its type and length; values up to 127 bytes. */
function encode(type: number, ...parts: (readonly number[] | Buffer)[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)))
  return Buffer.concat([Buffer.from([type, content.length]), content])
}

/** @returns undefined when the message is not an answer to the request or has no text */
function readResponse(message: Buffer, id: Buffer): string | undefined {
  const [whole] = readValues(message)
  const [, , response] = readValues(whole?.content)
  const [answered, status, , bindings] = readValues(response?.content)
  const [binding] = readValues(bindings?.content)
  const [, value] = readValues(binding?.content)
  const isAnswer = response?.type === tag.response && answered?.content.equals(id) && status?.content[0] === 0
  if (!isAnswer || value?.type !== tag.text) return undefined
  const text = value.content.toString('latin1').replace(/[^\x20-\x7e]+/g, ' ')
  return text.trim().slice(0, maxDescription) || undefined
}

/** Reads consecutive values up to the first incomplete one. */
function readValues(bytes: Buffer = Buffer.alloc(0)): { type: number; content: Buffer }[] {
  const values: { type: number; content: Buffer }[] = []
  for (let at = 0; at + 2 <= bytes.length; ) {
    const short = bytes.readUInt8(at + 1)
    const width = short < 0x80 ? 0 : short - 0x80
    const from = at + 2 + width
    if (short === 0x80 || width > 2 || from > bytes.length) break
    const length = width === 0 ? short : bytes.readUIntBE(at + 2, width)
    if (from + length > bytes.length) break
    values.push({ type: bytes.readUInt8(at), content: bytes.subarray(from, from + length) })
    at = from + length
  }
  return values
}
