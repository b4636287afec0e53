import { err, ok, type Result } from '../../shared/result'
import type { InputIssue } from './issues'

/** Settings as they lie in the file, before their schema has seen them. */
export type RawSettings = Record<string, unknown>

/** Turns settings of one version into those of the next; everything but the version number. */
export type UpgradeStep = (settings: RawSettings) => RawSettings

/**
 * The steps in order: the first one leads from version 1 to version 2. A step that was released is never edited. A
 * new key that has a default needs no step: `defaultSettings` fills it in.
 */
export const upgradeSteps: readonly UpgradeStep[] = []

/**
 * Brings settings of an older version up to the newest one.
 * @returns the settings with the newest version number; an issue when the version is not one this app knows
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
