import { needsCustomsDecision } from '../../shared/customs'
import type { OrderIssue, OrderValueField } from '../../shared/orders'
import { orderValueFields } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import type { CarrierOption, Settings } from '../../shared/settings'
import {
  emptyDraft,
  type ShipmentDefaults,
  type ShipmentDraft,
  shipmentDraftSchema,
} from '../../shared/shipments'
import { readNumber } from './numbers'
import type { OrderRecord } from './repository'
import { checkPrinter, completeByRule, findRule, type RuledOrder } from './rules'

/**
 * The shipment of an order as it can be sent without anybody looking at it: its own values, then those of its rule, then
 * the station's defaults. Gives every field that is missing or can't be used otherwise.
 * @param sendingCountry country that parcels leave from; empty when it is not known
 */
export function toShipmentDraft(
  order: RuledOrder & Pick<OrderRecord, 'extras'>,
  { shipmentDefaults: defaults, orderRules, carriers, printers }: Settings,
  sendingCountry: string,
): Result<ShipmentDraft, OrderIssue[]> {
  const rule = findRule(order, orderRules)
  const { weight, numberOfPackages, length, width, height, carrierOptionId, ...texts } = completeByRule(
    order.values,
    rule,
  )
  const option = findCarrierOption(carrierOptionId, defaults, carriers)
  const parsed = shipmentDraftSchema.safeParse({
    ...emptyDraft,
    ...defaults,
    ...texts,
    carrierId: option?.carrierId ?? Number.NaN,
    carrierOptionId: option?.carrierOptionId ?? Number.NaN,
    ...(weight !== undefined && { weight: readNumber(weight) }),
    ...(numberOfPackages !== undefined && { numberOfPackages: readNumber(numberOfPackages) }),
    ...(length !== undefined && { length: readNumber(length) }),
    ...(width !== undefined && { width: readNumber(width) }),
    ...(height !== undefined && { height: readNumber(height) }),
    isCompany: defaults.isCompany === true || texts.companyName !== undefined,
    signatureRequired: rule?.set.signatureRequired ?? defaults.signatureRequired ?? false,
    ...order.extras,
    ...(rule?.set.printer !== undefined && { printer: rule.set.printer }),
  })
  const issues = new Map<OrderValueField, string>()
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = path[0] === 'carrierId' ? 'carrierOptionId' : path[0]
    const field = orderValueFields.find((each) => each === name)
    if (field !== undefined && !issues.has(field)) issues.set(field, message)
  }
  if (issues.has('carrierOptionId')) issues.set('carrierOptionId', 'carrier-required')
  if (weight === undefined && issues.has('weight')) issues.set('weight', 'required')
  const { country = '', postalCode = '' } = { ...defaults, ...texts }
  if (needsCustomsDecision(sendingCountry, { country, postalCode })) issues.set('country', 'customs-needed')
  const printerIssues = checkPrinter(rule, printers)
  if (parsed.success && issues.size === 0 && printerIssues.length === 0) return ok(parsed.data)
  return err([...[...issues].map(([field, code]) => ({ field, code })), ...printerIssues])
}

/** The option that an order names, else the station's own one. An option that the station does not know is none. */
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
