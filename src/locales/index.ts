import type { Language } from '../shared/fields'
import { en, type Texts } from './en'
import { nl } from './nl'

export type { Texts }

/** Each language by its own name. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', nl: 'Nederlands' }

/** All words of the app in each language, for main and for the window. */
export const locales: Readonly<Record<Language, Texts>> = { en, nl }
