// `npm run bench -- [suite [part…]] [--json] [--write]`: measures all suites of tests/bench, one suite, or parts of one, and prints
// each figure as a table row when it is measured. `--json` prints them as JSON at the end; `--write` stores them in
// docs/figures.json and regenerates docs/figures.md.
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { cpus, loadavg, release, totalmem, type } from 'node:os'
import { join } from 'node:path'
import { runnerImport } from 'vite'
import { mergeParts, readParts, suites, tableHead, toMarkdown, toRow, toSummary } from './benchReport.mjs'
import { repoDir } from './paths.mjs'
import { prepare } from './prepare.mjs'
import { complain, say, words } from './report.mjs'

const dataFile = join(repoDir, 'docs', 'figures.json')
const page = join(repoDir, 'docs', 'figures.md')

/** @typedef {Readonly<Record<string, () => AsyncIterable<import('./benchReport.mjs').Figure>>>} Parts */

const args = process.argv.slice(2)
// Libraries close their handles late; all figures are printed by then.
process.exit(
  await main(
    args.filter((each) => !each.startsWith('--')),
    { isJson: args.includes('--json'), isWritten: args.includes('--write') },
  ),
)

/**
 * @param {readonly string[]} named a suite and its parts; all suites when empty
 * @param {{ isJson: boolean, isWritten: boolean }} options
 * @returns {Promise<number>} the exit code
 */
async function main([suite, ...named], { isJson, isWritten }) {
  if (suite !== undefined && !Object.hasOwn(suites, suite)) {
    complain(
      `There is no suite «${suite}»: npm run bench -- [${Object.keys(suites).join('|')} [part…]] [--json] [--write]`,
    )
    return 2
  }
  const prepared = await prepare(process.env, { forTests: true })
  if (!prepared.ok) {
    complain(prepared.reason)
    return 1
  }
  const { binary, switches, notices, env, stop } = prepared.value
  const tell = isJson ? () => undefined : say
  for (const notice of notices) tell(notice)
  Object.assign(process.env, env, {
    PACKBENCH_ELECTRON: binary,
    PACKBENCH_ELECTRON_SWITCHES: switches.join(' '),
  })
  /** @type {import('./benchReport.mjs').MeasuredPart[]} */
  const measured = []
  let failures = 0
  try {
    tell(`${describeMachine()}; load of the last minute: ${getLoad()}`)
    tell(tableHead)
    for (const each of suite === undefined ? Object.keys(suites) : [suite]) {
      const parts = await loadParts(each)
      const unknown = named.filter((name) => !Object.hasOwn(parts, name))
      if (unknown.length > 0) {
        complain(`The parts of ${each} are ${Object.keys(parts).join(', ')}.`)
        return 2
      }
      for (const [part, measure] of Object.entries(parts)) {
        if (named.length > 0 && !named.includes(part)) continue
        tell(`-- ${each} ${part}`)
        try {
          measured.push(await measurePart(each, part, measure, tell))
        } catch (error) {
          // A long run keeps its other figures.
          failures += 1
          complain(`${each} ${part} could not be measured: ${words(error)}`)
        }
      }
    }
    tell(toSummary(measured.flatMap(({ figures }) => figures)))
    tell(`load of the last minute: ${getLoad()}`)
    if (isJson) say(JSON.stringify(measured))
    if (isWritten) await keep(measured)
    return failures === 0 ? 0 : 1
  } finally {
    await stop()
  }
}

/**
 * @param {string} suite
 * @returns {Promise<Parts>}
 */
async function loadParts(suite) {
  const path = join(repoDir, 'tests', 'bench', `${suite}.ts`)
  /** @type {{ module: { parts: Parts } }} */
  const { module } = await runnerImport(path, { root: repoDir, logLevel: 'error' })
  return module.parts
}

/**
 * @param {string} suite
 * @param {string} part
 * @param {Parts[string]} measure
 * @param {(text: string) => void} tell
 */
async function measurePart(suite, part, measure, tell) {
  const run = {
    at: new Date().toISOString(),
    machine: describeMachine(),
    load: getLoad(),
    commit: findCommit(),
  }
  const figures = []
  for await (const figure of measure()) {
    figures.push(figure)
    tell(toRow(figure))
  }
  return { suite, part, run, figures }
}

/** @param {readonly import('./benchReport.mjs').MeasuredPart[]} measured */
async function keep(measured) {
  const earlier = await readFile(dataFile, 'utf8').then(readParts, () => [])
  const parts = mergeParts(earlier, measured)
  await writeFile(dataFile, `${JSON.stringify(parts, undefined, 2)}\n`)
  await writeFile(page, toMarkdown(parts, suites))
}

function describeMachine() {
  const memory = Math.round(totalmem() / 2 ** 30)
  const cores = cpus()
  return `${cores.length} cores (${cores[0]?.model.trim() ?? 'unknown'}), ${memory} GB, ${type()} ${release()}, Node ${process.versions.node}`
}

/** Load of the last minute; ratios measured on a busy machine are unreliable. */
function getLoad() {
  return Math.round((loadavg()[0] ?? 0) * 10) / 10
}

/** The measured commit; with a plus when files changed since. */
function findCommit() {
  /** @param {readonly string[]} args */
  const git = (args) => execFileSync('git', [...args], { cwd: repoDir, encoding: 'utf8' }).trim()
  try {
    return `${git(['rev-parse', '--short', 'HEAD'])}${git(['status', '--porcelain', '--', 'src', 'tests/bench']) === '' ? '' : '+'}`
  } catch {
    return 'unknown'
  }
}
