import { type CarrierOption, nameCarrierOptions, type Settings } from '../../shared/settings'

/** Identifies a carrier option in a form. Neither carrier ids nor option ids are unique by themselves. */
export function carrierKey(option: Pick<CarrierOption, 'carrierId' | 'carrierOptionId'>): string {
  return `${option.carrierId}:${option.carrierOptionId}`
}

/** Reads a key of `carrierKey`; undefined if it is empty. */
export function readCarrierKey(key: string): { carrierId: number; carrierOptionId: number } | undefined {
  const [carrierId, carrierOptionId] = key.split(':')
  if (!carrierId || !carrierOptionId) return undefined
  return { carrierId: Number(carrierId), carrierOptionId: Number(carrierOptionId) }
}

/** The choices of a field whose value applies to every carrier with that option id. */
export function listOptionChoices(carriers: readonly CarrierOption[]): { value: string; label: string }[] {
  return [...nameCarrierOptions(carriers)].map(([id, label]) => ({ value: String(id), label }))
}

/** The option of a draft, which names both ids; undefined if the settings do not name it. */
export function findDraftCarrier(
  carriers: readonly CarrierOption[],
  draft: Pick<CarrierOption, 'carrierId' | 'carrierOptionId'>,
): CarrierOption | undefined {
  return carriers.find((option) => carrierKey(option) === carrierKey(draft))
}

/** The key of the default carrier option for new shipments; empty if the defaults name none. */
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
