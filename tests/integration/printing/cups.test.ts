import { PDFDocument } from 'pdf-lib'
import { describe, expect, it, vi } from 'vitest'
import type { IppValue } from '../../../src/main/printing/cups/ipp'
import { createCupsDriver } from '../../../src/main/printing/drivers/cups'
import type { PrintOutcome } from '../../../src/main/printing/drivers/driver'
import type { SystemPrinter } from '../../../src/shared/printing'
import type { ArrivedJob } from '../../support/cups/fakePrinter'
import { hasCups } from '../../support/cups/privateCups'
import { readPwgRaster } from '../../support/cups/pwgRaster'
import { systemPrinter, useCups } from '../../support/cups/useCups'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { joinedPdf, labelWith, markedPdf, marks } from '../../support/printing/labels'
import { contextFor, staysOpen } from '../../support/printing/printContext'
import {
  hiddenMark,
  layeredPdf,
  secondMarks,
  shownMark,
  unusualPdfs,
} from '../../support/printing/unusualPdfs'
import { temporaryFolder } from '../../support/temporaryFolder'

const dotsPerMm = 203 / 25.4
const driver = createCupsDriver(createInlineRasterizer())

describe.runIf(hasCups())('printing through CUPS', () => {
  const cups = useCups()
  const { printerWithQueue } = cups

  function print(printer: SystemPrinter, bytes: Buffer): Promise<PrintOutcome> {
    return driver.print(contextFor(printer, labelWith({ bytes })), staysOpen)
  }

  describe('the document that arrives at the printer', () => {
    it('is one unscaled page of the label’s size with all ink at its place', async () => {
      const { fake, queue } = await printerWithQueue()
      const context = contextFor(systemPrinter(queue), labelWith({ bytes: await markedPdf() }))
      expect(await driver.print(context, staysOpen)).toEqual({ kind: 'handed-over' })
      // A note is cleared only after there was a note.
      expect(context.notes[0]).not.toBeNull()
      const [page, ...others] = readPwgRaster(onlyJob(fake.jobs).document)
      expect(others).toEqual([])
      expect(page?.pageSize).toEqual([283, 425])
      expect([page?.width, page?.height]).toEqual([799, 1199])
      for (const mark of marks) expectMark(page, mark)
      expect(getMediaSize(onlyJob(fake.jobs))).toEqual([10_000, 15_000])
    })

    it('is the same PDF page for a printer that accepts PDF', async () => {
      const { fake, queue } = await printerWithQueue({ formats: ['application/pdf'] })
      expect(await print(systemPrinter(queue), await markedPdf())).toEqual({ kind: 'handed-over' })
      const job = onlyJob(fake.jobs)
      expect(job.format).toBe('application/pdf')
      const pages = (await PDFDocument.load(job.document)).getPages()
      expect(pages.map((page) => [Math.round(page.getWidth()), Math.round(page.getHeight())])).toEqual([
        [283, 425],
      ])
    })

    it.each([
      [{ widthMm: 101.6, heightMm: 152.4 }, [10_160, 15_240]],
      [{ widthMm: 102, heightMm: 152 }, [10_160, 15_240]],
      [{ widthMm: 105, heightMm: 148 }, [10_500, 14_800]],
    ])('is on the medium nearest to a stock of %o', async (stock, media) => {
      const { fake, queue } = await printerWithQueue()
      const pdf = await markedPdf(stock.widthMm, stock.heightMm)
      expect(await print(systemPrinter(queue, { stock }), pdf)).toEqual({ kind: 'handed-over' })
      const [page] = readPwgRaster(onlyJob(fake.jobs).document)
      for (const mark of marks) expectMark(page, mark)
      expect(getMediaSize(onlyJob(fake.jobs))).toEqual(media)
    })

    it('has the exact size of the stock on a printer that accepts any size within bounds', async () => {
      const { fake, queue } = await printerWithQueue({
        anySize: { width: [2500, 12_000], height: [2500, 30_000] },
      })
      const stock = { widthMm: 59, heightMm: 191 }
      const mark = { x: 5, y: 170, width: 20, height: 10 }
      expect(await print(systemPrinter(queue, { stock }), await markedPdf(59, 191, [mark]))).toEqual({
        kind: 'handed-over',
      })
      const [page] = readPwgRaster(onlyJob(fake.jobs).document)
      expect(page?.pageSize).toEqual([167, 541])
      expectMark(page, mark)
    })

    it('is turned and shifted according to the printer settings', async () => {
      const { fake, queue } = await printerWithQueue()
      // On a page of 150 x 100 mm. After a clockwise turn, its left edge is at the top.
      const mark = { x: 10, y: 70, width: 40, height: 20 }
      const printer = systemPrinter(queue, { rotate: 90, offsetMm: { x: 2, y: 3 } })
      expect(await print(printer, await markedPdf(150, 100, [mark]))).toEqual({ kind: 'handed-over' })
      const [page, ...others] = readPwgRaster(onlyJob(fake.jobs).document)
      expect(others).toEqual([])
      expect(page?.pageSize).toEqual([283, 425])
      expectMark(page, { x: 12, y: 13, width: 20, height: 40 })
    })

    it('has each page of a label in the configured number of copies', async () => {
      const { fake, queue } = await printerWithQueue()
      const printer = systemPrinter(queue, { copies: 2 })
      expect(await print(printer, await markedPdf(100, 150, marks, 3))).toEqual({ kind: 'handed-over' })
      const pages = readPwgRaster(onlyJob(fake.jobs).document).length
      const copies = onlyJob(fake.jobs).attributes.find(({ name }) => name === 'copies')?.values[0] ?? 1
      expect(pages * Number(copies)).toBe(6)
    })

    it.each([
      [undefined, ['first', 'second', 'first', 'second']],
      [false, ['first', 'first', 'second', 'second']],
    ])('has the copies of two pages in the right order, with collate %s', async (collate, order) => {
      const { fake, queue } = await printerWithQueue()
      const printer = systemPrinter(queue, { copies: 2, ...(collate !== undefined && { collate }) })
      const [first, second] = [
        { x: 10, y: 10, width: 30, height: 20 },
        { x: 50, y: 90, width: 30, height: 20 },
      ]
      const document = await PDFDocument.load(await markedPdf(100, 150, [first]))
      const other = await PDFDocument.load(await markedPdf(100, 150, [second]))
      for (const page of await document.copyPages(other, [0])) document.addPage(page)
      expect(await print(printer, Buffer.from(await document.save()))).toEqual({ kind: 'handed-over' })
      const job = onlyJob(fake.jobs)
      expect(job.attributes.find(({ name }) => name === 'copies')?.values[0] ?? 1).toBe(1)
      const seen = readPwgRaster(job.document).map((page) =>
        page.black(25 * 8, 20 * 8) ? 'first' : 'second',
      )
      expect(seen).toEqual(order)
    })

    it.each(unusualPdfs)('is unscaled and has all ink at its place for a label %s', async (_, pdf) => {
      const { fake, queue } = await printerWithQueue()
      expect(await print(systemPrinter(queue), await pdf())).toEqual({ kind: 'handed-over' })
      const [first, second, ...others] = readPwgRaster(onlyJob(fake.jobs).document)
      expect(others).toEqual([])
      for (const mark of marks) expectMark(first, mark)
      for (const mark of secondMarks) expectMark(second, mark)
    })

    it('is shifted without showing a hidden layer', async () => {
      const { fake, queue } = await printerWithQueue()
      const printer = systemPrinter(queue, { offsetMm: { x: 3, y: 2 } })
      expect(await print(printer, await layeredPdf())).toEqual({ kind: 'handed-over' })
      const [page] = readPwgRaster(onlyJob(fake.jobs).document)
      expectMark(page, { ...shownMark, x: shownMark.x + 3, y: shownMark.y + 2 })
      const dots = (millimetres: number) => Math.round(millimetres * dotsPerMm)
      expect(page?.black(dots(hiddenMark.x + 13), dots(hiddenMark.y + 12))).toBe(false)
    })

    it.each([
      'fit-to-page=true number-up=2 media=iso_a6_105x148mm job-sheets=standard,standard',
      'PageSize=A6 PageRegion=A6',
      'page-ranges=2 mirror=true outputorder=reverse',
      'landscape=true page-set=odd page-border=single',
    ])('is not affected by options that the user has set for the queue: %s', async (options) => {
      const { fake, queue } = await printerWithQueue()
      vi.stubEnv('HOME', await temporaryFolder())
      await cups
        .server()
        .run('lpoptions', '-p', queue, ...options.split(' ').flatMap((option) => ['-o', option]))
      expect(await cups.server().run('lpoptions', '-p', queue)).toContain(options.split(' ')[0])
      const label = await joinedPdf(await markedPdf(), await markedPdf(100, 150, secondMarks))
      expect(await print(systemPrinter(queue), label)).toEqual({ kind: 'handed-over' })
      const [first, second, ...others] = readPwgRaster(onlyJob(fake.jobs).document)
      expect(others).toEqual([])
      for (const mark of marks) expectMark(first, mark)
      for (const mark of secondMarks) expectMark(second, mark)
      expect(getMediaSize(onlyJob(fake.jobs))).toEqual([10_000, 15_000])
    })

    it('is not turned or mirrored by the defaults of the queue', async () => {
      const { fake, queue } = await printerWithQueue()
      const defaults = ['orientation-requested-default=6', 'mirror-default=true', 'number-up-default=2']
      await cups
        .server()
        .run('/usr/sbin/lpadmin', '-p', queue, ...defaults.flatMap((option) => ['-o', option]))
      expect(await print(systemPrinter(queue), await markedPdf())).toEqual({ kind: 'handed-over' })
      const [page, ...others] = readPwgRaster(onlyJob(fake.jobs).document)
      expect(others).toEqual([])
      for (const mark of marks) expectMark(page, mark)
    })
  })
})

