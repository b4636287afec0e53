/** Waits that can be cut short, all at once. */
export interface Pauses {
  /** Resolves after `ms` milliseconds, or as soon as `wake` is called. */
  pause(ms: number): Promise<void>
  wake(): void
}

/** Makes waits that are cut short together. */
export function createPauses(): Pauses {
  const wakers = new Set<() => void>()
  return {
    pause: (ms) =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(timer)
          wakers.delete(end)
          resolve()
        }
        const timer = setTimeout(end, ms)
        wakers.add(end)
      }),
    wake() {
      for (const end of [...wakers]) end()
    },
  }
}

/** Gives the work's result, or undefined as soon as `stop` is aborted; the work itself goes on then. */
export function orStopped<Value>(work: Promise<Value>, stop: AbortSignal): Promise<Value | undefined> {
  return new Promise((resolve, reject) => {
    const giveUp = () => resolve(undefined)
    if (stop.aborted) giveUp()
    stop.addEventListener('abort', giveUp, { once: true })
    void work.then(resolve, reject).finally(() => stop.removeEventListener('abort', giveUp))
  })
}

/** Growing waits between tries, in milliseconds: doubled each time, up to a longest one. */
export class BackOff {
  private tries = 0

  constructor(
    private readonly first: number,
    private readonly longest: number,
  ) {}

  next(): number {
    const wait = Math.min(this.first * 2 ** this.tries, this.longest)
    this.tries += 1
    return wait
  }

  reset(): void {
    this.tries = 0
  }
}
