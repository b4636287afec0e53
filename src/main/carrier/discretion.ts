import type { AppError } from '../../shared/errors'
import { createRedactor } from '../log/redactor'

/** Takes secrets out of a text. */
export type Redact = (text: string) => string

/** What keeps the secrets of one creation from being shown: its answer brings a secret of its own, the label URL. */
export interface Discretion {
  redact: Redact
  /** Told of the label URL before anything that the answer says is looked at. */
  onLabelUrl: (url: string) => void
}

/** Takes out these secrets too, besides what `redact` takes out. */
export function hiding(secrets: readonly string[], redact: Redact): Redact {
  const redactor = createRedactor()
  for (const secret of secrets) redactor.add(secret)
  return (text) => redactor.redact(redact(text))
}

/** The error with its sentence and all its details redacted. */
export function redactedError(error: AppError, redact: Redact): AppError {
  const redacted = { ...error, message: redact(error.message) }
  if (error.details === undefined) return redacted
  const details = Object.entries(error.details).map(([name, text]) => [name, redact(text)])
  return { ...redacted, details: Object.fromEntries(details) }
}
