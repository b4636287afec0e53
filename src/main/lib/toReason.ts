/** The message of an exception, without its class and stack. */
export function toReason(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
