import { randomUUID } from 'node:crypto'
import { readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { Slots } from '../../../src/main/batch/slots'
import { type CreationOutcome, maxLabels } from '../../../src/main/carrier/createShipment'
import { removeOldShipments } from '../../../src/main/shipments/retention'
import type { ShipmentFiles } from '../../../src/main/shipments/shipmentFiles'
import { appError } from '../../../src/shared/errors'
import { wholeHistory } from '../../../src/shared/history'
import { socketPrinterSchema } from '../../../src/shared/printing'
import { err, ok } from '../../../src/shared/result'
import { aDraft } from '../../support/drafts'
import { listNeedingAttention } from '../../support/ship'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'
import {
  aCreation,
  aLabel,
  bench,
  confirm,
  created,
  now,
  refused,
  request,
  ScriptedService,
  unknownWith,
  value,
  withStuck,
} from './shippingBench'

/** An error as the file system throws it. */
function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: the test says so`), { code })
}

/** A crash with the outcome on the disk but not in the database. `change` alters the files left in the shipment's folder. */
async function crashedWith(change: (place: string) => Promise<void>) {
  const folder = await temporaryFolder()
  const before = await bench({ folder })
  before.shipmentRepository.markCreated = () => new Promise(() => undefined)
  void before.shipping.create(request())
  let id = ''
  await expect
    .poll(async () => {
      const [row] = await before.shipmentRepository.listInStates(['sent'])
      id = row?.id ?? ''
      return row && before.files.readCreation(row.id)
    })
    .toBeDefined()
  const place = join(folder, 'labels', id)
  await expect.poll(() => readdir(place)).toEqual(['1.pdf', 'answer.json', 'order.json', 'shipment.json'])
  await change(place)
  return { folder, id }
}

/** Claims that are always granted, with a record of how each ended. */
function recordedClaims() {
  const ends: string[] = []
  const claim = {
    confirmedByFleet: new Set<string>(),
    isFresh: () => true,
    keep: () => void ends.push('kept'),
    release: async () => void ends.push('released'),
  }
  return { claims: { acquire: async () => ok(claim) }, ends }
}

describe('the creation of a shipment', () => {
  it('stores the label byte for byte, the ids and a first print job', async () => {
    const { shipping, labels, history } = await bench()
    const shipment = value(await shipping.create(request()))
    expect(shipment).toMatchObject({
      state: 'created',
      reference: 'ORDER-1',
      barcodes: ['3SPB1'],
      serviceShipmentId: '77',
      subLogId: 'SUB-9',
      trackingLinkHost: 'track.example',
      consignee: 'Jannie de Vries',
      jobs: [{ state: 'queued', kind: 'first', labelPosition: 1, barcode: '3SPB1' }],
    })
    expect(await listNeedingAttention(history)).toEqual([])
    const printable = value(await labels.listByShipment(shipment.id)).labels
    expect(printable[0]?.bytes.toString()).toBe('%PDF-1.7 label')
  })

  it('is stored as sent before the request to the service', async () => {
    const { shipping, service, shipmentRepository } = await bench()
    const states: string[] = []
    service.answer = async () => {
      states.push(
        ...(await shipmentRepository.listInStates(['intended', 'sent', 'created'])).map((row) => row.state),
      )
      return created(aCreation())
    }
    await shipping.create(request())
    expect(states).toEqual(['sent'])
  })

  it('sends one request for concurrent and later calls of the same attempt', async () => {
    const { shipping, service } = await bench()
    const twice = request()
    const [first, second] = await Promise.all([shipping.create(twice), shipping.create(twice)])
    const third = await shipping.create(twice)
    expect(service.sent).toHaveLength(1)
    expect([value(second).id, value(third).id]).toEqual([value(first).id, value(first).id])
  })

  it('sends one request when two windows ship the same reference at the same time', async () => {
    const { shipping, service } = await bench()
    const answers = await Promise.all([shipping.create(request()), shipping.create(request())])
    expect(service.sent).toHaveLength(1)
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1)
    expect(answers.find((answer) => !answer.ok)).toMatchObject({
      error: { code: expect.stringMatching(/shipment-(in-progress|duplicate)/) },
    })
  })

  it('refuses a duplicate unless the newest shipment of the reference was confirmed', async () => {
    const { shipping, service } = await bench()
    const first = value(await shipping.create(request()))
    const refused = await shipping.create(request())
    expect(refused).toMatchObject({
      ok: false,
      error: { code: 'shipment-duplicate', details: { shipmentId: first.id, barcodes: '3SPB1' } },
    })
    const second = value(await shipping.create(request({ confirmedDuplicates: confirm(first) })))
    expect(second.state).toBe('created')
    const stale = await shipping.create(request({ confirmedDuplicates: confirm(first) }))
    expect(stale).toMatchObject({ error: { code: 'shipment-duplicate', details: { shipmentId: second.id } } })
    expect(service.sent).toHaveLength(2)
  })

  it('says that the label of a cancelled duplicate is void, and names the shipment that was not cancelled, if there is one', async () => {
    const { shipping, history } = await bench()
    const first = value(await shipping.create(request()))
    const second = value(await shipping.create(request({ confirmedDuplicates: confirm(first) })))
    const at = value(await shipping.noteCancellation(second.id, 'By phone')).cancellation?.at ?? ''
    expect(await history.listEarlier(second.reference)).toMatchObject([{ cancelledAt: at }, {}])
    const refused = await shipping.create(request())
    expect(refused).toMatchObject({ error: { details: { shipmentId: first.id } } })
    expect(refused).not.toMatchObject({ error: { details: { case: 'cancelled' } } })
    value(await shipping.noteCancellation(first.id, 'By phone'))
    expect(await shipping.create(request())).toMatchObject({
      error: {
        code: 'shipment-duplicate',
        message: expect.stringContaining(`cancelled at the carrier (${at}): its label is void`),
        details: { case: 'cancelled', shipmentId: second.id, cancelledAt: at },
      },
    })
    const third = await shipping.create(request({ confirmedDuplicates: confirm(second) }))
    expect(value(third).state).toBe('created')
  })

  it('frees the reference after a refusal, so that it can be sent again', async () => {
    const { shipping, service } = await bench()
    service.answer = async () => refused(appError('service-refused', { serviceSays: 'No such street.' }))
    expect(value(await shipping.create(request()))).toMatchObject({
      state: 'refused',
      error: {
        message:
          'The service refused the request: correct what it names and try again. The service says: “No such street.”',
      },
    })
    service.answer = async () => created(aCreation())
    expect(value(await shipping.create(request())).state).toBe('created')
  })

  it('sends no second request after the key was refused', async () => {
    const { shipping, service } = await bench()
    service.answer = async () => refused(appError('key-refused'))
    await shipping.create(request())
    expect(service.sent).toHaveLength(1)
  })

  it('writes nothing when no account is connected', async () => {
    const { shipping, service, historyRepository } = await bench()
    service.opening = err(appError('no-account'))
    expect(await shipping.create(request())).toMatchObject({ error: { code: 'no-account' } })
    expect((await historyRepository.search({ ...wholeHistory, limit: 1, before: null })).total).toBe(0)
  })

  it('sends nothing when the disk is nearly full', async () => {
    const { shipping, service } = await bench({ files: (real) => ({ ...real, freeBytes: async () => 1000 }) })
    expect(await shipping.create(request())).toMatchObject({ error: { code: 'disk-full' } })
    expect(service.sent).toHaveLength(0)
  })
})

describe('an unknown outcome', () => {
  const lost = async (): Promise<CreationOutcome> => ({
    ok: false,
    kind: 'unknown',
    error: appError('service-timeout'),
    answer: null,
  })

  it('locks the reference until a person resolves it', async () => {
    const { shipping, service, history } = await bench()
    service.answer = lost
    const unknown = value(await shipping.create(request()))
    expect(unknown).toMatchObject({ state: 'unknown' })
    expect(await listNeedingAttention(history)).toEqual([unknown.id])
    expect(await shipping.create(request({ confirmedDuplicates: confirm(unknown) }))).toMatchObject({
      error: { code: 'shipment-unsettled', details: { shipmentId: unknown.id } },
    })
    expect(service.sent).toHaveLength(1)
  })

  it('frees the reference when it is resolved as not existing', async () => {
    const { shipping, service } = await bench()
    service.answer = lost
    const unknown = value(await shipping.create(request()))
    const resolved = value(await shipping.resolveUnknown(unknown.id, 'does-not-exist', null))
    expect(resolved).toMatchObject({ state: 'refused', resolution: { verdict: 'does-not-exist' } })
    service.answer = async () => created(aCreation())
    expect(value(await shipping.create(request())).state).toBe('created')
  })

  it('becomes a created shipment with the entered barcode when it is resolved as existing', async () => {
    const { shipping, service, historyRepository } = await bench()
    service.answer = lost
    const unknown = value(await shipping.create(request()))
    value(await shipping.resolveUnknown(unknown.id, 'exists', '3SXX99'))
    const found = await historyRepository.search({ ...wholeHistory, text: '3sxx', limit: 9, before: null })
    expect(found.shipments).toMatchObject([{ id: unknown.id, state: 'created', barcodes: ['3SXX99'] }])
    expect(await shipping.create(request())).toMatchObject({ error: { code: 'shipment-duplicate' } })
  })

  it('can be resolved only once', async () => {
    const { shipping, service } = await bench()
    service.answer = lost
    const unknown = value(await shipping.create(request()))
    const both = await Promise.all([
      shipping.resolveUnknown(unknown.id, 'exists', 'A'),
      shipping.resolveUnknown(unknown.id, 'does-not-exist', null),
    ])
    expect(both.map((one) => one.ok).sort()).toEqual([false, true])
  })

  it('results from an exception in the client', async () => {
    const { shipping, service } = await bench()
    service.answer = () => Promise.reject(new Error('a bug'))
    expect(value(await shipping.create(request())).state).toBe('unknown')
  })
})

describe('the labels of a shipment', () => {
  it('are stored raw without a print job when they cannot be decoded', async () => {
    const { shipping, service, folder, history } = await bench()
    service.answer = async () =>
      created(
        aCreation({
          labels: [aLabel({ kind: 'other', bytes: Buffer.from('@@raw@@'), problem: 'undecodable' })],
        }),
      )
    const shipment = value(await shipping.create(request()))
    expect(shipment).toMatchObject({ state: 'created', jobs: [] })
    expect(await listNeedingAttention(history)).toEqual([shipment.id])
    expect(shipment.labels).toMatchObject([{ problem: 'undecodable', byteLength: 7 }])
    expect(await readFile(join(folder, 'labels', shipment.id, '1.bin'), 'utf8')).toBe('@@raw@@')
  })

  it('do not count as open any more when their shipment is resolved as not existing', async () => {
    const { shipping, history, historyRepository, service } = await bench()
    service.answer = async () => unknownWith(aCreation({ labels: [] }))
    const unknown = value(await shipping.create(request()))
    expect((await historyRepository.countOpen()).labelProblems).toBe(1)
    expect(value(await shipping.resolveUnknown(unknown.id, 'does-not-exist', null))).toMatchObject({
      state: 'refused',
    })
    expect(await listNeedingAttention(history)).toEqual([])
    expect((await historyRepository.countOpen()).labelProblems).toBe(0)
  })

  it('can be closed permanently with a reason when they are missing, and then no longer count as open', async () => {
    const { shipping, history, historyRepository, service, folder } = await bench()
    service.answer = async () => created(aCreation({ labels: [] }))
    const { id } = value(await shipping.create(request()))
    expect((await historyRepository.countOpen()).labelProblems).toBe(1)
    const closed = value(await shipping.closeLabelProblems(id, 'Label came by e-mail'))
    expect(closed).toMatchObject({ labels: [{ problem: 'empty' }] })
    expect(await listNeedingAttention(history)).toEqual([])
    const after = await bench({ folder })
    expect((await after.historyRepository.countOpen()).labelProblems).toBe(0)
    expect(value(await after.history.getDetails(id)).labels[0]?.closed).toEqual({
      at: now().toISOString(),
      reason: 'Label came by e-mail',
    })
  })

  it('are fetched only manually after they were closed', async () => {
    const { shipping, service, shown, jobs } = await bench()
    service.answer = async () => created(aCreation({ labels: [], labelUrl: 'https://carrier.example/l/1' }))
    service.label = async () => err(appError('label-not-fetched', { reason: 'empty' }))
    const { id } = value(await shipping.create(request()))
    await shipping.closeLabelProblems(id, 'Label came by e-mail')
    service.label = async () => ok(Buffer.from('%PDF-1.7 late'))
    const before = shown.length
    await expect.poll(() => shown.length).toBeGreaterThan(before)
    expect(service.fetched).toHaveLength(1)
    expect(await jobs.listByShipment(id)).toEqual([])
    expect(value(await shipping.completeLabels(id, true))).toMatchObject({
      labels: [{ problem: null }],
      jobs: [{ state: 'queued' }],
    })
  })

  it('are not printed when they are closed during the fetch', async () => {
    const { shipping, service, shipmentRepository } = await bench()
    service.answer = async () => created(aCreation({ labels: [], labelUrl: 'https://carrier.example/l/1' }))
    service.label = async () => {
      const [row] = await shipmentRepository.listInStates(['created'])
      await shipping.closeLabelProblems(row?.id ?? '', 'Label came by e-mail')
      return ok(Buffer.from('%PDF-1.7 late'))
    }
    expect(value(await shipping.create(request()))).toMatchObject({
      labels: [{ problem: 'not-fetched', closed: { reason: 'Label came by e-mail' } }],
      jobs: [],
    })
  })

  it('are not printed when they are closed while their print is planned', async () => {
    const close = vi.fn(async () => {})
    const { shipping, service, shipmentRepository } = await bench({ whilePlanning: () => close() })
    close.mockImplementation(async () => {
      const [row] = await shipmentRepository.listInStates(['created'])
      await shipping.closeLabelProblems(row?.id ?? '', 'Label came by e-mail')
    })
    service.answer = async () => created(aCreation({ labels: [], labelUrl: 'https://carrier.example/l/1' }))
    service.label = async () => ok(Buffer.from('%PDF-1.7 late'))
    expect(value(await shipping.create(request()))).toMatchObject({
      labels: [{ problem: 'not-fetched', closed: { reason: 'Label came by e-mail' } }],
      jobs: [],
    })
    expect(close).toHaveBeenCalledTimes(1)
  })

  it('have their queued and waiting jobs cancelled when the shipment is noted as cancelled, but not later reprints', async () => {
    const { shipping, service, jobs, takenBack } = await bench()
    service.answer = async () => created(aCreation({ labels: [1, 2, 3].map(() => aLabel()) }))
    const { id, jobs: planned } = value(await shipping.create(request()))
    const [queued, sending, waiting] = planned.map((job) => job.id)
    await jobs.change(sending ?? '', ['queued'], { state: 'sending' })
    await jobs.change(waiting ?? '', ['queued'], { state: 'waiting' })
    const noted = value(await shipping.noteCancellation(id, 'By phone'))
    expect(noted.jobs.map(({ state }) => state)).toEqual(['cancelled', 'sending', 'cancelled'])
    expect(takenBack).toEqual([queued, waiting])
    // The printer queue cannot start the cancelled job any more.
    expect(await jobs.change(queued ?? '', ['queued'], { state: 'sending' })).toBeUndefined()
    const wanted = { shipmentId: id, labelId: noted.labels[0]?.id ?? '', printerId: 'file', printerName: '' }
    await jobs.add([{ ...wanted, id: randomUUID(), kind: 'reprint' }])
    const again = value(await shipping.noteCancellation(id, 'By phone'))
    expect(again.jobs.map(({ state }) => state)).toEqual(['cancelled', 'sending', 'cancelled', 'queued'])
  })

  it.each<['queued' | 'waiting' | 'failed']>([['queued'], ['waiting'], ['failed']])(
    'end as cancelled instead of %s when their shipment was noted as cancelled while they were being sent',
    async (state) => {
      const { shipping, service, jobs } = await bench()
      service.answer = async () => created(aCreation({ labels: [aLabel()] }))
      const { id, jobs: planned } = value(await shipping.create(request()))
      const job = planned[0]?.id ?? ''
      await jobs.change(job, ['queued'], { state: 'sending' })
      value(await shipping.noteCancellation(id, 'By phone'))
      expect(await jobs.change(job, ['sending'], { state })).toMatchObject({ state: 'cancelled' })
    },
  )

  it('do not move to the standby printer for a cancelled shipment, but a person can move an unconfirmed one', async () => {
    const { shipping, service, jobs } = await bench()
    service.answer = async () => created(aCreation({ labels: [1, 2].map(() => aLabel()) }))
    const { id, jobs: planned, labels } = value(await shipping.create(request()))
    const [sending = '', unconfirmed = ''] = planned.map((job) => job.id)
    for (const job of [sending, unconfirmed]) await jobs.change(job, ['queued'], { state: 'sending' })
    value(await shipping.noteCancellation(id, 'By phone'))
    const standby = (labelId = '') => ({
      ...{ id: randomUUID(), shipmentId: id, labelId, printerId: 'office', printerName: 'office' },
      kind: 'moved' as const,
    })
    const moved = await jobs.replace([sending], ['queued', 'sending'], { state: 'cancelled' }, [
      standby(labels[0]?.id),
    ])
    expect(moved).toMatchObject({ replaced: [{ state: 'cancelled' }], successors: [] })
    await jobs.change(unconfirmed, ['sending'], { state: 'unconfirmed' })
    const again = await jobs.replace([unconfirmed], ['unconfirmed'], { state: 'cancelled' }, [
      standby(labels[1]?.id),
    ])
    expect(again?.successors).toMatchObject([{ state: 'queued' }])
    const [wanted] = again?.successors ?? []
    await jobs.change(wanted?.id ?? '', ['queued'], { state: 'sending' })
    expect(await jobs.change(wanted?.id ?? '', ['sending'], { state: 'queued' })).toMatchObject({
      state: 'queued',
    })
  })

  it('are removed from the failed jobs, and invoices from the queued ones, when the shipment is noted as cancelled', async () => {
    const { shipping, service, jobs, takenBack } = await bench()
    service.answer = async () => created(aCreation({ labels: [aLabel()] }))
    const { id, jobs: planned } = value(await shipping.create(request()))
    const failed = planned[0]?.id ?? ''
    await jobs.change(failed, ['queued'], { state: 'failed' })
    const invoice = randomUUID()
    await jobs.add([
      {
        ...{ id: invoice, shipmentId: id, labelId: null },
        printerId: 'a4',
        printerName: 'A4',
        kind: 'first',
      },
    ])
    value(await shipping.noteCancellation(id, 'By phone'))
    expect(takenBack.toSorted()).toEqual([failed, invoice].toSorted())
    expect(await jobs.listInStates(['queued', 'failed'])).toEqual([])
  })

  it('are fetched only manually and not printed after the shipment was noted as cancelled', async () => {
    const { shipping, service, shown, folder, history } = await bench()
    service.answer = async () => created(aCreation({ labels: [], labelUrl: 'https://carrier.example/l/1' }))
    service.label = async () => err(appError('label-not-fetched', { reason: 'empty' }))
    const { id } = value(await shipping.create(request()))
    expect(value(await shipping.noteCancellation(id, 'By phone'))).toMatchObject({
      labels: [{ problem: 'not-fetched', closed: { reason: 'By phone' } }],
    })
    expect(await listNeedingAttention(history)).toEqual([])
    service.label = async () => ok(Buffer.from('%PDF-1.7 late'))
    const before = shown.length
    await expect.poll(() => shown.length).toBeGreaterThan(before)
    expect(service.fetched).toHaveLength(1)
    const after = await bench({ folder })
    await after.shipping.resumeLabels()
    expect(after.service.fetched).toHaveLength(0)
    expect(value(await shipping.completeLabels(id, true))).toMatchObject({
      labels: [{ problem: null }],
      jobs: [],
    })
  })

  it('are not printed when the shipment is noted as cancelled while their print is planned', async () => {
    const cancel = vi.fn(async () => {})
    const { shipping, service, shipmentRepository } = await bench({ whilePlanning: () => cancel() })
    cancel.mockImplementation(async () => {
      const [row] = await shipmentRepository.listInStates(['created'])
      await shipping.noteCancellation(row?.id ?? '', 'By phone')
    })
    service.answer = async () => created(aCreation({ labels: [], labelUrl: 'https://carrier.example/l/1' }))
    service.label = async () => ok(Buffer.from('%PDF-1.7 late'))
    expect(value(await shipping.create(request()))).toMatchObject({
      cancellation: { note: 'By phone' },
      jobs: [],
    })
    expect(cancel).toHaveBeenCalledTimes(1)
  })

  it('are in the history with their jobs at their own shipment', async () => {
    const { shipping, history } = await bench()
    const first = value(await shipping.create(request({ draft: aDraft({ reference: 'ORDER-1' }) })))
    const silent = { draft: aDraft({ reference: 'ORDER-2' }), print: false }
    const second = value(await shipping.create(request(silent)))
    const found = await history.search({ ...wholeHistory, limit: 9, before: null })
    expect(found.shipments).toMatchObject([
      { id: second.id, print: false, labels: second.labels, jobs: [] },
      { id: first.id, print: true, labels: first.labels, jobs: first.jobs },
    ])
    expect(first.jobs).toHaveLength(1)
  })

  it('keep their order in a shipment of several packages', async () => {
    const { shipping, service } = await bench()
    service.answer = async () =>
      created(
        aCreation({
          labels: ['A', 'B', 'C'].map((barcode) => aLabel({ barcode })),
          barcodes: ['A', 'B', 'C'],
        }),
      )
    const shipment = value(await shipping.create(request()))
    expect(shipment.jobs.map((job) => [job.labelPosition, job.barcode])).toEqual([
      [1, 'A'],
      [2, 'B'],
      [3, 'C'],
    ])
  })

  it('by URL can be fetched again after a failure without another creation request', async () => {
    const { shipping, service, history } = await bench()
    service.answer = async () => created(aCreation({ labels: [], labelUrl: 'https://carrier.example/l/1' }))
    service.label = async () => err(appError('service-timeout'))
    const waiting = value(await shipping.create(request()))
    expect(waiting).toMatchObject({
      state: 'created',
      labels: [{ problem: 'not-fetched' }],
      error: { code: 'service-timeout' },
    })
    expect(await listNeedingAttention(history)).toEqual([waiting.id])
    service.label = async () => ok(Buffer.from('%PDF-1.7 late'))
    const complete = value(await shipping.completeLabels(waiting.id, true))
    expect(complete).toMatchObject({ labels: [{ problem: null }], error: null, jobs: [{ state: 'queued' }] })
    expect(service.sent).toHaveLength(1)
    expect(service.fetched).toEqual(['https://carrier.example/l/1', 'https://carrier.example/l/1'])
  })

  it('by URL are fetched when the keyring fails to encrypt the URL', async () => {
    const { shipping, service, files } = await bench({
      encrypt: () => {
        throw new Error('the keyring is locked')
      },
    })
    service.answer = async () => created(aCreation({ labels: [], labelUrl: 'https://carrier.example/l/1' }))
    const shipment = value(await shipping.create(request()))
    expect(shipment).toMatchObject({ state: 'created', barcodes: ['3SPB1'], labels: [{ problem: null }] })
    expect(service.fetched).toEqual(['https://carrier.example/l/1'])
    expect(await files.readAnswer(shipment.id)).toMatchObject({ sealedLabelUrl: null })
  })

  it('by URL are fetched again and printed when the database refuses them once', async () => {
    const { shipping, service, shipmentRepository, jobs } = await bench()
    service.answer = async () => created(aCreation({ labels: [], labelUrl: 'https://carrier.example/l/1' }))
    vi.spyOn(shipmentRepository, 'completeLabel').mockRejectedValueOnce(new Error('database is locked'))
    const shipment = value(await shipping.create(request()))
    expect(shipment).toMatchObject({ state: 'created', labels: [{ problem: 'not-fetched' }] })
    await expect.poll(() => jobs.listByShipment(shipment.id)).toHaveLength(1)
    expect(await shipmentRepository.listLabels(shipment.id)).toMatchObject([{ problem: null }])
    expect(service.sent).toHaveLength(1)
  })

  it('by URL are fetched again at the next start only if the failure may have been temporary', async () => {
    const folder = await temporaryFolder()
    const before = await bench({ folder })
    const failures = [
      appError('label-not-fetched', { reason: 'status', status: '404' }),
      appError('label-unreadable', { case: 'fetched-no-pdf', bytes: '7' }),
      appError('label-not-fetched', { reason: 'status', status: '503' }),
    ]
    for (const [index, error] of failures.entries()) {
      const labelUrl = `https://carrier.example/l/${index}`
      before.service.answer = async () => created(aCreation({ labels: [], labelUrl }))
      before.service.label = async () => err(error)
      const shipment = value(
        await before.shipping.create(request({ draft: aDraft({ reference: labelUrl }) })),
      )
      expect(shipment).toMatchObject({ labels: [{ problem: 'not-fetched' }], error: { code: error.code } })
    }
    await before.shipping.stop()

    const after = await bench({ folder })
    await after.shipping.resumeLabels()
    await after.shipping.stop()
    expect(after.service.fetched).toEqual(['https://carrier.example/l/2'])
  })

  it('by URL leave no plain URL in any file', async () => {
    const { shipping, service, folder } = await bench()
    service.label = async () => err(appError('service-timeout'))
    service.answer = async () =>
      created(aCreation({ labels: [], labelUrl: 'https://carrier.example/secret-url' }))
    const shipment = value(await shipping.create(request()))
    for (const file of ['packbench.db', 'packbench.db-wal', `labels/${shipment.id}/shipment.json`]) {
      expect((await readFile(join(folder, file))).includes('secret-url')).toBe(false)
    }
    expect(JSON.stringify(shipment)).not.toContain('secret-url')
  })

  it('stay in memory while the disk is full, and can be completed later', async () => {
    let full = true
    const { shipping } = await bench({
      files: (real) => ({
        ...real,
        write: (...args) => (full ? Promise.reject(new Error('ENOSPC')) : real.write(...args)),
      }),
    })
    const shipment = value(await shipping.create(request()))
    expect(shipment).toMatchObject({ state: 'created', labels: [{ problem: 'not-stored' }], jobs: [] })
    full = false
    const complete = value(await shipping.completeLabels(shipment.id, true))
    expect(complete).toMatchObject({
      labels: [{ problem: null, byteLength: 14 }],
      jobs: [{ state: 'queued' }],
    })
  })

  it('are not printed when there are too many and the disk refused them at first', async () => {
    let full = true
    const { shipping, service } = await bench({
      files: (real) => ({
        ...real,
        write: (...args) => (full ? Promise.reject(systemError('ENOSPC')) : real.write(...args)),
      }),
    })
    const empty = aLabel({ bytes: Buffer.alloc(0), problem: 'empty' })
    const labels = [aLabel(), aLabel(), ...Array.from({ length: maxLabels - 2 }, () => empty)]
    service.answer = async () => created(aCreation({ labels, labelCount: maxLabels + 1 }))
    const { id } = value(await shipping.create(request()))
    full = false
    const complete = value(await shipping.completeLabels(id, true))
    expect(complete.labels.slice(0, 2)).toMatchObject([{ problem: null }, { problem: null }])
    expect(complete.labels.at(-1)).toMatchObject({ problem: 'too-many' })
    expect(complete.jobs).toEqual([])
  })

  it('are restored from the stored answer when their file was changed, and unreadable without the answer', async () => {
    const { shipping, labels, folder } = await bench()
    const shipment = value(await shipping.create(request()))
    const place = join(folder, 'labels', shipment.id)
    await writeFile(join(place, '1.pdf'), 'something else')
    const restored = value(await labels.listByShipment(shipment.id)).labels
    expect(restored.map(({ bytes }) => bytes.toString())).toEqual(['%PDF-1.7 label'])
    expect(await readFile(join(place, '1.pdf'), 'utf8')).toBe('%PDF-1.7 label')
    await writeFile(join(place, '1.pdf'), 'something else')
    await rm(join(place, 'answer.json'))
    expect(await labels.listByShipment(shipment.id)).toMatchObject({
      ok: false,
      error: { code: 'label-unreadable' },
    })
  })
})

