import { type JsonIssueCode, jsonIssueWords } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import { fillSentence } from '../../shared/sentences'

/** Where a text stops being JSON, and why. Holds nothing of the text itself: that could be a password. */
export interface JsonIssue {
  /** From 1. */
  line: number
  /** From 1, in characters. */
  column: number
  problem: string
  /** From which other languages are worded. */
  code: JsonIssueCode
  /** The name that is given twice, in its quotes; empty for other issues. */
  name: string
  /** The text ends before the JSON does, as that of a half-written file. */
  endsEarly: boolean
}

/**
 * Parses JSON text; a byte order mark is allowed.
 * @returns the value, or the first place where the text is no JSON
 */
export function parseJsonText(text: string): Result<unknown, JsonIssue> {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  try {
    return ok(JSON.parse(body))
  } catch {
    // The engine's message quotes the text and often leaves the place out, so it is not used.
    return err(locateIssue(body))
  }
}

/**
 * Parses JSON text of another program, which must not name anything twice: the parser would take the last value without
 * a word. Brackets lie at most `maxDepth` deep in one another: what walks the value afterwards may do so by recursion.
 * @returns the value, the first place where the text is no JSON, or that of the first name its object has already
 */
export function parseUnambiguousJson(text: string): Result<unknown, JsonIssue> {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  let repeated: JsonIssue | undefined
  const issue = locateIssue(body, (at, name) => {
    repeated ??= issueAt(body, at, 'name-twice', name)
  })
  if (issue.code === 'too-deep') return err(issue)
  const parsed = parseJsonText(text)
  if (!parsed.ok) return parsed
  return repeated === undefined ? parsed : err(repeated)
}

/** The issue as words: «line 3, column 5: a value is expected». */
export function jsonIssueText(issue: JsonIssue): string {
  return `line ${issue.line}, column ${issue.column}: ${issue.problem}`
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or ]' | ', or }' | 'end'

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y
const space = /[ \t\r\n]*/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Deeper than any order. */
const maxDepth = 100

/** A list or an object that is not closed yet, with the names it has where they are looked at. */
interface OpenBracket {
  mark: '[' | '{'
  names?: Set<unknown>
}

/** Brackets whose names are not looked at: a file can hold twenty million. */
const nameless: Record<OpenBracket['mark'], OpenBracket> = { '[': { mark: '[' }, '{': { mark: '{' } }

/**
 * Walks the text token by token, without recursion, to where the grammar is left.
 * @param onRepeatedName called with the place of a name that its object has already, and the name in its quotes; with it
 * the walk ends where brackets lie too deep
 */
function locateIssue(text: string, onRepeatedName?: (at: number, name: string) => void): JsonIssue {
  const open: OpenBracket[] = []
  let expected: Expected = 'value'
  let at = 0
  for (;;) {
    at = matchEnd(space, text, at) ?? at
    const token = text[at]
    if (token === undefined || expected === 'end') return issueAt(text, at, expected)
    const isValue: boolean = expected === 'value' || expected === 'value or ]'
    const isKey: boolean = expected === 'key' || expected === 'key or }'
    if (token === '"' && (isValue || isKey)) {
      const string = scanString(text, at)
      if (string.issue !== null) return issueAt(text, string.end, string.issue)
      const quoted = text.slice(at, string.end)
      if (isKey && !addName(open, quoted)) onRepeatedName?.(at, quoted)
      at = string.end
      expected = isKey ? ':' : afterValue(open)
      continue
    }
    const scalarEnd = isValue ? matchEnd(scalar, text, at) : undefined
    if (scalarEnd !== undefined) {
      at = scalarEnd
      expected = afterValue(open)
      continue
    }
    const next = afterMark(token, expected, open)
    if (next === undefined) return issueAt(text, at, expected)
    if (token === '[' || token === '{') {
      if (onRepeatedName !== undefined && open.length === maxDepth) return issueAt(text, at, 'too-deep')
      const hasNames = onRepeatedName !== undefined && token === '{'
      open.push(hasNames ? { mark: token, names: new Set() } : nameless[token])
    }
    expected = next
    at += 1
  }
}

/** Adds a name to the innermost object; false when it has it. Two spellings of one name are the same. */
function addName(open: readonly OpenBracket[], quoted: string): boolean {
  const names = open.at(-1)?.names
  if (names === undefined) return true
  const name: unknown = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
  if (names.has(name)) return false
  names.add(name)
  return true
}

/** What a punctuation mark leads to where `expected` stands; undefined when it may not stand there. */
function afterMark(mark: string, expected: Expected, open: OpenBracket[]): Expected | undefined {
  const isValue = expected === 'value' || expected === 'value or ]'
  if (isValue && mark === '[') return 'value or ]'
  if (isValue && mark === '{') return 'key or }'
  if (mark === ':' && expected === ':') return 'value'
  if (mark === ',' && expected === ', or ]') return 'value'
  if (mark === ',' && expected === ', or }') return 'key'
  const closes =
    (mark === ']' && (expected === 'value or ]' || expected === ', or ]')) ||
    (mark === '}' && (expected === 'key or }' || expected === ', or }'))
  if (!closes) return undefined
  open.pop()
  return afterValue(open)
}

function afterValue(open: readonly OpenBracket[]): Expected {
  const innermost = open.at(-1)?.mark
  if (innermost === undefined) return 'end'
  return innermost === '[' ? ', or ]' : ', or }'
}

function scanString(text: string, start: number): { end: number; issue: JsonIssueCode | null } {
  let at = start + 1
  for (;;) {
    const character = text[at]
    if (character === undefined) return { end: at, issue: 'open-quotes' }
    if (character === '"') return { end: at + 1, issue: null }
    if (character < ' ') return { end: at, issue: 'control-character' }
    if (character !== '\\') {
      at += 1
      continue
    }
    const escapeEnd = matchEnd(escaped, text, at)
    if (escapeEnd === undefined) return { end: at, issue: 'backslash' }
    at = escapeEnd
  }
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

function issueAt(text: string, at: number, code: JsonIssueCode, name = ''): JsonIssue {
  const problem = fillSentence(jsonIssueWords[code], { name })
  const before = text.slice(0, at)
  const endsEarly = at >= text.length
  return {
    line: before.split('\n').length,
    column: at - before.lastIndexOf('\n'),
    problem: endsEarly ? `the text ends too early; ${problem}` : problem,
    ...{ code, name, endsEarly },
  }
}

/** A small JSON file, replaced atomically on each write. The adapter keeps its modes and never clears it. */
export interface JsonFile {
  /** Absolute path, for messages. */
  readonly path: string
  /** The parsed content; undefined when there is no file. Throws when the file is no JSON. */
  read(): unknown
  write(value: Record<string, unknown>): void
  /** Renames the file out of the way; gives the new absolute path. */
  setAside(): string
}
