import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { createFolderDriver } from '../../../src/main/printing/drivers/folder'
import { createSocketDriver } from '../../../src/main/printing/drivers/socket'
import { openConnection } from '../../../src/main/printing/drivers/socketSession'
import type { PrintQueue } from '../../../src/main/printing/queue/printQueue'
import { createPrintQueue } from '../../../src/main/printing/queue/printQueue'
import type { PrinterRemark } from '../../../src/shared/printerRemarks'
import { type SocketPrinter, socketPrinterSchema } from '../../../src/shared/printing'
import { defaultSettings } from '../../../src/shared/settings'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelsInMemory, labelWith, markedPdf, noInvoices } from '../../support/printing/labels'
import { createMemoryJobs } from '../../support/printing/memoryJobs'
import { contextFor, staysOpen } from '../../support/printing/printContext'
import { printingSettings } from '../../support/printing/printingSettings'
import { createStubDrivers } from '../../support/printing/stubDriver'
import { startZplMachine } from '../../support/printing/zplMachine'
import { hostStatus, odometer } from '../../support/printing/zplPrinter'
import { silentLog } from '../../support/silentLog'

const waits = {
  ...{ connect: 500, retries: [20], status: 150, poll: 20, stall: 300, giveUp: 3000 },
  ...{ release: 50, linger: 20, steady: 400, turn: 200 },
}
const rasterizer = createInlineRasterizer()
const patient = { timeout: 40_000 }
const label = (text = 'parcel') => labelWith({ kind: 'zpl', bytes: Buffer.from(`^XA^FO1,1^FD${text}^FS^XZ`) })

function printerAt(port: number): SocketPrinter {
  return socketPrinterSchema.parse({ id: 'zebra', driver: 'socket', host: '127.0.0.1', port })
}

/** A print queue with `count` labels for one printer. It stops when the test ends. */
async function createQueueWith(printer: SocketPrinter, count: number, pollEveryMs = 30, change = {}) {
  const labels = Array.from({ length: count }, (_, number) => label(`parcel ${number + 1}`))
  const jobs = createMemoryJobs()
  const printers = [printer]
  const statusChanges = vi.fn()
  const bus = createEventBus()
  bus.on('statusOutdated', statusChanges)
  const queue: PrintQueue = createPrintQueue({
    jobs,
    labels: labelsInMemory(labels),
    invoices: noInvoices,
    settings: printingSettings(() => ({ printers })),
    paused: { list: async () => [], set: async () => undefined },
    drivers: {
      ...createStubDrivers(),
      folder: createFolderDriver('/nowhere', rasterizer),
      socket: createSocketDriver(rasterizer, { ...waits, ...change }),
    },
    measure: (pdf) => rasterizer.measure(pdf),
    log: silentLog,
    now: () => new Date(),
    bus,
    pollEveryMs,
  })
  await jobs.add(
    labels.map(({ shipmentId, labelId }) => ({
      ...{ id: randomUUID(), shipmentId, labelId, printerId: printer.id },
      ...{ printerName: printer.id, kind: 'first' as const },
    })),
  )
  onTestFinished(() => queue.stop())
  const changePrinters = (...changed: SocketPrinter[]) => {
    printers.splice(0, printers.length, ...changed)
    bus.emit('settingsChanged', defaultSettings)
  }
  const states = () => jobs.all().map(({ state }) => state)
  return { queue, jobs, statusChanges, changePrinters, states }
}

