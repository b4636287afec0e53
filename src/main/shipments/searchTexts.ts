import { rest } from '../lib/async'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { HistoryRepository } from './historyRepository'

const foldedAtOnce = 20
const indexedAtOnce = 25
/** Keeps other work fast while a long history is indexed, which takes minutes. */
const stepPauseMs = 5
const indexEveryMs = 60_000

/** Keeps the search texts and the word index of the history up to date, in small steps that do not delay other work. */
export class SearchTexts {
  private working = Promise.resolve()
  private readonly stopping = new AbortController()

  constructor(
    private readonly historyRepository: Pick<HistoryRepository, 'foldSearchTexts' | 'indexWords'>,
    private readonly bus: Pick<EventBus, 'on'>,
    private readonly log: Log,
    private readonly pauseMs = indexEveryMs,
  ) {}

  start(): void {
    this.working = this.work()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.working
  }

  private async work(): Promise<void> {
    const { historyRepository, stopping } = this
    try {
      await this.repeat(async () => (await historyRepository.foldSearchTexts(foldedAtOnce)) > 0)
      while (!stopping.signal.aborted) {
        // Subscribes before indexing, so that no change is missed.
        const change = this.nextChange()
        await this.repeat(() => historyRepository.indexWords(indexedAtOnce))
        await change
        await this.wait(this.pauseMs)
      }
    } catch (error) {
      this.log.error(
        'the search index of the history could not be updated: the search may miss shipments until the next start repeats it',
        { reason: toReason(error) },
      )
    }
  }

  /** @param step returns whether there is more to do */
  private async repeat(step: () => Promise<boolean>): Promise<void> {
    while (!this.stopping.signal.aborted && (await step())) await this.wait(stepPauseMs)
  }

  /** Resolves at the next changed shipment, so that an idle station does not query the database. */
  private nextChange(): Promise<void> {
    const { signal } = this.stopping
    return new Promise((resolve) => {
      const end = () => {
        unsubscribe()
        signal.removeEventListener('abort', end)
        resolve()
      }
      const unsubscribe = this.bus.on('shipmentChanged', end)
      signal.addEventListener('abort', end)
    })
  }

  private async wait(ms: number): Promise<void> {
    await rest(ms, { signal: this.stopping.signal, ref: false })
  }
}
