import type { HandlersOf } from '../../shared/bridge'
import type { consigneeMethods } from '../../shared/consignees'
import { ok } from '../../shared/result'
import type { Consignees } from './consignees'

/** The handlers of consignees. */
export function createConsigneeHandlers(consignees: Consignees): HandlersOf<typeof consigneeMethods> {
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
