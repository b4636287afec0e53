import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { PlacementDialog } from '../../src/renderer/features/queue/PlacementDialog'
import { useDialogs } from '../../src/renderer/ui/dialogs'
import { appError } from '../../src/shared/errors'
import { err, ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { renderApp } from './renderApp'

const jobId = '0b0f1c52-58a5-4a0e-9d7e-000000000002'

function Page() {
  const open = useDialogs((state) => state.open)
  return (
    <>
      <button type="button" onClick={() => open({ kind: 'placement', jobId })}>
        Open
      </button>
      <PlacementDialog />
    </>
  )
}

it('the placement dialog neither selects nor prints anything when there is no suggestion for a page', async () => {
  const fake = createFakeBridge()
  const question = {
    jobId,
    printerId: 'zebra',
    printerName: 'Zebra',
    carrierOptionId: 34,
    pageNumber: 1,
    page: { widthMm: 210, heightMm: 297 },
    stock: { widthMm: 40, heightMm: 40 },
    picture: { width: 2, height: 2, pixels: new ArrayBuffer(4) },
    suggestions: [],
  }
  fake.bridge.askPlacement = () => Promise.resolve(ok(question))
  fake.bridge.tryPlacement = () => Promise.resolve(err(appError('placement-does-not-fit')))
  const { user } = renderApp(<Page />, fake)
  await user.click(screen.getByRole('button', { name: 'Open' }))
  await screen.findByText(/does not fit/)
  expect(screen.getByRole('button', { name: 'Remember and print' }).hasAttribute('disabled')).toBe(true)
  expect(screen.queryByRole('radio')).toBeNull()
})
