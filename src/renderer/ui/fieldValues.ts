import type { CarrierOption } from '../../shared/settings'

/** Reads a number typed with a point or a comma; NaN for anything else, the empty text included. */
export function readNumber(text: string): number {
  const plain = text.trim().replace(',', '.')
  return /^-?\d+(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN
}

/** Names a carrier option in a form: carrier ids alone or option ids alone need not be unique. */
export function carrierKey(option: Pick<CarrierOption, 'carrierId' | 'carrierOptionId'>): string {
  return `${option.carrierId}:${option.carrierOptionId}`
}

/** Reads a carrier key; undefined for the empty one. */
export function readCarrierKey(key: string): { carrierId: number; carrierOptionId: number } | undefined {
  const [carrierId, carrierOptionId] = key.split(':')
  if (!carrierId || !carrierOptionId) return undefined
  return { carrierId: Number(carrierId), carrierOptionId: Number(carrierOptionId) }
}