describe('an answer of a printer', () => {
  it('belongs to its own query: a late answer to ~HQES does not confirm a label', async () => {
    const machine = await startZplMachine({ labelMs: 60_000, delayMs: { HQES: 300 } })
    const driver = createSocketDriver(rasterizer, waits)
    const context = contextFor(printerAt(machine.port), label())
    const printed = driver.print(context, staysOpen)
    const ended = vi.fn()
    await vi.waitFor(() => expect(machine.maxInside()).toBe(1), patient)
    void printed.then(ended)
    // Meanwhile the printer answers ~HQES once and ~HS ten times. The latter report that the label is inside.
    await vi.waitFor(() => expect(machine.asked('HS')).toBeGreaterThan(10), patient)
    expect(ended).not.toHaveBeenCalled()
    machine.cutPower()
    expect(await printed).toMatchObject({ kind: 'unconfirmed' })
    expect(context.acceptedTimes()).toBe(0)
    expect(machine.printed).toEqual([])
  })

  it('is not taken for the answer to the next query when it was not requested', async () => {
    const sink = await startByteSink((socket) => {
      socket.write(hostStatus({ paused: true, formatsInside: 3 }))
      socket.on('data', (part: Buffer) => {
        const asked = part.toString('latin1')
        if (asked.includes('~HQOD')) socket.write(odometer('8560 "'))
        if (asked.includes('~HS')) socket.write(hostStatus({}))
      })
    })
    const opened = await openConnection({ host: '127.0.0.1', port: sink.port }, 1000, staysOpen)
    if (!opened.ok) throw new Error('no connection')
    onTestFinished(() => opened.value.destroy())
    // The answer that was not requested came before this one.
    expect(await opened.value.ask('odometer', 5000)).toMatchObject({ millimetres: 8560 * 25.4 })
    expect(await opened.value.ask('status', 5000)).toEqual({ remarks: [], labelsInside: 0 })
  })

  it('does not confirm a later label before it is printed when an earlier answer is lost', async () => {
    const machine = await startZplMachine({ labelMs: 200 })
    const driver = createSocketDriver(rasterizer, waits)
    const context = contextFor(printerAt(machine.port), label())
    await driver.pollStatus?.(printerAt(machine.port), staysOpen)
    machine.swallow('HS', 1)
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(machine.printed).toHaveLength(1)
  })
})

describe('a printer with two entries that waits for a person', () => {
  it('can have a label of its second entry cancelled, and prints the others in order after that', async () => {
    const machine = await startZplMachine({ state: { paperOut: true } })
    const driver = createSocketDriver(rasterizer, waits)
    const first = contextFor(printerAt(machine.port), label('first'))
    const second = { ...printerAt(machine.port), id: 'second' }
    const printed = driver.print(first, staysOpen)
    await vi.waitFor(() => expect(JSON.stringify(first.notes)).toContain('nothing-sent-yet'), patient)
    const cancelling = new AbortController()
    const cancelled = driver.print(contextFor(second, label('second'), cancelling.signal), staysOpen)
    const third = contextFor(second, label('third'))
    const printedThird = driver.print(third, staysOpen)
    cancelling.abort()
    expect(await cancelled).toEqual({ kind: 'cancelled' })
    expect(third.claimedTimes()).toBe(0)
    machine.is.state = {}
    expect(await Promise.all([printed, printedThird])).toEqual([
      { kind: 'handed-over' },
      { kind: 'handed-over' },
    ])
    expect(machine.printed.map((each) => /first|second|third/.exec(each)?.[0])).toEqual(['first', 'third'])
  })
})

