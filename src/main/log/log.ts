/**
 * The fields of a log line. Plain values only, so that no object with personal data or label bytes is logged.
 */
export type LogFields = Record<string, string | number | boolean | null | undefined>

/** The app's log. SECURITY: messages and fields must not contain secrets or consignees. */
export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}
