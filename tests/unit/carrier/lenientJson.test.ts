import { describe, expect, it } from 'vitest'
import { asFlag, asText, parseJson } from '../../../src/main/carrier/json'

function parse(text: string): unknown {
  return parseJson(Buffer.from(text))
}

describe('a number of an answer', () => {
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
  ])('keeps all its digits: %s', (text, value) => {
    expect(parse(text)).toEqual(value)
  })

  it.each([
    '{"a": 9007199254740993',
    '{"a": 9007199254740993x}',
    '{"a": "9007199254740993',
    '{"a": 09007199254740993}',
  ])('does not make JSON of what is none: %s', (text) => {
    expect(parse(text)).toBeUndefined()
  })

  it('is found beside a text of 24 MB', () => {
    const content = 'QUJD'.repeat(6 * 1024 * 1024)
    const value = parse(`{"labels":[{"content":"${content}"}],"shipmentID": 9007199254740993}`)
    expect(value).toEqual({ labels: [{ content }], shipmentID: '9007199254740993' })
  })
})

describe('lenient readings', () => {
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
  ])('%j is the flag %j', (value, flag) => {
    expect(asFlag(value)).toBe(flag)
  })

  it('take numbers for texts', () => {
    expect([7, ' a ', '', Number.NaN, true, null].map(asText)).toEqual(['7', 'a', null, null, null, null])
  })
})
