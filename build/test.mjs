// `npm test -- [file filters and vitest's switches]`: prepares the machine, then runs the tests.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasDisplay, startPrivateDisplay } from './display.mjs'
import { refuse } from './launch.mjs'
import { repoDir } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { runInForeground } from './processes.mjs'
import { say } from './report.mjs'
import { listSecondTries, listSlowest, toSummary, unitTestsOnly } from './testSummary.mjs'

process.exitCode = await main(process.argv.slice(2))

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} vitest's exit code, or 1 when the tests could not be run
 */
async function main(args) {
  if (unitTestsOnly(args)) return runVitest(args, process.env)
  const prepared = await prepare(process.env, { forTests: true })
  if (!prepared.ok) return refuse(prepared.reason)
  const { binary, switches, notices, env, stop } = prepared.value
  for (const notice of notices) say(notice)
  const others = hasDisplay(process.platform, process.env) ? [] : await otherDisplays()
  try {
    const displays = [env, ...others.map((display) => display.env)]
    // A private display has no graphics card: Chromium would start a process for one, and another one without it.
    const drawing = others.length > 0 ? ['--disable-gpu'] : []
    const ours = {
      PACKBENCH_ELECTRON: binary,
      PACKBENCH_ELECTRON_SWITCHES: [...switches, ...drawing].join(' '),
      PACKBENCH_DISPLAYS: JSON.stringify(
        displays.map(({ DISPLAY, XAUTHORITY }) => ({ DISPLAY, XAUTHORITY })),
      ),
    }
    return await runVitest(args, { ...env, ...ours })
  } finally {
    await Promise.all([stop(), ...others.map((display) => display.stop())])
  }
}

/**
 * Starts more displays beside the first one: a tested app waits for printers, services and timers about half of the time.
 * @returns {Promise<import('./display.mjs').Display[]>} the displays that could be started
 */
async function otherDisplays() {
  const started = await Promise.all(
    Array.from({ length: Math.min(availableParallelism(), 4) }, () => startPrivateDisplay(process.env)),
  )
  return started.flatMap((display) => (display.ok ? [display.value] : []))
}

/**
 * Runs vitest with its default output, then prints the tests that passed only on retry, the slowest files and, as the last line, the count.
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env PACKBENCH_ELECTRON is the binary, PACKBENCH_ELECTRON_SWITCHES its switches separated by spaces; PACKBENCH_DISPLAYS has the
 *   variables of each display as JSON: one app per display runs at a time, because two would take the focus from each other
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
    const slowest = text === undefined ? [] : listSlowest(text)
    const secondTries = text === undefined ? [] : listSecondTries(text)
    if (secondTries.length > 0) say(['Passed only on retry:', ...secondTries].join('\n'))
    if (slowest.length > 1) say(['The slowest files:', ...slowest].join('\n'))
    say(text === undefined ? '0 passed, 0 failed' : toSummary(text))
    return code
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
