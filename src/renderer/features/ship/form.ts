import type { Companion, OrderToShip, OrderValues } from '../../../shared/orders'
import { err, ok, type Result } from '../../../shared/result'
import type { Settings } from '../../../shared/settings'
import {
  type CarrierLimits,
  consigneeFields,
  type ShipmentDefaults,
  type ShipmentDraft,
  shipmentDraftSchema,
} from '../../../shared/shipments'
import { carrierKey, findDefaultCarrier, readCarrierKey, readNumber } from '../../ui/fieldValues'
import { issueCode, type ValidationIssue } from '../../ui/validation'

/** Fields that hold text while they are typed, numbers among them. */
export const textFields = [
  'reference',
  ...consigneeFields,
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

/** What is wrong, by the field that it is shown in. */
export type DraftIssues = Partial<Record<FormField, ValidationIssue>>

const [firstField, ...otherFields] = textFields
/** The order in which the fields stand on the screen. */
export const fieldOrder: readonly FormField[] = [firstField, 'carrier', ...otherFields, ...flagFields]

/** Fields that lie folded under «More fields». */
export const foldedFields: readonly FormField[] = fieldOrder.slice(fieldOrder.indexOf('length'))

/** The consignee: what «use same address again» brings back. */
export type Consignee = Pick<DraftForm, (typeof consigneeFields)[number] | 'isCompany'>

function defaultCarrier(settings: Pick<Settings, 'carriers' | 'shipmentDefaults'>): string {
  const [only, ...others] = settings.carriers
  const isOnlyOne = only !== undefined && others.length === 0
  return findDefaultCarrier(settings) || (isOnlyOne ? carrierKey(only) : '')
}

function toText(value: string | number | undefined): string {
  return value === undefined ? '' : String(value)
}

/** Numbers that mean «not measured» are shown empty. */
function dimensionText(value: number | undefined): string {
  return value ? String(value) : ''
}

/** Defaults as the form's text; what the defaults leave out is empty. */
function toDefaultTexts(
  defaults: ShipmentDefaults,
): Omit<DraftForm, 'reference' | 'carrier' | 'numberOfPackages'> {
  return {
    companyName: toText(defaults.companyName),
    firstName: toText(defaults.firstName),
    lastName: toText(defaults.lastName),
    street: toText(defaults.street),
    houseNumber: toText(defaults.houseNumber),
    postalCode: toText(defaults.postalCode),
    city: toText(defaults.city),
    country: toText(defaults.country),
    email: toText(defaults.email),
    phoneNumber: toText(defaults.phoneNumber),
    weight: toText(defaults.weight),
    content: toText(defaults.content),
    length: dimensionText(defaults.length),
    width: dimensionText(defaults.width),
    height: dimensionText(defaults.height),
    reference2: toText(defaults.reference2),
    createdBy: toText(defaults.createdBy),
    printPhoneNumber: toText(defaults.printPhoneNumber),
    isCompany: defaults.isCompany ?? false,
    signatureRequired: defaults.signatureRequired ?? false,
    returnLabel: defaults.returnLabel ?? false,
  }
}

/** A new form: the station's defaults and nothing of the parcel before. */
export function blankForm(settings: Pick<Settings, 'carriers' | 'shipmentDefaults'>): DraftForm {
  return {
    ...toDefaultTexts(settings.shipmentDefaults),
    reference: '',
    carrier: defaultCarrier(settings),
    numberOfPackages: toText(settings.shipmentDefaults.numberOfPackages ?? 1),
  }
}

/** The form that a shipment was made from. */
export function toForm(draft: ShipmentDraft): DraftForm {
  return {
    ...toDefaultTexts(draft),
    reference: draft.reference,
    carrier: carrierKey(draft),
    numberOfPackages: String(draft.numberOfPackages),
  }
}

/** A form with another consignee. */
export function withConsignee(form: DraftForm, consignee: Consignee): DraftForm {
  const next = { ...form, isCompany: consignee.isCompany }
  for (const field of consigneeFields) next[field] = consignee[field]
  return next
}

/**
 * A form filled in from an order; what neither the order nor its rule says stays as it is. A carrier option that the
 * station does not know leaves the choice empty: no other one is right.
 * @param known keys of the carrier options that the station knows
 */
export function withOrder(
  form: DraftForm,
  { values, signatureRequired, extras }: Omit<OrderToShip, 'order'>,
  known: readonly string[],
): DraftForm {
  const { carrierOptionId: named = '', ...texts } = values
  const isNamed = (key: string) => readCarrierKey(key)?.carrierOptionId === readNumber(named)
  return {
    ...form,
    ...texts,
    isCompany: form.isCompany || texts.companyName !== undefined,
    ...(named.trim() !== '' && { carrier: known.find(isNamed) ?? '' }),
    ...(signatureRequired !== null && { signatureRequired }),
    ...extras,
  }
}

/**
 * A form for one parcel of several orders. Weights are summed where all are known; orders of one package go along with
 * others, those of several keep theirs; the second reference names the orders that the first one does not.
 * @param lead what the order says that the form was filled in from
 * @param isWeighed whether the weight was weighed or typed, and stays
 */
export function withCompanions(
  form: DraftForm,
  lead: OrderValues,
  companions: readonly Companion[],
  isWeighed: boolean,
): DraftForm {
  const all = [lead, ...companions.map(({ values }) => values)]
  const firstOf = (field: 'email' | 'phoneNumber') =>
    form[field] || (all.find((values) => values[field])?.[field] ?? '')
  const contents = [
    ...new Set(all.flatMap(({ content = '' }) => (content.trim() === '' ? [] : [content.trim()]))),
  ]
  return {
    ...form,
    weight: isWeighed ? form.weight : sumWeights(all, form.weight),
    numberOfPackages: sumPackages(all, form.numberOfPackages),
    ...(contents.length > 0 && { content: joinWithin(contents) }),
    email: firstOf('email'),
    phoneNumber: firstOf('phoneNumber'),
    // Each order's own box is not the one that they go in together.
    ...{ length: '', width: '', height: '' },
    reference2: joinWithin([
      ...(form.reference2.trim() === '' ? [] : [form.reference2.trim()]),
      ...companions.map(({ order }) => order.values.reference ?? ''),
    ]),
  }
}

/** Longest text of a field that the form joins. */
const maxJoined = 500

function joinWithin(parts: readonly string[]): string {
  return parts.reduce((text, part) => {
    const joined = text === '' ? part : `${text}, ${part}`
    return joined.length > maxJoined ? text : joined
  }, '')
}

/** Kilograms to the gram; empty when only some orders say theirs. */
function sumWeights(all: readonly OrderValues[], typed: string): string {
  const known = all.flatMap(({ weight }) => (weight === undefined ? [] : [readNumber(weight)]))
  if (known.length === 0) return typed
  const sum = known.reduce((total, weight) => total + weight, 0)
  return known.length < all.length || !(sum > 0) ? '' : String(Math.round(sum * 1000) / 1000)
}

function sumPackages(all: readonly OrderValues[], typed: string): string {
  const several = all
    .map(({ numberOfPackages = '1' }) => readNumber(numberOfPackages))
    .filter((count) => count > 1)
  if (all.every(({ numberOfPackages }) => numberOfPackages === undefined)) return typed
  return several.length === 0 ? '1' : String(several.reduce((total, count) => total + count, 0))
}

/** Whether two forms hold the same. */
export function isSameForm(left: DraftForm, right: DraftForm): boolean {
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

/** Reads the form as a shipment: the whole draft, or one issue for each field that can't be used. */
export function readForm(form: DraftForm): Result<ShipmentDraft, DraftIssues> {
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
  if (parsed.success) return ok(parsed.data)
  const issues: DraftIssues = {}
  for (const issue of parsed.error.issues) {
    const field = formField(issue.path[0])
    if (field && !issues[field]) issues[field] = { code: issueCode(issue.message) }
  }
  if (issues.carrier) issues.carrier = { code: 'carrier-required' }
  // The schema looks at the whole only when the parts are right; the operator wants all issues at once.
  if (!issues.lastName && `${form.companyName}${form.firstName}${form.lastName}`.trim() === '') {
    issues.lastName = { code: 'name-required' }
  }
  return err(issues)
}

/** The first invalid field in the screen's order. */
export function firstIssue(issues: DraftIssues): FormField | undefined {
  return fieldOrder.find((field) => issues[field] !== undefined)
}

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
