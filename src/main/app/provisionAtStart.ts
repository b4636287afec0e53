import { existsSync } from 'node:fs'
import { defaultSettings } from '../../shared/settings'
import { readProvisioning } from '../settings/provisioning'
import { createSettingsStore } from '../settings/settingsStore'
import { openConfigFile } from './configFile'
import type { RunStart } from './startUp'

/**
 * Checks the provisioning file of a start before anything else happens.
 * @returns one line per issue; none when there is no file or it is valid. Nothing is changed.
 */
export async function checkProvisioning(
  start: RunStart,
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
