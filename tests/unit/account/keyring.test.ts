import { describe, expect, it } from 'vitest'
import { selectPasswordStore } from '../../../src/main/account/keyring'

describe('selectPasswordStore', () => {
  it.each([
    ['unlocked', undefined, 'gnome-libsecret'],
    ['locked', undefined, 'gnome-libsecret'],
    ['unlocked', 'openbox', 'gnome-libsecret'],
    ['unlocked', 'ubuntu:GNOME', 'gnome-libsecret'],
    ['kwallet6', undefined, 'kwallet6'],
    ['absent', undefined, 'basic'],
    ['absent', 'GNOME', 'basic'],
    ['unlocked', 'KDE', undefined],
    ['absent', 'KDE', undefined],
  ] as const)('selects for a keyring that is %s on the desktop %s the store %s', (state, desktop, store) => {
    expect(selectPasswordStore(state, { XDG_CURRENT_DESKTOP: desktop })).toBe(store)
  })
})
