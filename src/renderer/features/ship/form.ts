import { z } from 'zod'
import { lacksDigits, readNumber } from '../../../shared/fields'
import {
  type Companion,
  changedElsewhere,
  type Order,
  type OrderToShip,
  type OrderValues,
} from '../../../shared/orders'
import { err, ok, type Result } from '../../../shared/result'
import type { Settings } from '../../../shared/settings'
import {
  type CarrierLimits,
  consigneeFields,
  type ShipmentDefaults,
  type ShipmentDraft,
  shipmentDraftSchema,
} from '../../../shared/shipments'
import { carrierKey, findDefaultCarrier, readCarrierKey } from '../../ui/carrierOptions'
import { issueCode, type ValidationIssue } from '../../ui/validation'

/**
 * The Ship form as typed, with the fields in the order of the screen. `carrier` is the key of a carrier option, or
 * empty: carrier and option are one choice.
 */
export const draftFormSchema = z.object({
  ...{ reference: z.string(), carrier: z.string() },
  ...{ companyName: z.string(), firstName: z.string(), lastName: z.string() },
  ...{ street: z.string(), houseNumber: z.string(), postalCode: z.string(), city: z.string() },
  ...{ country: z.string(), email: z.string(), phoneNumber: z.string() },
  ...{ weight: z.string(), numberOfPackages: z.string(), content: z.string() },
  ...{ length: z.string(), width: z.string(), height: z.string() },
  ...{ reference2: z.string(), createdBy: z.string(), printPhoneNumber: z.string() },
  ...{ isCompany: z.boolean(), signatureRequired: z.boolean(), returnLabel: z.boolean() },
})
export type DraftForm = z.infer<typeof draftFormSchema>

export type FormField = keyof DraftForm
export type FlagField = 'isCompany' | 'signatureRequired' | 'returnLabel'
/** Fields that are texts in the form, including numbers. */
export type TextField = Exclude<FormField, FlagField | 'carrier'>

/** Issues by the field that shows them. */
export type DraftIssues = Partial<Record<FormField, ValidationIssue>>

/** The fields in the order of the screen. */
export const fieldOrder: readonly FormField[] = draftFormSchema.keyof().options

/** Fields that are folded under «More fields». */
export const foldedFields: readonly FormField[] = fieldOrder.slice(fieldOrder.indexOf('length'))

/** The consignee's fields, which «use same address again» fills in. */
export type Consignee = Pick<DraftForm, (typeof consigneeFields)[number] | 'isCompany'>

function defaultCarrier(settings: Pick<Settings, 'carriers' | 'shipmentDefaults'>): string {
  const [only, ...others] = settings.carriers
  const isOnlyOne = only !== undefined && others.length === 0
  return findDefaultCarrier(settings) || (isOnlyOne ? carrierKey(only) : '')
}

function toText(value: string | number | undefined): string {
  return value === undefined ? '' : String(value)
}

/** 0 means «not measured» and is shown as empty. */
function dimensionText(value: number | undefined): string {
  return value ? String(value) : ''
}

/** Defaults as the form's texts; omitted ones are empty. */
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

/** A new form with the station's defaults only. */
export function blankForm(settings: Pick<Settings, 'carriers' | 'shipmentDefaults'>): DraftForm {
  return {
    ...toDefaultTexts(settings.shipmentDefaults),
    reference: '',
    carrier: defaultCarrier(settings),
    numberOfPackages: toText(settings.shipmentDefaults.numberOfPackages ?? 1),
  }
}

/** The form for an existing draft. */
export function toForm(draft: ShipmentDraft): DraftForm {
  return {
    ...toDefaultTexts(draft),
    reference: draft.reference,
    carrier: carrierKey(draft),
    numberOfPackages: String(draft.numberOfPackages),
  }
}

/** The change of a form that fills in the consignee's fields, whatever else the consignee's object holds. */
export function toConsigneeChange(consignee: Consignee): Partial<DraftForm> {
  const change: Partial<DraftForm> = { isCompany: consignee.isCompany }
  for (const field of consigneeFields) change[field] = consignee[field]
  return change
}

/**
 * A form filled in from an order; fields that neither the order nor its rule sets stay. A carrier option that the
 * station does not know leaves the choice empty, since no other one would be right.
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
 * A form for one parcel with several orders. Weights are added if all are known. Orders of one package share the
 * parcel; orders of several packages keep theirs. The second reference lists the other orders.
 * @param lead values of the order that the form was filled in from
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
    // The dimensions of each order's own box do not apply to the common box.
    ...{ length: '', width: '', height: '' },
    reference2: joinWithin([
      ...(form.reference2.trim() === '' ? [] : [form.reference2.trim()]),
      ...companions.map(({ order }) => order.values.reference ?? ''),
    ]),
  }
}

/** The fields that `withCompanions` fills in. */
const combinedFields = [
  ...(['weight', 'numberOfPackages', 'content', 'email', 'phoneNumber'] as const),
  ...(['length', 'width', 'height', 'reference2'] as const),
]

/**
 * A form whose parcel has no other orders any more. Fields that were changed since the orders were combined stay.
 * @param before the form before they were combined
 * @param after the form as `withCompanions` returned it
 * @param isWeighed whether the weight was weighed or typed, and stays
 */
