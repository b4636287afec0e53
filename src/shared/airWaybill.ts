/** What is worth a look about an air waybill number; null when nothing is. */
export type WaybillAdvice = 'form' | 'check-digit'

/**
 * Looks at an air waybill number: AAA-NNNNNNNN, the last digit the remainder of the seven before it by 7. Advice only:
 * the specification shows no rule.
 */
export function waybillAdvice(number: string): WaybillAdvice | null {
  const match = /^\d{3}-?(\d{7})(\d)$/.exec(number.trim())
  if (match === null) return 'form'
  const [, serial = '', digit = ''] = match
  return Number(serial) % 7 === Number(digit) ? null : 'check-digit'
}
