import { join } from 'node:path'
import Libsql from 'libsql'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import type { PrintJobRepository } from '../../../src/main/printing/queue/repository'
import {
  createPrintJobRepository,
  unconfirmJobsOfCopy,
  withdrawPrintJobs,
} from '../../../src/main/printing/queue/repository'
import { confirmScan, skipScan } from '../../../src/main/printing/queue/scanBack'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import { migrations } from '../../../src/main/storage/migrations'
import { appError } from '../../../src/shared/errors'
import type { PrintJobState } from '../../../src/shared/printing'
import { openTestDatabase } from '../../support/databaseWorker'
import { labelsInMemory, labelWith } from '../../support/printing/labels'
import { recordStatements } from '../../support/recordStatements'
import { temporaryFolder } from '../../support/temporaryFolder'

const insertShipment = (id: string, labelId: string) => `
  insert into shipments (id, attempt_id, reference, state, origin, draft, recipient, city, country, carrier_option_id,
    print, taken_at, search_text) values ('${id}', 'a-${id}', 'REF', 'created', 'ship', '{}', '', '', '', 34, 1, '', '');
  insert into labels (id, shipment_id, position, barcode, kind, byte_length) values ('${labelId}', '${id}', 1, '3S', 'pdf', 1);`

const queuedJobs = migrations.findIndex((step) => step.includes('create table queued_jobs'))

/** Opens a database of an earlier version that has jobs in these states at printer `zebra`. */
async function openJobs(leftStates: string[] = []) {
  const path = join(await temporaryFolder(), 'packbench.db')
  const before = new Libsql(path)
  for (const step of migrations.slice(0, queuedJobs)) before.exec(step)
  before.exec(
    `${insertShipment('s', 'l')} ${insertShipment('other', 'm')} pragma user_version = ${queuedJobs};`,
  )
  const add = before.prepare(
    `insert into print_jobs (id, shipment_id, label_id, printer_id, printer_name, state, kind, created_at, updated_at)
     values (?, 's', 'l', 'zebra', 'zebra', ?, 'first', '2026-03-01T08:30:00.000Z', '2026-03-01T08:30:00.000Z')`,
  )
  for (const [index, state] of leftStates.entries()) add.run(`left-${index}`, state)
  before.close()
  const database = await openTestDatabase(path)
  if (!database.ok) throw new Error(database.error.message)
  onTestFinished(() => database.value.destroy())
  return { path, database: database.value, jobs: createPrintJobRepository(database.value, () => new Date()) }
}

function job(id: string, printerId: string) {
  return { id, shipmentId: 's', labelId: 'l', printerId, printerName: printerId, kind: 'first' as const }
}

async function readQueues(jobs: PrintJobRepository, started: string[] = []) {
  const queues = await jobs.listQueues(started)
  return Object.fromEntries(queues.map(({ next, count }) => [next.printerId, [next.id, count]]))
}

it('returns the oldest queued job of each printer and the length of its queue, after every kind of change', async () => {
  const { jobs, database } = await openJobs(['queued', 'handed-over', 'queued'])
  expect(await readQueues(jobs)).toEqual({ zebra: ['left-0', 2] })
  await jobs.add([job('a', 'brother'), job('b', 'zebra'), job('c', 'brother')])
  expect(await readQueues(jobs)).toEqual({ zebra: ['left-0', 3], brother: ['a', 2] })
  expect(await readQueues(jobs, ['left-0', 'a'])).toEqual({ zebra: ['left-2', 2], brother: ['c', 1] })
  await jobs.change('left-0', ['queued'], { state: 'sending' })
  expect(await readQueues(jobs, ['left-0'])).toEqual({ zebra: ['left-2', 2], brother: ['a', 2] })
  await jobs.change('left-2', ['queued'], { state: 'waiting' })
  await jobs.change('b', ['queued'], { note: { code: 'trying-again', says: [] } })
  expect(await readQueues(jobs)).toEqual({ zebra: ['b', 1], brother: ['a', 2] })
  // A released job returns to its old place in the queue.
  await jobs.change('left-2', ['waiting'], { state: 'queued' })
  expect(await readQueues(jobs)).toEqual({ zebra: ['left-2', 2], brother: ['a', 2] })
  await jobs.replace(['a'], ['queued'], { state: 'cancelled' }, [{ ...job('d', 'zebra'), kind: 'moved' }])
  expect(await readQueues(jobs)).toEqual({ zebra: ['left-2', 3], brother: ['c', 1] })
  await database.deleteFrom('printJobs').where('id', 'in', ['c', 'left-2']).execute()
  expect(await readQueues(jobs)).toEqual({ zebra: ['b', 2] })
})

