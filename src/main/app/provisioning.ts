import { existsSync, readFileSync } from 'node:fs'
import { defaultSettings } from '../../shared/settings'
import { readProvisioning } from '../settings/provisioning'
import { createSettingsStore } from '../settings/settingsStore'
import { openConfigFile } from './configFile'
import type { Lifecycle } from './lifecycle'
import type { Handover } from './process'

/** Applies provisioning files one after the other, as soon as the station works. */
export interface ProvisioningQueue {
  want(asked: Pick<Handover, 'provision' | 'environment'>): Promise<void>
  /** Applies what waits, if the station works by now. */
  apply(): Promise<void>
}

/** Errors are said on standard error: the files were checked where the start was typed. */
export function createProvisioningQueue(
  lifecycle: Pick<Lifecycle, 'services' | 'provision'>,
): ProvisioningQueue {
  const waiting: { path: string; environment: Handover['environment'] }[] = []

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
    async want({ provision: path, environment }) {
      if (path !== null) waiting.push({ path, environment })
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

/**
 * Checks the provisioning file of a start before anything else happens.
 * @returns one line per issue; none when there is no file or it is valid. Nothing is changed.
 */
export async function checkProvisioning(
  start: { provision: string | undefined; dataFolder: string },
  env: Readonly<Record<string, string | undefined>>,
): Promise<string[]> {
  if (start.provision === undefined) return []
  // A folder that does not exist yet has no settings, and must not come into being because of an invalid file.
  const settings = existsSync(start.dataFolder)
    ? createSettingsStore(openConfigFile(start.dataFolder, 'settings')).open()
    : undefined
  if (settings !== undefined && !settings.ok) return [settings.error.message]
  const current = settings?.value.current() ?? defaultSettings
  const provisioning = await readProvisioning(start.provision, env, current)
  return provisioning.ok ? [] : provisioning.error
}

/**
 * The environment variables that a provisioning file takes credentials from. They are secrets: whoever asks for them
 * takes them out of the environment, which windows and child processes inherit.
 */
export function namedVariables(
  provision: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  if (provision === undefined) return {}
  const names = readFileSync(provision, 'utf8').matchAll(/"(?:userEnv|passwordEnv|pinEnv)"\s*:\s*"([^"]+)"/g)
  const found = [...names].flatMap(([, name = '']) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return Object.fromEntries(found)
}
