import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PrintOutcome } from '../../../src/main/printing/drivers/driver'
import type { PrintableLabel } from '../../../src/main/printing/printableLabel'
import { confirmScan, skipScan } from '../../../src/main/printing/queue/scanBack'
import { appError } from '../../../src/shared/errors'
import type { PlacementRule } from '../../../src/shared/labels'
import { printerSchema, type RoutingRule } from '../../../src/shared/printing'
import { defaultSettings } from '../../../src/shared/settings'
import { labelsInMemory, labelWith } from '../../support/printing/labels'
import { createMemoryJobs, type MemoryJobs } from '../../support/printing/memoryJobs'
import { firstJobs, startQueue } from './startQueue'

describe('a paused printer', () => {
  it('finishes the job that is being sent, starts no other, and continues when the operator resumes it', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra', 'zebra', 'cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    await queue.pause('zebra', true)
    drivers.arrivals[0]?.end({ kind: 'handed-over' })
    await vi.waitFor(() => expect(jobs.all()[0]?.state).toBe('handed-over'))
    expect(queue.listStatuses()[0]).toMatchObject({ id: 'zebra', state: 'paused' })
    expect(jobs.all()[1]?.state).toBe('queued')
    await queue.pause('zebra', false)
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(3))
  })

  it('prints a label that waits in its driver only after the operator resumes it', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    drivers.away.add('zebra')
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    const [waiting] = drivers.arrivals
    waiting?.progress({ code: 'nothing-sent-yet', says: [{ code: 'head-open' }] })
    await queue.pause('zebra', true)
    expect(await waiting?.claim()).toBe(false)
    waiting?.end({ kind: 'not-started' })
    await vi.waitFor(() => expect(jobs.all()[0]).toMatchObject({ state: 'queued', note: null }))
    expect(drivers.arrivals).toHaveLength(1)
    drivers.away.clear()
    await queue.pause('zebra', false)
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(jobs.all()[0]?.state).toBe('sending')
  })

  it('fails its waiting labels when it is removed from the settings, because nobody can resume it', async () => {
    const { queue, jobs, drivers, label, printers, bus } = await startQueue()
    await queue.pause('zebra', true)
    await firstJobs(jobs, label, ['zebra', 'zebra'])
    printers.shift()
    bus.emit('settingsChanged', defaultSettings)
    const ended = await queue.whenJobsEnded(label.shipmentId)
    expect(ended.map(({ state, error }) => [state, error?.code])).toEqual([
      ['failed', 'printer-not-found'],
      ['failed', 'printer-not-found'],
    ])
    expect(drivers.arrivals).toEqual([])
  })

  it('gets a label with the settings that it has when the label is read', async () => {
    const { queue, jobs, drivers, label, labels, printers, bus } = await startQueue()
    drivers.away.add('cups')
    vi.spyOn(labels, 'find').mockImplementationOnce(() => {
      printers[1] = printerSchema.parse({ id: 'cups', driver: 'system', queue: 'NEW' })
      bus.emit('settingsChanged', defaultSettings)
      return label
    })
    await firstJobs(jobs, label, ['cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toMatchObject([{ printer: { queue: 'NEW' } }]))
  })

  it('is still paused after a restart', async () => {
    const paused = new Set(['zebra'])
    const { queue, jobs, drivers, label } = await startQueue(createMemoryJobs(), paused)
    await firstJobs(jobs, label, ['zebra', 'file'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals.map(({ printer }) => printer.id)).toEqual(['file']))
    expect(queue.listStatuses()[0]?.state).toBe('paused')
  })
})

