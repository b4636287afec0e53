import { defaultSendingCountry, needsCustomsDecision } from '../../shared/customs'
import { appError } from '../../shared/errors'
import { readNumber } from '../../shared/fields'
import {
  type Companion,
  type OrderIssue,
  type OrderToShip,
  type OrderValues,
  printerUnknown,
} from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import type { CarrierOption, Settings } from '../../shared/settings'
import {
  emptyDraft,
  maxOrdersOfParcel,
  type ShipmentDefaults,
  type ShipmentDraft,
  shipmentDraftSchema,
} from '../../shared/shipments'
import { toOrderFingerprint, toUnattendedFingerprint } from '../shipments/intentBlockers'
import { toConsigneeKey } from './address'
import { findFieldIssues, toDraftValues } from './checks'
import { notOpen, type OrdersDeps, toExplained, toListed } from './orders'
import { type OrderRecord, openStates } from './repository'
import { areShippedAlike, checkPrinter, completeByRule, findRule, type RuledOrder } from './rules'

interface OrdersToShipDeps
  extends Pick<OrdersDeps, 'repository' | 'settings' | 'sharing' | 'shippedReferences'> {
  /** The countries from which parcels may be sent; the same list until they change. */
  sendingCountries: () => Promise<readonly string[]>
}

/** An order that can be shipped without a person's review. */
export interface ReadyOrder {
  draft: ShipmentDraft
  /** See `toUnattendedFingerprint`. */
  fingerprint: string
  /** Whether the other inputs of the draft are unchanged: the settings, and the countries from which parcels are sent. */
  isCurrent(): Promise<boolean>
}

const maxSameConsignee = 100

/** Turns orders into shipments: values for the Ship form, or a draft that is sent without review. */
export class OrdersToShip {
  constructor(private readonly deps: OrdersToShipDeps) {}

  /** The open order of a reference with the values for the Ship form; null if there is none. */
  async findToShip(reference: string): Promise<OrderToShip | null> {
    const order = await this.deps.repository.findOpen(reference)
    if (order === undefined) return null
    const rule = findRule(order, this.deps.settings.current())
    return {
      order: { ...toExplained(order, this.deps), fingerprint: toOrderFingerprint(order) },
      values: completeByRule(order.values, rule),
      signatureRequired: rule?.set.signatureRequired ?? null,
      extras: order.extras ?? {},
      consigneeKey: toConsigneeKey(order.values),
      companions: await this.findCompanions(order),
    }
  }

  /** Other orders that can be combined with `lead`: none of them is shipped, or being shipped as far as is known. */
  private async findCompanions(lead: OrderRecord): Promise<Companion[]> {
    const { repository, settings, shippedReferences, sharing } = this.deps
    const madeWith = settings.current()
    const key = toConsigneeKey(lead.values)
    if (madeWith.combineOrders !== 'ask' || key === '' || lead.state !== 'to-ship') return []
    const found = await repository.listToShip(key, maxSameConsignee)
    const isFree = ({ id }: OrderRecord) => id !== lead.id && sharing.findHolder(id) === undefined
    const others = found.filter((order) => isFree(order) && areShippedAlike(order, lead, madeWith))
    const guarded = await shippedReferences(others.flatMap(({ values }) => values.reference ?? []))
    const taken = new Set([lead.values.reference ?? '', '', ...guarded])
    const companions: Companion[] = []
    for (const order of others) {
      const reference = order.values.reference ?? ''
      if (taken.has(reference) || !(await sharing.isAvailable(order.id))) continue
      taken.add(reference)
      const values = completeByRule(order.values, findRule(order, madeWith))
      companions.push({ order: toListed(order, this.deps), values })
    }
    return companions.slice(0, maxOrdersOfParcel - 1)
  }

