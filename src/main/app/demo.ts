import type { MethodInput, MethodName } from '../../shared/bridge'
import { appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { parseBaseUrl } from '../carrier/service'
import type { JsonFile } from '../lib/jsonText'
import type { Provisioning } from '../settings/provisioning'
import type { Services } from './compose'

/** Starts the simulator for `--demo`. It is a separate bundle that a real station never loads. */
export async function startDemo() {
  const { account, settings: change, ...simulator } = await (await import('../../simulator/demo')).startDemo()
  return {
    ...simulator,
    /** Connects the station to the simulator, and sets up the demo's printers if there are none. */
    async prepare({ settings, session, health }: Services): Promise<void> {
      if (settings.current().printers.length === 0) settings.change(change)
      health.noting(await session.connect(account))
    },
  }
}

/**
 * A file of the demo's secrets, in memory: until `prepare` the services must not work with an account that lies in the data folder,
 * whose simulator has ended, or which is of a service, and never with a fleet's password that an earlier version stored there.
 */
export function createDemoFile({ path }: Pick<JsonFile, 'path'>): JsonFile {
  let content: unknown
  return {
    path,
    read: () => content,
    write(value) {
      content = value
    },
    setAside: () => path,
  }
}

/** The calls that lead beyond the simulator: to another service, to a fleet, to the data of a station. */
const callsBeyondDemo: {
  [Name in MethodName]?: (input: MethodInput<Name>, simulatorUrl: string) => boolean
} = {
  connectAccount({ baseUrl }, simulatorUrl) {
    const url = parseBaseUrl(baseUrl)
    return url.ok && url.value.origin !== new URL(simulatorUrl).origin
  },
  changeSettings: ({ fleet }) => fleet !== undefined && fleet !== null,
  testFleet: () => true,
  restoreStation: () => true,
}

/**
 * SECURITY: the demo creates no shipments at another service, and neither takes nor blocks orders of real stations.
 * @param simulatorUrl null outside the demo, which permits everything
 * @returns `not-in-demo` for a call of the window that leads beyond the simulator
 */
export function permitCall<Name extends MethodName>(
  method: Name,
  input: MethodInput<Name>,
  simulatorUrl: string | null,
): Result<undefined> {
  const isBeyond = simulatorUrl !== null && callsBeyondDemo[method]?.(input, simulatorUrl)
  return isBeyond ? err(appError('not-in-demo')) : ok(undefined)
}

/**
 * As `permitCall`, for a provisioning file. It may not name an import folder either: that of a station has no owner, so the demo would
 * take its orders. A person can choose a folder for the demo in the window.
 */
export function permitProvisioning(
  { account, settingsChange }: Provisioning,
  isDemo: boolean,
): Result<undefined> {
  const beyond = [account, settingsChange.fleet, settingsChange.orderImport]
  const isBeyond = isDemo && beyond.some((part) => part !== undefined && part !== null)
  return isBeyond ? err(appError('not-in-demo')) : ok(undefined)
}
