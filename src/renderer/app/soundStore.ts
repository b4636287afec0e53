import { createStore, type StoreApi } from 'zustand/vanilla'

export interface SoundState {
  on: boolean
  toggle: () => void
}

export type SoundStore = StoreApi<SoundState>

const key = 'packbench.sound'

/** Whether the station makes sounds; kept in `storage` across starts. On until somebody turns it off. */
export function createSoundStore(storage: Pick<Storage, 'getItem' | 'setItem'>): SoundStore {
  return createStore<SoundState>((set, get) => ({
    on: storage.getItem(key) !== 'off',
    toggle() {
      const on = !get().on
      storage.setItem(key, on ? 'on' : 'off')
      set({ on })
    },
  }))
}
