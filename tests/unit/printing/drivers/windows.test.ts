import { access, readFile } from 'node:fs/promises'
import { describe, expect, it, vi } from 'vitest'
import { createWindowsDriver } from '../../../../src/main/printing/drivers/windows'
import type { WindowsPrinting } from '../../../../src/main/printing/drivers/windowsPrinting'
import { loadWindowsPrinting } from '../../../../src/main/printing/drivers/windowsPrinting'
import { listSystemQueues } from '../../../../src/main/printing/systemQueues'
import { systemPrinterSchema } from '../../../../src/shared/printing'
import { createInlineRasterizer } from '../../../support/printing/inlineRasterizer'
import { labelWith, markedPdf } from '../../../support/printing/labels'
import { contextFor, staysOpen } from '../../../support/printing/printContext'

const rasterizer = createInlineRasterizer()
const sumatraPdfPath = 'C:\\Program Files\\Packbench\\SumatraPDF.exe'
const printer = systemPrinterSchema.parse({
  id: 'win',
  driver: 'system',
  queue: 'Zebra & "Söhne" %PATH%',
  copies: 2,
})

/** Stands in for pdf-to-printer, which works on Windows only. */
function standIn(print: WindowsPrinting['print']): WindowsPrinting {
  return {
    print: vi.fn(print),
    getPrinters: vi.fn(async () => [{ name: printer.queue, paperSizes: ['A4', '100 x 150 mm'] }]),
    getDefaultPrinter: async () => ({ name: printer.queue }),
  }
}

function driverOn(printing: WindowsPrinting, timeoutMs?: number) {
  return createWindowsDriver({
    load: async () => printing,
    sumatraPdfPath,
    rasterizer,
    ...(timeoutMs !== undefined && { timeoutMs }),
  })
}

describe('printing on Windows', () => {
  it('hands SumatraPDF the stored bytes in a file, unscaled, on the paper of the stock', async () => {
    const bytes = await markedPdf()
    const printed: { file: string; content: Buffer }[] = []
    const printing = standIn(async (file) => {
      printed.push({ file, content: await readFile(file) })
    })
    const context = contextFor(printer, labelWith({ bytes }))
    expect(await driverOn(printing).print(context, staysOpen)).toEqual({ kind: 'handed-over' })
    expect(context.acceptedTimes()).toBe(1)
    expect(printing.print).toHaveBeenCalledWith(expect.stringMatching(/label\.pdf$/), {
      printer: printer.queue,
      scale: 'noscale',
      orientation: 'portrait',
      copies: 2,
      silent: true,
      sumatraPdfPath,
      paperSize: '100 x 150 mm',
    })
    expect(printed[0]?.content.equals(bytes)).toBe(true)
    await expect(access(printed[0]?.file ?? '')).rejects.toThrow()
  })

  it('asks for the papers of a queue once', async () => {
    const printing = standIn(async () => {})
    const driver = driverOn(printing)
    const label = labelWith({ bytes: await markedPdf() })
    await driver.print(contextFor(printer, label), staysOpen)
    await driver.print(contextFor(printer, label), staysOpen)
    expect(printing.getPrinters).toHaveBeenCalledTimes(1)
    expect(printing.print).toHaveBeenCalledTimes(2)
  })

  it('refuses a label of another size and a ZPL label before anything is started', async () => {
    const printing = standIn(async () => {})
    const driver = driverOn(printing)
    const a4 = labelWith({ bytes: await markedPdf(210, 297) })
    expect(await driver.print(contextFor(printer, a4), staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted: true,
      error: { code: 'label-needs-placement' },
    })
    const zpl = labelWith({ kind: 'zpl', bytes: Buffer.from('^XA^XZ') })
    expect(await driver.print(contextFor(printer, zpl), staysOpen)).toMatchObject({
      kind: 'failed',
      error: { code: 'printer-takes-no-zpl' },
    })
    expect(printing.print).not.toHaveBeenCalled()
  })

  it.each([
    ['Operating System not supported', true],
    [Object.assign(new Error('spawn SumatraPDF.exe ENOENT'), { code: 'ENOENT' }), true],
    [Object.assign(new Error('Command failed'), { code: 1 }), false],
  ])('fails with words for %s', async (problem, nothingPrinted) => {
    const printing = standIn(() => Promise.reject(problem))
    const label = labelWith({ bytes: await markedPdf() })
    expect(await driverOn(printing).print(contextFor(printer, label), staysOpen)).toMatchObject({
      kind: 'failed',
      nothingPrinted,
      error: { code: 'printer-failed' },
    })
  })

  it('is unconfirmed when SumatraPDF does not end in time, and when the app is closed meanwhile', async () => {
    const hangs = standIn(() => new Promise(() => {}))
    const label = labelWith({ bytes: await markedPdf() })
    expect(await driverOn(hangs, 30).print(contextFor(printer, label), staysOpen)).toMatchObject({
      kind: 'unconfirmed',
      error: { code: 'print-unconfirmed' },
    })
    const closing = new AbortController()
    const under = driverOn(hangs).print(contextFor(printer, label), closing.signal)
    await vi.waitFor(() => expect(hangs.print).toHaveBeenCalledTimes(2))
    closing.abort()
    expect(await under).toMatchObject({ kind: 'unconfirmed' })
  })
})

describe('queues of Windows', () => {
  it('are listed with their papers and the default', async () => {
    expect(await listSystemQueues('win32', async () => standIn(async () => {}))).toEqual([
      {
        queue: printer.queue,
        description: printer.queue,
        isDefault: true,
        media: ['A4', '100 x 150 mm'],
      },
    ])
  })

  it.runIf(process.platform !== 'win32')('are none where pdf-to-printer refuses to work', async () => {
    const printing = await loadWindowsPrinting()
    await expect(printing.getPrinters()).rejects.toBe('Operating System not supported')
    expect(await listSystemQueues('win32')).toEqual([])
  })
})
