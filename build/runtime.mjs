import { dirname, join } from 'node:path'
import {
  hasClosedNetworkRuntime,
  isUnofficial,
  notice,
  prepareClosedNetworkElectron,
} from './closedNetworkRuntime.mjs'
import { binaryName, downloadElectron, downloadedElectron } from './officialElectron.mjs'
import { run } from './processes.mjs'
import { done, failed, say } from './report.mjs'

/**
 * An Electron that was started once to verify that it works.
 * @typedef {{ binary: string, version: string, official: boolean }} Runtime
 */

const tryLimitMs = 20_000

/**
 * Finds an Electron for the demo and the tests: the one that ELECTRON_OVERRIDE_DIST_PATH names, else the official one
 * (downloaded if possible), else on Linux x64 the closed-network runtime, with a printed notice.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./report.mjs').Outcome<Runtime>>}
 */
export async function runtimeForDemoAndTests(env) {
  const named = await namedElectron(env)
  if (named?.ok) return announceUnofficial(named)
  if (named) say(`${named.reason} It is ignored.`)
  const official = await officialElectron(env)
  if (official.ok || !hasClosedNetworkRuntime(process)) return official
  say(official.reason)
  const binary = await prepareClosedNetworkElectron({ env })
  return binary.ok ? announceUnofficial(await verifyRuntime(binary.value)) : binary
}

/**
 * Finds an Electron for real use: the named one unless it is the unofficial build, or the official one.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./report.mjs').Outcome<Runtime>>}
 */
export async function runtimeForRealUse(env) {
  const folder = env.ELECTRON_OVERRIDE_DIST_PATH
  if (folder && (await isUnofficial(folder))) {
    return failed(
      'ELECTRON_OVERRIDE_DIST_PATH names the unofficial build, which is for the demo and the tests only.',
    )
  }
  return (await namedElectron(env)) ?? officialElectron(env)
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./report.mjs').Outcome<Runtime> | undefined>} undefined when none is named
 */
async function namedElectron(env) {
  const folder = env.ELECTRON_OVERRIDE_DIST_PATH
  if (!folder) return undefined
  const runtime = await verifyRuntime(join(folder, binaryName(process.platform)))
  return runtime.ok
    ? runtime
    : failed(`ELECTRON_OVERRIDE_DIST_PATH names no working Electron: ${runtime.reason}`)
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./report.mjs').Outcome<Runtime>>}
 */
async function officialElectron(env) {
  const present = await downloadedElectron()
  const binary = present ? done(present) : await downloadElectron(env)
  return binary.ok ? verifyRuntime(binary.value) : binary
}

/**
 * Starts a binary as plain Node, which needs neither display nor sandbox, to verify that it runs and to read its version.
 * @param {string} binary
 * @returns {Promise<import('./report.mjs').Outcome<Runtime>>}
 */
async function verifyRuntime(binary) {
  const { code, stdout, output } = await run(binary, ['-p', 'process.versions.electron'], {
    env: { ...process.env, ELECTRON_RUN_AS_NODE: '1', NODE_OPTIONS: '' },
    limitMs: tryLimitMs,
  })
  const version = stdout.trim()
  if (code !== 0 || !/^\d+\.\d+\.\d+/.test(version)) {
    const said = output.trim().split('\n').at(-1) || `it ended with code ${code}`
    return failed(`${binary} does not start: ${said}.`)
  }
  return done({ binary, version, official: !(await isUnofficial(dirname(binary))) })
}

/**
 * @param {import('./report.mjs').Outcome<Runtime>} runtime
 * @returns {import('./report.mjs').Outcome<Runtime>} the same
 */
function announceUnofficial(runtime) {
  if (runtime.ok && !runtime.value.official) say(notice)
  return runtime
}
