import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { FirstLabel } from '../../../src/main/printing/queue/jobActions'
import { appError } from '../../../src/shared/errors'
import type { PageRange, PrintJob, PrintJobState } from '../../../src/shared/printing'
import { labelWith } from '../../support/printing/labels'
import { firstJobs, startQueue } from './startQueue'

/** A print queue with one job in this state. */
async function startWithJobIn(state: PrintJobState, printerId = 'zebra') {
  const started = await startQueue()
  const [job] = await firstJobs(started.jobs, started.label, [printerId])
  if (job === undefined) throw new Error('no job')
  await started.jobs.change(job.id, ['queued'], { state })
  return { ...started, job }
}

/** A label as it exists during the creation of a shipment, before the commit. */
function firstLabel(id: string): FirstLabel {
  return { id, kind: 'pdf', read: async () => Buffer.from('%PDF') }
}

describe('planning first jobs', () => {
  it('plans one job for each label, on the printer that the routing rules name', async () => {
    const { queue, jobs, printers } = await startQueue()
    const planned = await queue.plan('shipment', [firstLabel('a'), firstLabel('b')], 34)
    expect(planned).toMatchObject({
      ok: true,
      value: [
        { shipmentId: 'shipment', labelId: 'a', printerId: 'zebra', kind: 'first' },
        { shipmentId: 'shipment', labelId: 'b', printerId: 'zebra', printerName: 'Zebra at bench 1' },
      ],
    })
    expect(jobs.all()).toEqual([])
    printers.length = 0
    expect(await queue.plan('shipment', [firstLabel('a')], 99)).toMatchObject({
      error: { code: 'no-printer' },
    })
  })
})

describe('reprinting', () => {
  it('adds new jobs on the usual printer or on the given one', async () => {
    const { queue, drivers, label } = await startQueue()
    expect(await queue.reprint(label.shipmentId)).toMatchObject({
      ok: true,
      value: [{ printerId: 'zebra', kind: 'reprint', state: 'queued' }],
    })
    expect(await queue.reprint(label.shipmentId, label.labelId, 'file')).toMatchObject({
      value: [{ printerId: 'file', labelId: label.labelId }],
    })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
  })

  it('refuses a shipment, label or printer that does not exist', async () => {
    const { queue, jobs, label } = await startQueue()
    expect(await queue.reprint('other')).toMatchObject({ error: { code: 'label-not-found' } })
    expect(await queue.reprint('other', label.labelId)).toMatchObject({ error: { code: 'label-not-found' } })
    expect(await queue.reprint(label.shipmentId, undefined, 'gone')).toMatchObject({
      error: { code: 'printer-not-found' },
    })
    expect(jobs.all()).toEqual([])
  })
})

describe('printing again', () => {
  it.each(['failed', 'unconfirmed'] as const)(
    'closes a %s job and adds one reprint when it is requested twice',
    async (state) => {
      const { queue, jobs, job } = await startWithJobIn(state)
      const answers = await Promise.all([queue.printAgain(job.id), queue.printAgain(job.id)])
      expect(answers.filter((answer) => answer.ok)).toHaveLength(1)
      expect(answers.find((answer) => !answer.ok)).toMatchObject({ error: { code: 'print-job-not-open' } })
      expect(jobs.all().map(({ state, kind }) => [kind, state === 'cancelled'])).toEqual([
        ['first', true],
        ['reprint', false],
      ])
    },
  )

  it('adds a job of the kind «moved» on another printer', async () => {
    const { queue, job } = await startWithJobIn('failed')
    expect(await queue.printAgain(job.id, 'file')).toMatchObject({
      value: { printerId: 'file', kind: 'moved', labelId: job.labelId },
    })
  })

  it.each([
    ['queued', 'still waits'],
    ['sending', 'is being sent'],
    ['done', 'has already ended'],
    ['handed-over', 'has already ended'],
    ['cancelled', 'has already ended'],
  ] as const)('is refused for a job that is %s, with the message that it %s', async (state, says) => {
    const { queue, job } = await startWithJobIn(state, 'file')
    expect(await queue.printAgain(job.id)).toMatchObject({
      error: { code: 'print-job-not-open', message: expect.stringContaining(`This print job ${says}`) },
    })
  })

  it('is refused for an unknown job or printer, and changes nothing', async () => {
    const { queue, jobs, job } = await startWithJobIn('failed')
    expect(await queue.printAgain('none')).toMatchObject({ error: { code: 'print-job-not-found' } })
    expect(await queue.printAgain(job.id, 'gone')).toMatchObject({ error: { code: 'printer-not-found' } })
    expect(jobs.all().map((each) => each.state)).toEqual(['failed'])
  })
})