describe('a standby', () => {
  /** Two labels that wait at `cups`, whose driver can cancel them. */
  async function waitingLabels(routing: RoutingRule, paused = new Set<string>()) {
    const started = await startQueue(createMemoryJobs(), paused)
    const { queue, jobs, drivers, label } = started
    started.routing.splice(0, 1, routing)
    drivers.away.add('cups')
    await firstJobs(jobs, label, ['cups', 'cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    /** Ends a label that waits as its driver does when it has to stop. @returns the label's next start */
    const startAgain = async () => {
      const waiting = drivers.arrivals.at(-1)
      expect(waiting?.cancelled.aborted).toBe(true)
      const before = drivers.arrivals.length
      waiting?.end({ kind: 'cancelled' })
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(before + 1))
      const again = drivers.arrivals.at(-1)
      expect(again?.jobId).toBe(waiting?.jobId)
      return again
    }
    return { ...started, startAgain }
  }
  const usual: RoutingRule = { carrierOptionId: 34, printer: 'cups' }
  const withStandby: RoutingRule = { ...usual, standby: 'file' }
  const needsLabels: PrintOutcome = {
    kind: 'failed',
    error: appError('printer-not-ready', { printer: 'cups' }),
    nothingPrinted: true,
  }

  it('takes over the labels that wait at their printer when it is set up meanwhile', async () => {
    const { jobs, drivers, routing, bus, startAgain } = await waitingLabels(usual)
    expect(drivers.arrivals[0]?.hasStandby).toBe(false)
    routing.splice(0, 1, withStandby)
    bus.emit('settingsChanged', defaultSettings)
    const again = await startAgain()
    expect(again?.hasStandby).toBe(true)
    again?.end(needsLabels)
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(4))
    drivers.arrivals.find(({ jobId }) => jobId === jobs.all()[1]?.id)?.end(needsLabels)
    await vi.waitFor(() =>
      expect(jobs.all()).toMatchObject([
        { printerId: 'cups', state: 'cancelled', note: { code: 'moved' } },
        { printerId: 'cups', state: 'cancelled', note: { code: 'moved' } },
        { printerId: 'file', kind: 'moved', state: 'sending' },
        { printerId: 'file', kind: 'moved', state: 'queued' },
      ]),
    )
  })

  it('takes no label over while it is paused, and does so when it is resumed', async () => {
    const { queue, jobs, drivers, startAgain } = await waitingLabels(withStandby, new Set(['file']))
    expect(drivers.arrivals[0]?.hasStandby).toBe(false)
    await queue.pause('file', false)
    const again = await startAgain()
    again?.end(needsLabels)
    await vi.waitFor(() => expect(jobs.all()[2]).toMatchObject({ printerId: 'file', state: 'sending' }))
  })

  it('takes over no label that waits at its printer when it is paused meanwhile', async () => {
    const { queue, drivers, startAgain } = await waitingLabels(withStandby)
    expect(drivers.arrivals[0]?.hasStandby).toBe(true)
    await queue.pause('file', true)
    expect((await startAgain())?.hasStandby).toBe(false)
  })

  it('gets a label that its printer can never take while it is paused, and prints it when it is resumed', async () => {
    const { queue, jobs, drivers } = await waitingLabels(withStandby, new Set(['file']))
    const error = appError('printer-takes-no-zpl', { printer: 'cups', queue: 'LABEL' })
    drivers.arrivals[0]?.end({ kind: 'failed', error, nothingPrinted: true })
    await vi.waitFor(() =>
      expect(jobs.all()).toMatchObject([
        { printerId: 'cups', state: 'cancelled', note: { code: 'moved' } },
        { printerId: 'cups', state: 'queued' },
        { printerId: 'file', kind: 'moved', state: 'queued' },
      ]),
    )
    await queue.pause('file', false)
    await vi.waitFor(() => expect(jobs.all()[2]?.state).toBe('sending'))
  })

  it('gets no label while it is paused whose own printer can’t be reached', async () => {
    const { jobs, drivers } = await waitingLabels(withStandby, new Set(['file']))
    const error = appError('printer-unreachable', { printer: 'cups' })
    drivers.arrivals[0]?.end({ kind: 'failed', error, nothingPrinted: true })
    await vi.waitFor(() => expect(jobs.all()[0]?.note?.code).toBe('trying-again'))
    expect(jobs.all()).toMatchObject([{ state: 'queued' }, { state: 'queued' }])
  })

  it('does not start labels again that wait at a printer without it', async () => {
    const { queue, drivers, bus } = await waitingLabels(usual)
    await queue.pause('file', true)
    bus.emit('settingsChanged', defaultSettings)
    expect(drivers.arrivals[0]?.cancelled.aborted).toBe(false)
  })
})

