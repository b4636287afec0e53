import { randomUUID } from 'node:crypto'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import type { Lifecycle } from '../../../src/main/app/lifecycle'
import { createPrintJobRepository } from '../../../src/main/printing/queue/repository'
import { migrations } from '../../../src/main/storage/migrations'
import type { CustomsParty } from '../../../src/shared/customs'
import { type PrintJobState, printerSchema } from '../../../src/shared/printing'
import type { Simulator } from '../../../src/simulator/simulator'
import { openTestDatabase } from '../../support/databaseWorker'
import { aDraft } from '../../support/drafts'
import { createStubDrivers } from '../../support/printing/stubDriver'
import { recordStatements } from '../../support/recordStatements'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

const party: CustomsParty = {
  companyName: 'Company',
  name: 'Name',
  street: 'Street',
  houseNumber: '1',
  postalCode: '1000',
  city: 'City',
  country: 'CH',
  email: 'name@example.com',
  phoneNumber: '+310000000',
  type: 'Y',
  vatNumber: 'VAT',
  eoriNumber: 'EORI',
}
const item = { productCode: 'P1', product: 'Book', hsCode: '490199', countryOfOrigin: 'NL', itemPrice: 12.5 }
const draft = aDraft({
  country: 'CH',
  customs: {
    ...{ invoiceNumber: 'INV-1', invoiceDate: '2026-11-21', terms: 'DAP', currency: 'EUR', reason: 'sale' },
    ...{ sender: { ...party, country: 'NL' }, recipient: party },
    items: [{ ...item, quantity: 2, weight: 0.5 }],
  },
})

/** A station that prints labels at `zebra` and their invoices at `office`. The test ends the jobs of both printers. */
async function exportStation(folder: string, simulator: Simulator) {
  const drivers = createStubDrivers()
  const made = await connectedStation(
    folder,
    simulator,
    {
      printers: [
        { driver: 'folder', id: 'zebra', path: 'out' },
        printerSchema.parse({ driver: 'system', id: 'office', queue: 'A4' }),
      ],
      routing: [{ printer: 'zebra', standby: 'office' }],
      customs: {
        documentPrinter: 'office',
        printInvoice: 'with-label',
        invoiceLanguage: 'nl',
        invoicePrefix: 'INV-',
      },
    },
    { drivers },
  )
  return { ...made, drivers, arrived: () => drivers.arrivals.map(({ printer }) => printer.id) }
}

async function create({ shipping }: Services, print = true, wanted = draft) {
  const created = await shipping.create({
    attemptId: randomUUID(),
    draft: wanted,
    origin: 'screen',
    print,
    takenAt: new Date(),
  })
  if (!created.ok) throw new Error(created.error.message)
  return created.value
}

async function getInvoices(features: Services, shipmentId: string) {
  const jobs = await features.jobs.listByShipment(shipmentId)
  return jobs.filter(({ document }) => document === 'invoice')
}

it('the preview of an invoice shows the first page and counts all', async () => {
  const { features } = await exportStation(await temporaryFolder(), await testSimulator())
  const long = { ...item, product: 'Book '.repeat(30), quantity: 2, weight: 0.5 }
  const items = Array.from({ length: 300 }, () => long)
  const customs = draft.customs && { ...draft.customs, items }
  const { id } = await create(features, false, { ...draft, customs })
  const preview = await features.handlers.previewInvoice({ shipmentId: id, language: 'en' })
  expect(preview.ok && preview.value.pages).toBeGreaterThan(20)
})

