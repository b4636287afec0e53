// `npm test -- [file filters and vitest's switches]`: prepares the machine, then runs the tests.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildIfNeeded } from './bundle.mjs'
import { display } from './display.mjs'
import { refuse } from './launch.mjs'
import { repoDir } from './paths.mjs'
import { runInForeground } from './processes.mjs'
import { done, say } from './report.mjs'
import { runtimeForDemoAndTests } from './runtime.mjs'
import { machineSwitches } from './switches.mjs'
import { prepareSystem } from './system.mjs'
import { summaryOf, unitTestsOnly } from './testSummary.mjs'

process.exitCode = await main(process.argv.slice(2))

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} vitest's exit code, or 1 when the tests could not be run
 */
async function main(args) {
  if (unitTestsOnly(args)) return runVitest(args, process.env)
  const prepared = await prepare(process.env)
  if (!prepared.ok) return refuse(prepared.reason)
  try {
    return await runVitest(args, prepared.value.env)
  } finally {
    await prepared.value.stop()
  }
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<import('./report.mjs').Outcome<import('./display.mjs').Display>>} the environment for the tests:
 *   PACKBENCH_ELECTRON is the binary, PACKBENCH_ELECTRON_SWITCHES what it needs on this machine, parted by spaces
 */
async function prepare(env) {
  const system = await prepareSystem({ env, forTests: true })
  if (!system.ok) return system
  const runtime = await runtimeForDemoAndTests(env)
  if (!runtime.ok) return runtime
  const built = await buildIfNeeded()
  if (!built.ok) return built
  const shown = await display(env)
  if (!shown.ok) return shown
  const { switches, notices } = await machineSwitches(shown.value.env, { realUse: false })
  for (const notice of notices) say(notice)
  return done({
    env: {
      ...shown.value.env,
      PACKBENCH_ELECTRON: runtime.value.binary,
      PACKBENCH_ELECTRON_SWITCHES: switches.join(' '),
    },
    stop: shown.value.stop,
  })
}

/**
 * Runs vitest with its usual output and prints the count as the last line.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} its exit code
 */
async function runVitest(args, env) {
  const folder = await mkdtemp(join(tmpdir(), 'packbench-tests-'))
  const report = join(folder, 'report.json')
  try {
    const vitest = join(repoDir, 'node_modules', 'vitest', 'vitest.mjs')
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
    const code = await runInForeground(process.execPath, [vitest, 'run', ...reporters, ...args], {
      cwd: repoDir,
      env,
    })
    const text = await readFile(report, 'utf8').catch(() => undefined)
    say(text === undefined ? '0 passed, 0 failed' : summaryOf(text))
    return code
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
