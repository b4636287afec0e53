import type { AppError } from '../../shared/errors'
import { createRedactor, type TextKind } from './redactor'

/** Takes secrets out of a text: by default out of `words`. */
export type Redact = (text: string, kind?: TextKind) => string

/** Takes out these secrets too, besides what `redact` takes out. */
export function hiding(secrets: readonly string[], redact: Redact): Redact {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  return (text, kind) => redactor.redact(redact(text, kind), kind)
}

/** The error with its sentence, its details and the words of printers redacted. */
export function redactedError(error: AppError, redact: Redact): AppError {
  const details = Object.entries(error.details ?? {}).map(([name, text]) => [
    name,
    // The other details are references, dates, barcodes and places: the business's own.
    redact(text, name === 'serviceSays' ? 'words' : 'data'),
  ])
  const remarks = error.says?.map(({ words, ...remark }) =>
    words === undefined ? remark : { ...remark, words: redact(words) },
  )
  return {
    code: error.code,
    message: redact(error.message),
    ...(error.details !== undefined && { details: Object.fromEntries(details) }),
    ...(remarks !== undefined && { says: remarks }),
  }
}