function onlyJob(jobs: ArrivedJob[]): ArrivedJob {
  const [job, ...others] = jobs
  if (job === undefined || others.length > 0) throw new Error(`${jobs.length} jobs arrived`)
  return job
}

/** The size of the medium that the job requests, in hundredths of a millimetre. */
function getMediaSize(job: ArrivedJob): IppValue[] {
  const collection = (value: IppValue | undefined) => (Array.isArray(value) ? value : [])
  const mediaCol = collection(job.attributes.find(({ name }) => name === 'media-col')?.values[0])
  const size = collection(mediaCol.find(({ name }) => name === 'media-size')?.values[0])
  return size.flatMap(({ values }) => values)
}

/** Expects a mark at its place within two dots, and white beside it. */
function expectMark(
  page: ReturnType<typeof readPwgRaster>[number] | undefined,
  mark: { x: number; y: number; width: number; height: number },
): void {
  const dots = (millimetres: number) => Math.round(millimetres * dotsPerMm)
  const [left, top, right, bottom] = [
    dots(mark.x),
    dots(mark.y),
    dots(mark.x + mark.width),
    dots(mark.y + mark.height),
  ]
  const seen = (x: number, y: number) => page?.black(x, y)
  expect([seen(left + 2, top + 2), seen(right - 3, bottom - 3)]).toEqual([true, true])
  expect([seen(left - 3, top + 2), seen(left + 2, top - 3)]).toEqual([false, false])
  expect([seen(right + 2, bottom - 3), seen(right - 3, bottom + 2)]).toEqual([false, false])
}
