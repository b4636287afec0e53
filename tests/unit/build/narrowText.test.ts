import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { escapeWide } from '../../../build/narrowText.mjs'

it.each([
  ["'it’s — 5 €'", 'it’s — 5 €'],
  ['`„\n”`', '„\n”'],
  [String.raw`'\’ \\’ \\\’ \n’'`, '’ \\’ \\’ \n’'],
  ["'📦 ł'.length", 4],
  ["'aœb'.replace(/[Œ-œ’]/gu, '-')", 'a-b'],
  ["/^[📦✅]$/u.test('📦')", true],
  ["'é' /* — */", 'é'],
])('escapeWide writes %s in Latin-1 with the same value', (code, value) => {
  const narrow = escapeWide(code)
  expect(Buffer.from(narrow, 'latin1').toString('latin1')).toBe(narrow)
  expect(runInNewContext(narrow)).toBe(value)
})

it('escapeWide leaves a script without characters beyond Latin-1 unchanged', () => {
  const code = String.raw`const text = 'é\\n' + /\d+/.source`
  expect(escapeWide(code)).toBe(code)
})
