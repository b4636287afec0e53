import { readFileSync } from 'node:fs'
import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import { defaultSettings, type Settings, type SettingsChange, settingsSchema } from '../../shared/settings'
import { type JsonFile, jsonIssueText, parseJsonText } from '../lib/jsonText'
import { toReason } from '../lib/toReason'
import { findCrossIssues, findPrefixIssues, type InputIssue, issueLine, listIssues } from './issues'
import {
  getPlace,
  isRecord,
  type RawSettings,
  type UnknownKey,
  upgradeSettings,
  withoutUnknownKeys,
  withUnknownKeys,
} from './settingsFile'

/** The station's settings: in memory as valid values, on disk as one file. */
export interface SettingsStore {
  current(): Settings
  /**
   * Replaces the parts given, on disk and then in memory.
   * @returns the new settings; 'invalid-input' when they contradict each other, 'settings-not-saved' when the file
   * could not be written. Nothing has changed then.
   */
  change(change: SettingsChange): Result<Settings>
  /** What the file holds beyond what this version knows. It is kept, and has no effect. */
  beyond(): BeyondThisVersion
  /** Calls `listener` after each change; the function that comes back stops that. */
  onChange(listener: (settings: Settings) => void): () => void
}

/** What a settings file holds that another version wrote, or that a hand misspelled. */
interface BeyondThisVersion {
  /** Places of the keys, such as `printers[0].media`. */
  unknownKeys: string[]
  /** The file's version when a newer Packbench wrote it, else null. */
  newerVersion: number | null
}

/** Issues that one message names; the rest are counted. */
const maxIssuesShown = 5

/**
 * Keeps settings in a file.
 * @returns `open`, which reads the file: default settings when there is none, 'settings-invalid' when it can't be
 * used (`details`: path, where, problem). Keys that this version does not know are passed over, and kept when settings
 * are saved; so is the file's version when it is newer. It never writes and may be called again after the file was fixed.
 */
export function createSettingsStore(file: JsonFile): { open(): Result<SettingsStore> } {
  return {
    open() {
      const settings = readSettings(file)
      return settings.ok ? ok(toStore(file, settings.value)) : settings
    },
  }
}

/** Settings, and what stands beside them in the file. */
interface OpenedSettings {
  settings: Settings
  unknown: UnknownKey[]
  newerVersion: number | null
}

function toStore(file: JsonFile, opened: OpenedSettings): SettingsStore {
  let { settings, unknown } = opened
  const { newerVersion } = opened
  const listeners = new Set<(settings: Settings) => void>()
  return {
    current: () => settings,
    change(change) {
      const checked = checkedSettings({ ...settings, ...change })
      if (!checked.ok) return err(contradiction(checked.error))
      const prefixIssues = change.scanner === undefined ? [] : findPrefixIssues(checked.value)
      if (prefixIssues.length > 0) return err(contradiction(prefixIssues))
      const whole = withUnknownKeys(checked.value, settings, unknown)
      try {
        file.write(newerVersion === null ? whole : { ...whole, version: newerVersion })
      } catch (error) {
        return err(notSaved(file.path, error))
      }
      settings = checked.value
      unknown = withoutUnknownKeys(whole, settingsSchema).unknown
      for (const listener of [...listeners]) listener(settings)
      return ok(settings)
    },
    beyond: () => ({ unknownKeys: unknown.map(getPlace), newerVersion }),
    onChange(listener) {
      listeners.add(listener)
      return () => {
        listeners.delete(listener)
      }
    },
  }
}

function readSettings(file: JsonFile): Result<OpenedSettings> {
  const content = readContent(file)
  if (!content.ok) return err(unusable(file.path, [content.error]))
  if (content.value === undefined) return ok({ settings: defaultSettings, unknown: [], newerVersion: null })
  const upgraded = upgradeSettings(content.value)
  const newerVersion = findNewerVersion(content.value)
  if (!upgraded.ok && newerVersion === null) return err(unusable(file.path, [upgraded.error]))
  const current = upgraded.ok ? upgraded.value : { ...content.value, version: defaultSettings.version }
  const { known, unknown } = withoutUnknownKeys(withDefaults(current), settingsSchema)
  const checked = checkedSettings(known)
  if (checked.ok) return ok({ settings: checked.value, unknown, newerVersion })
  // Of a file that another version would find sound, that is what has to be said.
  return err(unusable(file.path, upgraded.ok ? checked.error : [upgraded.error]))
}

function findNewerVersion({ version }: RawSettings): number | null {
  return Number.isInteger(version) && Number(version) > defaultSettings.version ? Number(version) : null
}

function checkedSettings(settings: unknown): Result<Settings, InputIssue[]> {
  const parsed = settingsSchema.safeParse(settings)
  if (!parsed.success) return err(listIssues(parsed.error, settings))
  const issues = findCrossIssues(parsed.data)
  return issues.length > 0 ? err(issues) : ok(parsed.data)
}

function readContent(file: JsonFile): Result<RawSettings | undefined, InputIssue> {
  let content: unknown
  try {
    content = file.read()
  } catch (error) {
    return err({ path: '', problem: toJsonPlace(file.path) ?? `it can't be read (${toReason(error)})` })
  }
  if (content === undefined) return ok(undefined)
  return isRecord(content) ? ok(content) : err({ path: '', problem: 'the file must hold one object in { }' })
}

/** The JSON parser's own message often leaves out the place, so the text is looked at once more. */
function toJsonPlace(path: string): string | undefined {
  try {
    const parsed = parseJsonText(readFileSync(path, 'utf8'))
    return parsed.ok ? undefined : jsonIssueText(parsed.error)
  } catch {
    return undefined
  }
}

/** Fills in keys that the app has learned since the file was written, one level down too. */
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

function contradiction(issues: InputIssue[]): AppError {
  return appError('invalid-input', {
    case: 'settings',
    where: issues[0]?.path ?? '',
    problem: summary(issues),
  })
}

function notSaved(path: string, error: unknown): AppError {
  const reason = toReason(error)
  return appError('settings-not-saved', { path, reason })
}

function summary(issues: InputIssue[]): string {
  const shown = issues
    .slice(0, maxIssuesShown)
    .map((issue) => issueLine(issue))
    .join('; ')
  return issues.length > maxIssuesShown ? `${shown}; and ${issues.length - maxIssuesShown} more` : shown
}
