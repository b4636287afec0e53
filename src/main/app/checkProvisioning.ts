import { existsSync } from 'node:fs'
import { defaultSettings, type Settings } from '../../shared/settings'
import { parseProvisioning, readProvisioning } from '../settings/provisioning'
import { readSettingsOrDefaults } from '../settings/settingsStore'
import { createStationFileMark, type StationFile, type StationFileMark } from '../settings/stationFile'
import { openConfigFile } from './configFile'
import { permitProvisioning } from './demo'

/** Opens the mark that the station file was applied to a data folder. */
export function openStationFileMark(dataFolder: string): StationFileMark {
  return createStationFileMark(
    openConfigFile(dataFolder, 'station-file'),
    openConfigFile(dataFolder, 'settings'),
  )
}

/**
 * Validates the provisioning file of a start before anything else happens. Changes nothing. When the settings can't be used, the
 * file is checked against the defaults, and the window reports the settings.
 * @param stationFile the computer's station file, which is applied first
 * @returns one line per issue; empty when there is no file or it is valid
 */
export async function checkProvisioning(
  start: { provision: string | undefined; dataFolder: string; demo: boolean },
  env: Readonly<Record<string, string | undefined>>,
  stationFile: StationFile | undefined,
): Promise<string[]> {
  if (start.provision === undefined) return []
  // A missing folder has no settings, and opening them would create it even for an invalid file.
  const own = existsSync(start.dataFolder)
    ? readSettingsOrDefaults(openConfigFile(start.dataFolder, 'settings'))
    : defaultSettings
  const current = { ...own, ...findStationFileChange(start.dataFolder, stationFile, env, own) }
  const provisioning = await readProvisioning(start.provision, env, current)
  if (!provisioning.ok) return provisioning.error
  const permitted = permitProvisioning(provisioning.value, start.demo)
  return permitted.ok ? [] : [permitted.error.message]
}

/** The settings that the station file is about to change; none when it is invalid. */
function findStationFileChange(
  dataFolder: string,
  file: StationFile | undefined,
  env: Readonly<Record<string, string | undefined>>,
  current: Settings,
) {
  if (file === undefined) return {}
  // Opening the mark would create the folder.
  if (existsSync(dataFolder) && openStationFileMark(dataFolder).isApplied(file)) return {}
  const parsed = parseProvisioning(file.text, env, current)
  return parsed.ok ? parsed.value.settingsChange : {}
}
