/** What an exception says, for a log line or a sentence: its message, without its class and stack. */
export function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
