import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { CarrierLabel, Creation, CreationOutcome } from '../../../src/main/carrier/creationOutcome'
import { createHistory } from '../../../src/main/shipments/history'
import { createLabelFiles, type LabelFiles } from '../../../src/main/shipments/labelFiles'
import { createLabelIntake } from '../../../src/main/shipments/labelIntake'
import { createLabelSource } from '../../../src/main/shipments/labelSource'
import { removeOldShipments } from '../../../src/main/shipments/retention'
import { type CreateRequest, createShipping } from '../../../src/main/shipments/shipping'
import { type Database, openDatabase } from '../../../src/main/storage/database'
import { createPrintJobRepository } from '../../../src/main/storage/printJobRepository'
import { createShipmentRepository } from '../../../src/main/storage/shipmentRepository'
import { appError } from '../../../src/shared/errors'
import { err, ok, type Result } from '../../../src/shared/result'
import type { ShipmentDraft } from '../../../src/shared/shipment'
import { aDraft } from '../../support/drafts'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

const now = () => new Date('2026-11-21T10:00:00.000Z')

/** A service that answers as the test says, and counts what it was asked. */
class ScriptedService {
  readonly sent: ShipmentDraft[] = []
  readonly renewed: string[] = []
  readonly fetched: string[] = []
  answer: (draft: ShipmentDraft) => Promise<CreationOutcome> = async () => created(aCreation())
  label: () => Promise<Result<Buffer>> = async () => ok(Buffer.from('%PDF-1.7 fetched'))
  opening: Result<undefined> = ok(undefined)

  async open() {
    if (!this.opening.ok) return this.opening
    return ok({
      create: (draft: ShipmentDraft) => {
        this.sent.push(draft)
        return this.answer(draft)
      },
      renewKey: async () => {
        this.renewed.push('renewed')
      },
    })
  }

  fetchLabel(url: string) {
    this.fetched.push(url)
    return this.label()
  }
}

function aLabel(change: Partial<CarrierLabel> = {}): CarrierLabel {
  return {
    barcode: '3SPB1',
    kind: 'pdf',
    bytes: Buffer.from('%PDF-1.7 label'),
    problem: null,
    shipmentId: '77',
    ...change,
  }
}

function aCreation(change: Partial<Creation> = {}): Creation {
  return {
    labels: [aLabel()],
    barcodes: ['3SPB1'],
    serviceShipmentId: '77',
    zendingId: null,
    subLogId: 'SUB-9',
    logId: null,
    message: null,
    trackingUrl: 'https://track.example/3SPB1',
    labelUrl: null,
    limits: null,
    ...change,
  }
}

function created(creation: Creation): CreationOutcome {
  return { kind: 'created', creation, receivedAt: now() }
}

/** An unclear answer, with what it named all the same. */
function unknownWith(creation: Creation | null): CreationOutcome {
  return {
    kind: 'unknown',
    error: appError('service-answer-not-understood', 'The answer is unclear.'),
    creation,
    receivedAt: now(),
  }
}

async function openIn(folder: string): Promise<Database> {
  const database = openDatabase(join(folder, 'packbench.db'))
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  return database.value
}

interface Bench {
  folder: string
  service: ScriptedService
  files?: (real: LabelFiles) => LabelFiles
  canSeal?: boolean
}

async function setUp({ folder, service, files: wrap = (real) => real, canSeal = true }: Bench) {
  const database = await openIn(folder)
  const store = createShipmentRepository(database)
  const jobs = createPrintJobRepository(database, now)
  const files = wrap(createLabelFiles(join(folder, 'labels')))
  const sealer = {
    seal: (text: string) => (canSeal ? Buffer.from(text).toString('base64') : null),
    unseal: (sealed: string) => Buffer.from(sealed, 'base64').toString(),
  }
  const intake = createLabelIntake({ files, sealer, log: silentLog, now, newId: randomUUID })
  let woken = 0
  const shipping = createShipping({
    store,
    files,
    intake,
    service,
    firstPrint: {
      plan: (shipmentId, labels) =>
        ok(
          labels.map((label) => ({
            id: randomUUID(),
            shipmentId,
            labelId: label.id,
            printerId: 'file',
            printerName: 'Folder',
            kind: 'first',
          })),
        ),
      wake: () => {
        woken += 1
      },
    },
    jobsOf: (shipmentId) => jobs.ofShipment(shipmentId),
    delivery: () => 'in-answer',
    now,
    newId: randomUUID,
    log: silentLog,
    onChange: () => undefined,
  })
  return { shipping, store, jobs, files, wokenTimes: () => woken }
}