describe('an invoice that is printed with its label', () => {
  /** A station that created a shipment with an unknown outcome. */
  async function unknownStation(print: boolean) {
    const simulator = await testSimulator()
    const { features, arrived } = await exportStation(await temporaryFolder(), simulator)
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'resetAfterReading' }, times: 1 })
    const { id, state } = await create(features, print)
    expect(state).toBe('unknown')
    return { features, arrived, id }
  }

  it('is printed when a person resolves an unknown outcome as existing', async () => {
    const { features, arrived, id } = await unknownStation(true)
    expect((await features.shipping.resolveUnknown(id, 'exists', '3SFOUND')).ok).toBe(true)
    await expect.poll(arrived).toEqual(['office'])
    expect(await getInvoices(features, id)).toMatchObject([{ kind: 'first', reference: 'ORDER-1' }])
  })

  it.each<[string, boolean, 'exists' | 'does-not-exist', number]>([
    ['not printed', false, 'exists', 0],
    ['not printed', true, 'does-not-exist', 0],
    ['not printed again after a person did', true, 'exists', 1],
  ])('is %s (print: %s) for an outcome that is resolved as %s', async (_case, print, verdict, printed) => {
    const { features, id } = await unknownStation(print)
    if (printed > 0) expect(await features.printing.printInvoice(id, 'nl')).toMatchObject({ ok: true })
    expect((await features.shipping.resolveUnknown(id, verdict, null)).ok).toBe(true)
    expect(await getInvoices(features, id)).toHaveLength(printed)
  })

  it('is not printed when the label is not to be printed', async () => {
    const { features } = await exportStation(await temporaryFolder(), await testSimulator())
    expect((await create(features, false)).jobs).toEqual([])
  })

  it('waits for a paused printer without delaying its label, and can be cancelled', async () => {
    const { features, drivers, arrived } = await exportStation(await temporaryFolder(), await testSimulator())
    await features.printing.pause('office', true)
    const shipment = await create(features)
    await expect.poll(arrived).toEqual(['zebra'])
    drivers.arrivals[0]?.end({ kind: 'done' })
    // A wait for the label does not include the invoice.
    const ended = await features.printing.whenJobsEnded(shipment.id)
    expect(ended.map(({ document, state }) => [document, state])).toEqual([['label', 'done']])
    const [invoice] = await getInvoices(features, shipment.id)
    expect(invoice).toMatchObject({
      state: 'queued',
      printerId: 'office',
      reference: 'ORDER-1',
      language: 'nl',
    })
    await expect
      .poll(() => features.printing.listStatuses())
      .toContainEqual(expect.objectContaining({ id: 'office', state: 'paused', waitingJobs: 1 }))
    expect(await features.printing.cancel(invoice?.id ?? '')).toMatchObject({ ok: true })
    await features.printing.pause('office', false)
    expect(await getInvoices(features, shipment.id)).toMatchObject([{ state: 'cancelled' }])
    expect(arrived()).toEqual(['zebra'])
  })

  it.each([
    [
      'the app was closed',
      async (folder: string, station: Lifecycle) => {
        await station.stop()
        return folder
      },
    ],
    [
      'the app crashed',
      async (folder: string) => {
        const copy = await temporaryFolder()
        await cp(folder, copy, { recursive: true })
        return copy
      },
    ],
  ])(
    'is unconfirmed when %s during the transfer, is not sent again by itself and can be reprinted',
    async (_how, end) => {
      const [folder, simulator] = [await temporaryFolder(), await testSimulator()]
      const before = await exportStation(folder, simulator)
      const shipment = await create(before.features)
      await expect.poll(() => before.arrived().sort()).toEqual(['office', 'zebra'])
      const left = await end(folder, before.station)

      const after = await exportStation(left, simulator)
      const [unconfirmed] = await getInvoices(after.features, shipment.id)
      expect(unconfirmed).toMatchObject({ state: 'unconfirmed', kind: 'first' })
      // A second start of the print queue adds no second invoice.
      await after.features.printing.start()
      expect(await getInvoices(after.features, shipment.id)).toHaveLength(1)
      expect(after.arrived()).toEqual([])
      const again = await after.features.printing.printAgain(unconfirmed?.id ?? '')
      expect(again).toMatchObject({
        ok: true,
        value: { document: 'invoice', kind: 'reprint', language: 'nl' },
      })
      await expect.poll(after.arrived).toEqual(['office'])
      expect(after.drivers.arrivals[0]?.label).toMatchObject({ kind: 'pdf', barcode: 'invoice-INV-1' })
      expect(await getInvoices(after.features, shipment.id)).toMatchObject([
        { state: 'cancelled' },
        { state: 'sending' },
      ])
    },
  )

  it('has no standby and fails instead of waiting for a placement', async () => {
    const { features, drivers, arrived } = await exportStation(await temporaryFolder(), await testSimulator())
    const shipment = await create(features)
    await expect.poll(arrived).toContain('office')
    const invoice = drivers.arrivals.find(({ printer }) => printer.id === 'office')
    expect(invoice).toMatchObject({ hasStandby: false, rules: [] })
    const error = { code: 'label-needs-placement' as const, message: 'too large' }
    invoice?.end({ kind: 'failed', error, nothingPrinted: true })
    await expect.poll(() => getInvoices(features, shipment.id)).toMatchObject([{ state: 'failed', error }])
  })
})

