import { describe, expect, it } from 'vitest'
import { jsonIssueText, parseJsonText, parseUnambiguousJson } from '../../../src/main/lib/jsonText'

function toIssue(text: string): string {
  const parsed = parseJsonText(text)
  if (parsed.ok) throw new Error('the text was accepted')
  return jsonIssueText(parsed.error)
}

describe('JSON text', () => {
  it('is read with and without a byte order mark', () => {
    expect(parseJsonText('{"a": [1, -2.5e3, true, null, "x\\u00e9"]}')).toEqual({
      ok: true,
      value: { a: [1, -2500, true, null, 'xé'] },
    })
    expect(parseJsonText('\uFEFF[]')).toEqual({ ok: true, value: [] })
  })

  it.each([
    ['{"a": 1,}', 'line 1, column 9: a name in double quotes'],
    ["{'a': 1}", 'line 1, column 2: a name in double quotes or }'],
    ['{"a" 1}', 'line 1, column 6: a colon'],
    ['{\n  "a": 1\n  "b": 2\n}', 'line 3, column 3: a comma or }'],
    ['[1 2]', 'line 1, column 4: a comma or ]'],
    ['[1, ]', 'line 1, column 5: a value is'],
    ['[01]', 'line 1, column 2: a value or ]'],
    ['{} {}', 'line 1, column 4: nothing more'],
    ['{"path": "C:\\labels"}', 'line 1, column 13: write \\\\ for a backslash'],
    ['{"a": "one\ntwo"}', 'line 1, column 11: text in quotes must not contain a line break'],
    ['// note\n{}', 'line 1, column 1: a value'],
    ['[True]', 'line 1, column 2: a value or ]'],
  ])('is refused with line and column of the mistake: %j', (text, words) => {
    expect(toIssue(text)).toContain(words)
  })

  it.each(['', '   ', '{', '{"a"', '{"a":', '{"a": 1', '{"a": "b', '[', '[1', '[1,', '"x', '[{"a": [1, 2'])(
    '%j ends too early',
    (text) => {
      const parsed = parseJsonText(text)
      expect(parsed.ok ? undefined : parsed.error.endsEarly).toBe(true)
    },
  )

  it('is never quoted in an error, because it may contain a password', () => {
    expect(toIssue('{"password": hunter2}')).not.toContain('hunter2')
  })

  it('is refused for a mistake inside a hundred thousand brackets', () => {
    expect(toIssue(`${'['.repeat(100_000)}?`)).toContain('column 100001')
  })
})

describe('JSON text in which each name must be given once', () => {
  it.each([
    ['{"a": 1, "a": 2}', 'line 1, column 10: the name "a" is given twice in the same object'],
    ['[{"b": {"x": [1]}},\n {"b": {"x": 1,\n "x": 1}}]', 'line 3, column 2: the name "x"'],
    ['{"weight": 1, "\\u0077eight": 2}', 'line 1, column 15: the name "\\u0077eight"'],
    ['{"a": 1, "a": 2, "b": 1, "b": 2}', 'the name "a"'],
    ['\uFEFF{"": 1, "": 2}', 'line 1, column 9: the name ""'],
  ])('is refused with line and column of the second name: %j', (text, words) => {
    const parsed = parseUnambiguousJson(text)
    expect(parsed.ok ? '' : jsonIssueText(parsed.error)).toContain(words)
    expect(parsed.ok ? undefined : parsed.error.endsEarly).toBe(false)
    expect(parseJsonText(text).ok).toBe(true)
  })

  it('is accepted where different objects share a name, and where a value looks like one', () => {
    const value = [{ a: 'a', b: { a: '"a": 1' } }, { a: ['a', 'a'] }]
    expect(parseUnambiguousJson(JSON.stringify(value))).toEqual({ ok: true, value })
  })

  it('is refused when its brackets are nested too deeply, before it is parsed', () => {
    const deep = (depth: number) => `{"a": ${'['.repeat(depth)}1${']'.repeat(depth)}}`
    expect(parseUnambiguousJson(deep(99)).ok).toBe(true)
    const parsed = parseUnambiguousJson(deep(100_000))
    expect(parsed.ok ? '' : jsonIssueText(parsed.error)).toContain(
      'column 106: brackets must not be nested more than 100 deep',
    )
    expect(parsed.ok ? undefined : parsed.error.endsEarly).toBe(false)
  })

  it('is refused like other text where it is not JSON', () => {
    expect(parseUnambiguousJson('{"a": 1,}')).toEqual(parseJsonText('{"a": 1,}'))
  })
})
