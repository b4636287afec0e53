import { onTestFinished, vi } from 'vitest'
import { createQueryClient, queryKey, syncCacheWithMain } from '../../../src/renderer/bridge'
import { useCustoms, useShip } from '../../../src/renderer/features/ship/stores'
import { type Signal, useSound } from '../../../src/renderer/ui/sounds'
import type { FakeBridge } from '../../support/fakeBridge'

/** The stores of a window without screens. They know status and settings, and follow the events of the fake main. */
export function openWindow({ bridge, state }: Pick<FakeBridge, 'bridge' | 'state'>) {
  vi.stubGlobal('window', { packbench: bridge, localStorage: { getItem: () => null } })
  const client = createQueryClient()
  const stop = syncCacheWithMain(client)
  onTestFinished(() => {
    stop()
    vi.unstubAllGlobals()
  })
  client.setQueryData(queryKey('getAppStatus', undefined), state.status)
  client.setQueryData(queryKey('getSettings', undefined), state.settings)
  const signals: Signal[] = []
  useSound.getStore(client).setState({ play: (signal) => signals.push(signal) })
  return {
    signals,
    ship: useShip.getStore(client),
    customs: useCustoms.getStore(client),
  }
}