describe('a shipment after a crash', () => {
  it('is unknown and not sent again when it was in progress', async () => {
    const folder = await temporaryFolder()
    const before = await bench({ folder })
    before.service.answer = () => new Promise(() => undefined)
    void before.shipping.create(request())
    await expect
      .poll(async () => (await before.shipmentRepository.listInStates(['sent'])).length, { timeout: 2000 })
      .toBe(1)

    const after = await bench({ folder, service: new ScriptedService() })
    expect(await after.shipping.recover()).toBe(0)
    const found = await after.shipmentRepository.listInStates(['unknown'])
    expect(found).toMatchObject([{ reference: 'ORDER-1', error: { code: 'shipment-interrupted' } }])
    expect(await after.shipping.create(request())).toMatchObject({ error: { code: 'shipment-unsettled' } })
    expect(after.service.sent).toHaveLength(0)
  })

  it('is completed and printed without a request when its label was on the disk before the commit', async () => {
    const folder = await temporaryFolder()
    const before = await bench({ folder })
    before.shipmentRepository.markCreated = () => new Promise(() => undefined)
    void before.shipping.create(request())
    await expect
      .poll(async () => {
        const [row] = await before.shipmentRepository.listInStates(['sent'])
        return row === undefined ? undefined : before.files.readCreation(row.id)
      })
      .toBeDefined()

    const after = await bench({ folder, service: new ScriptedService() })
    expect(await after.shipping.recover()).toBe(1)
    const [shipment] = await after.shipmentRepository.listInStates(['created'])
    expect(shipment).toMatchObject({ barcodes: ['3SPB1'], subLogId: 'SUB-9' })
    expect(await after.jobs.listByShipment(shipment?.id ?? '')).toMatchObject([{ state: 'queued' }])
    expect(after.service.sent).toHaveLength(0)
  })
})

