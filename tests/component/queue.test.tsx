import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { QueueScreen } from '../../src/renderer/features/queue/QueueScreen'
import { useNavigation } from '../../src/renderer/ui/navigation'
import { ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleJob } from '../support/screenSamples'
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

it('the queue shows the shipment of another station in the history of all stations', async () => {
  const fake = createFakeBridge()
  fake.bridge.listQueue = async () =>
    ok([sampleJob({ reference: 'ORDER-7', station: 'Bench 1', state: 'failed' })])
  const { user, client } = renderApp(<QueueScreen />, fake)
  await user.click(await screen.findByRole('button', { name: 'ORDER-7' }))
  expect(useNavigation.getStore(client).getState().history.stations).toBe('all')
})
