// `npm run bench -- <suite> [--json]`: measures one suite of tests/bench and prints its figures. Nothing is judged here.
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { runnerImport } from 'vite'
import { repoDir } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { complain, say } from './report.mjs'

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
  const prepared = await prepare(process.env, { forTests: true })
  if (!prepared.ok) {
    complain(prepared.reason)
    return 1
  }
  const { binary, switches, notices, env, stop } = prepared.value
  if (!json) for (const notice of notices) say(notice)
  Object.assign(process.env, env, {
    PACKBENCH_ELECTRON: binary,
    PACKBENCH_ELECTRON_SWITCHES: switches.join(' '),
  })
  try {
    /** @type {{ module: { measure: () => Promise<Figure[]> } }} */
    const { module } = await runnerImport(path, { root: repoDir, logLevel: 'error' })
    const figures = await module.measure()
    print(suite, figures, json)
    return 0
  } finally {
    await stop()
  }
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
