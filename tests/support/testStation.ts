import { join } from 'node:path'
import type { Cipher } from '../../src/main/account/vault'

import type { Services } from '../../src/main/app/compose'
import { createLifecycle, type Lifecycle, type LifecycleDeps } from '../../src/main/app/lifecycle'
import { createEventBus } from '../../src/main/lib/eventBus'
import { createLogger } from '../../src/main/log/logger'
import { createRedactor } from '../../src/main/log/redactor'
import { createPrinterDrivers } from '../../src/main/printing/drivers/createDrivers'
import { placesIn } from '../../src/main/storage/dataFolder'
import type { SettingsChange } from '../../src/shared/settings'
import { demoAccount } from '../../src/simulator/demo'
import { type Simulator, type SimulatorOptions, startSimulator } from '../../src/simulator/simulator'
import { lentThreads } from './databaseWorker'
import { endWithTest } from './lifetime'
import { plainJsonFile } from './plainJsonFile'
import { createInlineRasterizer } from './printing/inlineRasterizer'
import { quietAdapters } from './quietAdapters'

/** A fake of the operating system's encryption: it reverses text, so that tests can detect plain text in a file. */
export const reversingCipher: Cipher = {
  available: () => 'keyring',
  checkUnlocked: async () => true,
  unlock: async () => true,
  encrypt: (text) => Buffer.from(text).reverse(),
  decrypt: (data) => Buffer.from(data).reverse().toString(),
}

/** A simulator that ends with its test, or with the tests that share it. */
export function testSimulator(): Promise<Simulator> {
  return simulatorWith({})
}

/** A simulator with options that ends with the test. */
export async function simulatorWith(options: SimulatorOptions): Promise<Simulator> {
  const simulator = await startSimulator(options)
  endWithTest(() => simulator.close())
  return simulator
}

/** A complete station under plain Node with the given data folder; it is stopped when the test ends. */
export async function stationOn(
  dataFolder: string,
  overrides: Partial<LifecycleDeps> = {},
): Promise<Lifecycle> {
  const places = placesIn(dataFolder)
  const redactor = createRedactor()
  const log = createLogger({ folder: places.logs, redactor })
  const rasterizer = await createInlineRasterizer()
  const station = createLifecycle({
    places,
    settingsFile: plainJsonFile(join(dataFolder, 'settings.json')),
    vaultFile: plainJsonFile(join(dataFolder, 'vault.json')),
    pinFile: plainJsonFile(join(dataFolder, 'pin.json')),
    fleetFile: plainJsonFile(join(dataFolder, 'fleet.json')),
    proxyFile: plainJsonFile(join(dataFolder, 'proxy.json')),
    channelsFile: plainJsonFile(join(dataFolder, 'channels.json')),
    systemProxy: async () => 'DIRECT',
    systemCertificates: async () => [],
    createDatabaseThread: await lentThreads(),
    cipher: reversingCipher,
    drivers: createPrinterDrivers({ platform: 'linux', dataFolder, sumatraPdfPath: '', rasterizer }),
    rasterizer,
    log,
    redactor,
    ...quietAdapters,
    version: '0.0.0',
    simulatorUrl: null,
    systemCountry: '',
    notices: [],
    now: () => new Date(),
    bus: createEventBus(),
    databaseProcess: () => Promise.reject(new Error('these stations start no database process')),
    onStarted: () => Promise.resolve(),
    onWorkStopped: () => undefined,
    ...overrides,
  })
  endWithTest(async () => {
    await station.stop()
    await log.close()
  })
  return station
}

/** A started station that is connected to a simulator and prints into the folder `out`. */
export async function connectedStation(
  dataFolder: string,
  simulator: Simulator,
  settings: SettingsChange = {},
  overrides: Partial<LifecycleDeps> = {},
): Promise<{ station: Lifecycle; features: Services }> {
  const station = await stationOn(dataFolder, overrides)
  const features = await station.start()
  if (!features.ok) throw new Error(features.error.message)
  const changed = features.value.settings.change({
    printers: [{ driver: 'folder', id: 'file', path: 'out' }],
    network: { connectTimeoutMs: 1000, answerTimeoutMs: 1500 },
    ...settings,
  })
  if (!changed.ok) throw new Error(changed.error.message)
  const connected = await features.value.session.connect(demoAccount(simulator.baseUrl))
  if (!connected.ok) throw new Error(connected.error.message)
  return { station, features: features.value }
}
