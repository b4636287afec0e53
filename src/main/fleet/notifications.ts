import { setTimeout as pause } from 'node:timers/promises'
import type { FleetConnection } from './connection'

/** The kinds of data that changed; a notification does not name rows. */
const topics = ['shipments', 'claims', 'conflicts', 'stations', 'orders'] as const
export type FleetTopic = (typeof topics)[number]

const channel = 'packbench'

/**
 * Changes within this time, or during the previous delivery, are delivered together; the first one is delivered at once.
 */
const bufferMs = 150

/**
 * Announces changes to the other stations and receives theirs, with PostgreSQL's LISTEN and NOTIFY. Correctness does not
 * depend on it: every station also polls every few seconds.
 */
export class FleetNotifications {
  private readonly outgoing = new ChangeBuffer((changed) => this.send(changed))
  private readonly incoming: ChangeBuffer

  /** @param onChanges is called with what changed at other stations, at most every so many milliseconds */
  constructor(
    private readonly session: FleetConnection['session'],
    private readonly stationId: string,
    onChanges: (changed: ReadonlySet<FleetTopic>) => void,
  ) {
    this.incoming = new ChangeBuffer(onChanges)
  }

  /** Throws when the server does not let it listen. */
  async listen(): Promise<void> {
    this.session.on('notification', ({ payload = '' }) => {
      const [from, ...changed] = payload.split(' ')
      if (from === this.stationId) return
      this.incoming.add(topics.filter((topic) => changed.includes(topic)))
    })
    await this.session.query(`listen ${channel}`)
  }

  announce(...changed: FleetTopic[]): void {
    this.outgoing.add(changed)
  }

  private async send(changed: ReadonlySet<FleetTopic>): Promise<void> {
    const payload = [this.stationId, ...changed].join(' ')
    // The other stations poll, and the heartbeat detects a broken connection.
    await this.session.query('select pg_notify($1, $2)', [channel, payload]).catch(() => undefined)
  }
}

class ChangeBuffer {
  private pending: Set<FleetTopic> | null = null

  constructor(private readonly deliver: (changed: ReadonlySet<FleetTopic>) => Promise<void> | void) {}

  add(changed: readonly FleetTopic[]): void {
    if (changed.length === 0) return
    if (this.pending === null) {
      this.pending = new Set()
      void this.wait(this.pending, this.deliver(new Set(changed)))
    } else {
      for (const topic of changed) this.pending.add(topic)
    }
  }

  private async wait(buffered: ReadonlySet<FleetTopic>, delivered: Promise<void> | void): Promise<void> {
    await Promise.all([delivered, pause(bufferMs, undefined, { ref: false })])
    this.pending = null
    this.add([...buffered])
  }
}
