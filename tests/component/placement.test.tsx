import { act, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { PlacementDialog } from '../../src/renderer/features/queue/PlacementDialog'
import { useDialogs } from '../../src/renderer/ui/dialogs'
import { appError } from '../../src/shared/errors'
import type { PlacementQuestion } from '../../src/shared/printing'
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

it('the placement dialog neither selects nor prints anything when there is no suggestion for a page', async () => {
  const fake = createFakeBridge()
  fake.bridge.askPlacement = () => Promise.resolve(ok(question))
  fake.bridge.tryPlacement = () => Promise.resolve(err(appError('placement-does-not-fit')))
  const { user } = renderApp(<Page />, fake)
  await user.click(screen.getByRole('button', { name: 'Open' }))
  await screen.findByText(/does not fit/)
  expect(screen.getByRole('button', { name: 'Remember and print' }).hasAttribute('disabled')).toBe(true)
  expect(screen.queryByRole('radio')).toBeNull()
})

it('the characters of a scan choose no other placement, the arrow keys do', async () => {
  const fake = createFakeBridge()
  const at = (xMm: number): PlacementQuestion['suggestions'][number] => ({
    areas: [{ xMm, yMm: 0, widthMm: 40, heightMm: 40 }],
    ...{ turn: 0, scale: 1, cut: [], leftOut: [] },
  })
  fake.bridge.askPlacement = () => Promise.resolve(ok({ ...question, suggestions: [at(0), at(50), at(100)] }))
  const { user } = renderApp(<Page />, fake)
  await user.click(screen.getByRole('button', { name: 'Open' }))
  await screen.findAllByRole('radio')
  const chosen = () => screen.getAllByRole<HTMLInputElement>('radio').map(({ checked }) => checked)
  await user.keyboard('3')
  expect(chosen()).toEqual([true, false, false])
  act(() => screen.getAllByRole('radio')[0]?.focus())
  await user.keyboard('3')
  expect(chosen()).toEqual([true, false, false])
  await user.keyboard('{ArrowRight}')
  expect(chosen()).toEqual([false, true, false])
})

it('the fields of the placement dialog show and take numbers with a decimal comma in Dutch', async () => {
  const fake = createFakeBridge()
  const page = { widthMm: 101.6, heightMm: 152.4 }
  fake.bridge.askPlacement = () => Promise.resolve(ok({ ...question, page }))
  const { user } = renderApp(<Page />, fake, 'nl')
  await user.click(screen.getByRole('button', { name: 'Open' }))
  await screen.findAllByText(/101,6 × 152,4 mm/)
  const field = (name: RegExp) => screen.getByRole<HTMLInputElement>('textbox', { name })
  expect(field(/^Breedte/).value).toBe('101,6')
  await user.type(field(/^Vanaf boven/), '{Backspace}12,25')
  expect(field(/^Vanaf boven/).value).toBe('12,25')
  expect(screen.getByText('Vul 5 tot en met 140,2 in.')).toBeDefined()
  await user.type(field(/^Hoogte/), '{Backspace>5/}140,1')
  expect(field(/^Hoogte/).value).toBe('140,1')
  await expect
    .poll(() => fake.calls.findLast(({ method }) => method === 'tryPlacement')?.input)
    .toMatchObject({ rule: { areas: [{ yMm: 12.25, heightMm: 140.1 }] } })
})