it('refuses a second invoice while one waits, and any invoice without a document printer', async () => {
  const { features } = await exportStation(await temporaryFolder(), await testSimulator())
  await features.printing.pause('office', true)
  const { id } = await create(features)
  expect(await features.printing.printInvoice(id, 'nl')).toMatchObject({
    error: {
      code: 'label-already-waiting',
      details: { printer: 'office' },
      message: expect.stringMatching(/^The invoice of/),
    },
  })
  const none = features.settings.change({
    customs: { ...features.settings.current().customs, documentPrinter: null },
  })
  expect(none.ok).toBe(true)
  expect(await features.printing.printInvoice(id, 'en')).toMatchObject({
    error: { code: 'no-document-printer' },
  })
})

it.each([
  ['none is chosen', { documentPrinter: null }, {}],
  ['it was removed', {}, { printers: [{ driver: 'folder', id: 'zebra', path: 'out' }] }],
] as const)(
  'of a label fails in the queue if a document printer is missing since %s',
  async (_, customs, change) => {
    const { features } = await exportStation(await temporaryFolder(), await testSimulator())
    const { settings } = features
    const changed = settings.change({
      ...{ customs: { ...settings.current().customs, ...customs }, routing: [] },
      ...('printers' in change && { printers: [...change.printers] }),
    })
    expect(changed.ok).toBe(true)
    const { id } = await create(features)
    const error = { code: 'no-document-printer' }
    await expect.poll(() => getInvoices(features, id)).toMatchObject([{ state: 'failed', error }])
    const [failed] = await getInvoices(features, id)
    const printAgain = () => features.printing.printAgain(failed?.id ?? '')
    expect(await printAgain()).toMatchObject({ error })
    const [printer] = settings.current().printers
    const documentPrinter = printer?.id ?? ''
    expect(settings.change({ customs: { ...settings.current().customs, documentPrinter } }).ok).toBe(true)
    expect(await printAgain()).toMatchObject({ value: { printerId: documentPrinter } })
  },
)

it('that waited at a printer which was replaced fails, and is printed again on the present document printer', async () => {
  const { features, drivers, arrived } = await exportStation(await temporaryFolder(), await testSimulator())
  const { settings } = features
  drivers.away.add('office')
  const { id } = await create(features)
  await expect.poll(arrived).toContain('office')
  const successor = printerSchema.parse({ driver: 'system', id: 'successor', queue: 'A4-2' })
  const customs = { ...settings.current().customs, documentPrinter: 'successor' }
  const [zebra] = settings.current().printers
  const printers = zebra === undefined ? [] : [zebra, successor]
  expect(settings.change({ printers, customs, routing: [] }).ok).toBe(true)
  drivers.arrivals.find(({ printer }) => printer.id === 'office')?.end({ kind: 'not-started' })
  await expect
    .poll(() => getInvoices(features, id))
    .toMatchObject([
      { state: 'failed', error: { code: 'printer-not-found', details: { printer: 'office' } } },
    ])
  const [failed] = await getInvoices(features, id)
  expect(await features.printing.printAgain(failed?.id ?? '')).toMatchObject({
    value: { printerId: 'successor' },
  })
})

