import { randomUUID } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { createWindowsDriver } from '../../../../src/main/printing/drivers/windows'
import { spoolerWaits } from '../../../../src/main/printing/drivers/windowsRaw'
import { removeLeftovers } from '../../../../src/main/printing/printing'
import { zplReset } from '../../../../src/main/printing/raster/labelLanguages'
import { type PrintJobState, type SystemPrinter, systemPrinterSchema } from '../../../../src/shared/printing'
import { createFakeSpooler } from '../../../support/printing/fakeSpooler'
import { createInlineRasterizer } from '../../../support/printing/inlineRasterizer'
import { readEpl, readTspl } from '../../../support/printing/labelLanguages'
import { labelWith, markedPdf } from '../../../support/printing/labels'
import { createMemoryJobs } from '../../../support/printing/memoryJobs'
import { contextFor, staysOpen } from '../../../support/printing/printContext'
import { printingSettings } from '../../../support/printing/printingSettings'
import { createStubDrivers } from '../../../support/printing/stubDriver'
import { silentLog } from '../../../support/silentLog'

const rasterizer = createInlineRasterizer()
const status = { error: 0x2, deleting: 0x4, printing: 0x10, offline: 0x20, paperOut: 0x40, printed: 0x80 }
const zpl = Buffer.from('^XA^FO10,10^FDHello^FS^XZ')
const zplLabel = () => labelWith({ kind: 'zpl', bytes: zpl })

function setUp(fields: Partial<SystemPrinter> = {}, waits = {}) {
  const spooler = createFakeSpooler()
  const driver = createWindowsDriver({
    load: () => Promise.reject(new Error('SumatraPDF has no part in this')),
    sumatraPdfPath: 'SumatraPDF.exe',
    rasterizer,
    loadSpooler: async () => spooler,
    spoolerWaits: { ...spoolerWaits, firstPollMs: 1, laterPollMs: 1, ...waits },
  })
  const printer = systemPrinterSchema.parse({
    ...{ id: 'usb', driver: 'system', queue: 'ZDesigner ZD421', language: 'zpl' },
    ...fields,
  })
  /** Waits until the only job is completely in the queue. */
  const jobInQueue = () =>
    vi.waitFor(() => {
      const job = spooler.jobs[0]
      expect(job?.ended).toBe(true)
      if (job === undefined) throw new Error('there is no job')
      return job
    })
  return { spooler, driver, printer, jobInQueue }
}

