import { createHash } from 'node:crypto'
import { accessSync, constants, existsSync } from 'node:fs'
import { chmod, copyFile, link, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { app, shell } from 'electron'
import { findComputerName } from '../lib/computerName'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { FindHold, UpdateMethod } from '../updates/updater'
import { findAppImage, noteHiddenStation } from './process'

interface UpdateMethodDeps {
  /** Starts the new version in place of this process. */
  relaunch: () => void
  log: Pick<Log, 'error'>
}

/**
 * Determines how this installation is updated. An AppImage replaces its own file; on Windows the installer runs and asks for
 * an administrator; Linux packages and macOS are updated from outside.
 * @param dataFolder distinguishes the stations of one computer
 */
export function findUpdateMethod(dataFolder: string, deps: UpdateMethodDeps): UpdateMethod {
  const { kind, replace } = findInstallation(dataFolder, deps)
  return {
    version: app.getVersion(),
    target: `${process.platform}-${process.arch}-${kind}`,
    station: createHash('sha256').update(`${findComputerName()}\n${dataFolder}`).digest('hex'),
    publicKey: findPublicKey(),
    replace,
  }
}

/** SECURITY: an installed app trusts only the key that it was built with, never one from its environment. */
function findPublicKey(): string {
  const builtIn = import.meta.env.MAIN_VITE_UPDATE_KEY ?? ''
  return app.isPackaged ? builtIn : (process.env.PACKBENCH_UPDATE_KEY ?? builtIn)
}

function findInstallation(
  dataFolder: string,
  deps: UpdateMethodDeps,
): { kind: string; replace: UpdateMethod['replace'] } {
  const appImage = findAppImage()
  if (appImage !== undefined) {
    return {
      kind: 'AppImage',
      replace: isReplaceable(appImage)
        ? (file, findHold) => replaceAppImage(file, appImage, findHold, deps)
        : null,
    }
  }
  if (process.platform === 'linux') {
    const isDebian = existsSync('/var/lib/dpkg/info/packbench.list')
    const isRpm = !isDebian && process.execPath.startsWith('/usr/')
    return { kind: isDebian ? 'deb' : isRpm ? 'rpm' : 'tar.gz', replace: null }
  }
  if (process.platform === 'win32') {
    // The installer would not replace an unpacked archive but install beside it.
    const isInstalled = existsSync(join(dirname(process.execPath), 'Uninstall.exe'))
    return isInstalled
      ? {
          kind: 'nsis',
          replace: (file, findHold) => runInstaller(file, findHold, { dataFolder, log: deps.log }),
        }
      : { kind: 'zip', replace: null }
  }
  return { kind: 'dmg', replace: null }
}

function isReplaceable(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK)
    return true
  } catch {
    return false
  }
}

/**
 * Replaces the old file by the new one atomically, so that there is an app at each moment. The old file stays beside it, for
 * a rollback.
 */
async function replaceAppImage(
  file: string,
  target: string,
  findHold: FindHold,
  { relaunch, log }: UpdateMethodDeps,
): ReturnType<FindHold> {
  const next = `${target}.next`
  const before = `${target}.before`
  const kept = `${before}.part`
  try {
    await copyFile(file, next)
    await chmod(next, (await stat(target)).mode & 0o777)
    const handle = await open(next, 'r')
    await handle.sync()
    await handle.close()
    await rm(kept, { force: true })
    // Some file systems, such as exFAT and that of many shares, have no hard links.
    await link(target, kept).catch(() => copyFile(target, kept))
    // Copying takes seconds, in which work may have begun.
    const hold = await findHold()
    if (hold !== null) return hold
    await rename(next, target)
    // Only now: an update that fails keeps the version before the old one.
    await rename(kept, before).catch((error: unknown) =>
      log.error('the replaced AppImage could not be kept; going back needs its package', {
        path: before,
        reason: toReason(error),
      }),
    )
  } finally {
    for (const part of [next, kept]) await rm(part, { force: true })
  }
  relaunch()
  return null
}

/** Shorter than the installer waits for the app to end (`MAX_WAITS` of installer.nsi). */
const maxHoldMs = 25_000
const holdCheckMs = 100

/**
 * Windows itself asks for an administrator; without one nothing is changed. The answer may take minutes, in which work may have begun: the
 * app ends once it is done. If it takes too long the app stays, and the installer says that it is running.
 */
async function runInstaller(
  file: string,
  findHold: FindHold,
  { dataFolder, log }: { dataFolder: string; log: Pick<Log, 'error'> },
): ReturnType<FindHold> {
  const refusal = await shell.openPath(file)
  if (refusal !== '') throw new Error(refusal)
  for (let waitedMs = 0; ; waitedMs += holdCheckMs) {
    const hold = await findHold()
    if (hold === null) break
    if (waitedMs >= maxHoldMs) return hold
    await new Promise((resolve) => setTimeout(resolve, holdCheckMs))
  }
  // The installer starts the new version without switches: without this, closing its window would end a hidden station.
  try {
    noteHiddenStation(dataFolder)
  } catch (error) {
    log.error('the hidden station is started as a window by the installer', { reason: toReason(error) })
  }
  app.quit()
  return null
}