describe('a label that waits at its printer while its placement is replaced', () => {
  const placement: PlacementRule = {
    ...{ carrierOptionId: 34, page: { widthMm: 210, heightMm: 297 }, turn: 0, scale: 1 },
    stock: { widthMm: 100, heightMm: 150 },
    areas: [{ xMm: 0, yMm: 0, widthMm: 100, heightMm: 150 }],
  }

  /** A label that its printer has not accepted yet. */
  async function startWaitingLabel() {
    const { queue, jobs, drivers, label, rules, bus } = await startQueue()
    drivers.away.add('cups')
    await firstJobs(jobs, label, ['cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    return { drivers, rules, bus }
  }

  it('is printed with the new one', async () => {
    const { drivers, rules, bus } = await startWaitingLabel()
    const [waiting] = drivers.arrivals
    rules.placements = [placement]
    bus.emit('settingsChanged', defaultSettings)
    expect(await waiting?.claim()).toBe(false)
    waiting?.end({ kind: 'cancelled' })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(drivers.arrivals[1]?.rules).toEqual([placement])
    expect(await drivers.arrivals[1]?.claim()).toBe(true)
  })

  it('is not claimed once it has to start again, even if the placement is back', async () => {
    const { drivers, rules, bus } = await startWaitingLabel()
    for (const placements of [[placement], []]) {
      rules.placements = placements
      bus.emit('settingsChanged', defaultSettings)
    }
    expect(await drivers.arrivals[0]?.claim()).toBe(false)
    drivers.arrivals[0]?.end({ kind: 'not-started' })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(await drivers.arrivals[1]?.claim()).toBe(true)
  })
})

describe('a job that waits for a choice', () => {
  const question = appError('label-needs-placement')

  it('does not block other jobs, is not moved to the standby, and is queued again when it is released', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    const [first] = await firstJobs(jobs, label, ['zebra', 'zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({ kind: 'failed', error: question, nothingPrinted: true })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(jobs.all()).toHaveLength(2)
    expect(jobs.all()[0]).toMatchObject({ state: 'waiting', error: { code: 'label-needs-placement' } })
    drivers.arrivals[1]?.end({ kind: 'handed-over' })
    await queue.releaseWaiting()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(3))
    expect(drivers.arrivals[2]?.jobId).toBe(first?.id)
  })

  it('is queued again when its printer or a label rule is changed in the settings', async () => {
    const { queue, jobs, drivers, label, printers, bus } = await startQueue()
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({ kind: 'failed', error: question, nothingPrinted: true })
    await vi.waitFor(() => expect(jobs.all()[0]?.state).toBe('waiting'))
    const [zebra] = printers
    if (zebra?.driver !== 'socket') throw new Error('no network printer')
    printers[0] = { ...zebra, stock: { widthMm: 210, heightMm: 297 } }
    bus.emit('settingsChanged', defaultSettings)
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(drivers.arrivals[1]?.printer).toMatchObject({ stock: { widthMm: 210 } })
    expect(jobs.all()).toMatchObject([{ state: 'sending', error: null }])
  })

  it('is queued again when the choice was made while its label was drawn', async () => {
    const { queue, jobs, drivers, label, rules, bus } = await startQueue()
    drivers.away.add('zebra')
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    rules.placements = [
      {
        ...{ carrierOptionId: 34, page: { widthMm: 210, heightMm: 297 }, turn: 0, scale: 1 },
        stock: { widthMm: 100, heightMm: 150 },
        areas: [{ xMm: 0, yMm: 0, widthMm: 100, heightMm: 150 }],
      },
    ]
    bus.emit('settingsChanged', defaultSettings)
    drivers.arrivals[0]?.end({ kind: 'failed', error: question, nothingPrinted: true })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(drivers.arrivals[1]?.rules).toHaveLength(1)
  })

  it('can be moved to another printer or cancelled', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    const [one, two] = await firstJobs(jobs, label, ['zebra', 'zebra'])
    queue.wake()
    for (const index of [0, 1]) {
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(index + 1))
      drivers.arrivals[index]?.end({ kind: 'failed', error: question, nothingPrinted: true })
    }
    await vi.waitFor(() => expect(jobs.all().map(({ state }) => state)).toEqual(['waiting', 'waiting']))
    expect(await queue.move(one?.id ?? '', 'file')).toMatchObject({
      value: { printerId: 'file', kind: 'moved' },
    })
    expect(await queue.cancel(two?.id ?? '')).toMatchObject({ value: { state: 'cancelled' } })
    expect(await queue.move(one?.id ?? '', 'file')).toMatchObject({ error: { code: 'print-job-not-open' } })
  })
})