it('reads one row of each queue through an index, independent of the queue’s length', async () => {
  const { path, jobs } = await openJobs()
  const [statement] = await recordStatements(() => jobs.listQueues(['started']))
  const plans = new Libsql(path)
  onTestFinished(() => void plans.close())
  const steps = plans.prepare(`explain query plan ${statement}`).all()
  const accesses = steps
    .map((step) => z.object({ detail: z.string() }).parse(step).detail)
    .filter((access) => /^(SCAN|SEARCH) (?!(json_each|each) VIRTUAL TABLE)/.test(access))
  expect(accesses.filter((access) => access.startsWith('SCAN'))).toEqual([
    expect.stringMatching(/^SCAN queue( |$)/),
  ])
  expect(accesses).toContainEqual(expect.stringMatching(/^SEARCH started USING INDEX \S+ \(id=\?\)/))
  expect(accesses).toContainEqual(expect.stringMatching(/^SEARCH print_jobs USING INTEGER PRIMARY KEY/))
  expect(accesses).toContainEqual(
    expect.stringMatching(/^SEARCH next USING INDEX print_jobs_by_state \(state=\? AND printer_id=\?\)/),
  )
})

it('finds the job that a printer was sent last, also after the clock was set back and of an earlier version', async () => {
  const { jobs, database } = await openJobs(['handed-over', 'done', 'queued', 'failed'])
  const printed: PrintJobState[] = ['handed-over', 'done', 'unconfirmed']
  const findLast = async () => (await jobs.findLastSent('zebra', printed))?.id
  expect(await findLast()).toBe('left-1')
  const setBack = createPrintJobRepository(database, () => new Date('2026-03-01T07:30Z'))
  await setBack.add([job('first', 'zebra'), job('elsewhere', 'brother'), job('second', 'zebra')])
  for (const id of ['second', 'elsewhere', 'first']) {
    await setBack.change(id, ['queued'], { state: 'sending' })
    await setBack.change(id, ['sending'], { state: 'done', acceptedAt: new Date('2026-03-01T07:30Z') })
  }
  expect(await findLast()).toBe('first')
  await jobs.change('left-0', ['handed-over'], { state: 'done', scannedAt: new Date() })
  expect(await findLast()).toBe('first')
  expect((await jobs.findLastSent('brother', printed))?.id).toBe('elsewhere')
  expect(await jobs.findLastSent('other', printed)).toBeUndefined()
})

it('does not find a job as the last one that was resolved as printed, but was never sent', async () => {
  const { jobs } = await openJobs()
  const findLast = () => jobs.findLastSent('zebra', ['done', 'handed-over'])
  await jobs.add([job('printed', 'zebra'), job('failed', 'zebra'), job('waiting', 'zebra')])
  await jobs.change('failed', ['queued'], { state: 'failed' })
  await jobs.change('failed', ['failed'], { state: 'done', acceptedAt: new Date() })
  expect(await findLast()).toBeUndefined()
  await jobs.change('printed', ['queued'], { state: 'sending' })
  await jobs.change('printed', ['sending'], { state: 'handed-over' })
  await jobs.change('waiting', ['queued'], { state: 'waiting' })
  await jobs.change('waiting', ['waiting'], { state: 'done', acceptedAt: new Date() })
  expect((await findLast())?.id).toBe('printed')
})

it('does not find a job as the last one whose shipment was cancelled at the carrier, and says so with the job', async () => {
  const { jobs, database } = await openJobs()
  await jobs.add([job('valid', 'zebra'), { ...job('void', 'zebra'), shipmentId: 'other', labelId: 'm' }])
  for (const id of ['valid', 'void']) {
    await jobs.change(id, ['queued'], { state: 'sending' })
    await jobs.change(id, ['sending'], { state: 'unconfirmed' })
  }
  const findLast = async () => (await jobs.findLastSent('zebra', ['unconfirmed']))?.id
  expect(await findLast()).toBe('void')
  const at = '2026-03-01T09:00:00.000Z'
  await new ShipmentRepository(database).noteCancellation('other', { at, by: null, note: 'by phone' })
  expect(await findLast()).toBe('valid')
  expect(await jobs.find('void')).toMatchObject({ state: 'unconfirmed', cancelledAt: at })
  expect(await jobs.find('valid')).not.toHaveProperty('cancelledAt')
})

it('finds a job as the last one that may have been printed after the copy was made from which it was restored', async () => {
  const { jobs, database } = await openJobs(['done'])
  await jobs.add([job('in-copy', 'zebra')])
  await unconfirmJobsOfCopy(database, new Date())
  expect(await jobs.findLastSent('zebra', ['done', 'unconfirmed'])).toMatchObject({
    id: 'in-copy',
    state: 'unconfirmed',
  })
})

