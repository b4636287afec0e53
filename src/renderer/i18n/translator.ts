import { createInstance, type i18n } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { locales, type Texts } from '../../locales'
import type { Language } from '../../shared/fields'

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Texts }
  }
}

/** A translator with both languages loaded, starting in `language`. */
export function createTranslator(language: Language): i18n {
  const translator = createInstance()
  // Everything is in memory, so initialising is synchronous and the promise carries nothing.
  void translator.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: { en: { translation: locales.en }, nl: { translation: locales.nl } },
    // React escapes what it renders.
    interpolation: { escapeValue: false },
    // An error that lacks a detail must not show the name of the gap.
    missingInterpolationHandler: () => '',
    initAsync: false,
  })
  return translator
}
