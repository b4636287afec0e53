import { type ZodError, z } from 'zod'
import { readNumber } from '../../shared/fields'

const issueCodeSchema = z.enum([
  'required',
  'number',
  'range',
  'country',
  'too-long',
  'control-character',
  'name-required',
  'carrier-required',
  'cell-error',
  'lost-zero',
  'changed-elsewhere',
  'past-sheet-edge',
  'printer-address',
  'whole-number',
  'at-least',
  'at-most',
  'format',
  'invalid',
])
export type IssueCode = z.infer<typeof issueCodeSchema>

/** An issue of one field. `limit` belongs to at-least and at-most, `hint` to format. */
export interface ValidationIssue {
  code: IssueCode
  limit?: string
  hint?: string
}

/** Issues by field path, e.g. `printers.0.host`. */
export type ValidationIssues = Record<string, ValidationIssue>

/** The issue code in a schema's message; `invalid` for any other message. */
export function issueCode(message: string): IssueCode {
  const parsed = issueCodeSchema.safeParse(message)
  return parsed.success ? parsed.data : 'invalid'
}

function toIssue(issue: ZodError['issues'][number]): ValidationIssue {
  const code = issueCode(issue.message)
  if (code !== 'invalid') return { code }
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'string') return { code: 'required' }
      // «More than 0» must not read as «at least 0».
      if (!issue.inclusive) return { code: 'range' }
      return { code: 'at-least', limit: String(issue.minimum) }
    case 'too_big':
      return { code: 'at-most', limit: String(issue.maximum) }
    case 'invalid_type':
      if (issue.expected === 'string') return { code: 'required' }
      return { code: issue.expected === 'int' ? 'whole-number' : 'number' }
    case 'invalid_format':
      return { code: 'format', hint: issue.message }
    default:
      return { code: 'invalid' }
  }
}

/** The issues of a schema error; the first one of each field counts. */
export function issuesByPath(error: ZodError): ValidationIssues {
  const issues: ValidationIssues = {}
  for (const issue of error.issues) {
    const path = issue.path.map(String).join('.')
    if (!Object.hasOwn(issues, path)) issues[path] = toIssue(issue)
  }
  return issues
}

/** Encodes issues as the texts that the form library keeps; `FormField` decodes them. */
export function toFormErrors(issues: ValidationIssues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(issues).map(([path, { code, limit, hint }]) => [path, [code, limit ?? hint].join(':')]),
  )
}

/** A form's validation function for a schema of the contract. */
export function validateBy(schema: z.ZodType): (values: unknown) => Record<string, string> {
  return (values) => {
    const parsed = schema.safeParse(values)
    return parsed.success ? {} : toFormErrors(issuesByPath(parsed.error))
  }
}

/** Decodes an error of `toFormErrors`; undefined if there is none. */
export function fromFormError(error: unknown): ValidationIssue | undefined {
  if (typeof error !== 'string') return undefined
  const [name = '', ...rest] = error.split(':')
  const code = issueCode(name)
  const detail = rest.join(':')
  if (code === 'format') return { code, hint: detail }
  return detail === '' ? { code } : { code, limit: detail }
}

/** A number may be typed with a plus sign or a typographic minus. */
function readSigned(text: string): number {
  return readNumber(
    text
      .trim()
      .replace('\u2212', '-')
      .replace(/^\+(?=\d)/, ''),
  )
}

/** Codec between a number of the contract and the text of a required field. */
export function numberText<Schema extends z.ZodType<number, number>>(schema: Schema) {
  return z
    .codec(z.string(), z.number(), {
      decode(text, { issues }) {
        if (text.trim() !== '') return readSigned(text)
        issues.push({ code: 'custom', input: text, message: 'required' })
        return z.NEVER
      },
      encode: String,
    })
    .pipe(schema)
}

/** Codec between an optional number and the text of its field, which may be empty. */
export function optionalNumberText<Schema extends z.ZodType<number | undefined, number | undefined>>(
  schema: Schema,
) {
  return z
    .codec(z.string(), z.number().optional(), {
      decode: (text) => (text.trim() === '' ? undefined : readSigned(text)),
      encode: (value) => (value === undefined ? '' : String(value)),
    })
    .pipe(schema)
}

/** Codec between an optional text and the text of its field, which may be empty. */
export function optionalText<Schema extends z.ZodType<string | undefined, string | undefined>>(
  schema: Schema,
) {
  return z
    .codec(z.string(), z.string().optional(), {
      decode: (text) => (text.trim() === '' ? undefined : text),
      encode: (text) => text ?? '',
    })
    .pipe(schema)
}

/**
 * Adds the absent keys of a schema's shape as undefined. `z.encode` skips absent keys, but their fields need a text.
 */
export function withAllKeys<Value extends object>({ shape }: z.ZodObject, value: Value): Value {
  return { ...Object.fromEntries(Object.keys(shape).map((key) => [key, undefined])), ...value }
}