describe('a label with a failed job and a waiting job', () => {
  /** A failed job of a label that was reprinted and waits for its paused printer. */
  async function withReprint(pages?: { from: number; to: number }) {
    const started = await startWithJobIn('failed')
    started.pages.push({ widthMm: 100, heightMm: 150 }, { widthMm: 100, heightMm: 150 })
    await started.queue.pause('zebra', true)
    const { labelId, shipmentId } = started.label
    const reprinted =
      pages === undefined
        ? await started.queue.reprint(shipmentId)
        : await started.queue.reprintPages(labelId, pages)
    expect(reprinted.ok).toBe(true)
    return started
  }
  const waits = { error: { code: 'label-already-waiting', details: { printer: 'Zebra at bench 1' } } }

  it.each([undefined, { from: 1, to: 1 }])(
    'is not printed again from its failed job (pages that wait: %j)',
    async (pages) => {
      const { queue, jobs, job } = await withReprint(pages)
      expect(await queue.printAgain(job.id)).toMatchObject(waits)
      expect(await queue.printAgain(job.id, 'file')).toMatchObject(waits)
      expect(await queue.move(job.id, 'cups')).toMatchObject(waits)
      expect(await queue.printAllAgain('zebra')).toEqual({ ok: true, value: [] })
      expect(jobs.all().map(({ state }) => state)).toEqual(['failed', 'queued'])
    },
  )

  it('is printed again when the waiting job has other pages', async () => {
    const { queue, jobs, job } = await withReprint({ from: 2, to: 3 })
    await jobs.change(job.id, ['failed'], { state: 'cancelled' })
    const [first] = await jobs.add([{ ...newJob(job, { from: 1, to: 1 }), id: 'first-page' }])
    await jobs.change('first-page', ['queued'], { state: 'failed' })
    expect(first?.pages).toEqual({ from: 1, to: 1 })
    expect(await queue.printAgain('first-page')).toMatchObject({ ok: true })
  })

  it('can be moved to another printer', async () => {
    const { queue, jobs } = await withReprint()
    const [, waiting] = jobs.all()
    expect(await queue.move(waiting?.id ?? '', 'file')).toMatchObject({ value: { printerId: 'file' } })
  })

  it('is printed once when two of its jobs have failed and all failed labels are printed again', async () => {
    const { queue, jobs, drivers, job } = await startWithJobIn('failed')
    await jobs.add([{ ...newJob(job, undefined), id: 'second' }])
    await jobs.change('second', ['queued'], { state: 'failed' })
    expect(await queue.printAllAgain('zebra')).toMatchObject({ value: [{ kind: 'reprint' }] })
    expect(jobs.all().map(({ state }) => state)).toEqual(['cancelled', 'cancelled', expect.anything()])
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
  })

  it('is printed again with all failed labels of its printer when its reprint has failed on another printer', async () => {
    const { queue, jobs, job } = await startWithJobIn('failed')
    await jobs.add([{ ...newJob(job, undefined), id: 'elsewhere', printerId: 'cups', printerName: 'cups' }])
    await jobs.change('elsewhere', ['queued'], { state: 'failed' })
    await queue.pause('zebra', true)
    expect(await queue.printAllAgain('zebra')).toMatchObject({
      value: [{ printerId: 'zebra', kind: 'reprint' }],
    })
    expect(jobs.all().map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'queued'])
  })

  it('is closed instead of printed with all failed labels when its reprint has come out', async () => {
    const { queue, jobs, drivers, label } = await startWithJobIn('failed')
    await queue.reprint(label.shipmentId)
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({ kind: 'handed-over' })
    await queue.whenJobsEnded(label.shipmentId)
    expect(await queue.printAllAgain('zebra')).toEqual({ ok: true, value: [] })
    expect(jobs.all().map(({ state }) => state)).toEqual(['cancelled', 'handed-over'])
  })

  it('is not printed with all failed labels while it is unknown whether its reprint came out', async () => {
    const { queue, jobs, drivers, label } = await startWithJobIn('failed')
    await queue.reprint(label.shipmentId)
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({ kind: 'unconfirmed', error: appError('print-unconfirmed') })
    await queue.whenJobsEnded(label.shipmentId)
    expect(await queue.printAllAgain('zebra')).toEqual({ ok: true, value: [] })
    const [, reprint] = jobs.all()
    await queue.resolveJob(reprint?.id ?? '', 'not-printed')
    expect(await queue.printAllAgain('zebra')).toMatchObject({ value: [{ kind: 'reprint' }] })
  })

  function newJob({ shipmentId, labelId }: PrintJob, pages: PageRange | undefined) {
    return {
      ...{ shipmentId, labelId, printerId: 'zebra', printerName: 'zebra', kind: 'reprint' as const },
      ...(pages !== undefined && { pages }),
    }
  }
})

