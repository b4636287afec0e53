import { relative } from 'node:path'
import { z } from 'zod'
import { repoDir } from './paths.mjs'

/** The part of vitest's JSON report that is counted. */
const reportSchema = z.object({
  testResults: z.array(
    z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) }),
  ),
})

/** The part of vitest's JSON report that says what a test failed with before it passed. */
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

/** The part of vitest's JSON report that says how long each file took, in milliseconds since 1970. */
const timesSchema = z.object({
  testResults: z.array(z.object({ name: z.string(), startTime: z.number(), endTime: z.number() })),
})

/** How many files are listed as the slowest ones. */
const maxSlowest = 10

/**
 * Counts a test run. A file that could not be run at all counts as one failure, though none of its tests ran.
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
 * The files that took longest, one a line: the suite gets slower by them.
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
 * The tests that failed and then passed: something about each is not as it should be, in the app or in the test.
 * @param {string} report vitest's JSON report
 * @returns {string[]} for each a line with file and title, and one with the first line of what it failed with
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
 * Whether a run is for unit and component tests alone, which need neither Electron nor a display nor a print server.
 * @param {readonly string[]} args what is passed on to vitest
 * @returns {boolean}
 */
export function unitTestsOnly(args) {
  const filters = args.filter((arg) => !arg.startsWith('-'))
  return (
    filters.length > 0 &&
    filters.every((filter) => /^tests\/(unit|component)\b/.test(filter.replaceAll('\\', '/')))
  )
}
