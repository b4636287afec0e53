import type { AppError } from '../../shared/errors'
import type { Log } from '../log/log'

/** What holds the hot folder up, by the place where it does; logged and reported once each time it changes. */
export class Troubles {
  private readonly current = new Map<string, AppError>()

  constructor(
    private readonly log: Log,
    private readonly onChange: () => void,
  ) {}

  set(place: string, trouble: AppError): void {
    const before = this.current.get(place)
    this.current.set(place, trouble)
    if (before?.message === trouble.message) return
    this.log.warn('the hot folder is held up', { code: trouble.code, reason: trouble.message })
    this.onChange()
  }

  clear(place: string): void {
    if (!this.current.delete(place)) return
    if (this.current.size === 0) this.log.info('the hot folder works again')
    this.onChange()
  }

  /** The oldest one. */
  first(): AppError | undefined {
    return this.current.values().next().value
  }
}
