import type { Settings } from '../../../shared/settings'
import { type ShipmentDefaults, type ShipmentDraft, shipmentDraftSchema } from '../../../shared/shipments'
import { carrierKey, readCarrierKey, readNumber } from '../../ui/fieldValues'
import { issueCode, type ValidationIssue } from '../../ui/validation'

/** Fields that hold text while they are typed, numbers among them. */
export const textFields = [
  'reference',
  'companyName',
  'firstName',
  'lastName',
  'street',
  'houseNumber',
  'postalCode',
  'city',
  'country',
  'email',
  'phoneNumber',
  'weight',
  'numberOfPackages',
  'content',
  'length',
  'width',
  'height',
  'reference2',
  'createdBy',
  'printPhoneNumber',
] as const
export type TextField = (typeof textFields)[number]

const flagFields = ['isCompany', 'signatureRequired', 'returnLabel'] as const
export type FlagField = (typeof flagFields)[number]

/** Carrier and option as one choice. */
export type FormField = TextField | FlagField | 'carrier'

/** The Ship form as typed. `carrier` is the key of a carrier option, or empty. */
export type DraftForm = Record<TextField, string> & Record<FlagField, boolean> & { carrier: string }

export type Faults = Partial<Record<FormField, ValidationIssue>>

/** The order in which the fields stand on the screen. */
export const fieldOrder: readonly FormField[] = [
  'reference',
  'carrier',
  'companyName',
  'firstName',
  'lastName',
  'street',
  'houseNumber',
  'postalCode',
  'city',
  'country',
  'email',
  'phoneNumber',
  'weight',
  'numberOfPackages',
  'content',
  'length',
  'width',
  'height',
  'reference2',
  'createdBy',
  'printPhoneNumber',
  'isCompany',
  'signatureRequired',
  'returnLabel',
]

/** Fields that lie folded under «More fields». */
export const foldedFields: readonly FormField[] = fieldOrder.slice(fieldOrder.indexOf('length'))

/** The consignee: what «use same address again» brings back. */
const addressFields = [
  'companyName',
  'firstName',
  'lastName',
  'street',
  'houseNumber',
  'postalCode',
  'city',
  'country',
  'email',
  'phoneNumber',
] as const satisfies readonly TextField[]
export type Consignee = Pick<DraftForm, (typeof addressFields)[number] | 'isCompany'>

function defaultCarrier(settings: Pick<Settings, 'carriers' | 'shipmentDefaults'>): string {
  const { carrierId, carrierOptionId } = settings.shipmentDefaults
  if (carrierOptionId !== undefined) {
    const named = settings.carriers.find(
      (option) =>
        option.carrierOptionId === carrierOptionId &&
        (carrierId === undefined || option.carrierId === carrierId),
    )
    if (named) return carrierKey(named)
    if (carrierId !== undefined) return carrierKey({ carrierId, carrierOptionId })
  }
  const [only, ...others] = settings.carriers
  return only && others.length === 0 ? carrierKey(only) : ''
}

function textOf(value: string | number | undefined): string {
  return value === undefined ? '' : String(value)
}

/** Numbers that mean «not measured» are shown empty. */
function dimensionText(value: number | undefined): string {
  return value ? String(value) : ''
}

/** Defaults as the form's text; what the defaults leave out is empty. */
export function textOfDefaults(
  defaults: ShipmentDefaults,
): Omit<DraftForm, 'reference' | 'carrier' | 'numberOfPackages'> {
  return {
    companyName: textOf(defaults.companyName),
    firstName: textOf(defaults.firstName),
    lastName: textOf(defaults.lastName),
    street: textOf(defaults.street),
    houseNumber: textOf(defaults.houseNumber),
    postalCode: textOf(defaults.postalCode),
    city: textOf(defaults.city),
    country: textOf(defaults.country),
    email: textOf(defaults.email),
    phoneNumber: textOf(defaults.phoneNumber),
    weight: textOf(defaults.weight),
    content: textOf(defaults.content),
    length: dimensionText(defaults.length),
    width: dimensionText(defaults.width),
    height: dimensionText(defaults.height),
    reference2: textOf(defaults.reference2),
    createdBy: textOf(defaults.createdBy),
    printPhoneNumber: textOf(defaults.printPhoneNumber),
    isCompany: defaults.isCompany ?? false,
    signatureRequired: defaults.signatureRequired ?? false,
    returnLabel: defaults.returnLabel ?? false,
  }
}

/** A new form: the station's defaults and nothing of the parcel before. */
export function blankForm(settings: Pick<Settings, 'carriers' | 'shipmentDefaults'>): DraftForm {
  return {
    ...textOfDefaults(settings.shipmentDefaults),
    reference: '',
    carrier: defaultCarrier(settings),
    numberOfPackages: textOf(settings.shipmentDefaults.numberOfPackages ?? 1),
  }
}

/** A form with another consignee. */
export function withConsignee(form: DraftForm, consignee: Consignee): DraftForm {
  const next = { ...form, isCompany: consignee.isCompany }
  for (const field of addressFields) next[field] = consignee[field]
  return next
}

/** Whether two forms hold the same. */
export function sameForm(left: DraftForm, right: DraftForm): boolean {
  return fieldOrder.every((field) => left[field] === right[field])
}

function readDimension(text: string): number {
  return text.trim() === '' ? 0 : readNumber(text)
}

/** Draft fields that the screen shows under another name. */
function formField(path: PropertyKey | undefined): FormField | undefined {
  if (path === 'carrierId' || path === 'carrierOptionId') return 'carrier'
  return fieldOrder.find((field) => field === path)
}

export type ReadForm = { ok: true; draft: ShipmentDraft } | { ok: false; faults: Faults }

/** Reads the form as a shipment: the whole draft, or one fault for each field that can't be used. */
export function readForm(form: DraftForm): ReadForm {
  const { carrier, ...typed } = form
  const chosen = readCarrierKey(carrier)
  const parsed = shipmentDraftSchema.safeParse({
    ...typed,
    carrierId: chosen?.carrierId ?? Number.NaN,
    carrierOptionId: chosen?.carrierOptionId ?? Number.NaN,
    numberOfPackages: readNumber(form.numberOfPackages),
    weight: readNumber(form.weight),
    length: readDimension(form.length),
    width: readDimension(form.width),
    height: readDimension(form.height),
  })
  if (parsed.success) return { ok: true, draft: parsed.data }
  const faults: Faults = {}
  for (const issue of parsed.error.issues) {
    const field = formField(issue.path[0])
    if (field && !faults[field]) faults[field] = { code: issueCode(issue.message) }
  }
  if (faults.carrier) faults.carrier = { code: 'carrier-required' }
  // The schema looks at the whole only when the parts are right; the operator wants all faults at once.
  if (!faults.lastName && `${form.companyName}${form.firstName}${form.lastName}`.trim() === '') {
    faults.lastName = { code: 'name-required' }
  }
  return { ok: false, faults }
}

/** The first faulty field in the screen's order. */
export function firstFault(faults: Faults): FormField | undefined {
  return fieldOrder.find((field) => faults[field] !== undefined)
}
