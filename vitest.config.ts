import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { modelRuns } from './tests/support/modelRuns.ts'

// As many apps are driven at once as `npm test` started displays: two on one display take the focus from each other.
const displayCount = Math.max(JSON.parse(process.env.PACKBENCH_DISPLAYS ?? '[]').length, 1)

/**
 * Whether a machine that nobody watches may try a test again that drives windows and sockets: it is named at the end with
 * what it said, so that it is looked into. Proofs of a promise are never tried again: they state `retry: 0`.
 */
const retry = process.env.CI === undefined ? 0 : 1

/** Milliseconds for a test that takes a few seconds on an idle machine: a shared one can be ten times slower for minutes. */
const slowestMs = 120_000

const longest = ['printing/golden', 'fleet/chaos', 'printing/barcodeProof', 'printing/subDots'].map(
  (name) => `tests/integration/${name}.test.ts`,
)

// Files share their process: to load modules and to build the app's threads anew takes as long as the tests of many a file. One that replaces
// a module would do so for those after it, and has a process of its own.
const unit = parted('tests/unit')
const component = parted('tests/component')
const integration = parted('tests/integration')

/**
 * Begins with the files that take a minute and more, so that at the end no processor waits for one of them. A fresh clone
 * does not know how long its files took, and begins with the largest.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    // Files of a project stay together: they share their processes.
    const projects = [...new Set(sorted.map(({ project }) => project))]
    return projects.flatMap((project) => {
      const own = sorted.filter((file) => file.project === project)
      const isLong = ({ moduleId }: TestSpecification) => longest.some((file) => moduleId.endsWith(file))
      return [...own.filter(isLong), ...own.filter((file) => !isLong(file))]
    })
  }
}

// Projects run one after the other: unit and component tests share the processor, the others need it for what they start.
export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      ...unit.map(({ name, isolate, include }) => ({
        test: {
          name,
          isolate,
          include,
          // Models and fuzzing take any number of runs.
          testTimeout: Math.max(30_000, modelRuns * 100),
          setupFiles: ['tests/support/patientWaits.ts'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      })),
      ...component.map(({ name, isolate, include }) => ({
        test: {
          name,
          isolate,
          include,
          environment: 'happy-dom',
          setupFiles: ['tests/component/eachFile.ts'],
          testTimeout: 30_000,
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      })),
      ...integration.map(({ name, isolate, include }) => ({
        test: {
          name,
          isolate,
          include,
          expect: { poll: { timeout: slowestMs / 3 } },
          retry,
          testTimeout: slowestMs,
          hookTimeout: slowestMs,
          setupFiles: ['tests/support/patientWaits.ts'],
          // They wait for sockets, programs and timers about as long as they work.
          maxWorkers: 3,
          sequence: { groupOrder: 1 },
        },
      })),
      {
        test: {
          name: 'e2e',
          isolate: false,
          include: ['tests/e2e/**/*.test.ts'],
          expect: { poll: { timeout: slowestMs / 3 } },
          retry,
          testTimeout: 2 * slowestMs,
          hookTimeout: 2 * slowestMs,
          setupFiles: ['tests/e2e/support/ownDisplay.ts'],
          maxWorkers: displayCount,
          fileParallelism: displayCount > 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})

/** The tests of a folder as two projects: those that replace a module, and those that share their process. */
function parted(folder: string): { name: string; isolate: boolean; include: string[] }[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.test\.tsx?$/.test(file))
    .map((file) => join(folder, file).replaceAll('\\', '/'))
  const replaces = (file: string) => readFileSync(file, 'utf8').includes('vi.mock(')
  const name = basename(folder)
  return [
    { name: `apart ${name}`, isolate: true, include: files.filter(replaces) },
    { name, isolate: false, include: files.filter((file) => !replaces(file)) },
  ]
}
