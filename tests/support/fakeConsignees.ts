import type { BridgeClient } from '../../src/shared/bridge'
import type { consigneeMethods } from '../../src/shared/consignees'
import { ok } from '../../src/shared/result'

/** A station that has shipped to nobody. */
export const fakeConsignees: Pick<BridgeClient, keyof typeof consigneeMethods> = {
  suggestConsignees: async () => ok([]),
  findStreet: async () => ok(null),
  countConsignees: async () => ok(0),
  forgetConsignee: async () => ok(undefined),
  forgetAllConsignees: async () => ok(undefined),
}
