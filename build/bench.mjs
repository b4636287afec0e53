// `npm run bench -- <suite> [--json]`: measures one suite of tests/bench and prints its figures. Nothing is judged here.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { runnerImport } from 'vite'
import { repoDir } from './paths.mjs'
import { complain } from './report.mjs'

/**
 * One measured figure. `limit` is what it is meant to stay at or below, `note` what it was measured against.
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
  if (!/^\w[\w-]*$/.test(suite) || !existsSync(path)) {
    complain('Name a suite: npm run bench -- <suite> [--json]. The suites are the files in tests/bench.')
    return 2
  }
  /** @type {{ module: { measure: () => Promise<Figure[]> } }} */
  const { module } = await runnerImport(path, { root: repoDir, logLevel: 'error' })
  const figures = await module.measure()
  if (json) {
    process.stdout.write(`${JSON.stringify({ suite, at: new Date().toISOString(), figures })}\n`)
    return 0
  }
  for (const { name, value, unit, limit, note } of figures) {
    const goal = limit === undefined ? '' : ` (at most ${limit} ${unit})`
    process.stdout.write(`${name}: ${value} ${unit}${goal}${note === undefined ? '' : ` — ${note}`}\n`)
  }
  return 0
}
