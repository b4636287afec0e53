import { act, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { InvoicePanel } from '../../src/renderer/features/history/InvoicePanel'
import { ok } from '../../src/shared/result'
import { deferred } from '../support/deferred'
import { createFakeBridge } from '../support/fakeBridge'
import { renderApp } from './renderApp'

it('the invoice is printed once when the button is pressed twice', async () => {
  const fake = createFakeBridge()
  const answer = deferred<Awaited<ReturnType<typeof fake.bridge.printInvoice>>>()
  fake.bridge.printInvoice = () => answer.promise
  const { user } = renderApp(<InvoicePanel shipmentId={crypto.randomUUID()} language="en" />, fake)
  await user.dblClick(await screen.findByRole('button', { name: 'Print invoice' }))
  expect(fake.calls.filter(({ method }) => method === 'printInvoice')).toHaveLength(1)
  await act(async () => answer.resolve(ok('Office')))
  expect(screen.getByRole('status').textContent).toContain('Office')
})