describe('a Windows printer with a known language', () => {
  it('receives a PDF label as raw ZPL, which is handed over once the spooler reports it as printed', async () => {
    const { driver, printer, spooler, jobInQueue } = setUp({ dpi: 300, copies: 2, darkness: 12 })
    const context = contextFor(printer, labelWith({ bytes: await markedPdf() }))
    const ended = vi.fn()
    const printed = driver.print(context, staysOpen).finally(ended)
    const job = await jobInQueue()
    const title = `ORDER-1 3STEST000000001 ${context.jobId}`
    expect(job).toMatchObject({ queue: 'ZDesigner ZD421', title })
    const text = job.bytes.toString('latin1')
    expect(text).toMatch(/^~SD12\n/)
    expect(text).toContain('^PW1181')
    expect(text).toContain('^PQ2')
    job.status = status.printing
    const asked = vi.spyOn(spooler, 'listJobs')
    await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(3))
    expect(ended).not.toHaveBeenCalled()
    job.status = status.printed
    expect(await printed).toEqual({ kind: 'handed-over' })
    expect(context.acceptedTimes()).toBe(1)
    expect(context.claimedTimes()).toBe(1)
    expect(job.commands).toEqual(['retain', 'release'])
  })

  it('receives the carrier’s ZPL unchanged once per copy, followed by a reset', async () => {
    const { driver, printer, jobInQueue } = setUp({ copies: 2 })
    const printed = driver.print(contextFor(printer, zplLabel()), staysOpen)
    const job = await jobInQueue()
    expect(job.bytes.equals(Buffer.concat([zpl, zpl, zplReset]))).toBe(true)
    job.status = status.printed
    expect(await printed).toEqual({ kind: 'handed-over' })
  })

  it('receives PDF labels in TSPL and refuses ZPL labels when its language is TSPL', async () => {
    const { driver, printer, spooler, jobInQueue } = setUp({ language: 'tspl' })
    expect(await driver.print(contextFor(printer, zplLabel()), staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'label-in-other-language' },
    })
    expect(spooler.jobs).toEqual([])
    const printed = driver.print(contextFor(printer, labelWith({ bytes: await markedPdf() })), staysOpen)
    const job = await jobInQueue()
    expect(job.bytes.toString('latin1')).toMatch(/^[\s\S]*SIZE 100(\.\d+)? mm/)
    job.status = status.printed
    expect(await printed).toEqual({ kind: 'handed-over' })
  })

  it.each([
    ['zpl', '^XA^MNM^XZ\n~JC\n'],
    ['tspl', 'BLINEDETECT\r\n'],
  ] as const)('receives the command that measures its stock in %s', async (language, command) => {
    const { driver, printer, jobInQueue } = setUp({ language, stockTracking: 'mark' })
    const calibrated = driver.calibrate?.(contextFor(printer, zplLabel()), staysOpen)
    const job = await jobInQueue()
    // The line ends before the command complete a picture that may have broken off before the app started.
    expect(job.bytes.toString('latin1').trimStart()).toBe(command)
    job.status = status.printed
    expect(await calibrated).toEqual({ kind: 'handed-over' })
  })

  it('refuses to measure its stock in EPL2 and through a driver that draws', async () => {
    const { driver, printer, spooler } = setUp({ language: 'epl2', stockTracking: 'mark' })
    const { language: _, ...drawn } = printer
    for (const each of [printer, drawn]) {
      expect(await driver.calibrate?.(contextFor(each, zplLabel()), staysOpen)).toMatchObject({
        ...{ kind: 'failed', nothingPrinted: true, error: { code: 'calibration-not-possible' } },
      })
    }
    expect(spooler.jobs).toEqual([])
  })

  it('receives its stock tracking and print mode with a label', async () => {
    const { driver, printer, jobInQueue } = setUp({ stockTracking: 'continuous', printMode: 'peel-off' })
    const long = labelWith({ bytes: await markedPdf(100, 210) })
    const printed = driver.print(contextFor(printer, long), staysOpen)
    const job = await jobInQueue()
    expect(job.bytes.toString('latin1')).toContain('^MNN^MMP')
    job.status = status.printed
    expect(await printed).toEqual({ kind: 'handed-over' })
  })

  it('is reported as offline and out of labels while its job waits', async () => {
    const { driver, printer, jobInQueue } = setUp()
    const context = contextFor(printer, zplLabel())
    const printed = driver.print(context, staysOpen)
    const job = await jobInQueue()
    job.status = status.offline | status.paperOut
    const note = { code: 'windows-says', says: [{ code: 'offline' }, { code: 'out-of-labels' }] }
    await vi.waitFor(() => expect(context.notes).toContainEqual(note))
    job.status = status.printed
    expect(await printed).toEqual({ kind: 'handed-over' })
  })
})

