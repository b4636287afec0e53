/**
 * What a log line may carry besides its message. Plain values only, so that no object with personal data or label
 * bytes slips in whole.
 */
export type LogFields = Record<string, string | number | boolean | null | undefined>

/** Where features write what happened. Messages and fields name no secret and no consignee. */
export interface Log {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}