describe('an unconfirmed label that may still be in its spooler', () => {
  it('is removed from it before it is printed again, moved, reprinted, or closed as not printed', async () => {
    for (const act of ['printAgain', 'move', 'reprint', 'resolve'] as const) {
      const { queue, drivers, jobs, job, label } = await startWithJobIn('unconfirmed', 'cups')
      const withdrawn: string[] = []
      drivers.system.withdraw = async (jobId, printer) => {
        expect(jobs.all()).toHaveLength(1)
        withdrawn.push(`${printer?.queue} ${jobId}`)
        return true
      }
      const acts = {
        printAgain: () => queue.printAgain(job.id),
        move: () => queue.move(job.id, 'file'),
        reprint: () => queue.reprint(label.shipmentId),
        resolve: () => queue.resolveJob(job.id, 'not-printed'),
      }
      expect(await acts[act]()).toMatchObject({ ok: true })
      expect(withdrawn).toEqual([`LABEL ${job.id}`])
    }
  })

  it('is looked for in the queues of the system when its printer was removed from the settings', async () => {
    const { queue, drivers, printers, job } = await startWithJobIn('unconfirmed', 'cups')
    printers.splice(1, 1)
    const withdraw = vi.fn(async () => true)
    drivers.system.withdraw = withdraw
    expect(await queue.move(job.id, 'file')).toMatchObject({ ok: true })
    expect(withdraw).toHaveBeenCalledWith(job.id, undefined)
  })

  it('is not printed again or closed as not printed when it cannot be removed', async () => {
    const { queue, drivers, jobs, job, label } = await startWithJobIn('unconfirmed', 'cups')
    drivers.system.withdraw = async () => false
    const refused = { error: { code: 'label-in-spooler', details: { printer: 'cups', reference: 'REF' } } }
    expect(await queue.printAgain(job.id)).toMatchObject(refused)
    expect(await queue.move(job.id, 'file')).toMatchObject(refused)
    expect(await queue.reprint(label.shipmentId)).toMatchObject(refused)
    expect(await queue.resolveJob(job.id, 'not-printed')).toMatchObject(refused)
    expect(jobs.all()).toMatchObject([{ state: 'unconfirmed' }])
    expect(await queue.resolveJob(job.id, 'printed')).toMatchObject({ value: { state: 'done' } })
  })

  it('keeps the other labels of its shipment from being printed again when it cannot be removed', async () => {
    const { queue, drivers, jobs, label, labels } = await startWithJobIn('unconfirmed', 'cups')
    labels.unshift(labelWith({ bytes: label.bytes, shipmentId: label.shipmentId }))
    drivers.system.withdraw = async () => false
    expect(await queue.reprint(label.shipmentId)).toMatchObject({ error: { code: 'label-in-spooler' } })
    expect(jobs.all()).toMatchObject([{ state: 'unconfirmed' }])
    drivers.system.withdraw = async () => true
    expect(await queue.reprint(label.shipmentId)).toMatchObject({ value: [{}, { labelId: label.labelId }] })
  })

  it.each(['handed-over', 'unconfirmed'] as const)(
    'adds no second print of another label that waited and became %s while it was removed',
    async (state) => {
      const { queue, drivers, jobs, job, label, labels } = await startWithJobIn('unconfirmed', 'cups')
      const other = labelWith({ bytes: label.bytes, shipmentId: label.shipmentId })
      labels.push(other)
      await jobs.add([{ ...job, id: 'other', labelId: other.labelId }])
      await jobs.change('other', ['queued'], { state: 'sending' })
      drivers.system.withdraw = async () => {
        await jobs.change('other', ['sending'], { state })
        return true
      }
      expect(await queue.reprint(label.shipmentId)).toMatchObject({ value: [{ labelId: label.labelId }] })
      expect(jobs.all().filter(({ labelId }) => labelId === other.labelId)).toMatchObject([{ state }])
    },
  )

  it('is removed before it is printed on another printer if it became unconfirmed while another one was removed', async () => {
    const { queue, drivers, jobs, job, label, labels } = await startWithJobIn('unconfirmed', 'cups')
    const other = labelWith({ bytes: label.bytes, shipmentId: label.shipmentId })
    labels.push(other)
    await jobs.add([{ ...job, id: 'other', labelId: other.labelId }])
    await jobs.change('other', ['queued'], { state: 'sending' })
    const withdraw = vi.fn(async () => {
      await jobs.change('other', ['sending'], { state: 'unconfirmed' })
      return true
    })
    drivers.system.withdraw = withdraw
    expect(await queue.reprint(label.shipmentId, undefined, 'file')).toMatchObject({ value: [{}, {}] })
    expect(withdraw.mock.calls).toMatchObject([
      [job.id, {}],
      ['other', {}],
    ])
  })

  it('is removed once, before the first reprint that is requested after it became unconfirmed', async () => {
    const { queue, drivers, jobs, job, label } = await startWithJobIn('sending', 'cups')
    await jobs.add([{ ...job, id: 'meanwhile', printerId: 'file' }])
    await jobs.change('meanwhile', ['queued'], { state: 'done' })
    await tick()
    await jobs.change(job.id, ['sending'], { state: 'unconfirmed' })
    await tick()
    const withdraw = vi.fn(async () => false)
    drivers.system.withdraw = withdraw
    const reprint = () => queue.reprint(label.shipmentId, undefined, 'file')
    expect(await reprint()).toMatchObject({ error: { code: 'label-in-spooler' } })
    withdraw.mockResolvedValueOnce(true)
    for (const printed of [1, 2]) {
      expect(await reprint()).toMatchObject({ ok: true })
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(printed))
      drivers.arrivals.at(-1)?.end({ kind: 'done' })
      await queue.whenJobsEnded(label.shipmentId)
    }
    expect(await queue.resolveJob(job.id, 'not-printed')).toMatchObject({ value: { state: 'cancelled' } })
    expect(withdraw).toHaveBeenCalledTimes(2)
  })

  it('is not asked for again after a restart, with its spooler off', async () => {
    const { queue, drivers, jobs, label } = await startWithJobIn('unconfirmed', 'cups')
    drivers.system.withdraw = async () => true
    const reprinted = await queue.reprint(label.shipmentId, undefined, 'file')
    if (!reprinted.ok) throw new Error(reprinted.error.message)
    for (const { id } of reprinted.value) await queue.cancel(id)
    const restarted = await startQueue(jobs, new Set(), label)
    restarted.drivers.system.withdraw = async () => false
    expect(await restarted.queue.reprint(label.shipmentId, undefined, 'file')).toMatchObject({ ok: true })
  })

  it('is removed before a reprint although a later job took the place of another one without a removal', async () => {
    const { queue, drivers, jobs, job, label } = await startWithJobIn('sending', 'cups')
    const reprint = { ...job, id: 'reprint', kind: 'reprint' as const, printerId: 'zebra' }
    await jobs.add([reprint])
    await jobs.change(job.id, ['sending'], { state: 'unconfirmed' })
    await tick()
    // As when the printer of the reprint takes nothing, and its standby takes over.
    const standby = { ...job, id: 'standby', kind: 'moved' as const, printerId: 'file' }
    await jobs.replace(['reprint'], ['queued'], { state: 'cancelled' }, [standby])
    await jobs.change('standby', ['queued'], { state: 'done' })
    const withdraw = vi.fn(async () => true)
    drivers.system.withdraw = withdraw
    expect(await queue.reprint(label.shipmentId)).toMatchObject({ ok: true })
    expect(withdraw).toHaveBeenCalledWith(job.id, expect.objectContaining({ id: 'cups' }))
  })

  it('is not printed again when its spooler does not answer within five seconds, and delays no other shipment', async () => {
    const { queue, drivers, jobs, job } = await startWithJobIn('unconfirmed', 'cups')
    await jobs.add([{ ...job, id: 'other', shipmentId: 'other' }])
    await jobs.change('other', ['queued'], { state: 'failed' })
    drivers.system.withdraw = () => new Promise(() => undefined)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const ended = vi.fn()
    const printed = queue.printAgain(job.id).finally(ended)
    expect(await queue.printAgain('other')).toMatchObject({ ok: true })
    expect(ended).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(5000)
    expect(await printed).toMatchObject({ error: { code: 'label-in-spooler' } })
    drivers.system.withdraw = () => Promise.reject(new Error('winspool.drv cannot be loaded'))
    expect(await queue.printAgain(job.id)).toMatchObject({ error: { code: 'label-in-spooler' } })
  })
})

