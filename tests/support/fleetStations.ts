import { randomUUID } from 'node:crypto'
import { cp } from 'node:fs/promises'
import { expect, vi } from 'vitest'
import type { Services } from '../../src/main/app/compose'
import type { CreationOutcome } from '../../src/main/carrier/createShipment'
import type { OpenCarrier } from '../../src/main/carrier/gateway'
import { appError } from '../../src/shared/errors'
import type { FleetSettings } from '../../src/shared/fleet'
import { ok, type Result } from '../../src/shared/result'
import type { ShipmentDetails } from '../../src/shared/shipments'
import { aDraft } from './drafts'
import { postgresPassword } from './privatePostgres'
import { temporaryFolder } from './temporaryFolder'
import { stationOn } from './testStation'

/** A service that answers at once and counts the requests that it received for each reference. */
export class CountingCarrier {
  readonly received = new Map<string, number>()
  /** What is done with a request before it is answered; the reference is counted already. */
  whileAnswering: (reference: string) => Promise<'created' | 'refused'> = async () => 'created'

  private readonly createShipment: OpenCarrier['createShipment'] = async (draft, delivery, keep) => {
    const { reference } = draft
    this.received.set(reference, (this.received.get(reference) ?? 0) + 1)
    const answer = await this.whileAnswering(reference)
    if (answer === 'refused')
      return { ok: false, kind: 'refused', error: appError('service-refused'), answer: null }
    const barcode = `3S-${reference}-${this.received.get(reference)}`
    const receivedAt = new Date()
    const bytes = Buffer.from(`^XA^FD${barcode}^FS^XZ`)
    const content = {
      status: true,
      labels: [{ barcode, labeltype: 'ZPL', encodeType: 'base64', content: bytes.toString('base64') }],
      Barcode: barcode,
    }
    const answered = {
      host: 'carrier.example',
      delivery,
      status: 200,
      text: null,
      isCut: false,
      labelUrl: null,
    }
    await keep({ ...answered, receivedAt, content })
    return createdWith(barcode, bytes, receivedAt)
  }

  /** Takes the place of the service for a station. */
  serve({ carrier }: Services): void {
    const { createShipment } = this
    const open = vi.spyOn(carrier, 'open')
    open.mockImplementation(async () => ok({ createShipment, ...notAsked }))
  }
}

/** What no test of the fleet asks the service for. */
const refuseCall = () => Promise.reject(new Error('no test of manifests'))
const notAsked = { uploadManifest: refuseCall, sendPreAlert: refuseCall } satisfies Partial<OpenCarrier>

function createdWith(barcode: string, bytes: Buffer, receivedAt: Date): CreationOutcome {
  const label = { barcode, kind: 'zpl' as const, bytes, problem: null, shipmentId: null }
  const ids = { serviceShipmentId: null, zendingId: null, subLogId: null, logId: null }
  const texts = { message: null, trackingUrl: null, labelUrl: null, limits: null }
  return ok({
    creation: { labels: [label], labelCount: 1, barcodes: [barcode], ...ids, ...texts },
    receivedAt,
  })
}

/** A station of a fleet, on its own data folder. */
export interface FleetStation {
  dataFolder: string
  services: Services
  ship(reference: string, more?: ShipOptions): Promise<Result<ShipmentDetails>>
  stop(): Promise<void>
}

interface ShipOptions {
  attemptId?: string
  confirmedDuplicateOf?: string
}

/** A started station that has joined its fleet. Without settings those of the data folder are taken. */
export async function fleetStation(
  carrier: CountingCarrier,
  fleet: FleetSettings | null,
  dataFolder?: string,
): Promise<FleetStation> {
  const folder = dataFolder ?? (await temporaryFolder())
  const station = await stationOn(folder)
  const started = await station.start()
  if (!started.ok) throw new Error(started.error.message)
  const services = started.value
  carrier.serve(services)
  if (fleet !== null) {
    services.settings.change({ printers: [{ driver: 'folder', id: 'file', path: 'out' }], fleet })
    await services.fleet.setPassword(postgresPassword)
  }
  await joined(services)
  return {
    dataFolder: folder,
    services,
    ship: (reference, { attemptId = randomUUID(), confirmedDuplicateOf } = {}) =>
      services.shipping.create({
        ...{ attemptId, confirmedDuplicateOf, origin: 'screen', print: false, takenAt: new Date() },
        draft: aDraft({ reference }),
      }),
    stop: () => station.stop(),
  }
}

/** A copy of a station's data folder as a crash at this moment would leave it. */
export async function crashImage({ dataFolder }: FleetStation): Promise<string> {
  const folder = await temporaryFolder()
  await cp(dataFolder, folder, { recursive: true })
  return folder
}

/** Waits until a station is in a state. */
export async function joined({ fleet }: Services, state = 'joined'): Promise<void> {
  await expect.poll(async () => (await fleet.status()).state, { interval: 10 }).toBe(state)
}

/** Waits until the fleet has everything that a station's journal says. */
export async function published({ fleet }: Services): Promise<void> {
  await expect.poll(async () => (await fleet.status()).backlog, { interval: 10 }).toBe(0)
}
