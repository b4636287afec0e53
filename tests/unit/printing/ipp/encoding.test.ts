import { describe, expect, it } from 'vitest'
import {
  decodeIpp,
  encodeIpp,
  getFlag,
  groupTag,
  type IppMessage,
  toNumber,
  toText,
  toTexts,
  valueTag,
} from '../../../../src/main/printing/cups/ipp'
import { longAnswer } from '../../../support/cups/longAnswer'

const message: IppMessage = {
  code: 0x000b,
  requestId: 7,
  groups: [
    {
      tag: groupTag.operation,
      attributes: [{ name: 'attributes-charset', tag: valueTag.charset, values: ['utf-8'] }],
    },
    {
      tag: groupTag.printer,
      attributes: [
        { name: 'printer-info', tag: valueTag.text, values: ['Prüf «Drucker»'] },
        { name: 'media-supported', tag: valueTag.keyword, values: ['a', 'b', 'c'] },
        { name: 'copies', tag: valueTag.integer, values: [-3] },
        { name: 'accepting', tag: valueTag.boolean, values: [false] },
        { name: 'range', tag: valueTag.range, values: [{ lower: 1, upper: 99 }] },
        { name: 'resolution', tag: valueTag.resolution, values: [{ x: 203, y: 300 }] },
        {
          name: 'media-col',
          tag: valueTag.collection,
          values: [
            [
              {
                name: 'media-size',
                tag: valueTag.collection,
                values: [[{ name: 'x-dimension', tag: valueTag.integer, values: [10_000] }]],
              },
              { name: 'kinds', tag: valueTag.keyword, values: ['one', 'two'] },
            ],
            [{ name: 'kinds', tag: valueTag.keyword, values: ['three'] }],
          ],
        },
      ],
    },
  ],
  data: Buffer.from('%PDF'),
}

describe('the encoding of IPP', () => {
  it('writes the bytes of RFC 8010', () => {
    const bytes = encodeIpp({
      code: 0x0009,
      requestId: 1,
      groups: [
        {
          tag: groupTag.operation,
          attributes: [{ name: 'job-id', tag: valueTag.integer, values: [5] }],
        },
      ],
      data: Buffer.alloc(0),
    })
    expect(bytes.toString('hex')).toBe(
      '0200000900000001' + '01' + '2100066a6f622d6964' + '000400000005' + '03',
    )
  })

  it('reads back what it writes', () => {
    expect(decodeIpp(encodeIpp(message))).toEqual(message)
  })

  it('reads texts that carry a language', () => {
    const value = Buffer.concat([Buffer.of(0, 2), Buffer.from('nl'), Buffer.of(0, 4), Buffer.from('leeg')])
    const group = { tag: groupTag.printer, attributes: [{ name: 'words', tag: 0x35, values: [value] }] }
    const read = decodeIpp(encodeIpp({ ...message, groups: [group] }))
    expect(toText(read?.groups[0], 'words')).toBe('leeg')
  })

  it('refuses every message that was cut off before the end of its attributes', () => {
    const whole = encodeIpp({ ...message, data: Buffer.alloc(0) })
    for (let length = 0; length < whole.length; length += 1) {
      expect(decodeIpp(whole.subarray(0, length))).toBeUndefined()
    }
    expect(decodeIpp(Buffer.from('HTTP/1.1 200 OK and no IPP'))).toBeUndefined()
  })

  it('reads answers with thousands of queues or media, and refuses answers larger than any server sends', () => {
    const keyword = { name: 'words', tag: valueTag.keyword, values: [''] }
    const media = {
      ...{ name: 'media-col-database', tag: valueTag.collection },
      values: [[{ name: 'x-dimension', tag: valueTag.integer, values: [1] }]],
    }
    const queues = (count: number) =>
      encodeIpp({
        ...message,
        groups: Array.from({ length: count }, () => ({ tag: groupTag.printer, attributes: [keyword] })),
      })
    for (const usual of [queues(2000), longAnswer(keyword, 20_000), longAnswer(media, 20_000)]) {
      expect(decodeIpp(usual) !== undefined).toBe(true)
    }
    const head = encodeIpp({ ...message, groups: [] }).subarray(0, 8)
    const groups = Buffer.concat([head, Buffer.alloc(8 * 1024 * 1024, groupTag.printer), Buffer.of(3)])
    for (const hostile of [groups, longAnswer(keyword, 1_500_000), longAnswer(media, 200_000)]) {
      expect(decodeIpp(hostile) === undefined).toBe(true)
    }
  })
})

it('returns IPP attributes by name, and nothing for a missing attribute or another type', () => {
  const printer = message.groups[1]
  expect(toTexts(printer, 'media-supported')).toEqual(['a', 'b', 'c'])
  expect(toNumber(printer, 'copies')).toBe(-3)
  expect(getFlag(printer, 'accepting')).toBe(false)
  expect(toText(printer, 'copies')).toBeUndefined()
  expect(toNumber(printer, 'gone')).toBeUndefined()
  expect(toTexts(undefined, 'media-supported')).toEqual([])
})
