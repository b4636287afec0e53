import { appError } from '../../shared/errors'
import type { FleetSettings, FleetTest } from '../../shared/fleet'
import { err, ok, type Result } from '../../shared/result'
import { connectToFleet, toFleetError } from './connection'
import { inspectSchema, inspectServer } from './schemaRepository'

/** Most seconds by which clocks may differ in a connection test. Nothing is decided by them. */
const maxClockSeconds = 60

/** Connects once and looks at the database, without changing anything there or here. */
export async function testConnection(
  settings: FleetSettings,
  password: string,
  now: () => Date,
): Promise<Result<FleetTest>> {
  const connected = await connectToFleet(settings, password, () => undefined)
  if (!connected.ok) return connected
  const { database, close } = connected.value
  try {
    const server = await inspectServer(database, now)
    if (!server.ok) return server
    const schema = await inspectSchema(database)
    if (!schema.ok) return schema
    if (!schema.value.hasRights) {
      const { host, port, ...where } = settings
      const details = { user: where.user, database: where.database, reason: 'permission denied' }
      return err(appError('fleet-no-rights', { ...details, host: `${host}:${port}` }))
    }
    const { aheadMs, serverVersion, roundTripMs } = server.value
    const seconds = Math.round(Math.abs(aheadMs) / 1000)
    if (seconds > maxClockSeconds) return err(appError('fleet-clock-differs', { seconds: String(seconds) }))
    return ok({ serverVersion, roundTripMs })
  } catch (error) {
    return err(toFleetError(error, settings))
  } finally {
    await close()
  }
}
