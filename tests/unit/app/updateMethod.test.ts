import { app, shell } from 'electron'
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { takeHiddenNote } from '../../../src/main/app/process'
import { findUpdateMethod } from '../../../src/main/app/updateMethod'
import type { UpdateHold } from '../../../src/shared/updates'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

vi.mock('electron', () => ({
  app: { getVersion: () => '1.0.0', isPackaged: true, quit: vi.fn() },
  shell: { openPath: vi.fn(async () => '') },
}))
vi.mock('node:fs', async (original) => ({ ...(await original<object>()), existsSync: () => true }))

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(process, 'platform', 'get').mockReturnValue('win32')
  vi.mocked(app.quit).mockClear()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Installs an update on Windows, where `holds` lists the answers to whether work is open; the last one stays. */
function install(holds: (UpdateHold | null)[], dataFolder = '/data') {
  const { replace } = findUpdateMethod(dataFolder, { relaunch: vi.fn(), log: silentLog })
  if (replace === null) throw new Error('this installation is not updated by the app')
  return replace('C:\\update.exe', async () => (holds.length > 1 ? holds.shift() : holds[0]) ?? null)
}

it('the update of Windows ends the app only once the work that began before the consent is done', async () => {
  const installed = install(['shipping', 'shipping', null])
  await vi.advanceTimersByTimeAsync(100)
  expect(shell.openPath).toHaveBeenCalledWith('C:\\update.exe')
  expect(app.quit).not.toHaveBeenCalled()
  await vi.advanceTimersByTimeAsync(100)
  expect(await installed).toBeNull()
  expect(app.quit).toHaveBeenCalledTimes(1)
})

it('the update of Windows leaves the app open when its work takes longer than the installer waits', async () => {
  const installed = install(['batch'])
  await vi.advanceTimersByTimeAsync(30_000)
  expect(await installed).toBe('batch')
  expect(app.quit).not.toHaveBeenCalled()
})

it.each([
  [true, ['packbench', '--hidden']],
  [false, ['packbench']],
])(
  'a station is as hidden after the update of Windows (%s) as before, although the installer starts it without switches',
  async (isHidden, argv) => {
    const before = process.argv
    onTestFinished(() => {
      process.argv = before
    })
    const dataFolder = await temporaryFolder()
    process.argv = argv
    const installed = install([null], dataFolder)
    expect(await installed).toBeNull()
    process.argv = ['packbench']
    expect(takeHiddenNote(dataFolder)).toBe(isHidden)
    expect(process.argv).toEqual(argv)
    expect(takeHiddenNote(dataFolder)).toBe(false)
  },
)
