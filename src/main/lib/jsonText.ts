import { type JsonIssueCode, jsonIssueWords } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import { fillSentence } from '../../shared/sentences'

/** The place and cause of a JSON syntax error. SECURITY: contains no part of the text except repeated names. */
export interface JsonIssue {
  /** From 1. */
  line: number
  /** From 1, in characters. */
  column: number
  problem: string
  /** From which translations are made. */
  code: JsonIssueCode
  /** The name that is given twice, in its quotes; empty for other issues. */
  name: string
  /** The JSON is incomplete, as in a partially written file. */
  endsEarly: boolean
}

/**
 * Parses JSON text; a byte order mark is allowed.
 * @returns the value, or the first syntax error
 */
export function parseJsonText(text: string): Result<unknown, JsonIssue> {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  try {
    return ok(JSON.parse(body))
  } catch {
    // V8's message quotes the text and often omits the position, so it is not used.
    return err(locateIssue(body))
  }
}

/**
 * Parses JSON text of another program and refuses duplicate names, for which `JSON.parse` silently uses the last value.
 * Brackets are nested at most `maxDepth` deep, so that callers may process the value recursively.
 * @returns the value, the first syntax error, or the first duplicate name
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

/** E.g. «line 3, column 5: a value is expected». */
export function jsonIssueText(issue: JsonIssue): string {
  return `line ${issue.line}, column ${issue.column}: ${issue.problem}`
}

type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | ', or ]' | ', or }' | 'end'

const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|(?:true|false|null)(?!\w)/y
const space = /[ \t\r\n]*/y
const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** Deeper than any order. */
const maxDepth = 100

/** An open list or object, with its names so far if duplicates are checked. */
interface OpenBracket {
  mark: '[' | '{'
  names?: Set<unknown>
}

/** Shared instances for brackets without names: a file can contain twenty million. */
const nameless: Record<OpenBracket['mark'], OpenBracket> = { '[': { mark: '[' }, '{': { mark: '{' } }

/**
 * Finds the first syntax error token by token, without recursion.
 * @param onRepeatedName called with the position of a duplicate name and the quoted name; if given, nesting deeper than
 * `maxDepth` is an error
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

/** Adds a name to the innermost object; false for a duplicate. Escaped and unescaped spellings are the same name. */
function addName(open: readonly OpenBracket[], quoted: string): boolean {
  const names = open.at(-1)?.names
  if (names === undefined) return true
  const name: unknown = quoted.includes('\\') ? JSON.parse(quoted) : quoted.slice(1, -1)
  if (names.has(name)) return false
  names.add(name)
  return true
}

/** What is expected after a punctuation mark; undefined when the mark is not allowed here. */
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

/** A small JSON file that each write replaces atomically. The adapter keeps its mode and never deletes it. */
export interface JsonFile {
  /** Absolute path, for messages. */
  readonly path: string
  /** The parsed content; undefined when there is no file or its object is empty. Throws when the file is not JSON. */
  read(): unknown
  write(value: Record<string, unknown>): void
  /** Renames the file; returns the new absolute path. */
  setAside(): string
}
