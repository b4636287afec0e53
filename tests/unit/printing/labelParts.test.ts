import { describe, expect, it, vi } from 'vitest'
import type { FirstLabel } from '../../../src/main/printing/queue/jobActions'
import { planParts } from '../../../src/main/printing/queue/routing'
import { printerSchema, type RoutingRule } from '../../../src/shared/printing'
import { createMemoryJobs } from '../../support/printing/memoryJobs'
import { firstJobs, prepareQueue, startQueue } from './startQueue'

const label = { widthMm: 100, heightMm: 150 }
const a4 = { widthMm: 210, heightMm: 297 }
const sheet = { widthMm: 297, heightMm: 210 }
const zebra = printerSchema.parse({ id: 'zebra', driver: 'socket', host: 'h' })
const office = printerSchema.parse({ id: 'office', driver: 'system', queue: 'A4', stock: a4 })
const file = printerSchema.parse({ id: 'file', driver: 'folder', path: 'out' })
const larger: RoutingRule[] = [{ pages: 'larger-than-stock', printer: 'office' }, { printer: 'zebra' }]

/** The parts of a label of these pages as `printer from-to`. */
function listParts(
  pages: { widthMm: number; heightMm: number }[],
  routing: RoutingRule[],
  change: Partial<Parameters<typeof planParts>[0]> = {},
) {
  const parts = planParts({
    ...{ pages, routing, printer: zebra, printers: [zebra, office, file] },
    ...{ carrierOptionId: 34, placements: [] },
    ...change,
  })
  return parts.map((part) =>
    part.pages === undefined ? part.printer.id : `${part.printer.id} ${part.pages.from}-${part.pages.to}`,
  )
}

describe('the parts of a label', () => {
  it('are the whole label when no rule sends a page to another printer', () => {
    expect(listParts([label, a4], [{ printer: 'zebra' }])).toEqual(['zebra'])
    expect(listParts([label, label], larger)).toEqual(['zebra'])
    expect(listParts([a4, sheet], larger)).toEqual(['office'])
  })

  it('follow the order of the pages, each on the printer of its size', () => {
    expect(listParts([label, a4], larger)).toEqual(['zebra 1-1', 'office 2-2'])
    expect(listParts([label, a4, sheet, label], larger)).toEqual(['zebra 1-1', 'office 2-3', 'zebra 4-4'])
    const bySize: RoutingRule[] = [{ pages: a4, printer: 'file' }, { printer: 'zebra' }]
    expect(listParts([label, sheet, { widthMm: 105, heightMm: 148 }], bySize)).toEqual([
      'zebra 1-1',
      'file 2-2',
      'zebra 3-3',
    ])
  })

  it('stay on the label printer when a placement was chosen for the page', () => {
    const placements = [
      {
        carrierOptionId: 34,
        page: a4,
        stock: label,
        areas: [{ xMm: 0, yMm: 0, ...label }],
        turn: 0,
        scale: 1,
      },
    ] as const
    const chosen = { placements: placements.map((rule) => ({ ...rule, areas: [...rule.areas] })) }
    expect(listParts([label, a4], larger, chosen)).toEqual(['zebra'])
    const bySize: RoutingRule[] = [{ pages: a4, printer: 'office' }, { printer: 'zebra' }]
    expect(listParts([label, a4], bySize, chosen)).toEqual(['zebra 1-1', 'office 2-2'])
  })

  it('follow the first matching rule, and ignore a rule whose printer no longer exists', () => {
    const late: RoutingRule[] = [{ printer: 'zebra' }, { pages: a4, printer: 'office' }]
    expect(listParts([label, a4], late)).toEqual(['zebra'])
    const other: RoutingRule[] = [{ carrierOptionId: 35, pages: a4, printer: 'office' }, { printer: 'zebra' }]
    expect(listParts([label, a4], other)).toEqual(['zebra'])
    const gone: RoutingRule[] = [{ pages: a4, printer: 'gone' }, { printer: 'zebra' }]
    expect(listParts([label, a4], gone)).toEqual(['zebra'])
  })

  it('have at most 20 pages each, also for a range of pages, but not in a folder', () => {
    const many = Array.from({ length: 45 }, () => label)
    const one: RoutingRule[] = [{ printer: 'zebra' }]
    expect(listParts(many, one)).toEqual(['zebra 1-20', 'zebra 21-40', 'zebra 41-45'])
    expect(listParts(many, one, { range: { from: 5, to: 30 } })).toEqual(['zebra 5-24', 'zebra 25-30'])
    expect(listParts(many, one, { range: { from: 5, to: 24 } })).toEqual(['zebra 5-24'])
    expect(listParts(many, one, { printer: file })).toEqual(['file'])
  })
})

