import { execFileSync } from 'node:child_process'
import { chown, cp, readdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { appArguments, type Electron, electron } from './electron'

/** The id of the user and group «nobody»; root starts the app as this ordinary user. */
const nobody = 65534
const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups', '--']

const isRoot = process.getuid?.() === 0

/** The reason why Chromium's sandbox can't be tested on this machine; undefined when it can. */
export function whyNotSandboxed(): string | undefined {
  if (process.platform !== 'linux') return 'the sandbox is checked in /proc, which only Linux has'
  const { binary } = electron()
  const [app = ''] = appArguments('')
  if (!succeeds('unshare', '--user', '--map-root-user', 'true')) {
    return 'this system does not allow an ordinary user to create a sandbox'
  }
  if (!succeeds('test', '-x', binary) || !succeeds('test', '-r', join(app, 'package.json'))) {
    return 'an ordinary user can’t read Electron or the app in their folders'
  }
  return undefined
}

/** Whether a program, run as the app's user, exits with 0. */
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
 * An Electron that an ordinary user starts, with Chromium's sandbox enabled. Root gives the folder to that user, so all files
 * that the app reads must be in it already.
 * @returns the command that starts it, and the environment that it needs
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

/** A process's sandbox as the kernel reports it. */
export interface Confinement {
  /** 2: system calls are filtered. */
  seccomp: string | undefined
  /** 1: programs that it starts can't gain privileges. */
  noNewPrivileges: string | undefined
  /** Its id in each of its process namespaces, outermost first; a sandboxed process has several. */
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
