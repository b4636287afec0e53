import type { TFunction } from 'i18next'
import type { Notice } from '../../shared/app'
import type { AppError } from '../../shared/errors'
import { remarksText } from './printerText'
import { isOwnReason, systemWords } from './systemWords'
import { withoutGaps } from './withoutGaps'

/** Details that mean «the file concerned» and «the printer concerned», in the order in which they are looked for. */
const fileKeys = ['file', 'path', 'folder']
const printerKeys = ['printer', 'printerName', 'queue', 'printerId']

function firstOf(details: Record<string, string>, keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = details[key]
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

/** The file or folder an error is about; undefined when it names none. */
export function fileOf(error: AppError): string | undefined {
  return firstOf(error.details ?? {}, fileKeys)
}

/** Words why a file can't be used. */
function faultWords(t: TFunction, code: string, detail: string | undefined, english: string): string {
  return t(`fileFaults.${code}`, { detail, defaultValue: english })
}

/**
 * Words an error in the operator's language, from its code and details. A part that the error does not carry is left
 * out of the sentence; a code without wording gives the English message.
 */
export function errorText(t: TFunction, error: AppError): string {
  const details = error.details ?? {}
  const given = details.reason ?? ''
  const reason = systemWords(t, given) ?? given
  return withoutGaps(
    t(`errors.${error.code}`, {
      ...details,
      reason: details.fault === undefined ? reason : faultWords(t, details.fault, details.detail, reason),
      printer: firstOf(details, printerKeys),
      file: firstOf(details, fileKeys),
      defaultValue: error.message,
    }),
  )
}

/** Words a notice in the operator's language, from its code and details. */
export function noticeText(t: TFunction, { code, message, details = {} }: Notice): string {
  const { fault, detail, reason = '' } = details
  const words =
    fault === undefined ? (systemWords(t, reason) ?? reason) : faultWords(t, fault, detail, reason)
  return t(`notices.${code}`, { ...details, reason: words, defaultValue: message })
}

/** What is known of why, in the operator's language; undefined when the sentence of the error says it. */
export function reasonText(t: TFunction, error: AppError): string | undefined {
  if (error.says !== undefined) return remarksText(t, error.says)
  const { reason, fault } = error.details ?? {}
  if (reason === undefined || fault !== undefined) return undefined
  const words = systemWords(t, reason)
  return words === undefined || errorText(t, error).includes(words) ? undefined : words
}

/** What a system said in words that are no operator's, as it came; undefined when the sentence of the error says it. */
export function technicalDetail(t: TFunction, error: AppError): string | undefined {
  const { reason, fault } = error.details ?? {}
  if (!reason || fault !== undefined || error.says !== undefined || isOwnReason(reason)) return undefined
  return errorText(t, error).includes(reason) ? undefined : reason
}
