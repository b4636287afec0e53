import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PrintOutcome } from '../../../src/main/printing/drivers/driver'
import { appError } from '../../../src/shared/errors'
import { deferred } from '../../support/deferred'
import { labelWith } from '../../support/printing/labels'
import { createMemoryJobs } from '../../support/printing/memoryJobs'
import { firstJobs, prepareQueue, startQueue } from './startQueue'

const patient = { timeout: 5000 }

describe('a start after the app was killed', () => {
  it('does not send a job again whose bytes may have arrived, and prints the jobs that were queued', async () => {
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

  it('prints nothing before the queue is started', async () => {
    const { queue, jobs, drivers, label } = await prepareQueue()
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await new Promise((resolve) => setImmediate(resolve))
    expect(drivers.arrivals).toEqual([])
    expect(jobs.all()[0]?.state).toBe('queued')
  })
})

describe('stopping the queue', () => {
  it('starts no more jobs, and leaves unsent jobs queued', async () => {
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

  it('waits at most two seconds for a driver', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let isStopped = false
    const stopped = queue.stop().then(() => {
      isStopped = true
    })
    await vi.advanceTimersByTimeAsync(1999)
    expect(isStopped).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await stopped
    // The next start makes the job unconfirmed.
    expect(jobs.all()[0]?.state).toBe('sending')
  })
})

describe('the print queue when the database fails', () => {
  it.each(['before', 'after'] as const)(
    'prints a label once when the claim of its job fails %s the change took effect',
    async (effect) => {
      const { queue, jobs, drivers, label } = await startQueue()
      await firstJobs(jobs, label, ['zebra'])
      jobs.failNext('change', 2, effect)
      queue.wake()
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1), patient)
      drivers.arrivals[0]?.end({ kind: 'handed-over' })
      const ended = await queue.whenJobsEnded(label.shipmentId)
      expect(ended.map((job) => job.state)).toEqual(['handed-over'])
      expect(drivers.arrivals).toHaveLength(1)
    },
  )

  it.each(['before', 'after'] as const)(
    'keeps an outcome and does not print the label again when its storage fails %s the change took effect',
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
    'moves a job to the standby once when the move fails %s the change took effect',
    async (effect) => {
      const { queue, jobs, drivers, label } = await startQueue()
      await firstJobs(jobs, label, ['zebra'])
      queue.wake()
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
      jobs.failNext('replace', 2, effect)
      const error = appError('printer-unreachable')
      drivers.arrivals[0]?.end({ kind: 'failed', error, nothingPrinted: true })
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2), patient)
      expect(jobs.all().map((job) => job.printerId)).toEqual(['zebra', 'cups'])
    },
  )

  it('ends a job with the outcome of its printer when no replacement can be planned', async () => {
    const { queue, jobs, drivers, label, measure } = await startQueue()
    measure.mockRejectedValueOnce(new Error('the thread is gone'))
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    const error = appError('label-too-long', { pages: '3', most: '1' })
    drivers.arrivals[0]?.end({ kind: 'failed', error, nothingPrinted: true })
    await vi.waitFor(() =>
      expect(jobs.all()[0]).toMatchObject({ state: 'failed', error: { code: error.code } }),
    )
    expect(measure).toHaveBeenCalledTimes(1)
    expect(drivers.arrivals).toHaveLength(1)
  })

  it('prints a queued job later when reading the queues fails', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    jobs.failNext('listQueues', 2, 'before')
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1), patient)
  })

  it('throws an error and adds no job when storing a reprint fails', async () => {
    const { queue, jobs, label } = await startQueue()
    jobs.failNext('add', 1, 'before')
    await expect(queue.reprint(label.shipmentId)).rejects.toThrow('the store failed')
    expect(jobs.all()).toEqual([])
  })
})

