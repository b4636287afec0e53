import type { TFunction } from 'i18next'
import type { LabelFinding } from '../../shared/labels'

/** What a label would lose, as a sentence. */
export function lossText(t: TFunction, { kind, name, text }: Omit<LabelFinding, 'page' | 'areas'>): string {
  const about = name ?? t('losses.unnamed')
  return text === undefined
    ? t(`losses.kinds.${kind}`, { name: about })
    : `${t(`losses.kinds.${kind}`, { name: about })} ${t('losses.says', { text })}`
}