describe('the parts of a label with many dots', () => {
  const fine = printerSchema.parse({ id: 'fine', driver: 'socket', host: 'h', dpi: 600, stock: a4 })
  const coarse = printerSchema.parse({ id: 'fine', driver: 'socket', host: 'h', dpi: 300, stock: a4 })
  const many = Array.from({ length: 12 }, () => a4)

  it('have no more pages than the maximum number of dots of one job allows', () => {
    expect(listParts(many, [{ printer: 'fine' }], { printer: fine })).toEqual([
      ...['fine 1-5', 'fine 6-10', 'fine 11-12'],
    ])
    expect(listParts(many.slice(0, 5), [{ printer: 'fine' }], { printer: fine })).toEqual(['fine'])
    expect(listParts(many, [{ printer: 'fine' }], { printer: coarse })).toEqual(['fine'])
  })

  it('have at most the number of pages that a printer with unknown resolution has named in its error', () => {
    expect(listParts(many, [{ printer: 'office' }], { printer: office, maxPages: 8 })).toEqual([
      ...['office 1-8', 'office 9-12'],
    ])
  })
})

/** The label of a shipment before its commit, and a spy on reading it. */
function firstLabel(read: FirstLabel['read'] = async () => Buffer.from('%PDF')) {
  const reading = vi.fn(read)
  return { reading, label: { id: 'a', kind: 'pdf' as const, read: reading } }
}

const byPage: RoutingRule[] = [
  { pages: 'larger-than-stock', printer: 'cups' },
  { carrierOptionId: 34, printer: 'zebra', standby: 'cups' },
]

async function withPages(pages: { widthMm: number; heightMm: number }[], routing = byPage) {
  const started = await startQueue()
  started.pages.splice(0, Infinity, ...pages)
  started.routing.splice(0, Infinity, ...routing)
  return started
}

describe('planning the first jobs of a label with pages of several sizes', () => {
  it('plans one job for each printer with its pages, and does not read a label without rules for pages', async () => {
    const { queue, routing } = await withPages([label, a4])
    const first = firstLabel()
    expect(await queue.plan('shipment', [first.label], 34)).toMatchObject({
      ok: true,
      value: [
        { labelId: 'a', printerId: 'zebra', pages: { from: 1, to: 1 }, kind: 'first' },
        { labelId: 'a', printerId: 'cups', pages: { from: 2, to: 2 }, kind: 'first' },
      ],
    })
    routing.splice(0, 1)
    first.reading.mockClear()
    const whole = await queue.plan('shipment', [first.label], 34)
    expect(whole).toMatchObject({ value: [{ printerId: 'zebra' }] })
    expect(whole.ok && whole.value[0]?.pages).toBeUndefined()
    expect(first.reading).not.toHaveBeenCalled()
  })

  it.each<[string, FirstLabel['read']]>([
    ['cannot be read', async () => undefined],
    ['causes a read error', () => Promise.reject(new Error('the disk'))],
    ['is not read in time', () => new Promise(() => undefined)],
  ])('plans one job for the printer of the label when the label %s', async (_, read) => {
    const { queue } = await withPages([label, a4])
    const planned = await queue.plan('shipment', [firstLabel(read).label], 34)
    expect(planned).toMatchObject({ ok: true, value: [{ printerId: 'zebra' }] })
    expect(planned.ok && planned.value[0]?.pages).toBeUndefined()
  })
})

