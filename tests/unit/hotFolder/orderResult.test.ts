import { describe, expect, it } from 'vitest'
import type { LineOutcome } from '../../../src/main/hotFolder/lineOutcome'
import { toOrderResult } from '../../../src/main/hotFolder/orderResult'
import { appError } from '../../../src/shared/errors'
import type { PrintJob } from '../../../src/shared/printing'
import type { LabelDefect, ShipmentDetails } from '../../../src/shared/shipments'
import { sampleJob, sampleShipment } from '../../support/screenSamples'

const file = {
  id: '3f0f6f0e-7a4a-4b1b-9a55-0c6c7f2f7a11',
  name: 'one.json',
  takenAt: new Date(0),
  sha256: null,
  mapping: null,
}

function label(position: number, problem: LabelDefect | null = null) {
  return {
    id: `label-${position}`,
    position,
    barcode: `3S${position}`,
    kind: 'pdf',
    byteLength: 100,
    problem,
  } as const
}

function job(change: Partial<PrintJob>): PrintJob {
  return sampleJob({ labelId: 'label-1', ...change })
}

/** The result entry of one shipment that its own line created. */
function entry(details: Partial<ShipmentDetails>, jobs: PrintJob[]) {
  const own = sampleShipment({ state: 'created', error: null, labels: [label(1)], ...details })
  const outcome: LineOutcome = {
    line: 1,
    reference: own.reference,
    outcome: 'created',
    error: own.error,
    shipment: { relation: 'own', details: own },
  }
  return toOrderResult(file, [outcome], new Map([[own.id, jobs]])).results[0]
}

describe('the result of a label moved to the standby printer', () => {
  const unreachable = appError('printer-unreachable')
  const moved = job({ state: 'cancelled', acceptedAt: null, error: unreachable })
  const printed = job({
    printerId: 'file',
    kind: 'moved',
    state: 'done',
    acceptedAt: '2026-01-31T09:00:02.000Z',
  })

  it('has the error of the first printer and the acceptance time of the standby printer', () => {
    expect(entry({}, [moved, printed])).toMatchObject({
      jobs: [
        { printer: 'zebra', state: 'failed', error: unreachable },
        { printer: 'file', state: 'done', error: null },
      ],
      error: null,
      at: { printerAccepted: '2026-01-31T09:00:02.000Z' },
    })
  })

  it('has an acceptance time only when printers have accepted all labels', () => {
    const labels = [label(1), label(2)]
    const other = job({ labelId: 'label-2', acceptedAt: '2026-01-31T09:00:01.000Z' })
    expect(entry({ labels }, [moved, other, printed])?.at.printerAccepted).toBe('2026-01-31T09:00:02.000Z')
    const failed = job({ labelId: 'label-2', state: 'failed', acceptedAt: null })
    expect(entry({ labels }, [moved, failed, printed])?.at.printerAccepted).toBeNull()
  })
})

describe('the result of a label printed in parts', () => {
  it('has an acceptance time only when printers have accepted all parts, and omits the divided job', () => {
    const parted = job({ state: 'cancelled', acceptedAt: null, note: { code: 'in-parts', says: [] } })
    const first = job({ pages: { from: 1, to: 1 }, state: 'done', acceptedAt: '2026-01-31T09:00:01.000Z' })
    const second = { pages: { from: 2, to: 2 }, printerId: 'office' }
    const done = job({ ...second, state: 'handed-over', acceptedAt: '2026-01-31T09:00:02.000Z' })
    expect(entry({}, [parted, first, done])).toMatchObject({
      jobs: [
        { printer: 'zebra', state: 'done' },
        { printer: 'office', state: 'handed-over' },
      ],
      at: { printerAccepted: '2026-01-31T09:00:02.000Z' },
    })
    const waits = job({ ...second, state: 'waiting', acceptedAt: null })
    expect(entry({}, [parted, first, waits])?.at.printerAccepted).toBeNull()
  })
})

describe('the result of a label cancelled at the station', () => {
  it('is reported as cancelled and without an acceptance time, even after a spooler accepted the label', () => {
    const cancelled = job({ state: 'cancelled', acceptedAt: '2026-01-31T09:00:01.000Z' })
    expect(entry({}, [cancelled])).toMatchObject({
      jobs: [{ state: 'failed', error: { code: 'cancelled' } }],
      at: { printerAccepted: null },
    })
  })
})

describe('the result of a created shipment with an unprintable label', () => {
  it.each([
    ['not-fetched', 'label-not-fetched', 'could not be fetched'],
    ['not-stored', 'label-not-fetched', 'could not be written to the disk'],
    ['empty', 'label-unreadable', 'came without content'],
    ['undecodable', 'label-unreadable', 'could not be decoded'],
    ['not-a-pdf', 'label-unreadable', 'is no PDF'],
    ['type-unknown', 'label-type-unknown', 'is of a kind that Packbench can not print'],
  ] as const)('reports the label problem %s as %s', (problem, code, words) => {
    for (const print of [true, false]) {
      const result = entry({ labels: [label(1, problem)], print }, [])
      expect(result).toMatchObject({ outcome: 'created', jobs: [], error: { code } })
      expect(result?.error?.message).toContain(`its label ${words}`)
    }
  })

  it('names the position of the label among several', () => {
    const result = entry({ labels: [label(1), label(2, 'not-a-pdf')] }, [job({})])
    expect(result?.error?.message).toContain('label 2 of 2 is no PDF')
  })

  it('keeps the error of the failed label fetch', () => {
    const error = appError('label-not-fetched')
    expect(entry({ error, labels: [label(1, 'not-fetched')] }, [])?.error).toEqual(error)
  })

  it('has no error when a job for the label exists meanwhile', () => {
    expect(entry({ labels: [label(1, 'not-fetched')] }, [job({})])?.error).toBeNull()
  })
})

describe('the result of a created shipment without a print job', () => {
  it('reports no-printer unless printing is off or there is no label', () => {
    expect(entry({}, [])?.error?.code).toBe('no-printer')
    expect(entry({ print: false }, [])?.error).toBeNull()
    expect(entry({ labels: [] }, [])?.error).toBeNull()
  })
})
