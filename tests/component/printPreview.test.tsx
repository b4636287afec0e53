import { screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { PrintPreviewDialog } from '../../src/renderer/features/queue/PrintPreviewDialog'
import { useDialogs } from '../../src/renderer/ui/dialogs'
import { ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { renderApp } from './renderApp'

const labelId = '0b0f1c52-58a5-4a0e-9d7e-000000000001'
const picture = () => ({ width: 2, height: 2, pixels: new ArrayBuffer(4) })

function Label() {
  const open = useDialogs((state) => state.open)
  return (
    <>
      <button type="button" onClick={() => open({ kind: 'preview', labelIds: [labelId] })}>
        Open
      </button>
      <PrintPreviewDialog />
    </>
  )
}

describe('the preview of a label with several printed labels on one page', () => {
  it('offers no pages to print again', async () => {
    const fake = createFakeBridge()
    const preview = { labelId, printerName: 'Zebra', dpi: 203, text: null, problem: null }
    fake.bridge.previewPrint = () =>
      Promise.resolve(ok({ ...preview, pages: 1, pictures: [picture(), picture()] }))
    const { user } = renderApp(<Label />, fake)
    await user.click(screen.getByRole('button', { name: 'Open' }))
    await screen.findByText('Label 1 of 2')
    expect(screen.queryByRole('textbox', { name: 'From page' })).toBeNull()
  })
})

describe('the preview of a label that is printed in parts', () => {
  it('says that its first part is shown, and reprints any of its pages', async () => {
    const fake = createFakeBridge()
    const preview = { labelId, printerName: 'Zebra', dpi: 203, text: null, problem: null }
    const firstPart = { parts: 3, from: 1, to: 20 }
    fake.bridge.previewPrint = () =>
      Promise.resolve(ok({ ...preview, pages: 45, firstPart, pictures: Array.from({ length: 20 }, picture) }))
    const { user } = renderApp(<Label />, fake)
    await user.click(screen.getByRole('button', { name: 'Open' }))
    await screen.findByText(/^Part 1 of 3: pages 1 to 20 of 45\./)
    const from = screen.getByRole('textbox', { name: 'From page' })
    await user.clear(from)
    await user.type(from, '41')
    await user.click(screen.getByRole('button', { name: 'Print these pages again' }))
    await expect
      .poll(() => fake.calls.filter(({ method }) => method === 'reprintPages'))
      .toMatchObject([{ input: { labelId, pages: { from: 41, to: 45 } } }])
  })
})
