import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { withBarcodeProofs } from '../../../src/main/printing/barcodes/barcodeProver'
import type { DrawnLabel } from '../../../src/main/printing/barcodes/proveBarcodes'
import { runLp } from '../../../src/main/printing/cups/cupsJob'
import { findPrintServer } from '../../../src/main/printing/cups/cupsQueue'
import {
  askPrintServer,
  groupTag,
  operation,
  toPrinterUri,
  valueTag,
} from '../../../src/main/printing/cups/ipp'
import {
  listOfferedStocks,
  listSystemQueues,
  probePrinter,
} from '../../../src/main/printing/drivers/createDrivers'
import { createCupsDriver } from '../../../src/main/printing/drivers/cups'
import { waitsForPrinter } from '../../../src/main/printing/drivers/driver'
import { createFolderDriver } from '../../../src/main/printing/drivers/folder'
import { createSocketDriver } from '../../../src/main/printing/drivers/socket'
import type { PrintableLabel } from '../../../src/main/printing/printableLabel'
import { createPrintQueue } from '../../../src/main/printing/queue/printQueue'
import { zplReset } from '../../../src/main/printing/raster/labelLanguages'
import { socketPrinterSchema } from '../../../src/shared/printing'
import { ok } from '../../../src/shared/result'
import { startFakePrinter } from '../../support/cups/fakePrinter'
import { hasCups } from '../../support/cups/privateCups'
import { readPwgRaster } from '../../support/cups/pwgRaster'
import { systemPrinter, useCups } from '../../support/cups/useCups'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelsInMemory, labelWith, markedPdf, marks, noInvoices } from '../../support/printing/labels'
import { createMemoryJobs } from '../../support/printing/memoryJobs'
import { contextFor, staysOpen } from '../../support/printing/printContext'
import { printingSettings } from '../../support/printing/printingSettings'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

const system = vi.hoisted((): { folders: string[] | undefined } => ({ folders: undefined }))
vi.mock('../../../src/main/lib/programs', async (importOriginal) => {
  const original = await importOriginal<typeof import('../../../src/main/lib/programs')>()
  return {
    ...original,
    findSystemProgram: (name: string) => original.findSystemProgram(name, system.folders),
  }
})

const rasterizer = createInlineRasterizer()
const driver = createCupsDriver(rasterizer)
const noteInTime = { timeout: 2000, interval: 20 }
const patient = { timeout: 40_000 }
const zpl = Buffer.from('^XA^FO10,10^FDHello^FS^XZ')
const fourBySix = { widthMm: 101.6, heightMm: 152.4 }

