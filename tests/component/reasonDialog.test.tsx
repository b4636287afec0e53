import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { SkipOrders } from '../../src/renderer/features/orders/SkipOrders'
import { ScanBack } from '../../src/renderer/features/ship/ScanBack'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleJob, sampleSettings, sampleShipment } from '../support/screenSamples'
import { renderApp } from './renderApp'

const orderId = '0b0f1c52-58a5-4a0e-9d7e-000000000001'

it('orders are skipped with a reason, which must not be empty', async () => {
  const { user, fake } = renderApp(
    <SkipOrders orderIds={[orderId]} state="to-ship" onDone={() => undefined} />,
  )
  await user.click(screen.getByRole('button', { name: 'Skip' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Skip this order' }))
  const field = dialog.getByLabelText(/^Reason for skipping/)
  await expect.poll(() => document.activeElement).toBe(field)
  await user.keyboard('{Enter}')
  expect(dialog.getByText('Type a reason.')).toBeDefined()
  await user.keyboard(' collected {Enter}')
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  const skipped = fake.calls.filter(({ method }) => method === 'skipOrders').map(({ input }) => input)
  expect(skipped).toEqual([{ orderIds: [orderId], reason: 'collected', state: 'to-ship' }])
})

it('the scan of a label is skipped with one of the usual reasons', async () => {
  const settings = sampleSettings({ scanBack: { on: true, required: true, rules: [] } })
  const shipment = sampleShipment({ jobs: [sampleJob()] })
  const { user, fake } = renderApp(<ScanBack shipment={shipment} />, createFakeBridge({ settings }))
  await user.click(await screen.findByRole('button', { name: 'Skip the scan…' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Skip the scan' }))
  await user.click(dialog.getByRole('button', { name: 'Scanner does not work' }))
  await user.click(dialog.getByRole('button', { name: 'Skip' }))
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
  expect(fake.calls).toContainEqual({
    method: 'skipScan',
    input: { shipmentId: shipment.id, reason: 'Scanner does not work' },
  })
})
