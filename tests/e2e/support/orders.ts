import type { Page } from 'playwright'
import type { Batch } from '../../../src/shared/batches'
import { firstToShip } from '../../support/orderRows'

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

/** Skips all orders in the list «To ship», for the next test that uses the station. */
export async function skipOpenOrders(page: Page): Promise<void> {
  await page.evaluate(async (query) => {
    const open = await window.packbench.listOrderIds(query)
    if (!open.ok) throw new Error(open.error.message)
    if (open.value.length === 0) return
    await window.packbench.skipOrders({
      ...{ orderIds: open.value, reason: 'of an earlier test' },
      state: query.state,
    })
  }, firstToShip)
}

/** Starts a batch of the first `count` orders in the list «To ship». */
export async function startBatch(page: Page, count: number): Promise<Batch> {
  const begun = await page.evaluate(
    async (query) => {
      const listed = await window.packbench.listOrderIds(query)
      if (!listed.ok) throw new Error(listed.error.message)
      const { sort, descending } = query
      return window.packbench.startBatch({ orderIds: listed.value, sort, descending })
    },
    { ...firstToShip, limit: count },
  )
  if (!begun.ok) throw new Error(begun.error.message)
  return begun.value
}