describe('a label that waits for a person at its printer', () => {
  async function waitingLabels() {
    const machine = await startZplMachine({ state: { paperOut: true } })
    const printer = { ...printerAt(machine.port), darkness: 5 }
    const started = await createQueueWith(printer, 2)
    await started.queue.start()
    await vi.waitFor(
      () => expect(started.jobs.all()[0]?.note).toMatchObject({ code: 'nothing-sent-yet' }),
      patient,
    )
    return { ...started, machine, printer }
  }

  it('is printed by the machine whose address the printer gets meanwhile, with the labels behind it', async () => {
    const { machine, printer, changePrinters, states } = await waitingLabels()
    const other = await startZplMachine()
    changePrinters({ ...printer, port: other.port })
    await vi.waitFor(() => expect(states()).toEqual(['handed-over', 'handed-over']), patient)
    expect(other.printed).toHaveLength(2)
    expect(machine.maxInside()).toBe(0)
  })

  it('fails when the printer is removed from the settings, and never comes out', async () => {
    const { machine, jobs, states, changePrinters } = await waitingLabels()
    changePrinters()
    await vi.waitFor(() => expect(states()).toEqual(['failed', 'failed']), patient)
    expect(jobs.all()[0]?.error?.code).toBe('printer-not-found')
    await vi.waitFor(() => expect(machine.open()).toBe(0), patient)
    expect(machine.maxInside()).toBe(0)
  })

  it('is printed with the settings that the printer has when it is refilled', async () => {
    const { machine, printer, changePrinters, states } = await waitingLabels()
    changePrinters({ ...printer, darkness: 25 })
    machine.is.state = {}
    await vi.waitFor(() => expect(states()).toEqual(['handed-over', 'handed-over']), patient)
    expect(machine.printed).toEqual([expect.stringContaining('~SD25'), expect.stringContaining('~SD25')])
  })

  it('is printed once when its printer is changed and changed back', async () => {
    const { machine, printer, changePrinters, states } = await waitingLabels()
    changePrinters({ ...printer, darkness: 25 })
    changePrinters(printer)
    machine.is.state = {}
    await vi.waitFor(() => expect(states()).toEqual(['handed-over', 'handed-over']), patient)
    expect(machine.printed).toHaveLength(2)
  })
})

describe('a printer that is known to answer', () => {
  it('receives no label while it answers no query, nor while it then reports missing paper', async () => {
    const machine = await startZplMachine({})
    const driver = createSocketDriver(rasterizer, { ...waits, retries: [20, 20, 20, 20, 20, 20, 20] })
    expect(await driver.print(contextFor(printerAt(machine.port), label()), staysOpen)).toEqual({
      kind: 'handed-over',
    })
    machine.is.answers = new Set()
    const context = contextFor(printerAt(machine.port), label())
    const printed = driver.print(context, staysOpen)
    await vi.waitFor(() =>
      expect(context.notes).toContainEqual({ code: 'trying-again', says: [{ code: 'no-answer-in-time' }] }),
    )
    machine.is.state = { paperOut: true }
    machine.is.answers = new Set(['HS'])
    await vi.waitFor(
      () =>
        expect(context.notes.at(-1)).toEqual({ code: 'nothing-sent-yet', says: [{ code: 'out-of-labels' }] }),
      patient,
    )
    expect(machine.printed).toHaveLength(1)
    expect(context.claimedTimes()).toBe(0)
    machine.is.state = {}
    expect(await printed).toEqual({ kind: 'handed-over' })
    expect(machine.printed).toHaveLength(2)
  })

  it.each([
    ['it was off', true, 500],
    ['nothing was printed', false, 1000],
  ])(
    'receives no label when it does not answer in time after an hour in which %s',
    async (_what, isOff, forget) => {
      const machine = await startZplMachine({})
      const driver = createSocketDriver(rasterizer, { ...waits, retries: [], forget })
      const print = (context = contextFor(printerAt(machine.port), label())) =>
        driver.print(context, staysOpen)
      const failed = (says: PrinterRemark) => ({
        kind: 'failed',
        nothingPrinted: true,
        error: { says: [says] },
      })
      expect(await print()).toEqual({ kind: 'handed-over' })
      await vi.waitFor(() => expect(machine.open()).toBe(0))
      machine.swallow('HS', 2)
      expect(await print()).toMatchObject(failed({ code: 'no-answer-in-time' }))
      if (isOff) {
        await machine.turnOff()
        expect(await print()).toMatchObject(failed({ code: 'system-words', words: 'ECONNREFUSED' }))
        await machine.turnOn()
      }
      const now = Date.now
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000)
      onTestFinished(() => clock.mockRestore())
      machine.is.state = { paperOut: true }
      const context = contextFor(printerAt(machine.port), label())
      expect(await print(context)).toMatchObject(failed({ code: 'no-answer-in-time' }))
      expect(context.claimedTimes()).toBe(0)
      expect(machine.printed).toHaveLength(1)
    },
  )

  it('receives a label after three unanswered queries, because another printer may have replaced it', async () => {
    const machine = await startZplMachine({})
    const driver = createSocketDriver(rasterizer, { ...waits, retries: [20, 20, 20], forget: 800 })
    const print = () => driver.print(contextFor(printerAt(machine.port), label()), staysOpen)
    expect(await print()).toEqual({ kind: 'handed-over' })
    machine.is.answers = new Set()
    const asked = machine.asked('HS')
    expect(await print()).toEqual({ kind: 'handed-over' })
    expect(machine.asked('HS') - asked).toBe(3)
    await vi.waitFor(() => expect(machine.printed).toHaveLength(2))
  })

  it('receives one label ahead, never two, over one connection', async () => {
    const machine = await startZplMachine({ labelMs: 250 })
    const { queue, states } = await createQueueWith(printerAt(machine.port), 5)
    await queue.start()
    await vi.waitFor(() => expect(states()).toEqual(Array.from({ length: 5 }, () => 'handed-over')), patient)
    expect(machine.printed.map((text) => /parcel \d/.exec(text)?.[0])).toEqual(
      [1, 2, 3, 4, 5].map((number) => `parcel ${number}`),
    )
    expect(machine.maxInside()).toBe(2)
    // One for the status query at the start, one for the batch.
    expect(machine.connections()).toBeLessThanOrEqual(2)
  })

  it('leaves the two labels inside it unconfirmed after a power cut, and the others in the queue', async () => {
    const machine = await startZplMachine({ labelMs: 60_000 })
    const { queue, states } = await createQueueWith(printerAt(machine.port), 4)
    await queue.start()
    await vi.waitFor(() => expect(machine.maxInside()).toBe(2), patient)
    machine.is.state = { paused: true }
    machine.cutPower()
    await vi.waitFor(
      () => expect(states()).toEqual(['unconfirmed', 'unconfirmed', 'queued', 'queued']),
      patient,
    )
    machine.is.labelMs = 20
    machine.is.state = {}
    await vi.waitFor(
      () => expect(states()).toEqual(['unconfirmed', 'unconfirmed', 'handed-over', 'handed-over']),
      patient,
    )
    expect(machine.printed).toHaveLength(2)
  })

  it('is released for other stations soon after the last label', async () => {
    const machine = await startZplMachine({ isExclusive: true, labelMs: 50 })
    const [one, two] = [
      await createQueueWith(printerAt(machine.port), 3, 60_000),
      await createQueueWith(printerAt(machine.port), 3, 60_000),
    ]
    await one.queue.start()
    await two.queue.start()
    for (const { states } of [one, two]) {
      await vi.waitFor(() => expect(states()).toEqual(['handed-over', 'handed-over', 'handed-over']), {
        timeout: 40_000,
      })
    }
    expect(machine.printed).toHaveLength(6)
    await vi.waitFor(() => expect(machine.open()).toBe(0))
  })
})

