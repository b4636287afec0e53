import { randomUUID } from 'node:crypto'
import type { Services } from '../../src/main/app/compose'
import { wholeHistory } from '../../src/shared/history'
import type { ShipmentDraft } from '../../src/shared/shipments'
import { aDraft } from './drafts'

/** Creates a shipment as the Ship screen does, from a complete draft, without printing its label. */
export function ship({ shipping }: Pick<Services, 'shipping'>, change: string | Partial<ShipmentDraft> = {}) {
  return request(shipping, change, false)
}

/** Like `ship`, and prints the label. */
export function shipAndPrint({ shipping }: Pick<Services, 'shipping'>, change: Partial<ShipmentDraft> = {}) {
  return request(shipping, change, true)
}

function request(shipping: Services['shipping'], change: string | Partial<ShipmentDraft>, print: boolean) {
  const draft = aDraft(typeof change === 'string' ? { reference: change } : change)
  return shipping.create({ attemptId: randomUUID(), draft, origin: 'screen', print, takenAt: new Date() })
}

/** The ids of the shipments that History lists as needing a person. */
export async function listNeedingAttention({ search }: Pick<Services['history'], 'search'>) {
  const filter = { ...wholeHistory, onlyNeedingAttention: true, limit: 5, before: null }
  return (await search(filter)).shipments.map(({ id }) => id)
}
