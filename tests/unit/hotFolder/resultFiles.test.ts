import { describe, expect, it } from 'vitest'
import { findOrderFormat, isTemporary } from '../../../src/main/hotFolder/folders'
import { deliveredNames, findResultAttempt } from '../../../src/main/hotFolder/orderResult'

describe('file names in the hot folder', () => {
  it('determine the order format, or none for temporary and other files', () => {
    expect(['a.json', 'B.JSON', 'a.b.csv', 'a.Csv'].map(findOrderFormat)).toEqual([
      'json',
      'json',
      'csv',
      'csv',
    ])
    for (const name of ['.a.json', 'a.json.tmp', 'a.json.part', 'a.txt', 'json', '.json', 'a.json~']) {
      expect(findOrderFormat(name)).toBeUndefined()
    }
  })

  it('identify files that are still being written', () => {
    expect(['.a.json', 'a.json.tmp', 'a.PART'].every(isTemporary)).toBe(true)
    expect(['a.json', 'a.txt'].some(isTemporary)).toBe(false)
  })

  it('get a number when the name already exists', () => {
    expect(deliveredNames('a.b.json', 1)).toEqual({ order: 'a.b.json', result: 'a.b.result.json' })
    expect(deliveredNames('a.csv', 3)).toEqual({ order: 'a.3.csv', result: 'a.3.result.json' })
  })

  it('of results are parsed back to their number', () => {
    for (const attempt of [1, 2, 10]) {
      expect(findResultAttempt('a.json', deliveredNames('a.json', attempt).result)).toBe(attempt)
    }
    for (const other of ['ab.result.json', 'a.x.result.json', 'a.1.result.json', 'a.json', 'b.result.json']) {
      expect(findResultAttempt('a.json', other)).toBeUndefined()
    }
  })
})
