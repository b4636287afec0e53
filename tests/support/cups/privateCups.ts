import type { ChildProcess } from 'node:child_process'
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../loopback'

const run = promisify(execFile)
const cupsd = '/usr/sbin/cupsd'
const lpadmin = '/usr/sbin/lpadmin'
const maxWaitMs = 20_000

/** A private CUPS server for tests, with its own port, folders and queues; the machine's CUPS is not touched. */
export interface PrivateCups {
  /** `127.0.0.1:PORT`, the value of CUPS_SERVER. */
  server: string
  /** The path of the server's UNIX socket, also a value of CUPS_SERVER. */
  socketPath: string
  /** The environment for programs, or an app, that should use this server. */
  env: { CUPS_SERVER: string }
  /** Adds a queue for a driverless printer and waits until it can print. */
  addQueue(name: string, uri: string, description?: string): Promise<void>
  /** Adds a queue that passes bytes on unchanged. */
  addRawQueue(name: string, uri: string): Promise<void>
  /** Adds a queue with a label printer driver of CUPS, such as `zebra.ppd`. */
  addDriverQueue(name: string, uri: string, driver: string): Promise<void>
  /** Runs a program of CUPS against this server; returns its standard output. */
  run(program: string, ...parameters: string[]): Promise<string>
  /** Makes an empty folder that is deleted with the server. */
  folder(name: string): Promise<string>
  /** The server's error log, to diagnose a failing test. */
  log(): Promise<string>
  close(): Promise<void>
}

/** Whether this machine has CUPS. */
export function hasCups(): boolean {
  return existsSync(cupsd) && existsSync(lpadmin)
}

/** Differences of a private CUPS from the usual one. */
export interface PrivateCupsOptions {
  /** It forgets a job as soon as it ends. */
  forgetsJobs?: boolean
  /** It refuses every subscription. */
  refusesSubscriptions?: boolean
  /** It recognises PostScript by content, whatever the job's name. Wine names jobs after the printed file, such as `label.pdf`. */
  knowsPostScript?: boolean
}

/** Starts a private CUPS on a free loopback port, as root or as an ordinary user. */
export async function startPrivateCups(options: PrivateCupsOptions = {}): Promise<PrivateCups> {
  const folder = await mkdtemp(join(tmpdir(), 'packbench-cups-'))
  const port = await freePort()
  const server = `127.0.0.1:${port}`
  const socketPath = join(folder, 'cups.sock')
  await writeConfiguration(folder, daemonConfiguration(port, socketPath, options))
  if (options.knowsPostScript === true) {
    const types = join(folder, 'etc', 'own.types')
    await writeFile(types, 'application/postscript priority(250) string(0,%!)\n')
  }
  const daemon = spawn(cupsd, ['-f', '-c', join(folder, 'cupsd.conf'), '-s', join(folder, 'files.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let complaint = ''
  daemon.stderr?.on('data', (text: Buffer) => {
    complaint += text.toString()
  })
  const log = () => readFile(join(folder, 'log', 'error_log'), 'utf8').catch(() => '')
  const env = { CUPS_SERVER: server }
  const runWith = async (program: string, ...parameters: string[]): Promise<string> => {
    const ended = await run(program, parameters, { env: { ...process.env, ...env, LC_ALL: 'C' } })
    return ended.stdout
  }

  const cups: PrivateCups = {
    server,
    socketPath,
    env,
    async addQueue(name, uri, description = name) {
      await runWith(lpadmin, '-p', name, '-E', '-v', uri, '-D', description, '-m', 'everywhere')
      // lpadmin returns before the queue's PPD is written, and also when it will never be written.
      const ppd = join(folder, 'etc', 'ppd', `${name}.ppd`)
      await until(async () => (await stat(ppd).catch(() => undefined)) !== undefined, `no PPD for ${name}`)
    },
    async addRawQueue(name, uri) {
      await runWith(lpadmin, '-p', name, '-E', '-v', uri, '-m', 'raw')
    },
    async addDriverQueue(name, uri, driver) {
      await runWith(lpadmin, '-p', name, '-E', '-v', uri, '-m', `drv:///sample.drv/${driver}`)
    },
    run: runWith,
    async folder(name) {
      const made = join(folder, name)
      await mkdir(made)
      return made
    },
    log,
    async close() {
      await stop(daemon)
      await rm(folder, { recursive: true, force: true })
    },
  }
  try {
    await until(async () => {
      if (daemon.exitCode !== null) throw new Error(`cupsd ended: ${complaint}`)
      return (await runWith('/usr/bin/lpstat', '-r').catch(() => '')).includes('is running')
    }, 'cupsd does not answer')
    return cups
  } catch (error) {
    await cups.close()
    throw error
  }
}

async function writeConfiguration(folder: string, daemon: string): Promise<void> {
  // As root, CUPS runs its filters as the user lp, who needs access to these folders.
  await chmod(folder, 0o755)
  for (const name of ['etc', 'etc/ppd', 'cache', 'spool', 'spool/tmp', 'state', 'log']) {
    await mkdir(join(folder, name), { recursive: true })
  }
  const isRoot = userInfo().uid === 0
  if (isRoot) await run('chown', ['-R', 'lp:lp', folder])
  await writeFile(join(folder, 'cupsd.conf'), daemon)
  await writeFile(join(folder, 'files.conf'), filesConfiguration(folder, isRoot ? 'lp' : undefined))
}

/** Every client of the loopback port has all permissions, because only the test uses this server. */
function daemonConfiguration(
  port: number,
  socketPath: string,
  { forgetsJobs = false, refusesSubscriptions = false }: PrivateCupsOptions,
): string {
  return `Listen 127.0.0.1:${port}
Listen ${socketPath}
LogLevel debug
Browsing Off
WebInterface No
DefaultAuthType None
PreserveJobHistory ${forgetsJobs ? 'No' : 'Yes'}
ErrorPolicy stop-printer
<Location />
  Order allow,deny
  Allow localhost
</Location>
<Policy default>${
    refusesSubscriptions
      ? `
  <Limit Create-Printer-Subscription>
    AuthType Basic
    Require user nobody
  </Limit>`
      : ''
  }
  <Limit All>
    Order allow,deny
    Allow localhost
  </Limit>
</Policy>
`
}

function filesConfiguration(folder: string, account: string | undefined): string {
  const lines = [
    `ServerRoot ${folder}/etc`,
    `CacheDir ${folder}/cache`,
    `RequestRoot ${folder}/spool`,
    `TempDir ${folder}/spool/tmp`,
    `StateDir ${folder}/state`,
    `AccessLog ${folder}/log/access_log`,
    `ErrorLog ${folder}/log/error_log`,
    `PageLog ${folder}/log/page_log`,
    'FileDevice Yes',
    'Sandboxing Relaxed',
  ]
  if (account === undefined) lines.push(`User ${userInfo().username}`)
  else lines.push(`User ${account}`, `Group ${account}`, 'SystemGroup root')
  return `${lines.join('\n')}\n`
}

async function stop(daemon: ChildProcess): Promise<void> {
  if (daemon.exitCode !== null || daemon.signalCode !== null) return
  const ended = new Promise((resolve) => daemon.once('exit', resolve))
  daemon.kill('SIGTERM')
  await ended
}

async function until(condition: () => Promise<boolean>, otherwise: string): Promise<void> {
  const end = Date.now() + maxWaitMs
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(otherwise)
    await pause(20)
  }
}
