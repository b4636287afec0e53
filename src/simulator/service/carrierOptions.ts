import type { JsonObject } from '../json'

/** A carrier option of the demo account. */
export interface CarrierOption {
  carrierId: number
  carrierOptionId: number
  carrierName: string
  serviceName: string
  /** Limits as the service words them (spec, Limits): decimal text, units not stated. */
  limits: JsonObject
}

function limits(length: number, width: number, height: number, weight: number): JsonObject {
  const decimal = (value: number): string => value.toFixed(3)
  return {
    MinL: decimal(length / 10),
    MaxL: decimal(length),
    DBMinB: decimal(width / 10),
    DBMaxB: decimal(width),
    DBMinH: decimal(height / 20),
    DBMaxH: decimal(height),
    DBMinGewicht: decimal(0.01),
    DBMaxGewicht: decimal(weight),
    DBMaxVolume: String(Math.round(length * width * height)),
    DBMaxOmtrek: String(Math.round(length + 2 * (width + height))),
  }
}

const STANDARD: CarrierOption = {
  carrierId: 1,
  carrierOptionId: 11,
  carrierName: 'POLDER POST',
  serviceName: 'Parcel Standard',
  limits: limits(176, 78, 58, 31.5),
}

/** The carrier options of the demo account: what demo mode offers to choose from. */
export const DEMO_CARRIER_OPTIONS: readonly CarrierOption[] = [
  STANDARD,
  { ...STANDARD, carrierOptionId: 12, serviceName: 'Letterbox Parcel', limits: limits(38, 26.5, 3.2, 2) },
  {
    carrierId: 2,
    carrierOptionId: 21,
    carrierName: 'NORDLINE',
    serviceName: 'Express International',
    limits: limits(120, 80, 80, 70),
  },
]

/** The option with these ids. Ids are account-specific: unknown ones are served like the standard parcel. */
export function carrierOption(carrierId: number, carrierOptionId: number): CarrierOption {
  const option = DEMO_CARRIER_OPTIONS.find(
    (candidate) => candidate.carrierId === carrierId && candidate.carrierOptionId === carrierOptionId,
  )
  return option ?? { ...STANDARD, carrierId, carrierOptionId }
}
