import { type ZodError, z } from 'zod'
import { readNumber } from './fieldValues'

const issueCodeSchema = z.enum([
  'required',
  'number',
  'range',
  'country',
  'too-long',
  'control-character',
  'name-required',
  'carrier-required',
  'past-sheet-edge',
  'printer-address',
  'whole-number',
  'at-least',
  'at-most',
  'format',
  'invalid',
])
export type IssueCode = z.infer<typeof issueCodeSchema>

/** What is wrong with one field. `limit` belongs to at-least and at-most, `hint` to format. */
export interface ValidationIssue {
  code: IssueCode
  limit?: string
  hint?: string
}

/** Issues by the path of their field, e.g. `printers.0.host`. */
export type ValidationIssues = Record<string, ValidationIssue>

/** The code that a schema gave as its message; `invalid` for any other message. */
export function issueCode(message: string): IssueCode {
  const parsed = issueCodeSchema.safeParse(message)
  return parsed.success ? parsed.data : 'invalid'
}

/** What a schema's issue means to a person. */
function toIssue(issue: ZodError['issues'][number]): ValidationIssue {
  const code = issueCode(issue.message)
  if (code !== 'invalid') return { code }
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'string') return { code: 'required' }
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

/** The issues that a schema found; the first one of each field counts. */
export function issuesByPath(error: ZodError): ValidationIssues {
  const issues: ValidationIssues = {}
  for (const issue of error.issues) {
    const path = issue.path.map(String).join('.')
    if (!Object.hasOwn(issues, path)) issues[path] = toIssue(issue)
  }
  return issues
}

/** Issues as the errors of a form, which are texts; `FormField` reads them back and words them. */
export function toFormErrors(issues: ValidationIssues): Record<string, string> {
  return Object.fromEntries(
    Object.entries(issues).map(([path, { code, limit, hint }]) => [path, [code, limit ?? hint].join(':')]),
  )
}

/** What a form checks its values by: a schema of the contract. */
export function validateBy(schema: z.ZodType): (values: unknown) => Record<string, string> {
  return (values) => {
    const parsed = schema.safeParse(values)
    return parsed.success ? {} : toFormErrors(issuesByPath(parsed.error))
  }
}

/** An error of a form as the issue that it was made from; undefined for none. */
export function fromFormError(error: unknown): ValidationIssue | undefined {
  if (typeof error !== 'string') return undefined
  const [name = '', ...rest] = error.split(':')
  const code = issueCode(name)
  const detail = rest.join(':')
  if (code === 'format') return { code, hint: detail }
  return detail === '' ? { code } : { code, limit: detail }
}

/** A sign may be typed as it is printed. */
function readSigned(text: string): number {
  return readNumber(
    text
      .trim()
      .replace('\u2212', '-')
      .replace(/^\+(?=\d)/, ''),
  )
}

/** A number of the contract as the text in its field, which must not be empty. */
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

/** A number that may be left out: the text is empty then. */
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

/** A text, or one of some texts, that may be left out: it is empty then. */
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
 * A value with all keys of a schema's shape, as `z.encode` needs it: a key that is absent it leaves out, although its
 * field has a text.
 */
export function withAllKeys<Value extends object>({ shape }: z.ZodObject, value: Value): Value {
  return { ...Object.fromEntries(Object.keys(shape).map((key) => [key, undefined])), ...value }
}