describe('a job that a crash left in the queue of a Windows printer', () => {
  it('is removed when its print job is of this station and has ended; other jobs stay', async () => {
    const { driver, printer, spooler } = setUp()
    const [own, sending, others] = [randomUUID(), randomUUID(), randomUUID()]
    for (const title of [`ORDER-1 3S1 ${own}`, `ORDER-2 3S2 ${sending}`, `ORDER-3 3S3 ${others}`, own]) {
      await spooler.startRawJob(printer.queue, title)
    }
    for (const job of spooler.jobs) job.status = status.printed
    const isOver = async (jobId: string) => jobId === own
    expect(await driver.removeLeftovers?.(printer, isOver)).toBe(1)
    expect(spooler.jobs.map(({ listed }) => listed)).toEqual([false, true, true, true])
    expect(await driver.removeLeftovers?.(printer, isOver)).toBe(0)
  })

  it('is cancelled before its label is printed again, unless it was printed', async () => {
    const { driver, printer, spooler } = setUp()
    const [own, printed, other] = [randomUUID(), randomUUID(), randomUUID()]
    for (const id of [own, printed, other]) await spooler.startRawJob(printer.queue, `ORDER-1 3S1 ${id}`)
    for (const job of spooler.jobs) job.status = job.title.endsWith(printed) ? status.printed : 0
    for (const id of [own, printed]) expect(await driver.withdraw?.(id, printer)).toBe(true)
    expect(spooler.jobs.map(({ commands }) => commands)).toEqual([['cancel'], [], []])
    spooler.answers = false
    expect(await driver.withdraw?.(other, printer)).toBe(false)
  })

  it('is not removed while the spooler does not answer, or on a printer whose driver draws', async () => {
    const { driver, printer, spooler } = setUp()
    spooler.answers = false
    expect(await driver.removeLeftovers?.(printer, async () => true)).toBe(0)
    const { language: _, ...drawn } = printer
    expect(await driver.removeLeftovers?.(drawn, async () => true)).toBe(0)
  })

  it.each<[PrintJobState, boolean]>([
    ['queued', true],
    ['sending', true],
    ['unconfirmed', false],
    ['handed-over', false],
  ])('stays in the queue while its print job is %s: %s', async (state, stays) => {
    const { driver, printer, spooler } = setUp()
    const jobs = createMemoryJobs()
    const [job] = await jobs.add([
      {
        ...{ id: randomUUID(), shipmentId: 's', labelId: 'l' },
        printerId: 'usb',
        printerName: 'usb',
        kind: 'first',
      },
    ])
    await jobs.change(job?.id ?? '', ['queued'], { state })
    await spooler.startRawJob(printer.queue, `ORDER-1 3S1 ${job?.id}`)
    const log = silentLog
    await removeLeftovers({
      settings: printingSettings(() => ({ printers: [printer] })),
      drivers: { ...createStubDrivers(), system: driver },
      jobs,
      log,
    })
    expect(spooler.jobs[0]?.listed).toBe(stays)
  })
})

describe.each(['epl2', 'tspl'] as const)('a Windows printer that reads %s', (language) => {
  it('prints the next label completely after a label that broke off inside its picture', async () => {
    const { driver, printer, spooler } = setUp({ language })
    const label = labelWith({ bytes: await markedPdf() })
    const print = async (end: number) => {
      const printed = driver.print(contextFor(printer, label), staysOpen)
      const job = await vi.waitFor(() => {
        const last = spooler.jobs.at(-1)
        if (last?.ended !== true || last.status !== 0) throw new Error('there is no new job')
        return last
      })
      job.status = end
      return { outcome: await printed, bytes: job.bytes }
    }
    const first = await print(status.printed)
    const broken = await print(status.printing | status.deleting)
    expect(broken.outcome.kind).toBe('failed')
    const next = await print(status.printed)
    const last = await print(status.printed)
    const read = (...bytes: Buffer[]) =>
      (language === 'epl2' ? readEpl : readTspl)(Buffer.concat(bytes), 8).labels
    expect(read(first.bytes)).toHaveLength(1)
    const [out, ...others] = read(broken.bytes.subarray(0, 60_000), next.bytes)
    expect(others).toEqual([])
    expect(out?.picture.dot(0, 0)).toBe(false)
    // The bytes that complete the broken picture are sent only once.
    expect(last.bytes.length).toBeLessThan(next.bytes.length - 100_000)
  })
})