it('prints the labels of other shipments when one label cannot be read', async () => {
  const { queue, jobs, drivers, label } = await startQueue()
  await firstJobs(jobs, labelWith({ bytes: Buffer.alloc(0) }), ['zebra'])
  await firstJobs(jobs, label, ['zebra'])
  queue.wake()
  await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
  expect(jobs.all().map((job) => job.state)).toEqual(['failed', 'sending'])
})

describe('a printer that accepts no labels', () => {
  const away: PrintOutcome = {
    kind: 'failed',
    nothingPrinted: true,
    error: appError('printer-unreachable', {}, [{ code: 'offline' }]),
  }

  it('keeps its jobs queued in order while it is unreachable, and prints them automatically after that', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    drivers.away.add('cups')
    const batch = await firstJobs(jobs, label, ['cups', 'cups', 'cups'])
    queue.wake()
    for (const tries of [1, 2]) {
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(tries), patient)
      expect(drivers.arrivals.at(-1)?.jobId).toBe(batch[0]?.id)
      expect(jobs.all().map((job) => job.state)).toEqual(['queued', 'queued', 'queued'])
      drivers.arrivals.at(-1)?.end(away)
    }
    await vi.waitFor(() =>
      expect(jobs.all()[0]).toMatchObject({
        state: 'queued',
        error: null,
        note: { code: 'trying-again', says: [{ code: 'offline' }] },
      }),
    )
    expect(queue.listStatuses()[1]).toMatchObject({ id: 'cups', state: 'error' })
    drivers.away.clear()
    for (const printed of [3, 4, 5]) {
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(printed), patient)
      drivers.arrivals.at(-1)?.end({ kind: 'handed-over' })
    }
    const ended = await queue.whenJobsEnded(label.shipmentId)
    expect(ended.map((job) => job.state)).toEqual(['handed-over', 'handed-over', 'handed-over'])
    expect(drivers.arrivals.slice(2).map(({ jobId }) => jobId)).toEqual(batch.map((job) => job.id))
    expect(ended[0]?.note).toBeNull()
  })

  it.each([
    ['its queue rejects jobs', appError('printer-stopped'), { code: 'queue-closed' }],
    [
      'its queue does not exist',
      appError('printer-not-found', { case: 'no-queue' }),
      { code: 'queue-missing' },
    ],
    [
      'its share is full',
      appError('disk-full', { case: 'print-folder', folder: '/labels' }),
      { code: 'folder-full', words: '/labels' },
    ],
    [
      'its share is not mounted',
      appError('folder-not-writable', { case: 'print-folder', folder: '/labels' }),
      { code: 'folder-away', words: '/labels' },
    ],
    [
      'its spooler accepts no job',
      appError('printer-failed', { case: 'took-nothing' }, [{ code: 'no-answer-in-time' }]),
      { code: 'no-answer-in-time' },
    ],
  ])(
    'keeps a batch queued in order with the reason when %s, and prints it automatically after that',
    async (_, error, says) => {
      const { queue, jobs, drivers, label } = await startQueue()
      const batch = await firstJobs(jobs, label, ['cups', 'cups'])
      queue.wake()
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
      drivers.arrivals[0]?.end({ kind: 'failed', nothingPrinted: true, error })
      const note = { code: 'takes-no-labels', says: [says] }
      await vi.waitFor(() => expect(jobs.all()[0]).toMatchObject({ state: 'queued', error: null, note }))
      expect(queue.listStatuses()[1]).toMatchObject({ id: 'cups', state: 'error', note, waitingJobs: 1 })
      for (const printed of [2, 3]) {
        await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(printed), patient)
        drivers.arrivals.at(-1)?.end({ kind: 'handed-over' })
      }
      expect(drivers.arrivals.slice(1).map(({ jobId }) => jobId)).toEqual(batch.map((job) => job.id))
      await vi.waitFor(() =>
        expect(jobs.all().map(({ state }) => state)).toEqual(['handed-over', 'handed-over']),
      )
    },
  )

  it.each([
    ['stock-not-supported', appError('stock-not-supported')],
    ['printer-failed', appError('printer-failed', { case: 'label-refused' })],
  ])('fails a job at once when waiting does not resolve its error: %s', async (code, error) => {
    const { queue, jobs, drivers, label } = await startQueue()
    await firstJobs(jobs, label, ['cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({ kind: 'failed', nothingPrinted: true, error })
    await vi.waitFor(() => expect(jobs.all()[0]).toMatchObject({ state: 'failed', error: { code } }))
  })

  it('tries the same job again when its attempt ends while the queues are being read', async () => {
    const stored = createMemoryJobs()
    let read: Promise<void> | undefined
    const listQueues = async (started: readonly string[]) => {
      const waiting = await stored.listQueues(started)
      await read
      return waiting
    }
    const { queue, drivers, label, shown } = await startQueue({ ...stored, listQueues })
    drivers.away.add('cups')
    const [first] = await firstJobs(stored, label, ['cups', 'cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    await vi.waitFor(() => expect(shown.get('cups')?.waitingJobs).toBe(1))
    const reading = deferred<void>()
    read = reading.promise
    queue.wake()
    drivers.arrivals[0]?.end({ kind: 'not-started' })
    expect(await queue.runBetweenJobs('cups', async () => 'free', 5000)).toBe('free')
    await new Promise((resolve) => setImmediate(resolve))
    reading.resolve()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(drivers.arrivals[1]?.jobId).toBe(first?.id)
  })

  it('starts its next job at once when the first one is cancelled between two attempts', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    drivers.away.add('cups')
    const [first, second] = await firstJobs(jobs, label, ['cups', 'cups'])
    queue.wake()
    for (const tries of [1, 2]) {
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(tries), patient)
      drivers.arrivals.at(-1)?.end(away)
    }
    expect(await queue.cancel(first?.id ?? '')).toMatchObject({ ok: true })
    // Without the cancellation, the next attempt would start after two seconds.
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(3), { timeout: 1500 })
    expect(drivers.arrivals[2]?.jobId).toBe(second?.id)
  })

  it('prints a waiting job after a power cut, because nothing of it was sent', async () => {
    const jobs = createMemoryJobs()
    const before = await startQueue(jobs)
    before.drivers.away.add('zebra')
    await firstJobs(jobs, before.label, ['zebra'])
    before.queue.wake()
    await vi.waitFor(() => expect(before.drivers.arrivals).toHaveLength(1))
    before.drivers.arrivals[0]?.progress({ code: 'nothing-sent-yet', says: [{ code: 'head-open' }] })
    await vi.waitFor(() => expect(jobs.all()[0]?.note?.code).toBe('nothing-sent-yet'))
    // The first queue is not stopped, as after a power cut.
    const { queue, drivers } = await prepareQueue(jobs, new Set(), before.label)
    await queue.start()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    expect(jobs.all()[0]).toMatchObject({ state: 'sending', note: null, error: null })
  })

  it('does not start a waiting job after it was cancelled or moved', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    drivers.away.add('cups')
    const [one, two] = await firstJobs(jobs, label, ['cups', 'cups'])
    queue.wake()
    for (const [index, take] of [
      () => queue.cancel(one?.id ?? ''),
      () => queue.move(two?.id ?? '', 'file'),
    ].entries()) {
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(index + 1), patient)
      const arrival = drivers.arrivals[index]
      const stopped = vi.fn()
      arrival?.cancelled.addEventListener('abort', stopped)
      expect(await take()).toMatchObject({ ok: true })
      expect(stopped).toHaveBeenCalledOnce()
      expect(await arrival?.claim()).toBe(false)
      arrival?.end({ kind: 'cancelled' })
    }
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(3), patient)
    expect(drivers.arrivals[2]?.printer.id).toBe('file')
    expect(jobs.all().map((job) => job.state)).toEqual(['cancelled', 'cancelled', 'sending'])
  })
})
