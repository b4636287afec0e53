import { type ZodError, z } from 'zod'

const faultCodeSchema = z.enum([
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
export type FaultCode = z.infer<typeof faultCodeSchema>

/** What is wrong with one field. `limit` belongs to at-least and at-most, `hint` to format. */
export interface Fault {
  code: FaultCode
  limit?: string
  hint?: string
}

/** The code that a schema gave as its message; `invalid` for any other message. */
export function faultCode(message: string): FaultCode {
  const parsed = faultCodeSchema.safeParse(message)
  return parsed.success ? parsed.data : 'invalid'
}

type Issue = ZodError['issues'][number]

/** What a schema's issue means to a person. */
function faultOf(issue: Issue): Fault {
  const code = faultCode(issue.message)
  if (code !== 'invalid') return { code }
  switch (issue.code) {
    case 'too_small':
      if (issue.origin === 'string') return { code: 'required' }
      return { code: 'at-least', limit: String(issue.minimum) }
    case 'too_big':
      return { code: 'at-most', limit: String(issue.maximum) }
    case 'invalid_type':
      // Only a schema that is asked to report what it was given shows it.
      if (issue.expected === 'string' || issue.input === null) return { code: 'required' }
      return { code: issue.expected === 'int' ? 'whole-number' : 'number' }
    case 'invalid_format':
      return { code: 'format', hint: issue.message }
    default:
      return { code: 'invalid' }
  }
}

/** Faults by the path of their field, e.g. `printers.0.host`; the first one of each field counts. */
export function faultsByPath(error: ZodError): Record<string, Fault> {
  const faults: Record<string, Fault> = {}
  for (const issue of error.issues) {
    const path = issue.path.map(String).join('.')
    if (!Object.hasOwn(faults, path)) faults[path] = faultOf(issue)
  }
  return faults
}
