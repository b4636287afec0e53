// `node build/wineRoot.mjs DIR [MIRROR]`, as root: installs a small Debian with 32-bit Wine in a new folder, for `npm run test:wine`.
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { repoDir } from './paths.mjs'
import { lastLine, run } from './processes.mjs'
import { done, failed, say } from './report.mjs'
import { runUnderWine } from './wineCommand.mjs'

const usualMirror = 'http://deb.debian.org/debian'
const packages = ['wine', 'wine32', 'libcups2', 'fonts-liberation']
/** A Node for 32-bit Windows, which runs pdf-to-printer as Windows does. */
const windowsNode = 'node-win-x86@22.23.2'
const limitMs = 30 * 60_000

process.exitCode = await main(process.argv.slice(2))

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} the exit code
 */
async function main([folder, mirror = usualMirror]) {
  if (folder === undefined) return refuse('Name a new folder: sudo node build/wineRoot.mjs DIR [MIRROR]')
  const made = await makeRoot(resolve(folder), mirror)
  if (!made.ok) return refuse(made.reason)
  say(`Made ${made.value}. Now: sudo env PACKBENCH_WINE_ROOT=${made.value} npm run test:wine`)
  return 0
}

/**
 * @param {string} reason
 * @returns {number}
 */
function refuse(reason) {
  say(reason)
  return 1
}

/**
 * @param {string} root
 * @param {string} mirror
 * @returns {Promise<import('./report.mjs').Outcome<string>>} the root
 */
async function makeRoot(root, mirror) {
  if (process.getuid?.() !== 0) return failed('Only root can install the Debian for Wine: use sudo.')
  if ((await run('debootstrap', ['--version'])).code === 127) {
    return failed('debootstrap is missing: apt-get install debootstrap.')
  }
  const there = await readdir(root).catch(() => [])
  if (there.length > 0) return failed(`${root} is not empty: name a new folder.`)
  say(`Installing Debian 12 (i386) with ${packages.join(', ')} into ${root}: about 1.7 GB, some minutes.`)
  const parameters = ['--arch=i386', '--variant=minbase', `--include=${packages.join(',')}`]
  const made = await run('debootstrap', [...parameters, 'bookworm', root, mirror], { limitMs })
  if (made.code !== 0) return failed(`debootstrap failed: ${lastLine(made.output)}`)
  const node = await installNode(root)
  if (!node.ok) return node
  const programs = join(root, 'opt', 'packbench', 'node_modules', 'pdf-to-printer')
  await mkdir(programs, { recursive: true })
  const copied = await run('cp', ['-r', `${join(repoDir, 'node_modules', 'pdf-to-printer')}/.`, programs])
  if (copied.code !== 0) return failed(copied.output)
  for (const command of [
    ['wineboot', '--init'],
    ['winecfg', '-v', 'win10'],
  ]) {
    const { code, output } = await runUnderWine(root, command, { limitMs })
    if (code !== 0) return failed(`${command.join(' ')} failed: ${lastLine(output)}`)
  }
  return done(root)
}

/**
 * @param {string} root
 * @returns {Promise<import('./report.mjs').Outcome<undefined>>}
 */
async function installNode(root) {
  const folder = await mkdtemp(join(tmpdir(), 'packbench-node-'))
  try {
    const packed = await run('npm', ['pack', '--silent', '--pack-destination', folder, windowsNode])
    const [archive] = await readdir(folder)
    if (packed.code !== 0 || archive === undefined)
      return failed(`npm pack ${windowsNode}: ${lastLine(packed.output)}`)
    const unpacked = await run('tar', ['-xzf', join(folder, archive), '-C', folder])
    if (unpacked.code !== 0) return failed(unpacked.output)
    await mkdir(join(root, 'opt', 'packbench'), { recursive: true })
    await copyFile(join(folder, 'package', 'bin', 'node.exe'), join(root, 'opt', 'packbench', 'node.exe'))
    return done(undefined)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