it('stores 10,000 parts of a label in one transaction, and none of them when one fails', async () => {
  const { jobs } = await openJobs()
  const parts = (from: number) =>
    Array.from({ length: 10_000 }, (_, index) => ({
      ...job(`${from}-${index}`, 'zebra'),
      pages: { from: index + 1, to: index + 1 },
    }))
  await jobs.add([job('whole', 'zebra')])
  const done = await jobs.replace(['whole'], ['queued'], { state: 'cancelled' }, parts(1))
  expect(done?.successors.map(({ id }) => id)).toEqual(parts(1).map(({ id }) => id))
  expect(await jobs.add(parts(2))).toHaveLength(10_000)
  await expect(jobs.add([...parts(3).slice(0, 3000), job('whole', 'zebra')])).rejects.toThrow()
  expect(await jobs.find('3-0')).toBeUndefined()
})

it('keeps the time of a job’s last change, which is its outcome, when the scan of its label is skipped', async () => {
  const { jobs } = await openJobs(['unconfirmed'])
  const reason = 'The label is unreadable'
  expect(await skipScan({ shipmentId: 's', reason }, { jobs })).toMatchObject([
    { state: 'unconfirmed', scanSkipped: reason, updatedAt: '2026-03-01T08:30:00.000Z' },
  ])
})

it('notes across a restart that a label of unknown outcome left its spooler, and keeps the time of its outcome', async () => {
  const { path, jobs, database } = await openJobs(['unconfirmed'])
  const leftSpoolerAt = new Date('2026-03-01T09:00:00.000Z')
  await jobs.change('left-0', ['unconfirmed'], { leftSpoolerAt })
  await database.destroy()
  const again = await openTestDatabase(path)
  if (!again.ok) throw new Error(again.error.message)
  onTestFinished(() => again.value.destroy())
  expect(await createPrintJobRepository(again.value, () => new Date()).find('left-0')).toMatchObject({
    ...{ state: 'unconfirmed', leftSpoolerAt: leftSpoolerAt.toISOString() },
    updatedAt: '2026-03-01T08:30:00.000Z',
  })
})

describe('a label that is scanned back while it is being sent', () => {
  const scannedAt = '2026-03-01T08:35:00.000Z'

  const scan = (jobs: PrintJobRepository) =>
    confirmScan(
      { shipmentId: 's', code: '3S' },
      {
        jobs,
        labels: labelsInMemory([
          { ...labelWith({ shipmentId: 's', barcode: '3S', bytes: Buffer.from('') }), labelId: 'l' },
        ]),
        settings: () => ({ rules: [] }),
        now: () => new Date(scannedAt),
      },
    )

  const acceptedAt = new Date('2026-03-01T08:36:00.000Z')

  it.each([
    [{ state: 'handed-over' as const, acceptedAt }, acceptedAt.toISOString()],
    [{ state: 'unconfirmed' as const, error: appError('print-unconfirmed') }, scannedAt],
  ])('is done when its job ends as $state, and has the time when it was out', async (end, time) => {
    const { jobs } = await openJobs()
    await jobs.add([job('a', 'zebra')])
    await jobs.change('a', ['queued'], { state: 'sending' })
    expect(await scan(jobs)).toMatchObject({
      value: { matches: true, jobs: [{ id: 'a', state: 'sending', scannedAt }] },
    })
    expect(await jobs.change('a', ['sending'], end)).toMatchObject({
      ...{ state: 'done', scannedAt, error: null, acceptedAt: time },
    })
  })

  it('stays unconfirmed when only a part of it was sent, or an earlier copy of it was scanned', async () => {
    const { jobs } = await openJobs(['handed-over'])
    await jobs.add([job('a', 'zebra')])
    await jobs.change('a', ['queued'], { state: 'sending' })
    expect(await scan(jobs)).toMatchObject({ value: { jobs: [{ id: 'left-0', state: 'done' }] } })
    expect(await jobs.change('a', ['sending'], { state: 'unconfirmed' })).toMatchObject({
      state: 'unconfirmed',
    })

    const { jobs: parts } = await openJobs()
    await parts.add([{ ...job('a', 'zebra'), pages: { from: 1, to: 1 } }])
    await parts.change('a', ['queued'], { state: 'sending' })
    expect(await scan(parts)).toMatchObject({ value: { matches: true } })
    expect(await parts.change('a', ['sending'], { state: 'unconfirmed' })).toMatchObject({
      state: 'unconfirmed',
    })
  })
})

it('gives no change of a job an earlier time than the change before, also when the clock was set back', async () => {
  const { jobs: before, database } = await openJobs()
  const [added] = await before.add([job('sent', 'zebra'), job('waiting', 'zebra')])
  const at = '2026-01-01T08:00:00.000Z'
  const jobs = createPrintJobRepository(database, () => new Date(at))
  const createdAt = added?.createdAt
  expect(await jobs.change('sent', ['queued'], { state: 'sending' })).toMatchObject({ updatedAt: createdAt })
  expect(await jobs.change('sent', ['sending'], { state: 'handed-over' })).toMatchObject({
    updatedAt: createdAt,
  })
  await withdrawPrintJobs(database, 's', { at, by: null })
  expect(await jobs.find('waiting')).toMatchObject({ state: 'cancelled', updatedAt: createdAt })
})