describe('shipping with unclear answers, write errors and crashes', () => {
  it('keeps label and ids of an unclear answer and adopts them when the shipment is resolved', async () => {
    const { shipping, service, labels, history } = await bench()
    service.answer = async () => unknownWith(aCreation())
    const unknown = value(await shipping.create(request()))
    expect(unknown).toMatchObject({ state: 'unknown', barcodes: ['3SPB1'], subLogId: 'SUB-9', jobs: [] })
    const resolved = value(await shipping.resolveUnknown(unknown.id, 'exists', '3SXX99'))
    expect(resolved).toMatchObject({ state: 'created', barcodes: ['3SXX99', '3SPB1'] })
    expect(await listNeedingAttention(history)).toEqual([resolved.id])
    expect(resolved.labels).toMatchObject([{ problem: null, unplanned: true }])
    expect(value(await labels.listByShipment(unknown.id)).labels).toHaveLength(1)
  })

  it('reports an outcome that cannot be written with its barcode, and writes it once the database accepts it', async () => {
    const { shipping, shipmentRepository, service } = await bench()
    const real = shipmentRepository.markCreated
    let refusing = true
    shipmentRepository.markCreated = (...args) =>
      refusing ? Promise.reject(new Error('database is locked')) : real.apply(shipmentRepository, args)
    const failed = await shipping.create(request())
    expect(failed).toMatchObject({
      ok: false,
      error: { code: 'outcome-not-written', details: { barcodes: '3SPB1', reason: 'database is locked' } },
    })
    expect(await shipping.create(request())).toMatchObject({ error: { code: 'shipment-in-progress' } })
    refusing = false
    await shipping.idle()
    expect(await shipmentRepository.listInStates(['created'])).toMatchObject([
      { reference: 'ORDER-1', barcodes: ['3SPB1'] },
    ])
    expect(service.sent).toHaveLength(1)
  })

  it('announces an outcome that is written late, and fetches and prints its label', async () => {
    const { shipping, shipmentRepository, service, jobs, shown } = await bench()
    service.answer = async () => created(aCreation({ labels: [], labelUrl: 'https://carrier.example/l/1' }))
    const real = shipmentRepository.markCreated
    let refusing = true
    shipmentRepository.markCreated = (...args) =>
      refusing ? Promise.reject(new Error('database is locked')) : real.apply(shipmentRepository, args)
    expect(await shipping.create(request())).toMatchObject({ error: { code: 'outcome-not-written' } })
    refusing = false
    await expect.poll(() => shown.at(-1)).toMatchObject({ state: 'created', labels: [{ problem: null }] })
    expect(await jobs.listByShipment(shown.at(-1)?.id ?? '')).toHaveLength(1)
    expect(service.sent).toHaveLength(1)
  })

  it('refuses a creation with an intent that cannot be written, without leaving a folder, and allows it later', async () => {
    const { shipping, shipmentRepository, service, folder } = await bench()
    const real = shipmentRepository.writeIntent
    shipmentRepository.writeIntent = () => Promise.reject(new Error('database or disk is full'))
    const again = request()
    expect(await shipping.create(again)).toMatchObject({
      error: { code: 'journal-not-written', details: { reason: 'database or disk is full' } },
    })
    expect(await readdir(join(folder, 'labels'))).toEqual([])
    expect(service.sent).toHaveLength(0)
    shipmentRepository.writeIntent = real
    const shipment = value(await shipping.create(again))
    expect(await readdir(join(folder, 'labels'))).toEqual([shipment.id])
  })

  it('creates nothing for a removed printer, but still returns the shipment of an earlier attempt', async () => {
    let printers = [socketPrinterSchema.parse({ driver: 'socket', id: 'zebra', host: '127.0.0.1' })]
    const { shipping, service } = await bench({ printers: () => printers })
    const one = request({ draft: aDraft({ printer: 'zebra' }), origin: 'hot-folder' })
    const { id } = value(await shipping.create(one))
    printers = []
    expect(value(await shipping.create(one))).toMatchObject({ id, state: 'created' })
    const other = { ...one, attemptId: randomUUID(), draft: aDraft({ printer: 'zebra', reference: 'OTHER' }) }
    expect(await shipping.create(other)).toMatchObject({ error: { code: 'rule-printer-unknown' } })
    expect(service.sent).toHaveLength(1)
  })

  it('ends a written intent without a confirmation as refused and keeps its claim', async () => {
    const { claims, ends } = recordedClaims()
    const { shipping, shipmentRepository, service } = await bench({ claims })
    const real = shipmentRepository.writeIntent.bind(shipmentRepository)
    shipmentRepository.writeIntent = async (...intent) => {
      await real(...intent)
      throw new Error('the thread ended')
    }
    const one = request()
    expect(await shipping.create(one)).toMatchObject({ error: { code: 'journal-not-written' } })
    expect(ends).toEqual(['kept'])
    expect((await shipmentRepository.findAttempt(one.attemptId))?.state).toBe('refused')
    expect(service.sent).toHaveLength(0)
    shipmentRepository.writeIntent = real
    expect(value(await shipping.create({ ...request(), draft: one.draft })).state).toBe('created')
    expect(service.sent).toHaveLength(1)
  })

  it('releases the claim when it cannot be asked whether the batch still runs', async () => {
    const { claims, ends } = recordedClaims()
    const { shipping, service, folder } = await bench({ claims })
    const mayContinue = () => Promise.reject(new Error('database is locked'))
    const slot = { ...new Slots(() => 1).enqueue(), mayContinue }
    expect(await shipping.create(request({ slot }))).toMatchObject({
      error: { code: 'journal-not-written', details: { reason: 'database is locked' } },
    })
    expect(ends).toEqual(['released'])
    expect(await readdir(join(folder, 'labels'))).toEqual([])
    expect(service.sent).toHaveLength(0)
  })

  it('keeps the claim when it is not known whether the intent was written, and ends the intent as refused', async () => {
    const { claims, ends } = recordedClaims()
    const { shipping, shipmentRepository } = await bench({ claims })
    const writeIntent = shipmentRepository.writeIntent.bind(shipmentRepository)
    const find = shipmentRepository.findAttempt.bind(shipmentRepository)
    shipmentRepository.writeIntent = async (...intent) => {
      await writeIntent(...intent)
      shipmentRepository.findAttempt = () => Promise.reject(new Error('the thread ended'))
      throw new Error('the thread ended')
    }
    const one = request()
    expect(await shipping.create(one)).toMatchObject({ error: { code: 'journal-not-written' } })
    expect(ends).toEqual(['kept'])
    expect((await find(one.attemptId))?.state).toBe('refused')
  })

  it.each([
    ['the label files', ['write'], ['answer.json', 'order.json', 'shipment.json']],
    ['the summary', ['writeCreation'], ['1.pdf', '2.pdf', 'answer.json', 'order.json']],
    ['either of them', ['write', 'writeCreation'], ['answer.json', 'order.json']],
  ] as const)(
    'loses nothing in a crash after the answer and before %s is written',
    async (_name, stuck, left) => {
      const folder = await temporaryFolder()
      const before = await bench({ folder, files: (real) => withStuck(real, stuck) })
      before.service.answer = async () =>
        created(aCreation({ labels: ['A', 'B'].map((barcode) => aLabel({ barcode })), barcodes: ['A', 'B'] }))
      void before.shipping.create(request())
      await expect
        .poll(async () => {
          const [row] = await before.shipmentRepository.listInStates(['sent'])
          return row && readdir(join(folder, 'labels', row.id))
        })
        .toEqual(left)
      const after = await bench({ folder, service: new ScriptedService() })
      expect(await after.shipping.recover()).toBe(1)
      const [shipment] = await after.shipmentRepository.listInStates(['created'])
      expect(shipment).toMatchObject({ barcodes: ['A', 'B'], subLogId: 'SUB-9' })
      expect(await after.shipmentRepository.listLabels(shipment?.id ?? '')).toMatchObject([
        { barcode: 'A', problem: null },
        { barcode: 'B', problem: null },
      ])
      expect(value(await after.labels.listByShipment(shipment?.id ?? '')).labels).toHaveLength(2)
      expect(await after.jobs.listByShipment(shipment?.id ?? '')).toHaveLength(2)
      expect(after.service.sent).toHaveLength(0)
    },
  )

  it('loses nothing in a crash before a complete answer file is renamed', async () => {
    const { folder, id } = await crashedWith(async (place) => {
      await rename(join(place, 'answer.json'), join(place, 'answer.json.part'))
    })
    const after = await bench({ folder })
    expect(await after.shipping.recover()).toBe(1)
    expect(value(await after.labels.listByShipment(id)).labels).toMatchObject([{ barcode: '3SPB1' }])
    expect(await readdir(join(folder, 'labels', id))).toContain('answer.json')
  })

  it('leaves the outcome unknown and keeps the file when the answer file is truncated', async () => {
    const { folder, id } = await crashedWith(async (place) => {
      const whole = await readFile(join(place, 'answer.json'), 'utf8')
      await writeFile(join(place, 'answer.json.part'), whole.slice(0, -20))
      for (const name of ['answer.json', 'shipment.json', '1.pdf']) await rm(join(place, name))
    })
    const after = await bench({ folder })
    expect(await after.shipping.recover()).toBe(0)
    expect(await after.shipmentRepository.find(id)).toMatchObject({
      state: 'unknown',
      error: { code: 'shipment-interrupted' },
    })
    expect(await readdir(join(folder, 'labels', id))).toContain('answer.json.part')
  })

  it('leaves the shipment as sent while the answer file is unreadable, and completes it later', async () => {
    const { folder, id } = await crashedWith(async (place) => {
      for (const name of ['shipment.json', '1.pdf']) await rm(join(place, name))
      await rename(join(place, 'answer.json'), join(place, 'elsewhere'))
      await symlink('answer.json', join(place, 'answer.json'))
    })
    const after = await bench({ folder })
    await expect(after.shipping.recover()).rejects.toThrow(/ELOOP.*answer\.json/)
    expect(await after.shipmentRepository.find(id)).toMatchObject({ state: 'sent' })
    const place = join(folder, 'labels', id)
    await rename(join(place, 'elsewhere'), join(place, 'answer.json'))
    expect(await after.shipping.recover()).toBe(1)
    expect(value(await after.labels.listByShipment(id)).labels).toMatchObject([{ barcode: '3SPB1' }])
  })

  it('adopts an answer file that reappears after the start when the shipment is resolved', async () => {
    const { folder, id } = await crashedWith(async (place) => {
      for (const name of ['shipment.json', '1.pdf']) await rm(join(place, name))
      await rename(join(place, 'answer.json'), join(place, 'elsewhere'))
    })
    const after = await bench({ folder })
    expect(await after.shipping.recover()).toBe(0)
    const place = join(folder, 'labels', id)
    await rename(join(place, 'elsewhere'), join(place, 'answer.json'))
    expect(value(await after.shipping.resolveUnknown(id, 'exists', null))).toMatchObject({
      state: 'created',
      barcodes: ['3SPB1'],
      subLogId: 'SUB-9',
      labels: [{ problem: null }],
      jobs: [],
    })
    expect(value(await after.labels.listByShipment(id)).labels).toMatchObject([{ barcode: '3SPB1' }])
  })

  it('frees the reference after a crash when the stored answer is a refusal', async () => {
    const { folder, id } = await crashedWith(async (place) => {
      const kept = JSON.parse(await readFile(join(place, 'answer.json'), 'utf8'))
      const refusal = { ...kept, content: { status: false, Errors: 'No such street.' } }
      await writeFile(join(place, 'answer.json'), JSON.stringify(refusal))
    })
    const after = await bench({ folder })
    await after.shipping.recover()
    expect(await after.shipmentRepository.find(id)).toMatchObject({
      state: 'refused',
      error: { details: { serviceSays: 'No such street.' } },
    })
    expect(value(await after.shipping.create(request())).state).toBe('created')
  })

  it('completes a folder of an older version from its summary and label, even with temporary names', async () => {
    const { folder, id } = await crashedWith(async (place) => {
      await rm(join(place, 'answer.json'))
      await rm(join(place, 'order.json'))
      await rename(join(place, 'shipment.json'), join(place, 'shipment.json.part'))
      await rename(join(place, '1.pdf'), join(place, '1.pdf.part'))
    })
    const after = await bench({ folder })
    expect(await after.shipping.recover()).toBe(1)
    expect(await after.shipmentRepository.listLabels(id)).toMatchObject([{ barcode: '3SPB1', problem: null }])
    expect(value(await after.labels.listByShipment(id)).labels).toMatchObject([{ barcode: '3SPB1' }])
    expect((await readdir(join(folder, 'labels', id))).sort()).toEqual(['1.pdf', 'shipment.json'])
  })
})

