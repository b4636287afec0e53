import { useTranslation } from 'react-i18next'
import type { Advice } from '../features/ship/advice'
import type { Fault } from './faults'

/** Words a fault of a field; undefined when there is none. `name` picks a sentence of its own for some fields. */
export function useFaultText() {
  const { t } = useTranslation()
  return (fault: Fault | undefined, label: string, name?: string): string | undefined => {
    if (!fault) return undefined
    const { code, limit, hint } = fault
    if (code !== 'required' && (name === 'weight' || name === 'numberOfPackages')) {
      return t(`faults.range-${name}`)
    }
    return t(`faults.${code}`, { field: label, limit, hint })
  }
}

/** Words advice; undefined when there is none. */
export function useAdviceText() {
  const { t } = useTranslation()
  return (advice: Advice | undefined): string | undefined =>
    advice && t(`advice.${advice.code}`, 'limit' in advice ? { limit: advice.limit } : {})
}
