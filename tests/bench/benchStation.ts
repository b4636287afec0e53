import { join } from 'node:path'
import { createSecretsInMemory } from '../../src/main/app/adapters'
import { openServices } from '../../src/main/app/openServices'
import { createEventBus } from '../../src/main/lib/eventBus'
import { createLogger } from '../../src/main/log/logger'
import { createRedactor } from '../../src/main/log/redactor'
import { createPrinterDrivers } from '../../src/main/printing/drivers/createDrivers'
import { createThread } from '../../src/main/storage/databaseThread'
import { placesIn, prepareDataFolder } from '../../src/main/storage/dataFolder'
import { ok } from '../../src/shared/result'
import type { TrackingOptions } from '../../src/shared/tracking'
import { demoAccount } from '../../src/simulator/demo'
import { databaseWorker } from '../support/databaseWorker'
import { plainJsonFile } from '../support/plainJsonFile'
import { createInlineRasterizer } from '../support/printing/inlineRasterizer'
import { quietAdapters } from '../support/quietAdapters'

const options: TrackingOptions = {
  flightTracking: 'include',
  language: 'en',
  type: 'barcode',
  details: 'full',
}

/** The operations of a station that the bench calls. */
export interface BenchStation {
  trackCode(code: string): Promise<void>
  trackBulk(codes: readonly string[]): Promise<void>
  stop(): Promise<void>
}

/** The app's services under plain Node, connected to a simulator. */
export async function benchStation(folder: string, baseUrl: string): Promise<BenchStation> {
  const places = placesIn(folder)
  const startError = prepareDataFolder(places)
  if (startError !== undefined) throw new Error(startError.message)
  const script = await databaseWorker()
  const createDatabaseThread = () => createThread(script)
  const redactor = createRedactor()
  const log = createLogger({ folder: places.logs, redactor })
  const rasterizer = await createInlineRasterizer()
  let ended: () => void = () => undefined
  const bus = createEventBus()
  bus.on('bulkTrackingProgressed', ({ state }) => {
    if (state !== 'running') ended()
  })
  const features = await openServices(
    {
      places,
      settingsFile: plainJsonFile(join(folder, 'settings.json')),
      secretsInMemory: createSecretsInMemory(),
      vaultFile: plainJsonFile(join(folder, 'vault.json')),
      pinFile: plainJsonFile(join(folder, 'pin.json')),
      version: '0.0.0',
      fleetFile: plainJsonFile(join(folder, 'fleet.json')),
      proxyFile: plainJsonFile(join(folder, 'proxy.json')),
      channelsFile: plainJsonFile(join(folder, 'channels.json')),
      systemProxy: async () => 'DIRECT',
      systemCertificates: async () => [],
      databaseProcess: () => Promise.reject(new Error('this bench starts no database process')),
      createDatabaseThread,
      cipher: {
        available: () => 'none',
        checkUnlocked: async () => false,
        unlock: async () => false,
        encrypt: (text) => Buffer.from(text),
        decrypt: (data) => data.toString(),
      },
      drivers: createPrinterDrivers({
        platform: 'linux',
        dataFolder: folder,
        sumatraPdfPath: '',
        rasterizer,
      }),
      rasterizer,
      log,
      redactor,
      now: () => new Date(),
      bus,
      ...quietAdapters,
      maintenance: { backUp: async () => ok(undefined), rotateBackups: async () => undefined },
    },
    { thread: createDatabaseThread() },
  )
  if (!features.ok) throw new Error(features.error.message)
  const { session, lookUpCode, bulk, carrier, database } = features.value
  const connected = await session.connect(demoAccount(baseUrl))
  if (!connected.ok) throw new Error(connected.error.message)
  return {
    async trackCode(code) {
      const tracked = await lookUpCode(code, options)
      if (!tracked.ok) throw new Error(tracked.error.message)
    },
    trackBulk(codes) {
      const done = new Promise<void>((resolve) => {
        ended = resolve
      })
      bulk.start(codes, options)
      return done
    },
    async stop() {
      await bulk.stop()
      await carrier.close()
      await database.destroy()
      await log.close()
    },
  }
}
