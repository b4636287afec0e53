import { readFile } from 'node:fs/promises'
import {
  databasePackages,
  displayPackages,
  electronPackages,
  installableNames,
  listMissing,
  packagingPackages,
  printServerPackages,
  securityTestPackages,
  toNames,
} from './debianPackages.mjs'
import { hasDisplay } from './display.mjs'
import { withLock } from './lock.mjs'
import { run } from './processes.mjs'
import { done, failed, say } from './report.mjs'

const installLimitMs = 20 * 60_000

/**
 * Sees to it that the system has what Electron, a missing display and the tests (a private print server, PostgreSQL, strace, a keyring) need.
 * Debian and its children: installs what is missing where that can be done without asking, else names the command.
 * Other Linux systems are told what is needed; other platforms need nothing.
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
    say(`This is not Debian or Ubuntu: what ${wanted.join(', ')} hold there must be installed.`)
    return done(undefined)
  }
  if ((await missing(wanted)).length === 0) return done(undefined)
  return withLock('system-packages', async () => {
    const lacking = await missing(wanted)
    return lacking.length === 0 ? done(undefined) : install(lacking)
  })
}

/**
 * The one command that installs packages by hand.
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
  // It ends with 1 when it does not know one of the names; what it lists is right all the same.
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
    say(
      '  Where systemd runs it starts the print server that comes with them; the tests use one of their own.',
    )
  }
  if (lacking.includes('postgresql')) {
    say('  Its installation makes a database cluster and starts it; the tests use clusters of their own.')
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
 * The names by which this system's package lists know the packages.
 * @param {readonly string[]} lacking
 * @returns {Promise<string[]>}
 */
async function apparentNames(lacking) {
  const { stdout } = await run('apt-cache', ['policy', ...lacking.flatMap(toNames)], {
    env: { ...process.env, LC_ALL: 'C' },
  })
  return installableNames(lacking, stdout)
}

/** @returns {Promise<string[] | undefined>} what to put before a command to run it as root without being asked */
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
 * @param {string} output
 * @returns {string}
 */
function lastLine(output) {
  return output.trim().split('\n').at(-1) ?? ''
}
