// A station process for chaos.test.ts. It ships references, the orders of the shared list in batches, or the files of a shared
// hot folder until each has an outcome, or until the process is killed.
import { randomUUID } from 'node:crypto'
import { existsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createLifecycle } from '../../../src/main/app/lifecycle'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { createRedactor } from '../../../src/main/log/redactor'
import { createPrinterDrivers } from '../../../src/main/printing/drivers/createDrivers'
import { createThread } from '../../../src/main/storage/databaseThread'
import { placesIn } from '../../../src/main/storage/dataFolder'
import { fleetSettingsSchema } from '../../../src/shared/fleet'
import { aDraft } from '../../support/drafts'
import { createKeyedGateway } from '../../support/keyedGateway'
import { importOrderRows, listOrders, orderRow } from '../../support/orderRows'
import { plainJsonFile } from '../../support/plainJsonFile'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { quietAdapters } from '../../support/quietAdapters'
import { silentLog } from '../../support/silentLog'

const [dataFolder = '', origin = '', fleet = '', password = '', count = '0', databaseWorker = '', work = ''] =
  process.argv.slice(2)
/** The path of the hot folder for the work `folder:<path>`. */
const hotFolder = /^folder:(.+)$/.exec(work)?.[1]

const bus = createEventBus()
const now = () => new Date()
const rasterizer = await createInlineRasterizer()
const lifecycle = createLifecycle({
  places: placesIn(dataFolder),
  settingsFile: plainJsonFile(join(dataFolder, 'settings.json')),
  vaultFile: plainJsonFile(join(dataFolder, 'vault.json')),
  pinFile: plainJsonFile(join(dataFolder, 'pin.json')),
  fleetFile: plainJsonFile(join(dataFolder, 'fleet.json')),
  proxyFile: plainJsonFile(join(dataFolder, 'proxy.json')),
  channelsFile: plainJsonFile(join(dataFolder, 'channels.json')),
  systemProxy: async () => 'DIRECT',
  systemCertificates: async () => [],
  createDatabaseThread: () => createThread(new URL(databaseWorker)),
  cipher: {
    available: () => 'keyring',
    checkUnlocked: async () => true,
    unlock: async () => true,
    encrypt: (text) => Buffer.from(text),
    decrypt: (data) => data.toString(),
  },
  drivers: createPrinterDrivers({ platform: 'linux', dataFolder, sumatraPdfPath: '', rasterizer }),
  rasterizer,
  log: silentLog,
  redactor: createRedactor(),
  ...quietAdapters,
  version: '0.0.0',
  simulatorUrl: null,
  systemCountry: '',
  notices: [],
  now,
  bus,
  databaseProcess: () => Promise.reject(new Error('no test of the database')),
  onStarted: () => Promise.resolve(),
  onWorkStopped: () => undefined,
})
const started = await lifecycle.start()
if (!started.ok) throw new Error(started.error.message)
const {
  settings,
  shipping,
  shipmentRepository,
  carrier,
  orders,
  orderImport,
  orderList,
  batches,
  sharing,
  fleet: membership,
  session,
} = started.value

const gateway = createKeyedGateway(origin, { connectTimeoutMs: 2000, answerTimeoutMs: 2000 })
Reflect.set(carrier, 'open', () => gateway.open())
// Without an account, its hot folder leaves files to others.
session.provision({ baseUrl: origin, user: 'bench', password: 'a long password' })
settings.change({ fleet: fleetSettingsSchema.parse(JSON.parse(fleet)) })
await membership.setPassword(password)

function create(reference: string) {
  const draft = aDraft({ reference })
  return shipping.create({ attemptId: randomUUID(), draft, origin: 'screen', print: false, takenAt: now() })
}

// A station treats an empty journal beside existing label folders as lost and waits for a person's decision.
while ((await shipmentRepository.count()) === 0) await create(`FIRST-${randomUUID()}`)
writeSync(1, 'started\n')

/** Error codes that end the work on a reference, because another attempt has created it or may have. */
const finalCodes = new Set(['shipment-duplicate', 'shipment-unsettled'])

async function shipReferences(): Promise<void> {
  const open = new Set(Array.from({ length: Number(count) }, (_, index) => `CHAOS-${index}`))
  while (open.size > 0) {
    for (const reference of [...open].toSorted(() => Math.random() - 0.5)) {
      const shipped = await create(reference)
      if (shipped.ok ? shipped.value.state !== 'refused' : finalCodes.has(shipped.error.code))
        open.delete(reference)
    }
    await pause(50)
  }
}

/** Ships the shared list in batches, one after another; orders left by one batch are in the next. */
async function shipList(): Promise<void> {
  settings.change({ carriers: [{ name: 'Parcel', carrierId: 1, carrierOptionId: 11 }] })
  const unknown = new Set<string>()
  for (;;) {
    const batch = await batches.current()
    if (batch?.state === 'paused') await batches.resume(batch.id)
    else if (batch?.state === 'ended') {
      const { items } = await batches.listItems({ batchId: batch.id, shown: 'all', offset: 0, limit: 500 })
      for (const { orderId, outcome, error } of items) {
        const isElsewhere = outcome === 'elsewhere' && error?.code === 'shipment-unsettled'
        if (outcome === 'unknown' || isElsewhere) unknown.add(orderId)
      }
      await batches.close(batch.id)
    } else if (batch === null) {
      const listed = await listOrders({ orders })
      const open = listed.map(({ id }) => id).filter((id) => !unknown.has(id))
      const { 'to-ship': toShip, shipped } = await orderList.counts()
      if (open.length > 0) await batches.begin(open, 'imported', false)
      else if (toShip <= unknown.size && toShip + shipped >= Number(count)) break
    }
    await pause(50)
  }
}

/** Serves the shared folder until the test creates the file `everything-is-delivered`. */
async function serveFolder(path: string): Promise<void> {
  settings.change({ hotFolder: { path, print: false, shared: true } })
  while (!existsSync(join(path, 'everything-is-delivered'))) await pause(50)
}

if (work === 'references') await shipReferences()
else if (hotFolder !== undefined) await serveFolder(hotFolder)
else {
  const rows = Array.from({ length: Number(count) }, (_, index) => orderRow(`CHAOS-${index}`))
  const { 'to-ship': toShip, shipped } = await orderList.counts()
  if (work === 'import' && toShip + shipped === 0) await importOrderRows({ orderImport }, rows)
  await shipList()
}
while ((await membership.status()).backlog > 0 || (await sharing.countWaiting()) > 0) await pause(50)
await lifecycle.stop()
process.exit(0)
