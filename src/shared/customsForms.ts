/** What is worth a look about an HS code; null when nothing is. */
export function hsCodeAdvice(code: string): 'hs-form' | 'hs-lost-zero' | null {
  const digits = code.replace(/[. ]/g, '')
  if (/^\d+$/.test(digits) && digits.length % 2 === 1 && digits.length >= 5 && digits.length <= 9)
    return 'hs-lost-zero'
  return /^\d{6,10}$/.test(digits) ? null : 'hs-form'
}

/** Whether a text has the form of an IOSS number: IM and ten digits. */
export function hasIossForm(text: string): boolean {
  return /^IM\d{10}$/.test(text.replace(/\s/g, ''))
}

/** Whether a text has the form of a VAT number: two letters of a country, then 2 to 13 letters and digits. */
export function hasVatForm(text: string): boolean {
  return /^[A-Z]{2}[0-9A-Z+*]{2,13}$/.test(text.replace(/[\s.-]/g, ''))
}

/** Whether a text has the form of an EORI number: two letters of a country, then up to 15 letters and digits. */
export function hasEoriForm(text: string): boolean {
  return /^[A-Z]{2}[0-9A-Z]{1,15}$/.test(text.replace(/\s/g, ''))
}
