import { screen, within } from '@testing-library/react'
import { expect, it } from 'vitest'
import { ResolveDialog } from '../../src/renderer/features/history/ResolveDialog'
import { useDialogs } from '../../src/renderer/ui/dialogs'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleShipment } from '../support/screenSamples'
import { renderApp } from './renderApp'

const shipment = sampleShipment({ state: 'unknown', barcodes: [] })

function Asking() {
  const open = useDialogs((state) => state.open)
  const { id: shipmentId, reference } = shipment
  return (
    <button type="button" onClick={() => open({ kind: 'resolve', shipmentId, reference })}>
      Ask
    </button>
  )
}

it('the dialog requires a tracking code to resolve a shipment as existing', async () => {
  const { user, fake } = renderApp(
    <>
      <Asking />
      <ResolveDialog />
    </>,
    createFakeBridge({ shipments: [shipment] }),
  )
  await user.click(screen.getByRole('button', { name: 'Ask' }))
  const dialog = within(await screen.findByRole('dialog'))
  const code = dialog.getByRole('textbox')
  await user.click(dialog.getByRole('button', { name: /save/i }))
  expect(code.getAttribute('aria-invalid')).toBe('true')
  expect(fake.calls).toEqual([])
  await user.type(code, ' 3SABCD1234567 ')
  await user.click(dialog.getByRole('button', { name: /save/i }))
  expect(fake.calls).toEqual([
    {
      method: 'resolveShipment',
      input: { shipmentId: shipment.id, verdict: 'exists', barcode: '3SABCD1234567' },
    },
  ])
  await expect.poll(() => screen.queryByRole('dialog')).toBeNull()
})
