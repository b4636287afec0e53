import { describe, expect, it } from 'vitest'
import { createScanReader, type KeyMeaning } from '../../../src/renderer/features/scanner/scanReader'
import { type Scanner, scannerSchema } from '../../../src/shared/scanner'

/** Presses keys with the given gap in milliseconds, and returns the meaning of the last one. */
function press(
  keys: readonly string[],
  gapMs: number,
  set: Partial<Scanner> = {},
  reader = createScanReader(),
) {
  const scanner = scannerSchema.parse(set)
  let at = 1000
  let meaning: KeyMeaning = { kind: 'typed' }
  for (const key of keys) {
    at += gapMs
    meaning = reader.take(key, at, scanner)
  }
  return meaning
}

describe('a scan', () => {
  it.each(['Enter', 'Tab'])('is a run of fast keys that ends with %s', (end) => {
    expect(press([...'ORDER-1', end], 8)).toEqual({ kind: 'scan', code: 'ORDER-1' })
  })

  it('may contain capital letters, for which Shift is pressed', () => {
    expect(press(['Shift', 'A', 'Shift', 'B', 'c', 'd', 'Enter'], 8)).toEqual({ kind: 'scan', code: 'ABcd' })
  })

  it.each(['AltGraph', 'Control', 'Alt', 'CapsLock', 'NumLock', 'Dead'])(
    'may contain signs for which %s is pressed',
    (modifier) => {
      const keys = [modifier, '#', 'W', 'E', 'B', modifier, '#', ...'1001', modifier, ']', 'Enter']
      expect(press(keys, 8, { prefix: '#', suffix: ']' })).toEqual({ kind: 'scan', code: 'WEB#1001' })
    },
  )

  it('may contain function and arrow keys, which scanners send for the control characters of a code', () => {
    const reader = createScanReader()
    expect(press([...'[)>', 'F9'], 8, {}, reader)).toEqual({ kind: 'goes-on', length: 3 })
    expect(press([...'[)>', 'F9', ...'01A', 'ArrowRight', 'Enter'], 8)).toEqual({
      kind: 'scan',
      code: '[)>01A',
    })
  })

  it('does not include keys typed by hand just before it', () => {
    const reader = createScanReader()
    const scanner = scannerSchema.parse({})
    reader.take('1', 0, scanner)
    reader.take('2', 150, scanner)
    const keys = [...'ORDER-1', 'Enter']
    const meanings = keys.map((key, index) => reader.take(key, 400 + index * 5, scanner))
    expect(meanings[0]).toEqual({ kind: 'begins' })
    expect(meanings[1]).toEqual({ kind: 'goes-on', length: 2 })
    expect(meanings.at(-1)).toEqual({ kind: 'scan', code: 'ORDER-1' })
  })

  it('is read without the scanner’s prefix and suffix', () => {
    expect(press([...'~ORDER-1#', 'Enter'], 8, { prefix: '~', suffix: '#' })).toEqual({
      kind: 'scan',
      code: 'ORDER-1',
    })
  })
})

describe('typing by hand', () => {
  it.each([
    ['comes slowly', [...'ORDER-1', 'Enter'], 90, {}],
    ['is short', [...'12', 'Enter'], 5, {}],
    ['does not end', [...'ORDER-1'], 5, {}],
    ['ends with another key', [...'ORDER-1', 'ArrowDown'], 5, {}],
    ['lacks the prefix of the scanner', [...'ORDER-1', 'Enter'], 5, { prefix: '~' }],
  ] as const)('is not a scan when it %s', (_case, keys, gap, set) => {
    expect(press(keys, gap, set).kind).not.toBe('scan')
  })

  it('is not a scan when the end key comes late', () => {
    const reader = createScanReader()
    press([...'ORDER-1'], 5, {}, reader)
    expect(reader.take('Enter', 5000, scannerSchema.parse({}))).toEqual({ kind: 'typed' })
  })

  it('is followed by a function key that is not a part of a scan', () => {
    const reader = createScanReader()
    press([...'ORDER-1'], 5, {}, reader)
    expect(reader.take('F9', 5000, scannerSchema.parse({}))).toEqual({ kind: 'typed' })
    expect(press(['2', 'F9'], 5)).toEqual({ kind: 'typed' })
  })

  it('may be as fast as the station’s setting allows', () => {
    expect(press([...'ORDER-1', 'Enter'], 90, { maxGapMs: 100 }).kind).toBe('scan')
  })
})
