import type { SpawnOptions } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs'
import { link, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { app } from 'electron'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  acquireInstanceLock,
  exitCleanly,
  relaunchForLaterStart,
  relaunchProvisioned,
  relaunchUnprovisioned,
  takeWindowRequest,
  waitForPredecessor,
} from '../../../src/main/app/process'
import { startUp } from '../../../src/main/app/startUp'
import { findUpdateMethod } from '../../../src/main/app/updateMethod'
import { deferred } from '../../support/deferred'
import { plainJsonFile } from '../../support/plainJsonFile'
import { silentLog } from '../../support/silentLog'
import { temporaryFolder } from '../../support/temporaryFolder'

/** What the app started in its place, itself on Linux and by Electron elsewhere, each with what the environment of that moment holds. */
const { relaunches, noteRelaunch } = vi.hoisted(() => {
  const relaunches: (ReturnType<typeof describeStart> & { options?: SpawnOptions })[] = []
  const describeStart = (execPath: string | undefined, args: string[]) => ({
    ...{ execPath, args },
    password: process.env.STATION_PASSWORD,
    showWindow: process.env.PACKBENCH_SHOW_WINDOW,
    passed: process.env.PACKBENCH_PASSED,
    predecessor: process.env.PACKBENCH_PREDECESSOR,
  })
  return {
    relaunches,
    noteRelaunch: (execPath: string | undefined, args: string[], options?: SpawnOptions) =>
      relaunches.push({ ...describeStart(execPath, args), ...(options && { options }) }),
  }
})

vi.mock('electron', async () => {
  const { EventEmitter } = await import('node:events')
  return {
    app: Object.assign(new EventEmitter(), {
      isPackaged: true,
      getVersion: () => '0.0.0',
      requestSingleInstanceLock: vi.fn(() => true),
      setName: () => undefined,
      setPath: () => undefined,
      relaunch: (options: { args: string[]; execPath?: string }) =>
        noteRelaunch(options.execPath, options.args),
      quit: () => undefined,
      exit: vi.fn(),
    }),
    crashReporter: { start: () => undefined },
    powerMonitor: {},
    protocol: {},
    shell: {},
  }
})

vi.mock('node:child_process', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:child_process')>()),
  spawn: noteRelaunch,
}))

vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof import('node:fs/promises')>()
  return { ...original, link: vi.fn(original.link), rename: vi.fn(original.rename) }
})

// This module needs Electron's store.
vi.mock('../../../src/main/app/configFile', () => ({
  openConfigFile: (folder: string, name: string) => plainJsonFile(join(folder, `${name}.json`)),
}))

const { argv, execPath } = process

/** Gives this process the arguments of an app that was started with a provisioning file. */
async function startedWithProvision(): Promise<string> {
  const provision = join(await temporaryFolder(), 'station.json')
  await writeFile(provision, '{}')
  process.argv = ['packbench', '--hidden', `--provision=${provision}`, '--user-data-dir=/data']
  return provision
}

/** Makes this process one of an AppImage in a folder, with an update beside it. */
async function installedAppImage() {
  const folder = await temporaryFolder()
  const [installed, update] = [join(folder, 'Packbench.AppImage'), join(folder, 'update')]
  await writeFile(installed, 'old')
  await writeFile(update, 'new')
  vi.stubEnv('APPIMAGE', installed)
  vi.stubEnv('APPDIR', dirname(execPath))
  return { folder, installed, update }
}

beforeEach(() => void relaunches.splice(0))
afterEach(() => {
  process.argv = argv
  vi.unstubAllEnvs()
})

const secrets = { STATION_PASSWORD: 'correct horse' }
const updateDeps = { relaunch: () => relaunchProvisioned(secrets), log: silentLog }

