import { readFileSync } from 'node:fs'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { defaultSettings, type Settings, type SettingsChange, settingsSchema } from '../../shared/settings'
import type { EventBus } from '../lib/eventBus'
import { type JsonFile, jsonIssueText, parseJsonText } from '../lib/jsonText'
import { toReason } from '../lib/toReason'
import { findChangeIssues, findCrossIssues, type InputIssue, issueLine, listIssues } from './issues'
import {
  isRecord,
  type RawSettings,
  toKeyPath,
  type UnknownKey,
  upgradeSettings,
  withoutUnknownKeys,
  withUnknownKeys,
} from './settingsFile'

/** The station's settings: valid values in memory, one file on disk. */
export type SettingsStore = ReturnType<typeof toStore>

/** Content of a settings file that another version wrote or that a person misspelled. */
interface UnknownContent {
  /** Paths of the keys, such as `printers[0].media`. */
  unknownKeys: string[]
  /** The file's version when a newer Packbench wrote it, else null. */
  newerVersion: number | null
}

/** The longest times that the settings allow, in days. */
const longestRetention = { retentionDays: 3650, guardDays: 36_500 }

/** How many issues a message lists; the rest are counted. */
const maxIssuesShown = 5

/**
 * Opens the settings in a file; writes nothing.
 * @returns default settings when there is no file, 'settings-invalid' when it can't be used (`details`: path, where, problem).
 * Unknown keys are ignored, and kept when settings are saved, as is a newer version number.
 */
export function openSettings(file: JsonFile, bus: Pick<EventBus, 'emit'>): Result<SettingsStore> {
  const opened = readSettings(file)
  return opened.ok ? ok(toStore(file, opened.value, bus)) : opened
}

/** The settings in a file, or the defaults when it can't be used. */
export function readSettingsOrDefaults(file: JsonFile): Settings {
  const opened = readSettings(file)
  return opened.ok ? opened.value.settings : defaultSettings
}

/** Settings, and the other content of the file. */
interface OpenedSettings {
  settings: Settings
  unknown: UnknownKey[]
  newerVersion: number | null
  /** Whether these are settings that somebody saved, and not the defaults for a file that is missing or was set aside. */
  wereSaved: boolean
  /** Whether the file says to which fleet the station belongs, or that it belongs to none. */
  saysFleet: boolean
}

function toStore(file: JsonFile, opened: OpenedSettings, bus: Pick<EventBus, 'emit'>) {
  let { settings, unknown } = opened
  const { newerVersion, saysFleet, wereSaved } = opened
  let lacksFleet = false
  /**
   * To be called when the station has a history. If its settings are missing or were set aside, they may have kept it for longer
   * than the defaults do: it is kept as long as possible until somebody says otherwise.
   */
  function expectHistory(): void {
    if (!wereSaved) settings = { ...settings, ...longestRetention }
  }
  return {
    current: () => settings,
    /**
     * Replaces the given parts, on disk and then in memory, and emits `settingsChanged`.
     * @returns the new settings; 'invalid-input' when they are inconsistent, 'settings-not-saved' when the file could not be
     * written. Nothing is changed then.
     */
    change(change: SettingsChange): Result<Settings> {
      const checked = checkSettings({ ...settings, ...change })
      if (!checked.ok) return err(toInvalidInput(checked.error))
      const changeIssues = findChangeIssues(change, checked.value)
      if (changeIssues.length > 0) return err(toInvalidInput(changeIssues))
      const whole = withUnknownKeys(checked.value, settings, unknown)
      const staysWithoutFleet = lacksFleet && change.fleet === undefined
      const { fleet, ...others } = whole
      const written = staysWithoutFleet ? others : whole
      try {
        file.write(newerVersion === null ? written : { ...written, version: newerVersion })
      } catch (error) {
        return err(appError('settings-not-saved', { path: file.path, reason: toReason(error) }))
      }
      settings = checked.value
      unknown = withoutUnknownKeys(whole, settingsSchema).unknown
      lacksFleet = staysWithoutFleet
      bus.emit('settingsChanged', settings)
      return ok(settings)
    },
    expectHistory,
    /**
     * To be called when the station's journal belongs to a fleet. If the settings say nothing about it, because their file is missing or
     * was set aside, they lack it until a change names a fleet or none: until then it is left out of the file too.
     */
    expectFleet(): void {
      expectHistory()
      lacksFleet = !saysFleet
    },
    lacksFleet: () => lacksFleet,
    /** Whether this station belongs to a fleet, connected or not. */
    belongsToFleet: () => settings.fleet !== null || lacksFleet,
    /** Content of the file that this version does not know. It is kept without effect. */
    getUnknownContent: (): UnknownContent => ({ unknownKeys: unknown.map(toKeyPath), newerVersion }),
  }
}

