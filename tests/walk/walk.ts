import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { readdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Services } from '../../src/main/app/compose'
import { createEventBus, type EventBus } from '../../src/main/lib/eventBus'
import { createPrinterDrivers } from '../../src/main/printing/drivers/createDrivers'
import { createWorkerRasterizer } from '../../src/main/printing/raster/rasterizer'
import { socketPrinterSchema } from '../../src/shared/printing'
import { listen } from '../bench/bench'
import { order } from '../integration/hotFolder/exchange'
import { buildWorker } from '../support/builtWorker'
import { aDraft } from '../support/drafts'
import { answeringPrinter } from '../support/printing/zplPrinter'
import { temporaryFolder } from '../support/temporaryFolder'
import { connectedStation, testSimulator } from '../support/testStation'

/** Files that every operation uses. */
const isGeneric = (file: string) => /^(?:lib|log)\//.test(file)

/** The file of each function that runs, in order: on the path itself, and because of its events. */
interface Walked {
  passed: string[]
  heard: string[]
}

const way = new AsyncLocalStorage<Walked>()
Reflect.set(globalThis, 'noteWalk', (file: string) => way.getStore()?.passed.push(file))

/** A bus whose listeners are counted separately, because the path does not wait for them. */
function createWalkedBus(): EventBus {
  const bus = createEventBus()
  return {
    ...bus,
    on: (name, listener) =>
      bus.on(name, (payload) => {
        const heard = way.getStore()?.heard ?? []
        way.run({ passed: heard, heard }, () => listener(payload))
      }),
  }
}

/** The folders of files in order, each once per stay. */
function listVisits(files: readonly string[]): string[] {
  const folders = files.map((file) => file.slice(0, file.indexOf('/')))
  return folders.filter((folder, index) => folder !== folders[index - 1])
}

/**
 * Prints the files that run on the way, in the order in which they first do; the folders in the order of the files' first runs; and how
 * often the way really changes from one folder to another, with each return to a file that ran before. `lib` and `log` are not counted as
 * folders.
 * @param work calls what it is given where the way begins, if that is not at once
 */
async function walk<Value>(name: string, work: (begin: () => void) => Promise<Value>): Promise<Value> {
  const walked: Walked = { passed: [], heard: [] }
  const begin = () => {
    walked.passed.length = 0
    walked.heard.length = 0
  }
  const value = await way.run(walked, () => work(begin))
  const files = new Set(walked.passed)
  const heard = [...new Set(walked.heard)].filter((file) => !files.has(file))
  const own = [...files].filter((file) => !isGeneric(file))
  const visits = listVisits(own)
  const entered = listVisits(walked.passed.filter((file) => !isGeneric(file)))
  const counts = [...new Set(entered)].map(
    (folder) => `${folder} ${entered.filter((other) => other === folder).length}`,
  )
  process.stdout.write(
    `${name}: ${files.size} files, ${own.length} of them not of lib and log, ` +
      `${visits.length} folders at first sight, ${entered.length - 1} changes of folder\n` +
      `  ${own.join('\n  ')}\n  at first sight: ${visits.join(' ')}\n  entered: ${counts.join(', ')}\n` +
      `  ${heard.length} more only hear of it: ${heard.join(' ')}\n\n`,
  )
  return value
}

/** Waits for what is not part of a way. It begins to ask where it is awaited, which has to be inside. */
function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  return way.exit(async () => {
    await expect.poll(isSo, { timeout: 20_000 }).toBe(true)
  })
}

/** Creates a shipment as the window does, and waits until its label is printed. */
async function createAndPrint({ handlers }: Services): Promise<string> {
  const attemptId = randomUUID()
  const created = await handlers.createShipment({ attemptId, draft: aDraft({ reference: attemptId }) })
  if (!created.ok) throw new Error(created.error.message)
  const { id, barcodes } = created.value
  const isPrinted = async () => {
    const shipment = await handlers.getShipment({ shipmentId: id })
    return shipment.ok && shipment.value.jobs.every(({ state }) => ['done', 'handed-over'].includes(state))
  }
  await waitUntil(isPrinted)
  return barcodes[0] ?? ''
}

/** Drops an order file of one shipment as another program does, and waits for its result. */
async function dropAndPrint({ hotFolder }: Services, folder: string, reference: string): Promise<void> {
  const wanted = { carrier_id: 1, carrier_option_id: 11, weight: 1, country: 'NL' }
  await writeFile(join(folder, reference), JSON.stringify(order(reference, wanted)))
  await rename(join(folder, reference), join(folder, 'in', `${reference}.json`))
  const isDone = async () =>
    (await readdir(join(folder, 'done'))).includes(`${reference}.json`) && hotFolder.status().waiting === 0
  await waitUntil(isDone)
}

it('walks from F9 to the last byte at the printer, through an order file to its result, and through a look-up', async () => {
  const printer = await listen(
    answeringPrinter(
      () => ({}),
      () => undefined,
    ),
  )
  const simulator = await testSimulator()
  const printers = [
    socketPrinterSchema.parse({ driver: 'socket', id: 'z', host: '127.0.0.1', port: printer.port }),
  ]
  const settings = { printers, routing: [{ printer: 'z' }] }
  const dataFolder = await temporaryFolder()
  // As in the app, in a thread: what runs in threads is not counted.
  const rasterizer = createWorkerRasterizer(
    await buildWorker('rasterWorker', 'src/main/printing/raster/worker.ts'),
  )
  const drivers = createPrinterDrivers({ platform: 'linux', dataFolder, sumatraPdfPath: '', rasterizer })
  const { features } = await connectedStation(dataFolder, simulator, settings, {
    bus: createWalkedBus(),
    rasterizer,
    drivers,
  })
  // Warm-up: the first shipment fetches the key and queries the printer's status.
  await createAndPrint(features)
  const code = await walk('F9 to the last byte at the printer', () => createAndPrint(features))
  const folder = await temporaryFolder()
  await walk('an order file to its result', async (begin) => {
    await features.hotFolder.follow({ path: folder, print: true })
    await waitUntil(async () => (await readdir(folder)).includes('in'))
    await dropAndPrint(features, folder, 'WARM')
    begin()
    await dropAndPrint(features, folder, 'WALKED')
  })
  await features.hotFolder.stop()
  await walk('a look-up', async () => {
    const options = { flightTracking: 'include', language: 'en', type: 'barcode', details: 'full' } as const
    const found = await features.handlers.trackCode({ lookUpId: randomUUID(), code, options })
    expect(found).toMatchObject({ ok: true, value: { tracked: { found: true } } })
  })
  await printer.close()
  await rasterizer.close()
})
