import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import type { z } from 'zod'
import { HotFolder, type HotFolderStatus, type HotFolderTimes } from '../../../src/main/hotFolder/hotFolder'
import type { Log, LogFields } from '../../../src/main/log/log'
import { readTable } from '../../../src/main/tables/readTable'
import type { OrderMapping, OrderRule } from '../../../src/shared/orders'
import { type CarrierOption, defaultSettings } from '../../../src/shared/settings'
import type { ShipmentDefaults } from '../../../src/shared/shipments'
import { temporaryRoot } from '../../support/temporaryRoot'
import { resultSchema } from './orderResultSchema'
import { HoldingStandIn, IssuesStandIn, OrderFilesStandIn, ShippingStandIn } from './shippingStandIn'

type Place = 'in' | 'work' | 'done' | 'failed'

export type Result = z.infer<typeof resultSchema>

/** Longer than any test: a file that is taken in spite of this wait did not wait. */
export const endless = 3_600_000

const defaults: ShipmentDefaults = {
  carrierId: 12,
  carrierOptionId: 34,
  weight: 1,
  country: 'NL',
  createdBy: 'station-1',
}

/** One shipment with the service's field names. */
export function order(reference: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { reference, last_name: 'Jansen', street: 'Dorpsstraat', city: 'Utrecht', ...more }
}

/** A hot folder on a real file system, and a station with state that survives restarts of the app. */
export class Exchange {
  readonly root = mkdtempSync(join(temporaryRoot, 'exchange-'))
  readonly folder: string
  readonly dataFolder: string
  readonly shipping = new ShippingStandIn()
  readonly files = new OrderFilesStandIn()
  readonly issues = new IssuesStandIn()
  readonly holding = new HoldingStandIn()
  /** The mapping for tables. */
  mapping: OrderMapping | undefined
  rules: OrderRule[] = []
  carriers: CarrierOption[] = []
  printers: string[] = []
  sendingCountries = ['NL']
  readonly logged: { message: string; fields: LogFields | undefined }[] = []
  /** Every status that was emitted. */
  readonly statuses: HotFolderStatus[] = []
  /** Other stations at the same hot folder. */
  readonly others: Exchange[] = []
  private readonly instances: HotFolder[] = []

  /** @param places folders of another station that this one shares */
  constructor(places: { folder?: string; dataFolder?: string } = {}) {
    this.folder = places.folder ?? join(this.root, 'exchange')
    this.dataFolder = places.dataFolder ?? join(this.root, 'data')
    mkdirSync(this.dataFolder, { recursive: true })
  }

  /** Starts the hot folder. By default a file must rest for 60 ms. */
  async start(
    options: {
      print?: boolean
      holdsOrders?: boolean
      /** The fleet in which the folder is shared, under this station's id. */
      sharing?: { station: string; fleet: string | null }
      previousEnded?: Promise<void>
      times?: Partial<HotFolderTimes>
    } = {},
  ): Promise<HotFolder> {
    const write = (message: string, fields?: LogFields) => this.logged.push({ message, fields })
    const log: Log = { info: write, warn: write, error: write }
    const { sharing } = options
    const instance: HotFolder = new HotFolder({
      sharing: sharing && { station: sharing.station, findFleetId: async () => sharing.fleet },
      folder: this.folder,
      dataFolder: this.dataFolder,
      print: options.print ?? true,
      tables: {
        settings: {
          current: () => ({
            ...defaultSettings,
            shipmentDefaults: defaults,
            orderRules: this.rules,
            carriers: this.carriers,
            printers: this.printers.map((id) => ({ driver: 'folder', id, path: 'out' })),
            hotFolder: { path: this.folder, print: true, mapping: 'own' },
            importMappings: this.mapping === undefined ? [] : [{ name: 'own', mapping: this.mapping }],
          }),
        },
        readTable,
        sendingCountries: async () => this.sendingCountries,
      },
      shipping: this.shipping,
      files: this.files,
      issues: this.issues,
      heldOrders: this.holding,
      holdsOrders: options.holdsOrders ?? false,
      previousEnded: options.previousEnded,
      log,
      now: () => new Date(),
      bus: { emit: () => this.statuses.push(instance.status()) },
      times: { restMs: 60, cutOffMs: 300, pollMs: 50, ...options.times },
    })
    this.instances.push(instance)
    await instance.start()
    return instance
  }

  /** Simulates a crash of the process and its restart. */
  async crashAndRestart(options: Parameters<Exchange['start']>[0] = {}): Promise<HotFolder> {
    // A call that never returns represents the crashed process. Nothing else of it may continue.
    for (const instance of this.instances) void instance.stop()
    this.shipping.restart()
    this.files.dieAt = undefined
    this.files.survives = 0
    this.shipping.behave = () => 'create'
    this.shipping.print = async () => 'done'
    return this.start(options)
  }

  /** Creates another station at the same hot folder; `end` of this one also ends it. */
  another(places: { folder?: string; dataFolder?: string } = {}): Exchange {
    const other = new Exchange({ folder: this.folder, ...places })
    this.others.push(other)
    return other
  }

  async end(): Promise<void> {
    await Promise.all(this.others.map((other) => other.end()))
    await Promise.all(this.instances.slice(-1).map((instance) => instance.stop()))
    rmSync(this.root, { recursive: true, force: true })
  }

  path(place: Place, name: string): string {
    return join(this.folder, place, name)
  }

  list(place: Place): string[] {
    return readdirSync(join(this.folder, place)).sort()
  }

  /** Moves a complete file into `in/`. */
  drop(name: string, content: unknown): void {
    const temporary = join(this.folder, '.dropped.tmp')
    writeFileSync(
      temporary,
      typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
    )
    renameSync(temporary, this.path('in', name))
  }

  /** Writes files into `in/` while the app is off, all with the same modification time. Returns their names in order. */
  leave(count: number): string[] {
    mkdirSync(this.path('in', '.'), { recursive: true })
    const names = Array.from({ length: count }, (_, index) => `R${String(index).padStart(5, '0')}.json`)
    for (const name of names.toReversed()) {
      const path = this.path('in', name)
      writeFileSync(path, JSON.stringify(order(name.replace('.json', ''))))
      utimesSync(path, 1_700_000_000, 1_700_000_000)
    }
    return names
  }

  result(place: 'done' | 'failed', name: string): Result {
    return resultSchema.parse(JSON.parse(readFileSync(this.path(place, name), 'utf8')))
  }

  /** Waits until the order file and its result are in the same folder and the record of the file is removed. */
  async delivered(place: 'done' | 'failed', name: string): Promise<Result> {
    const result = name.replace(/\.\w+$/, '.result.json')
    await vi.waitFor(
      () => {
        expect(this.list(place)).toEqual(expect.arrayContaining([name, result]))
        const { id } = this.result(place, result)
        expect(this.files.rows.map((row) => row.id)).not.toContain(id)
      },
      { timeout: 40_000, interval: 10 },
    )
    return this.result(place, result)
  }
}
