import type { CarrierOption, Settings } from '../../shared/settings'

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

/** The key of the carrier option that new shipments start with; empty when the defaults name none. */
export function findDefaultCarrier(settings: Pick<Settings, 'carriers' | 'shipmentDefaults'>): string {
  const { carrierId, carrierOptionId } = settings.shipmentDefaults
  if (carrierOptionId === undefined) return ''
  const named = settings.carriers.find(
    (option) =>
      option.carrierOptionId === carrierOptionId &&
      (carrierId === undefined || option.carrierId === carrierId),
  )
  if (named) return carrierKey(named)
  return carrierId === undefined ? '' : carrierKey({ carrierId, carrierOptionId })
}
