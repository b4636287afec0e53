import { z } from 'zod'

/** The part of vitest's JSON report that is counted. */
const reportSchema = z.object({
  testResults: z.array(
    z.object({ status: z.string(), assertionResults: z.array(z.object({ status: z.string() })) }),
  ),
})

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
