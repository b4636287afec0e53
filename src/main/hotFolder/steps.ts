import type { AppError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { type BackOff, Retries } from '../lib/retry'
import type { Log } from '../log/log'
import { toFolderError } from './folders'

/** Why order files wait, by the place where they do; logged and reported once each time it changes. */
export class WaitReasons {
  private readonly current = new Map<string, AppError>()

  constructor(
    private readonly log: Log,
    private readonly onChange: () => void,
  ) {}

  set(place: string, error: AppError): void {
    const before = this.current.get(place)
    this.current.set(place, error)
    if (before?.message === error.message) return
    this.log.warn('the hot folder is held up', { code: error.code, reason: error.message })
    this.onChange()
  }

  clear(place: string): void {
    if (!this.current.delete(place)) return
    if (this.current.size === 0) this.log.info('the hot folder works again')
    this.onChange()
  }

  has(place: string): boolean {
    return this.current.has(place)
  }

  /** The oldest one. */
  first(): AppError | undefined {
    return this.current.values().next().value
  }
}

const stationBackOff: BackOff = { firstMs: 1_000, maxMs: 60_000 }
/** Between questions to the journal for an outcome that is still to come. */
const outcomeBackOff: BackOff = { firstMs: 1_000, maxMs: 5_000 }

/** The steps of the work on order files, which are tried until they succeed. Meanwhile the status says why files wait. */
export class Steps {
  private readonly retries: Retries

  /** @param stop ends the waits; what waits throws its reason */
  constructor(
    private readonly waitReasons: WaitReasons,
    private readonly stop: AbortSignal,
  ) {
    this.retries = new Retries(stop)
  }

  /** Something changed for the better: whatever waits is tried again at once. */
  retryNow(): void {
    this.retries.retryNow()
  }

  /**
   * Tries a step until it succeeds, or ends in a final error.
   * @param place where files wait meanwhile
   * @param path what the step works on; what the system says of it is an error of that path
   */
  tryUntilDone<Value>(
    place: string,
    path: string,
    step: () => Promise<Result<Value>>,
    isFinal: (error: AppError) => boolean = () => false,
  ): Promise<Result<Value>> {
    const attempt = async (): Promise<Result<Result<Value>>> => {
      try {
        const result = await step()
        if (!result.ok && !isFinal(result.error)) return result
        this.waitReasons.clear(place)
        return ok(result)
      } catch (error) {
        this.stop.throwIfAborted()
        return err(toFolderError(error, path))
      }
    }
    return this.retries.run(attempt, stationBackOff, (error) => this.waitReasons.set(place, error))
  }

  /** Asks until an outcome that is still to come is known. */
  async untilKnown<Value>(place: string, question: () => Promise<Result<Value>>): Promise<Value> {
    const answer = await this.retries.run(question, outcomeBackOff, (error) =>
      this.waitReasons.set(place, error),
    )
    this.waitReasons.clear(place)
    return answer
  }
}
