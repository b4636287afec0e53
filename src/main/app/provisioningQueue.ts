import { readProvisioning } from '../settings/provisioning'
import type { Lifecycle } from './lifecycle'

/** A provisioning file that somebody asked for, with the values of the variables it names. */
export interface WantedProvisioning {
  /** Absolute path. */
  path: string
  environment: Readonly<Record<string, string>>
}

/** Applies provisioning files one after the other, as soon as the station works. */
export interface ProvisioningQueue {
  want(wanted: WantedProvisioning): Promise<void>
  /** Applies what waits, if the station works by now. */
  apply(): Promise<void>
}

/** Errors are said on standard error: the files were checked where the start was typed. */
export function createProvisioningQueue(
  lifecycle: Pick<Lifecycle, 'services' | 'provision'>,
): ProvisioningQueue {
  const waiting: WantedProvisioning[] = []

  async function apply(): Promise<void> {
    const services = lifecycle.services()
    const next = services.ok ? waiting.shift() : undefined
    if (!services.ok || next === undefined) return
    const read = await readProvisioning(next.path, next.environment, services.value.settings.current())
    const issues = read.ok ? await applied(lifecycle, read.value) : read.error
    for (const issue of issues) process.stderr.write(`${issue}\n`)
    await apply()
  }

  return {
    async want(wanted) {
      waiting.push(wanted)
      await apply()
    },
    apply,
  }
}

async function applied(
  lifecycle: Pick<Lifecycle, 'provision'>,
  provisioning: Parameters<Lifecycle['provision']>[0],
): Promise<string[]> {
  const result = await lifecycle.provision(provisioning)
  return result.ok ? [] : [result.error.message]
}
