import type { AppError } from '../../shared/errors'
import type { Log } from '../log/log'

/** What holds the hot folder up, by the place where it does; told to the log once each time it changes. */
export class Troubles {
  private readonly current = new Map<string, AppError>()

  constructor(private readonly log: Log) {}

  set(place: string, error: AppError): void {
    if (this.current.get(place)?.message !== error.message) {
      this.log.warn('the hot folder is held up', { code: error.code, reason: error.message })
    }
    this.current.set(place, error)
  }

  clear(place: string): void {
    if (this.current.delete(place) && this.current.size === 0) this.log.info('the hot folder goes on')
  }

  /** The oldest one. */
  first(): AppError | undefined {
    return this.current.values().next().value
  }
}
