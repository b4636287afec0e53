import { describe, expect, it } from 'vitest'
import { asFlag, asText, parseJson } from '../../../src/main/carrier/json'

function parse(text: string): unknown {
  return parseJson(Buffer.from(text))
}

describe('parseJson', () => {
  it.each([
    ['{"ZendingID": 9007199254740993}', { ZendingID: '9007199254740993' }],
    ['{"ZendingID":12345678901234567890,"a":1}', { ZendingID: '12345678901234567890', a: 1 }],
    ['{"ids":[-9007199254740993 ,9007199254740991]}', { ids: ['-9007199254740993', 9007199254740991] }],
    ['9007199254740993', '9007199254740993'],
    ['{"a":1.2345678901234567890,"b":1e21}', { a: 1.2345678901234567, b: 1e21 }],
    [
      '{"a":"x: 9007199254740993, \\" 9007199254740993","b":7}',
      { a: 'x: 9007199254740993, " 9007199254740993', b: 7 },
    ],
    ['{"a":"ends in \\\\","b": 9007199254740993}', { a: 'ends in \\', b: '9007199254740993' }],
    ['{"9007199254740993, ": 9007199254740993}', { '9007199254740993, ': '9007199254740993' }],
  ])('keeps every digit of integers beyond the safe range in %s', (text, value) => {
    expect(parse(text)).toEqual(value)
  })

  it.each([
    '{"a": 9007199254740993',
    '{"a": 9007199254740993x}',
    '{"a": "9007199254740993',
    '{"a": 09007199254740993}',
  ])('returns undefined for the invalid JSON %s', (text) => {
    expect(parse(text)).toBeUndefined()
  })

  it('keeps every digit of an integer after a text of 24 MB', () => {
    const content = 'QUJD'.repeat(6 * 1024 * 1024)
    const value = parse(`{"labels":[{"content":"${content}"}],"shipmentID": 9007199254740993}`)
    expect(value).toEqual({ labels: [{ content }], shipmentID: '9007199254740993' })
  })
})

describe('asFlag and asText', () => {
  it.each([
    [true, true],
    [' True ', true],
    [1, true],
    ['1', true],
    [false, false],
    ['FALSE', false],
    [0, null],
    ['0', null],
    [2, null],
    ['ok', null],
    [null, null],
    [{}, null],
  ])('reads %j as the flag %j', (value, flag) => {
    expect(asFlag(value)).toBe(flag)
  })

  it('converts numbers to text and rejects empty text, NaN and other types', () => {
    expect([7, ' a ', '', Number.NaN, true, null].map(asText)).toEqual(['7', 'a', null, null, null, null])
  })
})
