import { randomUUID } from 'node:crypto'
import { copyFile, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import { describe, expect, it, type MockInstance, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import type { Services } from '../../../src/main/app/compose'
import { createConsignments } from '../../../src/main/consignments/consignments'
import { LineSheet } from '../../../src/main/consignments/lines/lineSheet'
import type { LineWorker, OnChecked } from '../../../src/main/consignments/lines/lineWorker'
import { ManifestRepository } from '../../../src/main/consignments/repository'
import type { DatabaseThread } from '../../../src/main/storage/databaseThread'
import { preAlertAnswerSchema, toPosition } from '../../../src/shared/consignments'
import type { Result } from '../../../src/shared/result'
import type { SettingsChange } from '../../../src/shared/settings'
import type { Fault } from '../../../src/simulator/faults'
import type { Simulator } from '../../../src/simulator/simulator'
import { lentThreads } from '../../support/databaseWorker'
import { deferred } from '../../support/deferred'
import { aDraft } from '../../support/drafts'
import { createInlineLineWorker } from '../../support/inlineLineWorker'
import { toCsv } from '../../support/manifests/lines'
import { sampleOf } from '../../support/sampleOf'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

const number = '074-12345675'

function good<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`)
  return result.value
}

function toBytes(text: string): ArrayBuffer {
  return new Uint8Array(Buffer.from(text)).buffer
}

async function consignmentStation(settings: SettingsChange = {}, folder?: string, simulator?: Simulator) {
  const data = folder ?? (await temporaryFolder())
  const service = simulator ?? (await testSimulator())
  const { station, features } = await connectedStation(data, service, settings)
  return { data, simulator: service, station, features, ...features }
}

async function imported(features: Services, lines = 3): Promise<string> {
  const { manifests } = features
  const { id } = good(await manifests.create(number))
  const file = good(await manifests.readFile('lines.csv', toBytes(toCsv(lines))))
  good(
    await manifests.takeFile(id, {
      importId: file.importId,
      mapping: file.mapping,
      decimalMark: 'automatic',
      replace: true,
    }),
  )
  return id
}

/** An air waybill whose lines were checked and noted before anything else happens. */
async function importedAndChecked(features: Services): Promise<string> {
  const id = await imported(features)
  await vi.waitFor(async () => expect(await features.manifests.list()).toMatchObject([{ id, lines: 3 }]))
  return id
}

/** Two created shipments of one parcel each. */
async function createShipments(features: Services) {
  const create = (reference: string) =>
    features.shipping.create({
      attemptId: randomUUID(),
      draft: aDraft({ reference }),
      origin: 'screen',
      print: false,
      takenAt: new Date(),
    })
  return [good(await create('A-1')), good(await create('A-2'))]
}

function dayAway(days: number): Date {
  return new Date(Date.now() + days * 24 * 60 * 60 * 1000)
}

/** @param more sizes of further pages */
async function pdf(...more: [number, number][]): Promise<ArrayBuffer> {
  const document = await PDFDocument.create()
  document.addPage([300, 400])
  for (const size of more) document.addPage(size)
  return new Uint8Array(await document.save()).buffer
}

/** Of an app that does not end. */
const running = new AbortController().signal

const request = { airWaybillNumber: number, estimatedTimeOfArrival: '2026-12-24', grossWeight: 1.95 }

describe('a manifest', () => {
  it('is imported from a file and uploaded, followed by its pre-alert, without a deviation from the specification', async () => {
    const { features, manifests, submissions, manifestRepository, simulator } = await consignmentStation()
    const id = await imported(features)
    expect(good(await manifests.details(id))).toMatchObject({
      state: 'draft',
      lines: 3,
      summary: { errors: 0 },
    })

    const page = good(await submissions.upload({ manifestId: id }))
    expect(page).toMatchObject({
      state: 'uploaded',
      lock: 'open',
      uploads: [{ state: 'accepted', status: 200, lines: 3, parcels: 3, packages: 1, speaksOfErrors: false }],
    })
    const [upload] = page.uploads
    expect(await manifestRepository.findUploadAnswer(upload?.id ?? '')).toContain('Manifest data received')

    const wish = {
      manifestId: id,
      request,
      fileName: 'awb.pdf',
      bytes: await pdf(),
      uploadedElsewhere: false,
    }
    const alerted = good(await submissions.sendPreAlert(wish))
    expect(alerted.preAlerts).toMatchObject([
      {
        state: 'accepted',
        answer: { totalParcels: 3, boxes: 1, totalManifestWeight: 1.8, carrierName: 'KLM' },
      },
    ])
    expect(simulator.deviations()).toEqual([])
  })

  it('shows later changes of its lines, and the app ends cleanly, after storing one check failed', async () => {
    const { station, features } = await consignmentStation()
    const { manifests, manifestRepository } = features
    const id = await imported(features)
    const listLines = async () => (await manifests.list()).map(({ lines }) => lines)
    await vi.waitFor(async () => expect(await listLines()).toEqual([3]))
    const noting = vi.spyOn(manifestRepository, 'noteLines').mockRejectedValueOnce(new Error('disk full'))
    const remove = () => manifests.edit(id, { kind: 'remove', from: 0, to: 0 })
    good(await remove())
    await vi.waitFor(() => expect(noting).toHaveBeenCalledTimes(1))
    good(await remove())
    await vi.waitFor(async () => expect(await listLines()).toEqual([1]))
    await station.stop()
  })

  it('keeps its edited lines after a restart', async () => {
    const { data, station, features, simulator } = await consignmentStation()
    const id = await imported(features)
    good(
      await features.manifests.edit(id, {
        kind: 'put',
        row: 0,
        column: 4,
        values: [['Changed']],
      }),
    )
    await station.stop()
    const again = await consignmentStation({}, data, simulator)
    expect(good(await again.manifests.details(id)).lines).toBe(3)
    const of = { manifestId: id, airWaybillNumber: number }
    const page = good(
      await again.manifests.lines(id, (worker) => worker.call('read', { ...of, from: 0, count: 1 })),
    )
    expect(page.rows[0]?.[4]).toBe('Changed')
  })

  it('opens whichever way its number is written, so that it is not sent a second time by itself', async () => {
    const { features, manifests, submissions } = await consignmentStation()
    const id = await imported(features)
    good(await submissions.upload({ manifestId: id }))
    for (const spelling of ['07412345675', '074 1234 5675'])
      expect(good(await manifests.create(spelling))).toMatchObject({ id, airWaybillNumber: number })
    expect(good(await manifests.create('074-12345686')).id).not.toBe(id)
  })

  it('has its own page if its number, of another form, differs from others only in where the marks are', async () => {
    const { manifests } = await consignmentStation()
    for (const one of ['2026-1-11', '2026-11-1', '12.3', '1.23'])
      expect(good(await manifests.create(one)).airWaybillNumber).toBe(one)
    expect(await manifests.list()).toHaveLength(4)
  })

  it('that was accepted is sent again only with a confirmation, also after a refused upload', async () => {
    const { features, submissions, simulator } = await consignmentStation()
    const id = await imported(features)
    good(await submissions.upload({ manifestId: id }))
    const refused = { ok: false, error: { code: 'manifest-accepted' } }
    expect(await submissions.upload({ manifestId: id })).toMatchObject(refused)
    simulator.faults.add({ operation: 'manifest', fault: { kind: 'status', status: 422 }, times: 1 })
    expect(good(await submissions.upload({ manifestId: id, again: true }))).toMatchObject({
      uploads: [{ state: 'refused' }, { state: 'accepted' }],
    })
    expect(await submissions.upload({ manifestId: id })).toMatchObject(refused)
    expect(sent(simulator, 'manifest')).toBe(2)
  })

  it('can be removed after an upload that the service refused or that never left, but not after any other', async () => {
    const { features, manifests, manifestRepository, submissions, simulator } = await consignmentStation()
    const id = await imported(features)
    simulator.faults.add({ operation: 'manifest', fault: { kind: 'status', status: 422 }, times: 1 })
    good(await submissions.upload({ manifestId: id }))
    good(await manifests.remove(id))
    expect(await manifests.list()).toEqual([])
    expect(await manifestRepository.listUploads(id)).toEqual([])

    const sent = await imported(features)
    good(await submissions.upload({ manifestId: sent }))
    expect(await manifests.remove(sent)).toMatchObject({ ok: false, error: { code: 'manifest-uploaded' } })
  })

  it('is not removed while it is being sent', async () => {
    const { features, manifests, manifestRepository, submissions, simulator } = await consignmentStation()
    const id = await imported(features)
    simulator.faults.add({ operation: 'manifest', fault: { kind: 'status', status: 422 }, times: 1 })
    good(await submissions.upload({ manifestId: id }))
    const sending = submissions.upload({ manifestId: id })
    const busy = { ok: false, error: { code: 'manifest-busy' } }
    expect(await manifests.remove(id)).toMatchObject(busy)
    const [upload] = good(await sending).uploads
    expect(upload).toMatchObject({ state: 'accepted' })
    await expect(manifestRepository.removeManifest(id)).rejects.toThrow('FOREIGN KEY')
    expect(good(await manifests.details(id)).uploads).toMatchObject([
      { id: upload?.id },
      { state: 'refused' },
    ])

    const { id: other } = good(await manifests.create('074-12345686'))
    const removing = manifests.remove(other)
    expect(await submissions.upload({ manifestId: other })).toMatchObject(busy)
    good(await removing)
  })

  it('has one body built for its upload, and none before a later change of its lines', async () => {
    const { features, manifests, submissions } = await consignmentStation()
    const id = await importedAndChecked(features)
    const building = vi.spyOn(LineSheet.prototype, 'body')
    onTestFinished(() => building.mockRestore())
    const hashing = vi.spyOn(LineSheet.prototype, 'hashBody')
    onTestFinished(() => hashing.mockRestore())
    expect(good(await submissions.upload({ manifestId: id }))).toMatchObject({ hasUnsentLines: false })
    expect(building).toHaveBeenCalledTimes(1)
    hashing.mockClear()
    good(await manifests.edit(id, { kind: 'put', row: 0, column: 4, values: [['Changed']] }))
    expect(hashing).not.toHaveBeenCalled()
    expect(good(await manifests.details(id))).toMatchObject({ hasUnsentLines: true })
  })

  it('with another number of lines than were uploaded is known as changed without building its body', async () => {
    const { features, manifests, submissions } = await consignmentStation()
    const id = await importedAndChecked(features)
    good(await submissions.upload({ manifestId: id }))
    const hashing = vi.spyOn(LineSheet.prototype, 'hashBody')
    onTestFinished(() => hashing.mockRestore())
    good(await manifests.edit(id, { kind: 'insert', at: 0, count: 1 }))
    expect(good(await manifests.details(id))).toMatchObject({ hasUnsentLines: true })
    expect(hashing).not.toHaveBeenCalled()
  })

  it('with errors is not uploaded', async () => {
    const { features, manifests, submissions, simulator } = await consignmentStation()
    const id = await imported(features)
    good(await manifests.edit(id, { kind: 'put', row: 1, column: 9, values: [['NLD']] }))
    expect(await submissions.upload({ manifestId: id })).toMatchObject({
      ok: false,
      error: { code: 'manifest-has-errors', details: { count: '1' } },
    })
    expect(simulator.requests.filter(({ operation }) => operation === 'manifest')).toEqual([])
  })

  it('remembers how a file was mapped', async () => {
    const { manifests } = await consignmentStation()
    const { id } = good(await manifests.create(number))
    const file = toBytes('what,who\nBook,Zoë\n')
    const first = good(await manifests.readFile('a.csv', file))
    expect(first).toMatchObject({ mapping: {}, remembered: false })
    const taking = { decimalMark: 'automatic' as const, replace: false, mapping: { content: 0, name: 1 } }
    good(await manifests.takeFile(id, { importId: first.importId, ...taking }))
    expect(good(await manifests.readFile('b.csv', file))).toMatchObject({
      mapping: { content: 0, name: 1 },
      remembered: true,
    })
    expect(await manifests.takeFile(id, { importId: first.importId, ...taking })).toMatchObject({
      ok: false,
      error: { code: 'table-gone' },
    })
  })

  it('refuses numbers that the chosen decimal mark would misread, and accepts the file with another mark', async () => {
    const { manifests } = await consignmentStation()
    const { id } = good(await manifests.create(number))
    const file = good(await manifests.readFile('a.csv', toBytes('parcelId;weight\nP1;1.250\n\nP2;0.100\n')))
    const taking = { importId: file.importId, mapping: file.mapping, replace: true }
    expect(await manifests.takeFile(id, { ...taking, decimalMark: 'comma' })).toMatchObject({
      ok: false,
      error: { code: 'decimal-mark-differs', details: { line: '4', column: 'weight', text: '0.100' } },
    })
    expect(good(await manifests.details(id)).lines).toBe(0)
    expect(good(await manifests.takeFile(id, { ...taking, decimalMark: 'point' }))).toMatchObject({
      lines: 2,
    })
  })

  it('adds each package of the station’s shipments once', async () => {
    const { features, manifests } = await consignmentStation()
    const { id } = good(await manifests.create(number))
    const created = good(
      await features.shipping.create({
        attemptId: randomUUID(),
        draft: aDraft({ numberOfPackages: 2, weight: 3 }),
        origin: 'screen',
        print: false,
        takenAt: new Date(),
      }),
    )
    expect(created.barcodes).toHaveLength(2)
    const added = good(await manifests.addShipments(id, [created], 'BOX-1'))
    expect(added).toMatchObject({ added: 2, passedOver: 0, summary: { lines: 2 } })
    expect(added.summary.errors).toBeGreaterThan(0)
    expect(good(await manifests.addShipments(id, [created], 'BOX-1'))).toMatchObject({
      added: 0,
      passedOver: 2,
    })
  })

  it('gets a line for each package whose barcode the service did not give, which a person has to fill in', async () => {
    const { features, manifests } = await consignmentStation({ labelDelivery: 'by-url' })
    const { id } = good(await manifests.create(number))
    const create = (reference: string, numberOfPackages: number) =>
      features.shipping.create({
        attemptId: randomUUID(),
        draft: aDraft({ reference, numberOfPackages, weight: 3 }),
        origin: 'screen',
        print: false,
        takenAt: new Date(),
      })
    const shipments = [good(await create('A-1', 3)), good(await create('A-2', 1))]
    const [barcode = ''] = shipments[0]?.barcodes ?? []
    expect(shipments.map(({ barcodes }) => barcodes.length)).toEqual([1, 1])
    expect(good(await manifests.addShipments(id, shipments, 'BOX-1'))).toMatchObject({ added: 4 })
    const { rows } = good(
      await manifests.lines(id, (worker, key) => worker.call('read', { ...key, from: 0, count: 10 })),
    )
    const parcels = rows.map((row) => [row[toPosition('parcelId')], row[toPosition('parcelWeight')]])
    expect(parcels.slice(0, 3)).toEqual([
      [barcode, '1'],
      ['', '1'],
      ['', '1'],
    ])
    expect(good(await manifests.addShipments(id, shipments, 'BOX-1'))).toMatchObject({
      added: 0,
      passedOver: 4,
    })
    const withoutBarcode = { draft: aDraft(), barcodes: [] }
    expect(good(await manifests.addShipments(id, [withoutBarcode], 'BOX-1'))).toMatchObject({ added: 1 })
    expect(good(await manifests.addShipments(id, [withoutBarcode], 'BOX-1'))).toMatchObject({
      added: 0,
      passedOver: 1,
    })
    const two = [withoutBarcode, withoutBarcode]
    expect(good(await manifests.addShipments(id, two, 'BOX-1'))).toMatchObject({ added: 1, passedOver: 1 })
    expect(good(await manifests.addShipments(id, two, 'BOX-1'))).toMatchObject({ added: 0, passedOver: 2 })
    const other = { draft: aDraft({ lastName: 'Jansen' }), barcodes: [] }
    expect(good(await manifests.addShipments(id, [other], 'BOX-1'))).toMatchObject({ added: 1 })
  })

  it('gets a line for a shipment without a barcode although another one with a barcode is alike', async () => {
    const { manifests } = await consignmentStation()
    const { id } = good(await manifests.create(number))
    const add = async (...barcodes: string[][]) => {
      const shipments = barcodes.map((each) => ({ draft: aDraft(), barcodes: each }))
      return good(await manifests.addShipments(id, shipments, 'BOX-1')).added
    }
    expect(await add(['3S1'])).toBe(1)
    expect(await add([])).toBe(1)
    expect(await add([])).toBe(0)
    expect(await add([], ['3S1'], [])).toBe(1)
  })

  it('has a shipment that was added only while its lines contain a parcel of it, or once they were sent', async () => {
    const { features, manifests } = await consignmentStation()
    const { handlers, manifestRepository } = features
    const { id } = good(await manifests.create(number))
    const shipmentIds = (await createShipments(features)).map((shipment) => shipment.id)
    const listAdded = async () =>
      good(await handlers.listAddedShipments({ shipmentIds })).map(({ shipmentId }) => shipmentId)
    good(await handlers.addShipmentsToManifest({ manifestId: id, shipmentIds, packageId: 'BOX-1' }))
    expect(await listAdded()).toEqual(expect.arrayContaining(shipmentIds))
    good(await manifests.edit(id, 'undo'))
    expect(await listAdded()).toEqual([])
    good(await manifests.edit(id, 'redo'))
    expect(await listAdded()).toHaveLength(2)
    good(await manifests.edit(id, { kind: 'remove', from: 0, to: 0 }))
    expect(await listAdded()).toEqual([shipmentIds[1]])
    good(await manifests.edit(id, { kind: 'remove', from: 0, to: 0 }))
    expect(await listAdded()).toEqual([])

    const totals = { lines: 2, packages: 1, parcels: 2, parcelWeight: 2, prices: [] }
    await manifestRepository.beginUpload({
      ...{ id: 'upload-1', manifestId: id, startedAt: new Date(), operator: null, lockAsked: false },
      ...{ sha256: 'x', totals },
    })
    await manifestRepository.endUpload('upload-1', {
      ...{ state: 'accepted', endedAt: new Date(), status: 200, content: '{}' },
      ...{ speaksOfErrors: false, error: null },
    })
    expect(await listAdded()).toHaveLength(2)
  })

  it('has all shipments that were added, whatever lines are left, once the service may have them', async () => {
    const { features, manifests, submissions } = await consignmentStation()
    const { handlers, manifestRepository } = features
    const { id } = good(await manifests.create(number))
    const shipmentIds = (await createShipments(features)).map((shipment) => shipment.id)
    const countAdded = async () => good(await handlers.listAddedShipments({ shipmentIds })).length
    const begin = (uploadId: string) =>
      manifestRepository.beginUpload({
        ...{ id: uploadId, manifestId: id, startedAt: new Date(), operator: null, lockAsked: false },
        ...{ sha256: 'x', totals: { lines: 2, packages: 1, parcels: 2, parcelWeight: 2, prices: [] } },
      })
    const end = (uploadId: string, state: 'refused' | 'unknown') =>
      manifestRepository.endUpload(uploadId, {
        ...{ state, endedAt: new Date(), status: null, content: null, speaksOfErrors: false, error: null },
      })
    good(await handlers.addShipmentsToManifest({ manifestId: id, shipmentIds, packageId: 'BOX-1' }))
    good(await manifests.edit(id, { kind: 'remove', from: 0, to: 0 }))
    expect(await countAdded()).toBe(1)
    const first = randomUUID()
    await begin(first)
    expect(await countAdded()).toBe(2)
    await end(first, 'refused')
    expect(await countAdded()).toBe(1)
    const second = randomUUID()
    await begin(second)
    await end(second, 'unknown')
    expect(await countAdded()).toBe(2)
    good(await submissions.resolve({ manifestId: id, submissionId: second }, 'accepted'))
    expect(await countAdded()).toBe(2)
    good(await manifests.edit(id, { kind: 'remove', from: 0, to: 0 }))
    good(await manifests.edit(id, { kind: 'insert', at: 0, count: 1 }))
    expect(await countAdded()).toBe(2)
  })

  it('has all shipments that were added once a pre-alert of it was sent', async () => {
    const { features, manifests } = await consignmentStation()
    const { handlers, manifestRepository } = features
    const { id } = good(await manifests.create(number))
    const shipmentIds = (await createShipments(features)).map((shipment) => shipment.id)
    good(await handlers.addShipmentsToManifest({ manifestId: id, shipmentIds, packageId: 'BOX-1' }))
    good(await manifests.edit(id, 'undo'))
    expect(good(await handlers.listAddedShipments({ shipmentIds }))).toEqual([])
    await manifestRepository.beginPreAlert({
      ...{ id: randomUUID(), manifestId: id, request, fileName: 'awb.pdf', byteLength: 1 },
      ...{ sentAt: new Date(), operator: null },
    })
    expect(good(await handlers.listAddedShipments({ shipmentIds }))).toHaveLength(2)
  })

  it('names the parcels among its lines whose shipments were cancelled at the carrier after they were added', async () => {
    const { features, manifests } = await consignmentStation()
    const { handlers } = features
    const { id: manifestId } = good(await manifests.create(number))
    const shipments = await createShipments(features)
    const shipmentIds = shipments.map((shipment) => shipment.id)
    good(await handlers.addShipmentsToManifest({ manifestId, shipmentIds, packageId: 'BOX-1' }))
    expect(good(await handlers.listCancelledParcels({ manifestId }))).toEqual([])
    good(await features.shipping.noteCancellation(shipments[0]?.id ?? '', 'wrong address'))
    expect(good(await handlers.listCancelledParcels({ manifestId }))).toEqual(shipments[0]?.barcodes)
    good(await manifests.edit(manifestId, { kind: 'remove', from: 0, to: 0 }))
    expect(good(await handlers.listCancelledParcels({ manifestId }))).toEqual([])
  })

  it.each([
    (id: string) => ` ${id.toLowerCase()}\u00a0`,
    (id: string) => `00${id.slice(0, 4)} ${id.slice(4, 8)}-${id.slice(8)}`,
  ])(
    'has a shipment whose parcel id was written differently, and names it as its line has it (%#)',
    async (spell) => {
      const { features, manifests } = await consignmentStation()
      const { handlers } = features
      const { id: manifestId } = good(await manifests.create(number))
      const shipments = await createShipments(features)
      const shipmentIds = shipments.map((shipment) => shipment.id)
      good(await handlers.addShipmentsToManifest({ manifestId, shipmentIds, packageId: 'BOX-1' }))
      const written = spell(shipments[0]?.barcodes[0] ?? '')
      const column = toPosition('parcelId')
      good(await manifests.edit(manifestId, { kind: 'put', row: 0, column, values: [[written]] }))
      expect(good(await handlers.listAddedShipments({ shipmentIds }))).toHaveLength(2)
      good(await features.shipping.noteCancellation(shipments[0]?.id ?? '', 'wrong address'))
      expect(good(await handlers.listCancelledParcels({ manifestId }))).toEqual([written])
    },
  )

  it('counts shipments as added while its lines can’t be read', async () => {
    const { data, station, simulator, features } = await consignmentStation()
    const { id } = good(await features.manifests.create(number))
    const shipmentIds = (await createShipments(features)).map((shipment) => shipment.id)
    const adding = { manifestId: id, shipmentIds, packageId: 'BOX-1' }
    good(await features.handlers.addShipmentsToManifest(adding))
    await station.stop()
    await writeFile(join(data, 'manifests', `${id}.json`), '[')
    const { handlers, log } = await consignmentStation({}, data, simulator)
    const logged = vi.spyOn(log, 'error')
    expect(good(await handlers.listAddedShipments({ shipmentIds }))).toHaveLength(2)
    expect(logged).toHaveBeenCalledWith(expect.stringContaining('can’t be read'), expect.anything())
    expect(good(await handlers.listAddedShipments({ shipmentIds }))).toHaveLength(2)
    expect(logged).toHaveBeenCalledTimes(1)
  })

  it('gets no package of a shipment that was cancelled at the carrier', async () => {
    const { features, manifests } = await consignmentStation()
    const { id } = good(await manifests.create(number))
    const shipments = await createShipments(features)
    expect(shipments).toMatchObject([{ state: 'created' }, { state: 'created' }])
    good(await features.shipping.noteCancellation(shipments[0]?.id ?? '', 'sold out'))
    const shipmentIds = shipments.map((shipment) => shipment.id)
    const adding = { manifestId: id, shipmentIds, packageId: 'BOX-1' }
    expect(good(await features.handlers.addShipmentsToManifest(adding))).toMatchObject({ added: 1 })
    expect(good(await features.handlers.addShipmentsToManifest(adding))).toMatchObject({ added: 0 })
    const airWaybillNumber = number
    const listed = await features.handlers.listAddedShipments({ shipmentIds })
    expect(good(listed)).toEqual([{ shipmentId: shipmentIds[1], airWaybillNumber }])
    good(await features.handlers.removeManifest({ manifestId: id }))
    expect(good(await features.handlers.listAddedShipments({ shipmentIds }))).toEqual([])
  })
})

function sent(simulator: Simulator, operation: 'manifest' | 'preAlert'): number {
  return simulator.requests.filter((request) => request.operation === operation).length
}

/** Faults that leave the outcome unknown: docs/decisions/0003-shipment-creation.md. */
const uncertain: Fault[] = [
  { kind: 'status', status: 500 },
  { kind: 'status', status: 408 },
  { kind: 'htmlError', created: true },
  { kind: 'redirect' },
  { kind: 'cutOff' },
]

it('a manifest has unsent lines from a change of its lines after an accepted upload until they are sent or as before', async () => {
  const { data, station, simulator, ...first } = await consignmentStation()
  const { manifests, submissions } = first
  const id = await importedAndChecked(first.features)
  const insert = { kind: 'insert' as const, at: 3, count: 1 }
  const column = toPosition('name')
  const rename = { kind: 'put' as const, row: 0, column, values: [['Zoë']] }
  const expectUnsent = async (hasUnsentLines: boolean) => {
    expect(good(await manifests.details(id))).toMatchObject({ hasUnsentLines })
    expect(await manifests.list()).toMatchObject([{ hasUnsentLines }])
  }
  await expectUnsent(false)
  expect(good(await submissions.upload({ manifestId: id }))).toMatchObject({ hasUnsentLines: false })
  for (const change of [insert, rename]) {
    good(await manifests.edit(id, change))
    await expectUnsent(true)
    good(await manifests.edit(id, 'undo'))
    await expectUnsent(false)
  }
  good(await manifests.edit(id, rename))
  expect(good(await submissions.upload({ manifestId: id, again: true }))).toMatchObject({
    ...{ state: 'uploaded', hasUnsentLines: false },
  })

  const events: unknown[] = []
  first.bus.on('manifestChanged', ({ lines, hasUnsentLines }) => events.push([lines, hasUnsentLines]))
  good(await manifests.edit(id, insert))
  await vi.waitFor(() => expect(events.at(-1)).toEqual([4, true]))
  await station.stop()
  const second = await consignmentStation({}, data, simulator)
  expect(await second.manifests.list()).toMatchObject([{ hasUnsentLines: true }])
  good(await second.manifests.edit(id, { kind: 'remove', from: 0, to: 3 }))
  expect(good(await second.manifests.details(id))).toMatchObject({ lines: 0, hasUnsentLines: false })
})

it('lines of an upload that only a restored copy asked about count as sent', async () => {
  const { data, simulator, station, features } = await consignmentStation()
  const id = await imported(features)
  await station.stop()
  await writeFile(join(data, 'packbench.db-replaced'), '')
  const { manifests, submissions } = await consignmentStation({}, data, simulator)
  const [held] = good(await manifests.details(id)).uploads
  const page = good(await submissions.resolve({ manifestId: id, submissionId: held?.id ?? '' }, 'accepted'))
  expect(page).toMatchObject({ state: 'uploaded', hasUnsentLines: false })
  expect(await manifests.list()).toMatchObject([{ hasUnsentLines: false }])
})

describe('an upload with an unknown outcome', () => {
  it('blocks the next upload until a person resolves it as refused', async () => {
    const { features, submissions, simulator } = await consignmentStation()
    const id = await imported(features)
    simulator.faults.add({ operation: 'manifest', fault: { kind: 'resetAfterReading' }, times: 1 })
    const page = good(await submissions.upload({ manifestId: id }))
    expect(page).toMatchObject({ state: 'draft', unknownUpload: true, uploads: [{ state: 'unknown' }] })
    expect(await submissions.upload({ manifestId: id })).toMatchObject({
      ok: false,
      error: { code: 'manifest-upload-unknown' },
    })
    expect(await features.historyRepository.countOpen()).toMatchObject({ unknownSubmissions: 1 })
    const unknown = { manifestId: id, submissionId: page.uploads[0]?.id ?? '' }
    expect(good(await submissions.resolve(unknown, 'refused'))).toMatchObject({
      unknownUpload: false,
      uploads: [{ state: 'refused', resolvedAt: expect.any(String) }],
    })
    expect(await features.historyRepository.countOpen()).toMatchObject({ unknownSubmissions: 0 })
    const again = good(await submissions.upload({ manifestId: id }))
    expect(again).toMatchObject({ state: 'uploaded', unknownUpload: false })
    expect(sent(simulator, 'manifest')).toBe(2)
  })

  it.each(uncertain)('results from the fault %o, with an uncertain lock', async (fault) => {
    const { features, submissions, simulator } = await consignmentStation({ manifestLockAgreed: true })
    const id = await imported(features)
    simulator.faults.add({ operation: 'manifest', fault, times: 1 })
    expect(good(await submissions.upload({ manifestId: id, lockNumber: number }))).toMatchObject({
      state: 'draft',
      lock: 'uncertain',
      unknownUpload: true,
      uploads: [{ state: 'unknown', resolvedAt: null }],
    })
    expect(await submissions.upload({ manifestId: id })).toMatchObject({ ok: false })
    expect(sent(simulator, 'manifest')).toBe(1)
  })

  it('does not result from a refusal, after which the upload can be repeated at once', async () => {
    const { features, submissions, simulator } = await consignmentStation({ manifestLockAgreed: true })
    const id = await imported(features)
    simulator.faults.add({ operation: 'manifest', fault: { kind: 'status', status: 422 }, times: 1 })
    expect(good(await submissions.upload({ manifestId: id, lockNumber: number }))).toMatchObject({
      state: 'draft',
      lock: 'open',
      unknownUpload: false,
      uploads: [{ state: 'refused' }],
    })
    expect(good(await submissions.upload({ manifestId: id }))).toMatchObject({ state: 'uploaded' })
  })

  it('counts as an accepted upload with an assumed lock when a person resolves it as accepted', async () => {
    const { features, submissions, simulator } = await consignmentStation({
      manifestLockAgreed: true,
    })
    const id = await imported(features)
    simulator.faults.add({ operation: 'manifest', fault: { kind: 'status', status: 500 }, times: 1 })
    const page = good(await submissions.upload({ manifestId: id, lockNumber: number }))
    const unknown = { manifestId: id, submissionId: page.uploads[0]?.id ?? '' }
    const resolved = good(await submissions.resolve(unknown, 'accepted'))
    expect(resolved).toMatchObject({ state: 'locked', lock: 'assumed', uploads: [{ state: 'accepted' }] })
    // A second resolution is refused.
    expect(await submissions.resolve(unknown, 'refused')).toMatchObject({
      ok: false,
      error: { code: 'submission-not-unknown' },
    })
    expect(good(await features.manifests.details(id)).uploads).toMatchObject([{ state: 'accepted' }])
  })

  it('results from an outcome that could not be written', async () => {
    const { features, submissions, manifestRepository, simulator } = await consignmentStation()
    const id = await imported(features)
    const full = vi.spyOn(manifestRepository, 'endUpload').mockRejectedValueOnce(new Error('disk full'))
    await expect(submissions.upload({ manifestId: id })).rejects.toThrow('disk full')
    full.mockRestore()
    expect(await submissions.upload({ manifestId: id })).toMatchObject({
      ok: false,
      error: { code: 'manifest-upload-unknown' },
    })
    expect(good(await features.manifests.details(id))).toMatchObject({ unknownUpload: true })
    expect(sent(simulator, 'manifest')).toBe(1)
  })

  it('results from an app that ended during the upload', async () => {
    const { data, station, features, simulator } = await consignmentStation()
    const id = await imported(features)
    const totals = { lines: 3, packages: 1, parcels: 3, parcelWeight: 1.8, prices: [] }
    await features.manifestRepository.beginUpload({
      ...{
        id: randomUUID(),
        manifestId: id,
        startedAt: new Date(),
        operator: null,
        lockAsked: true,
        sha256: 'x',
        totals,
      },
    })
    await station.stop()
    const again = await consignmentStation({}, data, simulator)
    expect(good(await again.manifests.details(id))).toMatchObject({ unknownUpload: true, lock: 'uncertain' })
  })
})

it('a manifest is not sent again by itself after an older copy of the database came back', async () => {
  const { data, simulator, ...first } = await consignmentStation()
  const id = await imported(first.features)
  await first.station.stop()
  const database = join(data, 'packbench.db')
  await copyFile(database, `${database}-copy`)
  const second = await consignmentStation({}, data, simulator)
  good(await second.submissions.upload({ manifestId: id }))
  await second.station.stop()
  await rename(`${database}-copy`, database)
  await writeFile(`${database}-replaced`, '')

  const third = await consignmentStation({}, data, simulator)
  const refused = { ok: false, error: { code: 'manifest-upload-unknown' } }
  expect(await third.submissions.upload({ manifestId: id })).toMatchObject(refused)
  const [held] = good(await third.manifests.details(id)).uploads
  expect(held).toMatchObject({ state: 'unknown', error: { details: { case: 'copy' } } })
  expect(z.uuid().safeParse(held?.id).success).toBe(true)
  good(await third.submissions.resolve({ manifestId: id, submissionId: held?.id ?? '' }, 'refused'))
  await third.station.stop()
  const fourth = await consignmentStation({}, data, simulator)
  good(await fourth.submissions.upload({ manifestId: id }))
})

it('an older copy of the database asks only about air waybills that have or had lines, and these can be removed once resolved', async () => {
  const { data, simulator, station, features } = await consignmentStation()
  const { manifests } = features
  const id = await imported(features)
  const { id: empty } = good(await manifests.create('074-12345686'))
  const { id: cleared } = good(await manifests.create('074-12345690'))
  good(await manifests.edit(cleared, { kind: 'insert', at: 0, count: 1 }))
  const listLines = async () => (await manifests.list()).map(({ lines }) => lines)
  await vi.waitFor(async () => expect(await listLines()).toEqual([1, 0, 3]))
  await station.stop()
  await rm(join(data, 'manifests', `${cleared}.json`))
  await writeFile(join(data, 'packbench.db-replaced'), '')

  const again = await consignmentStation({}, data, simulator)
  const held = async (manifestId: string) => good(await again.manifests.details(manifestId)).uploads
  expect(await held(empty)).toEqual([])
  for (const manifestId of [id, cleared]) {
    const [upload] = await held(manifestId)
    expect(upload).toMatchObject({ state: 'unknown' })
    expect(await again.manifests.remove(manifestId)).toMatchObject({ error: { code: 'manifest-uploaded' } })
    good(await again.submissions.resolve({ manifestId, submissionId: upload?.id ?? '' }, 'refused'))
    good(await again.manifests.remove(manifestId))
  }
})

it('retention removes the lines and answers of an air waybill, but not of one with an unknown outcome', async () => {
  const { data, simulator, station, features } = await consignmentStation()
  const sent = await importedAndChecked(features)
  const [upload] = good(await features.submissions.upload({ manifestId: sent })).uploads
  const unknown = good(await features.manifests.create('074-12345686')).id
  const column = toPosition('name')
  const edit = { kind: 'put' as const, row: 0, column, values: [['Zoë']] }
  good(await features.manifests.edit(unknown, edit))
  await features.manifestRepository.beginUpload({
    ...{ id: randomUUID(), manifestId: unknown, startedAt: new Date(), operator: null, lockAsked: false },
    ...{ sha256: '', totals: { lines: 1, packages: 1, parcels: 1, parcelWeight: 1, prices: [] } },
  })
  await station.stop()

  const later = () => new Date(Date.now() + 100 * 24 * 60 * 60 * 1000)
  const second = await connectedStation(data, simulator, {}, { now: later })
  await second.station.confirmClock()
  const { manifests, manifestRepository } = second.features
  await expect.poll(() => readdir(join(data, 'manifests'))).toEqual([`${unknown}.json`])
  await expect.poll(() => manifestRepository.findUploadAnswer(upload?.id ?? '')).toBeUndefined()
  expect(good(await manifests.details(unknown))).toMatchObject({ lines: 1, unknownUpload: true })
  expect(good(await manifests.details(sent))).toMatchObject({
    ...{ airWaybillNumber: number, state: 'uploaded', lines: 0 },
    uploads: [{ lines: 3, sha256: upload?.sha256 }],
  })
})

it('retention keeps an air waybill of which nothing was accepted, however old it is', async () => {
  const { features, manifests, submissions, simulator } = await consignmentStation()
  const id = await importedAndChecked(features)
  simulator.faults.add({ operation: 'manifest', fault: { kind: 'status', status: 422 }, times: 1 })
  expect(good(await submissions.upload({ manifestId: id }))).toMatchObject({
    uploads: [{ state: 'refused' }],
  })
  await manifests.forgetBefore(dayAway(36_500), running)
  expect(good(await manifests.details(id))).toMatchObject({
    lines: 3,
    uploads: [{ error: expect.anything() }],
  })
})

it('retention keeps lines that were changed since the service accepted something, until they are sent again', async () => {
  const { features, manifests, submissions } = await consignmentStation()
  const id = await importedAndChecked(features)
  const { changedAt } = good(await submissions.upload({ manifestId: id }))
  good(await manifests.edit(id, { kind: 'remove', from: 0, to: 0 }))
  await vi.waitFor(async () => expect(good(await manifests.details(id)).changedAt).not.toBe(changedAt))
  await manifests.forgetBefore(dayAway(36_500), running)
  expect(good(await manifests.details(id)).lines).toBe(2)
  good(await submissions.upload({ manifestId: id, again: true }))
  await manifests.forgetBefore(dayAway(1), running)
  expect(good(await manifests.details(id)).lines).toBe(0)
})

it('retention keeps lines that were changed after the upload also if only a pre-alert was accepted since', async () => {
  const { features, manifests, submissions } = await consignmentStation()
  const id = await importedAndChecked(features)
  good(await submissions.upload({ manifestId: id }))
  good(await manifests.edit(id, { kind: 'remove', from: 0, to: 0 }))
  const wish = { manifestId: id, request, fileName: 'awb.pdf', bytes: await pdf(), uploadedElsewhere: false }
  expect(good(await submissions.sendPreAlert(wish))).toMatchObject({ preAlerts: [{ state: 'accepted' }] })
  await manifests.forgetBefore(dayAway(36_500), running)
  expect(good(await manifests.details(id)).lines).toBe(2)
})

it('retention keeps lines that were changed since an older copy of the database was made', async () => {
  const { data, simulator, station, features } = await consignmentStation()
  const id = await importedAndChecked(features)
  good(await features.submissions.upload({ manifestId: id }))
  await station.stop()
  const database = join(data, 'packbench.db')
  await copyFile(database, `${database}-copy`)
  const second = await consignmentStation({}, data, simulator)
  good(await second.manifests.edit(id, { kind: 'remove', from: 0, to: 0 }))
  await second.station.stop()
  await rename(`${database}-copy`, database)
  await writeFile(`${database}-replaced`, '')

  const third = await consignmentStation({}, data, simulator)
  expect(good(await third.manifests.details(id))).toMatchObject({ state: 'uploaded', lines: 2 })
  await third.manifests.forgetBefore(dayAway(36_500), running)
  expect(good(await third.manifests.details(id)).lines).toBe(2)
})

it('retention removes lines that are as they were sent, although they were changed meanwhile', async () => {
  const { features, manifests, submissions } = await consignmentStation()
  const id = await importedAndChecked(features)
  const { changedAt } = good(await submissions.upload({ manifestId: id }))
  for (const change of ['undo', 'redo', 'redo'] as const) good(await manifests.edit(id, change))
  await vi.waitFor(async () => expect(good(await manifests.details(id)).changedAt).not.toBe(changedAt))
  await manifests.forgetBefore(dayAway(1), running)
  expect(good(await manifests.details(id)).lines).toBe(0)
})

it('retention removes the answers of a sent air waybill also if a person removed its lines', async () => {
  const { features, manifests, manifestRepository, submissions } = await consignmentStation()
  const id = await importedAndChecked(features)
  const [upload] = good(await submissions.upload({ manifestId: id })).uploads
  good(await manifests.edit(id, { kind: 'remove', from: 0, to: 2 }))
  await vi.waitFor(async () => expect(await manifests.list()).toMatchObject([{ lines: 0 }]))
  await manifests.forgetBefore(dayAway(-1), running)
  expect(await manifestRepository.findUploadAnswer(upload?.id ?? '')).toBeDefined()
  await manifests.forgetBefore(dayAway(1), running)
  expect(await manifestRepository.findUploadAnswer(upload?.id ?? '')).toBeUndefined()
})

it('retention passes over lines that can’t be read, and says so in the log', async () => {
  const { data, simulator, station, features } = await consignmentStation()
  const id = await importedAndChecked(features)
  good(await features.submissions.upload({ manifestId: id }))
  await station.stop()
  const file = join(data, 'manifests', `${id}.json`)
  await writeFile(file, '[')
  const { manifests, log } = await consignmentStation({}, data, simulator)
  const logged = vi.spyOn(log, 'error')
  await manifests.forgetBefore(dayAway(1), running)
  expect(logged).toHaveBeenCalledWith(expect.stringContaining('can’t be read'), {
    manifestId: id,
    reason: expect.any(String),
  })
  expect(await readFile(file, 'utf8')).toBe('[')
})

it('retention removes nothing that is being sent, and reports to the window and the log what it removes', async () => {
  const { features, manifests, submissions, bus, log } = await consignmentStation()
  const id = await importedAndChecked(features)
  const events: unknown[] = []
  bus.on('manifestLinesChecked', ({ manifestId, summary }) => events.push([manifestId, summary.lines]))
  bus.on('manifestChanged', ({ id, lines }) => events.push([id, lines]))
  const logged = vi.spyOn(log, 'info')
  good(await submissions.upload({ manifestId: id }))
  const sending = submissions.upload({ manifestId: id, again: true })
  await manifests.forgetBefore(dayAway(1), running)
  expect(good(await sending)).toMatchObject({ lines: 3, uploads: [{ lines: 3 }, { lines: 3 }] })
  await manifests.forgetBefore(dayAway(-1), running)
  expect(good(await manifests.details(id)).lines).toBe(3)
  expect(logged).not.toHaveBeenCalledWith(expect.stringContaining('air waybills'), expect.anything())

  events.length = 0
  await manifests.forgetBefore(dayAway(1), running)
  expect(good(await manifests.details(id)).lines).toBe(0)
  expect(events).toEqual([
    [id, 0],
    [id, 0],
  ])
  expect(logged).toHaveBeenCalledWith(expect.stringContaining('air waybills'), { count: 1 })
})

it('retention removes lines that came back with a restored copy after it had removed them', async () => {
  const { data, features, manifests, submissions } = await consignmentStation()
  const id = await importedAndChecked(features)
  good(await submissions.upload({ manifestId: id }))
  const file = join(data, 'manifests', `${id}.json`)
  await vi.waitFor(() => readFile(file))
  const copy = join(await temporaryFolder(), 'copy')
  await copyFile(file, copy)
  await manifests.forgetBefore(dayAway(1), running)
  const other = join(data, 'manifests', `${randomUUID()}.json`)
  await copyFile(copy, other)
  await copyFile(copy, file)
  expect(good(await manifests.details(id)).lines).toBe(3)
  await manifests.forgetBefore(dayAway(-1), running)
  expect(good(await manifests.details(id)).lines).toBe(3)
  await manifests.forgetBefore(dayAway(1), running)
  expect(good(await manifests.details(id)).lines).toBe(0)
  // It may have been made since the copy, and was perhaps never sent.
  expect(await readdir(join(data, 'manifests'))).toEqual([basename(other)])
})

it('retention works on an old air waybill once, and stops when the app ends', async () => {
  const { features, manifests, submissions, manifestRepository } = await consignmentStation()
  const id = await importedAndChecked(features)
  good(await submissions.upload({ manifestId: id }))
  const wish = { manifestId: id, request, fileName: 'awb.pdf', bytes: await pdf(), uploadedElsewhere: false }
  good(await submissions.sendPreAlert(wish))
  const later = dayAway(1)
  const forgetting = vi.spyOn(manifestRepository, 'forgetContent')
  await manifests.forgetBefore(later, AbortSignal.abort())
  expect(forgetting).not.toHaveBeenCalled()
  for (let day = 0; day < 2; day += 1) await manifests.forgetBefore(later, running)
  expect(forgetting).toHaveBeenCalledTimes(1)
})

it('retention removes the texts of the service’s answers and errors, and keeps its figures', async () => {
  const { features, manifests, submissions, simulator } = await consignmentStation()
  const id = await importedAndChecked(features)
  good(await submissions.upload({ manifestId: id }))
  const wish = { manifestId: id, request, fileName: 'awb.pdf', bytes: await pdf(), uploadedElsewhere: false }
  simulator.faults.add({ operation: 'preAlert', fault: { kind: 'status', status: 422 }, times: 1 })
  good(await submissions.sendPreAlert(wish))
  good(await submissions.sendPreAlert(wish))
  simulator.faults.add({ operation: 'manifest', fault: { kind: 'status', status: 422 }, times: 1 })
  expect(good(await submissions.upload({ manifestId: id, again: true }))).toMatchObject({
    uploads: [{ state: 'refused', error: expect.anything() }, { state: 'accepted' }],
    preAlerts: [{ answer: { message: expect.any(String) } }, { error: expect.anything() }],
  })
  const later = dayAway(1)
  await manifests.forgetBefore(later, running)
  expect(good(await manifests.details(id))).toMatchObject({
    uploads: [{ state: 'refused', error: null }, { state: 'accepted' }],
    preAlerts: [
      { state: 'accepted', answer: { message: null, totalParcels: 3, carrierName: 'KLM' } },
      { state: 'refused', error: null },
    ],
  })
})

it('the end of the app waits for the last check to be stored also if lines could not be written', async () => {
  const { features } = await consignmentStation()
  const stored = deferred<void>()
  const noting = vi.spyOn(ManifestRepository.prototype, 'noteLines').mockReturnValue(stored.promise)
  try {
    const summary = new LineSheet([], number).summary()
    const lineWorker = (folder: string, onChecked: OnChecked): LineWorker => ({
      ...createInlineLineWorker(folder, onChecked),
      async close() {
        onChecked(randomUUID(), summary)
        throw new Error('disk full')
      },
    })
    const ended = vi.fn()
    const closing = createConsignments({ ...features, lineWorker }).closeManifests()
    void closing.catch(ended)
    await vi.waitFor(() => expect(noting).toHaveBeenCalledTimes(1))
    await new Promise(setImmediate)
    expect(ended).not.toHaveBeenCalled()
    stored.resolve()
    await expect(closing).rejects.toThrow('disk full')
  } finally {
    noting.mockRestore()
  }
})

it('the end of the services closes both connections to the database also if lines could not be written', async () => {
  const lend = await lentThreads()
  const ends: MockInstance<DatabaseThread['close']>[] = []
  const { station } = await connectedStation(await temporaryFolder(), await testSimulator(), undefined, {
    createDatabaseThread: () => {
      const thread = lend()
      ends.push(vi.spyOn(thread, 'close'))
      return thread
    },
    lineWorker: (folder, onChecked) => ({
      ...createInlineLineWorker(folder, onChecked),
      close: () => Promise.reject(new Error('disk full')),
    }),
  })
  await station.stop()
  expect(ends).toHaveLength(2)
  for (const end of ends) expect(end).toHaveBeenCalledTimes(1)
})

describe('the lock of a manifest', () => {
  it('is what the last answer stated, also if the clock was set back before it', async () => {
    const { features } = await consignmentStation()
    const { manifestRepository } = features
    const id = await imported(features)
    const totals = { lines: 3, packages: 1, parcels: 3, parcelWeight: 1.8, prices: [] }
    const common = { manifestId: id, operator: null }
    await manifestRepository.beginUpload({
      ...{ ...common, id: 'upload-1', startedAt: new Date('2026-11-21T10:05:00Z') },
      ...{ lockAsked: true, sha256: 'x', totals },
    })
    const endedAt = new Date('2026-11-21T10:05:01Z')
    await manifestRepository.endUpload('upload-1', {
      ...{ state: 'accepted', endedAt, status: 200, content: '{}', speaksOfErrors: false, error: null },
    })
    const sendPreAlert = async (alertId: string, sentAt: string, iossManifestLocked: boolean) => {
      await manifestRepository.beginPreAlert({
        ...{ ...common, id: alertId, request, fileName: 'awb.pdf', byteLength: 1, sentAt: new Date(sentAt) },
      })
      const answer = { ...preAlertAnswerSchema.parse(sampleOf(preAlertAnswerSchema)), iossManifestLocked }
      await manifestRepository.endPreAlert(alertId, { state: 'accepted', answer, error: null })
      return good(await features.manifests.details(id)).lock
    }
    expect(await sendPreAlert('alert-1', '2026-11-21T09:10:00Z', true)).toBe('locked')
    expect(await sendPreAlert('alert-2', '2026-11-21T08:10:00Z', false)).toBe('open')
  })

  it('needs the agreement and the matching number, and is assumed until the pre-alert’s answer confirms it', async () => {
    const { features, manifests, submissions } = await consignmentStation()
    const id = await imported(features)
    const wish = { manifestId: id, lockNumber: number }
    expect(await submissions.upload(wish)).toMatchObject({ ok: false, error: { code: 'lock-not-agreed' } })
    good(features.settings.change({ manifestLockAgreed: true }))
    expect(await submissions.upload({ ...wish, lockNumber: '074-1' })).toMatchObject({
      ok: false,
      error: { code: 'lock-number-differs' },
    })
    expect(good(await submissions.upload(wish))).toMatchObject({ state: 'locked', lock: 'assumed' })
    const alert = {
      manifestId: id,
      request,
      fileName: 'awb.pdf',
      bytes: await pdf(),
      uploadedElsewhere: false,
    }
    expect(good(await submissions.sendPreAlert(alert))).toMatchObject({ state: 'locked', lock: 'locked' })
    const edit = { kind: 'put' as const, row: 0, column: 4, values: [['X']] }
    expect(await manifests.edit(id, edit)).toMatchObject({ ok: false, error: { code: 'manifest-locked' } })
    expect(await submissions.upload({ manifestId: id })).toMatchObject({
      ok: false,
      error: { code: 'manifest-locked' },
    })
  })
})

describe('a pre-alert', () => {
  it('is refused before the manifest upload unless the manifest was uploaded elsewhere', async () => {
    const { manifests, submissions } = await consignmentStation()
    const { id } = good(await manifests.create(number))
    const wish = {
      manifestId: id,
      request,
      fileName: 'awb.pdf',
      bytes: await pdf(),
      uploadedElsewhere: false,
    }
    expect(await submissions.sendPreAlert(wish)).toMatchObject({
      ok: false,
      error: { code: 'manifest-not-uploaded' },
    })
    const page = good(await submissions.sendPreAlert({ ...wish, uploadedElsewhere: true }))
    expect(page.preAlerts).toMatchObject([
      { state: 'refused', error: { details: { serviceSays: `No manifest was uploaded for AWB ${number}` } } },
    ])
  })

  async function uploaded(folder?: string, service?: Simulator) {
    const made = await consignmentStation({}, folder, service)
    const manifestId = await imported(made.features)
    good(await made.submissions.upload({ manifestId }))
    const wish = { manifestId, request, fileName: 'awb.pdf', bytes: await pdf(), uploadedElsewhere: false }
    return { ...made, wish }
  }

  it('is refused while the outcome of an upload is unknown, whatever was uploaded before or elsewhere', async () => {
    const { submissions, simulator, wish } = await uploaded()
    const { manifestId } = wish
    simulator.faults.add({ operation: 'manifest', fault: { kind: 'status', status: 500 }, times: 1 })
    const page = good(await submissions.upload({ manifestId, again: true }))
    const blocked = { ok: false, error: { code: 'manifest-upload-unknown' } }
    expect(await submissions.sendPreAlert(wish)).toMatchObject(blocked)
    expect(await submissions.sendPreAlert({ ...wish, uploadedElsewhere: true })).toMatchObject(blocked)
    expect(sent(simulator, 'preAlert')).toBe(0)
    good(await submissions.resolve({ manifestId, submissionId: page.uploads[0]?.id ?? '' }, 'refused'))
    expect(good(await submissions.sendPreAlert(wish)).preAlerts).toMatchObject([{ state: 'accepted' }])
  })

  it.each(uncertain)(
    'with an unknown outcome after the fault %o blocks the next one until it is resolved, even after a restart',
    async (fault) => {
      const { data, station, submissions, simulator, wish } = await uploaded()
      simulator.faults.add({ operation: 'preAlert', fault, times: 1 })
      const page = good(await submissions.sendPreAlert(wish))
      expect(page).toMatchObject({
        unknownPreAlert: true,
        preAlerts: [{ state: 'unknown', resolvedAt: null }],
      })
      const blocked = { ok: false, error: { code: 'pre-alert-unknown' } }
      expect(await submissions.sendPreAlert(wish)).toMatchObject(blocked)
      await station.stop()
      const again = await consignmentStation({}, data, simulator)
      expect(await again.submissions.sendPreAlert(wish)).toMatchObject(blocked)
      expect(await again.submissions.sendPreAlert({ ...wish, uploadedElsewhere: true })).toMatchObject(
        blocked,
      )
      expect(sent(simulator, 'preAlert')).toBe(1)
      const unknown = { manifestId: wish.manifestId, submissionId: page.preAlerts[0]?.id ?? '' }
      expect(good(await again.submissions.resolve(unknown, 'refused'))).toMatchObject({
        unknownPreAlert: false,
        preAlerts: [{ state: 'refused', resolvedAt: expect.any(String) }],
      })
      expect(good(await again.submissions.sendPreAlert(wish)).preAlerts).toMatchObject([
        { state: 'accepted' },
        { state: 'refused' },
      ])
      expect(sent(simulator, 'preAlert')).toBe(2)
    },
  )

  it('in progress at the end of the app is unknown and blocks the next one', async () => {
    const { data, station, manifestRepository, simulator, wish } = await uploaded()
    const { manifestId, fileName } = wish
    const sentAt = new Date()
    await manifestRepository.beginPreAlert({
      id: randomUUID(),
      manifestId,
      request,
      fileName,
      byteLength: 1,
      sentAt,
      operator: null,
    })
    await station.stop()
    const again = await consignmentStation({}, data, simulator)
    expect(good(await again.manifests.details(manifestId))).toMatchObject({
      unknownPreAlert: true,
      preAlerts: [{ state: 'unknown', error: { code: 'shipment-interrupted' } }],
    })
    expect(await again.submissions.sendPreAlert(wish)).toMatchObject({ error: { code: 'pre-alert-unknown' } })
    expect(sent(simulator, 'preAlert')).toBe(0)
  })

  it('in progress blocks other submissions and resolutions of its air waybill', async () => {
    const { submissions, simulator, wish } = await uploaded()
    const { manifestId } = wish
    const first = submissions.sendPreAlert(wish)
    const busy = { ok: false, error: { code: 'manifest-busy' } }
    expect(await submissions.sendPreAlert(wish)).toMatchObject(busy)
    expect(await submissions.upload({ manifestId })).toMatchObject(busy)
    expect(await submissions.resolve({ manifestId, submissionId: randomUUID() }, 'refused')).toMatchObject(
      busy,
    )
    expect(good(await first).preAlerts).toMatchObject([{ state: 'accepted' }])
    expect([sent(simulator, 'preAlert'), sent(simulator, 'manifest')]).toEqual([1, 1])
  })

  it('with an unknown outcome can be resolved as accepted, without an answer of the service', async () => {
    const { submissions, simulator, wish } = await uploaded()
    simulator.faults.add({ operation: 'preAlert', fault: { kind: 'resetAfterReading' }, times: 1 })
    const page = good(await submissions.sendPreAlert(wish))
    const unknown = { manifestId: wish.manifestId, submissionId: page.preAlerts[0]?.id ?? '' }
    expect(good(await submissions.resolve(unknown, 'accepted'))).toMatchObject({
      unknownPreAlert: false,
      preAlerts: [{ state: 'accepted', answer: null, error: { code: 'service-connection-lost' } }],
    })
  })

  it('refused by the service can be repeated at once', async () => {
    const { submissions, simulator, wish } = await uploaded()
    simulator.faults.add({ operation: 'preAlert', fault: { kind: 'status', status: 422 }, times: 1 })
    expect(good(await submissions.sendPreAlert(wish)).preAlerts).toMatchObject([{ state: 'refused' }])
    expect(good(await submissions.sendPreAlert(wish)).preAlerts[0]).toMatchObject({ state: 'accepted' })
  })

  it('accepted by the service is followed by another one only when a person confirmed it', async () => {
    const { submissions, simulator, wish } = await uploaded()
    good(await submissions.sendPreAlert(wish))
    expect(await submissions.sendPreAlert(wish)).toMatchObject({
      ok: false,
      error: { code: 'pre-alert-accepted' },
    })
    expect(sent(simulator, 'preAlert')).toBe(1)
    expect(good(await submissions.sendPreAlert({ ...wish, again: true })).preAlerts).toHaveLength(2)
  })

  it('accepts only a readable PDF', async () => {
    const { submissions } = await consignmentStation()
    const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a])
    const unreadable = { ok: false, error: { code: 'pdf-unreadable' } }
    expect(await submissions.previewPdf(new Uint8Array(picture).buffer)).toMatchObject(unreadable)
    expect(await submissions.previewPdf(toBytes('%PDF-1.7 and nothing more'))).toMatchObject(unreadable)
    expect(good(await submissions.previewPdf(await pdf()))).toMatchObject({
      pages: 1,
      width: expect.any(Number),
    })
  })

  it('accepts a PDF whose first page can be shown, although a later one is too large for that', async () => {
    const { submissions } = await consignmentStation()
    expect(good(await submissions.previewPdf(await pdf([8000, 8000])))).toMatchObject({ pages: 2 })
  })
})

describe('the lines of a manifest', () => {
  it('are stored in a file of the data folder', async () => {
    const { data, station, features } = await consignmentStation()
    const id = await imported(features)
    await station.stop()
    const stored: unknown = JSON.parse(await readFile(join(data, 'manifests', `${id}.json`), 'utf8'))
    expect(stored).toHaveLength(3)
  })

  it.runIf(process.platform !== 'win32')('are stored in a file that only its user may access', async () => {
    const { data, station, features } = await consignmentStation()
    const id = await imported(features)
    await station.stop()
    const { mode } = await stat(join(data, 'manifests', `${id}.json`))
    expect((mode & 0o777).toString(8)).toBe('600')
  })
})
