import { defineConfig } from 'vitest/config'
import { modelRuns } from './tests/support/modelRuns'

// As many apps are driven at once as `npm test` started displays: two on one display take the focus from each other.
const displayCount = Math.max(JSON.parse(process.env.PACKBENCH_DISPLAYS ?? '[]').length, 1)

/**
 * Whether a machine that nobody watches may try a test again that drives windows and sockets: it is named at the end with
 * what it said, so that it is looked into. Proofs of a promise are never tried again: they state `retry: 0`.
 */
const retry = process.env.CI === undefined ? 0 : 1

// Projects run one after the other: unit and component tests share the processor, the others need it for what they start.
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          // Loading modules anew for each file would take half of the time; these tests leave nothing behind in them.
          isolate: false,
          // Models and fuzzing take any number of runs.
          testTimeout: Math.max(30_000, modelRuns * 100),
          include: ['tests/unit/**/*.test.{ts,tsx}'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'component',
          environment: 'happy-dom',
          // Testing Library takes its components down after each test.
          globals: true,
          testTimeout: 30_000,
          include: ['tests/component/**/*.test.tsx'],
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'integration',
          include: ['tests/integration/**/*.test.ts'],
          expect: { poll: { timeout: 20_000 } },
          retry,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'e2e',
          isolate: false,
          include: ['tests/e2e/**/*.test.ts'],
          expect: { poll: { timeout: 20_000 } },
          retry,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          setupFiles: ['tests/e2e/support/ownDisplay.ts'],
          maxWorkers: displayCount,
          fileParallelism: displayCount > 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
})