describe('a job that leaves the queue of a Windows printer', () => {
  it('fails, and may have been printed in part, when someone deletes it', async () => {
    const { driver, printer, jobInQueue } = setUp()
    const printed = driver.print(contextFor(printer, zplLabel()), staysOpen)
    const job = await jobInQueue()
    job.status = status.printing | status.deleting
    expect(await printed).toMatchObject({
      kind: 'failed',
      nothingPrinted: false,
      error: { code: 'printer-failed', says: [{ code: 'cancelled-in-queue' }] },
    })
  })

  it.each([
    { retains: true, before: status.printing, kind: 'unconfirmed' },
    { retains: true, before: 0, kind: 'unconfirmed' },
    { retains: false, before: status.printing, kind: 'handed-over' },
    { retains: false, before: status.printing | status.paperOut, kind: 'unconfirmed' },
    { retains: false, before: status.offline, kind: 'unconfirmed' },
    { retains: false, before: 0, kind: 'unconfirmed' },
  ])(
    'is $kind when it disappears (queue keeps printed jobs: $retains, last status: $before)',
    async ({ retains, before, kind }) => {
      const { driver, printer, spooler, jobInQueue } = setUp()
      spooler.retains = retains
      const asked = vi.spyOn(spooler, 'listJobs')
      const printed = driver.print(contextFor(printer, zplLabel()), staysOpen)
      const job = await jobInQueue()
      job.status = before
      const soFar = asked.mock.calls.length
      await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(soFar + 1))
      job.listed = false
      expect(await printed).toMatchObject({ kind })
    },
  )

  it('is unconfirmed when the spooler stops answering', async () => {
    const { driver, printer, spooler, jobInQueue } = setUp({}, { silenceMs: 20 })
    const context = contextFor(printer, zplLabel())
    const printed = driver.print(context, staysOpen)
    await jobInQueue()
    spooler.answers = false
    expect(await printed).toMatchObject({
      kind: 'unconfirmed',
      error: { says: [{ code: 'spooler-silent' }] },
    })
    expect(context.notes).toContainEqual({ code: 'spooler-silent', says: [] })
  })
})

describe('a job that the app stops watching in a Windows queue', () => {
  it('is no longer retained after printing when the app closes', async () => {
    const { driver, printer, jobInQueue } = setUp()
    const closing = new AbortController()
    const printed = driver.print(contextFor(printer, zplLabel()), closing.signal)
    const job = await jobInQueue()
    closing.abort()
    expect(await printed).toMatchObject({ kind: 'unconfirmed', error: { says: [{ code: 'app-closed' }] } })
    expect(job.commands).toEqual(['retain', 'release'])
  })

  it('is no longer retained after printing when the spooler reports no states', async () => {
    const { driver, printer, spooler, jobInQueue } = setUp({}, { silenceMs: 20 })
    spooler.listJobs = async () => undefined
    const printed = driver.print(contextFor(printer, zplLabel()), staysOpen)
    const job = await jobInQueue()
    expect(await printed).toMatchObject({
      kind: 'unconfirmed',
      error: { says: [{ code: 'spooler-silent' }] },
    })
    expect(job.commands).toEqual(['retain', 'release'])
  })

  it('stays retained while the app waits for it', async () => {
    const { driver, printer, spooler, jobInQueue } = setUp()
    const asked = vi.spyOn(spooler, 'listJobs')
    const printed = driver.print(contextFor(printer, zplLabel()), staysOpen)
    const job = await jobInQueue()
    await vi.waitFor(() => expect(asked.mock.calls.length).toBeGreaterThan(3))
    expect(job.commands).toEqual(['retain'])
    job.status = status.printed
    await printed
  })
})

