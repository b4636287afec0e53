import { useInfiniteQuery } from '@tanstack/react-query'
import { act, fireEvent, screen } from '@testing-library/react'
import { expect, it, onTestFinished, vi } from 'vitest'
import {
  callMainOrThrow,
  queryKey,
  useBridgeMutation,
  useBridgeQuery,
  useSettings,
  useStatus,
} from '../../src/renderer/bridge'
import { appError } from '../../src/shared/errors'
import { type HistoryCursor, wholeHistory } from '../../src/shared/history'
import type { PrintJob } from '../../src/shared/printing'
import { err, ok } from '../../src/shared/result'
import { createFakeBridge } from '../support/fakeBridge'
import { sampleJob, sampleShipment, sampleStatus } from '../support/screenSamples'
import { renderApp } from './renderApp'

function Printers() {
  const printers = useStatus((status) => status.printers)
  return <p>{printers?.map(({ state }) => state).join() ?? 'not heard'}</p>
}

function SettingsLanguage() {
  return <p>{useSettings()?.language ?? 'no settings'}</p>
}

function QueueStates() {
  const { data, error } = useBridgeQuery('listQueue', undefined)
  return <p>{error?.code ?? data?.map(({ state }) => state).join() ?? 'loading'}</p>
}

function Reprint({ shipmentId }: { shipmentId: string }) {
  const { mutate, isPending, error } = useBridgeMutation('reprint')
  return (
    <>
      <button type="button" onClick={() => mutate({ shipmentId })}>
        {isPending ? 'Printing' : 'Print'}
      </button>
      <p>{error?.code}</p>
    </>
  )
}

it('the status is fetched once for all components, and updated by its event', async () => {
  const { fake, emit } = renderApp(
    <>
      <Printers />
      <Printers />
    </>,
  )
  expect(await screen.findAllByText('ready')).toHaveLength(2)
  const [printer] = sampleStatus().printers
  if (!printer) throw new Error('The sample has no printer.')
  emit('appStatusChanged', sampleStatus({ printers: [{ ...printer, state: 'paused' }] }))
  expect(await screen.findAllByText('paused')).toHaveLength(2)
  expect(fake.calls.filter(({ method }) => method === 'getAppStatus')).toHaveLength(1)
})

it('the settings are not fetched while the app has a start error, and are fetched once it is over', async () => {
  const startError = appError('disk-full')
  const fake = createFakeBridge({ status: sampleStatus({ startError }) })
  const { emit } = renderApp(<SettingsLanguage />, fake)
  await screen.findByText('no settings')
  expect(fake.calls.map(({ method }) => method)).not.toContain('getSettings')
  emit('appStatusChanged', sampleStatus())
  expect(await screen.findByText('en')).toBeDefined()
})

it('a changed print job is updated in the cached answers without fetching them again', async () => {
  const job = sampleJob({ state: 'queued' })
  const fake = createFakeBridge()
  fake.bridge.listQueue = () => Promise.resolve(ok([job]))
  const { emit } = renderApp(<QueueStates />, fake)
  await screen.findByText('queued')
  emit('printJobChanged', { ...job, state: 'done' })
  expect(await screen.findByText('done')).toBeDefined()
  expect(fake.calls.filter(({ method }) => method === 'listQueue')).toHaveLength(1)
})

it('an answer is fetched again when a job changes while it is in flight', async () => {
  const job = sampleJob({ state: 'queued' })
  const fake = createFakeBridge()
  const answers: ((state: 'queued' | 'done') => void)[] = []
  fake.bridge.listQueue = () =>
    new Promise((resolve) => {
      answers.push((state) => resolve(ok([{ ...job, state }])))
    })
  const { emit } = renderApp(<QueueStates />, fake)
  await expect.poll(() => answers.length).toBe(1)
  emit('printJobChanged', { ...job, state: 'done' })
  await expect.poll(() => answers.length).toBe(2)
  await act(async () => {
    answers[0]?.('queued')
    answers[1]?.('done')
  })
  expect(await screen.findByText('done')).toBeDefined()
})

it('an answer that takes long is shown although events go on, and main works on one at a time', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const job = sampleJob({ state: 'queued' })
  const fake = createFakeBridge()
  const answers: ((state: PrintJob['state']) => void)[] = []
  fake.bridge.listQueue = () =>
    new Promise((resolve) => {
      answers.push((state) => resolve(ok([{ ...job, state }])))
    })
  const { emit } = renderApp(<QueueStates />, fake)
  await act(async () => answers[0]?.('queued'))
  for (let seconds = 0; seconds < 3; seconds += 1) {
    emit('shipmentChanged', sampleShipment())
    await act(() => vi.advanceTimersByTimeAsync(1000))
  }
  expect(answers).toHaveLength(2)
  await act(async () => answers[1]?.('sending'))
  expect(screen.getByText('sending')).toBeDefined()
  await act(() => vi.advanceTimersByTimeAsync(250))
  expect(answers).toHaveLength(3)
})

function Pages() {
  const { data, fetchNextPage } = useInfiniteQuery({
    queryKey: queryKey('searchShipments'),
    queryFn: ({ pageParam: before }) =>
      callMainOrThrow('searchShipments', { ...wholeHistory, limit: 1, before }),
    initialPageParam: firstPage,
    getNextPageParam: ({ next }) => next,
  })
  return (
    <button type="button" onClick={() => void fetchNextPage()}>
      {data?.pages.map(({ shipments }) => shipments[0]?.reference).join() ?? 'loading'}
    </button>
  )
}

