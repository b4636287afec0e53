import { describe, expect, it } from 'vitest'
import { KnownRecords } from '../../../src/main/discovery/announcedPrinters'
import { decodeAnswer, encodeQuery } from '../../../src/main/discovery/dnsMessage'
import { foundPrinterSchema } from '../../../src/shared/discovery'

/** An answer with one PTR record whose name is a pointer. */
const answer = Buffer.concat([
  Buffer.from([0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]),
  Buffer.from('\x08_printer\x04_tcp\x05local\x00', 'latin1'),
  Buffer.from([0, 12, 0, 1, 0, 0, 0, 60, 0, 8]),
  Buffer.from('\x05A.B C\xc0\x0c', 'latin1'),
])

describe('a message of service discovery', () => {
  it('contains the requested names and types', () => {
    const query = encodeQuery([{ name: 'A\\.B C._printer._tcp.local', type: 'SRV' }])
    expect(query.toString('latin1')).toContain('\x05A.B C\x08_printer\x04_tcp\x05local\x00\x00\x21\x80\x01')
  })

  it('is decoded with its pointers, and dots inside a label stay distinct from those between labels', () => {
    expect(decodeAnswer(answer)).toEqual([
      { type: 'PTR', name: '_printer._tcp.local', target: 'A\\.B C._printer._tcp.local' },
    ])
  })

  it('has no records when it is truncated anywhere, points at itself or is a query', () => {
    for (let length = 0; length < answer.length; length += 1) {
      expect(decodeAnswer(answer.subarray(0, length))).toEqual([])
    }
    const looping = Buffer.from(answer)
    looping.writeUInt16BE(0xc00c, 12)
    expect(decodeAnswer(looping)).toEqual([])
    const query = Buffer.from(answer)
    query.writeUInt8(0, 2)
    expect(decodeAnswer(query)).toEqual([])
  })
})

/** An answer with as many records as its header states. */
function toAnswer(count: number, ...parts: Buffer[]): Buffer {
  const header = Buffer.from([0, 0, 0x84, 0, 0, 0, 0, 0, 0, 0, 0, 0])
  header.writeUInt16BE(count, 6)
  return Buffer.concat([header, ...parts])
}

function pointTo(offset: number): Buffer {
  return Buffer.from([0xc0 | (offset >> 8), offset & 0xff])
}

function toRecord(name: Buffer, type: number, data: Buffer): Buffer {
  const head = Buffer.from([0, type, 0, 1, 0, 0, 0, 60, 0, 0])
  head.writeUInt16BE(data.length, 8)
  return Buffer.concat([name, head, data])
}

const label = (length: number) => Buffer.from([length, ...Buffer.alloc(length, 'x')])
const root = Buffer.from([0])

describe('a hostile message of service discovery', () => {
  it('is dropped when a name is longer than 255 bytes, with or without pointers', () => {
    const longest = Buffer.concat([label(63), label(63), label(63), label(61), root])
    expect(decodeAnswer(toAnswer(1, toRecord(longest, 16, root)))).toHaveLength(1)
    const longer = Buffer.concat([label(63), label(63), label(63), label(62), root])
    expect(decodeAnswer(toAnswer(1, toRecord(longer, 16, root)))).toEqual([])
    const pointing = toRecord(Buffer.concat([label(1), pointTo(12)]), 16, root)
    expect(decodeAnswer(toAnswer(2, toRecord(longest, 16, root), pointing))).toEqual([])
  })

  it('is dropped when a name has very many labels', () => {
    const many = Buffer.concat([...Array.from({ length: 33 }, () => label(1)), root])
    expect(decodeAnswer(toAnswer(1, toRecord(many, 16, root)))).toEqual([])
  })

  it('is dropped when a pointer points forwards, or back into the part that it ends', () => {
    const forwards = toRecord(pointTo(24), 16, root)
    expect(decodeAnswer(toAnswer(2, forwards, toRecord(label(1), 16, root)))).toEqual([])
    expect(decodeAnswer(toAnswer(1, toRecord(Buffer.concat([label(1), pointTo(12)]), 16, root)))).toEqual([])
  })

  it('is dropped when it is larger than 9,000 bytes', () => {
    const text = toRecord(root, 16, Buffer.alloc(1000, 'x'))
    const parts = Array.from({ length: 8 }, () => text)
    expect(decodeAnswer(toAnswer(8, ...parts))).toHaveLength(8)
    expect(decodeAnswer(toAnswer(9, ...parts, text))).toEqual([])
  })

  it('gives its first 200 records, and 100 texts of each', () => {
    const parts = Array.from({ length: 300 }, () => toRecord(root, 16, Buffer.alloc(10)))
    expect(decodeAnswer(toAnswer(300, ...parts))).toHaveLength(200)
    expect(decodeAnswer(toAnswer(1, toRecord(root, 16, Buffer.alloc(5000))))).toEqual([
      { type: 'TXT', name: '', texts: Array.from({ length: 100 }, () => '') },
    ])
  })

  it('is dropped when it has more questions than answers', () => {
    const asking = toAnswer(0, ...Array.from({ length: 201 }, () => Buffer.alloc(5)))
    asking.writeUInt16BE(201, 4)
    expect(decodeAnswer(asking)).toEqual([])
  })
})

describe('the records that printers announced', () => {
  const service = '_pdl-datastream._tcp.local'

  it('are kept and queried up to a limit of 2,000', () => {
    const known = new KnownRecords()
    const names = Array.from({ length: 3000 }, (_, number) => `p${number}.${service}`)
    expect(known.add(names.map((target) => ({ type: 'PTR', name: service, target })))).toBe(true)
    expect(known.listMissing()).toHaveLength(4000)
    expect(known.add([{ type: 'PTR', name: service, target: `more.${service}` }])).toBe(false)
  })

  it('give the printers whose address is in a private network, with names that the bridge accepts', () => {
    const known = new KnownRecords()
    const name = `P.${service}`
    known.add([
      { type: 'PTR', name: service, target: name },
      { type: 'SRV', name: name.toUpperCase(), target: 'P.local', port: 9100 },
      { type: 'TXT', name, texts: [`ty=${'x'.repeat(252)}`] },
      { type: 'A', name: 'p.local', address: '203.0.113.1' },
    ])
    expect(known.listMissing()).toEqual([{ name: 'P.local', type: 'A' }])
    known.add([{ type: 'A', name: 'p.local', address: '10.0.0.1' }])
    expect(known.listMissing()).toEqual([])
    const printers = known.toPrinters()
    expect(printers).toMatchObject([{ host: '10.0.0.1', port: 9100 }])
    expect(foundPrinterSchema.array().safeParse(printers).success).toBe(true)
  })
})