describe('a labels folder that is not writable', () => {
  it('blocks sending with its cause, and unblocks by itself once it is writable', async () => {
    const { shipping, service, folder } = await bench()
    await writeFile(join(folder, 'labels'), 'a file in the place of the folder')
    expect(await shipping.create(request())).toMatchObject({
      ok: false,
      error: {
        code: 'labels-not-writable',
        message: expect.stringMatching(/EEXIST.*Nothing was sent/s),
        details: { path: join(folder, 'labels'), fault: 'no-folder', detail: 'EEXIST' },
      },
    })
    expect(service.sent).toHaveLength(0)
    expect(shipping.diskError()?.code).toBe('labels-not-writable')
    await rm(join(folder, 'labels'))
    await expect.poll(() => shipping.diskError()).toBeUndefined()
    expect(value(await shipping.create(request())).state).toBe('created')
    expect(await readdir(join(folder, 'labels'))).toHaveLength(1)
  })

  it.each(['EACCES', 'ENOSPC', 'EROFS', 'EDQUOT', 'EIO'])('is reported with its cause %s', async (code) => {
    const { shipping, service, shipmentRepository } = await bench({
      files: (real) => ({ ...real, writeOrder: () => Promise.reject(systemError(code)) }),
    })
    const refused = await shipping.create(request())
    expect(refused).toMatchObject({
      error: {
        code: 'labels-not-writable',
        message: expect.stringContaining(code),
        details: { detail: code },
      },
    })
    expect(service.sent).toHaveLength(0)
    expect(await shipmentRepository.listInStates(['intended', 'sent', 'refused', 'unknown'])).toEqual([])
  })
})

