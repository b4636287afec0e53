import { execFileSync } from 'node:child_process'
import { chown, cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { appArguments, type Electron, electron } from './electron'

/** «nobody» and its group: the ordinary user that root starts the app as. */
const nobody = 65534
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--']

const isRoot = process.getuid?.() === 0

/** Why Chromium's sandbox can't be tested on this machine; undefined when it can. */
export function whyNotSandboxed(): string | undefined {
  if (process.platform !== 'linux') return 'the sandbox is looked at in /proc, which is Linux’s'
  const { binary } = electron()
  const [app = ''] = appArguments('')
  if (!succeeds('unshare', '--user', '--map-root-user', 'true')) {
    return 'this system lets an ordinary user make no sandbox'
  }
  if (!succeeds('test', '-x', binary) || !succeeds('test', '-r', join(app, 'package.json'))) {
    return 'an ordinary user can not read Electron or the app where they lie'
  }
  return undefined
}

/** Runs a program as the user that the app would run as. */
function succeeds(...command: string[]): boolean {
  const [program = '', ...args] = isRoot ? [...asNobody, ...command] : command
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/**
 * An Electron that an ordinary user starts, with Chromium's sandbox on. Root hands the folder to that user, so what the
 * app reads must lie in it already.
 * @returns how it is started, and the environment that it needs
 */
export async function sandboxedElectron(
  folder: string,
): Promise<{ started: Electron; env: Record<string, string> }> {
  const switches = electron().switches.filter((each) => each !== '--no-sandbox')
  if (!isRoot) return { started: { ...electron(), switches }, env: {} }
  const binary = join(folder, 'electron-as-nobody')
  await writeFile(binary, `#!/bin/sh\nexec ${asNobody.join(' ')} '${electron().binary}' "$@"\n`, {
    mode: 0o755,
  })
  const authority = join(folder, 'Xauthority')
  await cp(process.env.XAUTHORITY ?? join(homedir(), '.Xauthority'), authority).catch(() => undefined)
  const given = await readdir(folder, { recursive: true })
  await Promise.all(
    [folder, ...given.map((each) => join(folder, each))].map((each) => chown(each, nobody, nobody)),
  )
  return { started: { binary, switches }, env: { HOME: folder, XAUTHORITY: authority } }
}

/** What the kernel says of a process's sandbox. */
export interface Confinement {
  /** 2: system calls are filtered. */
  seccomp: string | undefined
  /** 1: no program that it starts gains rights. */
  noNewPrivileges: string | undefined
  /** Its id in each process namespace that it is in, from the outermost: several in the sandbox. */
  ids: string[]
  user: string | undefined
  commandLine: string[]
}

/** Reads how a process is confined. */
export async function getConfinement(pid: number): Promise<Confinement> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const field = (name: string) => new RegExp(`^${name}:\\s*(.*)$`, 'm').exec(status)?.[1]
  return {
    seccomp: field('Seccomp'),
    noNewPrivileges: field('NoNewPrivs'),
    ids: field('NSpid')?.split(/\s+/) ?? [],
    user: field('Uid')?.split(/\s+/)[0],
    commandLine: (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0'),
  }
}
