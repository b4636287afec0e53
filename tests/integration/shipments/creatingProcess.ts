// A process for kills.test.ts that creates shipments with the app's own code until it is killed.
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { loadHttpLibrary } from '../../../src/main/network/network'
import { OrderRepository } from '../../../src/main/orders/repository'
import { createPrintJobRepository } from '../../../src/main/printing/queue/repository'
import { createHistory } from '../../../src/main/shipments/history'
import { HistoryRepository } from '../../../src/main/shipments/historyRepository'
import { createReceivedAnswers } from '../../../src/main/shipments/receivedAnswers'
import { ShipmentRepository } from '../../../src/main/shipments/repository'
import { createShipmentFiles } from '../../../src/main/shipments/shipmentFiles'
import { createShipping } from '../../../src/main/shipments/shipping'
import { createThread } from '../../../src/main/storage/databaseThread'
import { openDatabase } from '../../../src/main/storage/openDatabase'
import { ok } from '../../../src/shared/result'
import { defaultSettings } from '../../../src/shared/settings'
import { aDraft } from '../../support/drafts'
import { createKeyedGateway } from '../../support/keyedGateway'
import { noClaims, noFleet } from '../../support/noFleet'
import { silentLog } from '../../support/silentLog'

const [folder = '', origin = '', dieAt = '', run = '0', again = '', databaseWorker = ''] =
  process.argv.slice(2)

/** Reports a boundary to the test in one system call, so that the report survives a kill right after it. */
function reached(boundary: string, subject: string): void {
  writeSync(1, `${boundary} ${subject}\n`)
  if (boundary === dieAt) process.kill(process.pid, 'SIGKILL')
}

const { writeFile, open } = fs
// Labels and the summary of an answer, which may be written partially.
fs.writeFile = async (path, content, options) => {
  const name = basename(String(path))
  reached(`before ${name}`, '-')
  if (dieAt === `half ${name}`) await writeFile(path, String(content).slice(0, 100), options)
  reached(`half ${name}`, '-')
  await writeFile(path, content, options)
  reached(`after ${name}`, '-')
}
// The order and the answer are written through `open`.
fs.open = async (path, flags, mode) => {
  const name = basename(String(path))
  const isWritten = flags === 'w' && name.endsWith('.json')
  if (isWritten) reached(`before ${name}`, '-')
  const file = await open(path, flags, mode)
  if (!isWritten) return file
  const write = file.writeFile.bind(file)
  file.writeFile = async (...content) => {
    reached(`opened ${name}`, '-')
    await write(...content)
    reached(`after ${name}`, '-')
  }
  return file
}
syncBuiltinESMExports()

const database = await openDatabase(join(folder, 'packbench.db'), {
  thread: createThread(new URL(databaseWorker)),
})
if (!database.ok) throw new Error(database.error.message)
const now = () => new Date()
const shipmentRepository = new ShipmentRepository(database.value)
const orders = new OrderRepository(database.value)
const jobs = createPrintJobRepository(database.value, now)
const files = createShipmentFiles(join(folder, 'labels'))
const urlCipher = {
  encrypt: (text: string) => Buffer.from(text).toString('base64'),
  decrypt: (encrypted: string) => Buffer.from(encrypted, 'base64').toString(),
}
const gateway = createKeyedGateway(origin, { connectTimeoutMs: 5000, answerTimeoutMs: 20_000 })
const bus = createEventBus()
bus.on('shipmentChanged', ({ state, reference }) => reached(state, reference))
const shipping = createShipping({
  claims: noClaims,
  sharedShipments: noFleet,
  shipmentRepository,
  receivedAnswers: createReceivedAnswers({ files, urlCipher, log: silentLog, bus, now }),
  carrier: {
    async open() {
      const opened = await gateway.open()
      if (!opened.ok) return opened
      return ok({
        connect: () => opened.value.connect(),
        createShipment(draft, delivery, keep, mayLeave) {
          reached('sending', draft.reference)
          const keepAndReport: typeof keep = async (answer) => {
            reached('received', draft.reference)
            await keep(answer)
            reached('kept', draft.reference)
          }
          return opened.value.createShipment(draft, delivery, keepAndReport, mayLeave)
        },
      })
    },
    fetchLabel: (url) => gateway.fetchLabel(url),
  },
  printing: {
    planInvoice: () => [],
    plan: async (shipmentId, labels) =>
      ok(
        labels.map(({ id }) => ({
          id: randomUUID(),
          shipmentId,
          labelId: id,
          printerId: 'file',
          printerName: 'Folder',
          kind: 'first' as const,
        })),
      ),
    wake: () => undefined,
    noteCancelled: async () => undefined,
  },
  history: createHistory({
    ...{ shipmentRepository, jobs, bus, sharedShipments: noFleet },
    historyRepository: new HistoryRepository(database.value),
  }),
  settings: { current: () => defaultSettings, belongsToFleet: () => false },
  now,
  newId: randomUUID,
  log: silentLog,
  bus,
  currentOperator: () => null,
  people: { checkOperator: () => ok(null) },
})

/** Creates a combined parcel of two orders. */
async function create(reference: string) {
  const combined = `${reference}+`
  if (
    (await orders.findOpen(combined)) === undefined &&
    (await shipmentRepository.listEarlier(combined)).length === 0
  ) {
    await orders.save(
      [reference, combined].map((each) => anOrder(each)),
      [],
    )
  }
  return shipping.create({
    attemptId: randomUUID(),
    draft: aDraft({ reference, combinedReferences: [combined], numberOfPackages: 2 }),
    origin: 'screen',
    print: true,
    takenAt: now(),
  })
}

function anOrder(reference: string) {
  return {
    ...{ id: randomUUID(), state: 'to-ship' as const, values: { reference }, items: [], issues: [] },
    ...{
      source: { kind: 'typed' as const, name: '', line: null },
      origin: 'typed' as const,
      importedAt: now().toISOString(),
    },
    ...{ orderDate: null, orderValue: '', currency: '', columns: {}, carrierOption: '' },
  }
}

// Loaded in advance, so that the kills happen during creations.
await loadHttpLibrary()
await shipping.recover()
reached('recovered', '-')
// The operator repeats the creations that were in progress at the kill.
for (const reference of again.split(',').filter((one) => one !== '')) await create(reference)
if (dieAt === 'never') {
  await shipping.stop()
  await database.value.destroy()
  process.exit(0)
}
for (let number = 1; ; number += 2) {
  await Promise.all([create(`ORDER-${run}-${number}`), create(`ORDER-${run}-${number + 1}`)])
}
