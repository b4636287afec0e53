import { locales } from '../../locales'
import type { Notice } from '../../shared/app'
import type { AppError } from '../../shared/errors'
import { fillSentence } from '../../shared/sentences'

/** A notice with its English sentence for the log; the window shows the sentence of the code in the operator's language. */
export function createNotice(
  code: Exclude<Notice['code'], 'backup-failed'>,
  details?: Notice['details'],
): Notice {
  const message = fillSentence(locales.en.notices[code], details ?? {})
  return details === undefined ? { code, message } : { code, message, details }
}

/** The notice of a copy that could not be made. */
export function toBackupNotice({ message, details = {} }: AppError): Notice {
  return { code: 'backup-failed', message, details }
}
