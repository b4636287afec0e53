import type { TFunction } from 'i18next'
import { en } from './en'

/** Codes that can be distinguished from other words wherever they stand; «unreachable» is one only where it stands alone. */
const telling = Object.keys(en.systemReasons).filter((code) => /[A-Z_ ]/.test(code))
const codeInText = new RegExp(`(?<![\\w-])(?:${telling.join('|')})(?![a-z-])`)

/** Whether a reason is a code of the app's own, which tells nobody anything. */
export function isOwnReason(text: string): boolean {
  return Object.hasOwn(en.systemReasons, text) && !telling.includes(text)
}

/**
 * What a system said, in the operator's language: its code is worded wherever it stands in the text, «write EPIPE» too.
 * @returns undefined when the text holds nothing that the app has words for
 */
export function systemWords(t: TFunction, text: string): string | undefined {
  const code = Object.hasOwn(en.systemReasons, text) ? text : codeInText.exec(text)?.[0]
  return code === undefined ? undefined : t(`systemReasons.${code}`, { defaultValue: text })
}