function request(change: Partial<CreateRequest> = {}): CreateRequest {
  return {
    attemptId: randomUUID(),
    draft: aDraft(),
    origin: 'screen',
    print: true,
    takenAt: now(),
    ...change,
  }
}

async function bench(change: Partial<Bench> = {}) {
  const folder = change.folder ?? (await temporaryFolder())
  const service = change.service ?? new ScriptedService()
  return { folder, service, ...(await setUp({ ...change, folder, service })) }
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`)
  return result.value
}

describe('creating a shipment', () => {
  it('keeps the label byte for byte, the ids, and a first print job', async () => {
    const { shipping, files, store } = await bench()
    const shipment = value(await shipping.create(request()))
    expect(shipment).toMatchObject({
      state: 'created',
      reference: 'ORDER-1',
      barcodes: ['3SPB1'],
      serviceShipmentId: '77',
      subLogId: 'SUB-9',
      trackingLinkHost: 'track.example',
      recipient: 'Jannie de Vries',
      needsAttention: false,
      jobs: [{ state: 'queued', kind: 'first', labelPosition: 1, barcode: '3SPB1' }],
    })
    const labels = value(await createLabelSource(store, files).ofShipment(shipment.id))
    expect(labels[0]?.bytes.toString()).toBe('%PDF-1.7 label')
  })

  it('is on the disk as sent before the service is asked', async () => {
    const { shipping, service, store } = await bench()
    const states: string[] = []
    service.answer = async () => {
      states.push(...(await store.inStates(['intended', 'sent', 'created'])).map((row) => row.state))
      return created(aCreation())
    }
    await shipping.create(request())
    expect(states).toEqual(['sent'])
  })

  it('makes one request of two calls of one attempt, at once and later', async () => {
    const { shipping, service } = await bench()
    const twice = request()
    const [first, second] = await Promise.all([shipping.create(twice), shipping.create(twice)])
    const third = await shipping.create(twice)
    expect(service.sent).toHaveLength(1)
    expect([value(second).id, value(third).id]).toEqual([value(first).id, value(first).id])
  })

  it('makes one request when two windows send the same reference at once', async () => {
    const { shipping, service } = await bench()
    const answers = await Promise.all([shipping.create(request()), shipping.create(request())])
    expect(service.sent).toHaveLength(1)
    expect(answers.filter((answer) => answer.ok)).toHaveLength(1)
    expect(answers.find((answer) => !answer.ok)).toMatchObject({
      error: { code: expect.stringMatching(/shipment-(in-progress|duplicate)/) },
    })
  })

  it('asks before a reference is shipped again, and ships it when that very shipment was confirmed', async () => {
    const { shipping, service } = await bench()
    const first = value(await shipping.create(request()))
    const refused = await shipping.create(request())
    expect(refused).toMatchObject({
      ok: false,
      error: { code: 'shipment-duplicate', details: { shipmentId: first.id, barcodes: '3SPB1' } },
    })
    const second = value(await shipping.create(request({ confirmedDuplicateOf: first.id })))
    expect(second.state).toBe('created')
    const stale = await shipping.create(request({ confirmedDuplicateOf: first.id }))
    expect(stale).toMatchObject({ error: { code: 'shipment-duplicate', details: { shipmentId: second.id } } })
    expect(service.sent).toHaveLength(2)
  })

  it('leaves a refused shipment free to be sent again', async () => {
    const { shipping, service } = await bench()
    service.answer = async () => ({ kind: 'refused', error: appError('service-refused', 'No such street.') })
    expect(value(await shipping.create(request()))).toMatchObject({
      state: 'refused',
      error: { message: 'No such street.' },
    })
    service.answer = async () => created(aCreation())
    expect(value(await shipping.create(request())).state).toBe('created')
  })

  it('gets a new key after the old one was refused, and repeats nothing', async () => {
    const { shipping, service } = await bench()
    service.answer = async () => ({ kind: 'refused', error: appError('key-refused', 'Unknown key.') })
    await shipping.create(request())
    expect(service.sent).toHaveLength(1)
    expect(service.renewed).toHaveLength(1)
  })

  it('writes nothing when there is no key to be had', async () => {
    const { shipping, service, store } = await bench()
    service.opening = err(appError('no-account', 'No account.'))
    expect(await shipping.create(request())).toMatchObject({ error: { code: 'no-account' } })
    expect((await store.search({ text: '', onlyNeedingAttention: false, limit: 9, offset: 0 })).total).toBe(0)
  })

  it('sends nothing when the disk is nearly full', async () => {
    const { shipping, service } = await bench({ files: (real) => ({ ...real, freeBytes: async () => 1000 }) })
    expect(await shipping.create(request())).toMatchObject({ error: { code: 'disk-full' } })
    expect(service.sent).toHaveLength(0)
  })
})

describe('an unknown outcome', () => {
  const lost = async (): Promise<CreationOutcome> => ({
    kind: 'unknown',
    error: appError('service-timeout', 'No answer.'),
    creation: null,
    receivedAt: null,
  })

  it('locks the reference until a person settles it', async () => {
    const { shipping, service } = await bench()
    service.answer = lost
    const unknown = value(await shipping.create(request()))
    expect(unknown).toMatchObject({ state: 'unknown', needsAttention: true })
    expect(await shipping.create(request({ confirmedDuplicateOf: unknown.id }))).toMatchObject({
      error: { code: 'shipment-unsettled', details: { shipmentId: unknown.id } },
    })
    expect(service.sent).toHaveLength(1)
  })

  it('is freed by «it does not exist»', async () => {
    const { shipping, service } = await bench()
    service.answer = lost
    const unknown = value(await shipping.create(request()))
    const settled = value(await shipping.settle(unknown.id, 'does-not-exist', null))
    expect(settled).toMatchObject({ state: 'refused', settlement: { verdict: 'does-not-exist' } })
    service.answer = async () => created(aCreation())
    expect(value(await shipping.create(request())).state).toBe('created')
  })

  it('becomes a created shipment by «it exists», and can be found by the code given', async () => {
    const { shipping, service, store } = await bench()
    service.answer = lost
    const unknown = value(await shipping.create(request()))
    value(await shipping.settle(unknown.id, 'exists', '3SXX99'))
    const found = await store.search({ text: '3sxx', onlyNeedingAttention: false, limit: 9, offset: 0 })
    expect(found.shipments).toMatchObject([{ id: unknown.id, state: 'created', barcodes: ['3SXX99'] }])
    expect(await shipping.create(request())).toMatchObject({ error: { code: 'shipment-duplicate' } })
  })

  it('can be settled once', async () => {
    const { shipping, service } = await bench()
    service.answer = lost
    const unknown = value(await shipping.create(request()))
    const both = await Promise.all([
      shipping.settle(unknown.id, 'exists', 'A'),
      shipping.settle(unknown.id, 'does-not-exist', null),
    ])
    expect(both.map((one) => one.ok).sort()).toEqual([false, true])
  })

  it('is what an exception of the client leaves', async () => {
    const { shipping, service } = await bench()
    service.answer = () => Promise.reject(new Error('a bug'))
    expect(value(await shipping.create(request())).state).toBe('unknown')
  })
})

describe('labels', () => {
  it('that can’t be decoded leave a created shipment with the raw content and no print job', async () => {
    const { shipping, service, folder } = await bench()
    service.answer = async () =>
      created(
        aCreation({
          labels: [aLabel({ kind: 'other', bytes: Buffer.from('@@raw@@'), problem: 'undecodable' })],
        }),
      )
    const shipment = value(await shipping.create(request()))
    expect(shipment).toMatchObject({ state: 'created', needsAttention: true, jobs: [] })
    expect(shipment.labels).toMatchObject([{ problem: 'undecodable', byteLength: 7 }])
    expect(await readFile(join(folder, 'labels', shipment.id, '1.bin'), 'utf8')).toBe('@@raw@@')
  })

  it('that will never come are closed with a reason, durably, and no longer count as open', async () => {
    const { shipping, store, service, folder } = await bench()
    service.answer = async () => created(aCreation({ labels: [] }))
    const { id } = value(await shipping.create(request()))
    expect((await store.openCounts()).labelProblems).toBe(1)
    const closed = value(await shipping.closeLabelProblems(id, 'Label came by e-mail'))
    expect(closed).toMatchObject({ needsAttention: false, labels: [{ problem: 'empty' }] })
    const after = await bench({ folder })
    expect((await after.store.openCounts()).labelProblems).toBe(0)
    expect(value(await after.shipping.details(id)).labels[0]?.closed).toEqual({
      at: now().toISOString(),
      reason: 'Label came by e-mail',
    })
  })

  it('stand in the history beside their jobs, each with its own shipment', async () => {
    const { shipping, store, jobs } = await bench()
    const first = value(await shipping.create(request({ draft: aDraft({ reference: 'ORDER-1' }) })))
    const silent = { draft: aDraft({ reference: 'ORDER-2' }), print: false }
    const second = value(await shipping.create(request(silent)))
    const history = createHistory(store, (ids) => jobs.ofShipments(ids))
    const found = await history.search({ text: '', onlyNeedingAttention: false, limit: 9, offset: 0 })
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

  it('given by URL are fetched, and can be fetched again after a failure without creating anything', async () => {
    const { shipping, service } = await bench()
    service.answer = async () => created(aCreation({ labels: [], labelUrl: 'https://carrier.example/l/1' }))
    service.label = async () => err(appError('service-timeout', 'The label did not come.'))
    const waiting = value(await shipping.create(request()))
    expect(waiting).toMatchObject({
      state: 'created',
      labels: [{ problem: 'not-fetched' }],
      error: { code: 'service-timeout' },
      needsAttention: true,
    })
    service.label = async () => ok(Buffer.from('%PDF-1.7 late'))
    const complete = value(await shipping.completeLabels(waiting.id, true))
    expect(complete).toMatchObject({ labels: [{ problem: null }], error: null, jobs: [{ state: 'queued' }] })
    expect(service.sent).toHaveLength(1)
    expect(service.fetched).toEqual(['https://carrier.example/l/1', 'https://carrier.example/l/1'])
  })

  it('have their URL in no file as it is', async () => {
    const { shipping, service, folder } = await bench()
    service.label = async () => err(appError('service-timeout', 'The label did not come.'))
    service.answer = async () =>
      created(aCreation({ labels: [], labelUrl: 'https://carrier.example/secret-url' }))
    const shipment = value(await shipping.create(request()))
    for (const file of ['packbench.db', 'packbench.db-wal', `labels/${shipment.id}/shipment.json`]) {
      expect((await readFile(join(folder, file))).includes('secret-url')).toBe(false)
    }
    expect(JSON.stringify(shipment)).not.toContain('secret-url')
  })

  it('that the disk refuses stay in memory until there is room', async () => {
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

  it('that were changed on the disk are not printed', async () => {
    const { shipping, store, files, folder } = await bench()
    const shipment = value(await shipping.create(request()))
    const { writeFile } = await import('node:fs/promises')
    await writeFile(join(folder, 'labels', shipment.id, '1.pdf'), 'something else')
    expect(await createLabelSource(store, files).ofShipment(shipment.id)).toMatchObject({
      ok: false,
      error: { code: 'label-unreadable' },
    })
  })
})

describe('after a crash', () => {
  it('a shipment that was under way is unknown, and is not sent again', async () => {
    const folder = await temporaryFolder()
    const before = await bench({ folder })
    before.service.answer = () => new Promise(() => undefined)
    void before.shipping.create(request())
    await expect.poll(async () => (await before.store.inStates(['sent'])).length, { timeout: 2000 }).toBe(1)

    const after = await bench({ folder, service: new ScriptedService() })
    expect(await after.shipping.recover()).toBe(0)
    const found = await after.store.inStates(['unknown'])
    expect(found).toMatchObject([{ reference: 'ORDER-1', error: { code: 'shipment-interrupted' } }])
    expect(await after.shipping.create(request())).toMatchObject({ error: { code: 'shipment-unsettled' } })
    expect(after.service.sent).toHaveLength(0)
  })

  it('a label that was on the disk before the commit is finished and printed, not asked for again', async () => {
    const folder = await temporaryFolder()
    const before = await bench({ folder })
    before.store.markCreated = () => new Promise(() => undefined)
    void before.shipping.create(request())
    await expect
      .poll(async () => {
        const [row] = await before.store.inStates(['sent'])
        return row === undefined ? undefined : before.files.readCreation(row.id)
      })
      .toBeDefined()

    const after = await bench({ folder, service: new ScriptedService() })
    expect(await after.shipping.recover()).toBe(1)
    const [shipment] = await after.store.inStates(['created'])
    expect(shipment).toMatchObject({ barcodes: ['3SPB1'], subLogId: 'SUB-9' })
    expect(await after.jobs.ofShipment(shipment?.id ?? '')).toMatchObject([{ state: 'queued' }])
    expect(after.service.sent).toHaveLength(0)
  })
})

describe('a disk or database that refuses', () => {
  it('an unclear answer keeps its label and ids, and settling it adopts them', async () => {
    const { shipping, service, store, files } = await bench()
    service.answer = async () => unknownWith(aCreation())
    const unknown = value(await shipping.create(request()))
    expect(unknown).toMatchObject({ state: 'unknown', barcodes: ['3SPB1'], subLogId: 'SUB-9', jobs: [] })
    const settled = value(await shipping.settle(unknown.id, 'exists', '3SXX99'))
    expect(settled).toMatchObject({ state: 'created', barcodes: ['3SXX99', '3SPB1'] })
    expect(value(await createLabelSource(store, files).ofShipment(unknown.id))).toHaveLength(1)
  })

  it('an outcome that can not be written is told with its barcode, tried on, and written in the end', async () => {
    const { shipping, store, service } = await bench()
    const real = store.markCreated
    let refusing = true
    store.markCreated = (...args) =>
      refusing ? Promise.reject(new Error('database is locked')) : real.apply(store, args)
    const told = await shipping.create(request())
    expect(told).toMatchObject({
      ok: false,
      error: { code: 'outcome-not-written', details: { barcodes: '3SPB1', reason: 'database is locked' } },
    })
    expect(await shipping.create(request())).toMatchObject({ error: { code: 'shipment-in-progress' } })
    refusing = false
    await shipping.idle()
    expect(await store.inStates(['created'])).toMatchObject([{ reference: 'ORDER-1', barcodes: ['3SPB1'] }])
    expect(service.sent).toHaveLength(1)
  })

  it('an intent that can not be marked as sent is refused, and nothing is sent', async () => {
    const { shipping, store, service } = await bench()
    const real = store.markSent
    store.markSent = () => Promise.reject(new Error('database or disk is full'))
    expect(await shipping.create(request())).toMatchObject({ error: { code: 'journal-not-written' } })
    expect(service.sent).toHaveLength(0)
    store.markSent = real
    expect(value(await shipping.create(request())).state).toBe('created')
  })

  it('a crash while labels are written keeps ids and barcodes, and the labels that are whole', async () => {
    const folder = await temporaryFolder()
    let written = 0
    const before = await bench({
      folder,
      files: (real) => ({
        ...real,
        write(file, bytes) {
          written += 1
          return written === 1 ? real.write(file, bytes) : new Promise(() => undefined)
        },
      }),
    })
    before.service.answer = async () =>
      created(aCreation({ labels: ['A', 'B'].map((barcode) => aLabel({ barcode })), barcodes: ['A', 'B'] }))
    void before.shipping.create(request())
    await expect.poll(() => written, { timeout: 2000 }).toBe(2)
    await expect
      .poll(async () => {
        const [row] = await before.store.inStates(['sent'])
        return row && before.files.readCreation(row.id)
      })
      .toBeDefined()
    const after = await bench({ folder, service: new ScriptedService() })
    expect(await after.shipping.recover()).toBe(1)
    const [shipment] = await after.store.inStates(['created'])
    expect(shipment).toMatchObject({ barcodes: ['A', 'B'], subLogId: 'SUB-9' })
    expect(await after.store.labelsOf(shipment?.id ?? '')).toMatchObject([
      { barcode: 'A', problem: null },
      { barcode: 'B', problem: 'not-stored' },
    ])
    expect(after.service.sent).toHaveLength(0)
  })
})

describe('retention', () => {
  it('counts from the last thing that happened, and leaves what is still to be printed', async () => {
    const { shipping, store, files, jobs } = await bench()
    const longAgo = new Date('2026-01-01T00:00:00Z')
    const late = value(await shipping.create(request({ takenAt: longAgo })))
    const muchLater = new Date('2027-06-01T00:00:00Z')
    expect(await removeOldShipments(store, files, 90, now(), silentLog)).toBe(0)
    expect(await removeOldShipments(store, files, 90, muchLater, silentLog)).toBe(0)
    for (const job of late.jobs) await jobs.change(job.id, ['queued'], { state: 'done' })
    expect(await removeOldShipments(store, files, 90, muchLater, silentLog)).toBe(1)
  })

  it('removes old settled shipments with their labels, and leaves what waits for a person', async () => {
    const { shipping, service, store, files } = await bench()
    const old = value(
      await shipping.create(request({ takenAt: new Date('2026-01-01T00:00:00Z'), print: false })),
    )
    service.answer = async () => unknownWith(null)
    const open = value(
      await shipping.create(
        request({ draft: aDraft({ reference: 'ORDER-2' }), takenAt: new Date('2026-01-01T00:00:00Z') }),
      ),
    )
    expect(await removeOldShipments(store, files, 90, new Date('2027-06-01T00:00:00Z'), silentLog)).toBe(1)
    expect(await store.find(old.id)).toBeUndefined()
    expect(await files.readCreation(old.id)).toBeUndefined()
    expect(await store.find(open.id)).toBeDefined()
  })
})
