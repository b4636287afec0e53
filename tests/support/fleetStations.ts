import { randomUUID } from 'node:crypto'
import { cp } from 'node:fs/promises'
import { expect, onTestFinished } from 'vitest'
import type { Services } from '../../src/main/app/compose'
import type { Lifecycle } from '../../src/main/app/lifecycle'
import { connectToFleet } from '../../src/main/fleet/connection'
import { createEventBus } from '../../src/main/lib/eventBus'
import { appError } from '../../src/shared/errors'
import type { FleetSettings } from '../../src/shared/fleet'
import { CountingCarrier } from './countingCarrier'
import { aDraft } from './drafts'
import { type PrivatePostgres, postgresPassword } from './privatePostgres'
import { temporaryFolder } from './temporaryFolder'
import { stationOn } from './testStation'

/** A station of a fleet, with its own data folder. */
export type FleetStation = Awaited<ReturnType<typeof fleetStation>>

interface ShipOptions {
  attemptId?: string
  operator?: string
  confirmedDuplicateOf?: string
}

/** Starts a station on a data folder with the fleet settings that it has, and does not wait for the fleet. */
export async function startedOn(
  dataFolder: string,
  carrier?: CountingCarrier,
  adapters?: Parameters<typeof stationOn>[1],
) {
  const station = await stationOn(dataFolder, adapters)
  const started = await station.start()
  if (!started.ok) throw new Error(started.error.message)
  carrier?.serve(started.value)
  return { station, services: started.value }
}

/** A started station that has joined its fleet. If `fleet` is null, it uses the fleet settings of the data folder. */
export async function fleetStation(
  carrier: CountingCarrier,
  fleet: FleetSettings | null,
  dataFolder?: string,
  now = () => new Date(),
) {
  const folder = dataFolder ?? (await temporaryFolder())
  const bus = createEventBus()
  const { station, services } = await startedOn(folder, carrier, { bus, now })
  if (fleet !== null) {
    services.settings.change({ printers: [{ driver: 'folder', id: 'file', path: 'out' }], fleet })
    await services.fleet.setPassword(postgresPassword)
  }
  await joined(services)
  return {
    dataFolder: folder,
    services,
    bus,
    ship: (
      reference: string,
      { attemptId = randomUUID(), operator, confirmedDuplicateOf }: ShipOptions = {},
    ) =>
      services.shipping.create({
        ...{ attemptId, origin: 'screen', print: false, takenAt: new Date() },
        ...(operator !== undefined && { operator }),
        ...(confirmedDuplicateOf !== undefined && {
          confirmedDuplicates: [{ reference, shipmentId: confirmedDuplicateOf }],
        }),
        draft: aDraft({ reference }),
      }),
    provision: (provisioning: Parameters<Lifecycle['provision']>[0]) => station.provision(provisioning),
    stop: () => station.stop(),
  }
}

/** A fleet of two stations, «Bench 1», whose clock can be set, and «Bench 2». */
export async function twoStations(
  postgres: PrivatePostgres,
  change: Partial<FleetSettings> = {},
  now?: () => Date,
) {
  const carrier = new CountingCarrier()
  const fleet = await postgres.newFleet(change)
  const one = await fleetStation(carrier, fleet, undefined, now)
  const other = await fleetStation(carrier, { ...fleet, station: 'Bench 2' })
  return { carrier, fleet, one, other }
}

/** A copy of a station's data folder, like the one that a crash at this moment would leave. */
export async function crashImage({ dataFolder }: FleetStation): Promise<string> {
  const folder = await temporaryFolder()
  await cp(dataFolder, folder, { recursive: true })
  return folder
}

/** Waits until the station's fleet status is the given state. */
export async function joined({ fleet }: Services, state = 'joined'): Promise<void> {
  await expect.poll(async () => (await fleet.status()).state, { interval: 10 }).toBe(state)
}

/** Waits until the fleet has all entries of a station's journal. */
export async function published({ fleet }: Services): Promise<void> {
  await expect.poll(async () => (await fleet.status()).backlog, { interval: 10 }).toBe(0)
}

/** Adds an unknown shipment to a station's journal and waits for its publication. */
export async function putUnknown({ services }: FleetStation, reference: string): Promise<string> {
  const id = randomUUID()
  const order = { attemptId: randomUUID(), origin: 'screen', print: false, operator: null } as const
  const draft = aDraft({ reference })
  await services.rebuild.restore({ ...order, id, draft, takenAt: '2026-11-22T10:00:00.000Z' })
  await services.shipmentRepository.markUnknown(id, appError('fleet-not-joined'), null)
  await services.shipping.closeLabelProblems(id, 'none')
  await published(services)
  return id
}

/**
 * Locks a table of a fleet, so that all statements on it wait until the end of the test.
 * @returns ends the lock before that
 */
export async function lockTable(
  fleet: FleetSettings,
  table: 'claims' | 'labels' | 'orders' | 'stations',
): Promise<() => Promise<void>> {
  const connected = await connectToFleet(fleet, postgresPassword, () => undefined)
  if (!connected.ok) throw new Error(connected.error.message)
  const { session, close } = connected.value
  onTestFinished(close)
  await session.query('set idle_in_transaction_session_timeout = 0')
  await session.query('begin')
  await session.query(`lock table packbench.${table} in access exclusive mode`)
  return close
}
