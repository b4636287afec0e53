import { randomUUID } from 'node:crypto'
import { PDFDocument, rgb } from 'pdf-lib'
import { expect, it, onTestFinished } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { createCupsDriver } from '../../../src/main/printing/drivers/cups'
import { createFolderDriver } from '../../../src/main/printing/drivers/folder'
import { createSocketDriver } from '../../../src/main/printing/drivers/socket'
import { createPrintQueue } from '../../../src/main/printing/queue/printQueue'
import { socketPrinterSchema } from '../../../src/shared/printing'
import { startByteSink } from '../../support/printing/byteSink'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelsInMemory, labelWith, noInvoices } from '../../support/printing/labels'
import { createMemoryJobs } from '../../support/printing/memoryJobs'
import { printingSettings } from '../../support/printing/printingSettings'
import { readZplPictures } from '../../support/printing/zplPicture'
import { silentLog } from '../../support/silentLog'

const pointsPerMm = 72 / 25.4

/** A PDF with pages of 50 x 25 mm. The black row on page n is n mm long. */
async function numberedPages(count: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let number = 1; number <= count; number += 1) {
    const page = document.addPage([50 * pointsPerMm, 25 * pointsPerMm])
    const row = { x: 0, y: 12 * pointsPerMm, height: 2 * pointsPerMm, color: rgb(0, 0, 0) }
    page.drawRectangle({ ...row, width: number * pointsPerMm })
  }
  return Buffer.from(await document.save())
}

it('prints each page of a label of 45 pages once and in order, in parts of at most 20', async () => {
  const sink = await startByteSink()
  const printer = socketPrinterSchema.parse({
    ...{ id: 'zebra', driver: 'socket', host: '127.0.0.1', port: sink.port },
    stock: { widthMm: 50, heightMm: 25 },
  })
  const label = labelWith({ bytes: await numberedPages(45) })
  const jobs = createMemoryJobs()
  const rasterizer = createInlineRasterizer()
  const queue = createPrintQueue({
    ...{ jobs, labels: labelsInMemory([label]), settings: printingSettings(() => ({ printers: [printer] })) },
    invoices: noInvoices,
    paused: { list: async () => [], set: async () => undefined },
    drivers: {
      socket: createSocketDriver(rasterizer),
      system: createCupsDriver(rasterizer),
      folder: createFolderDriver('/nowhere', rasterizer),
    },
    measure: (pdf) => rasterizer.measure(pdf),
    ...{ log: silentLog, now: () => new Date(), bus: createEventBus() },
  })
  onTestFinished(() => queue.stop())
  const { shipmentId, labelId } = label
  await jobs.add([
    { id: randomUUID(), shipmentId, labelId, printerId: 'zebra', printerName: 'Zebra', kind: 'first' },
  ])
  await queue.start()
  await queue.whenJobsEnded(shipmentId)
  const pages = readZplPictures(sink.received().toString('latin1')).map((picture) => {
    const row = Array.from({ length: 400 }, (_, x) => picture.dot(x, 96))
    return Math.round(row.filter(Boolean).length / 8)
  })
  expect(pages).toEqual(Array.from({ length: 45 }, (_, index) => index + 1))
  expect(jobs.all().map(({ state, pages: range }) => [state, range?.from, range?.to])).toEqual([
    ['cancelled', undefined, undefined],
    ['handed-over', 1, 20],
    ['handed-over', 21, 40],
    ['handed-over', 41, 45],
  ])
})