describe('a connection that is held for a batch of labels', () => {
  it('is released for another station during the batch, which is printed once and in order', async () => {
    const machine = await startZplMachine({ isExclusive: true, labelMs: 50 })
    const printer = printerAt(machine.port)
    const { queue, states } = await createQueueWith(printer, 20, 60_000, { hold: 300 })
    await queue.start()
    await vi.waitFor(() => expect(machine.maxInside()).toBe(2), patient)
    const retries = Array.from({ length: 500 }, () => 10)
    const other = createSocketDriver(rasterizer, { ...waits, retries })
    expect(await other.print(contextFor(printer, label('of another station')), staysOpen)).toEqual({
      kind: 'handed-over',
    })
    expect(states()).toContain('queued')
    await vi.waitFor(() => expect(new Set(states())).toEqual(new Set(['handed-over'])), patient)
    const printed = machine.printed.map((text) => /\^FD(.+?)\^FS/.exec(text)?.[1])
    const parcels = Array.from({ length: 20 }, (_, number) => `parcel ${number + 1}`)
    expect(printed.filter((text) => text !== 'of another station')).toEqual(parcels)
    expect(printed).toHaveLength(21)
  })

  it('is closed only while no label is inside the printer', async () => {
    const machine = await startZplMachine({ labelMs: 100 })
    const { queue, states } = await createQueueWith(printerAt(machine.port), 4, 60_000, { hold: 0, turn: 1 })
    await queue.start()
    await vi.waitFor(() => expect(new Set(states())).toEqual(new Set(['handed-over'])), patient)
    expect(machine.insideWhenConnected.length).toBeGreaterThanOrEqual(4)
    expect(new Set(machine.insideWhenConnected)).toEqual(new Set([0]))
  })

  it('stays open while the printer has a standby', async () => {
    const machine = await startZplMachine({})
    const driver = createSocketDriver(rasterizer, { ...waits, hold: 0, release: 5000 })
    onTestFinished(() => machine.cutPower())
    const print = (hasStandby: boolean) =>
      driver.print({ ...contextFor(printerAt(machine.port), label()), hasStandby }, staysOpen)
    for (const hasStandby of [true, true, false]) {
      expect(await print(hasStandby)).toEqual({ kind: 'handed-over' })
      expect(machine.connections()).toBe(hasStandby ? 1 : 2)
    }
  })
})

