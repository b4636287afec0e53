import { buildIfNeeded } from './bundle.mjs'
import { display } from './display.mjs'
import { done } from './report.mjs'
import { runtimeForDemoAndTests } from './runtime.mjs'
import { machineSwitches } from './switches.mjs'
import { prepareSystem } from './system.mjs'

/**
 * What the demo and the tests run on. `notices` are to be printed; `stop` ends a display that was started.
 * @typedef {{ binary: string, switches: string[], notices: string[], env: NodeJS.ProcessEnv, stop: () => Promise<void> }} Prepared
 */

/**
 * Provides system packages, an Electron, a built app and a display.
 * @param {NodeJS.ProcessEnv} env
 * @param {{ forTests: boolean, build?: boolean }} wanted `build` unless it is false
 * @returns {Promise<import('./report.mjs').Outcome<Prepared>>}
 */
export async function prepare(env, { forTests, build = true }) {
  const system = await prepareSystem({ env, forTests })
  if (!system.ok) return system
  const runtime = await runtimeForDemoAndTests(env)
  if (!runtime.ok) return runtime
  const built = build ? await buildIfNeeded() : done(undefined)
  if (!built.ok) return built
  const shown = await display(env)
  if (!shown.ok) return shown
  const { switches, notices } = await machineSwitches(shown.value.env, { realUse: false })
  return done({ binary: runtime.value.binary, switches, notices, ...shown.value })
}
