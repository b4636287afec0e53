import type { Page } from 'playwright'

const cities = ['Amsterdam', 'Utrecht', 'Delft', 'Groningen', 'Breda', 'Zwolle']

/** A file of orders as a web shop exports it. */
export function toOrdersCsv(prefix: string, count: number): string {
  const rows = Array.from({ length: count }, (_, index) =>
    [
      ...[`${prefix}-${index}`, 'Jan', `Smit ${index % 997}`, 'Dorpsstraat', index % 300],
      ...[`${1000 + (index % 8999)} JS`, cities[index % cities.length], 'NL', `jan${index}@example.com`],
      ...[`SKU-${index % 50}`, 'Coffee beans', 1 + (index % 3)],
    ].join(';'),
  )
  const header =
    'Order number;First name;Last name;Street;House number;Postal code;City;Country;Email;SKU;Product;Quantity'
  return [header, ...rows].join('\n')
}

/** Imports orders through the window's bridge. */
export async function importOrders(page: Page, csv: string): Promise<void> {
  await page.evaluate(async (text) => {
    const { buffer: bytes } = new TextEncoder().encode(text)
    const plan = await window.packbench.readOrderFile({ fileName: 'orders.csv', bytes, pasted: false })
    if (!plan.ok) throw new Error(plan.error.message)
    const { importId, mapping } = plan.value
    const taken = await window.packbench.importOrders({ importId, mapping, onDuplicate: 'skip' })
    if (!taken.ok) throw new Error(taken.error.message)
  }, csv)
}

/** Starts a batch of the first orders of the list, which holds so many. */
export async function startBatch(page: Page, count: number): Promise<void> {
  await page.evaluate(async (limit) => {
    const filter = {
      state: 'to-ship',
      text: '',
      country: '',
      source: '',
      carrierOptionId: '',
      from: '',
      to: '',
      sort: 'imported',
      descending: false,
      offset: 0,
      limit,
    } as const
    const listed = await window.packbench.listOrderIds(filter)
    if (!listed.ok) throw new Error(listed.error.message)
    const order = { sort: 'imported', descending: false } as const
    const begun = await window.packbench.startBatch({ orderIds: listed.value, ...order })
    if (!begun.ok) throw new Error(begun.error.message)
  }, count)
}
