import type { Language } from '../../shared/settings'

/** The tray's words: main has no other text of its own on the screen. */
export const trayWords: Record<Language, { open: string; quit: string; tooltip: string }> = {
  en: { open: 'Open Packbench', quit: 'Quit Packbench', tooltip: 'Packbench' },
  nl: { open: 'Packbench openen', quit: 'Packbench afsluiten', tooltip: 'Packbench' },
}
