import type { Companion, OrderIssue, OrderToShip } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import { maxOrdersOfParcel, type ShipmentDraft } from '../../shared/shipments'
import { toOrderFingerprint } from '../lib/orderFingerprint'
import { toConsigneeKey } from './address'
import { toShipmentDraft } from './draft'
import { notFound, notOpen, type OrdersDeps, toExplained, toListed } from './orders'
import { type OrderRecord, openStates } from './repository'
import { areShippedAlike, completeByRule, findRule, printerUnknown } from './rules'

interface OrdersToShipDeps
  extends Pick<OrdersDeps, 'repository' | 'settings' | 'sharing' | 'shippedReferences'> {
  /** Country that parcels leave from; empty when it is not known. */
  sendingCountry: () => Promise<string>
}

/** Orders to one consignee that are looked at. */
const maxSameConsignee = 100

/** What becomes of orders when they are shipped: the form that they fill in, or the shipment where nobody looks at them. */
export class OrdersToShip {
  constructor(private readonly deps: OrdersToShipDeps) {}

  /** The open order of a reference with what the Ship form is to be filled with; null when there is none. */
  async findToShip(reference: string): Promise<OrderToShip | null> {
    const order = await this.deps.repository.findOpen(reference)
    if (order === undefined) return null
    const rule = findRule(order, this.deps.settings.current().orderRules)
    return {
      order: { ...toExplained(order, this.deps), fingerprint: toOrderFingerprint(order) },
      values: completeByRule(order.values, rule),
      signatureRequired: rule?.set.signatureRequired ?? null,
      extras: order.extras ?? {},
      consigneeKey: toConsigneeKey(order.values),
      companions: await this.findCompanions(order),
    }
  }

  /** Other orders that may go in the parcel of one: none of them was shipped, or is being shipped. */
  private async findCompanions(lead: OrderRecord): Promise<Companion[]> {
    const { repository, settings, shippedReferences, sharing } = this.deps
    const { combineOrders, orderRules } = settings.current()
    const key = toConsigneeKey(lead.values)
    if (combineOrders !== 'ask' || key === '' || lead.state !== 'to-ship') return []
    const found = await repository.listToShip(key, maxSameConsignee)
    const isFree = ({ id }: OrderRecord) => id !== lead.id && sharing.findHolder(id) === undefined
    const others = found.filter((order) => isFree(order) && areShippedAlike(order, lead, orderRules))
    const guarded = await shippedReferences(others.flatMap(({ values }) => values.reference ?? []))
    const taken = new Set([lead.values.reference ?? '', '', ...guarded])
    const companions: Companion[] = []
    for (const order of others) {
      const reference = order.values.reference ?? ''
      if (taken.has(reference)) continue
      taken.add(reference)
      const values = completeByRule(order.values, findRule(order, orderRules))
      companions.push({ order: toListed(order, this.deps), values })
    }
    return companions.slice(0, maxOrdersOfParcel - 1)
  }

  /**
   * The shipment of an order for which nobody fills in the rest; `order-not-found`, or `order-not-open` when it was
   * shipped or skipped meanwhile.
   * @returns the draft, or what is missing
   */
  async findDraft(id: string): Promise<Result<Result<ShipmentDraft, OrderIssue[]>>> {
    const { repository, settings, sendingCountry } = this.deps
    const order = await repository.find(id)
    if (order === undefined) return err(notFound())
    if (!openStates.includes(order.state)) return err(notOpen(order))
    // A problem that the shipment itself does not have, such as a reference that stands in a file twice.
    // The printer of its rule is looked at below, as rules and printers are now.
    const own = order.issues.filter(({ code }) => code !== printerUnknown)
    if (own.length > 0) return ok(err(own))
    return ok(toShipmentDraft(order, settings.current(), await sendingCountry()))
  }
}
