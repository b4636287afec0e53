import { type AppError, appError } from '../../shared/errors'
import { err, type Result } from '../../shared/result'

/**
 * Waits for a call over the bridge. A call that throws is a bug on the other side, and becomes an `internal` error so
 * that the screen can say so and keep what was typed.
 */
export async function toResult<T>(call: Promise<Result<T, AppError>>): Promise<Result<T, AppError>> {
  try {
    return await call
  } catch (reason) {
    return err(appError('internal', reason instanceof Error ? reason.message : String(reason)))
  }
}