export function withoutCompanions(
  form: DraftForm,
  { before, after }: { before: DraftForm; after: DraftForm },
  isWeighed: boolean,
): DraftForm {
  const own = { ...form }
  for (const field of combinedFields) if (form[field] === after[field]) own[field] = before[field]
  // The weight of several orders whose own weights are unknown.
  const isUnknown = own.weight === ''
  return isWeighed && !isUnknown ? { ...own, weight: form.weight } : own
}

/** Longest text that the form joins, in characters. */
const maxJoined = 500

function joinWithin(parts: readonly string[]): string {
  return parts.reduce((text, part) => {
    const joined = text === '' ? part : `${text}, ${part}`
    return joined.length > maxJoined ? text : joined
  }, '')
}

/** Kilograms, rounded to the gram; empty if only some orders state a weight. */
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

export function isSameForm(left: DraftForm, right: DraftForm): boolean {
  return fieldOrder.every((field) => left[field] === right[field])
}

function readDimension(text: string): number {
  return text.trim() === '' ? 0 : readNumber(text)
}

/** Maps draft fields that the screen shows under another name. */
function formField(path: PropertyKey | undefined): FormField | undefined {
  if (path === 'carrierId' || path === 'carrierOptionId') return 'carrier'
  return fieldOrder.find((field) => field === path)
}

/** Validates the form: the whole draft, or one issue for each invalid field. */
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
  // zod checks the whole only if all fields are valid; the operator wants all issues at once.
  if (!issues.lastName && `${form.companyName}${form.firstName}${form.lastName}`.trim() === '') {
    issues.lastName = { code: 'name-required' }
  }
  return err(issues)
}

/**
 * Issues of the order that filled in the form, of fields that still have the order's own value: an error of a
 * spreadsheet, a postal code that lacks digits, or another station's value that replaced one of this station.
 */
export function findOrderIssues(form: DraftForm, order: Order | null): DraftIssues {
  const issues: DraftIssues = {}
  for (const { field, code } of order?.issues ?? []) {
    const shown = formField(field)
    if (shown === undefined || field === 'printer') continue
    const own = order?.values[field] ?? ''
    const isOwn =
      field === 'carrierOptionId'
        ? readCarrierKey(form.carrier)?.carrierOptionId === readNumber(own)
        : form[field] === own
    const isShort = code === 'lost-zero' && lacksDigits(form.postalCode, form.country)
    if (isOwn && (code === 'cell-error' || code === changedElsewhere || isShort)) issues[shown] = { code }
  }
  return issues
}

/** Validates the form that an order filled in. An error of a spreadsheet is a text, but no value. */
export function readOrderForm(form: DraftForm, order: Order | null): Result<ShipmentDraft, DraftIssues> {
  const read = readForm(form)
  const errors = Object.entries(findOrderIssues(form, order)).filter(([, { code }]) => code === 'cell-error')
  if (errors.length === 0) return read
  return err({ ...(read.ok ? {} : read.error), ...Object.fromEntries(errors) })
}

/** The first invalid field in the screen's order. */
export function firstIssue(issues: DraftIssues): FormField | undefined {
  return fieldOrder.find((field) => issues[field] !== undefined)
}

/** A hint that never blocks a shipment. */
export type Advice =
  | { code: 'empty-houseNumber' | 'empty-postalCode' | 'empty-email' | 'empty-phoneNumber' }
  | { code: 'email-shape' | 'lost-zero' }
  | { code: 'above' | 'below'; limit: string }

export type AdviceByField = Partial<Record<FormField, Advice>>

/** A usable limit: the service writes 0 where it has none. */
function usableLimit(limit: string | null): number | undefined {
  if (limit === null) return undefined
  const value = readNumber(limit)
  return value > 0 ? value : undefined
}

function outside(text: string, minText: string | null, maxText: string | null): Advice | undefined {
  const value = readNumber(text)
  if (!(value > 0)) return undefined
  const min = usableLimit(minText)
  const max = usableLimit(maxText)
  if (max !== undefined && maxText !== null && value > max) return { code: 'above', limit: maxText }
  if (min !== undefined && minText !== null && value < min) return { code: 'below', limit: minText }
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
 * Advice on a form: empty fields that the specification leaves optional but most carriers need, values that look wrong, and
 * values beyond the limits that the service last stated. Limits have no units, so exceeding one is a warning only (spec: Limits).
 */
export function adviceFor(form: DraftForm, limits: CarrierLimits | null): AdviceByField {
  const advice: AdviceByField = limits ? limitAdvice(form, limits) : {}
  if (form.houseNumber.trim() === '') advice.houseNumber = { code: 'empty-houseNumber' }
  if (form.postalCode.trim() === '') advice.postalCode = { code: 'empty-postalCode' }
  else if (lacksDigits(form.postalCode, form.country)) advice.postalCode = { code: 'lost-zero' }
  if (form.phoneNumber.trim() === '') advice.phoneNumber = { code: 'empty-phoneNumber' }
  const email = form.email.trim()
  if (email === '') advice.email = { code: 'empty-email' }
  else if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) advice.email = { code: 'email-shape' }
  return advice
}
