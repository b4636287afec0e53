import { setTimeout as pause } from 'node:timers/promises'
import type { HandlersOf } from '../../shared/bridge'
import type { consigneeMethods, KnownConsignee, KnownStreet } from '../../shared/consignees'
import { ok } from '../../shared/result'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import type { OpenDatabase } from '../storage/database'
import { ConsigneeRepository } from './repository'

/** The consignees that a station remembers, as long as its settings say so. */
export function createConsignees(
  deps: Omit<ConsigneesDeps, 'repository' | 'isOn'> & { database: OpenDatabase; settings: SettingsStore },
) {
  const consignees = new Consignees({
    ...deps,
    repository: new ConsigneeRepository(deps.database),
    isOn: () => deps.settings.current().consignees,
  })
  return { consignees, handlers: createConsigneeHandlers(consignees) }
}

function createConsigneeHandlers(consignees: Consignees): HandlersOf<typeof consigneeMethods> {
  return {
    suggestConsignees: async ({ text }) => ok(await consignees.suggest(text)),
    findStreet: async ({ postalCode, country }) => ok(await consignees.findStreet(postalCode, country)),
    countConsignees: async () => ok(await consignees.count()),
    async forgetConsignee({ id }) {
      await consignees.forget(id)
      return ok(undefined)
    },
    async forgetAllConsignees() {
      await consignees.forgetAll()
      return ok(undefined)
    },
  }
}

interface ConsigneesDeps {
  repository: ConsigneeRepository
  /** Whether consignees are to be remembered and suggested. */
  isOn: () => boolean
  log: Log
  /** How long after a shipment its consignee is noted, in milliseconds: its label goes first. */
  delayMs?: number
}

const usualDelayMs = 2000
/** Each step is one transaction of a few milliseconds: nothing waits longer for the database. */
const notedAtOnce = 10
const forgottenAtOnce = 500
/** Between two steps, so that whatever waits for the database comes first. */
const betweenStepsMs = 5

/** Remembers who was shipped to, and suggests them again. What was shipped before the app could is noted once. */
export class Consignees {
  private timer: NodeJS.Timeout | undefined
  private noting = Promise.resolve()
  private stopped = false

  constructor(private readonly deps: ConsigneesDeps) {}

  /** Notes the consignees of created shipments after a while; what a crash leaves is noted at the next start. */
  noteSoon(): void {
    if (this.stopped || this.timer !== undefined) return
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.noting = this.noting.then(() => this.note())
    }, this.deps.delayMs ?? usualDelayMs)
  }

  async suggest(text: string): Promise<KnownConsignee[]> {
    return this.deps.isOn() ? this.deps.repository.suggest(text) : []
  }

  async findStreet(postalCode: string, country: string): Promise<KnownStreet | null> {
    return this.deps.isOn() ? this.deps.repository.findStreet(postalCode, country) : null
  }

  count(): Promise<number> {
    return this.deps.repository.count()
  }

  forget(id: number): Promise<void> {
    return this.deps.repository.forget(id)
  }

  async forgetAll(): Promise<void> {
    await this.deps.repository.forgetAll()
    this.deps.log.info('all consignees were forgotten')
  }

  /** Removes those who were not shipped to since a moment. */
  async forgetBefore(at: Date): Promise<void> {
    let removed = 0
    let last = forgottenAtOnce
    while (last === forgottenAtOnce && !this.stopped) {
      last = await this.deps.repository.forgetBefore(at, forgottenAtOnce)
      removed += last
      await pause(betweenStepsMs)
    }
    if (removed > 0) this.deps.log.info('old consignees were removed', { count: removed })
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearTimeout(this.timer)
    await this.noting
  }

  private async note(): Promise<void> {
    const { repository, isOn, log } = this.deps
    try {
      while (!this.stopped && isOn()) {
        if ((await repository.noteShipped(notedAtOnce)) < notedAtOnce) return
        await pause(betweenStepsMs)
      }
    } catch (error) {
      log.error('consignees could not be remembered; the next shipment tries it again', {
        reason: toReason(error),
      })
    }
  }
}
