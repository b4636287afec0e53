import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  createStationFileMark,
  readStationFile,
  type StationFileDeps,
  stationFilePath,
} from '../../../src/main/settings/stationFile'
import { temporaryFolder } from '../../support/temporaryFolder'
import { MemoryJsonFile } from './memoryJsonFile'

const text = '{"language":"nl"}'
/** Tests may run as an ordinary user: that user's files stand for those of root. */
const trustedOwner = process.getuid?.() ?? 0

/** Windows has no modes, by which Linux and macOS decide whether a file is trusted. */
const itByModes = it.runIf(process.platform !== 'win32')

/** A folder with the permissions that an administrator sets, with a station file. */
async function station(content = text) {
  const folder = join(await temporaryFolder(), 'packbench')
  mkdirSync(folder, { mode: 0o755 })
  const path = join(folder, 'station.json')
  writeFileSync(path, content, { mode: 0o644 })
  chmodSync(folder, 0o755)
  chmodSync(path, 0o644)
  const deps: StationFileDeps = { platform: 'linux', env: {}, path, trustedOwner }
  return { folder, path, deps }
}

describe('the place of the station file', () => {
  it('is a folder that only administrators can change, on each platform', () => {
    expect(stationFilePath({ platform: 'linux', env: {} })).toBe('/etc/packbench/station.json')
    expect(stationFilePath({ platform: 'darwin', env: {} })).toBe(
      '/Library/Managed Preferences/app.packbench.station.plist',
    )
    expect(stationFilePath({ platform: 'win32', env: {} })).toBe('C:\\ProgramData\\Packbench\\station.json')
    expect(stationFilePath({ platform: 'win32', env: { ProgramData: 'D:\\Data' } })).toBe(
      'D:\\Data\\Packbench\\station.json',
    )
  })
})

