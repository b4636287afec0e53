import type { Language } from '../shared/fields'

/** What the app needs to know of a language besides its words. Main reads it before it loads the words. */
interface LanguageFacts {
  /** In the language itself. */
  name: string
  /** The locale of dates, numbers and country names. */
  locale: string
  /** Chromium's own name of the language, for its controls. */
  chromiumLocale: string
  /** Intl's region names lack this customs territory (XI). */
  northernIreland: string
}

export const languages: Readonly<Record<Language, LanguageFacts>> = {
  en: {
    name: 'English',
    locale: 'en-GB',
    chromiumLocale: 'en-GB',
    northernIreland: 'Northern Ireland',
  },
  nl: {
    name: 'Nederlands',
    locale: 'nl-NL',
    chromiumLocale: 'nl',
    northernIreland: 'Noord-Ierland',
  },
}

const factsByCode = new Map<string, LanguageFacts>(Object.entries(languages))

/** Finds a language by a code of any type, such as that of the translator; English for another one. */
export function findLanguage(code: string): LanguageFacts {
  return factsByCode.get(code) ?? languages.en
}
