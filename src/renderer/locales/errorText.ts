import type { TFunction } from 'i18next'
import type { Notice } from '../../shared/app'
import { type AppError, findCase } from '../../shared/errors'
import { fillSentence } from '../../shared/sentences'
import { isOwnReason } from '../../shared/systemReasons'
import { remarksText } from './printerText'
import { systemWords } from './systemWords'

type Details = Readonly<Record<string, string>>

/** What details say of why, in the operator's language. */
function reasonWords(t: TFunction, { reason = '', fault, detail }: Details): string {
  if (fault === undefined) return systemWords(t, reason) ?? reason
  const template = t(`fileFaults.${fault}`, { skipInterpolation: true, defaultValue: reason })
  return fillSentence(template, { detail })
}

/**
 * Words an error in the operator's language, from its code and details. A part that the error does not carry is left
 * out of the sentence; a code without wording gives the English message.
 */
export function errorText(t: TFunction, { code, message, details = {} }: AppError): string {
  const key = findCase(code, details)
  const template = t(`errors.${key === undefined ? code : `${code}.${key}`}`, {
    skipInterpolation: true,
    defaultValue: message,
  })
  return fillSentence(template, { ...details, reason: reasonWords(t, details) })
}

/** Words a notice in the operator's language, from its code and details. */
export function noticeText(t: TFunction, { code, message, details = {} }: Notice): string {
  const template = t(`notices.${code}`, { skipInterpolation: true, defaultValue: message })
  return fillSentence(template, { ...details, reason: reasonWords(t, details) })
}

/** The reason in an error's details, unless it chose the sentence or the fault's words. */
function findUntoldReason({ code, details = {} }: AppError): string | undefined {
  return details.fault === undefined && details.reason !== findCase(code, details)
    ? details.reason
    : undefined
}

/** What is known of why, in the operator's language; undefined when the sentence of the error says it. */
export function reasonText(t: TFunction, error: AppError): string | undefined {
  if (error.says !== undefined) return remarksText(t, error.says)
  const reason = findUntoldReason(error)
  if (reason === undefined) return undefined
  const words = systemWords(t, reason)
  return words === undefined || errorText(t, error).includes(words) ? undefined : words
}

/** What a system said in words that are no operator's, as it came; undefined when the sentence of the error says it. */
export function technicalDetail(t: TFunction, error: AppError): string | undefined {
  const reason = findUntoldReason(error)
  if (!reason || error.says !== undefined || isOwnReason(reason)) return undefined
  return errorText(t, error).includes(reason) ? undefined : reason
}
