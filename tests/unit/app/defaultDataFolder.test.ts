import { lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findDefaultDataFolder } from '../../../src/main/app/defaultDataFolder'
import { temporaryFolder } from '../../support/temporaryFolder'

/** A Windows profile with a roaming and a local part; the roaming part contains data unless `data` is empty. */
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

/** The error of a rename that the system refuses. */
function refusal(code: string) {
  return Object.assign(new Error(code), { code })
}

describe('the default data folder', () => {
  it('is the folder of the platform where profiles do not roam', () => {
    const deps = {
      platform: 'linux' as const,
      env: { LOCALAPPDATA: '/local' },
      appData: '/home/operator/.config',
    }
    expect(findDefaultDataFolder(deps, true)).toBe(join('/home/operator/.config', 'Packbench'))
  })

  it('is local on Windows, and receives the data of an earlier version from the roaming profile once', async () => {
    const { deps, folder, journal, old } = await profile()
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
    expect(journal(folder)).toBe('the journal')
    expect(readdirSync(folder).sort()).toEqual(['labels', 'packbench.db'])
    // Data that return by roaming never replace the data in the local folder.
    rmSync(old)
    mkdirSync(old)
    writeFileSync(join(old, 'packbench.db'), 'an older journal')
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
    expect(journal(folder)).toBe('the journal')
    expect(journal(old)).toBe('an older journal')
  })

  it('is reached by an older version through a link after the move, with the data written since', async () => {
    const { deps, folder, journal, old } = await profile()
    findDefaultDataFolder(deps, true)
    writeFileSync(join(folder, 'packbench.db'), 'the journal of today')
    expect(lstatSync(old).isSymbolicLink()).toBe(true)
    expect(journal(old)).toBe('the journal of today')
  })

  it.each(['EBUSY', 'EPERM', 'EXDEV'])(
    'is the roaming folder with all its data as long as the system refuses to rename it (%s)',
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

  it('is the roaming folder when nothing may be moved', async () => {
    const { deps, old, journal } = await profile()
    expect(findDefaultDataFolder(deps, false)).toBe(old)
    expect(journal(old)).toBe('the journal')
  })

  it('contains the journal, and no other folder does, wherever a start is interrupted', async () => {
    for (const cutOffAt of [1, 2, 3, 4]) {
      const { deps, appData, local, folder, journal } = await profile()
      // Chromium, or a start that failed, left this in the new place.
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

  it('keeps its data when another start moves them at the same time', async () => {
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

  it('is the roaming folder while its share is offline, and also when it is back while renaming is refused', async () => {
    const { deps, appData, folder, journal, old, local } = await profile()
    const rename = () => {
      throw refusal('EXDEV')
    }
    // The share is offline before its data were ever seen, and again later.
    for (const starts of [0, 1]) {
      if (starts > 0) expect(findDefaultDataFolder({ ...deps, rename }, true)).toBe(old)
      renameSync(appData, `${appData}.offline`)
      expect(findDefaultDataFolder({ ...deps, rename }, true)).toBe(old)
      renameSync(`${appData}.offline`, appData)
      expect(findDefaultDataFolder({ ...deps, rename }, true)).toBe(old)
    }
    // A temporary profile, as Windows creates it when the usual one can't be reached.
    const other = join(local, 'Temporary')
    mkdirSync(other)
    expect(findDefaultDataFolder({ ...deps, appData: other }, true)).toBe(old)
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
    expect(journal(folder)).toBe('the journal')
    expect(readdirSync(local)).not.toContain('Packbench.data-folder')
  })

  it('is the roaming folder when the system can’t list it', async () => {
    const { deps, old } = await profile()
    rmSync(old, { recursive: true })
    // A file instead of a folder: a folder that can't be listed must not count as empty.
    writeFileSync(old, '')
    expect(findDefaultDataFolder(deps, true)).toBe(old)
  })

  it('receives the data although an earlier start created folders in it', async () => {
    const { deps, folder, journal } = await profile()
    mkdirSync(join(folder, 'labels'), { recursive: true })
    mkdirSync(join(folder, 'logs'))
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
    expect(journal(folder)).toBe('the journal')
  })

  it('is the local folder without data when the data were deleted after the move and the link remains', async () => {
    const { deps, folder } = await profile()
    findDefaultDataFolder(deps, true)
    rmSync(folder, { recursive: true })
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
  })

  it('is the local folder where there are no earlier data', async () => {
    const { deps, folder } = await profile('')
    expect(findDefaultDataFolder(deps, true)).toBe(folder)
  })
})