describe('reprints and other work on a printer', () => {
  const scan = (label: PrintableLabel, jobs: MemoryJobs) =>
    confirmScan(
      { shipmentId: label.shipmentId, code: label.barcode },
      { jobs, labels: labelsInMemory([label]), settings: () => ({ rules: [] }), now: () => new Date() },
    )

  it('reprints some pages of a label, and then the last label of a printer with the same pages', async () => {
    const { queue, jobs, drivers, label, pages: sizes } = await startQueue()
    sizes.push({ widthMm: 100, heightMm: 150 }, { widthMm: 100, heightMm: 150 })
    expect(await queue.reprintLast('zebra')).toMatchObject({ error: { code: 'nothing-printed-yet' } })
    const pages = { from: 2, to: 3 }
    expect(await queue.reprintPages(label.labelId, pages)).toMatchObject({
      value: { pages, printerId: 'zebra' },
    })
    await vi.waitFor(() => expect(drivers.arrivals[0]?.range).toEqual(pages))
    drivers.arrivals[0]?.end({ kind: 'handed-over' })
    await vi.waitFor(() => expect(jobs.all()[0]?.state).toBe('handed-over'))
    expect(await queue.reprintLast('zebra')).toMatchObject({ value: { kind: 'reprint', pages } })
    expect(await queue.reprintLast('file')).toMatchObject({ error: { code: 'nothing-printed-yet' } })
  })

  it('prints the label again that the printer took last, although many older ones were scanned after it', async () => {
    const { queue, jobs, label } = await startQueue(createMemoryJobs(), new Set(['zebra']))
    const older = await firstJobs(
      jobs,
      label,
      Array.from({ length: 30 }, () => 'zebra'),
    )
    const pages = { from: 2, to: 2 }
    const { shipmentId, labelId } = label
    const last = await jobs.add([
      { id: 'last', shipmentId, labelId, printerId: 'zebra', printerName: 'zebra', kind: 'first', pages },
    ])
    for (const [minute, { id }] of [...older, ...last].entries()) {
      const acceptedAt = new Date(Date.UTC(2026, 0, 1, 8, minute))
      await jobs.change(id, ['queued'], { state: 'sending' })
      await jobs.change(id, ['sending'], { state: 'handed-over', acceptedAt })
    }
    for (const { id } of older)
      await jobs.change(id, ['handed-over'], { state: 'done', scannedAt: new Date() })
    expect(await queue.reprintLast('zebra')).toMatchObject({ value: { pages } })
  })

  it('prints the label again that the printer took last, also after the clock was set back', async () => {
    const { queue, jobs, drivers, label, moment } = await startQueue()
    for (const [index, pages] of [
      { from: 1, to: 1 },
      { from: 2, to: 2 },
    ].entries()) {
      const { shipmentId, labelId } = label
      const first = { printerId: 'zebra', printerName: 'zebra', kind: 'first' as const, pages }
      await jobs.add([{ id: `job-${index}`, shipmentId, labelId, ...first }])
      queue.wake()
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(index + 1))
      drivers.arrivals[index]?.end({ kind: 'handed-over' })
      await vi.waitFor(() => expect(jobs.all()[index]?.state).toBe('handed-over'))
      moment.setHours(moment.getHours() - 1)
    }
    expect(await queue.reprintLast('zebra')).toMatchObject({ value: { pages: { from: 2, to: 2 } } })
  })

  it.each([
    ['was resolved', 'done', '2026-03-01T08:00:00.000Z'],
    ['was scanned', 'done', '2026-03-01T08:00:00.000Z'],
    ['had its scan skipped', 'unconfirmed', null],
  ])(
    'prints the label again that the printer took last, although an older unconfirmed one %s after it',
    async (how, state, acceptedAt) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      onTestFinished(() => void vi.useRealTimers())
      const { queue, jobs, label } = await startQueue(createMemoryJobs(), new Set(['zebra']))
      const [older] = await firstJobs(jobs, label, ['zebra'])
      const [last] = await firstJobs(jobs, { ...label, shipmentId: 'other', labelId: 'last' }, ['zebra'])
      vi.setSystemTime('2026-03-01T08:00Z')
      await jobs.change(older?.id ?? '', ['queued'], { state: 'sending' })
      await jobs.change(older?.id ?? '', ['sending'], { state: 'unconfirmed' })
      vi.setSystemTime('2026-03-01T08:01Z')
      await jobs.change(last?.id ?? '', ['queued'], { state: 'sending' })
      await jobs.change(last?.id ?? '', ['sending'], { state: 'handed-over', acceptedAt: new Date() })
      vi.setSystemTime('2026-03-01T08:02Z')
      if (how === 'was resolved') await queue.resolveJob(older?.id ?? '', 'printed')
      else if (how === 'was scanned') await scan(label, jobs)
      else await skipScan({ shipmentId: label.shipmentId, reason: 'Barcode can’t be read' }, { jobs })
      expect(jobs.all()[0]).toMatchObject({ state, acceptedAt })
      expect(await queue.reprintLast('zebra')).toMatchObject({ value: { labelId: 'last' } })
    },
  )

  it('runs other work on a printer between two of its jobs', async () => {
    const { queue, jobs, drivers, label } = await startQueue()
    await firstJobs(jobs, label, ['zebra', 'zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    const order: string[] = []
    const work = async () => void order.push(`with ${drivers.arrivals.length} begun`)
    const between = queue.runBetweenJobs('zebra', work, 30_000)
    drivers.arrivals[0]?.end({ kind: 'handed-over' })
    await between
    expect(order).toEqual(['with 1 begun'])
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
  })
})

