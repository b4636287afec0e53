import { createStore, type StoreApi } from 'zustand/vanilla'

export const screens = ['ship', 'track', 'history', 'manifests', 'settings'] as const
export type Screen = (typeof screens)[number]

export const settingsTabs = ['account', 'carriers', 'defaults', 'printers', 'customs', 'station'] as const
export type SettingsTab = (typeof settingsTabs)[number]

export interface NavigationState {
  screen: Screen
  settingsTab: SettingsTab
  helpOpen: boolean
  go: (screen: Screen) => void
  goToSettings: (tab: SettingsTab) => void
  showHelp: (open: boolean) => void
}

export type NavigationStore = StoreApi<NavigationState>

/** Which screen is in front. */
export function createNavigationStore(): NavigationStore {
  return createStore<NavigationState>((set) => ({
    screen: 'ship',
    settingsTab: 'account',
    helpOpen: false,
    go: (screen) => set({ screen }),
    goToSettings: (settingsTab) => set({ screen: 'settings', settingsTab }),
    showHelp: (helpOpen) => set({ helpOpen }),
  }))
}