describe('the labels folder', () => {
  it('contains no folder for a duplicate or a refusal', async () => {
    const { shipping, service, folder } = await bench()
    const first = value(await shipping.create(request()))
    await shipping.create(request())
    service.answer = async () => refused(appError('service-refused'))
    await shipping.create(request({ draft: aDraft({ reference: 'ORDER-2' }) }))
    expect(await readdir(join(folder, 'labels'))).toEqual([first.id])
  })
})

describe('an answer that cannot be written to the disk', () => {
  /** A disk on which neither answers nor labels can be written until it is repaired. */
  function failingDisk(code: string) {
    let failing = true
    const guarded =
      <Args extends unknown[]>(write: (...args: Args) => Promise<void>) =>
      (...args: Args) =>
        failing ? Promise.reject(systemError(code)) : write(...args)
    return {
      repair: () => {
        failing = false
      },
      files: (real: ShipmentFiles): ShipmentFiles => ({
        ...real,
        write: guarded(real.write),
        writeAnswer: guarded(real.writeAnswer),
        writeCreation: guarded(real.writeCreation),
      }),
    }
  }

  it('waits in memory, blocks the next creation, and is written and printed once the disk accepts it', async () => {
    const disk = failingDisk('ENOSPC')
    const { shipping, history, service, jobs, files, labels } = await bench({ files: disk.files })
    const shipment = value(await shipping.create(request()))
    expect(shipment).toMatchObject({
      state: 'created',
      barcodes: ['3SPB1'],
      labels: [{ problem: 'not-stored' }],
      error: { code: 'label-not-stored', message: expect.stringContaining('ENOSPC') },
      jobs: [],
    })
    expect(shipping.diskError()).toMatchObject({
      code: 'labels-waiting',
      details: { count: '1', fault: 'no-space', detail: 'ENOSPC' },
    })
    const next = request({ draft: aDraft({ reference: 'ORDER-2' }) })
    expect(await shipping.create(next)).toMatchObject({
      error: {
        code: 'labels-waiting',
        message: expect.stringMatching(/labels wait in memory \(1\).*ENOSPC.*Nothing was sent/s),
      },
    })
    expect(service.sent).toHaveLength(1)

    disk.repair()
    await expect.poll(() => shipping.diskError()).toBeUndefined()
    await expect.poll(() => jobs.listByShipment(shipment.id)).toHaveLength(1)
    expect(value(await labels.listByShipment(shipment.id)).labels[0]?.bytes.toString()).toBe('%PDF-1.7 label')
    expect(await files.readAnswer(shipment.id)).toBeDefined()
    expect(value(await history.getDetails(shipment.id)).error).toBeNull()
    expect(value(await shipping.create(next)).state).toBe('created')
    expect(service.sent).toHaveLength(2)
  })

  it('leaves no error at its shipment if the label could be written', async () => {
    const disk = failingDisk('EACCES')
    const { shipping, history, jobs } = await bench({
      files: (real) => ({ ...real, writeAnswer: disk.files(real).writeAnswer }),
    })
    const shipment = value(await shipping.create(request()))
    expect(shipment).toMatchObject({ labels: [{ problem: null }], jobs: [{ state: 'queued' }] })
    expect(shipping.diskError()).toMatchObject({ code: 'labels-waiting' })
    disk.repair()
    await expect.poll(() => shipping.diskError()).toBeUndefined()
    expect(value(await history.getDetails(shipment.id)).error).toBeNull()
    expect(await jobs.listByShipment(shipment.id)).toHaveLength(1)
  })

  it('is written and printed also if the database refuses the note about it', async () => {
    const disk = failingDisk('ENOSPC')
    const { shipping, shipmentRepository, service, jobs } = await bench({ files: disk.files })
    const refused = new Error('database or disk is full')
    vi.spyOn(shipmentRepository, 'noteError').mockRejectedValueOnce(refused)
    const shipment = value(await shipping.create(request()))
    expect(shipment).toMatchObject({ state: 'created', labels: [{ problem: 'not-stored' }] })
    disk.repair()
    await expect.poll(() => jobs.listByShipment(shipment.id)).toHaveLength(1)
    expect(shipping.diskError()).toBeUndefined()
    expect(service.sent).toHaveLength(1)
  })

  it('blocks creations that wait for a slot while it cannot be written', async () => {
    const disk = failingDisk('ENOSPC')
    const { shipping, service } = await bench({ files: disk.files })
    const slots = new Slots(() => 1)
    const created = await Promise.all(
      ['ORDER-1', 'ORDER-2', 'ORDER-3', 'ORDER-4'].map(async (reference) => {
        const slot = { ...slots.enqueue(), mayContinue: async () => true }
        return shipping.create(request({ draft: aDraft({ reference }), slot })).finally(slot.release)
      }),
    )
    expect(service.sent.length).toBeLessThanOrEqual(2)
    expect(created.slice(2)).toMatchObject([
      { error: { code: 'labels-waiting' } },
      { error: { code: 'labels-waiting' } },
    ])
    disk.repair()
    await expect.poll(() => shipping.diskError()).toBeUndefined()
  })

  it('is written when the app closes, and printed after the next start', async () => {
    const folder = await temporaryFolder()
    const disk = failingDisk('EACCES')
    const before = await bench({ folder, files: disk.files })
    const shipment = value(await before.shipping.create(request()))
    disk.repair()
    await before.shipping.stop()

    const after = await bench({ folder })
    await after.shipping.resumeLabels()
    await expect.poll(() => after.jobs.listByShipment(shipment.id)).toHaveLength(1)
    expect(value(await after.labels.listByShipment(shipment.id)).labels[0]?.bytes.toString()).toBe(
      '%PDF-1.7 label',
    )
  })

  it('is logged with its barcode when the disk hangs while the app closes', async () => {
    const lines: string[] = []
    const log = { ...silentLog, error: (...args: unknown[]) => lines.push(JSON.stringify(args)) }
    let isHanging = false
    const never = () => new Promise<never>(() => undefined)
    const { shipping } = await bench({
      files: (real) => ({
        ...failingDisk('EIO').files(real),
        writeAnswer: () => (isHanging ? never() : Promise.reject(systemError('EIO'))),
      }),
      log,
    })
    const shipment = value(await shipping.create(request()))
    isHanging = true
    void shipping.stop()
    await expect
      .poll(() => lines.filter((line) => line.includes('is lost')))
      .toEqual([expect.stringMatching(new RegExp(`${shipment.id}.*3SPB1`))])
  })

  it('is logged with its barcode when the app closes during its first write, on which the disk hangs', async () => {
    const lines: string[] = []
    const log = { ...silentLog, error: (...args: unknown[]) => lines.push(JSON.stringify(args)) }
    const written: string[] = []
    const { shipping } = await bench({
      files: (real) => ({
        ...real,
        writeAnswer: (shipmentId) => {
          written.push(shipmentId)
          return new Promise<never>(() => undefined)
        },
      }),
      log,
    })
    void shipping.create(request())
    await expect.poll(() => written).toHaveLength(1)
    void shipping.stop()
    await expect
      .poll(() => lines.filter((line) => line.includes('is lost')))
      .toEqual([expect.stringMatching(new RegExp(`${written[0]}.*3SPB1`))])
  })

  it('is logged with its barcode when the app closes and it is lost', async () => {
    const lines: string[] = []
    const log = { ...silentLog, error: (...args: unknown[]) => lines.push(JSON.stringify(args)) }
    const { shipping } = await bench({ files: failingDisk('EROFS').files, log })
    const shipment = value(await shipping.create(request()))
    await shipping.stop()
    expect(lines.filter((line) => line.includes('is lost'))).toEqual([
      expect.stringMatching(new RegExp(`${shipment.id}.*3SPB1.*EROFS`)),
    ])
  })
})

