import type { Language } from '../shared/fields'
import * as en from './en'
import * as nl from './nl'

/** The words of one language: every key of the English ones must be there. */
export type Texts = typeof en

/** All words of the app in each language, for main and for the window. */
export const locales: Readonly<Record<Language, Texts>> = { en, nl }
