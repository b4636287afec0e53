/** The place of an order in the line of those that want to ask the service. */
export interface Place {
  /** Waits for its slot; false when it was sent away. */
  take(): Promise<boolean>
  /** The service has answered, and the answer is being written: its slot is free, unless too many others are being written. */
  pass(): void
  /** It is done with its slot and its answer, or leaves the line; once is enough. */
  leave(): void
}

interface Waiting {
  /** Undefined before it asks for its slot. */
  answer?: (isGranted: boolean) => void
}

/**
 * Lets so many orders of a batch be at the service at a time, in the order in which they came: an earlier one that is not ready yet
 * holds up those behind it, which wait for its end anyway before their labels leave. As many answers again may be on their way to
 * the disk: were it to stand still, no more than both together would be in memory alone.
 */
export class Slots {
  private taken = 0
  /** Places that passed their slot on, and did not leave yet. */
  private passed = 0
  private readonly line: Waiting[] = []

  /** @param limit asked each time: a changed setting holds for the next one */
  constructor(private readonly limit: () => number) {}

  /** Takes a place behind all others. */
  join(): Place {
    const waiting: Waiting = {}
    let holds: 'nothing' | 'slot' | 'answer' = 'nothing'
    this.line.push(waiting)
    return {
      take: async () => {
        const isGranted = await new Promise<boolean>((resolve) => {
          waiting.answer = resolve
          this.grant()
        })
        if (isGranted) holds = 'slot'
        return isGranted
      },
      pass: () => {
        if (holds !== 'slot') return
        holds = 'answer'
        this.taken -= 1
        this.passed += 1
        this.grant()
      },
      leave: () => {
        if (holds === 'slot') this.taken -= 1
        if (holds === 'answer') this.passed -= 1
        holds = 'nothing'
        const place = this.line.indexOf(waiting)
        if (place >= 0) this.line.splice(place, 1)
        this.grant()
      },
    }
  }

  /** Nobody who waits for a slot now gets one. */
  sendAway(): void {
    for (const { answer } of this.line) answer?.(false)
    this.line.splice(0, this.line.length, ...this.line.filter(({ answer }) => answer === undefined))
  }

  private grant(): void {
    while (this.taken < this.limit() && this.taken + this.passed < 2 * this.limit()) {
      const answer = this.line[0]?.answer
      if (answer === undefined) return
      this.line.shift()
      this.taken += 1
      answer(true)
    }
  }
}
