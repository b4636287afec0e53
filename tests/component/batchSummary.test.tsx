import { screen, waitFor } from '@testing-library/react'
import { expect, it } from 'vitest'
import { BatchSummary } from '../../src/renderer/features/orders/BatchSummary'
import { useNavigation } from '../../src/renderer/ui/navigation'
import { type BatchItem, batchItemSchema, batchSchema } from '../../src/shared/batches'
import { ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleOf } from '../support/sampleOf'
import { renderApp } from './renderApp'

it('the summary of a running batch moves to the last page that is left when its list becomes shorter', async () => {
  const sample = batchItemSchema.parse(sampleOf(batchItemSchema))
  const batch = { ...batchSchema.parse(sampleOf(batchSchema)), total: 300 }
  let items = Array.from(
    { length: 250 },
    (_, index): BatchItem => ({ ...sample, position: index + 1, reference: `ORDER-${index + 1}` }),
  )
  const fake = createFakeBridge()
  fake.bridge.listBatchItems = async ({ offset, limit }) =>
    ok({ items: items.slice(offset, offset + limit), total: items.length })
  const { user, emit } = renderApp(<BatchSummary batch={batch} onClose={() => undefined} />, fake)
  await screen.findByText('1–100 of 250')
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await screen.findByText('101–200 of 250')
  await user.click(screen.getByRole('button', { name: 'Next' }))
  await screen.findByText('201–250 of 250')
  items = items.slice(0, 150)
  emit('batchChanged', batch)
  await screen.findByText('101–150 of 150')
  await screen.findByText('ORDER-150')
  items = items.slice(0, 100)
  emit('batchChanged', batch)
  await screen.findByText('ORDER-1')
  await waitFor(() => expect(screen.queryByText(/ of /)).toBeNull())
})

it('the summary shows a shipment in the history of all stations, since another one may have shipped the order', async () => {
  const sample = batchItemSchema.parse(sampleOf(batchItemSchema))
  const item: BatchItem = { ...sample, outcome: 'duplicate', shipmentId: 'shipment-1' }
  const batch = batchSchema.parse(sampleOf(batchSchema))
  const fake = createFakeBridge()
  fake.bridge.listBatchItems = async () => ok({ items: [item], total: 1 })
  const { user, client } = renderApp(<BatchSummary batch={batch} onClose={() => undefined} />, fake)
  await user.click(await screen.findByRole('button', { name: 'Show in History' }))
  const { history } = useNavigation.getStore(client).getState()
  expect(history).toMatchObject({ selectedId: 'shipment-1', stations: 'all' })
})

it('an order whose outcome is not known yet is not said to be unsent, because its request may be on its way', async () => {
  const sample = batchItemSchema.parse(sampleOf(batchItemSchema))
  const batch = batchSchema.parse(sampleOf(batchSchema))
  const fake = createFakeBridge()
  fake.bridge.listBatchItems = async () => ok({ items: [{ ...sample, outcome: null }], total: 1 })
  renderApp(<BatchSummary batch={batch} onClose={() => undefined} />, fake)
  expect(await screen.findByText('No outcome yet')).toBeTruthy()
})