describe('taking a job back from a Windows queue', () => {
  it('cancels a job of an offline printer before it starts when there is a standby', async () => {
    const { driver, printer, jobInQueue } = setUp()
    const context = { ...contextFor(printer, zplLabel()), hasStandby: true }
    const printed = driver.print(context, staysOpen)
    const job = await jobInQueue()
    job.status = status.offline
    expect(await printed).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'printer-not-ready', says: [{ code: 'offline' }] },
    })
    expect(job).toMatchObject({ listed: false, commands: ['retain', 'pause', 'cancel'] })
  })

  it('resumes a job that the printer started in the meantime', async () => {
    const { driver, printer, spooler, jobInQueue } = setUp()
    spooler.onCommand = (command, job) => {
      if (command === 'pause') job.status |= status.printing
    }
    const context = { ...contextFor(printer, zplLabel()), hasStandby: true }
    const printed = driver.print(context, staysOpen)
    const job = await jobInQueue()
    job.status = status.offline
    await vi.waitFor(() => expect(job.commands).toContain('resume'))
    expect(job.commands).not.toContain('cancel')
    job.status = status.printed
    expect(await printed).toEqual({ kind: 'handed-over' })
  })

  it.each([
    ['the pause gets no answer', 'pause', (): Promise<boolean> => new Promise(() => undefined)],
    ['the cancellation is refused', 'cancel', (): Promise<boolean> => Promise.resolve(false)],
  ] as const)('resumes the paused job when %s', async (_name, failing, answer) => {
    const { driver, printer, spooler, jobInQueue } = setUp({}, { callMs: 50 })
    const { controlJob } = spooler
    spooler.controlJob = async (queue, jobId, command): Promise<boolean> => {
      if (command === 'cancel' && failing === 'cancel') return answer()
      const done = await controlJob(queue, jobId, command)
      return command === failing ? answer() : done
    }
    const context = { ...contextFor(printer, zplLabel()), hasStandby: true }
    const printed = driver.print(context, staysOpen)
    const job = await jobInQueue()
    job.status = status.offline
    await vi.waitFor(() => expect(job.commands.slice(0, 3)).toEqual(['retain', 'pause', 'resume']))
    job.status = status.printed
    expect(await printed).toEqual({ kind: 'handed-over' })
    expect(job.commands.slice(-2)).toEqual(['resume', 'release'])
  })

  it('removes a job that the operator cancels', async () => {
    const { driver, printer, jobInQueue } = setUp()
    const cancelling = new AbortController()
    const printed = driver.print(contextFor(printer, zplLabel(), cancelling.signal), staysOpen)
    const job = await jobInQueue()
    cancelling.abort()
    expect(await printed).toEqual({ kind: 'cancelled' })
    expect(job.listed).toBe(false)
  })
})

describe('a Windows queue that does not accept a job', () => {
  it.each([
    ['no-printer', 'printer-not-found'],
    ['refused', 'printer-failed'],
  ] as const)('prints nothing when the spooler answers %s', async (refuses, code) => {
    const { driver, printer, spooler } = setUp()
    spooler.refuses = refuses
    const context = contextFor(printer, zplLabel())
    expect(await driver.print(context, staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code },
    })
    expect(context.claimedTimes()).toBe(0)
  })

  it('prints nothing when the spooler does not answer in time, even if it answers later', async () => {
    const { driver, printer, spooler } = setUp({}, { callMs: 20 })
    const start = spooler.startRawJob
    let answer = () => undefined
    const later = new Promise<undefined>((resolve) => {
      answer = () => void resolve(undefined)
    })
    spooler.startRawJob = async (queue, title) => {
      await later
      return start(queue, title)
    }
    const context = contextFor(printer, zplLabel())
    expect(await driver.print(context, staysOpen)).toMatchObject({ kind: 'failed', nothingPrinted: true })
    answer()
    await vi.waitFor(() => expect(spooler.jobs[0]?.abandoned).toBe(true))
    expect(spooler.jobs[0]?.bytes).toHaveLength(0)
  })

  it('prints nothing when the Windows spooler cannot be loaded', async () => {
    const { printer } = setUp()
    const driver = createWindowsDriver({
      load: () => Promise.reject(new Error('SumatraPDF has no part in this')),
      sumatraPdfPath: 'SumatraPDF.exe',
      rasterizer,
      loadSpooler: () => Promise.reject(new Error('no such library')),
    })
    expect(await driver.print(contextFor(printer, zplLabel()), staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'printer-failed', says: [{ code: 'system-words', words: 'no such library' }] },
    })
  })

  it('receives no bytes of a job that was taken back before its first byte', async () => {
    const { driver, printer, spooler } = setUp()
    const context = { ...contextFor(printer, zplLabel()), claim: async () => false }
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'not-started' })
    expect(spooler.jobs).toMatchObject([{ abandoned: true, bytes: Buffer.alloc(0) }])
  })

  it('leaves the label unconfirmed when the queue does not accept all bytes', async () => {
    const { driver, printer, spooler } = setUp()
    spooler.writes = false
    expect(await driver.print(contextFor(printer, zplLabel()), staysOpen)).toMatchObject({
      kind: 'unconfirmed',
      error: { says: [{ code: 'not-all-taken' }] },
    })
    expect(spooler.jobs[0]?.abandoned).toBe(true)
  })
})
