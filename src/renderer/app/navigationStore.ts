import { createStore, type StoreApi } from 'zustand/vanilla'

export const screens = ['ship', 'track', 'history', 'queue', 'manifests', 'settings'] as const
export type Screen = (typeof screens)[number]

export const settingsTabs = [
  'account',
  'carriers',
  'defaults',
  'printers',
  'tracking',
  'customs',
  'station',
] as const
export type SettingsTab = (typeof settingsTabs)[number]

export type TrackTab = 'one' | 'many' | 'board'

export interface NavigationState {
  screen: Screen
  trackTab: TrackTab
  settingsTab: SettingsTab
  helpOpen: boolean
  go: (screen: Screen) => void
  goToSettings: (tab: SettingsTab) => void
  goToTrack: (tab: TrackTab) => void
  showHelp: (open: boolean) => void
}

export type NavigationStore = StoreApi<NavigationState>

/** Which screen is in front. */
export function createNavigationStore(): NavigationStore {
  return createStore<NavigationState>((set) => ({
    screen: 'ship',
    trackTab: 'one',
    settingsTab: 'account',
    helpOpen: false,
    go: (screen) => set({ screen }),
    goToSettings: (settingsTab) => set({ screen: 'settings', settingsTab }),
    goToTrack: (trackTab) => set({ screen: 'track', trackTab }),
    showHelp: (helpOpen) => set({ helpOpen }),
  }))
}
