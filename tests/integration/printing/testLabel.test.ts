import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPrinterDrivers } from '../../../src/main/printing/drivers/createDrivers'
import { calibratePrinter, printTestLabel } from '../../../src/main/printing/queue/testLabel'
import { type Printer, printerSchema } from '../../../src/shared/printing'
import { hasCups } from '../../support/cups/privateCups'
import { useCups } from '../../support/cups/useCups'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { readEpl, readTspl } from '../../support/printing/labelLanguages'
import { staysOpen } from '../../support/printing/printContext'
import { printingSettings } from '../../support/printing/printingSettings'
import { scanDots, scanPicture } from '../../support/printing/scanner'
import { startZplMachine } from '../../support/printing/zplMachine'
import { readZplPictures } from '../../support/printing/zplPicture'
import { answeringPrinter } from '../../support/printing/zplPrinter'
import { temporaryFolder } from '../../support/temporaryFolder'

const rasterizer = createInlineRasterizer()

/** Prints the test label of one printer with the drivers of a real station. */
async function printOn(fields: object, dataFolder = '/') {
  const printer: Printer = printerSchema.parse({ id: 'bench', name: 'Bench 1', ...fields })
  return printTestLabel('bench', {
    settings: printingSettings(() => ({ printers: [printer] })),
    drivers: createPrinterDrivers({ platform: 'linux', dataFolder, sumatraPdfPath: '', rasterizer }),
    queue: { runBetweenJobs: (_printerId, work) => work(staysOpen), noteOutcome: () => undefined },
  })
}

describe('calibrating the sensor for labels', () => {
  /** Calibrates a printer with the drivers of a real station. */
  async function calibrate(fields: object) {
    const printer: Printer = printerSchema.parse({ id: 'bench', name: 'Bench 1', ...fields })
    const usedPrinters: string[] = []
    const answer = await calibratePrinter('bench', {
      settings: printingSettings(() => ({ printers: [printer] })),
      drivers: createPrinterDrivers({ platform: 'linux', dataFolder: '/', sumatraPdfPath: '', rasterizer }),
      queue: {
        runBetweenJobs: (printerId, work) => {
          usedPrinters.push(printerId)
          return work(staysOpen)
        },
        noteOutcome: () => undefined,
      },
    })
    return { answer, usedPrinters }
  }
  const network = { driver: 'socket', host: '127.0.0.1' }

  it.each([
    [{}, '~JC\n'],
    [{ stockTracking: 'mark' }, '^XA^MNM^XZ\n~JC\n'],
    [{ language: 'epl2' }, 'xa\n'],
    [{ language: 'tspl' }, 'GAPDETECT\r\n'],
    [{ language: 'tspl', stockTracking: 'mark' }, 'BLINEDETECT\r\n'],
  ])('sends a printer with %j the command %j between its jobs', async (profile, command) => {
    const sink = await startByteSink()
    const { answer, usedPrinters } = await calibrate({ ...network, port: sink.port, ...profile })
    expect(answer).toMatchObject({
      ok: true,
      value: { code: 'calibrating', details: { printer: 'Bench 1' } },
    })
    const sent = sink.received().toString('latin1').replaceAll('~HS\r\n', '').replaceAll('\u001b!?', '')
    // The line ends before the command complete a picture that may have broken off before the app started.
    expect(sent.replace(/^[\r\n]*/, '')).toBe(command)
    expect(usedPrinters).toEqual(['bench'])
  })

  it('queries the status more than once when the printer answers, and prints no label', async () => {
    const machine = await startZplMachine()
    const { answer } = await calibrate({ ...network, port: machine.port, stockTracking: 'mark' })
    expect(answer).toMatchObject({ ok: true, value: { code: 'calibrating' } })
    expect(machine.asked('HS')).toBeGreaterThan(1)
    expect([machine.maxInside(), machine.printed]).toEqual([0, []])
  })

  it.each([
    { ...network, language: 'epl2', stockTracking: 'mark' },
    { ...network, language: 'tspl', stockTracking: 'continuous' },
    { driver: 'folder', path: 'out' },
  ])('is refused for %j, which has nothing to calibrate', async (fields) => {
    expect((await calibrate(fields)).answer).toMatchObject({
      ok: false,
      error: { code: 'calibration-not-possible' },
    })
  })

  it('reports an unreachable printer', async () => {
    expect((await calibrate({ ...network, port: 1 })).answer).toMatchObject({
      ok: false,
      error: { code: 'printer-unreachable' },
    })
  })

  describe.runIf(hasCups())('through a system queue', () => {
    const cups = useCups()

    it('goes through a raw queue of CUPS, and is refused for a queue whose driver draws', async () => {
      const sink = await startByteSink()
      await cups.server().addRawQueue('RAW', `socket://127.0.0.1:${sink.port}`)
      const { answer, usedPrinters } = await calibrate({
        driver: 'system',
        queue: 'RAW',
        stockTracking: 'mark',
      })
      expect(answer).toMatchObject({ ok: true, value: { code: 'calibrating' } })
      expect(sink.received().toString('latin1')).toBe('^XA^MNM^XZ\n~JC\n')
      expect(usedPrinters).toEqual(['bench'])
      const { fake, queue } = await cups.printerWithQueue()
      expect((await calibrate({ driver: 'system', queue })).answer).toMatchObject({
        error: { code: 'calibration-not-possible' },
      })
      expect(fake.jobs).toEqual([])
    })
  })
})