describe.runIf(hasCups())('errors and waits when printing through CUPS', () => {
  const cups = useCups()
  const { printerWithQueue } = cups
  const pdfLabel = async () => labelWith({ bytes: await markedPdf() })

  describe('before anything is sent', () => {
    it('holds a label for stock that the queue lacks, and names the stocks of the queue', async () => {
      const { fake, queue } = await printerWithQueue()
      const stock = { widthMm: 59, heightMm: 191 }
      const label = labelWith({ bytes: await markedPdf(59, 191) })
      const outcome = await driver.print(contextFor(systemPrinter(queue, { stock }), label), staysOpen)
      expect(outcome).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: {
          code: 'label-loses-content',
          findings: [
            {
              ...{ kind: 'stock-missing', name: '59 x 191 mm' },
              text: expect.stringContaining('101.6 x 152.4 mm'),
            },
          ],
        },
      })
      expect(fake.jobs).toEqual([])
      expect(await cups.server().run('lpstat', '-W', 'all', '-o', queue)).toBe('')
    })

    it('prints on stock that the queue lacks once that is accepted', async () => {
      const { fake, queue } = await printerWithQueue()
      const stock = { widthMm: 59, heightMm: 191 }
      const label = labelWith({ bytes: await markedPdf(59, 191) })
      const context = contextFor(systemPrinter(queue, { stock }), label)
      const outcome = await driver.print({ ...context, check: () => ok(undefined) }, staysOpen)
      expect(outcome).toEqual({ kind: 'handed-over' })
      expect(fake.jobs).toHaveLength(1)
    })

    it('lists the stocks that a queue offers, with their sizes', async () => {
      const { queue } = await printerWithQueue()
      vi.stubEnv('CUPS_SERVER', cups.server().socketPath)
      expect(await listOfferedStocks(systemPrinter(queue), 'linux')).toContainEqual({
        paper: 'na_index-4x6_4x6in',
        size: { widthMm: 101.6, heightMm: 152.4 },
      })
    })

    it('checks a printer of label sheets by the size of its sheets', async () => {
      await cups.server().addDriverQueue('SHEETS', 'file:///dev/null', 'laserjet.ppd')
      const stock = { widthMm: 70, heightMm: 36 }
      const sheet = { widthMm: 210, heightMm: 297, columns: 3, rows: 8 }
      expect(
        await probePrinter(systemPrinter('SHEETS', { stock, sheet }), '/nowhere', 'linux'),
      ).toMatchObject({ code: 'queue-ready', details: { media: 'iso_a4_210x297mm' } })
      const tooLarge = { ...sheet, widthMm: 600, heightMm: 600 }
      expect(
        await probePrinter(systemPrinter('SHEETS', { stock, sheet: tooLarge }), '/nowhere', 'linux'),
      ).toMatchObject({
        ...{ code: 'failed', error: { code: 'stock-not-supported', details: { stock: '600 x 600 mm' } } },
      })
    })

    it('refuses a page whose size differs from the stock', async () => {
      const { fake, queue } = await printerWithQueue()
      const a4 = labelWith({ bytes: await markedPdf(210, 297) })
      const outcome = await driver.print(contextFor(systemPrinter(queue), a4), staysOpen)
      expect(outcome).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: 'label-needs-placement', details: { page: '210 x 297 mm', stock: '100 x 150 mm' } },
      })
      expect(fake.jobs).toEqual([])
    })

    it.each([
      'nowhere',
      '-h evil:631',
      '$(touch /tmp/x)',
      'a b',
      "o'brien",
      '"quoted"',
      'größe',
      '../x',
      '日本',
    ])('reports that there is no queue %j', async (queue) => {
      const outcome = await driver.print(contextFor(systemPrinter(queue), await pdfLabel()), staysOpen)
      expect(outcome).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: 'printer-not-found' },
      })
    })

    it('reports that a queue rejects jobs, with the reason that was stated for it', async () => {
      const { queue } = await printerWithQueue()
      await cups.server().run('/usr/sbin/cupsreject', '-r', 'head is worn out', queue)
      const outcome = await driver.print(contextFor(systemPrinter(queue), await pdfLabel()), staysOpen)
      expect(outcome).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: 'printer-stopped', says: [{ code: 'own-words', words: 'head is worn out' }] },
      })
    })

    it('leaves the label to the standby when the queue is stopped', async () => {
      const { queue } = await printerWithQueue()
      await cups.server().run('/usr/sbin/cupsdisable', '-r', 'changing the roll', queue)
      const context = contextFor(systemPrinter(queue), await pdfLabel())
      const says = [{ code: 'paused' }, { code: 'own-words', words: 'changing the roll' }]
      expect(await driver.print({ ...context, hasStandby: true }, staysOpen)).toMatchObject({
        ...{ kind: 'failed', nothingPrinted: true, error: { code: 'printer-not-ready', says } },
      })
      expect(await cups.server().run('lpstat', '-o', queue)).toBe('')
    })

    it('reports a print service that does not answer, and one that is not installed', async () => {
      vi.stubEnv('CUPS_SERVER', '127.0.0.1:1')
      const label = await pdfLabel()
      expect(await driver.print(contextFor(systemPrinter('X'), label), staysOpen)).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: 'printer-unreachable' },
      })
      expect(await listSystemQueues('linux')).toEqual([])
      // A different server address, because the last server is cached for a minute.
      vi.stubEnv('CUPS_SERVER', '127.0.0.1:2')
      system.folders = ['/nowhere']
      onTestFinished(() => {
        system.folders = undefined
      })
      expect(await driver.print(contextFor(systemPrinter('X'), label), staysOpen)).toMatchObject({
        kind: 'failed',
        error: { code: 'print-service-missing', message: expect.stringContaining('cups-client') },
      })
      expect(await listSystemQueues('linux')).toEqual([])
    })

    it('is asked for the resolution of a preview for a second at most', async () => {
      vi.stubEnv('CUPS_SERVER', '127.0.0.1:3')
      const folder = await temporaryFolder()
      await writeFile(join(folder, 'lpstat'), '#!/bin/sh\nexec sleep 60\n', { mode: 0o755 })
      system.folders = [folder, '/usr/bin', '/bin']
      onTestFinished(() => {
        system.folders = undefined
      })
      const begun = performance.now()
      expect(await driver.findDpi?.(systemPrinter('X'))).toBeUndefined()
      expect(performance.now() - begun).toBeLessThan(4000)
    })

    it.each([
      ['is slow', 'exec sleep 60'],
      ['fails', 'echo "lpstat: Unable to connect" >&2; exit 1'],
      ['names no server', 'echo "no server at all: /x"'],
    ])(
      'waits for the print service, and does not report it as missing, when lpstat %s',
      async (_, script) => {
        // A different server address, because the last server is cached for a minute.
        vi.stubEnv('CUPS_SERVER', `127.0.0.1:${script.length}`)
        const folder = await temporaryFolder()
        await writeFile(join(folder, 'lpstat'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
        system.folders = [folder, '/usr/bin', '/bin']
        onTestFinished(() => {
          system.folders = undefined
        })
        const outcome = await driver.print(contextFor(systemPrinter('X'), await pdfLabel()), staysOpen)
        expect(outcome).toMatchObject({
          kind: 'failed',
          nothingPrinted: true,
          error: { code: 'printer-unreachable', details: { case: 'spooler' } },
        })
        expect(waitsForPrinter(outcome)).toBe(true)
        expect(await listSystemQueues('linux')).toEqual([])
      },
    )

    it.each([
      ['lp: Error - scheduler not responding.', 'took-nothing'],
      ['lp: Too many active jobs.', 'took-nothing'],
      ["lp: Unsupported document-format 'application/pdf'.", 'label-refused'],
    ])('distinguishes a queue that accepts no job from a label that is refused: %s', async (words, found) => {
      const { queue } = await printerWithQueue()
      const folder = await temporaryFolder()
      await writeFile(join(folder, 'lp'), `#!/bin/sh\necho "${words}" >&2\nexit 1\n`, { mode: 0o755 })
      system.folders = [folder, '/usr/bin', '/bin']
      onTestFinished(() => {
        system.folders = undefined
      })
      expect(await driver.print(contextFor(systemPrinter(queue), await pdfLabel()), staysOpen)).toMatchObject(
        {
          kind: 'failed',
          nothingPrinted: true,
          error: { code: 'printer-failed', details: { case: found } },
        },
      )
    })

    it('starts no program from a folder that the user put first on PATH', async () => {
      const { fake, queue } = await printerWithQueue()
      const folder = await temporaryFolder()
      for (const name of ['lp', 'lpstat', 'lpoptions', 'cancel']) {
        await writeFile(join(folder, name), `#!/bin/sh\ntouch ${folder}/was-started\n`, { mode: 0o755 })
      }
      vi.stubEnv('PATH', `${folder}:${process.env.PATH}`)
      vi.stubEnv('CUPS_SERVER', cups.server().socketPath)
      expect(await listSystemQueues('linux')).not.toEqual([])
      expect(await driver.print(contextFor(systemPrinter(queue), await pdfLabel()), staysOpen)).toEqual({
        kind: 'handed-over',
      })
      expect(fake.jobs).toHaveLength(1)
      expect(await readdir(folder)).not.toContain('was-started')
    })

    it('sends nothing when the app is closing', async () => {
      const { fake, queue } = await printerWithQueue()
      const context = contextFor(systemPrinter(queue), await pdfLabel())
      expect(await driver.print(context, AbortSignal.abort())).toEqual({ kind: 'not-started' })
      expect(fake.jobs).toEqual([])
    })
  })

  describe('names of queues and labels', () => {
    it('reach CUPS as text, never as options or shell commands', async () => {
      const { fake, queue } = await printerWithQueue({
        queue: 'Étikett-日本_1',
        description: `Labels "at" the 'bench' $(reboot); \`x\``,
      })
      const label = labelWith({
        bytes: await markedPdf(),
        reference: '-d other $(touch /tmp/x) "a" \'b\' ü',
        barcode: '-o raw\n^XA',
      })
      const context = contextFor(systemPrinter(queue), label)
      expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
      const title = fake.jobs[0]?.attributes.find(({ name }) => name === 'job-name')?.values[0]
      expect(title).toBe(`-d other $(touch /tmp/x) "a" 'b' ü -o raw ^XA ${context.jobId}`)
      const listed = (await listSystemQueues('linux')).find((each) => each.queue === queue)
      expect(listed).toMatchObject({
        description: `Labels "at" the 'bench' $(reboot); \`x\``,
        isDefault: false,
        media: expect.arrayContaining(['na_index-4x6_4x6in']),
      })
      await cups.server().run('/usr/sbin/lpadmin', '-d', queue)
      const standard = (await listSystemQueues('linux')).filter((each) => each.isDefault)
      expect(standard.map((each) => each.queue)).toEqual([queue])
    })
  })

  it('prints through the Unix socket of CUPS, which most machines use', async () => {
    const { fake, queue } = await printerWithQueue()
    vi.stubEnv('CUPS_SERVER', cups.server().socketPath)
    expect(await driver.print(contextFor(systemPrinter(queue), await pdfLabel()), staysOpen)).toEqual({
      kind: 'handed-over',
    })
    expect(fake.jobs).toHaveLength(1)
    expect((await listSystemQueues('linux')).map((each) => each.queue)).toContain(queue)
  })

  describe('while the job is in the queue', () => {
    it('notes within two seconds that the queue is stopped, and prints when it is started', async () => {
      const { fake, queue } = await printerWithQueue()
      await cups.server().run('/usr/sbin/cupsdisable', '-r', 'changing the roll', queue)
      const context = contextFor(systemPrinter(queue), await pdfLabel())
      const printed = driver.print(context, staysOpen)
      await vi.waitFor(
        () =>
          expect(context.notes).toContainEqual({
            code: 'queue-stopped',
            says: expect.arrayContaining([{ code: 'own-words', words: 'changing the roll' }]),
          }),
        noteInTime,
      )
      expect(context.acceptedTimes()).toBe(1)
      expect(fake.jobs).toEqual([])
      await cups.server().run('/usr/sbin/cupsenable', queue)
      expect(await printed).toEqual({ kind: 'handed-over' })
      expect(fake.jobs).toHaveLength(1)
    })

    it('notes that the printer reports missing labels', async () => {
      const { fake, queue } = await printerWithQueue()
      fake.pause('media-empty')
      const context = contextFor(systemPrinter(queue), await pdfLabel())
      const printed = driver.print(context, staysOpen)
      await vi.waitFor(
        () =>
          expect(context.notes).toContainEqual({
            code: 'printer-reports',
            says: expect.arrayContaining([{ code: 'out-of-labels' }]),
          }),
        patient,
      )
      fake.resume()
      expect(await printed).toEqual({ kind: 'handed-over' })
      expect(fake.jobs).toHaveLength(1)
    })

    it('waits for a printer that refuses jobs, with a note', async () => {
      const { fake, queue } = await printerWithQueue()
      fake.refuses = true
      const context = contextFor(systemPrinter(queue), await pdfLabel())
      const printed = driver.print(context, staysOpen)
      await vi.waitFor(
        () => expect(context.notes).toContainEqual(expect.objectContaining({ code: 'still-on-its-way' })),
        patient,
      )
      fake.refuses = false
      expect(await printed).toEqual({ kind: 'handed-over' })
      expect(fake.jobs).toHaveLength(1)
    })

    it('removes the job from the queue when it is cancelled', async () => {
      const { fake, queue } = await printerWithQueue()
      await cups.server().run('/usr/sbin/cupsdisable', queue)
      const cancelling = new AbortController()
      const context = contextFor(systemPrinter(queue), await pdfLabel(), cancelling.signal)
      const printed = driver.print(context, staysOpen)
      await vi.waitFor(() => expect(context.notes).not.toEqual([]), patient)
      cancelling.abort()
      expect(await printed).toEqual({ kind: 'cancelled' })
      expect(await cups.server().run('lpstat', '-o', queue)).toBe('')
      expect(fake.jobs).toEqual([])
    })

    it('is cancelled in the queue although the first try failed', async () => {
      const { queue } = await printerWithQueue()
      await cups.server().run('/usr/sbin/cupsdisable', queue)
      const folder = await temporaryFolder()
      const failsOnce = `#!/bin/sh\n[ -e ${folder}/tried ] && exec /usr/bin/cancel "$@"\ntouch ${folder}/tried\nexit 1\n`
      await writeFile(join(folder, 'cancel'), failsOnce, { mode: 0o755 })
      system.folders = [folder, '/usr/bin', '/bin']
      onTestFinished(() => {
        system.folders = undefined
      })
      const cancelling = new AbortController()
      const context = contextFor(systemPrinter(queue), await pdfLabel(), cancelling.signal)
      const printed = driver.print(context, staysOpen)
      await vi.waitFor(() => expect(context.notes).not.toEqual([]), patient)
      cancelling.abort()
      expect(await printed).toEqual({ kind: 'cancelled' })
      expect(await readdir(folder)).toContain('tried')
      expect(await cups.server().run('lpstat', '-o', queue)).toBe('')
    })

    it('fails when someone else cancels the job, and does not state that nothing was printed', async () => {
      const { queue } = await printerWithQueue()
      await cups.server().run('/usr/sbin/cupsdisable', queue)
      const context = contextFor(systemPrinter(queue), await pdfLabel())
      const printed = driver.print(context, staysOpen)
      await vi.waitFor(() => expect(context.notes).not.toEqual([]), patient)
      await cups.server().run('cancel', '-a', queue)
      expect(await printed).toMatchObject({
        kind: 'failed',
        nothingPrinted: false,
        error: { code: 'printer-failed', says: expect.arrayContaining([{ code: 'cancelled-in-queue' }]) },
      })
    })

    it('leaves the label unconfirmed and the job in the queue when the app closes', async () => {
      const { queue } = await printerWithQueue()
      await cups.server().run('/usr/sbin/cupsdisable', queue)
      const closing = new AbortController()
      const context = contextFor(systemPrinter(queue), await pdfLabel())
      const printed = driver.print(context, closing.signal)
      await vi.waitFor(() => expect(context.notes).not.toEqual([]), patient)
      closing.abort()
      expect(await printed).toMatchObject({ kind: 'unconfirmed', error: { code: 'print-unconfirmed' } })
      expect(await cups.server().run('lpstat', '-o', queue)).toContain(`${queue}-`)
    })
  })

  describe('labels on raw queues and driver queues', () => {
    it('go unchanged through a raw queue when they are ZPL', async () => {
      const sink = await startByteSink()
      await cups.server().addRawQueue('RAW', `socket://127.0.0.1:${sink.port}`)
      const context = contextFor(systemPrinter('RAW'), labelWith({ kind: 'zpl', bytes: zpl }))
      expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
      expect(sink.received().equals(Buffer.concat([zpl, zplReset]))).toBe(true)
    })

    it('are drawn from a PDF as ZPL for a raw queue at the resolution in the settings, with the same bytes as over the network', async () => {
      const sink = await startByteSink()
      await cups.server().addRawQueue('RAWPDF', `socket://127.0.0.1:${sink.port}`)
      const label = await pdfLabel()
      const printer = { ...systemPrinter('RAWPDF'), dpi: 300 as const }
      const context = contextFor(printer, label)
      expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
      const sent = sink.received().toString('latin1')
      expect(sent).toContain('^PW1181')
      expect(sent).toContain('^LL1772')
      expect(sent).toMatch(/\^GFA,\d+,\d+,148,/)
      expect(sent.match(/\^XA/g)).toHaveLength(1)
      const network = await startByteSink()
      const { id, dpi, stock } = printer
      const socket = socketPrinterSchema.parse({
        ...{ id, driver: 'socket', host: '127.0.0.1', port: network.port, dpi, stock },
      })
      const overNetwork = await createSocketDriver(rasterizer).print(contextFor(socket, label), staysOpen)
      expect(overNetwork).toEqual({ kind: 'handed-over' })
      expect(network.received().toString('latin1').replaceAll('~HS\r\n', '')).toBe(sent)
    })

    it('are not sent to a raw queue when a barcode cannot be read from them', async () => {
      const sink = await startByteSink()
      await cups.server().addRawQueue('RAWCODE', `socket://127.0.0.1:${sink.port}`)
      const findings = [{ kind: 'barcode-lost' as const, page: 1, name: 'ITF' }]
      const prove = async () => ({ proof: { kind: 'proved' as const, symbols: [] }, findings })
      const proving = createCupsDriver(withBarcodeProofs(rasterizer, { prove }, () => 'always'))
      const context = contextFor(systemPrinter('RAWCODE'), await pdfLabel())
      expect(await proving.print(context, staysOpen)).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: 'label-loses-content', findings },
      })
      expect(sink.connections()).toBe(0)
    })

    it.each([
      [{}, 203],
      [{ dpi: 300 as const }, 300],
    ])(
      'have their barcodes read on a driver queue with %j at %d dpi, and are held when one is lost',
      async (fields, dpi) => {
        const { fake, queue } = await printerWithQueue()
        const findings = [{ kind: 'barcode-lost' as const, page: 1, name: 'ITF' }]
        const prove = vi.fn(async (_drawn: DrawnLabel) => ({
          ...{ proof: { kind: 'proved' as const, symbols: [] }, findings },
        }))
        const proving = createCupsDriver(withBarcodeProofs(rasterizer, { prove }, () => 'always'))
        const context = contextFor(systemPrinter(queue, fields), await pdfLabel())
        expect(await proving.print(context, staysOpen)).toMatchObject({
          ...{ kind: 'failed', nothingPrinted: true, error: { code: 'label-loses-content', findings } },
        })
        expect(fake.jobs).toEqual([])
        const [label] = prove.mock.calls[0] ?? []
        expect(label?.bitmaps).toHaveLength(1)
        expect(label?.bitmaps[0]?.width).toBeCloseTo((100 / 25.4) * dpi, -1)
      },
    )

    it('are drawn from a PDF as ZPL for a queue with the Zebra driver of CUPS, at the resolution of the queue', async () => {
      const sink = await startByteSink()
      await cups.server().addDriverQueue('ZEBRA', `socket://127.0.0.1:${sink.port}`, 'zebra.ppd')
      await cups.server().run('/usr/sbin/lpadmin', '-p', 'ZEBRA', '-o', 'Resolution=300dpi')
      vi.stubEnv('CUPS_SERVER', cups.server().socketPath)
      expect(await driver.findDpi?.(systemPrinter('ZEBRA'))).toBe(300)
      const context = contextFor(systemPrinter('ZEBRA'), await pdfLabel())
      expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
      const sent = sink.received().toString('latin1')
      expect(sent).toContain('^PW1181')
      expect(sent).toMatch(/\^GFA,\d+,\d+,148,/)
    })

    it('are refused as ZPL by a queue with the EPL driver of the same manufacturer', async () => {
      const sink = await startByteSink()
      await cups.server().addDriverQueue('EPL', `socket://127.0.0.1:${sink.port}`, 'zebraep2.ppd')
      const context = contextFor(systemPrinter('EPL'), labelWith({ kind: 'zpl', bytes: zpl }))
      expect(await driver.print(context, staysOpen)).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: 'printer-takes-no-zpl' },
      })
      expect(sink.connections()).toBe(0)
    })

    it('are sent in the language that the settings state, whatever the driver of the queue', async () => {
      const sink = await startByteSink()
      await cups.server().addDriverQueue('STATED', `socket://127.0.0.1:${sink.port}`, 'zebraep2.ppd')
      const printer = systemPrinter('STATED', { language: 'zpl', dpi: 203 })
      const carrierZpl = labelWith({ kind: 'zpl', bytes: zpl })
      expect(await driver.print(contextFor(printer, carrierZpl), staysOpen)).toEqual({ kind: 'handed-over' })
      expect(sink.received().equals(Buffer.concat([zpl, zplReset]))).toBe(true)
      expect(await driver.print(contextFor(printer, await pdfLabel()), staysOpen)).toEqual({
        kind: 'handed-over',
      })
      expect(sink.received().toString('latin1')).toContain('^PW800')
      const tspl = contextFor(systemPrinter('STATED', { language: 'tspl' }), carrierZpl)
      expect(await driver.print(tspl, staysOpen)).toMatchObject({
        error: { code: 'label-in-other-language' },
      })
      const drawn = contextFor(systemPrinter('STATED', { language: 'tspl' }), await pdfLabel())
      expect(await driver.print(drawn, staysOpen)).toEqual({ kind: 'handed-over' })
      // The line ends complete a picture that may have broken off before.
      expect(sink.received().toString('latin1')).toMatch(/(\r\n){60000}\r\nSIZE 100 mm/)
    })

    it('are refused as ZPL by a queue that would print them as text', async () => {
      const { fake, queue } = await printerWithQueue()
      const large = Buffer.from('^XA^PW1181^LL1772^FO60,90^FDHello^FS^XZ')
      const label = labelWith({ kind: 'zpl', bytes: large })
      const context = contextFor(systemPrinter(queue, { dpi: 203 }), label)
      expect(await driver.print(context, staysOpen)).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error: { code: 'printer-takes-no-zpl', message: expect.stringContaining('ZPL') },
      })
      expect(fake.jobs).toEqual([])
    })
  })

  it('prints on the papers of a DYMO driver, whose names begin like the bounds of custom sizes', async () => {
    const sink = await startByteSink()
    await cups.server().addDriverQueue('DYMO', `socket://127.0.0.1:${sink.port}`, 'dymo.ppd')
    const stock = { widthMm: 57, heightMm: 102 }
    const label = labelWith({ bytes: await markedPdf(57, 102, [{ x: 10, y: 10, width: 20, height: 20 }]) })
    const context = contextFor(systemPrinter('DYMO', { stock }), label)
    expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(sink.received().length).toBeGreaterThan(1000)
  })

  describe('darkness, speed and other printer settings', () => {
    it('reach a printer when its driver has options for darkness and speed', async () => {
      const sink = await startByteSink()
      await cups.server().addDriverQueue('EPL-HEAT', `socket://127.0.0.1:${sink.port}`, 'zebraep2.ppd')
      const printer = systemPrinter('EPL-HEAT', { stock: fourBySix, darkness: 30, speed: 3 })
      const label = labelWith({ bytes: await markedPdf(101.6, 152.4) })
      expect(await driver.print(contextFor(printer, label), staysOpen)).toEqual({ kind: 'handed-over' })
      const sent = sink.received().toString('latin1')
      expect(sent).toContain('\nD15\n')
      expect(sent).toContain('\nS3\n')
    })

    it('reach a DYMO driver, which has four named levels of darkness', async () => {
      const sink = await startByteSink()
      await cups.server().addDriverQueue('DYMO-HEAT', `socket://127.0.0.1:${sink.port}`, 'dymo.ppd')
      const stock = { widthMm: 57, heightMm: 102 }
      for (const darkness of [0, 30]) {
        const label = labelWith({ bytes: await markedPdf(57, 102) })
        const context = contextFor(systemPrinter('DYMO-HEAT', { stock, darkness }), label)
        expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
      }
      const sent = sink.received().toString('latin1')
      expect(sent).toContain('\u001bc')
      expect(sent.indexOf('\u001bf')).toBeGreaterThan(sent.indexOf('\u001bc'))
    })

    it.each([
      [
        { speed: 9 },
        {
          code: 'speed-not-supported',
          details: { value: '9', supported: 'Default, 1, 1.5, 2, 2.5, 3, 4, 5, 6' },
        },
      ],
      [{ darkness: 0 }, { code: 'darkness-not-supported', details: { value: '0' } }],
    ])('are refused before anything is sent when the driver lacks them: %j', async (fields, error) => {
      const sink = await startByteSink()
      await cups.server().addDriverQueue('EPL-NONE', `socket://127.0.0.1:${sink.port}`, 'zebraep2.ppd')
      const printer = systemPrinter('EPL-NONE', { stock: fourBySix, ...fields })
      const label = labelWith({ bytes: await markedPdf(101.6, 152.4) })
      expect(await driver.print(contextFor(printer, label), staysOpen)).toMatchObject({
        kind: 'failed',
        nothingPrinted: true,
        error,
      })
      expect(sink.connections()).toBe(0)
      expect(await probePrinter(printer, '/nowhere', 'linux')).toMatchObject({ code: 'failed', error })
    })

    it.each([{ stockTracking: 'mark' }, { printMode: 'cutter' }, { darknessChange: -3 }] as const)(
      'are refused before anything is sent when a driver draws and only a printer language has them: %j',
      async (fields) => {
        const { fake, queue } = await printerWithQueue()
        const printer = systemPrinter(queue, fields)
        const error = { code: 'setting-needs-language', details: { setting: Object.keys(fields)[0] } }
        expect(await driver.print(contextFor(printer, await pdfLabel()), staysOpen)).toMatchObject({
          ...{ kind: 'failed', nothingPrinted: true, error },
        })
        expect(fake.jobs).toEqual([])
        expect(await probePrinter(printer, '/nowhere', 'linux')).toMatchObject({ code: 'failed', error })
      },
    )

    it('are sent through a raw queue, where a label on continuous stock ends 5 mm below its last ink', async () => {
      const sink = await startByteSink()
      await cups.server().addRawQueue('RAW-ROLL', `socket://127.0.0.1:${sink.port}`)
      const printer = systemPrinter('RAW-ROLL', {
        ...{ stockTracking: 'continuous', printMode: 'cutter', darknessChange: -3 },
      })
      const long = labelWith({ bytes: await markedPdf(100, 210) })
      expect(await driver.print(contextFor(printer, long), staysOpen)).toEqual({ kind: 'handed-over' })
      const sent = sink.received().toString('latin1')
      expect(sent).toContain('^MNN^MMC^MD-3')
      const [lowest] = marks.map(({ y, height }) => y + height).toSorted((one, other) => other - one)
      const length = Number(/\^LL(\d+)/.exec(sent)?.[1])
      expect(Math.abs(length - ((lowest ?? 0) + 5) * 8)).toBeLessThan(8)
      const carrierZpl = labelWith({ kind: 'zpl', bytes: zpl })
      expect(await driver.print(contextFor(printer, carrierZpl), staysOpen)).toEqual({ kind: 'handed-over' })
      expect(sink.received().toString('latin1')).toContain('^XA^MNN^MMC^MD-3^XZ\n^XA^FO10,10')
    })

    it('are written into the ZPL that the app draws, and before and after the carrier’s ZPL', async () => {
      const sink = await startByteSink()
      await cups.server().addRawQueue('RAW-HEAT', `socket://127.0.0.1:${sink.port}`)
      const printer = systemPrinter('RAW-HEAT', { darkness: 12, speed: 5 })
      expect(await driver.print(contextFor(printer, await pdfLabel()), staysOpen)).toEqual({
        kind: 'handed-over',
      })
      expect(sink.received().toString('latin1')).toMatch(/~SD12[\s\S]*\^PR5/)
      const carrierZpl = labelWith({ kind: 'zpl', bytes: zpl })
      expect(await driver.print(contextFor(printer, carrierZpl), staysOpen)).toEqual({ kind: 'handed-over' })
      expect(sink.received().toString('latin1')).toMatch(
        /~SD12\n\^XA\^PR5\^XZ\n\^XA\^FO10,10\^FDHello\^FS\^XZ~SD12\n\^XA\^PON.*\^PR5\^XZ\n$/,
      )
    })
  })

  /** A print queue with one label and one printer. */
  function queueFor(label: PrintableLabel, name: string, jobs = createMemoryJobs()) {
    const queue = createPrintQueue({
      paused: { list: async () => [], set: async () => undefined },
      jobs,
      labels: labelsInMemory([label]),
      invoices: noInvoices,
      settings: printingSettings(() => ({ printers: [systemPrinter(name)] })),
      drivers: {
        system: driver,
        folder: createFolderDriver('/nowhere', rasterizer),
        socket: createSocketDriver(rasterizer),
      },
      measure: (pdf) => rasterizer.measure(pdf),
      log: silentLog,
      now: () => new Date(),
      bus: createEventBus(),
    })
    onTestFinished(() => queue.stop())
    return { queue, jobs }
  }

  it('holds a batch while the CUPS queue rejects jobs, and prints it in order once the queue accepts jobs', async () => {
    const { fake, queue: name } = await printerWithQueue()
    const label = await pdfLabel()
    const { queue, jobs } = queueFor(label, name)
    await cups.server().run('/usr/sbin/cupsreject', '-r', 'head is worn out', name)
    const { shipmentId, labelId } = label
    const job = { shipmentId, labelId, printerId: systemPrinter(name).id, printerName: name } as const
    await jobs.add([
      { ...job, id: 'one', kind: 'first' },
      { ...job, id: 'two', kind: 'first' },
    ])
    await queue.start()
    const says = [{ code: 'own-words', words: 'head is worn out' }]
    await vi.waitFor(
      () => expect(jobs.all()[0]).toMatchObject({ state: 'queued', note: { code: 'takes-no-labels', says } }),
      patient,
    )
    expect(jobs.all()[1]).toMatchObject({ state: 'queued', note: null })
    await cups.server().run('/usr/sbin/cupsaccept', name)
    const ended = await queue.whenJobsEnded(label.shipmentId)
    expect(ended.map(({ state }) => state)).toEqual(['handed-over', 'handed-over'])
    const [first, second] = jobs.all().map(({ acceptedAt }) => acceptedAt ?? '')
    expect((first ?? '') < (second ?? '')).toBe(true)
    expect(fake.jobs).toHaveLength(2)
  })

  it.each([
    ['to the same queue', false],
    ['after its printer got another queue', true],
  ])(
    'prints a label once that was in a stopped queue of CUPS when the app closed, and is printed again %s',
    async (_, isMoved) => {
      const { fake, queue: name } = await printerWithQueue()
      const second = isMoved ? await printerWithQueue() : { fake, queue: name }
      // The longest title that CUPS keeps.
      const label = { ...(await pdfLabel()), reference: '→'.repeat(120) }
      await cups.server().run('/usr/sbin/cupsdisable', name)
      const { queue: first, jobs } = queueFor(label, name)
      await first.start()
      await first.reprint(label.shipmentId)
      await vi.waitFor(
        () => expect(jobs.all()).toMatchObject([{ state: 'sending', note: { code: 'queue-stopped' } }]),
        patient,
      )
      await first.stop()
      await vi.waitFor(() => expect(jobs.all()).toMatchObject([{ state: 'unconfirmed' }]), patient)
      const { queue } = queueFor(label, second.queue, jobs)
      await queue.start()
      expect(await queue.printAgain(jobs.all()[0]?.id ?? '')).toMatchObject({ ok: true })
      await cups.server().run('/usr/sbin/cupsenable', name)
      const ended = await queue.whenJobsEnded(label.shipmentId)
      expect(ended.map(({ state }) => state)).toEqual(['cancelled', 'handed-over'])
      const listed = () => cups.server().run('lpstat', '-o', `${name},${second.queue}`)
      await vi.waitFor(async () => expect(await listed()).toBe(''), patient)
      expect(second.fake.jobs).toHaveLength(1)
      expect(fake.jobs).toHaveLength(isMoved ? 0 : 1)
    },
  )

  it.each([['another-user'], ['']])(
    'asks CUPS as the user as whom `lp` prints: CUPS_USER=%s',
    async (user) => {
      const { queue } = await printerWithQueue()
      vi.stubEnv('CUPS_USER', user)
      await cups.server().run('/usr/sbin/cupsdisable', queue)
      const sent = await runLp({ queue, copies: 1, title: 'own', options: ['raw'], document: zpl })
      expect(sent).toMatchObject({ ok: true })
      const server = await findPrintServer()
      if (!server.ok) throw new Error('no print server')
      const onlyOwn = { name: 'my-jobs', tag: valueTag.boolean, values: [true] }
      const target = [toPrinterUri(queue), onlyOwn]
      const answer = await askPrintServer(server.value, { operation: operation.getJobs, target })
      const listed = answer.ok ? answer.value.groups.filter(({ tag }) => tag === groupTag.job) : []
      expect(listed).toHaveLength(1)
    },
  )

  it('reprints a stored label through the print queue, once for each request', async () => {
    const { fake, queue: name } = await printerWithQueue()
    const label = await pdfLabel()
    const { queue } = queueFor(label, name)
    await queue.start()
    await queue.reprint(label.shipmentId)
    expect(await queue.whenJobsEnded(label.shipmentId)).toMatchObject([{ state: 'handed-over' }])
    await queue.reprint(label.shipmentId, label.labelId)
    const jobs = await queue.whenJobsEnded(label.shipmentId)
    expect(jobs.map((job) => [job.kind, job.state, job.acceptedAt !== null])).toEqual([
      ['reprint', 'handed-over', true],
      ['reprint', 'handed-over', true],
    ])
    expect(fake.jobs.map((job) => readPwgRaster(job.document).length)).toEqual([1, 1])
  })

  describe('an unreachable printer of a CUPS queue', () => {
    it('is noted as unavailable while its job waits', async () => {
      const { fake, queue } = await printerWithQueue()
      await fake.close()
      const context = contextFor(systemPrinter(queue), await pdfLabel())
      const closing = new AbortController()
      const printed = driver.print(context, closing.signal)
      await vi.waitFor(() => expect(JSON.stringify(context.notes)).toContain('unavailable'), patient)
      closing.abort()
      expect(await printed).toMatchObject({ kind: 'unconfirmed' })
    })

    it('fails the job when the queue is configured to abort jobs after an error', async () => {
      const fake = await startFakePrinter()
      await cups.server().addQueue('GIVES-UP', `${fake.uri}?contimeout=1`)
      await cups.server().run('/usr/sbin/lpadmin', '-p', 'GIVES-UP', '-o', 'printer-error-policy=abort-job')
      await fake.close()
      const context = contextFor(systemPrinter('GIVES-UP'), await pdfLabel())
      expect(await driver.print(context, staysOpen)).toMatchObject({
        kind: 'failed',
        nothingPrinted: false,
        error: { code: 'printer-failed', says: expect.arrayContaining([{ code: 'given-up' }]) },
      })
    })
  })
})