describe('the table of print jobs', () => {
  const rebuilt = migrations.findIndex((step) => step.includes('create table all_print_jobs'))

  async function openOlder(rows: string) {
    const path = join(await temporaryFolder(), 'packbench.db')
    const before = new Libsql(path)
    for (const step of migrations.slice(0, rebuilt)) before.exec(step)
    before.exec(`
      insert into shipments (id, attempt_id, reference, state, origin, draft, recipient, city, country,
        carrier_option_id, print, taken_at, search_text)
        values ('s', 'a', 'REF', 'created', 'ship', '{}', '', '', '', 34, 1, '', '');
      insert into labels (id, shipment_id, position, barcode, kind, byte_length) values ('l', 's', 1, '3S', 'pdf', 1);
      ${rows} pragma user_version = ${rebuilt};`)
    before.close()
    const database = await openTestDatabase(path)
    if (!database.ok) throw new Error(database.error.message)
    onTestFinished(() => database.value.destroy())
    return {
      path,
      jobs: createPrintJobRepository(database.value, () => new Date('2026-11-22T10:00:00.000Z')),
    }
  }

  it('keeps all fields of a job of an earlier version, and its number', async () => {
    const { path, jobs } = await openOlder(`
      insert into print_jobs (number, id, shipment_id, label_id, printer_id, printer_name, state, kind, created_at,
        updated_at, accepted_at, output_path, note, error, page_from, page_to, scanned_at, agreed_losses)
        values (7, 'j', 's', 'l', 'zebra', 'Zebra', 'queued', 'reprint', '2026-03-01T08:30:00.000Z',
          '2026-03-01T08:31:00.000Z', '2026-03-01T08:32:00.000Z', '/x', '{"code":"trying-again","says":[]}',
          '{"code":"printer-failed","message":"m"}', 2, 3, '2026-03-01T08:33:00.000Z', '["ink-cut"]');`)
    const known = {
      ...{ id: 'j', shipmentId: 's', document: 'label', labelId: 'l', labelPosition: 1, reference: 'REF' },
      ...{ barcode: '3S', printerId: 'zebra', printerName: 'Zebra', state: 'queued', kind: 'reprint' },
      ...{ createdAt: '2026-03-01T08:30:00.000Z', updatedAt: '2026-03-01T08:31:00.000Z', outputPath: '/x' },
      ...{ acceptedAt: '2026-03-01T08:32:00.000Z', note: { code: 'trying-again', says: [] } },
      ...{ error: { code: 'printer-failed', message: 'm' }, pages: { from: 2, to: 3 } },
      ...{ scannedAt: '2026-03-01T08:33:00.000Z', agreedLosses: ['ink-cut'] },
    }
    expect(await jobs.find('j')).toEqual(known)
    const numbers = new Libsql(path, { readonly: true })
    onTestFinished(() => void numbers.close())
    expect(numbers.prepare('select id, number from print_jobs').all()).toEqual([{ id: 'j', number: 7 }])
    expect(await jobs.listQueues([])).toEqual([{ next: known, count: 1 }])
    await jobs.change('j', ['queued'], { state: 'done' })
    expect(await jobs.listQueues([])).toEqual([])
  })

  it('finds the newest jobs, and the one that a printer was sent last, without sorting all of them', async () => {
    const { path, jobs } = await openOlder('')
    const states: PrintJobState[] = ['done', 'handed-over']
    const newest = await recordStatements(() => jobs.newestInStates(states, 100))
    const last = await recordStatements(() => jobs.findLastSent('zebra', states))
    const plans = new Libsql(path)
    onTestFinished(() => void plans.close())
    const toPlan = (statement: string) =>
      JSON.stringify(plans.prepare(`explain query plan ${statement}`).all())
    const [byAge, bySending] = [newest.map(toPlan), last.map(toPlan)]
    expect(byAge).toEqual([
      expect.stringMatching(/print_jobs_by_age/),
      expect.stringMatching(/print_jobs_by_age/),
    ])
    expect(bySending).toEqual([expect.stringMatching(/print_jobs_by_sending/)])
    expect([...byAge, ...bySending].join()).not.toContain('TEMP B-TREE')
  })
})
