import { describe, expect, it } from 'vitest'
import { decodeAnswer, encodeQuery } from '../../../src/main/discovery/dnsMessage'

/** An answer with one PTR record whose name is pointed at. */
const answer = Buffer.concat([
  Buffer.from([0, 0, 0x84, 0, 0, 0, 0, 1, 0, 0, 0, 0]),
  Buffer.from('\x08_printer\x04_tcp\x05local\x00', 'latin1'),
  Buffer.from([0, 12, 0, 1, 0, 0, 0, 60, 0, 8]),
  Buffer.from('\x05A.B C\xc0\x0c', 'latin1'),
])

describe('a message of service discovery', () => {
  it('asks for the names and types that are wanted', () => {
    const query = encodeQuery([{ name: 'A\\.B C._printer._tcp.local', type: 'SRV' }])
    expect(query.toString('latin1')).toContain('\x05A.B C\x08_printer\x04_tcp\x05local\x00\x00\x21\x80\x01')
  })

  it('is read with its pointers, and dots in a label kept apart from those between labels', () => {
    expect(decodeAnswer(answer)).toEqual([
      { type: 'PTR', name: '_printer._tcp.local', target: 'A\\.B C._printer._tcp.local' },
    ])
  })

  it('gives nothing when it is cut off anywhere, points at itself or is a query', () => {
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
