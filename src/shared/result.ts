import type { AppError } from './errors'

/** Result of an operation that can fail in an expected way. Exceptions are for bugs. */
export type Result<T, E = AppError> = { ok: true; value: T } | { ok: false; error: E }

/** Wraps a success. */
export function ok<T>(value: T): { ok: true; value: T } {
  return { ok: true, value }
}

/** Wraps an expected failure. */
export function err<E>(error: E): { ok: false; error: E } {
  return { ok: false, error }
}

/** For the `default` of a switch over a union: the compiler rejects missing cases. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`)
}