/** The jobs as `printer from-to state`. */
function lines(jobs: { printerId: string; pages?: { from: number; to: number }; state: string }[]) {
  return jobs.map(({ printerId, pages, state }) =>
    [printerId, pages === undefined ? 'all' : `${pages.from}-${pages.to}`, state].join(' '),
  )
}

const tooLong = {
  kind: 'failed' as const,
  nothingPrinted: true,
  error: { code: 'label-too-long' as const, message: 'too long' },
}
const needsPlacement = { ...tooLong, error: { code: 'label-needs-placement' as const, message: 'choose' } }

describe('a label that its printer cannot print in one job', () => {
  it('is printed in parts, in order and each once, and the printer stays ready', async () => {
    const { queue, jobs, drivers, label: stored, pages } = await withPages([], [{ printer: 'zebra' }])
    pages.splice(0, 1, ...Array.from({ length: 45 }, () => label))
    await firstJobs(jobs, stored, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end(tooLong)
    for (const [index, range] of [
      { from: 1, to: 20 },
      { from: 21, to: 40 },
      { from: 41, to: 45 },
    ].entries()) {
      await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(index + 2))
      expect(drivers.arrivals[index + 1]?.range).toEqual(range)
      drivers.arrivals[index + 1]?.end({ kind: 'handed-over' })
    }
    await queue.whenJobsEnded(stored.shipmentId)
    expect(lines(jobs.all())).toEqual([
      'zebra all cancelled',
      ...['zebra 1-20 handed-over', 'zebra 21-40 handed-over', 'zebra 41-45 handed-over'],
    ])
    expect(jobs.all()[0]).toMatchObject({ note: { code: 'in-parts' }, error: null })
    expect(queue.listStatuses()[0]).toMatchObject({ state: 'ready', error: null })
    expect(drivers.arrivals).toHaveLength(4)
  })

  it('is printed in parts of the maximum length that its printer names', async () => {
    const { queue, jobs, drivers, label: stored, pages } = await withPages([], [{ printer: 'zebra' }])
    pages.splice(0, 1, ...Array.from({ length: 12 }, () => label))
    await firstJobs(jobs, stored, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({
      ...tooLong,
      error: { ...tooLong.error, details: { pages: '12', maxPages: '5' } },
    })
    await vi.waitFor(() =>
      expect(lines(jobs.all()).map((line) => line.split(' ')[1])).toEqual(['all', '1-5', '6-10', '11-12']),
    )
  })

  it('is stored either as the whole job or as all of its parts when the database fails in between', async () => {
    const jobs = createMemoryJobs()
    const { queue, drivers, label: stored, pages } = await prepareQueue(jobs)
    await queue.start()
    pages.splice(0, 1, ...Array.from({ length: 21 }, () => label))
    await firstJobs(jobs, stored, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    jobs.failNext('replace', 1, 'before')
    drivers.arrivals[0]?.end(tooLong)
    await vi.waitFor(() => expect(jobs.all()).toHaveLength(3))
    expect(lines(jobs.all())[0]).toBe('zebra all cancelled')
    expect(jobs.all().map(({ kind }) => kind)).toEqual(['first', 'first', 'first'])
  })

  it('follows the routing rules for pages when it was not measured before, but not when the operator chose the printer', async () => {
    const { queue, jobs, drivers, label: stored } = await withPages([label, a4])
    await firstJobs(jobs, stored, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end(needsPlacement)
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(3))
    expect(drivers.arrivals.slice(1).map(({ printer, range }) => [printer.id, range])).toEqual([
      ['zebra', { from: 1, to: 1 }],
      ['cups', { from: 2, to: 2 }],
    ])
    for (const arrival of drivers.arrivals.slice(1)) arrival.end({ kind: 'handed-over' })
    await queue.whenJobsEnded(stored.shipmentId)
    const [, , invoice] = jobs.all()
    await queue.reprint(stored.shipmentId, stored.labelId, 'zebra')
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(4))
    drivers.arrivals[3]?.end(needsPlacement)
    await vi.waitFor(() => expect(jobs.all().at(-1)?.state).toBe('waiting'))
    expect(invoice?.printerId).toBe('cups')
  })
})

describe('a label whose order’s rule names the printer', () => {
  it('waits for a placement on that printer, and all its parts stay on that printer', async () => {
    const { queue, jobs, drivers, label: stored, pages } = await withPages([label, a4])
    stored.printerId = 'zebra'
    await firstJobs(jobs, stored, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end(needsPlacement)
    await vi.waitFor(() => expect(lines(jobs.all())).toEqual(['zebra all waiting']))
    pages.splice(0, pages.length, ...Array.from({ length: 20 }, () => label), a4)
    await firstJobs(jobs, stored, ['zebra'])
    queue.wake()
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    drivers.arrivals[1]?.end(tooLong)
    await vi.waitFor(() =>
      expect(jobs.all().flatMap(({ printerId, pages: part }) => (part ? [printerId] : []))).toEqual([
        'zebra',
        'zebra',
      ]),
    )
  })
})

describe('pages of a label whose order’s rule names the printer', () => {
  it('are reprinted on that printer, not on the printer of the carrier option', async () => {
    const { queue, label: stored } = await withPages([label, label])
    stored.printerId = 'file'
    expect(await queue.reprintPages(stored.labelId, { from: 2, to: 2 })).toMatchObject({
      value: { printerId: 'file', pages: { from: 2, to: 2 } },
    })
  })
})

describe('a page that is printed elsewhere', () => {
  it('moves with all pages of its size, and the rest of the label stays on its printer', async () => {
    const {
      queue,
      jobs,
      drivers,
      label: stored,
    } = await withPages([label, sheet, label, a4], [{ printer: 'zebra' }])
    const [waits] = await firstJobs(jobs, stored, ['zebra'])
    await jobs.change(waits?.id ?? '', ['queued'], { state: 'waiting', error: needsPlacement.error })
    expect(await queue.printPageElsewhere(waits?.id ?? '', 4, 'gone')).toMatchObject({
      error: { code: 'printer-not-found' },
    })
    expect(await queue.printPageElsewhere(waits?.id ?? '', 5, 'cups')).toMatchObject({
      error: { code: 'invalid-input' },
    })
    expect(await queue.printPageElsewhere(waits?.id ?? '', 4, 'cups')).toMatchObject({ ok: true })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    for (const arrival of drivers.arrivals) arrival.end({ kind: 'handed-over' })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(4))
    for (const arrival of drivers.arrivals) arrival.end({ kind: 'handed-over' })
    await queue.whenJobsEnded(stored.shipmentId)
    expect(lines(jobs.all())).toEqual([
      'zebra all cancelled',
      ...['zebra 1-1 handed-over', 'cups 2-2 handed-over', 'zebra 3-3 handed-over', 'cups 4-4 handed-over'],
    ])
    // A second request is refused, because the first one has closed the job.
    expect(await queue.printPageElsewhere(waits?.id ?? '', 4, 'cups')).toMatchObject({
      error: { code: 'print-job-not-open' },
    })
  })
})

describe('a page that cannot be printed elsewhere', () => {
  const threePages = [label, a4, a4]

  /** A job in this state for some pages of a label of three pages. */
  async function withJob(state: 'waiting' | 'failed' | 'unconfirmed', pages: { from: number; to: number }) {
    const started = await withPages(threePages, [{ printer: 'zebra' }])
    const { shipmentId, labelId } = started.label
    const [job] = await started.jobs.add([
      { id: 'job', shipmentId, labelId, printerId: 'zebra', printerName: 'zebra', kind: 'first', pages },
    ])
    await started.jobs.change('job', ['queued'], { state })
    return { ...started, job }
  }

  it.each(['failed', 'unconfirmed'] as const)(
    'is refused for a %s job, parts of which may be printed',
    async (state) => {
      const { queue, jobs } = await withJob(state, { from: 1, to: 3 })
      expect(await queue.printPageElsewhere('job', 2, 'cups')).toMatchObject({
        error: { code: 'print-job-not-open' },
      })
      expect(lines(jobs.all())).toEqual([`zebra 1-3 ${state}`])
    },
  )

  it('is refused when it does not belong to the job', async () => {
    const { queue, jobs } = await withJob('waiting', { from: 2, to: 2 })
    for (const page of [1, 3]) {
      expect(await queue.printPageElsewhere('job', page, 'cups')).toMatchObject({
        error: { code: 'invalid-input' },
      })
    }
    expect(lines(jobs.all())).toEqual(['zebra 2-2 waiting'])
  })
})

describe('reprinting a label in parts', () => {
  it('adds the same parts again, except those that still wait', async () => {
    const { queue, jobs, drivers, label: stored } = await withPages([label, a4])
    await queue.pause('cups', true)
    await queue.reprint(stored.shipmentId)
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(1))
    drivers.arrivals[0]?.end({ kind: 'handed-over' })
    await vi.waitFor(() => expect(lines(jobs.all())).toEqual(['zebra 1-1 handed-over', 'cups 2-2 queued']))
    expect(await queue.reprint(stored.shipmentId)).toMatchObject({
      ok: true,
      value: [{ printerId: 'zebra', pages: { from: 1, to: 1 } }],
    })
    await vi.waitFor(() => expect(drivers.arrivals).toHaveLength(2))
    expect(await queue.reprint(stored.shipmentId)).toMatchObject({ error: { code: 'label-already-waiting' } })
    expect(jobs.all()).toHaveLength(3)
  })

  it('keeps the pages of a part that moves, and of a part that is printed again', async () => {
    const { queue, jobs, label: stored } = await withPages([label, a4])
    for (const printer of ['zebra', 'cups', 'file']) await queue.pause(printer, true)
    await queue.reprint(stored.shipmentId)
    const [, second] = jobs.all()
    const moved = await queue.move(second?.id ?? '', 'file')
    expect(moved).toMatchObject({ value: { printerId: 'file', pages: { from: 2, to: 2 } } })
    const movedId = moved.ok ? moved.value.id : ''
    await jobs.change(movedId, ['queued'], { state: 'failed' })
    expect(await queue.printAgain(movedId)).toMatchObject({
      value: { printerId: 'file', kind: 'reprint', pages: { from: 2, to: 2 } },
    })
    expect(lines(jobs.all())).toEqual([
      ...['zebra 1-1 queued', 'cups 2-2 cancelled', 'file 2-2 cancelled', 'file 2-2 queued'],
    ])
  })

  it('is refused for pages of a label that still waits as a whole for the same printer', async () => {
    const { queue, jobs, label: stored } = await startQueue()
    await queue.pause('zebra', true)
    await firstJobs(jobs, stored, ['zebra'])
    expect(await queue.reprintPages(stored.labelId, { from: 1, to: 1 })).toMatchObject({
      error: { code: 'label-already-waiting' },
    })
  })
})