/** Waits until the clock shows a later time than that of all jobs. */
async function tick(): Promise<void> {
  const start = Date.now()
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(start), { interval: 1 })
}

describe('resolving', () => {
  it('closes a job as printed or not printed, and only once', async () => {
    const printed = await startWithJobIn('unconfirmed')
    expect(await printed.queue.resolveJob(printed.job.id, 'printed')).toMatchObject({
      value: { state: 'done' },
    })
    expect(await printed.queue.resolveJob(printed.job.id, 'not-printed')).toMatchObject({
      error: { code: 'print-job-not-open' },
    })
    const not = await startWithJobIn('failed')
    expect(await not.queue.resolveJob(not.job.id, 'not-printed')).toMatchObject({
      value: { state: 'cancelled' },
    })
    expect(await not.queue.resolveJob('none', 'printed')).toMatchObject({
      error: { code: 'print-job-not-found' },
    })
  })
})

describe('cancelling', () => {
  it('removes a waiting job from its queue', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    const [, second] = await firstJobs(jobs, label, ['zebra', 'zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    expect(await queue.cancel(second?.id ?? '')).toMatchObject({ value: { state: 'cancelled' } })
    drivers.arrivals[0]?.end({ kind: 'handed-over' })
    await queue.whenJobsEnded(label.shipmentId)
    expect(drivers.arrivals).toHaveLength(1)
    await vi.waitFor(() => expect(queue.listStatuses().map((each) => each.waitingJobs)).toEqual([0, 0, 0]))
  })

  it('asks the driver to cancel a job that is being sent', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    const [job] = await firstJobs(jobs, label, ['cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    const [arrival] = drivers.arrivals
    arrival?.cancelled.addEventListener('abort', () => arrival.end({ kind: 'cancelled' }))
    const cancelled = { state: 'cancelled', resolvedBy: 'Anna' }
    expect(await queue.cancel(job?.id ?? '')).toMatchObject({ value: cancelled })
  })

  it('is refused after five seconds when the driver cannot cancel the job now, and records who cancelled it later', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    const [job] = await firstJobs(jobs, label, ['cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const cancelled = queue.cancel(job?.id ?? '')
    await vi.advanceTimersByTimeAsync(5000)
    expect(await cancelled).toMatchObject({
      error: { code: 'print-job-not-open', details: { case: 'sending' } },
    })
    expect(drivers.arrivals[0]?.cancelled.aborted).toBe(true)
    vi.useRealTimers()
    drivers.arrivals[0]?.end({ kind: 'cancelled' })
    await vi.waitFor(() => expect(jobs.all()).toMatchObject([{ state: 'cancelled', resolvedBy: 'Anna' }]))
  })

  it('is refused for a job that is being sent by a driver that cannot cancel', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    const [job] = await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    expect(await queue.cancel(job?.id ?? '')).toMatchObject({ error: { code: 'print-job-not-open' } })
    expect(drivers.arrivals[0]?.cancelled.aborted).toBe(false)
  })
})

describe('a label that waits for its printer', () => {
  it('is not queued a second time when two reprints are requested at once', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    drivers.away.add('zebra')
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    for (const answer of await Promise.all([
      queue.reprint(label.shipmentId),
      queue.reprint(label.shipmentId),
    ])) {
      expect(answer).toMatchObject({
        error: { code: 'label-already-waiting', details: { printer: 'zebra', reference: 'REF' } },
      })
    }
    expect(jobs.all()).toHaveLength(1)
  })

  it('is queued once when its first reprint is requested twice', async () => {
    const { queue, jobs, label } = await startQueue()
    const answers = await Promise.all([queue.reprint(label.shipmentId), queue.reprint(label.shipmentId)])
    expect(answers.map(({ ok }) => ok)).toEqual([true, false])
    expect(jobs.all()).toHaveLength(1)
  })

  it.each(['queued', 'sending'] as const)(
    'is not printed a second time when its standby has taken over and its job there is %s',
    async (state) => {
      const { queue, jobs, drivers, label } = await startQueue()
      await firstJobs(jobs, label, ['zebra'])
      queue.wake()
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
      // A standby that is paused before takes no labels over.
      if (state === 'queued') await queue.pause('cups', true)
      const away = appError('printer-unreachable', { printer: 'Zebra' })
      drivers.arrivals[0]?.end({ kind: 'failed', error: away, nothingPrinted: true })
      await vi.waitFor(() => expect(jobs.all()[1]).toMatchObject({ printerId: 'cups', state }))
      expect(await queue.reprint(label.shipmentId)).toMatchObject({
        error: { code: 'label-already-waiting', details: { printer: 'cups' } },
      })
      expect(jobs.all().map(({ printerId }) => printerId)).toEqual(['zebra', 'cups'])
    },
  )

  it('is moved when a reprint names another printer', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    drivers.away.add('zebra')
    const [waits] = await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    expect(await queue.reprint(label.shipmentId, label.labelId, 'file')).toMatchObject({
      value: [{ printerId: 'file', kind: 'moved' }],
    })
    expect(await jobs.find(waits?.id ?? '')).toMatchObject({ state: 'cancelled' })
  })

  it('does not prevent a reprint of other pages that the label has', async () => {
    const { queue, jobs, label, pages: sizes } = await startQueue()
    sizes.push({ widthMm: 100, heightMm: 150 })
    await queue.pause('zebra', true)
    const pages = { from: 1, to: 1 }
    expect(await queue.reprintPages(label.labelId, pages)).toMatchObject({ ok: true })
    expect(await queue.reprintPages(label.labelId, pages)).toMatchObject({
      error: { code: 'label-already-waiting' },
    })
    expect(await queue.reprintPages(label.labelId, { from: 2, to: 2 })).toMatchObject({ ok: true })
    expect(await queue.reprintPages(label.labelId, { from: 2, to: 3 })).toMatchObject({
      error: { code: 'invalid-input', details: { case: 'pages', pages: '2' } },
    })
    expect(jobs.all()).toHaveLength(2)
  })
})

