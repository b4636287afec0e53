import { relative } from 'node:path'
import { z } from 'zod'
import { repoDir } from './paths.mjs'

/** The part of vitest's JSON report with the counts. */
const reportSchema = z.object({
  testResults: z.array(
    z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) }),
  ),
})

/** The part of vitest's JSON report with the failures of a test before it passed. */
const triesSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({
          status: z.string(),
          fullName: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
})

/** The part of vitest's JSON report with start and end of each file, in milliseconds since 1970. */
const timesSchema = z.object({
  testResults: z.array(z.object({ name: z.string(), startTime: z.number(), endTime: z.number() })),
})

const maxSlowest = 10

/**
 * Counts the tests of a run. A file that could not be loaded counts as one failure, although none of its tests ran.
 * @param {string} report vitest's JSON report
 * @returns {string} `N passed, N failed`
 */
export function toSummary(report) {
  const { testResults } = reportSchema.parse(JSON.parse(report))
  const tests = testResults.flatMap((file) => file.assertionResults)
  const broken = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  )
  const passed = tests.filter((test) => test.status === 'passed').length
  const failed = tests.filter((test) => test.status === 'failed').length + broken.length
  return `${passed} passed, ${failed} failed`
}

/**
 * Lists the slowest files, one per line.
 * @param {string} report vitest's JSON report
 * @returns {string[]} `  12.3 s tests/…`, the slowest first
 */
export function listSlowest(report) {
  return timesSchema
    .parse(JSON.parse(report))
    .testResults.map(({ name, startTime, endTime }) => ({ name, ms: endTime - startTime }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, maxSlowest)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s ${relative(repoDir, name)}`)
}

/**
 * Lists the tests that failed and passed on retry: each points to a fault in the app or in the test.
 * @param {string} report vitest's JSON report
 * @returns {string[]} per test a line with file and title, and a line with the first line of its failure
 */
export function listSecondTries(report) {
  return triesSchema
    .parse(JSON.parse(report))
    .testResults.flatMap(({ name, assertionResults }) =>
      assertionResults
        .filter(({ status, failureMessages }) => status === 'passed' && failureMessages?.length)
        .flatMap(({ fullName, failureMessages }) => [
          `  ${relative(repoDir, name)}: ${fullName}`,
          `    ${failureMessages?.[0]?.split('\n')[0]}`,
        ]),
    )
}

/**
 * Whether a run selects only unit and component tests, which need neither Electron nor a display nor a print server.
 * @param {readonly string[]} args the arguments for vitest
 * @returns {boolean}
 */
export function unitTestsOnly(args) {
  const filters = args.filter((arg) => !arg.startsWith('-'))
  return (
    filters.length > 0 &&
    filters.every((filter) => /^tests\/(unit|component)\b/.test(filter.replaceAll('\\', '/')))
  )
}