describe('the odometer of a printer', () => {
  it('must move with each label once it has moved', async () => {
    const machine = await startZplMachine({})
    const driver = createSocketDriver(rasterizer, waits)
    const print = () => driver.print(contextFor(printerAt(machine.port), label()), staysOpen)
    expect(await print()).toEqual({ kind: 'handed-over' })
    machine.is.prints = false
    expect(await print()).toMatchObject({
      kind: 'unconfirmed',
      error: { says: [{ code: 'odometer-still' }] },
    })
  })

  it('must move by the printed length on continuous stock, not by the length in the settings', async () => {
    const machine = await startZplMachine({ labelInches: 2 })
    const driver = createSocketDriver(rasterizer, waits)
    const endless = { ...printerAt(machine.port), stockTracking: 'continuous' as const }
    const print = async (heightMm: number) => {
      const bytes = await markedPdf(100, heightMm, [{ x: 10, y: heightMm - 10, width: 30, height: 5 }])
      return driver.print(contextFor(endless, labelWith({ bytes })), staysOpen)
    }
    expect(await print(100)).toEqual({ kind: 'handed-over' })
    machine.is.labelInches = 1
    expect(await print(60)).toEqual({ kind: 'handed-over' })
    expect(machine.printed.map((zpl) => /\^LL(\d+)/.exec(zpl)?.[1])).toEqual(['800', '480'])
    machine.is.prints = false
    expect(await print(100)).toMatchObject({ kind: 'unconfirmed' })
  })

  it('is ignored when it has never moved', async () => {
    const machine = await startZplMachine({ prints: false })
    const driver = createSocketDriver(rasterizer, waits)
    expect(await driver.print(contextFor(printerAt(machine.port), label()), staysOpen)).toEqual({
      kind: 'handed-over',
    })
  })
})

