/** The place of an order in the line of those that want to ask the service. */
export interface Place {
  /** Waits for its slot; false when it was sent away. */
  take(): Promise<boolean>
  /** It is done with its slot, or leaves the line; once is enough. */
  leave(): void
}

interface Waiting {
  /** Undefined before it asks for its slot. */
  answer?: (isGranted: boolean) => void
}

/**
 * Lets so many orders of a batch be at the service at a time, in the order in which they came: an earlier one that is not ready yet
 * holds up those behind it, which wait for its end anyway before their labels leave.
 */
export class Slots {
  private taken = 0
  private readonly line: Waiting[] = []

  /** @param limit asked each time: a changed setting holds for the next one */
  constructor(private readonly limit: () => number) {}

  /** Takes a place behind all others. */
  join(): Place {
    const waiting: Waiting = {}
    let isTaken = false
    this.line.push(waiting)
    return {
      take: async () => {
        isTaken = await new Promise<boolean>((resolve) => {
          waiting.answer = resolve
          this.grant()
        })
        return isTaken
      },
      leave: () => {
        if (isTaken) this.taken -= 1
        isTaken = false
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
    while (this.taken < this.limit()) {
      const answer = this.line[0]?.answer
      if (answer === undefined) return
      this.line.shift()
      this.taken += 1
      answer(true)
    }
  }
}