describe('retention', () => {
  it('counts from the last event of a shipment, and keeps shipments with open print jobs', async () => {
    const { shipping, shipmentRepository, retention, files, jobs } = await bench()
    const longAgo = new Date('2026-01-01T00:00:00Z')
    const late = value(await shipping.create(request({ takenAt: longAgo })))
    const muchLater = new Date('2027-06-01T00:00:00Z')
    expect(
      await removeOldShipments(
        { shipmentRepository, retention, files, log: silentLog },
        { retentionDays: 90, now: now(), misdated: null },
      ),
    ).toBe(0)
    expect(
      await removeOldShipments(
        { shipmentRepository, retention, files, log: silentLog },
        { retentionDays: 90, now: muchLater, misdated: null },
      ),
    ).toBe(0)
    for (const job of late.jobs) await jobs.change(job.id, ['queued'], { state: 'done' })
    expect(
      await removeOldShipments(
        { shipmentRepository, retention, files, log: silentLog },
        { retentionDays: 90, now: muchLater, misdated: null },
      ),
    ).toBe(1)
  })

  it('removes old created shipments with their labels, and keeps unknown ones', async () => {
    const { shipping, service, shipmentRepository, retention, files } = await bench()
    const old = value(
      await shipping.create(request({ takenAt: new Date('2026-01-01T00:00:00Z'), print: false })),
    )
    service.answer = async () => unknownWith(null)
    const open = value(
      await shipping.create(
        request({ draft: aDraft({ reference: 'ORDER-2' }), takenAt: new Date('2026-01-01T00:00:00Z') }),
      ),
    )
    expect(
      await removeOldShipments(
        { shipmentRepository, retention, files, log: silentLog },
        { retentionDays: 90, now: new Date('2027-06-01T00:00:00Z'), misdated: null },
      ),
    ).toBe(1)
    expect(await shipmentRepository.find(old.id)).toBeUndefined()
    expect(await files.readCreation(old.id)).toBeUndefined()
    expect(await shipmentRepository.find(open.id)).toBeDefined()
  })

  it('keeps the row of a shipment with a failed file removal, removes other shipments, and completes the removal later', async () => {
    const { shipping, service, shipmentRepository, retention, files } = await bench()
    const takenAt = new Date('2026-01-01T00:00:00Z')
    service.answer = async () => unknownWith(null)
    const resolved = value(await shipping.create(request({ takenAt, print: false })))
    value(await shipping.resolveUnknown(resolved.id, 'does-not-exist', null))
    const draft = aDraft({ reference: 'ORDER-2' })
    const other = value(await shipping.create(request({ takenAt, print: false, draft })))
    value(await shipping.resolveUnknown(other.id, 'does-not-exist', null))
    const rule = { retentionDays: 90, now: new Date('2027-06-01T00:00:00Z'), misdated: null }
    const remove = vi.fn(files.remove).mockRejectedValueOnce(new Error('EBUSY'))
    const deps = { shipmentRepository, retention, files: { ...files, remove }, log: silentLog }
    expect(await removeOldShipments(deps, rule)).toBe(1)
    expect(await shipmentRepository.find(resolved.id)).toBeDefined()
    expect(await shipmentRepository.find(other.id)).toBeUndefined()

    vi.spyOn(retention, 'remove').mockRejectedValueOnce(new Error('the process was killed'))
    expect(await removeOldShipments(deps, rule)).toBe(0)
    expect(await readdir(files.folder)).toEqual([])
    expect(await removeOldShipments(deps, rule)).toBe(1)
    expect(await shipmentRepository.find(resolved.id)).toBeUndefined()
  })
})

