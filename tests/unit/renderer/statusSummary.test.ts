import { describe, expect, it } from 'vitest'
import {
  countOpenProblems,
  findPrinterToShow,
  hasOtherProblem,
} from '../../../src/renderer/app/statusSummary'
import type { PrinterStatus } from '../../../src/shared/printing'
import { sampleSettings, sampleStatus } from '../../support/screenSamples'

describe('open problems in the status bar', () => {
  it('include unknown uploads and pre-alerts, and lead to Manifests when History has none', () => {
    const open = { ...sampleStatus().open, unknownSubmissions: 2 }
    expect(countOpenProblems(open)).toEqual({ count: 2, screen: 'manifests' })
    expect(countOpenProblems({ ...open, failedJobs: 1 })).toEqual({ count: 3, screen: 'history' })
  })
})

it('conflicts count as a problem only while the status bar shows them', () => {
  const status = sampleStatus()
  const conflicts = (state: 'off' | 'joined') => ({
    ...status,
    fleet: { ...status.fleet, state, conflicts: 1 },
  })
  expect(hasOtherProblem(conflicts('off'))).toBe(false)
  expect(hasOtherProblem(conflicts('joined'))).toBe(true)
})

describe('the printer that the status bar names', () => {
  const [ready] = sampleStatus().printers
  const printers = (usual: PrinterStatus['state'], other: PrinterStatus['state']) =>
    ready
      ? [
          { ...ready, id: 'file', name: 'file', state: other },
          { ...ready, state: usual },
        ]
      : []
  it.each([
    ['paused', 'ready', 'zebra'],
    ['paused', 'error', 'zebra'],
    ['error', 'error', 'zebra'],
    ['ready', 'error', 'file'],
    ['ready', 'paused', 'file'],
    ['ready', 'ready', 'zebra'],
    ['unknown', 'busy', 'zebra'],
  ] as const)('with the default one %s and another one %s is %s', (usual, other, named) => {
    expect(findPrinterToShow(printers(usual, other), sampleSettings())?.id).toBe(named)
  })
})
