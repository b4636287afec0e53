import type { HeldOrderState } from '../orders/orders'

type FindHeld = (ids: readonly string[]) => Promise<Map<string, HeldOrderState>>

interface Waiting {
  ids: readonly string[]
  resolve: (states: Map<string, HeldOrderState>) => void
  reject: (error: unknown) => void
}

/** Looking takes at most this share of the time, however many files wait. */
const share = 1 / 20
const shortestPauseMs = 200
const longestPauseMs = 10_000

/** Asks for the orders of all files that wait at once, and not more often than it can without slowing the station down. */
export class HeldLookups {
  private waiting: Waiting[] = []
  private tookMs = 0

  /** @param findHeld asks the list of orders */
  constructor(private readonly findHeld: FindHeld) {}

  /** How many milliseconds changes are collected before files look again. */
  get pauseMs(): number {
    return Math.min(longestPauseMs, Math.max(shortestPauseMs, this.tookMs / share))
  }

  /** Where orders stand, perhaps with those of other files. */
  find(ids: readonly string[]): Promise<Map<string, HeldOrderState>> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ ids, resolve, reject })
      if (this.waiting.length === 1) setImmediate(() => void this.ask())
    })
  }

  private async ask(): Promise<void> {
    const asked = this.waiting
    this.waiting = []
    const startedAt = performance.now()
    try {
      const states = await this.findHeld(asked.flatMap(({ ids }) => ids))
      for (const { resolve } of asked) resolve(states)
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
    this.tookMs = performance.now() - startedAt
  }
}