/** Reads the settings as `openSettings` does. */
export function readSettings(file: Pick<JsonFile, 'path' | 'read'>): Result<OpenedSettings> {
  const content = readContent(file)
  if (!content.ok) return err(unusable(file.path, [content.error]))
  if (content.value === undefined) {
    const isNew = { wereSaved: false, saysFleet: false }
    return ok({ settings: defaultSettings, unknown: [], newerVersion: null, ...isNew })
  }
  const upgraded = upgradeSettings(content.value)
  const newerVersion = findNewerVersion(content.value)
  if (!upgraded.ok && newerVersion === null) return err(unusable(file.path, [upgraded.error]))
  const current = upgraded.ok ? upgraded.value : { ...content.value, version: defaultSettings.version }
  const { known, unknown } = withoutUnknownKeys(withDefaults(current), settingsSchema)
  const checked = checkSettings(known)
  const saysFleet = 'fleet' in content.value
  if (checked.ok) {
    return ok({ settings: checked.value, unknown, newerVersion, wereSaved: true, saysFleet })
  }
  // For a file of a newer version, the version is the issue to report.
  return err(unusable(file.path, upgraded.ok ? checked.error : [upgraded.error]))
}

function findNewerVersion({ version }: RawSettings): number | null {
  return Number.isInteger(version) && Number(version) > defaultSettings.version ? Number(version) : null
}

function checkSettings(settings: unknown): Result<Settings, InputIssue[]> {
  const parsed = settingsSchema.safeParse(settings)
  if (!parsed.success) return err(listIssues(parsed.error, settings))
  const issues = findCrossIssues(parsed.data)
  return issues.length > 0 ? err(issues) : ok(parsed.data)
}

function readContent(file: Pick<JsonFile, 'path' | 'read'>): Result<RawSettings | undefined, InputIssue> {
  let content: unknown
  try {
    content = file.read()
  } catch (error) {
    return err({ path: '', problem: toJsonPlace(file.path) ?? `it can't be read (${toReason(error)})` })
  }
  if (content === undefined) return ok(undefined)
  return isRecord(content) ? ok(content) : err({ path: '', problem: 'the file must hold one object in { }' })
}

/** Parses the text again to find the position, which the JSON parser's message often omits. */
function toJsonPlace(path: string): string | undefined {
  try {
    const parsed = parseJsonText(readFileSync(path, 'utf8'))
    return parsed.ok ? undefined : jsonIssueText(parsed.error)
  } catch {
    return undefined
  }
}

/** Fills in keys that were added to the app since the file was written, also one level down. */
function withDefaults(settings: RawSettings): RawSettings {
  const { network, tracking, people } = settings
  return {
    ...defaultSettings,
    ...settings,
    ...(isRecord(network) ? { network: { ...defaultSettings.network, ...network } } : {}),
    ...(isRecord(tracking) ? { tracking: { ...defaultSettings.tracking, ...tracking } } : {}),
    ...(isRecord(people) ? { people: { ...defaultSettings.people, ...people } } : {}),
  }
}

function unusable(path: string, issues: InputIssue[]): AppError {
  const first = issues[0]
  return appError('settings-invalid', { path, where: first?.path ?? '', problem: summary(issues) })
}

function toInvalidInput(issues: InputIssue[]): AppError {
  return appError('invalid-input', {
    case: 'settings',
    where: issues[0]?.path ?? '',
    problem: summary(issues),
  })
}

function summary(issues: InputIssue[]): string {
  const shown = issues
    .slice(0, maxIssuesShown)
    .map((issue) => issueLine(issue))
    .join('; ')
  return issues.length > maxIssuesShown ? `${shown}; and ${issues.length - maxIssuesShown} more` : shown
}