describe('an app that starts itself again', () => {
  it('drops --provision once the file was applied, and passes the secrets of the station file on during the call', async () => {
    await startedWithProvision()
    relaunchProvisioned(secrets)
    expect(relaunches).toMatchObject([
      { execPath, args: ['--hidden', '--user-data-dir=/data'], password: 'correct horse' },
    ])
    expect(process.env.STATION_PASSWORD).toBeUndefined()
  })

  it('asks for a window after an update or a restore, since a person pressed a button in one, and keeps --hidden', async () => {
    await startedWithProvision()
    relaunchProvisioned({})
    expect(relaunches).toMatchObject([{ args: ['--hidden', '--user-data-dir=/data'], showWindow: '1' }])
    expect(takeWindowRequest()).toBe(false)
    vi.stubEnv('PACKBENCH_SHOW_WINDOW', '1')
    expect(takeWindowRequest()).toBe(true)
    expect(process.env.PACKBENCH_SHOW_WINDOW).toBeUndefined()
    relaunchUnprovisioned({})
    expect(relaunches[1]?.showWindow).toBeUndefined()
  })

  it.skipIf(process.platform !== 'linux')(
    'is started on Linux without what forbids it new rights, as a process of its own that inherits no open file',
    () => {
      // The first number is taken by what replaces the open files, the second by the list of them.
      const [first, gap, above] = [1, 2, 3].map(() => openSync('/dev/null', 'r'))
      if (first === undefined || gap === undefined || above === undefined) return
      closeSync(first)
      closeSync(gap)
      onTestFinished(() => closeSync(above))
      relaunchProvisioned({})
      const [{ options } = {}] = relaunches
      expect(options?.detached).toBe(true)
      const stdio = [...(options?.stdio ?? [])]
      const isOpen = (descriptor: number) => existsSync(`/proc/self/fd/${descriptor}`)
      const open = readdirSync('/proc/self/fd').map(Number).filter(isOpen)
      expect(stdio.length).toBeGreaterThanOrEqual(Math.max(...open))
      expect(new Set(stdio.filter((_, descriptor) => isOpen(descriptor))).size).toBe(1)
      // A number that is closed here stays free there.
      expect(stdio[gap]).toBe('ignore')
    },
  )

  it('asks for the lock only when the process that started it has ended', async () => {
    relaunchProvisioned({})
    const [asked] = relaunches
    expect(asked?.predecessor).toBe(String(process.pid))
    expect(process.env).not.toHaveProperty('PACKBENCH_PREDECESSOR')
    vi.stubEnv('PACKBENCH_PREDECESSOR', '4711')
    vi.stubEnv('PACKBENCH_PASSED', asked?.passed)
    const kill = vi.spyOn(process, 'kill').mockReturnValueOnce(true)
    onTestFinished(() => kill.mockRestore())
    kill.mockImplementation(() => {
      throw new Error('kill ESRCH')
    })
    const { requestSingleInstanceLock } = app
    vi.mocked(requestSingleInstanceLock).mockImplementationOnce(() => {
      expect(kill.mock.calls).toEqual([
        [4711, 0],
        [4711, 0],
      ])
      return false
    })
    const lockRequests = vi.mocked(requestSingleInstanceLock).mock.calls.length
    await startUp([`--user-data-dir=${await temporaryFolder()}`], () =>
      Promise.reject(new Error('another process has the lock')),
    )
    expect(requestSingleInstanceLock).toHaveBeenCalledTimes(lockRequests + 1)
    expect(process.env).not.toHaveProperty('PACKBENCH_PREDECESSOR')
  })

  it('waits half a minute at most, since its id may be another program’s by now, and not for what is no id', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    vi.stubEnv('PACKBENCH_PREDECESSOR', String(process.pid))
    const waited = vi.fn()
    const waiting = waitForPredecessor().then(waited)
    await vi.advanceTimersByTimeAsync(29_900)
    expect(waited).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(100)
    expect(waited).toHaveBeenCalled()
    await waiting
    for (const nobody of ['', '0', '-1', 'init', '99999999999', undefined]) {
      vi.stubEnv('PACKBENCH_PREDECESSOR', nobody)
      await waitForPredecessor()
    }
  })

  it.skipIf(process.platform !== 'linux')('drops --provision after an update of an AppImage', async () => {
    await startedWithProvision()
    const { folder, installed, update } = await installedAppImage()
    const { replace } = findUpdateMethod(folder, updateDeps)
    expect(await replace?.(update, async () => 'shipping')).toBe('shipping')
    expect([await readFile(installed, 'utf8'), relaunches]).toEqual(['old', []])
    expect(await replace?.(update, async () => null)).toBeNull()
    expect(await readFile(installed, 'utf8')).toBe('new')
    expect(relaunches).toMatchObject([
      { execPath: installed, args: ['--hidden', '--user-data-dir=/data'], password: 'correct horse' },
    ])
  })

  it.skipIf(process.platform !== 'linux')(
    'updates an AppImage on a file system without hard links, and keeps the old file also if that fails',
    async () => {
      const { folder, installed, update } = await installedAppImage()
      const { replace } = findUpdateMethod(folder, updateDeps)
      vi.mocked(link).mockRejectedValueOnce(new Error('EPERM: operation not permitted, link'))
      expect(await replace?.(update, async () => null)).toBeNull()
      expect(await readFile(installed, 'utf8')).toBe('new')
      expect(await readFile(`${installed}.before`, 'utf8')).toBe('old')
      await expect(replace?.(join(folder, 'missing'), async () => null)).rejects.toThrow('ENOENT')
      expect(await readFile(`${installed}.before`, 'utf8')).toBe('old')
      expect((await readdir(folder)).toSorted()).toEqual([
        'Packbench.AppImage',
        'Packbench.AppImage.before',
        'update',
      ])
    },
  )

  it.skipIf(process.platform !== 'linux')(
    'keeps the version before the old AppImage when an update fails, and starts a new one although the old one can not be kept',
    async () => {
      const { folder, installed, update } = await installedAppImage()
      await writeFile(`${installed}.before`, 'older')
      const log = { ...silentLog, error: vi.fn() }
      const { replace } = findUpdateMethod(folder, { ...updateDeps, log })
      const { rename: actualRename } =
        await vi.importActual<typeof import('node:fs/promises')>('node:fs/promises')
      const refuseRenameTo = (refused: string) =>
        vi.mocked(rename).mockImplementation(async (from, to) => {
          if (to === refused) throw new Error('EBUSY: resource busy or locked, rename')
          await actualRename(from, to)
        })
      onTestFinished(() => void vi.mocked(rename).mockImplementation(actualRename))
      refuseRenameTo(installed)
      await expect(replace?.(update, async () => null)).rejects.toThrow('EBUSY')
      expect(await readFile(installed, 'utf8')).toBe('old')
      expect(await readFile(`${installed}.before`, 'utf8')).toBe('older')
      expect([relaunches, log.error.mock.calls]).toEqual([[], []])
      refuseRenameTo(`${installed}.before`)
      expect(await replace?.(update, async () => null)).toBeNull()
      expect(await readFile(installed, 'utf8')).toBe('new')
      expect(relaunches).toHaveLength(1)
      expect(log.error).toHaveBeenCalledExactlyOnceWith(expect.any(String), {
        path: `${installed}.before`,
        reason: expect.stringContaining('EBUSY'),
      })
    },
  )

  it.skipIf(process.platform !== 'linux')(
    'starts an AppImage by its own file, because its mount disappears with the process',
    async () => {
      await startedWithProvision()
      // The folder of temporary files may be a link.
      const mount = join(await temporaryFolder(), 'mount')
      await symlink(dirname(execPath), mount)
      vi.stubEnv('APPIMAGE', '/opt/Packbench.AppImage')
      vi.stubEnv('APPDIR', mount)
      relaunchProvisioned({})
      relaunchUnprovisioned(secrets)
      expect(relaunches.map((each) => each.execPath)).toEqual([
        '/opt/Packbench.AppImage',
        '/opt/Packbench.AppImage',
      ])
    },
  )

  it.skipIf(process.platform !== 'linux')(
    'neither starts nor updates the AppImage of another program that started it',
    async () => {
      await startedWithProvision()
      const folder = await temporaryFolder()
      vi.stubEnv('APPIMAGE', join(folder, 'Other.AppImage'))
      for (const mount of [folder, join(folder, 'ended')]) {
        vi.stubEnv('APPDIR', mount)
        relaunchProvisioned({})
      }
      expect(relaunches.map((each) => each.execPath)).toEqual([execPath, execPath])
      expect(findUpdateMethod(folder, updateDeps)).toMatchObject({
        target: expect.not.stringContaining('AppImage'),
        replace: null,
      })
    },
  )

  it('starts again for a start that arrives while it ends, with the provisioning file and secrets of that start', async () => {
    await startedWithProvision()
    const [stopped, later] = [deferred<undefined>(), vi.fn()]
    onTestFinished(() => void app.removeAllListeners())
    acquireInstanceLock(app, { provision: null, environment: {}, hidden: true }, later)
    const end = exitCleanly(
      app,
      () => stopped.promise,
      (handover) => relaunchForLaterStart(handover, { STATION_USER: 'jan' }),
    )
    onTestFinished(() => {
      for (const signal of ['SIGTERM', 'SIGINT']) process.removeListener(signal, end)
    })
    const handover = { provision: '/new.json', environment: secrets, hidden: false }
    app.emit('second-instance', {}, [], '/', handover)
    expect(later).toHaveBeenCalledExactlyOnceWith(handover)
    end()
    app.emit('second-instance', {}, [], '/', handover)
    app.emit('second-instance', {}, [], '/', { provision: null, environment: {}, hidden: true })
    expect(later).toHaveBeenCalledTimes(1)
    expect(relaunches).toMatchObject([
      { execPath, args: ['--user-data-dir=/data', '--provision=/new.json'], password: 'correct horse' },
      { execPath, args: ['--user-data-dir=/data', '--hidden'], password: undefined },
    ])
    expect(process.env.STATION_PASSWORD).toBeUndefined()
    stopped.resolve(undefined)
  })

  it('passes a file that is still to be applied on, with its secrets in the environment only during the call', async () => {
    const provision = await startedWithProvision()
    relaunchUnprovisioned(secrets)
    expect(relaunches).toMatchObject([
      {
        ...{ execPath, args: ['--hidden', `--provision=${provision}`, '--user-data-dir=/data'] },
        password: 'correct horse',
      },
    ])
    expect(process.env.STATION_PASSWORD).toBeUndefined()
  })

  it.each([
    [
      'later start',
      (path: string) => relaunchForLaterStart({ provision: path, environment: secrets, hidden: false }, {}),
    ],
    ['start on a data folder that could not be used', () => relaunchUnprovisioned(secrets)],
  ])(
    'starts again for a %s whose provisioning file is deleted meanwhile, without keeping its secrets',
    async (_, startAgain) => {
      const folder = await temporaryFolder()
      const provision = join(folder, 'missing.json')
      process.argv = ['packbench', `--provision=${provision}`, `--user-data-dir=${folder}`]
      startAgain(provision)
      const [asked] = relaunches
      vi.stubEnv('STATION_PASSWORD', asked?.password)
      vi.stubEnv('PACKBENCH_PASSED', asked?.passed)
      vi.mocked(app.requestSingleInstanceLock).mockReturnValueOnce(false)
      await startUp(asked?.args ?? [], () => Promise.reject(new Error('another process has the lock')))
      const handover = { provision, environment: {}, hidden: false }
      expect(app.requestSingleInstanceLock).toHaveBeenLastCalledWith(handover)
      expect(app.exit).toHaveBeenLastCalledWith(0)
      expect(process.env).not.toHaveProperty('STATION_PASSWORD')
      expect(process.env).not.toHaveProperty('PACKBENCH_PASSED')
      await startUp(asked?.args ?? [], () => Promise.reject(new Error('its file is missing')))
      expect(app.exit).toHaveBeenLastCalledWith(2)
    },
  )
})