describe('reprinted pages of a label', () => {
  it('are stored with the number of pages of the label, so that the others show as missing', async () => {
    const { queue, label: stored } = await withPages([label, label, label])
    expect(await queue.reprintPages(stored.labelId, { from: 1, to: 2 })).toMatchObject({
      value: { pages: { from: 1, to: 2 }, labelPages: 3 },
    })
  })
})

describe('reprinting a label with waiting parts', () => {
  const long = Array.from({ length: 45 }, () => label)

  /** A label of these pages on paused printers, with its parts in the queue. */
  async function withWaitingParts(pages: { widthMm: number; heightMm: number }[], routing = byPage) {
    const started = await withPages(pages, routing)
    for (const printer of ['zebra', 'cups', 'file']) await started.queue.pause(printer, true)
    const printer = (page: number) => (routing === byPage && page > 1 ? 'cups' : 'zebra')
    const ranges = pages === long ? [1, 21, 41] : pages.map((_, index) => index + 1)
    const { shipmentId, labelId } = started.label
    const parts = await started.jobs.add(
      ranges.map((from, index) => ({
        ...{ id: `part-${index}`, shipmentId, labelId, kind: 'first' as const },
        ...{ printerId: printer(from), printerName: printer(from) },
        pages: { from, to: (ranges[index + 1] ?? pages.length + 1) - 1 },
      })),
    )
    return { ...started, parts }
  }

  it('moves the waiting parts to the printer that gets all pages, in one transaction', async () => {
    const { queue, jobs, parts, label: stored } = await withWaitingParts([label, a4])
    await jobs.change(parts[1]?.id ?? '', ['queued'], { state: 'handed-over' })
    expect(await queue.reprint(stored.shipmentId, stored.labelId, 'zebra')).toMatchObject({
      error: { code: 'label-already-waiting', details: { printer: 'zebra' } },
    })
    expect(await queue.reprint(stored.shipmentId, stored.labelId, 'file')).toMatchObject({
      value: [{ printerId: 'file', kind: 'moved' }],
    })
    expect(lines(jobs.all())).toEqual(['zebra 1-1 cancelled', 'cups 2-2 handed-over', 'file all queued'])
  })

  it('moves all parts of a long label to a folder, unless one of them is being sent', async () => {
    const { queue, jobs, parts, label: stored } = await withWaitingParts(long, [{ printer: 'zebra' }])
    await jobs.change(parts[0]?.id ?? '', ['queued'], { state: 'sending' })
    expect(await queue.reprint(stored.shipmentId, stored.labelId, 'file')).toMatchObject({
      error: { code: 'label-already-waiting' },
    })
    await jobs.change(parts[0]?.id ?? '', ['sending'], { state: 'queued' })
    expect(await queue.reprint(stored.shipmentId, stored.labelId, 'file')).toMatchObject({ ok: true })
    expect(lines(jobs.all())).toEqual([
      ...['zebra 1-20 cancelled', 'zebra 21-40 cancelled', 'zebra 41-45 cancelled', 'file all queued'],
    ])
  })

  it('leaves the parts unchanged when the database fails or one of them no longer waits', async () => {
    const { queue, jobs, label: stored } = await withWaitingParts(long, [{ printer: 'zebra' }])
    jobs.failNext('replace', 1, 'before')
    await expect(queue.reprint(stored.shipmentId, stored.labelId, 'file')).rejects.toThrow('the store failed')
    expect(jobs.all().map(({ state }) => state)).toEqual(['queued', 'queued', 'queued'])
    expect(await jobs.replace(['part-0', 'gone'], ['queued'], { state: 'cancelled' }, [])).toBeUndefined()
    expect(jobs.all().map(({ state }) => state)).toEqual(['queued', 'queued', 'queued'])
  })

  it('is refused when the parts can no longer be determined', async () => {
    const { queue, jobs, pages, label: stored } = await withWaitingParts(long, [{ printer: 'zebra' }])
    pages.splice(0, Infinity, label)
    expect(await queue.reprint(stored.shipmentId)).toMatchObject({ error: { code: 'label-already-waiting' } })
    expect(jobs.all()).toHaveLength(3)
  })

  it('queues no page twice, and removes none from a part with further pages', async () => {
    const { queue, jobs, label: stored } = await withWaitingParts(long, [{ printer: 'zebra' }])
    const three = { from: 3, to: 3 }
    for (const printer of [undefined, 'zebra', 'file']) {
      expect(await queue.reprintPages(stored.labelId, three, printer)).toMatchObject({
        error: { code: 'label-already-waiting', details: { printer: 'zebra' } },
      })
    }
    expect(await queue.reprintPages(stored.labelId, { from: 41, to: 45 }, 'file')).toMatchObject({
      value: { printerId: 'file', kind: 'moved' },
    })
    expect(lines(jobs.all())).toEqual([
      ...['zebra 1-20 queued', 'zebra 21-40 queued', 'zebra 41-45 cancelled', 'file 41-45 queued'],
    ])
  })
})