describe('a job that was cancelled together with its shipment', () => {
  it('is announced, and frees its printer without being sent', async () => {
    const { queue, jobs, drivers, label, changes } = await startQueue()
    drivers.away.add('cups')
    const [job] = await firstJobs(jobs, label, ['cups'])
    const jobId = job?.id ?? ''
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    await jobs.change(jobId, ['queued'], { state: 'cancelled' })
    await queue.noteCancelled([jobId])
    expect(changes).toMatchObject([{ id: jobId, state: 'cancelled' }])
    expect(drivers.arrivals[0]?.cancelled.aborted).toBe(true)
    expect(await drivers.arrivals[0]?.claim()).toBe(false)
  })
})

describe('carrier ZPL of another size', () => {
  /** 100 x 150 mm at 300 dpi. */
  const bytes = Buffer.from('^XA^PW1181^LL1772^FO60,90^A0N,40^FDConsignee^FS^XZ')

  it.each([
    ['an EPL2 printer', { driver: 'socket', host: 'h', language: 'epl2' }, 'label-in-other-language'],
    ['a queue that takes no ZPL', { driver: 'system', queue: 'OFFICE', dpi: 203 }, 'printer-takes-no-zpl'],
  ] as const)('moves from %s to its standby', async (_, fields, code) => {
    const label = labelWith({ kind: 'zpl', bytes })
    const { queue, jobs, drivers, printers } = await startQueue(undefined, undefined, label)
    printers[0] = printerSchema.parse({ id: 'zebra', ...fields })
    drivers.away.add('zebra')
    await firstJobs(jobs, label, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({ kind: 'failed', error: appError(code), nothingPrinted: true })
    await vi.waitFor(() => expect(drivers.arrivals[1]?.printer.id).toBe('cups'))
    expect(jobs.all()).toMatchObject([{ state: 'cancelled' }, { state: 'sending', kind: 'moved' }])
  })
})

describe('a job that is cancelled while it is being sent', () => {
  it.each([
    ['to the standby', [{ carrierOptionId: 34, printer: 'cups', standby: 'file' }]],
    ['again', [{ carrierOptionId: 34, printer: 'cups' }]],
  ])('is not sent %s when nothing of it was printed', async (_, rules) => {
    const { queue, jobs, drivers, label, routing } = await startQueue()
    routing.splice(0, 1, ...rules)
    const [job, next] = await firstJobs(jobs, label, ['cups', 'cups'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    const cancelled = queue.cancel(job?.id ?? '')
    await vi.waitFor(() => expect(drivers.arrivals[0]?.cancelled.aborted).toBe(true))
    const error = appError('printer-failed', { case: 'took-nothing' })
    drivers.arrivals[0]?.end({ kind: 'failed', error, nothingPrinted: true })
    expect(await cancelled).toMatchObject({ ok: true, value: { state: 'cancelled' } })
    // The printer goes on with its next job at once.
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(drivers.arrivals[1]?.jobId).toBe(next?.id)
    expect(jobs.all().map(({ state }) => state)).toEqual(['cancelled', 'sending'])
  })
})
