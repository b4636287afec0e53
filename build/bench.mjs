// `npm run bench -- <suite> [--json]`: measures one suite of tests/bench and prints its figures. Nothing is judged here.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { runnerImport } from 'vite'
import { buildIfNeeded } from './bundle.mjs'
import { display } from './display.mjs'
import { repoDir } from './paths.mjs'
import { complain, say } from './report.mjs'
import { runtimeForDemoAndTests } from './runtime.mjs'
import { machineSwitches } from './switches.mjs'
import { prepareSystem } from './system.mjs'

/**
 * One measured figure. `limit` is what it is meant to stay at or below.
 * @typedef {{ name: string, value: number, unit: string, limit?: number, note?: string }} Figure
 */

const args = process.argv.slice(2)
// Libraries end their handles in their own time; the figures are out by then.
process.exit(await main(args.find((each) => !each.startsWith('--')) ?? '', args.includes('--json')))

/**
 * @param {string} suite
 * @param {boolean} json
 * @returns {Promise<number>} the exit code
 */
async function main(suite, json) {
  const path = join(repoDir, 'tests', 'bench', `${suite}.ts`)
  const known = /^\w[\w-]*$/.test(suite) && (await exists(path))
  if (!known) {
    complain('Name a suite: npm run bench -- <suite> [--json]. The suites are the files in tests/bench.')
    return 2
  }
  const ready = await prepare(json)
  if (ready === undefined) return 1
  try {
    /** @type {{ module: { measure: () => Promise<Figure[]> } }} */
    const { module } = await runnerImport(path, { root: repoDir, logLevel: 'error' })
    const figures = await module.measure()
    print(suite, figures, json)
    return 0
  } finally {
    await ready.stop()
  }
}

/**
 * Prepares the machine, builds the app and finds an Electron and a display for suites that drive the real app.
 * @param {boolean} quiet
 */
async function prepare(quiet) {
  const system = await prepareSystem({ env: process.env, forTests: true })
  const runtime = system.ok ? await runtimeForDemoAndTests(process.env) : system
  const built = runtime.ok ? await buildIfNeeded() : runtime
  const shown = built.ok ? await display(process.env) : built
  if (!runtime.ok || !shown.ok) {
    complain(shown.ok ? 'There is no Electron.' : shown.reason)
    return undefined
  }
  const { switches, notices } = await machineSwitches(shown.value.env, { realUse: false })
  if (!quiet) for (const notice of notices) say(notice)
  Object.assign(process.env, shown.value.env, {
    PACKBENCH_ELECTRON: runtime.value.binary,
    PACKBENCH_ELECTRON_SWITCHES: switches.join(' '),
  })
  return shown.value
}

/**
 * @param {string} suite
 * @param {readonly Figure[]} figures
 * @param {boolean} json
 */
function print(suite, figures, json) {
  if (json) {
    process.stdout.write(`${JSON.stringify({ suite, at: new Date().toISOString(), figures })}\n`)
    return
  }
  for (const { name, value, unit, limit, note } of figures) {
    const goal = limit === undefined ? '' : ` (at most ${limit} ${unit})`
    process.stdout.write(`${name}: ${value} ${unit}${goal}${note === undefined ? '' : ` — ${note}`}\n`)
  }
}

/**
 * @param {string} path
 * @returns {Promise<boolean>}
 */
async function exists(path) {
  return access(path).then(
    () => true,
    () => false,
  )
}
