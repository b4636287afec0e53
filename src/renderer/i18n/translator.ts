import { createInstance, type i18n } from 'i18next'
import { initReactI18next } from 'react-i18next'
import { locales, type Texts } from '../../locales'
import { type Language, languageSchema } from '../../shared/fields'

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: Texts }
  }
}

export function createTranslator(language: Language): i18n {
  const translator = createInstance()
  // All texts are in memory, so init is synchronous and its promise can be ignored.
  void translator.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: Object.fromEntries(
      languageSchema.options.map((code) => [code, { translation: locales[code] }]),
    ),
    // React escapes what it renders.
    interpolation: { escapeValue: false },
    // A missing detail must not show the placeholder's name.
    missingInterpolationHandler: () => '',
    initAsync: false,
  })
  return translator
}