describe('an idle printer', () => {
  it('has its status read before its first job and after each change', async () => {
    const machine = await startZplMachine({ state: { headOpen: true } })
    const { queue, statusChanges } = await createQueueWith(printerAt(machine.port), 0)
    const status = () => queue.listStatuses()[0]
    expect(status()?.state).toBe('unknown')
    await queue.start()
    await vi.waitFor(() =>
      expect(status()).toMatchObject({
        state: 'error',
        note: { code: 'printer-reports', says: [{ code: 'head-open' }] },
      }),
    )
    expect(statusChanges).toHaveBeenCalledOnce()
    machine.is.state = {}
    await vi.waitFor(() => expect(status()).toMatchObject({ state: 'ready', note: null }))
    machine.is.isExclusive = true
    const other = createSocketDriver(rasterizer, waits)
    machine.is.state = { headOpen: true }
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    // A status query of the queue may occupy the printer at this moment and keep the other driver away.
    const holdOn = async () => {
      while (!stop.signal.aborted) {
        await other.print(contextFor(printerAt(machine.port), label()), stop.signal)
      }
    }
    void holdOn()
    await vi.waitFor(
      () =>
        expect(status()).toMatchObject({
          state: 'error',
          error: { code: 'printer-unreachable', says: [{ code: 'closed-unread' }] },
        }),
      patient,
    )
    expect(machine.printed).toEqual([])
  })

  it('is queried only once when it does not answer, because it might print an unknown query', async () => {
    const sink = await startByteSink()
    const { queue } = await createQueueWith(printerAt(sink.port), 0)
    await queue.start()
    await vi.waitFor(() => expect(sink.connections()).toBeGreaterThan(3), patient)
    expect(sink.received().toString()).toBe('~HS\r\n')
    expect(queue.listStatuses()[0]?.state).toBe('unknown')
  })

  it('is queried again after a lost answer, and reports that its head is still open', async () => {
    const machine = await startZplMachine({ state: { headOpen: true } })
    const driver = createSocketDriver(rasterizer, waits)
    const pollStatus = () => driver.pollStatus?.(printerAt(machine.port), staysOpen)
    const isOpen = { kind: 'reports', says: [{ code: 'head-open' }] }
    expect(await pollStatus()).toEqual(isOpen)
    machine.swallow('HS', 1)
    expect(await pollStatus()).toEqual({ kind: 'no-answer' })
    expect(await pollStatus()).toEqual(isOpen)
    expect(machine.asked('HS')).toBe(3)
  })

  it('is queried again before it receives a label when it did not answer while idle', async () => {
    const machine = await startZplMachine({ state: { paperOut: true }, delayMs: { HS: 100 } })
    machine.swallow('HS', 1)
    const driver = createSocketDriver(rasterizer, waits)
    const stop = new AbortController()
    onTestFinished(() => stop.abort())
    expect(await driver.pollStatus?.(printerAt(machine.port), stop.signal)).toEqual({ kind: 'no-status' })
    const context = contextFor(printerAt(machine.port), label())
    void driver.print(context, stop.signal)
    await vi.waitFor(() => expect(JSON.stringify(context.notes)).toContain('nothing-sent-yet'), patient)
    expect(machine.printed).toEqual([])
  })
})

describe('a connection that the printer ends while a label is pending on it', () => {
  it('makes only that label unconfirmed: the next one is printed on a new connection', async () => {
    let labels = 0
    let isSecondInside = true
    const sink = await startByteSink((socket) => {
      let own = 0
      socket.on('data', (part: Buffer) => {
        const text = part.toString('latin1')
        if (text.includes('^XZ')) own = ++labels
        if (!text.includes('~HS') || !socket.writable) return
        socket.write(hostStatus({ formatsInside: own > 0 && isSecondInside ? 1 : 0 }))
        if (own === 1) socket.end()
      })
    })
    // The first label notices the end of its connection only after the second one was sent.
    const { queue, states } = await createQueueWith(printerAt(sink.port), 2, 60_000, { poll: 100 })
    await queue.start()
    await vi.waitFor(() => expect(states()[0]).toBe('unconfirmed'), patient)
    isSecondInside = false
    await vi.waitFor(() => expect(states()).toEqual(['unconfirmed', 'handed-over']), patient)
    expect(labels).toBe(2)
  })
})

describe('a connection that breaks while the app is busy', () => {
  it('is reported as broken at the first query, which ends without an answer', async () => {
    const peers: Socket[] = []
    const sink = await startByteSink((socket) => peers.push(socket))
    const opened = await openConnection(
      { host: '127.0.0.1', port: sink.port },
      1000,
      new AbortController().signal,
    )
    if (!opened.ok) throw new Error('no connection')
    await vi.waitFor(() => expect(peers).toHaveLength(1))
    peers[0]?.resetAndDestroy()
    // Blocks the thread as a commit that waits for the disk does.
    const until = Date.now() + 50
    while (Date.now() < until);
    opened.value.write(Buffer.from('^XA^XZ'), () => undefined)
    expect(await opened.value.ask('status', 5000)).toBeUndefined()
    expect(opened.value.ended()).toMatchObject({ kind: 'broke' })
  })
})
