import type { TFunction } from 'i18next'
import { findSystemReason } from '../../shared/systemReasons'

/**
 * What a system said, in the operator's language: its code is worded wherever it stands in the text, «write EPIPE» too.
 * @returns undefined when the text holds nothing that the app has words for
 */
export function systemWords(t: TFunction, text: string): string | undefined {
  const code = findSystemReason(text)
  return code === undefined ? undefined : t(`systemReasons.${code}`)
}
