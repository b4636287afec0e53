import { readFileSync } from 'node:fs'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { defaultSettings, type Settings, type SettingsChange, settingsSchema } from '../../shared/settings'
import { crossFaults } from './crossChecks'
import { type Fault, faultLine, faultsOf } from './faults'
import { jsonFaultText, parseJsonText } from './jsonText'
import type { JsonFile } from './ports'
import { type RawSettings, upgradeSettings } from './upgrades'

/** The station's settings: in memory as valid values, on disk as one file. */
export interface SettingsStore {
  current(): Settings
  /**
   * Replaces the parts given, on disk and then in memory.
   * @returns the new settings; 'invalid-input' when they contradict each other, 'settings-not-saved' when the file
   * could not be written. Nothing has changed then.
   */
  change(change: SettingsChange): Result<Settings>
  /** Calls `listener` after each change; the function that comes back stops that. */
  onChange(listener: (settings: Settings) => void): () => void
}

/** Faults that one message names; the rest are counted. */
const faultsShown = 5

/**
 * Keeps settings in a file.
 * @returns `open`, which reads the file: default settings when there is none, 'settings-invalid' when it can't be
 * used (`details`: path, where, problem). It never writes and may be called again after the file was mended.
 */
export function createSettingsStore(file: JsonFile): { open(): Result<SettingsStore> } {
  return {
    open() {
      const settings = readSettings(file)
      return settings.ok ? ok(storeOf(file, settings.value)) : settings
    },
  }
}

function storeOf(file: JsonFile, opened: Settings): SettingsStore {
  let settings = opened
  const listeners = new Set<(settings: Settings) => void>()
  return {
    current: () => settings,
    change(change) {
      const checked = checkedSettings({ ...settings, ...change })
      if (!checked.ok) return err(contradiction(checked.error))
      try {
        file.write(checked.value)
      } catch (error) {
        return err(notSaved(file.path, error))
      }
      settings = checked.value
      for (const listener of [...listeners]) listener(settings)
      return ok(settings)
    },
    onChange(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

function readSettings(file: JsonFile): Result<Settings> {
  const content = readContent(file)
  if (!content.ok) return err(unusable(file.path, [content.error]))
  if (content.value === undefined) return ok(defaultSettings)
  const upgraded = upgradeSettings(content.value)
  if (!upgraded.ok) return err(unusable(file.path, [upgraded.error]))
  const checked = checkedSettings(withDefaults(upgraded.value))
  return checked.ok ? checked : err(unusable(file.path, checked.error))
}

function checkedSettings(settings: unknown): Result<Settings, Fault[]> {
  const parsed = settingsSchema.safeParse(settings)
  if (!parsed.success) return err(faultsOf(parsed.error, settings))
  const faults = crossFaults(parsed.data)
  return faults.length > 0 ? err(faults) : ok(parsed.data)
}

function readContent(file: JsonFile): Result<RawSettings | undefined, Fault> {
  let content: unknown
  try {
    content = file.read()
  } catch (error) {
    return err({ path: '', problem: placeOfJsonFault(file.path) ?? `it can't be read (${reasonOf(error)})` })
  }
  if (content === undefined) return ok(undefined)
  return isObject(content) ? ok(content) : err({ path: '', problem: 'the file must hold one object in { }' })
}

/** The JSON parser's own message often leaves out the place, so the text is looked at once more. */
function placeOfJsonFault(path: string): string | undefined {
  try {
    const parsed = parseJsonText(readFileSync(path, 'utf8'))
    return parsed.ok ? undefined : jsonFaultText(parsed.error)
  } catch {
    return undefined
  }
}

/** Fills in keys that the app has learned since the file was written, one level down too. */
function withDefaults(settings: RawSettings): RawSettings {
  const { network, tracking } = settings
  return {
    ...defaultSettings,
    ...settings,
    ...(isObject(network) ? { network: { ...defaultSettings.network, ...network } } : {}),
    ...(isObject(tracking) ? { tracking: { ...defaultSettings.tracking, ...tracking } } : {}),
  }
}

function isObject(value: unknown): value is RawSettings {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unusable(path: string, faults: Fault[]): AppError {
  const first = faults[0]
  return appError(
    'settings-invalid',
    `The settings in ${path} can't be used: ${summary(faults)}. Correct the file, or set it aside to start with default settings.`,
    { path, where: first?.path ?? '', problem: summary(faults) },
  )
}

function contradiction(faults: Fault[]): AppError {
  return appError('invalid-input', `These settings don't fit together: ${summary(faults)}.`, {
    where: faults[0]?.path ?? '',
    problem: summary(faults),
  })
}

function notSaved(path: string, error: unknown): AppError {
  const reason = reasonOf(error)
  return appError(
    'settings-not-saved',
    `The settings could not be written to ${path} (${reason}), so nothing was changed. Make room or give Packbench the right to write there, then save again.`,
    { path, reason },
  )
}

function summary(faults: Fault[]): string {
  const shown = faults.slice(0, faultsShown).map(faultLine).join('; ')
  return faults.length > faultsShown ? `${shown}; and ${faults.length - faultsShown} more` : shown
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
