import { readFile } from 'node:fs/promises'
import { hasDisplay } from './display.mjs'
import { withLock } from './lock.mjs'
import { lastLine, run } from './processes.mjs'
import { done, failed, say } from './report.mjs'

/** What Electron needs beyond a server installation, by package names of Debian 12. */
const electronPackages = [
  'libgtk-3-0',
  'libnss3',
  'libasound2',
  'libgbm1',
  'libdrm2',
  'libcups2',
  'libatspi2.0-0',
  'libxkbcommon0',
]

/** A virtual display. */
const displayPackages = ['xvfb']

/** For a private print server: all of CUPS, because its smaller packages lack the backend for raw network printers. */
const printServerPackages = ['cups', 'cups-client']

/** The database that several stations share; the tests run private clusters. */
const databasePackages = ['postgresql']

/** For security tests: strace watches the network, gnome-keyring provides a keyring on a private D-Bus. */
const securityTestPackages = ['strace', 'dbus', 'gnome-keyring', 'libsecret-1-0']

/** For building packages of other systems, and for the tests that inspect them. */
const packagingPackages = ['rpm', 'nsis', 'p7zip-full']

const installLimitMs = 20 * 60_000

/**
 * Ensures that the system has what Electron, a missing display and the tests (a private print server, PostgreSQL, strace, a keyring) need.
 * On Debian and its derivatives it installs missing packages where that needs no password, else it names the command.
 * On other Linux systems it lists what is needed; other platforms need nothing.
 * @param {{ env: NodeJS.ProcessEnv, forTests: boolean }} options
 * @returns {Promise<import('./report.mjs').Outcome<undefined>>}
 */
export async function prepareSystem({ env, forTests }) {
  if (process.platform !== 'linux') return done(undefined)
  const wanted = [
    ...electronPackages,
    ...(hasDisplay(process.platform, env) ? [] : displayPackages),
    ...(forTests
      ? [...printServerPackages, ...databasePackages, ...securityTestPackages, ...packagingPackages]
      : []),
  ]
  if (!(await isDebianLike())) {
    say(`This is not Debian or Ubuntu: install the equivalents of these packages: ${wanted.join(', ')}.`)
    return done(undefined)
  }
  if ((await missing(wanted)).length === 0) return done(undefined)
  return withLock('system-packages', async () => {
    const lacking = await missing(wanted)
    return lacking.length === 0 ? done(undefined) : install(lacking)
  })
}

/**
 * The command that a person runs to install the packages.
 * @param {readonly string[]} names
 * @returns {string}
 */
export function installCommand(names) {
  return `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names.join(' ')}`
}

/** @returns {Promise<boolean>} */
async function isDebianLike() {
  const release = await readFile('/etc/os-release', 'utf8').catch(() => '')
  return /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(release)
}

/**
 * @param {readonly string[]} wanted
 * @returns {Promise<string[]>}
 */
async function missing(wanted) {
  // dpkg-query exits with 1 when a name is unknown, but its list is still correct.
  return listMissing(wanted, (await run('dpkg-query', ['--list', ...wanted.flatMap(toNames)])).stdout)
}

/**
 * @param {readonly string[]} lacking
 * @returns {Promise<import('./report.mjs').Outcome<undefined>>}
 */
async function install(lacking) {
  const prefix = await rootPrefix()
  if (!prefix) {
    const command = installCommand(await apparentNames(lacking))
    return failed(
      `System packages are missing, and installing them needs root. Run this first:\n  ${command}`,
    )
  }
  say(`Installing missing system packages with apt-get: ${lacking.join(' ')}`)
  if (lacking.includes('cups')) {
    say('  systemd starts the print server that comes with them; the tests use a private one.')
  }
  if (lacking.includes('postgresql')) {
    say('  Its installation creates a database cluster and starts it; the tests use private clusters.')
  }
  const updated = await asRoot(prefix, 'apt-get update -q')
  if (updated.code !== 0) say(`apt-get update: ${lastLine(updated.output)}`)
  const names = await apparentNames(lacking)
  const installed = await asRoot(prefix, `apt-get install -y -q --no-install-recommends ${names.join(' ')}`)
  if (installed.code === 0) return done(undefined)
  return failed(
    `System packages could not be installed (${lastLine(installed.output)}). Run this and see:\n  ${installCommand(names)}`,
  )
}

/**
 * The names of the packages in this system's package lists.
 * @param {readonly string[]} lacking
 * @returns {Promise<string[]>}
 */
async function apparentNames(lacking) {
  const { stdout } = await run('apt-cache', ['policy', ...lacking.flatMap(toNames)], {
    env: { ...process.env, LC_ALL: 'C' },
  })
  return installableNames(lacking, stdout)
}

/** @returns {Promise<string[] | undefined>} the prefix that runs a command as root without a password; undefined when there is none */
async function rootPrefix() {
  if (process.getuid?.() === 0) return []
  const { code } = await run('sudo', ['-n', 'true'])
  return code === 0 ? ['sudo', '-n'] : undefined
}

/**
 * @param {readonly string[]} prefix
 * @param {string} script
 */
function asRoot(prefix, script) {
  const command = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'LC_ALL=C', 'sh', '-c', script]
  return run(command[0] ?? 'env', command.slice(1), {
    limitMs: installLimitMs,
    onOutput: (text) => {
      for (const [line] of text.matchAll(/^(Need to get|Fetched) .*$/gm)) say(`  ${line}`)
    },
  })
}

/**
 * The possible names of a package: Debian 13 and Ubuntu 24.04 renamed libraries for the 64-bit time_t.
 * @param {string} name
 * @returns {string[]}
 */
function toNames(name) {
  return name.startsWith('lib') ? [`${name}t64`, name] : [name]
}

/**
 * Lists the packages that are not installed under any of their names.
 * @param {readonly string[]} wanted
 * @param {string} list what `dpkg-query --list` printed for all names: the second letter of a line is the state
 * @returns {string[]}
 */
export function listMissing(wanted, list) {
  const installed = new Set([...list.matchAll(/^[a-z]i\s+([^\s:]+)/gm)].map(([, name]) => name))
  return wanted.filter((name) => !toNames(name).some((candidate) => installed.has(candidate)))
}

/**
 * The names to install: the new name where the package lists have it.
 * @param {readonly string[]} missing
 * @param {string} policy what `apt-cache policy` printed for all names
 * @returns {string[]}
 */
export function installableNames(missing, policy) {
  const offered = new Set(
    [...policy.matchAll(/^(\S+):\n(?:[ \t]+.*\n)*?[ \t]+Candidate: (\S+)/gm)].flatMap(
      ([, name, candidate]) => (name && candidate !== '(none)' ? [name] : []),
    ),
  )
  return missing.map((name) => toNames(name).find((candidate) => offered.has(candidate)) ?? name)
}
