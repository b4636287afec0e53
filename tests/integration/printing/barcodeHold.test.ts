import { join } from 'node:path'
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { createWorkerProver, withBarcodeProofs } from '../../../src/main/printing/barcodes/barcodeProver'
import { createPrinterDrivers } from '../../../src/main/printing/drivers/createDrivers'
import { createPrintQueue } from '../../../src/main/printing/queue/printQueue'
import { createPrintJobRepository } from '../../../src/main/printing/queue/repository'
import { type PrintJobState, socketPrinterSchema } from '../../../src/shared/printing'
import { buildWorker } from '../../support/builtWorker'
import { openTestDatabase } from '../../support/databaseWorker'
import { subDotLabel } from '../../support/printing/corpus/subDots'
import { symbols } from '../../support/printing/corpus/symbols'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { labelsInMemory, labelWith, noInvoices } from '../../support/printing/labels'
import { printingSettings } from '../../support/printing/printingSettings'
import { startZplMachine } from '../../support/printing/zplMachine'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

let script: URL

beforeAll(async () => {
  script = await buildWorker('barcodeWorker', 'src/main/printing/barcodes/worker.ts')
})

/** Prints a label with an ITF code, whose narrow bars are `moduleMm` wide, at a station with one printer. */
async function printItf(moduleMm: number, readingMs = 20_000) {
  const machine = await startZplMachine()
  const printer = socketPrinterSchema.parse({
    ...{ id: 'zebra', driver: 'socket', host: '127.0.0.1', port: machine.port },
    stock: { widthMm: 100, heightMm: 100 },
  })
  const bytes = await subDotLabel({
    ...{ symbol: { ...symbols.itf, moduleMm }, producer: 'rectangles one by one', shiftMm: 0 },
  })
  const label = labelWith({ bytes })
  const folder = await temporaryFolder()
  const database = await openTestDatabase(join(folder, 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  await storeLabel(database.value, label)
  const jobs = createPrintJobRepository(database.value, () => new Date())
  const prover = createWorkerProver(script, { readingMs, waitingMs: 20_000 })
  const rasterizer = withBarcodeProofs(createInlineRasterizer(), prover, () => 'always')
  const queue = createPrintQueue({
    ...{ jobs, labels: labelsInMemory([label]), settings: printingSettings(() => ({ printers: [printer] })) },
    invoices: noInvoices,
    paused: { list: async () => [], set: async () => undefined },
    drivers: createPrinterDrivers({
      ...{ platform: 'linux', dataFolder: folder, sumatraPdfPath: '', rasterizer },
    }),
    measure: (pdf) => rasterizer.measure(pdf),
    ...{ log: silentLog, now: () => new Date(), bus: createEventBus() },
  })
  onTestFinished(async () => {
    await queue.stop()
    await prover.close()
    await database.value.destroy()
  })
  await jobs.add([
    {
      ...{ id: 'job', shipmentId: label.shipmentId, labelId: label.labelId },
      ...{ printerId: 'zebra', printerName: 'zebra', kind: 'first' },
    },
  ])
  await queue.start()
  const waitForState = (state: PrintJobState) =>
    vi.waitFor(
      async () => {
        const job = await jobs.find('job')
        expect(job?.state).toBe(state)
        return job
      },
      { timeout: 40_000 },
    )
  return { machine, queue, waitForState }
}

type Stored = ReturnType<typeof labelWith>
type Opened = Extract<Awaited<ReturnType<typeof openTestDatabase>>, { ok: true }>['value']

async function storeLabel(
  database: Opened,
  { shipmentId, labelId, barcode, reference }: Stored,
): Promise<void> {
  await database
    .insertInto('shipments')
    .values({
      ...{ id: shipmentId, attemptId: 'a', reference, state: 'created', origin: 'screen', draft: '{}' },
      ...{ recipient: '', city: '', country: '', carrierOptionId: 34, print: 1, barcodes: '[]' },
      ...{ takenAt: '2026-03-01T08:30:00.000Z', searchText: '' },
    })
    .execute()
  await database
    .insertInto('labels')
    .values({ id: labelId, shipmentId: shipmentId, position: 1, barcode, kind: 'pdf', byteLength: 1 })
    .execute()
}

it('holds a label whose barcode the print head would lose, with its place, and prints it once the loss is accepted', async () => {
  const { machine, queue, waitForState } = await printItf(0.17)
  const held = await waitForState('waiting')
  expect(held?.error).toMatchObject({
    code: 'label-loses-content',
    findings: [{ kind: 'barcode-lost', page: 1, name: 'ITF', text: symbols.itf.text }],
  })
  expect(held?.error?.findings?.[0]?.areas).toHaveLength(1)
  expect(held?.barcodes).toMatchObject({ kind: 'proved', symbols: [{ symbology: 'itf', grade: 'F' }] })
  expect(machine.printed).toEqual([])
  expect((await queue.releaseDespite('job', ['barcode-lost'])).ok).toBe(true)
  await waitForState('handed-over')
  expect(machine.printed).toHaveLength(1)
})

it('prints a label whose barcode is read from the dots, and stores its grade with the job', async () => {
  const { machine, waitForState } = await printItf(0.25)
  const job = await waitForState('handed-over')
  expect(machine.printed).toHaveLength(1)
  expect(job?.barcodes).toMatchObject({
    kind: 'proved',
    symbols: [{ symbology: 'itf', text: symbols.itf.text, grade: 'A', deviationDots: 0 }],
  })
})

it('prints a label whose barcode cannot be read in time, and stores that it is not proved', async () => {
  const { machine, waitForState } = await printItf(0.17, 1)
  const job = await waitForState('handed-over')
  expect(machine.printed).toHaveLength(1)
  expect(job?.barcodes).toEqual({ kind: 'not-proved', reason: 'too-slow' })
})
