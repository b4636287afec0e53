import type { TFunction } from 'i18next'
import type { PrinterRemark, PrintNote } from '../../shared/printerRemarks'
import type { Dpi } from '../../shared/printing'
import { fillSentence } from '../../shared/sentences'
import { systemWords } from './systemWords'

/** Remarks about a printer as a part of a sentence, in the operator's language. */
export function remarksText(t: TFunction, remarks: readonly PrinterRemark[]): string {
  return remarks
    .map(({ code, words = '' }) => {
      // What a printer says in its own words stays as it came; what the system says is worded.
      const said = code === 'own-words' ? words : (systemWords(t, words) ?? words)
      return t(`remarks.${code}`, { words: said })
    })
    .join(', ')
}

/** A note of a print job in the operator's language. */
export function noteText(t: TFunction, { code, says, printer, reason }: PrintNote): string {
  const words = reason ? t(`job.dismissals.${reason}`) : remarksText(t, says)
  return fillSentence(t(`printNotes.${code}`, { skipInterpolation: true }), { says: words, printer })
}

/** A print head by its name and its dots in a millimetre. */
export function dpiText(t: TFunction, dpi: Dpi): string {
  return t('printersTab.dpiValue', { dpi, dots: Math.round((dpi / 25.4) * 10) / 10 })
}