const firstPage: HistoryCursor | null = null

/** A bridge with two pages of shipments, each of which is answered when `answer` is called. */
function pagesOnRequest() {
  const fake = createFakeBridge()
  let answerLast = () => {}
  let isChanged = false
  fake.bridge.searchShipments = ({ before }) =>
    new Promise((resolve) => {
      answerLast = () => {
        const reference = `${before === null ? 'FIRST' : 'SECOND'}${isChanged ? '*' : ''}`
        const shipments = [sampleShipment({ reference })]
        resolve(ok({ shipments, next: before === null ? 1 : null, total: 2, fleetError: null }))
      }
    })
  const answer = () => act(async () => answerLast())
  return {
    fake,
    answer,
    /** Expects that both pages are fetched again after they have changed. */
    async bothFetchedAgain() {
      isChanged = true
      await expect
        .poll(async () => {
          await answer()
          return screen.queryByText('FIRST*,SECOND*')
        })
        .not.toBeNull()
    },
  }
}

it('a next page that is in flight during an event is shown, and all pages are fetched again', async () => {
  const { fake, answer, bothFetchedAgain } = pagesOnRequest()
  const { emit } = renderApp(<Pages />, fake)
  await answer()
  await act(async () => screen.getByText('FIRST').click())
  emit('fleetShipmentsChanged', {})
  await answer()
  expect(await screen.findByText('FIRST,SECOND')).toBeDefined()
  await bothFetchedAgain()
})

it('a next page that takes the place of an event’s answer is shown, and then all pages are fetched again', async () => {
  const { fake, answer, bothFetchedAgain } = pagesOnRequest()
  const { emit } = renderApp(<Pages />, fake)
  await answer()
  emit('fleetShipmentsChanged', {})
  await expect.poll(() => fake.calls.length).toBe(2)
  await act(async () => screen.getByText('FIRST').click())
  await answer()
  expect(await screen.findByText('FIRST,SECOND')).toBeDefined()
  await bothFetchedAgain()
})

function RowStates() {
  const { data } = useBridgeQuery('searchShipments', { ...wholeHistory, limit: 1, before: null })
  return <p>{data?.shipments.flatMap(({ jobs }) => jobs.map(({ state }) => state)).join() ?? 'loading'}</p>
}

it.each([
  ['printJobChanged', (job: PrintJob) => job],
  ['shipmentChanged', (job: PrintJob) => sampleShipment({ jobs: [job] })],
] as const)('a list that was read before %s is fetched again', async (event, toPayload) => {
  const fake = createFakeBridge()
  const answers: ((state: PrintJob['state']) => void)[] = []
  fake.bridge.searchShipments = () =>
    new Promise((resolve) => {
      answers.push((state) => {
        const shipments = [sampleShipment({ jobs: [sampleJob({ state })] })]
        resolve(ok({ shipments, next: null, total: 1, fleetError: null }))
      })
    })
  const { emit } = renderApp(<RowStates />, fake)
  await act(async () => answers[0]?.('queued'))
  emit('fleetShipmentsChanged', {})
  await expect.poll(() => answers.length).toBe(2)
  emit(event, toPayload(sampleJob({ state: 'handed-over', updatedAt: '2026-11-21T09:20:00.000Z' })))
  expect(await screen.findByText('handed-over')).toBeDefined()
  await act(async () => answers[1]?.('sending'))
  await expect.poll(() => answers.length).toBe(3)
  await act(async () => answers[2]?.('handed-over'))
  expect(await screen.findByText('handed-over')).toBeDefined()
})

it('a failed query is not retried, and its error is shown', async () => {
  const fake = createFakeBridge()
  fake.bridge.listQueue = () => Promise.resolve(err(appError('database-in-use')))
  renderApp(<QueueStates />, fake)
  expect(await screen.findByText('database-in-use')).toBeDefined()
  expect(fake.calls.filter(({ method }) => method === 'listQueue')).toHaveLength(1)
})

it('a call that throws is shown as an internal error', async () => {
  const fake = createFakeBridge()
  fake.bridge.listQueue = () => Promise.reject(new Error('The registrar has a bug.'))
  renderApp(<QueueStates />, fake)
  expect(await screen.findByText('internal')).toBeDefined()
})

it('a mutation is sent once, however often the button is pressed before the answer', async () => {
  const fake = createFakeBridge()
  const shipmentId = sampleShipment().id
  let answer = () => {}
  fake.bridge.reprint = () =>
    new Promise((resolve) => {
      answer = () => resolve(ok([]))
    })
  renderApp(<Reprint shipmentId={shipmentId} />, fake)
  const button = screen.getByRole('button')
  await act(async () => {
    fireEvent.click(button)
    fireEvent.click(button)
  })
  fireEvent.click(screen.getByText('Printing'))
  expect(fake.calls).toEqual([{ method: 'reprint', input: { shipmentId } }])
  await act(async () => answer())
  fireEvent.click(await screen.findByText('Print'))
  await expect.poll(() => fake.calls.length).toBe(2)
})

it('a failed mutation is not repeated automatically', async () => {
  const fake = createFakeBridge()
  fake.bridge.reprint = () => Promise.resolve(err(appError('no-printer')))
  renderApp(<Reprint shipmentId={sampleShipment().id} />, fake)
  fireEvent.click(screen.getByRole('button'))
  expect(await screen.findByText('no-printer')).toBeDefined()
  expect(fake.calls).toHaveLength(1)
})
