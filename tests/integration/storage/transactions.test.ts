import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import type { NewPrintJob } from '../../../src/main/printing/queue/repository'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import type { StoredCreation } from '../../../src/main/shipments/shipmentFiles'
import { createThread } from '../../../src/main/storage/databaseThread'
import { openDatabase } from '../../../src/main/storage/openDatabase'
import { databaseWorker } from '../../support/databaseWorker'
import { aDraft } from '../../support/drafts'
import { temporaryFolder } from '../../support/temporaryFolder'

/** Code that the database thread runs in addition. */
interface InjectedCode {
  /** Runs right before and after the commit of the intent with the reference FAILS. */
  beforeCommit?: string
  afterCommit?: string
  /** Runs when an intent arrives, and before its answer is sent. */
  onIntent?: string
  onAnswer?: string
}

async function openWithInjectedCode({
  beforeCommit = '',
  afterCommit = '',
  onIntent = '',
  onAnswer = '',
}: InjectedCode) {
  const folder = await temporaryFolder()
  const script = join(folder, 'worker.mjs')
  const worker = await databaseWorker()
  const libsql = pathToFileURL(createRequire(import.meta.url).resolve('libsql'))
  await writeFile(
    script,
    `import { parentPort } from 'node:worker_threads'
     import Libsql from ${JSON.stringify(libsql.href)}
     import ${JSON.stringify(worker.href)}
     let call
     parentPort.on('message', (message) => {
       call = message
       if (call.name === 'writeIntent') { ${onIntent} }
     })
     const post = parentPort.postMessage
     parentPort.postMessage = (...args) => {
       if (call.name === 'writeIntent') { ${onAnswer} }
       post.apply(parentPort, args)
     }
     const { exec } = Libsql.prototype
     Libsql.prototype.exec = function (sql) {
       const isWatched = sql === 'commit' && call.input.shipment?.draft.reference === 'FAILS'
       if (isWatched) { ${beforeCommit} }
       const result = exec.call(this, sql)
       if (isWatched) { ${afterCommit} }
       return result
     }`,
  )
  const opened = await openDatabase(join(folder, 'packbench.db'), {
    thread: createThread(pathToFileURL(script)),
  })
  if (!opened.ok) throw new Error(opened.error.message)
  const database = opened.value
  onTestFinished(() => database.destroy())
  const listReferences = async () =>
    (await database.selectFrom('shipments').select('reference').orderBy('number').execute()).map(
      ({ reference }) => reference,
    )
  return { database, shipmentRepository: new ShipmentRepository(database), listReferences }
}

function anOrder(reference: string) {
  return {
    ...{ id: randomUUID(), attemptId: randomUUID(), draft: aDraft({ reference }), origin: 'screen' as const },
    ...{ operator: null, print: false, takenAt: '2026-11-23T10:00:00.000Z' },
  }
}

const creation: StoredCreation = {
  ...{ version: 1, certainty: 'created' },
  ...{ receivedAt: '2026-11-23T10:00:01.000Z', storedAt: '2026-11-23T10:00:02.000Z', barcodes: ['3S1'] },
  ...{ labels: [], message: null, serviceShipmentId: '1', zendingId: null, subLogId: null, logId: null },
  ...{ trackingUrl: null, sealedLabelUrl: null, limits: null },
}

const aJob = (shipmentId: string): NewPrintJob => ({
  ...{ id: randomUUID(), shipmentId, labelId: null, language: 'en', kind: 'first' },
  ...{ printerId: 'file', printerName: 'Folder' },
})

it('a transaction that fails at its last statement writes nothing and rejects with SQLite’s code', async () => {
  const { shipmentRepository, database } = await openWithInjectedCode({})
  const order = anOrder('ORDER')
  await shipmentRepository.writeIntent(order)
  const job = aJob(order.id)
  const refused = shipmentRepository.markCreated(order.id, creation, [job, job])
  await expect(refused).rejects.toMatchObject({ code: expect.stringMatching(/^SQLITE_CONSTRAINT/) })
  expect(await shipmentRepository.find(order.id)).toMatchObject({ state: 'sent', barcodes: [] })
  await shipmentRepository.markCreated(order.id, creation, [job])
  expect(await shipmentRepository.find(order.id)).toMatchObject({ state: 'created', barcodes: ['3S1'] })
  expect(await database.selectFrom('printJobs').select('id').execute()).toEqual([{ id: job.id }])
})

it('a transaction with a failed commit writes nothing, and the next one succeeds', async () => {
  const beforeCommit = `throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })`
  const { shipmentRepository, listReferences } = await openWithInjectedCode({ beforeCommit })
  await expect(shipmentRepository.writeIntent(anOrder('FAILS'))).rejects.toMatchObject({
    code: 'SQLITE_IOERR',
  })
  await shipmentRepository.writeIntent(anOrder('NEXT'))
  expect(await listReferences()).toEqual(['NEXT'])
})

it.each([
  { moment: 'before', injectedCode: { beforeCommit: 'process.exit(1)' }, written: ['NEXT'] },
  { moment: 'after', injectedCode: { afterCommit: 'process.exit(1)' }, written: ['FAILS', 'NEXT'] },
])(
  'a transaction rejects with THREAD_ENDED when its thread ends $moment the commit, and the next one runs in a new thread',
  async ({ injectedCode, written }) => {
    const { shipmentRepository, listReferences } = await openWithInjectedCode(injectedCode)
    await expect(shipmentRepository.writeIntent(anOrder('FAILS'))).rejects.toMatchObject({
      code: 'THREAD_ENDED',
    })
    await shipmentRepository.writeIntent(anOrder('NEXT'))
    expect(await listReferences()).toEqual(written)
  },
)

it('a transaction runs from its begin to its answer without another message to the thread', async () => {
  // The thread exits if its event loop turns, and so could accept another message. The first intent loads the code.
  const { shipmentRepository, listReferences } = await openWithInjectedCode({
    onIntent: 'globalThis.hasTurned = false; setImmediate(() => { globalThis.hasTurned = true })',
    onAnswer: `if (globalThis.hasTurned && call.input.shipment.draft.reference !== 'LOADS') process.exit(1)`,
  })
  await shipmentRepository.writeIntent(anOrder('LOADS'))
  await Promise.all([
    shipmentRepository.writeIntent(anOrder('ONE')),
    shipmentRepository.writeIntent(anOrder('TWO')),
  ])
  expect(await listReferences()).toEqual(['LOADS', 'ONE', 'TWO'])
})

it('transactions wait until the open transaction of main ends, and then run in their order', async () => {
  const { shipmentRepository, database, listReferences } = await openWithInjectedCode({})
  const over: string[] = []
  const behind: Promise<unknown>[] = []
  const undone = database.transaction().execute(async (transaction) => {
    await sql`create table crates (name text)`.execute(transaction)
    for (const reference of ['ONE', 'TWO', 'THREE']) {
      behind.push(shipmentRepository.writeIntent(anOrder(reference)).then(() => over.push(reference)))
      await sql`insert into crates values (${reference})`.execute(transaction)
    }
    over.push('open')
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  await Promise.all(behind)
  expect(over).toEqual(['open', 'ONE', 'TWO', 'THREE'])
  expect(await listReferences()).toEqual(['ONE', 'TWO', 'THREE'])
  await expect(sql`select * from crates`.execute(database)).rejects.toThrow('no such table')
})
