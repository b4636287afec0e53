import { act, fireEvent, screen, within } from '@testing-library/react'
import { expect, it, onTestFinished, vi } from 'vitest'
import { PrintPreviewDialog } from '../../src/renderer/features/queue/PrintPreviewDialog'
import { QueueScreen } from '../../src/renderer/features/queue/Screen'
import { useNavigation } from '../../src/renderer/ui/navigation'
import { ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleJob, sampleSettings, sampleStatus } from '../support/screenSamples'
import { renderApp } from './renderApp'

/** The queue with two failed labels, one of which has failed twice. */
function renderFailed(printedAgain: number) {
  const fake = createFakeBridge()
  const failed = ['a', 'b', 'b'].map((labelId, index) =>
    sampleJob({ id: `job-${index}`, labelId, state: 'failed' }),
  )
  fake.bridge.listQueue = async () => ok(failed)
  fake.bridge.printAllAgain = async () =>
    ok(failed.slice(0, printedAgain).map((job) => ({ ...job, id: `again-${job.id}`, state: 'queued' })))
  return renderApp(<QueueScreen />, fake)
}

it('the queue says how many failed labels were left out, because later jobs took their place', async () => {
  const { user } = renderFailed(0)
  await user.click(await screen.findByText('Print all again (2)'))
  expect(await screen.findByText(/^2 labels were not printed again/)).toBeDefined()
})

it('the queue counts a label that failed twice as one, and does not say that it was left out', async () => {
  const { user, fake } = renderFailed(2)
  const button = await screen.findByText<HTMLElement>('Print all again (2)')
  await user.click(button)
  await expect.poll(() => button.closest('button')?.disabled).toBe(false)
  expect(fake.calls.filter(({ method }) => method === 'printAllAgain')).toHaveLength(1)
  expect(screen.queryByText(/not printed again/)).toBeNull()
})

it('the queue offers to print all failed labels again only on a printer that is in the settings', async () => {
  const fake = createFakeBridge()
  const removed = ['a', 'b'].map((id) => sampleJob({ id, labelId: id, printerId: 'old', state: 'failed' }))
  fake.bridge.listQueue = async () => ok(removed)
  renderApp(<QueueScreen />, fake)
  expect(await screen.findAllByRole('button', { name: 'ORDER-1001' })).toHaveLength(2)
  expect(screen.queryByText(/^Print all again/)).toBeNull()
})

it('the queue shows the shipment of another station in the history of all stations', async () => {
  const fake = createFakeBridge()
  fake.bridge.listQueue = async () =>
    ok([sampleJob({ reference: 'ORDER-7', station: 'Bench 1', state: 'failed' })])
  const { user, client } = renderApp(<QueueScreen />, fake)
  await user.click(await screen.findByRole('button', { name: 'ORDER-7' }))
  expect(useNavigation.getStore(client).getState().history.stations).toBe('all')
})

it('the preview of a job that prints some pages of its label shows these pages, and prints them again', async () => {
  const fake = createFakeBridge()
  const labelId = '0b0f1c52-58a5-4a0e-9d7e-000000000001'
  const pages = { from: 2, to: 3 }
  fake.bridge.listQueue = async () =>
    ok([sampleJob({ labelId, printerId: 'zebra', pages, state: 'failed', reference: 'ORDER-7' })])
  fake.bridge.previewPrint = async () =>
    ok({
      ...{ labelId, printerName: 'Zebra', dpi: 203, text: null, problem: null, pages: 4 },
      pictures: [{ width: 2, height: 2, pixels: new ArrayBuffer(4) }],
    })
  const { user } = renderApp(
    <>
      <QueueScreen />
      <PrintPreviewDialog />
    </>,
    fake,
  )
  await user.click(await screen.findByRole('button', { name: /^Preview/ }))
  await user.click(await screen.findByRole('button', { name: 'Print these pages again' }))
  const input = { labelId, printerId: 'zebra', pages }
  await expect
    .poll(() => fake.calls.filter(({ method }) => method === 'previewPrint' || method === 'reprintPages'))
    .toMatchObject([{ input }, { input }])
})

it('the queue says that the shipment of a label was cancelled at the carrier, and does not offer to print it', async () => {
  const fake = createFakeBridge({ settings: sampleSettings() })
  const cancelledAt = '2026-11-21T09:20:00.000Z'
  fake.bridge.listQueue = async () => ok([sampleJob({ state: 'unconfirmed', cancelledAt })])
  renderApp(<QueueScreen />, fake)
  const row = within(await screen.findByRole('region', { name: /^Jobs of/ }))
  expect(row.getByText(/^Cancelled at the carrier on /)).toBeDefined()
  expect(row.getAllByRole('button').map((each) => each.textContent)).toEqual([
    ...['ORDER-1001', 'It was printed', 'It was not printed', 'Close…'],
  ])
})

/** The queue of two printers and a removed one with waiting labels, whose references it lists. */
function renderTwoPrinters() {
  const [zebra] = sampleStatus().printers
  const printers = zebra === undefined ? [] : [zebra, { ...zebra, id: 'file', name: 'File' }]
  const fake = createFakeBridge({ status: sampleStatus({ printers }) })
  const jobs = ['gone', 'file', 'zebra', 'zebra', 'file'].map((printerId, index) =>
    sampleJob({
      id: `job-${index}`,
      state: 'queued',
      printerId,
      printerName: printerId,
      reference: `ORDER-${index}`,
    }),
  )
  fake.bridge.listQueue = async () => ok(jobs)
  const app = renderApp(<QueueScreen />, fake)
  const end = (index: number) =>
    app.emit('printJobChanged', sampleJob({ ...jobs[index], state: 'handed-over' }))
  const listed = () => screen.queryAllByText(/^ORDER-\d$/).map((each) => each.textContent)
  return { ...app, end, listed }
}

it('the sections of the queue keep the order of the printers when a label ends', async () => {
  const { end, listed } = renderTwoPrinters()
  const labels = ['ORDER-2', 'ORDER-3', 'ORDER-1', 'ORDER-4', 'ORDER-0']
  await expect.poll(listed).toEqual(labels)
  end(2)
  await expect.poll(listed).toEqual(labels.filter((each) => each !== 'ORDER-2'))
})

it.each([
  ['the mouse button', () => document.documentElement, fireEvent.pointerDown, fireEvent.pointerUp],
  // Only the focused button is active then, not the elements around it.
  [
    'the space bar',
    () => screen.getByRole('button', { name: 'ORDER-3' }),
    fireEvent.keyDown,
    fireEvent.keyUp,
  ],
])(
  'a label that ends while %s is pressed moves the rows of the queue only after the press',
  async (_what, findActive, press, release) => {
    const { end, listed } = renderTwoPrinters()
    await expect.poll(() => listed().length).toBe(5)
    const before = listed()
    const active = findActive()
    active.focus()
    let isPressed = true
    const matches = active.matches.bind(active)
    const spy = vi.spyOn(active, 'matches')
    onTestFinished(() => spy.mockRestore())
    spy.mockImplementation((selector) => (selector === ':active' ? isPressed : matches(selector)))
    press(document.body)
    await act(async () => end(2))
    expect(listed()).toEqual(before)
    isPressed = false
    release(document.body)
    await expect.poll(listed).toEqual(before.filter((each) => each !== 'ORDER-2'))
  },
)