describe('reading the station file', () => {
  it('finds no file in a folder without one and in a missing folder', async () => {
    const { deps, folder } = await station()
    expect(await readStationFile({ ...deps, path: join(folder, 'other.json') })).toEqual({
      ok: true,
      value: undefined,
    })
    expect(await readStationFile({ ...deps, path: join(folder, 'none', 'station.json') })).toEqual({
      ok: true,
      value: undefined,
    })
  })

  itByModes(
    'returns the text of a file that only administrators can write, also through a link of theirs',
    async () => {
      const { deps, path, folder } = await station()
      expect(await readStationFile(deps)).toEqual({ ok: true, value: { path, text } })
      const link = join(folder, 'link.json')
      symlinkSync(path, link)
      expect(await readStationFile({ ...deps, path: link })).toEqual({
        ok: true,
        value: { path: link, text },
      })
    },
  )

  itByModes(
    'returns the text of a file in a folder that is a link to one that only administrators can write',
    async () => {
      const { deps, folder } = await station()
      const link = join(await temporaryFolder(), 'packbench')
      symlinkSync(folder, link)
      const path = join(link, 'station.json')
      expect(await readStationFile({ ...deps, path })).toEqual({ ok: true, value: { path, text } })
      chmodSync(folder, 0o757)
      expect(await readStationFile({ ...deps, path })).toMatchObject({
        ok: false,
        error: { kind: 'untrusted' },
      })
    },
  )

  itByModes.each([
    ['the file is writable by its group', 'station.json', 0o664],
    ['the file is writable by everyone', 'station.json', 0o646],
    ['the folder is writable by its group', '.', 0o775],
    ['the folder is writable by everyone', '.', 0o757],
  ])('refuses a file when others can change it: %s', async (_what, place, mode) => {
    const { deps, path, folder } = await station()
    chmodSync(join(folder, place), mode)
    expect(await readStationFile(deps)).toEqual({
      ok: false,
      error: { kind: 'untrusted', path, reason: expect.stringContaining(`(mode ${mode.toString(8)})`) },
    })
  })

  itByModes('refuses a file of another owner, and a link to a place that others can change', async () => {
    const { deps, path, folder } = await station()
    expect(await readStationFile({ ...deps, trustedOwner: trustedOwner + 1 })).toMatchObject({
      ok: false,
      error: { kind: 'untrusted', path },
    })
    const open = join(await temporaryFolder(), 'open')
    mkdirSync(open)
    writeFileSync(join(open, 'station.json'), text)
    chmodSync(open, 0o777)
    const link = join(folder, 'link.json')
    symlinkSync(join(open, 'station.json'), link)
    expect(await readStationFile({ ...deps, path: link })).toMatchObject({
      ok: false,
      error: { kind: 'untrusted', reason: expect.stringContaining('mode 777') },
    })
  })

  itByModes('reports a file that is too large, and a folder in its place, as unreadable', async () => {
    const { deps, folder } = await station('x'.repeat(1024 * 1024 + 1))
    expect(await readStationFile(deps)).toMatchObject({ ok: false, error: { kind: 'unreadable' } })
    mkdirSync(join(folder, 'folder.json'), { mode: 0o755 })
    expect(await readStationFile({ ...deps, path: join(folder, 'folder.json') })).toMatchObject({
      ok: false,
      error: { kind: 'unreadable' },
    })
  })

  it('checks owners and rights of file and folder on Windows, where everyone may create folders in ProgramData', async () => {
    const { deps, path, folder } = await station()
    const asked: string[] = []
    const secured = (toWords: (place: string) => string | undefined) => ({
      ...deps,
      platform: 'win32' as const,
      toWindowsSecurity: async (place: string) => {
        asked.push(place)
        return toWords(place)
      },
    })
    // The rights that an administrator's new folder and file in ProgramData inherit.
    const newFolder =
      'O:BAD:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIIOID;GA;;;CO)(A;OICIID;0x1200a9;;;BU)(A;CIID;DCLCRPCR;;;BU)'
    const newFile = 'O:BAD:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1200a9;;;BU)'
    const usual = (place: string) => (place === path ? newFile : newFolder)
    expect(await readStationFile(secured(usual))).toEqual({ ok: true, value: { path, text } })
    expect(asked).toEqual([folder, folder, path])
    const someone = 'S-1-5-21-1-2-3-1001'
    for (const toWords of [
      (place: string) => (place === path ? `O:${someone}D:(A;;FA;;;BA)` : newFolder),
      (place: string) => (place === folder ? `O:${someone}D:(A;;FA;;;BA)` : newFile),
      // A user created the folder, and an administrator became its owner later.
      (place: string) => (place === folder ? `${newFolder}(A;OICI;FA;;;${someone})` : newFile),
      (place: string) => (place === path ? `${newFile}(A;ID;0x1301bf;;;${someone})` : newFolder),
      () => undefined,
    ]) {
      expect(await readStationFile(secured(toWords))).toMatchObject({
        ok: false,
        error: { kind: 'untrusted' },
      })
    }
  })

  itByModes('reads the property list of a management server on macOS with plutil', async () => {
    const { deps, path } = await station('binary')
    const asked: unknown[] = []
    const read = await readStationFile({
      ...deps,
      platform: 'darwin',
      async run(program, parameters) {
        asked.push(program, parameters.at(-1))
        return { kind: 'success', output: text }
      },
    })
    expect(read).toEqual({ ok: true, value: { path, text } })
    expect(asked).toEqual(['/usr/bin/plutil', path])
    const failing = await readStationFile({
      ...deps,
      platform: 'darwin',
      run: async () => ({ kind: 'failure', words: 'not a list' }),
    })
    expect(failing).toMatchObject({ ok: false, error: { kind: 'unreadable', reason: 'not a list' } })
  })
})

describe('the mark of an applied station file', () => {
  const file = { path: '/etc/packbench/station.json', text }

  it('is valid for the same text, until the file changes or the settings are gone', () => {
    const settings = new MemoryJsonFile({ version: 1 })
    const mark = createStationFileMark(new MemoryJsonFile(), settings)
    expect(mark.isApplied(file)).toBe(false)
    mark.write(file, true)
    expect(mark.isApplied(file)).toBe(true)
    expect(mark.isApplied({ ...file, text: `${text}\n` })).toBe(false)
    settings.content = undefined
    expect(mark.isApplied(file)).toBe(false)
  })

  it('counts as missing when it can’t be read', () => {
    const damaged = new MemoryJsonFile()
    damaged.failure = new Error('not JSON')
    expect(createStationFileMark(damaged, new MemoryJsonFile({ version: 1 })).isApplied(file)).toBe(false)
  })
})
