import type { AppStatus } from '../../../shared/app'
import { queryKey, takeStatus } from '../../bridge'
import { storeHook } from '../../ui/storeHook'
import { createSetupStore } from './setupStore'

export const useSetup = storeHook((client) =>
  createSetupStore(window.packbench, (account) => {
    const status = client.getQueryData<AppStatus>(queryKey('getAppStatus', undefined))
    if (status) takeStatus(client, { ...status, account })
  }),
)
