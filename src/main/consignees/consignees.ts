import { setTimeout as pause } from 'node:timers/promises'
import type { HandlersOf } from '../../shared/bridge'
import type { consigneeMethods, KnownConsignee, KnownStreet } from '../../shared/consignees'
import { ok } from '../../shared/result'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import type { OpenDatabase } from '../storage/database'
import { ConsigneeRepository } from './repository'

/** The consignees that a station remembers, if its settings allow it. */
export function createConsignees(
  deps: Omit<ConsigneesDeps, 'repository' | 'isOn'> & { database: OpenDatabase; settings: SettingsStore },
) {
  const repository = new ConsigneeRepository(deps.database)
  const isOn = () => deps.settings.current().consignees
  const consignees = new Consignees({ ...deps, repository, isOn })
  const handlers: HandlersOf<typeof consigneeMethods> = {
    suggestConsignees: async ({ text }) => ok(await consignees.suggest(text)),
    findConsignees: async ({ text }) => ok(await repository.suggest(text)),
    findStreet: async ({ postalCode, country }) => ok(await consignees.findStreet(postalCode, country)),
    countConsignees: async () => ok(await repository.count()),
    async forgetConsignee({ id }) {
      await repository.forget(id)
      return ok(undefined)
    },
    async forgetAllConsignees() {
      await consignees.forgetAll()
      return ok(undefined)
    },
  }
  return { consignees, handlers }
}

interface ConsigneesDeps {
  repository: ConsigneeRepository
  /** Whether to remember and suggest consignees. */
  isOn: () => boolean
  log: Log
  /** Delay after a shipment, in milliseconds, so that its label is printed first. */
  delayMs?: number
}

const defaultDelayMs = 2000
/** Each step is one transaction of a few milliseconds, so that other writes wait no longer than that. */
const notedAtOnce = 10
const forgottenAtOnce = 500
/** Lets other work use the database between two steps. */
const betweenStepsMs = 5

/** Remembers the consignees of shipments, and suggests them. Also processes shipments of versions without this feature. */
export class Consignees {
  private timer: NodeJS.Timeout | undefined
  private noting = Promise.resolve()
  private stopped = false

  constructor(private readonly deps: ConsigneesDeps) {}

  /** Stores the consignees of created shipments after a delay; the next start repeats what a crash prevents. */
  noteSoon(): void {
    if (this.stopped || this.timer !== undefined) return
    this.timer = setTimeout(() => {
      this.timer = undefined
      this.noting = this.noting.then(() => this.note())
    }, this.deps.delayMs ?? defaultDelayMs)
  }

  async suggest(text: string): Promise<KnownConsignee[]> {
    return this.deps.isOn() ? this.deps.repository.suggest(text) : []
  }

  async findStreet(postalCode: string, country: string): Promise<KnownStreet | null> {
    return this.deps.isOn() ? this.deps.repository.findStreet(postalCode, country) : null
  }

  async forgetAll(): Promise<void> {
    await this.deps.repository.forgetAll()
    this.deps.log.info('all remembered consignees were removed')
  }

  /** Removes consignees without a shipment since a moment. */
  async forgetBefore(at: Date): Promise<void> {
    let removed = 0
    let last = forgottenAtOnce
    while (last === forgottenAtOnce && !this.stopped) {
      last = await this.deps.repository.forgetBefore(at, forgottenAtOnce)
      removed += last
      await pause(betweenStepsMs)
    }
    if (removed > 0)
      this.deps.log.info('consignees past their retention time were removed', { count: removed })
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
      log.error(
        'the consignees of shipments could not be stored; it is tried again after the next shipment',
        {
          reason: toReason(error),
        },
      )
    }
  }
}
