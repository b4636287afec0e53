import type { HandlersOf } from '../../shared/bridge'
import type { consigneeMethods } from '../../shared/consignees'
import { ok } from '../../shared/result'
import type { SettingsStore } from '../settings/settingsStore'
import type { Database } from '../storage/database'
import { Consignees, type ConsigneesDeps } from './consignees'
import { ConsigneeRepository } from './repository'

/** The consignees that a station remembers, as long as its settings say so. */
export function createConsignees(
  deps: Omit<ConsigneesDeps, 'repository' | 'isOn'> & { database: Database; settings: SettingsStore },
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
