import { describe, expect, it, vi } from 'vitest'
import { appError } from '../../../src/shared/errors'
import { labelWith } from '../../support/printing/labels'
import { createMemoryJobs } from '../../support/printing/memoryJobs'
import { firstJobs, prepareQueue, startQueue } from './startQueue'

const patient = { timeout: 5000 }

describe('a start after the app was ended', () => {
  it('sends nothing again that may have arrived, and goes on with what was waiting', async () => {
    const jobs = createMemoryJobs()
    const { queue, drivers, label } = await prepareQueue(jobs)
    const [interrupted, waiting] = await firstJobs(jobs, label, ['zebra', 'zebra'])
    await jobs.change(interrupted?.id ?? '', ['queued'], {
      state: 'sending',
      note: { code: 'trying-again', says: [] },
    })
    await queue.start()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    expect(drivers.arrivals[0]?.jobId).toBe(waiting?.id)
    expect(jobs.all()[0]).toMatchObject({
      state: 'unconfirmed',
      note: null,
      error: { code: 'print-unconfirmed' },
    })
  })

  it('prints nothing before it is started', async () => {
    const { queue, jobs, drivers, label } = await prepareQueue()
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await new Promise((resolve) => setImmediate(resolve))
    expect(drivers.arrivals).toEqual([])
    expect(jobs.all()[0]?.state).toBe('queued')
  })
})

describe('stopping', () => {
  it('begins nothing new and puts back what was not started', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra', 'zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.signal.addEventListener('abort', () =>
      drivers.arrivals[0]?.end({ kind: 'not-started' }),
    )
    await queue.stop()
    queue.wake()
    await new Promise((resolve) => setImmediate(resolve))
    expect(drivers.arrivals).toHaveLength(1)
    expect(jobs.all().map((job) => job.state)).toEqual(['queued', 'queued'])
  })

  it('does not wait longer than two seconds for a driver', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    const begun = performance.now()
    await queue.stop()
    expect(performance.now() - begun).toBeLessThan(2500)
    // The next start calls it unconfirmed.
    expect(jobs.all()[0]?.state).toBe('sending')
  })
})

describe('a store that fails', () => {
  it.each(['before', 'after'] as const)(
    'when a job is taken (%s the effect): printed once',
    async (effect) => {
      const { queue, jobs, drivers, label } = await startQueue()
      await firstJobs(jobs, label, ['zebra'])
      jobs.failNext('change', 2, effect)
      queue.wake()
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1), patient)
      drivers.arrivals[0]?.end({ kind: 'handed-over' })
      const ended = await queue.whenSettled(label.shipmentId)
      expect(ended.map((job) => job.state)).toEqual(['handed-over'])
      expect(drivers.arrivals).toHaveLength(1)
    },
  )

  it.each(['before', 'after'] as const)(
    'when the outcome is stored (%s): kept, not repeated',
    async (effect) => {
      const { queue, jobs, drivers, label } = await startQueue()
      await firstJobs(jobs, label, ['zebra'])
      queue.wake()
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
      jobs.failNext('change', 3, effect)
      drivers.arrivals[0]?.end({ kind: 'handed-over' })
      await vi.waitFor(() => expect(jobs.all()[0]?.state).toBe('handed-over'), patient)
      queue.wake()
      await new Promise((resolve) => setImmediate(resolve))
      expect(drivers.arrivals).toHaveLength(1)
    },
  )

  it.each(['before', 'after'] as const)(
    'when a job moves to the standby (%s): moved once',
    async (effect) => {
      const { queue, jobs, drivers, label } = await startQueue()
      await firstJobs(jobs, label, ['zebra'])
      queue.wake()
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
      jobs.failNext('replace', 2, effect)
      const error = appError('printer-unreachable', 'nobody there')
      drivers.arrivals[0]?.end({ kind: 'failed', error, nothingPrinted: true })
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2), patient)
      expect(jobs.all().map((job) => job.printerId)).toEqual(['zebra', 'cups'])
    },
  )

  it('when queued jobs are looked for: found later', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    jobs.failNext('inStates', 2, 'before')
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1), patient)
  })

  it('when a reprint is asked for: an error for the caller, and no job', async () => {
    const { queue, jobs, label } = await startQueue()
    jobs.failNext('add', 1, 'before')
    await expect(queue.reprint(label.shipmentId)).rejects.toThrow('the store failed')
    expect(jobs.all()).toEqual([])
  })
})

it('keeps a label that is unreadable for one shipment out of the way of the others', async () => {
  const { queue, jobs, drivers, label } = await startQueue()
  await firstJobs(jobs, labelWith({ bytes: Buffer.alloc(0) }), ['zebra'])
  await firstJobs(jobs, label, ['zebra'])
  queue.wake()
  await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
  expect(jobs.all().map((job) => job.state)).toEqual(['failed', 'sending'])
})