describe('a test label', () => {
  it('is written to a folder as a PDF that is 100 mm wide', async () => {
    const dataFolder = await temporaryFolder()
    const answer = await printOn({ driver: 'folder', path: 'out' }, dataFolder)
    const file = join(dataFolder, 'out', 'test-label.pdf')
    expect(answer).toMatchObject({ ok: true, value: { code: 'written', details: { file } } })
    const pages = await rasterizer.measure(await readFile(file))
    expect(pages).toMatchObject({ ok: true, value: [{ widthMm: expect.closeTo(100, 1) }] })
  })

  it('reaches a network printer with its border at the edge of the stock and a readable barcode', async () => {
    const sink = await startByteSink()
    const stock = { widthMm: 102, heightMm: 152 }
    const answer = await printOn({ driver: 'socket', host: '127.0.0.1', port: sink.port, stock, dpi: 300 })
    expect(answer).toMatchObject({ ok: true, value: { code: 'taken', details: { printer: 'Bench 1' } } })
    const [picture, ...others] = readZplPictures(sink.received().toString('latin1'))
    if (picture === undefined) throw new Error('no picture arrived')
    expect(others).toEqual([])
    expect([picture.width, picture.height]).toEqual([1205, 1795])
    const blackNear = (x: number, y: number) =>
      [0, 1, 2, 3, 4, 5].some(
        (step) => picture.dot(Math.abs(x - step), y) || picture.dot(x, Math.abs(y - step)),
      )
    const middle = [Math.round(picture.width / 2), Math.round(picture.height / 2)] as const
    expect(blackNear(5, middle[1] + 200)).toBe(true)
    expect(blackNear(picture.width - 1, middle[1] + 200)).toBe(true)
    expect(blackNear(...middle)).toBe(true)
    const [scanned] = await scanDots(sink.received())
    expect(scanned?.length).toBeGreaterThanOrEqual(1)
  })

  it('has the size of the stock and a readable barcode at the resolution of each print head', async () => {
    for (const [dpi, width, height] of [
      [152, 300, 450],
      [305, 600, 900],
      [406, 800, 1200],
      [609, 1200, 1800],
    ]) {
      const sink = await startByteSink()
      const stock = { widthMm: 50, heightMm: 75 }
      await printOn({ driver: 'socket', host: '127.0.0.1', port: sink.port, stock, dpi })
      const [picture] = readZplPictures(sink.received().toString('latin1'))
      expect([picture?.width, picture?.height]).toEqual([width, height])
      expect((await scanDots(sink.received()))[0]).toContain('PB3')
    }
  })

  it.each(['epl2', 'tspl'] as const)(
    'has three readable barcodes on a printer that reads %s',
    async (language) => {
      const sink = await startByteSink()
      await printOn({ driver: 'socket', host: '127.0.0.1', port: sink.port, language })
      const job = Buffer.from(sink.received().toString('latin1').replace('\u001b!?', ''), 'latin1')
      const [label] = (language === 'epl2' ? readEpl(job) : readTspl(job, 8)).labels
      if (label === undefined) throw new Error('no label arrived')
      expect((await scanPicture(label.picture)).toSorted()).toEqual(['PB2', 'PB3', 'PB4'])
    },
  )

  it('is refused, instead of waiting, when the head is open or the printer is unreachable', async () => {
    const sink = await startByteSink(
      answeringPrinter(
        () => ({ headOpen: true }),
        () => undefined,
      ),
    )
    expect(await printOn({ driver: 'socket', host: '127.0.0.1', port: sink.port })).toMatchObject({
      ok: false,
      error: { code: 'printer-not-ready', says: [{ code: 'head-open' }] },
    })
    expect(await printOn({ driver: 'socket', host: '127.0.0.1', port: 1 })).toMatchObject({
      ok: false,
      error: { code: 'printer-unreachable' },
    })
  })
})
