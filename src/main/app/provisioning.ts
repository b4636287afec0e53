import { existsSync } from 'node:fs'
import type { Notice } from '../../shared/app'
import type { Result } from '../../shared/result'
import { defaultSettings, type Settings } from '../../shared/settings'
import { toReason } from '../lib/toReason'
import { type Provisioning, parseProvisioning, readProvisioning } from '../settings/provisioning'
import { createSettingsStore } from '../settings/settingsStore'
import {
  createStationFileMark,
  type StationFile,
  type StationFileMark,
  type StationFileRefusal,
} from '../settings/stationFile'
import { openConfigFile } from './configFile'
import type { Lifecycle } from './lifecycle'
import type { Handover } from './process'

/** Applies provisioning files one after the other, as soon as the station works. */
export interface ProvisioningQueue {
  want(asked: Pick<Handover, 'provision' | 'environment'>): Promise<void>
  /** Applies what waits, if the station works by now. */
  apply(): Promise<void>
}

/** The computer's station file as this start found it. */
export interface FoundStationFile {
  file: Result<StationFile | undefined, StationFileRefusal>
  /** The environment variables that it names. */
  environment: Handover['environment']
}

/** The mark of the station file in a data folder. */
export function openStationFileMark(dataFolder: string): StationFileMark {
  return createStationFileMark(
    openConfigFile(dataFolder, 'station-file'),
    openConfigFile(dataFolder, 'settings'),
  )
}

/**
 * Errors of files that were named on the command line are said on standard error: they were checked where the start was typed. Those of
 * the computer's station file, which comes first, become notices, since nobody may be looking at the start.
 */
export function createProvisioningQueue(
  lifecycle: Pick<Lifecycle, 'services' | 'provision' | 'addNotice'>,
  stationFile: FoundStationFile & { mark: StationFileMark },
): ProvisioningQueue {
  const waiting: { path: string; environment: Handover['environment'] }[] = []
  let isStationFileDone = false

  async function applyStationFile(): Promise<void> {
    const services = lifecycle.services()
    if (!services.ok || isStationFileDone) return
    isStationFileDone = true
    const { file, environment, mark } = stationFile
    if (!file.ok) return lifecycle.addNotice(toStationFileNotice(file.error))
    if (file.value === undefined) return
    const { settings, session } = services.value
    const wanted = findStationFileWork(file.value, environment, {
      isApplied: mark.isApplied(file.value),
      lacksAccount: session.status().state === 'none',
      current: settings.current(),
    })
    if (wanted === undefined) return
    const issues = Array.isArray(wanted) ? wanted : await applied(lifecycle, wanted)
    if (issues.length > 0) return lifecycle.addNotice(toStationFileNotice({ path: file.value.path, issues }))
    try {
      mark.write(file.value)
    } catch (error) {
      lifecycle.addNotice(notNoted(file.value.path, toReason(error)))
    }
  }

  async function apply(): Promise<void> {
    await applyStationFile()
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

/**
 * What is to be done about a station file: all of it when it changed since it was applied; else its account alone, and that where the station
 * has none, as after a start without a keyring.
 * @returns one line per issue when it can't be used; undefined when there is nothing to do
 */
function findStationFileWork(
  { text }: StationFile,
  environment: Handover['environment'],
  station: { isApplied: boolean; lacksAccount: boolean; current: Settings },
): Provisioning | string[] | undefined {
  if (station.isApplied && !station.lacksAccount) return undefined
  const parsed = parseProvisioning(text, environment, station.current)
  if (!parsed.ok) return parsed.error
  if (!station.isApplied) return parsed.value
  const { account, holdsSecrets } = parsed.value
  return account === undefined ? undefined : { settingsChange: {}, account, holdsSecrets }
}

/** Issues that one notice names; the rest are counted. */
const maxIssuesShown = 3

function toStationFileNotice(refusal: StationFileRefusal | { path: string; issues: string[] }): Notice {
  const { path } = refusal
  if ('kind' in refusal) {
    const { kind, reason } = refusal
    const message =
      kind === 'untrusted'
        ? `The station file ${path} was not used: ${reason}, so others than administrators could have written it. Nothing of it was applied. Let it and its folder be owned and writable by administrators alone.`
        : `The station file ${path} can't be read: ${reason}. Nothing of it was applied. Let every user of the station read it.`
    return { code: `station-file-${kind}`, message, details: { path, reason } }
  }
  const shown = refusal.issues.slice(0, maxIssuesShown)
  const others = refusal.issues.length - shown.length
  const reason = [...shown, ...(others > 0 ? [`and ${others} more`] : [])].join('; ')
  const message = `The station file ${path} was not applied: ${reason}. Correct it; it is read at the next start.`
  return { code: 'station-file-invalid', message, details: { path, reason } }
}

function notNoted(path: string, reason: string): Notice {
  const message = `The station file ${path} was applied, and that could not be noted: ${reason}. It is applied again at the next start, over what is changed until then. Let Packbench write station-file.json in its data folder.`
  return { code: 'station-file-not-noted', message, details: { path, reason } }
}

async function applied(
  lifecycle: Pick<Lifecycle, 'provision'>,
  provisioning: Parameters<Lifecycle['provision']>[0],
): Promise<string[]> {
  try {
    const result = await lifecycle.provision(provisioning)
    return result.ok ? [] : [result.error.message]
  } catch (error) {
    // What is wrong with a file of the station must not keep the start from its end.
    return [toReason(error)]
  }
}

/**
 * Checks the provisioning file of a start before anything else happens.
 * @param stationFile the computer's, which is applied before it
 * @returns one line per issue; none when there is no file or it is valid. Nothing is changed.
 */
export async function checkProvisioning(
  start: { provision: string | undefined; dataFolder: string },
  env: Readonly<Record<string, string | undefined>>,
  stationFile: StationFile | undefined,
): Promise<string[]> {
  if (start.provision === undefined) return []
  // A folder that does not exist yet has no settings, and must not come into being because of an invalid file.
  const settings = existsSync(start.dataFolder)
    ? createSettingsStore(openConfigFile(start.dataFolder, 'settings')).open()
    : undefined
  if (settings !== undefined && !settings.ok) return [settings.error.message]
  const own = settings?.value.current() ?? defaultSettings
  const current = { ...own, ...findStationFileChange(start.dataFolder, stationFile, env, own) }
  const provisioning = await readProvisioning(start.provision, env, current)
  return provisioning.ok ? [] : provisioning.error
}

/** What the station file is about to change, as far as it can be used. */
function findStationFileChange(
  dataFolder: string,
  file: StationFile | undefined,
  env: Readonly<Record<string, string | undefined>>,
  current: Settings,
) {
  if (file === undefined) return {}
  // Opening the mark must not make the folder.
  if (existsSync(dataFolder) && openStationFileMark(dataFolder).isApplied(file)) return {}
  const parsed = parseProvisioning(file.text, env, current)
  return parsed.ok ? parsed.value.settingsChange : {}
}
