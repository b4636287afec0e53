import type { Settings } from '../../../shared/settings'
import { type ShipmentDefaults, shipmentDefaultsSchema } from '../../../shared/shipments'
import { faultsByPath } from '../../ui/faults'
import { carrierKey, readCarrierKey, readNumber } from '../../ui/fieldValues'
import { type FlagField, textOfDefaults } from '../ship/draftForm'
import type { TabForm } from './tabStore'

/** Text fields that the defaults tab shows; the others a provisioning file set are kept as they are. */
export const defaultTextFields = [
  'country',
  'content',
  'createdBy',
  'reference2',
  'printPhoneNumber',
] as const
export const defaultNumberFields = ['weight', 'numberOfPackages', 'length', 'width', 'height'] as const
export const defaultFlagFields: readonly FlagField[] = ['signatureRequired', 'returnLabel', 'isCompany']

type DefaultText = (typeof defaultTextFields)[number] | (typeof defaultNumberFields)[number]

/** The defaults tab as typed; empty means that new shipments start with an empty field. */
export type DefaultsValues = Record<DefaultText, string> & Record<FlagField, boolean> & { carrier: string }

function carrierOf({ shipmentDefaults, carriers }: Settings): string {
  const { carrierId, carrierOptionId } = shipmentDefaults
  if (carrierOptionId === undefined) return ''
  const named = carriers.find(
    (option) =>
      option.carrierOptionId === carrierOptionId &&
      (carrierId === undefined || option.carrierId === carrierId),
  )
  if (named) return carrierKey(named)
  return carrierId === undefined ? '' : carrierKey({ carrierId, carrierOptionId })
}

/** The defaults tab: a part of the shipment defaults. */
export const defaultsForm: TabForm<DefaultsValues> = {
  fromSettings(settings) {
    const text = textOfDefaults(settings.shipmentDefaults)
    const packages = settings.shipmentDefaults.numberOfPackages
    return {
      ...text,
      numberOfPackages: packages === undefined ? '' : String(packages),
      carrier: carrierOf(settings),
    }
  },
  toChange(values, settings) {
    const defaults: Record<string, unknown> = { ...settings.shipmentDefaults }
    const put = (field: keyof ShipmentDefaults, value: unknown, given: boolean) => {
      if (given) defaults[field] = value
      else delete defaults[field]
    }
    for (const field of defaultTextFields) put(field, values[field], values[field].trim() !== '')
    for (const field of defaultNumberFields)
      put(field, readNumber(values[field]), values[field].trim() !== '')
    for (const field of defaultFlagFields) put(field, true, values[field])
    const carrier = readCarrierKey(values.carrier)
    put('carrierId', carrier?.carrierId, carrier !== undefined)
    put('carrierOptionId', carrier?.carrierOptionId, carrier !== undefined)
    const parsed = shipmentDefaultsSchema.safeParse(defaults)
    if (!parsed.success) return { ok: false, faults: faultsByPath(parsed.error) }
    return { ok: true, change: { shipmentDefaults: parsed.data } }
  },
}