describe('several failed labels', () => {
  it('are printed again together in order, except those that may have been printed', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    const added = await jobs.add(
      ['file', 'file', 'file', 'cups'].map((printerId, index) => ({
        ...{ id: `job-${index}`, shipmentId: label.shipmentId, labelId: `label-${index}` },
        ...{ printerId, printerName: printerId, kind: 'first' },
      })),
    )
    const states = ['failed', 'unconfirmed', 'failed', 'failed'] as const
    for (const [index, state] of states.entries()) {
      await jobs.change(added[index]?.id ?? '', ['queued'], { state })
    }
    await queue.pause('file', true)
    const again = await queue.printAllAgain('file')
    expect(again).toMatchObject({ value: [{ printerId: 'file' }, { printerId: 'file' }] })
    expect(jobs.all().map(({ state }) => state)).toEqual([
      ...['cancelled', 'unconfirmed', 'cancelled', 'failed', 'queued', 'queued'],
    ])
    expect(drivers.arrivals).toEqual([])
    expect(await queue.printAllAgain('gone')).toMatchObject({ error: { code: 'printer-not-found' } })
    expect(await queue.printAllAgain('file')).toMatchObject({ value: [] })
  })

  it('are printed again together with both invoices of a shipment that has one in two languages', async () => {
    const { queue, jobs, label } = await startQueue()
    await queue.pause('file', true)
    for (const language of ['en', 'nl'] as const) {
      await jobs.add([
        {
          ...{ id: language, shipmentId: label.shipmentId, labelId: null, language },
          ...{ printerId: 'file', printerName: 'file', kind: 'first' },
        },
      ])
      await jobs.change(language, ['queued'], { state: 'failed' })
    }
    expect(await queue.printAllAgain('file')).toMatchObject({
      value: [{ language: 'en' }, { language: 'nl' }],
    })
    expect(jobs.all().map(({ state }) => state)).toEqual(['cancelled', 'cancelled', 'queued', 'queued'])
  })

  it('can each be closed with a reason, which is stored', async () => {
    const { queue, job } = await startWithJobIn('failed')
    expect(await queue.resolveJob(job.id, 'not-printed', 'printed-elsewhere')).toMatchObject({
      value: { state: 'cancelled', note: { code: 'dismissed', reason: 'printed-elsewhere' } },
    })
  })
})
