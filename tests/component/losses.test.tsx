import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { LossDialog } from '../../src/renderer/features/queue/LossDialog'
import { useDialogs } from '../../src/renderer/ui/dialogs'
import type { LossQuestion } from '../../src/shared/printing'
import { ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { renderApp } from './renderApp'

const jobId = '0b0f1c52-58a5-4a0e-9d7e-000000000002'
const question: LossQuestion = {
  jobId,
  printerName: 'Bench 1',
  findings: [{ kind: 'stock-missing', page: 1, name: '100 x 150 mm', text: 'A6, w288h432' }],
  pages: [
    {
      page: 1,
      size: { widthMm: 100, heightMm: 150 },
      picture: { width: 2, height: 3, pixels: new ArrayBuffer(6) },
    },
  ],
  adjustablePage: null,
  stocks: [
    { paper: 'w288h432', size: null },
    { paper: 'A6', size: { widthMm: 105, heightMm: 148 } },
  ],
}

function Page() {
  const open = useDialogs((state) => state.open)
  return (
    <>
      <button type="button" onClick={() => open({ kind: 'losses', jobId })}>
        Open
      </button>
      <LossDialog />
    </>
  )
}

function renderQuestion(asked: LossQuestion) {
  const fake = createFakeBridge()
  const chosen: unknown[] = []
  fake.bridge.askLosses = () => Promise.resolve(ok(asked))
  fake.bridge.chooseStock = (choice) => {
    chosen.push(choice)
    return Promise.resolve(ok(undefined))
  }
  return { ...renderApp(<Page />, fake), chosen }
}

it('the dialog for losses replaces a stock that the printer does not offer with one that it does', async () => {
  const { user, chosen } = renderQuestion(question)
  await user.click(screen.getByRole('button', { name: 'Open' }))
  await screen.findByText(/On the printer: .*offers no stock 100 x 150 mm.*\(A6, w288h432\)/)
  await user.selectOptions(screen.getByLabelText('Stock in the printer'), 'A6 (105 × 148 mm)')
  await user.click(screen.getByRole('button', { name: 'Use this stock' }))
  expect(chosen).toEqual([{ jobId, paper: 'A6' }])
  expect(screen.queryByText(/offers no stock/)).toBeNull()
})

it('the dialog for losses prints a label anyway or leaves it when the printer does not list its stocks', async () => {
  const { user } = renderQuestion({ ...question, stocks: [] })
  await user.click(screen.getByRole('button', { name: 'Open' }))
  expect(await screen.findByRole('button', { name: 'Print anyway' })).toBeDefined()
  expect(screen.getByRole('button', { name: 'Don’t print' })).toBeDefined()
  expect(screen.queryByLabelText('Stock in the printer')).toBeNull()
})
