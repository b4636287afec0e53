import type { TFunction } from 'i18next'
import type { PrinterRemark, PrintNote } from '../../shared/printerRemarks'
import { withoutGaps } from './withoutGaps'

/** Remarks about a printer as a part of a sentence, in the operator's language. */
export function remarksText(t: TFunction, remarks: readonly PrinterRemark[]): string {
  return remarks.map(({ code, words }) => t(`remarks.${code}`, { words })).join(', ')
}

/** A note of a print job in the operator's language. */
export function noteText(t: TFunction, { code, says, printer }: PrintNote): string {
  return withoutGaps(t(`printNotes.${code}`, { says: remarksText(t, says), printer }))
}
