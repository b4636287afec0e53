import { z } from 'zod'
import { carrierOptionSchema } from '../../../shared/settings'
import { faultsByPath } from '../../ui/faults'
import { readNumber } from '../../ui/fieldValues'
import type { TabForm } from './tabStore'

/** One carrier option as typed. `key` tells rows apart while they are edited. */
export interface CarrierRow {
  key: string
  name: string
  carrierId: string
  carrierOptionId: string
}

/** The carriers tab: every row must be whole. */
export const carriersForm: TabForm<CarrierRow[]> = {
  fromSettings: (settings) =>
    settings.carriers.map((option, index) => ({
      key: `${index}:${option.carrierId}:${option.carrierOptionId}`,
      name: option.name,
      carrierId: String(option.carrierId),
      carrierOptionId: String(option.carrierOptionId),
    })),
  toChange(rows) {
    const parsed = z.array(carrierOptionSchema).safeParse(
      rows.map((row) => ({
        name: row.name,
        carrierId: readNumber(row.carrierId),
        carrierOptionId: readNumber(row.carrierOptionId),
      })),
    )
    if (!parsed.success) return { ok: false, faults: faultsByPath(parsed.error) }
    return { ok: true, change: { carriers: parsed.data } }
  },
}
