import { useTranslation } from 'react-i18next'
import type { CarrierLimits } from '../../../shared/shipments'
import { readNumber } from '../../ui/fieldValues'
import type { DraftForm, FormField, TextField } from './draftForm'

/** Something worth a look that never stops a shipment. */
export type Advice =
  | { code: 'empty-houseNumber' | 'empty-postalCode' | 'empty-email' | 'empty-phoneNumber' | 'email-shape' }
  | { code: 'above' | 'below'; limit: string }

export type AdviceByField = Partial<Record<FormField, Advice>>

/** A limit that says something: the service writes 0 where it sets none. */
function statedLimit(limit: string | null): number | undefined {
  if (limit === null) return undefined
  const value = readNumber(limit)
  return value > 0 ? value : undefined
}

function outside(text: string, min: string | null, max: string | null): Advice | undefined {
  const value = readNumber(text)
  if (!(value > 0)) return undefined
  const least = statedLimit(min)
  const most = statedLimit(max)
  if (most !== undefined && max !== null && value > most) return { code: 'above', limit: max }
  if (least !== undefined && min !== null && value < least) return { code: 'below', limit: min }
  return undefined
}

function limitAdvice(form: DraftForm, limits: CarrierLimits): AdviceByField {
  const found: [TextField, Advice | undefined][] = [
    ['weight', outside(form.weight, limits.minWeight, limits.maxWeight)],
    ['length', outside(form.length, limits.minLength, limits.maxLength)],
    ['width', outside(form.width, limits.minWidth, limits.maxWidth)],
    ['height', outside(form.height, limits.minHeight, limits.maxHeight)],
  ]
  const advice: AdviceByField = {}
  for (const [field, warning] of found) if (warning) advice[field] = warning
  return advice
}

/**
 * Advice on a form: fields that the specification leaves open and carriers mostly want, and values past the limits
 * that the service stated last. Limits carry no units, so a value past one is a warning (spec: Limits).
 */
export function adviceFor(form: DraftForm, limits: CarrierLimits | null): AdviceByField {
  const advice: AdviceByField = limits ? limitAdvice(form, limits) : {}
  if (form.houseNumber.trim() === '') advice.houseNumber = { code: 'empty-houseNumber' }
  if (form.postalCode.trim() === '') advice.postalCode = { code: 'empty-postalCode' }
  if (form.phoneNumber.trim() === '') advice.phoneNumber = { code: 'empty-phoneNumber' }
  const email = form.email.trim()
  if (email === '') advice.email = { code: 'empty-email' }
  else if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) advice.email = { code: 'email-shape' }
  return advice
}

/** Words advice; undefined when there is none. */
export function useAdviceText() {
  const { t } = useTranslation()
  return (advice: Advice | undefined): string | undefined =>
    advice && t(`advice.${advice.code}`, 'limit' in advice ? { limit: advice.limit } : {})
}
