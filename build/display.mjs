import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { done, failed, words } from './report.mjs'

/** How long Xvfb may take to be ready, in milliseconds. */
const readyLimitMs = 15_000

/**
 * A display that programs can draw on; `stop` ends it if it was started here.
 * @typedef {{ env: NodeJS.ProcessEnv, stop: () => Promise<void> }} Display
 */

/**
 * Whether a display is available already.
 * @param {NodeJS.Platform} platform
 * @param {NodeJS.ProcessEnv} env
 * @returns {boolean}
 */
export function hasDisplay(platform, env) {
  return platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY)
}

/**
 * Returns the display of the environment, or starts a private one.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./report.mjs').Outcome<Display>>} the environment for programs that draw
 */
export async function display(env) {
  return hasDisplay(process.platform, env)
    ? done({ env, stop: async () => undefined })
    : startPrivateDisplay(env)
}

/**
 * Starts a private Xvfb of 1280x800 that accepts only clients with its cookie.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./report.mjs').Outcome<Display>>} the environment for programs that draw
 */
export async function startPrivateDisplay(env) {
  const folder = await mkdtemp(join(tmpdir(), 'packbench-display-'))
  const authority = join(folder, 'Xauthority')
  await writeFile(authority, toXauthorityFile(randomBytes(16)), { mode: 0o600 })
  const args = [
    '-displayfd',
    '3',
    '-screen',
    '0',
    '1280x800x24',
    '-nolisten',
    'tcp',
    '-noreset',
    '-auth',
    authority,
  ]
  const server = spawn('Xvfb', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  const killWithUs = () => void server.kill()
  process.on('exit', killWithUs)
  const stop = async () => {
    process.off('exit', killWithUs)
    if (server.exitCode === null && server.signalCode === null && server.kill()) {
      await new Promise((resolve) => server.once('exit', resolve))
    }
    await rm(folder, { recursive: true, force: true })
  }
  const number = await readDisplayNumber(server)
  if (number.ok) return done({ env: { ...env, DISPLAY: `:${number.value}`, XAUTHORITY: authority }, stop })
  await stop()
  return number
}

/**
 * The content of an Xauthority file with one cookie for any display.
 * @param {Buffer} cookie 16 random bytes
 * @returns {Buffer}
 */
export function toXauthorityFile(cookie) {
  const anyAddress = Buffer.from([0xff, 0xff])
  const fields = [Buffer.alloc(0), Buffer.alloc(0), Buffer.from('MIT-MAGIC-COOKIE-1'), cookie]
  return Buffer.concat([
    anyAddress,
    ...fields.flatMap((field) => [Buffer.from([field.length >> 8, field.length & 0xff]), field]),
  ])
}

/**
 * @param {import('node:child_process').ChildProcess} server writes its number to its descriptor 3 when it is ready
 * @returns {Promise<import('./report.mjs').Outcome<string>>}
 */
function readDisplayNumber(server) {
  return new Promise((resolve) => {
    let number = ''
    let said = ''
    const timer = setTimeout(() => resolve(failed('Xvfb was not ready in time.')), readyLimitMs)
    const finish = (/** @type {import('./report.mjs').Outcome<string>} */ outcome) => {
      clearTimeout(timer)
      resolve(outcome)
    }
    server.stderr?.setEncoding('utf8').on('data', (/** @type {string} */ text) => {
      said += text
    })
    const ready = server.stdio[3]
    ready?.on('data', (/** @type {Buffer} */ bytes) => {
      number += bytes.toString('utf8')
      if (number.endsWith('\n')) finish(done(number.trim()))
    })
    server.once('error', (error) => finish(failed(`Xvfb could not be started: ${words(error)}.`)))
    server.once('exit', () => finish(failed(`Xvfb exited at once: ${said.trim() || 'it gave no reason'}.`)))
  })
}