describe('the signed-in operator', () => {
  it('is recorded on the shipment, its first print jobs and their successors', async () => {
    const { shipping, jobs, signIn } = await bench()
    signIn('Ann')
    const shipment = value(await shipping.create(request()))
    expect(shipment).toMatchObject({ operator: 'Ann', jobs: [{ operator: 'Ann' }] })
    signIn('Bob')
    const [first] = shipment.jobs
    const replaced = await jobs.replace([first?.id ?? ''], ['queued'], { state: 'cancelled' }, [
      {
        ...{ id: randomUUID(), shipmentId: shipment.id, labelId: first?.labelId ?? null },
        ...{ printerId: 'standby', printerName: 'Standby', kind: 'moved' },
      },
    ])
    expect(replaced?.successors).toMatchObject([{ operator: 'Ann' }])
  })

  it('is recorded on the resolution of an unknown shipment, but not on a shipment of the hot folder', async () => {
    const { shipping, service, signIn } = await bench()
    signIn('Ann')
    service.answer = async () => unknownWith(null)
    const unknown = value(await shipping.create(request({ origin: 'hot-folder' })))
    expect(unknown).not.toHaveProperty('operator')
    const resolved = value(await shipping.resolveUnknown(unknown.id, 'does-not-exist', null))
    expect(resolved.resolution).toMatchObject({ verdict: 'does-not-exist', by: 'Ann' })
  })

  it('is sent to the service only when the settings require it', async () => {
    const { shipping, service, signIn } = await bench()
    signIn('Ann')
    value(await shipping.create(request({ draft: aDraft({ reference: 'A', createdBy: 'station-1' }) })))
    signIn('Ann', true)
    value(await shipping.create(request({ draft: aDraft({ reference: 'B', createdBy: 'station-1' }) })))
    expect(service.sent.map(({ createdBy }) => createdBy)).toEqual(['station-1', 'Ann'])
  })

  it('is stored in the labels folder, from which the history can be rebuilt', async () => {
    const { shipping, files, signIn } = await bench()
    signIn('Ann')
    const { id } = value(await shipping.create(request()))
    expect((await files.readCreation(id))?.order).toMatchObject({ operator: 'Ann' })
  })
})
