/** An order's place in the queue for a request slot. */
export type QueuedSlot = ReturnType<Slots['enqueue']>

interface Waiter {
  /** Undefined before it asks for its slot. */
  resolve?: (isGranted: boolean) => void
}

/**
 * Limits how many orders of a batch are at the service at a time, first in, first out. An order that is not ready yet holds
 * up those behind it, whose labels would wait for it anyway. In addition as many answers as there are slots may be on their
 * way to the disk: if the disk hangs, twice the limit is the most that is in memory only.
 */
export class Slots {
  /** Slots whose request has no answer yet. */
  private requesting = 0
  /** Slots whose answer is being written. */
  private writing = 0
  private readonly queue: Waiter[] = []

  /** @param limit read for each grant: a changed setting applies to the next one */
  constructor(private readonly limit: () => number) {}

  enqueue() {
    const waiter: Waiter = {}
    let phase: 'waiting' | 'requesting' | 'writing' | 'released' = 'waiting'
    this.queue.push(waiter)
    return {
      /** Waits for the slot; false when `rejectWaiting` refused it. */
      acquire: async () => {
        const isGranted = await new Promise<boolean>((resolve) => {
          waiter.resolve = resolve
          this.grantNext()
        })
        if (isGranted) phase = 'requesting'
        return isGranted
      },
      /** The service answered and the answer is being written: frees the request, unless too many answers are being written. */
      markAnswered: () => {
        if (phase !== 'requesting') return
        phase = 'writing'
        this.requesting -= 1
        this.writing += 1
        this.grantNext()
      },
      /** Frees the slot, or leaves the queue. Further calls have no effect. */
      release: () => {
        if (phase === 'requesting') this.requesting -= 1
        if (phase === 'writing') this.writing -= 1
        phase = 'released'
        const position = this.queue.indexOf(waiter)
        if (position >= 0) this.queue.splice(position, 1)
        this.grantNext()
      },
    }
  }

  /** Refuses the slot to all who wait for one now. */
  rejectWaiting(): void {
    for (const { resolve } of this.queue) resolve?.(false)
    this.queue.splice(0, this.queue.length, ...this.queue.filter(({ resolve }) => resolve === undefined))
  }

  private grantNext(): void {
    while (this.requesting < this.limit() && this.requesting + this.writing < 2 * this.limit()) {
      const resolve = this.queue[0]?.resolve
      if (resolve === undefined) return
      this.queue.shift()
      this.requesting += 1
      resolve(true)
    }
  }
}
