import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../../shared/bridge'
import type { SeenStatus } from '../../../shared/tracking'
import { toResult } from '../../bridge'

export interface SeenStatusState {
  statuses: readonly SeenStatus[]
  load: () => Promise<void>
}

export type SeenStatusStore = StoreApi<SeenStatusState>

/** Status codes that the service has used; without an answer the list stays as it was. */
export function createSeenStatusStore(bridge: BridgeClient): SeenStatusStore {
  return createStore<SeenStatusState>((set) => ({
    statuses: [],
    async load() {
      const listed = await toResult(bridge.listSeenStatuses(undefined))
      if (listed.ok) set({ statuses: listed.value })
    },
  }))
}
