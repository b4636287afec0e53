import { describe, expect, it, vi } from 'vitest'
import { appError } from '../../../src/shared/errors'
import type { PrintNote } from '../../../src/shared/printerRemarks'
import { firstJobs, startQueue } from './startQueue'

const unreachable = appError('printer-unreachable')

const waits: PrintNote = { code: 'nothing-sent-yet', says: [{ code: 'out-of-labels' }] }

describe('the order of printing', () => {
  it('sends the jobs of a printer one at a time, in the order in which they were made', async () => {
    const { jobs, drivers, queue, label } = await startQueue()
    const [one, two] = await firstJobs(jobs, label, ['zebra', 'zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    expect(drivers.arrivals[0]?.jobId).toBe(one?.id)
    drivers.arrivals[0]?.end({ kind: 'handed-over' })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(drivers.arrivals[1]?.jobId).toBe(two?.id)
    expect(jobs.all().map((job) => job.state)).toEqual(['handed-over', 'sending'])
  })

  it('prints on other printers while one is slow', async () => {
    const { jobs, drivers, queue, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra', 'zebra', 'cups', 'file'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(3))
    expect(drivers.arrivals.map((arrival) => arrival.printer.id)).toEqual(['zebra', 'cups', 'file'])
  })

  it('prints each of many jobs once, even when the queue is woken many times', async () => {
    const { jobs, drivers, queue, label } = await startQueue()
    const added = await firstJobs(
      jobs,
      label,
      Array.from({ length: 20 }, () => 'zebra'),
    )
    for (let number = 0; number < added.length; number += 1) {
      queue.wake()
      queue.wake()
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(number + 1))
      drivers.arrivals[number]?.end({ kind: 'handed-over' })
    }
    await queue.whenJobsEnded(label.shipmentId)
    expect(drivers.arrivals.map((arrival) => arrival.jobId)).toEqual(added.map((job) => job.id))
  })
})

describe('the end of a job', () => {
  it('stores the file and the time of acceptance, and removes the note', async () => {
    const { jobs, drivers, queue, label, moment } = await startQueue()
    await firstJobs(jobs, label, ['file'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.progress(waits)
    await vi.waitFor(() => expect(jobs.all()[0]?.note).toEqual(waits))
    drivers.arrivals[0]?.accepted()
    drivers.arrivals[0]?.end({ kind: 'done', outputPath: '/labels/x.pdf' })
    const [job] = await queue.whenJobsEnded(label.shipmentId)
    expect(job).toMatchObject({
      state: 'done',
      outputPath: '/labels/x.pdf',
      acceptedAt: moment.toISOString(),
      note: null,
      error: null,
    })
  })

  it('stores acceptance and end in one write when the job ends right after its acceptance, otherwise in two', async () => {
    const { jobs, drivers, queue, label, changes, moment } = await startQueue()
    const [first, second] = await firstJobs(jobs, label, ['zebra', 'cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    for (const { accepted } of drivers.arrivals) accepted()
    drivers.arrivals[0]?.end({ kind: 'done' })
    const acceptedAt = moment.toISOString()
    const announcedOf = (job = first) =>
      changes.flatMap((change) => (change.id === job?.id ? [[change.state, change.acceptedAt]] : []))
    await vi.waitFor(() =>
      expect(announcedOf(second)).toEqual([
        ['sending', null],
        ['sending', acceptedAt],
      ]),
    )
    drivers.arrivals[1]?.end({ kind: 'unconfirmed', error: appError('print-unconfirmed') })
    await queue.whenJobsEnded(label.shipmentId)
    expect(announcedOf()).toEqual([
      ['sending', null],
      ['done', acceptedAt],
    ])
    expect(announcedOf(second).at(-1)).toEqual(['unconfirmed', acceptedAt])
  })

  it('makes a job unconfirmed when its driver throws after bytes may have left', async () => {
    const { jobs, drivers, queue, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.fail(new Error('a bug'))
    const [job] = await queue.whenJobsEnded(label.shipmentId)
    expect(job).toMatchObject({ state: 'unconfirmed', error: { code: 'print-unconfirmed' } })
  })

  it('fails a job whose driver throws before anything was sent, and prints its label on the standby', async () => {
    const { jobs, drivers, queue, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    drivers.away.add('zebra')
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.fail(new Error('a bug'))
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(jobs.all()).toMatchObject([
      { printerId: 'zebra', state: 'cancelled', error: { code: 'printer-failed' } },
      { printerId: 'cups', state: 'sending', kind: 'moved' },
    ])
  })

  it('fails a job without its label or its printer before anything is sent', async () => {
    const { jobs, drivers, queue, label } = await startQueue()
    await firstJobs(jobs, { ...label, labelId: 'gone' }, ['zebra'])
    await firstJobs(jobs, label, ['gone'])
    queue.wake()
    const ended = await queue.whenJobsEnded(label.shipmentId)
    expect(ended.map((job) => [job.state, job.error?.code])).toEqual([
      ['failed', 'label-not-found'],
      ['failed', 'printer-not-found'],
    ])
    expect(drivers.arrivals).toEqual([])
  })
})

describe('the standby printer', () => {
  it('takes over once when provably nothing was printed', async () => {
    const { jobs, drivers, queue, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({ kind: 'failed', error: unreachable, nothingPrinted: true })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(drivers.arrivals[1]?.printer.id).toBe('cups')
    expect(jobs.all()[0]?.note).toEqual({ code: 'moved', says: [], printer: 'cups' })
    // The standby has no standby of its own, so that its job waits until the printer is back.
    drivers.arrivals[1]?.end({ kind: 'failed', error: unreachable, nothingPrinted: true })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(3), { timeout: 5000 })
    expect(drivers.arrivals[2]?.printer.id).toBe('cups')
    drivers.arrivals[2]?.end({ kind: 'handed-over' })
    const ended = await queue.whenJobsEnded(label.shipmentId)
    expect(ended.map((job) => [job.printerId, job.kind, job.state, job.error?.code])).toEqual([
      ['zebra', 'first', 'cancelled', 'printer-unreachable'],
      ['cups', 'moved', 'handed-over', undefined],
    ])
  })

  it.each([
    { kind: 'failed', error: unreachable, nothingPrinted: false } as const,
    { kind: 'failed', error: appError('label-unreadable'), nothingPrinted: true } as const,
    { kind: 'unconfirmed', error: appError('print-unconfirmed') } as const,
  ])('does not take over when the outcome is $kind with $error.code', async (outcome) => {
    const { jobs, drivers, queue, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end(outcome)
    const ended = await queue.whenJobsEnded(label.shipmentId)
    expect(ended.map((job) => job.state)).toEqual([outcome.kind])
  })
})

it('reads as many rows for a label with 10,000 queued jobs as with twenty', async () => {
  const rowsForFive = async (backlog: number) => {
    const { queue, jobs, drivers, label } = await startQueue()
    await firstJobs(
      jobs,
      label,
      Array.from({ length: backlog }, (_, index) => (index % 2 ? 'zebra' : 'file')),
    )
    const before = jobs.rowsRead()
    queue.wake()
    for (const printed of [2, 3, 4, 5, 6]) {
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(printed))
      drivers.arrivals.at(-1)?.end({ kind: 'handed-over' })
    }
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(7))
    return jobs.rowsRead() - before
  }
  expect(await rowsForFive(10_000)).toBe(await rowsForFive(20))
})

describe('the status of a printer', () => {
  it('follows the outcomes of its jobs', async () => {
    const { jobs, drivers, queue, label } = await startQueue()
    const zebra = () => queue.listStatuses().find((printer) => printer.id === 'zebra')
    expect(zebra()).toMatchObject({ name: 'Zebra at bench 1', state: 'unknown', waitingJobs: 0 })
    await firstJobs(jobs, label, ['zebra', 'zebra', 'zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    expect(zebra()).toMatchObject({ state: 'busy', waitingJobs: 2 })
    drivers.arrivals[0]?.progress(waits)
    expect(zebra()).toMatchObject({ state: 'error', note: waits, error: null })
    drivers.arrivals[0]?.end({ kind: 'handed-over' })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    drivers.arrivals[1]?.end({ kind: 'failed', error: unreachable, nothingPrinted: false })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(3))
    expect(zebra()).toMatchObject({ state: 'busy', waitingJobs: 0 })
    drivers.arrivals[2]?.end({ kind: 'failed', error: unreachable, nothingPrinted: false })
    await queue.whenJobsEnded(label.shipmentId)
    expect(zebra()).toMatchObject({ state: 'error', note: null, error: unreachable })
  })

  it('keeps why the outcome of a label is unknown, with the job and for the printer, until its next label', async () => {
    const { jobs, drivers, queue, label, shown } = await startQueue()
    await firstJobs(jobs, label, ['file'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    const error = appError('print-unconfirmed', undefined, [{ code: 'offline' }])
    drivers.arrivals[0]?.end({ kind: 'unconfirmed', error })
    await vi.waitFor(() => expect(jobs.all()[0]).toMatchObject({ state: 'unconfirmed', error }))
    expect(shown.get('file')).toMatchObject({ state: 'error', error })
    expect(await queue.reprint(label.shipmentId, label.labelId, 'file')).toMatchObject({ ok: true })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    drivers.arrivals[1]?.end({ kind: 'handed-over' })
    await vi.waitFor(() => expect(shown.get('file')).toMatchObject({ state: 'ready', error: null }))
  })

  it('shows nothing as waiting once the label has moved to the standby, and as ready after a test label', async () => {
    const { jobs, drivers, queue, label, shown } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({ kind: 'failed', error: unreachable, nothingPrinted: true })
    await vi.waitFor(() =>
      expect(shown.get('zebra')).toMatchObject({ state: 'error', note: null, error: unreachable }),
    )
    queue.noteOutcome('zebra', { kind: 'handed-over' })
    expect(shown.get('zebra')).toMatchObject({ state: 'ready', note: null, error: null })
  })

  it('shows nothing as waiting once the label that waited for the printer was cancelled', async () => {
    const { jobs, drivers, queue, label, shown } = await startQueue()
    const [job] = await firstJobs(jobs, label, ['cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({ kind: 'failed', error: unreachable, nothingPrinted: true })
    await vi.waitFor(() => expect(jobs.all()[0]?.note?.code).toBe('trying-again'))
    expect(shown.get('cups')?.note?.code).toBe('trying-again')
    await queue.cancel(job?.id ?? '')
    await vi.waitFor(() => expect(shown.get('cups')).toMatchObject({ state: 'error', note: null }))
  })

  it('is reported again when a job that waited for its turn was cancelled', async () => {
    const { jobs, drivers, queue, label, shown } = await startQueue()
    const [, second] = await firstJobs(jobs, label, ['zebra', 'zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    expect(shown.get('zebra')?.waitingJobs).toBe(1)
    expect(await queue.cancel(second?.id ?? '')).toMatchObject({ ok: true })
    await vi.waitFor(() => expect(shown.get('zebra')?.waitingJobs).toBe(0))
  })

  it('is reported again when the job that showed what the printer needs was cancelled', async () => {
    const { jobs, drivers, queue, label, shown } = await startQueue()
    drivers.away.add('cups')
    const [job] = await firstJobs(jobs, label, ['cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.progress(waits)
    await vi.waitFor(() => expect(shown.get('cups')).toMatchObject({ state: 'error', note: waits }))
    expect(await queue.cancel(job?.id ?? '')).toMatchObject({ ok: true })
    drivers.arrivals[0]?.end({ kind: 'cancelled' })
    await vi.waitFor(() => expect(shown.get('cups')).toMatchObject({ state: 'unknown', note: null }))
  })
})

describe('waiting for the jobs of a shipment', () => {
  it('ends at once when the shipment has no jobs', async () => {
    const { queue } = await startQueue()
    expect(await queue.whenJobsEnded('no-such-shipment')).toEqual([])
  })

  it('returns the present jobs when the wait is aborted, and when the queue stops', async () => {
    const { jobs, drivers, queue, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    const aborting = new AbortController()
    const first = queue.whenJobsEnded(label.shipmentId, aborting.signal)
    aborting.abort()
    expect((await first).map((job) => job.state)).toEqual(['sending'])
    const second = queue.whenJobsEnded(label.shipmentId)
    const stopped = queue.stop()
    expect((await second).map((job) => job.state)).toEqual(['sending'])
    await stopped
  })

  it('announces each stored state of a job once', async () => {
    const { jobs, drivers, queue, label, changes } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({ kind: 'handed-over' })
    await queue.whenJobsEnded(label.shipmentId)
    expect(changes.map((job) => job.state)).toEqual(['sending', 'handed-over'])
  })
})
