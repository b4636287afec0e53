import { setTimeout as pause } from 'node:timers/promises'
import type { FleetConnection } from './connection'

/** What of the fleet changed; which rows is not said. */
const topics = ['shipments', 'claims', 'conflicts', 'stations', 'orders'] as const
export type FleetTopic = (typeof topics)[number]

const channel = 'packbench'

/**
 * Changes that follow each other so quickly, or that come while the last ones are still being told, are told, and heard,
 * together; the first one at once.
 */
const gatherMs = 150

/**
 * Tells the other stations what changed, and hears it from them. Nothing rests on it: a station that hears nothing looks by
 * itself every few seconds.
 */
export class FleetNews {
  private readonly told = new Gathering((changed) => this.send(changed))
  private readonly heard: Gathering

  /** @param hear is called with what changed at other stations, at most every so many milliseconds */
  constructor(
    private readonly session: FleetConnection['session'],
    private readonly stationId: string,
    hear: (changed: ReadonlySet<FleetTopic>) => void,
  ) {
    this.heard = new Gathering(hear)
  }

  /** Throws when the server does not let it listen. */
  async listen(): Promise<void> {
    this.session.on('notification', ({ payload = '' }) => {
      const [from, ...changed] = payload.split(' ')
      if (from === this.stationId) return
      this.heard.add(topics.filter((topic) => changed.includes(topic)))
    })
    await this.session.query(`listen ${channel}`)
  }

  announce(...changed: FleetTopic[]): void {
    this.told.add(changed)
  }

  private async send(changed: ReadonlySet<FleetTopic>): Promise<void> {
    const payload = [this.stationId, ...changed].join(' ')
    // Whoever can't be told looks by themselves, and a broken line is noticed by the heartbeat.
    await this.session.query('select pg_notify($1, $2)', [channel, payload]).catch(() => undefined)
  }
}

class Gathering {
  private waiting: Set<FleetTopic> | null = null

  constructor(private readonly handOn: (changed: ReadonlySet<FleetTopic>) => Promise<void> | void) {}

  add(changed: readonly FleetTopic[]): void {
    if (changed.length === 0) return
    if (this.waiting === null) {
      this.waiting = new Set()
      void this.wait(this.waiting, this.handOn(new Set(changed)))
    } else {
      for (const topic of changed) this.waiting.add(topic)
    }
  }

  private async wait(gathered: ReadonlySet<FleetTopic>, handedOn: Promise<void> | void): Promise<void> {
    await Promise.all([handedOn, pause(gatherMs, undefined, { ref: false })])
    this.waiting = null
    this.add([...gathered])
  }
}
