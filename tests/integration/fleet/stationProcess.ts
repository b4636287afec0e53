// A station of a fleet that ships a list of references until each has an outcome, or until it is killed: see chaos.test.ts.
import { randomUUID } from 'node:crypto'
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createLifecycle } from '../../../src/main/app/lifecycle'
import { createCarrierGateway } from '../../../src/main/carrier/gateway'
import { createServiceHealth } from '../../../src/main/carrier/serviceHealth'
import { createEventBus } from '../../../src/main/lib/eventBus'
import { createRedactor } from '../../../src/main/log/redactor'
import { createPrinterDrivers } from '../../../src/main/printing/drivers/drivers'
import { placesIn } from '../../../src/main/storage/dataFolder'
import { fleetSettingsSchema } from '../../../src/shared/fleet'
import { ok } from '../../../src/shared/result'
import { aDraft } from '../../support/drafts'
import { plainJsonFile } from '../../support/plainJsonFile'
import { createInlineRasterizer } from '../../support/printing/inlineRasterizer'
import { quietAdapters } from '../../support/quietAdapters'
import { silentLog } from '../../support/silentLog'

const [dataFolder = '', origin = '', fleet = '', password = '', count = '0'] = process.argv.slice(2)

const bus = createEventBus()
const now = () => new Date()
const rasterizer = await createInlineRasterizer()
const lifecycle = createLifecycle({
  places: placesIn(dataFolder),
  settingsFile: plainJsonFile(join(dataFolder, 'settings.json')),
  vaultFile: plainJsonFile(join(dataFolder, 'vault.json')),
  pinFile: plainJsonFile(join(dataFolder, 'pin.json')),
  fleetFile: plainJsonFile(join(dataFolder, 'fleet.json')),
  cipher: {
    available: () => 'keyring',
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
  notices: [],
  now,
  bus,
  databaseProcess: () => Promise.reject(new Error('no test of the database')),
  onStarted: () => Promise.resolve(),
  onWorkStopped: () => undefined,
})
const started = await lifecycle.start()
if (!started.ok) throw new Error(started.error.message)
const { settings, shipping, store, carrier, fleet: membership } = started.value

const baseUrl = new URL(origin)
const connection = { baseUrl, apiKey: 'k3y-0f-the-station' }
const gateway = createCarrierGateway({
  keys: () => ({
    key: async () => ok(connection),
    call: (operation) => operation(connection),
    renewAfterRefusal: async () => undefined,
  }),
  health: createServiceHealth(now, createEventBus()),
  timeouts: () => ({ connectTimeoutMs: 2000, answerTimeoutMs: 2000 }),
  labelPolicy: () => ({ baseUrl, labelHosts: [] }),
  log: silentLog,
})
Reflect.set(carrier, 'open', () => gateway.open())
settings.change({ fleet: fleetSettingsSchema.parse(JSON.parse(fleet)) })
await membership.setPassword(password)

function create(reference: string) {
  const draft = aDraft({ reference })
  return shipping.create({ attemptId: randomUUID(), draft, origin: 'screen', print: false, takenAt: now() })
}

// An empty journal beside an order's folder is taken for one that was lost, and asks a person.
while ((await store.count()) === 0) await create(`FIRST-${randomUUID()}`)
writeSync(1, 'started\n')

/** Ends an order at this station, whichever station created it. */
const ending = new Set(['shipment-duplicate', 'shipment-unsettled'])
const open = new Set(Array.from({ length: Number(count) }, (_, index) => `CHAOS-${index}`))
while (open.size > 0) {
  for (const reference of [...open].toSorted(() => Math.random() - 0.5)) {
    const shipped = await create(reference)
    if (shipped.ok ? shipped.value.state !== 'refused' : ending.has(shipped.error.code))
      open.delete(reference)
  }
  await pause(50)
}
while ((await membership.status()).backlog > 0) await pause(50)
await lifecycle.stop()
process.exit(0)
