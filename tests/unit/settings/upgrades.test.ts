import { describe, expect, it } from 'vitest'
import { type UpgradeStep, upgradeSettings, upgradeSteps } from '../../../src/main/settings/settingsFile'
import { defaultSettings } from '../../../src/shared/settings'

describe('upgrading settings', () => {
  const steps: UpgradeStep[] = [
    ({ printer, ...rest }) => ({ ...rest, printers: [printer] }),
    (settings) => ({ ...settings, count: Array.isArray(settings.printers) ? settings.printers.length : 0 }),
  ]

  it('applies every step after the version of the file', () => {
    expect(upgradeSettings({ version: 1, printer: 'a' }, steps)).toEqual({
      ok: true,
      value: { version: 3, printers: ['a'], count: 1 },
    })
    expect(upgradeSettings({ version: 2, printers: ['a', 'b'] }, steps)).toEqual({
      ok: true,
      value: { version: 3, printers: ['a', 'b'], count: 2 },
    })
  })

  it('returns settings of the newest version unchanged', () => {
    const settings = { version: 3, count: 5 }
    expect(upgradeSettings(settings, steps)).toEqual({ ok: true, value: settings })
  })

  it('refuses newer and invalid versions', () => {
    const newer = upgradeSettings({ version: 4 }, steps)
    expect(newer.ok ? undefined : newer.error.problem).toContain('is 4')
    for (const version of [0, -1, 1.5, '1', null, undefined]) {
      expect(upgradeSettings({ version }, steps).ok).toBe(false)
    }
  })

  it('has one step for each version before the current one', () => {
    expect(upgradeSteps).toHaveLength(defaultSettings.version - 1)
  })
})
