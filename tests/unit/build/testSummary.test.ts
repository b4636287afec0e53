import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { repoDir } from '../../../build/paths.mjs'
import { listSecondTries, listSlowest, toSummary, unitTestsOnly } from '../../../build/testSummary.mjs'

function report(...files: { status: string; tests: string[] }[]): string {
  return JSON.stringify({
    testResults: files.map(({ status, tests }) => ({
      status,
      assertionResults: tests.map((state) => ({ status: state })),
    })),
  })
}

describe('toSummary', () => {
  it('counts passed and failed tests, but not skipped ones', () => {
    expect(
      toSummary(
        report(
          { status: 'passed', tests: ['passed', 'passed', 'pending'] },
          { status: 'failed', tests: ['passed', 'failed'] },
        ),
      ),
    ).toBe('3 passed, 1 failed')
  })

  it('counts a file that could not be run as one failure', () => {
    expect(toSummary(report({ status: 'failed', tests: [] }))).toBe('0 passed, 1 failed')
  })
})

describe('listSecondTries', () => {
  it('names tests that failed and then passed, with the reason, but no test that failed twice', () => {
    const tests = [
      { status: 'passed', fullName: 'a queue prints', failureMessages: ['Error: no printer\n  at line 1'] },
      { status: 'passed', fullName: 'a queue waits', failureMessages: [] },
      { status: 'failed', fullName: 'a queue ends', failureMessages: ['Error: still there'] },
    ]
    const name = join(repoDir, 'tests', 'queue.test.ts')
    expect(listSecondTries(JSON.stringify({ testResults: [{ name, assertionResults: tests }] }))).toEqual([
      `  ${join('tests', 'queue.test.ts')}: a queue prints`,
      '    Error: no printer',
    ])
  })
})

describe('listSlowest', () => {
  it('lists the ten slowest files, the slowest first', () => {
    const testResults = Array.from({ length: 12 }, (_, index) => ({
      name: join(repoDir, 'tests', `${index}.test.ts`),
      startTime: 1_000,
      endTime: 1_000 + index * 500,
    }))
    const slowest = listSlowest(JSON.stringify({ testResults }))
    expect(slowest).toHaveLength(10)
    expect(slowest[0]).toBe(`    5.5 s ${join('tests', '11.test.ts')}`)
    expect(slowest[9]).toBe(`    1.0 s ${join('tests', '2.test.ts')}`)
  })
})

describe('unitTestsOnly', () => {
  it('is true for file filters below tests/unit', () => {
    expect(unitTestsOnly(['tests/unit/simulator', '--bail=1'])).toBe(true)
    expect(unitTestsOnly(['tests\\unit\\demo'])).toBe(true)
  })

  it('is false without a file filter and for filters outside tests/unit', () => {
    expect(unitTestsOnly([])).toBe(false)
    expect(unitTestsOnly(['--bail=1'])).toBe(false)
    expect(unitTestsOnly(['tests/unit', 'tests/e2e'])).toBe(false)
  })
})
