import type { Log } from '../log/log'

/** Something that is wrong: a stable code for programs, a sentence for people. Every `AppError` is one. */
export interface Trouble {
  code: string
  message: string
}

/** What holds the hot folder up, by the place where it does; told to the log once each time it changes. */
export class Troubles {
  private readonly current = new Map<string, Trouble>()

  constructor(private readonly log: Log) {}

  set(place: string, trouble: Trouble): void {
    if (this.current.get(place)?.message !== trouble.message) {
      this.log.warn('the hot folder is held up', { code: trouble.code, reason: trouble.message })
    }
    this.current.set(place, trouble)
  }

  clear(place: string): void {
    if (this.current.delete(place) && this.current.size === 0) this.log.info('the hot folder goes on')
  }

  /** The oldest one. */
  first(): Trouble | undefined {
    return this.current.values().next().value
  }
}
