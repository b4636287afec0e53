import type { Services } from '../../src/main/app/compose'
import type { Order, OrderQuery, OrderState } from '../../src/shared/orders'

/** The headings of the rows that `orderRow` makes. */
export const header = 'Order number;Name;Street;House number;Postal code;City;Country;Weight (g)'

/** A row of a file of orders, with its weight in grams. */
export function orderRow(reference: string, city = 'Amsterdam', weight = '500'): string {
  return `${reference};Jan Smit;Dam;1;1012 JS;${city};NL;${weight}`
}

/** The query for the first orders in the list «To ship», without a filter. */
export const firstToShip: OrderQuery = {
  state: 'to-ship',
  ...{ text: '', country: '', origin: '', source: '', carrierOptionId: '', from: '', to: '' },
  ...{ sort: 'imported', descending: false, offset: 0, limit: 500 },
}

/** Imports rows at a station and skips existing orders. */
export async function importOrderRows(
  { orderImport }: Pick<Services, 'orderImport'>,
  rows: readonly string[],
) {
  const text = [header, ...rows].join('\n')
  const plan = await orderImport.readFile('orders.csv', new TextEncoder().encode(text), false)
  if (!plan.ok) throw new Error(plan.error.message)
  const imported = await orderImport.import(plan.value.importId, plan.value.mapping, 'skip')
  if (!imported.ok) throw new Error(imported.error.message)
  return imported.value
}

/** The first orders of a list of a station. */
export async function listOrders(
  { orders }: Pick<Services, 'orders'>,
  state: OrderState = 'to-ship',
): Promise<Order[]> {
  return (await orders.list({ ...firstToShip, state })).orders
}
