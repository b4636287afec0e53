import type { AppError } from '../../shared/errors'
import type { Log } from '../log/log'

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
