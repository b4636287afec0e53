import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findDefaultDataFolder } from '../../../src/main/app/defaultDataFolder'
import { temporaryFolder } from '../../support/temporaryFolder'

/** A profile of Windows with its two parts, and data in the one that roams. */
async function profile(data = 'the journal') {
  const root = await temporaryFolder()
  const [appData, local] = [join(root, 'Roaming'), join(root, 'Local')]
  const old = join(appData, 'Packbench')
  mkdirSync(old, { recursive: true })
  mkdirSync(local)
  if (data !== '') {
    mkdirSync(join(old, 'labels'))
    writeFileSync(join(old, 'packbench.db'), data)
  }
  const deps = { platform: 'win32' as const, env: { LOCALAPPDATA: local }, appData }
  const journal = (folder: string) => readFileSync(join(folder, 'packbench.db'), 'utf8')
  return { appData, local, folder: join(local, 'Packbench'), deps, journal, old }
}

/** What the system says when it does not rename. */
function refusal(code: string) {
  return Object.assign(new Error(code), { code })
}

describe('the usual data folder', () => {
  it('is that of the platform where profiles do not roam', () => {
    const deps = {
      platform: 'linux' as const,
      env: { LOCALAPPDATA: '/local' },
      appData: '/home/operator/.config',
    }
    expect(findDefaultDataFolder(deps, true)).toBe(join('/home/operator/.config', 'Packbench'))
  })

  it('stays on the computer on Windows, and gets the data of an earlier version once', async () => {
    const { deps, folder, journal, old } = await profile()
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
    expect(journal(folder)).toBe('the journal')
    expect(readdirSync(folder).sort()).toEqual(['labels', 'packbench.db'])
    // Data that come back by roaming are never put over those that are there.
    rmSync(old)
    mkdirSync(old)
    writeFileSync(join(old, 'packbench.db'), 'an older journal')
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
    expect(journal(folder)).toBe('the journal')
    expect(journal(old)).toBe('an older journal')
  })

  it('is found by an older version that is put back after the move, with what was shipped since', async () => {
    const { deps, folder, journal, old } = await profile()
    findDefaultDataFolder(deps, true)
    writeFileSync(join(folder, 'packbench.db'), 'the journal of today')
    expect(lstatSync(old).isSymbolicLink()).toBe(true)
    expect(journal(old)).toBe('the journal of today')
  })

  it.each(['EBUSY', 'EPERM', 'EXDEV'])(
    'is the old one with all its data as long as the system renames nothing there (%s)',
    async (code) => {
      const { deps, old, folder, journal } = await profile()
      const rename = () => {
        throw refusal(code)
      }
      expect(findDefaultDataFolder({ ...deps, rename }, true)).toBe(old)
      expect(journal(old)).toBe('the journal')
      expect(findDefaultDataFolder(deps, true)).toBe(folder)
      expect(journal(folder)).toBe('the journal')
    },
  )

  it('is the old one when it may only be looked at', async () => {
    const { deps, old, journal } = await profile()
    expect(findDefaultDataFolder(deps, false)).toBe(old)
    expect(journal(old)).toBe('the journal')
  })

  it('holds the journal once wherever the start is cut off', async () => {
    for (const cutOffAt of [1, 2, 3, 4]) {
      const { deps, appData, local, folder, journal } = await profile()
      // What Chromium or a start that failed left in the new place.
      mkdirSync(join(folder, 'browser'), { recursive: true })
      let step = 0
      const cutOff = (from: string, to: string) => {
        step += 1
        if (step === cutOffAt) throw new Error('the power went out before')
        renameSync(from, to)
        step += 1
        if (step === cutOffAt) throw new Error('the power went out after')
      }
      findDefaultDataFolder({ ...deps, rename: cutOff }, true)
      const found = findDefaultDataFolder(deps, true)
      expect(found).toBe(folder)
      expect(journal(found)).toBe('the journal')
      const holders = [
        ...readdirSync(appData, { withFileTypes: true }),
        ...readdirSync(local, { withFileTypes: true }),
      ]
        .filter((entry) => entry.isDirectory())
        .filter((entry) => readdirSync(join(entry.parentPath, entry.name)).includes('packbench.db'))
      expect(holders).toHaveLength(1)
    }
  })

  it('takes nothing from another start that moved the data at the same time', async () => {
    const { deps, folder, journal } = await profile()
    mkdirSync(join(folder, 'browser'), { recursive: true })
    let isOtherDone = false
    const rename = (from: string, to: string) => {
      if (!isOtherDone) {
        isOtherDone = true
        findDefaultDataFolder(deps, true)
      }
      renameSync(from, to)
    }
    expect(findDefaultDataFolder({ ...deps, rename }, true)).toBe(folder)
    expect(journal(folder)).toBe('the journal')
  })

  it('is the old one while its share is offline, and again when it is back', async () => {
    const { deps, appData, folder, journal, old, local } = await profile()
    const rename = () => {
      throw refusal('EXDEV')
    }
    // Neither before its data were ever seen, nor later.
    for (const starts of [0, 1]) {
      if (starts > 0) expect(findDefaultDataFolder({ ...deps, rename }, true)).toBe(old)
      renameSync(appData, `${appData}.offline`)
      expect(findDefaultDataFolder({ ...deps, rename }, true)).toBe(old)
      renameSync(`${appData}.offline`, appData)
      expect(findDefaultDataFolder({ ...deps, rename }, true)).toBe(old)
    }
    // A profile for one day only, as Windows makes it when the usual one can't be reached.
    const other = join(local, 'Temporary')
    mkdirSync(other)
    expect(findDefaultDataFolder({ ...deps, appData: other }, true)).toBe(old)
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
    expect(journal(folder)).toBe('the journal')
    expect(readdirSync(local)).not.toContain('Packbench.data-folder')
  })

  it('is the old one when the system does not let it be looked into', async () => {
    const { deps, old } = await profile()
    rmSync(old, { recursive: true })
    // No folder: what cannot be listed is not empty.
    writeFileSync(old, '')
    expect(findDefaultDataFolder(deps, true)).toBe(old)
  })

  it('gets the data though a start made its folders there before', async () => {
    const { deps, folder, journal } = await profile()
    mkdirSync(join(folder, 'labels'), { recursive: true })
    mkdirSync(join(folder, 'logs'))
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
    expect(journal(folder)).toBe('the journal')
  })

  it('starts with no data when they were deleted after the move, although the link is left', async () => {
    const { deps, folder } = await profile()
    findDefaultDataFolder(deps, true)
    rmSync(folder, { recursive: true })
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
  })

  it('is a new one where there were no data', async () => {
    const { deps, folder } = await profile('')
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
  })
})
