import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import { err, ok, type Result } from '../../shared/result'
import { getValueAt, type InputIssue, pathText } from './issues'

/** Content of the settings file before validation. */
export type RawSettings = Record<string, unknown>

/** Converts settings of one version to the next; the version number is set by `upgradeSettings`. */
export type UpgradeStep = (settings: RawSettings) => RawSettings

/**
 * The upgrade steps in order: the first one converts version 1 to version 2. A released step is never edited. A new key with
 * a default needs no step: `defaultSettings` fills it in.
 */
export const upgradeSteps: readonly UpgradeStep[] = []

/**
 * Upgrades settings of an older version to the newest one.
 * @returns the settings with the newest version number; an issue when this app does not know their version
 */
export function upgradeSettings(
  settings: RawSettings,
  steps: readonly UpgradeStep[] = upgradeSteps,
): Result<RawSettings, InputIssue> {
  const newest = steps.length + 1
  const { version } = settings
  if (typeof version !== 'number' || !Number.isInteger(version) || version < 1) {
    return err({ path: 'version', problem: `must be a whole number from 1 to ${newest}` })
  }
  if (version > newest) {
    return err({
      path: 'version',
      problem: `is ${version}, written by a newer Packbench, while this one knows versions up to ${newest}; update Packbench`,
    })
  }
  const upgraded = steps.slice(version - 1).reduce((older, step) => step(older), settings)
  return ok({ ...upgraded, version: newest })
}

type Path = readonly PropertyKey[]

/** A key of the settings file that this version does not know. */
export interface UnknownKey {
  /** Path of the object that contains the key. */
  parent: Path
  key: string
  value: unknown
}

/** The path of an unknown key, such as `printers[0].media`. */
export function toKeyPath({ parent, key }: UnknownKey): string {
  return pathText([...parent, key])
}

/** Removes the keys that a schema does not know, at every level. */
export function withoutUnknownKeys(
  settings: RawSettings,
  schema: z.ZodType,
): { known: RawSettings; unknown: UnknownKey[] } {
  const issues = schema.safeParse(settings).error?.issues ?? []
  const unknown = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({
          parent: issue.path,
          key,
          value: getValueAt(settings, [...issue.path, key]),
        }))
      : [],
  )
  const known = structuredClone(settings)
  for (const { parent, key } of unknown) {
    const holder = getValueAt(known, parent)
    if (isRecord(holder)) delete holder[key]
  }
  return { known, unknown }
}

/**
 * Puts unknown keys back to their places in changed settings. List entries are matched by identity, whatever their position;
 * unknown keys of removed entries and parts are dropped.
 * @param before the settings in which the unknown keys were found
 */
export function withUnknownKeys(
  settings: RawSettings,
  before: RawSettings,
  unknown: readonly UnknownKey[],
): RawSettings {
  const whole = structuredClone(settings)
  for (const { parent, key, value } of unknown) {
    const holder = counterpart(whole, before, parent)
    if (isRecord(holder) && !Object.hasOwn(holder, key)) holder[key] = value
  }
  return whole
}

/** The value in `now` that corresponds to the value at a path in `before`. */
function counterpart(now: unknown, before: unknown, [step, ...rest]: Path): unknown {
  if (step === undefined) return now
  if (Array.isArray(now) && Array.isArray(before)) {
    const entry: unknown = before[Number(step)]
    const others = before.filter((other) => other !== entry)
    return counterpart(sameEntry(now, entry, others), entry, rest)
  }
  return isRecord(now) && isRecord(before)
    ? counterpart(now[String(step)], before[String(step)], rest)
    : undefined
}

/** Fields that identify a list entry, in every list of the settings; its other fields may change. */
const identity = ['id', 'carrierId', 'carrierOptionId']

/** @param others the other entries of the old list: an unchanged one of them is not a match */
function sameEntry(list: readonly unknown[], entry: unknown, others: readonly unknown[]): unknown {
  if (!isRecord(entry)) return undefined
  const isOther = (candidate: unknown) =>
    !isDeepStrictEqual(candidate, entry) && others.some((other) => isDeepStrictEqual(other, candidate))
  const rated = list.flatMap((candidate) => {
    if (isOther(candidate)) return []
    if (!isRecord(candidate) || identity.some((name) => candidate[name] !== entry[name])) return []
    const shared = Object.keys(entry).filter((name) => isDeepStrictEqual(candidate[name], entry[name])).length
    return shared === 0 ? [] : [{ candidate, shared }]
  })
  return rated.sort((one, other) => other.shared - one.shared)[0]?.candidate
}

/** Whether a value is an object and not an array. */
export function isRecord(value: unknown): value is RawSettings {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