  /**
   * The draft of an order that is shipped without review; `order-not-found`, or `order-not-open` if it was shipped or
   * skipped.
   * @returns the draft, or the issues of the order
   */
  async findReady(id: string): Promise<Result<Result<ReadyOrder, OrderIssue[]>>> {
    const { repository, settings, sendingCountries } = this.deps
    const order = await repository.find(id)
    if (order === undefined) return err(appError('order-not-found'))
    if (!openStates.includes(order.state)) return err(notOpen(order))
    // Issues that are not visible in the draft, such as a reference that is twice in a file. The printer of the rule is
    // checked below, with the current settings.
    const own = order.issues.filter(({ code }) => code !== printerUnknown)
    if (own.length > 0) return ok(err(own))
    const countries = await sendingCountries()
    const madeWith = settings.current()
    const draft = toShipmentDraft(order, madeWith, countries)
    if (!draft.ok) return ok(draft)
    const isCurrent = async () => (await sendingCountries()) === countries && settings.current() === madeWith
    return ok(ok({ draft: draft.value, fingerprint: toUnattendedFingerprint(order), isCurrent }))
  }
}

/**
 * The draft of an order that is shipped without review: the order's values, then those of its rule, then the station's
 * defaults.
 * @param sendingCountries see `findOrigins`
 * @returns the draft, or every field that is missing or invalid
 */
export function toShipmentDraft(
  order: RuledOrder & Pick<OrderRecord, 'extras'>,
  settings: Settings,
  sendingCountries: readonly string[],
): Result<ShipmentDraft, OrderIssue[]> {
  const { shipmentDefaults: defaults, carriers, printers } = settings
  const rule = findRule(order, settings)
  const values = completeByRule(order.values, rule)
  const option = findCarrierOption(values.carrierOptionId, defaults, carriers)
  const parsed = shipmentDraftSchema.safeParse({
    ...emptyDraft,
    ...defaults,
    ...toDraftValues(values),
    carrierId: option?.carrierId ?? Number.NaN,
    carrierOptionId: option?.carrierOptionId ?? Number.NaN,
    isCompany: defaults.isCompany === true || values.companyName !== undefined,
    signatureRequired: rule?.set.signatureRequired ?? defaults.signatureRequired ?? false,
    ...order.extras,
    ...(rule?.set.printer !== undefined && { printer: rule.set.printer }),
  })
  const issues = findFieldIssues(order.values, defaults, parsed.error)
  if (issues.has('carrierOptionId')) issues.set('carrierOptionId', 'carrier-required')
  if (values.weight === undefined && issues.has('weight')) issues.set('weight', 'required')
  if (needsCustomsData(values, defaults, sendingCountries)) issues.set('country', 'customs-needed')
  const printerIssues = checkPrinter(rule, printers)
  if (parsed.success && issues.size === 0 && printerIssues.length === 0) return ok(parsed.data)
  return err([...[...issues].map(([field, code]) => ({ field, code })), ...printerIssues])
}

/**
 * Whether an order needs customs data, or may need them.
 * @param sendingCountries see `findOrigins`
 */
export function needsCustomsData(
  values: OrderValues,
  defaults: ShipmentDefaults,
  sendingCountries: readonly string[],
): boolean {
  const { country = '', postalCode = '' } = { ...defaults, ...values }
  const origins = findOrigins(sendingCountries, defaults)
  return origins.some((from) => needsCustomsDecision(from, { country, postalCode }))
}

/**
 * The countries from which an order may leave. That of the defaults, to which most parcels go, is taken for the station's own: of
 * senders in several countries the one there counts, and without a sender it is the best guess.
 */
function findOrigins(sendingCountries: readonly string[], { country }: ShipmentDefaults): readonly string[] {
  const home = country || defaultSendingCountry
  return sendingCountries.length === 0 || sendingCountries.includes(home) ? [home] : sendingCountries
}

/** The carrier option that an order names, otherwise the station's default; undefined if the station does not know it. */
export function findCarrierOption(
  named: string | undefined,
  { carrierId, carrierOptionId }: ShipmentDefaults,
  carriers: readonly CarrierOption[],
): Pick<CarrierOption, 'carrierId' | 'carrierOptionId'> | undefined {
  const wanted = named === undefined ? carrierOptionId : readNumber(named)
  const isDefault = carrierId !== undefined && carrierOptionId !== undefined && wanted === carrierOptionId
  if (isDefault) return { carrierId, carrierOptionId }
  if (wanted !== undefined) return carriers.find((each) => each.carrierOptionId === wanted)
  return carriers.length === 1 ? carriers[0] : undefined
}
