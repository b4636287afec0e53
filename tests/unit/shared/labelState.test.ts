import { describe, expect, it } from 'vitest'
import { getLabelState, type LabelStateKind } from '../../../src/shared/labelState'
import type { PrintNote } from '../../../src/shared/printerRemarks'
import {
  type PrinterStatus,
  type PrintJob,
  type PrintJobState,
  printJobStateSchema,
} from '../../../src/shared/printing'
import {
  type Label,
  type LabelDefect,
  labelDefectSchema,
  type ShipmentState,
  shipmentStateSchema,
} from '../../../src/shared/shipments'
import { sampleJob, sampleShipment, sampleStatus } from '../../support/screenSamples'

const label: Label = {
  id: '9d2b8a10-1111-4c77-8f5c-000000000001',
  position: 1,
  barcode: '3SABCD1234567',
  kind: 'pdf',
  byteLength: 18_233,
  problem: null,
}
const printer = sampleStatus().printers[0]
if (printer === undefined) throw new Error('The sample station has a printer.')
const closed = { at: '2026-11-21T10:00:00.000Z', reason: 'Came by e-mail' }
const resolved = (verdict: 'exists' | 'does-not-exist') => ({ verdict, at: closed.at })

/** Every label there can be with every state of its only job, and without one. */
const problems: readonly (LabelDefect | null)[] = [null, ...labelDefectSchema.options]
const jobStates: readonly (PrintJobState | null)[] = [null, ...printJobStateSchema.options]
const everything = problems.flatMap((problem) =>
  [false, true].flatMap((isClosed) =>
    jobStates.flatMap((jobState) => [true, false].map((print) => ({ problem, isClosed, jobState, print }))),
  ),
)

function shipment({ problem, isClosed, jobState, print }: (typeof everything)[number]) {
  return sampleShipment({
    print,
    labels: [{ ...label, problem, ...(isClosed && { closed }) }],
    jobs: jobState === null ? [] : [sampleJob({ state: jobState })],
  })
}

function withJobs(...jobs: Partial<PrintJob>[]) {
  return sampleShipment({ jobs: jobs.map((job, number) => sampleJob({ id: `job-${number}`, ...job })) })
}

const endedWithoutLabel: [ShipmentState, LabelStateKind][] = [
  ['intended', 'creating'],
  ['sent', 'creating'],
  ['refused', 'refused'],
  ['unknown', 'unknown'],
]

const byJob: Record<Exclude<PrintJobState, 'cancelled'>, LabelStateKind> = {
  queued: 'printing',
  sending: 'printing',
  waiting: 'waiting',
  'handed-over': 'out',
  done: 'out',
  failed: 'not-printed',
  unconfirmed: 'waiting',
}

const byProblem: Record<LabelDefect, LabelStateKind> = {
  'not-fetched': 'to-come',
  'not-stored': 'to-come',
  empty: 'no-label',
  undecodable: 'no-label',
  'not-a-pdf': 'no-label',
  'type-unknown': 'no-label',
  'too-few': 'no-label',
  'too-many': 'no-label',
}

/** The table as a person would write it down. */
function expected({ problem, isClosed, jobState, print }: (typeof everything)[number]): LabelStateKind {
  if (jobState !== null && jobState !== 'cancelled') return byJob[jobState]
  if (isClosed) return 'closed'
  if (problem !== null) return byProblem[problem]
  if (jobState === 'cancelled') return 'not-printed'
  return print ? 'not-printed' : 'not-wanted'
}

describe('where the label of a shipment is', () => {
  it('follows from its job, else from its problem, else from whether it was to be printed', () => {
    const kinds = everything.map((each) => [each, getLabelState(shipment(each), []).kind])
    expect(kinds).toEqual(everything.map((each) => [each, expected(each)]))
    expect(kinds).toHaveLength(18 * 9 * 2)
  })

  it.each(endedWithoutLabel)(
    'is not asked of a shipment that is %s, whatever its label and job',
    (state, kind) => {
      const kinds = everything.map((each) => getLabelState({ ...shipment(each), state }, []).kind)
      expect(new Set(kinds)).toEqual(new Set([kind]))
    },
  )

  it('covers every state of a shipment', () => {
    const states = [...endedWithoutLabel.map(([state]) => state), 'created']
    expect(states.sort()).toEqual([...shipmentStateSchema.options].sort())
  })

  it('is green for a resolved shipment only when its label came out', () => {
    const exists = { resolution: resolved('exists') }
    expect(getLabelState(sampleShipment({ ...exists, labels: [], jobs: [] }), []).kind).toBe('exists')
    expect(getLabelState(sampleShipment({ ...exists, jobs: [] }), []).kind).toBe('not-printed')
    expect(getLabelState(sampleShipment(exists), []).kind).toBe('out')
    const gone = sampleShipment({ state: 'refused', resolution: resolved('does-not-exist') })
    expect(getLabelState(gone, []).kind).toBe('does-not-exist')
    expect(getLabelState(sampleShipment({ labels: [], jobs: [] }), []).kind).toBe('no-label')
  })

  it('is determined by the newest job, or by the one before when that was cancelled', () => {
    const kind = (...jobs: Partial<PrintJob>[]) => getLabelState(withJobs(...jobs), []).kind
    expect(kind({ state: 'done' }, { state: 'queued' })).toBe('printing')
    expect(kind({ state: 'done' }, { state: 'failed' })).toBe('not-printed')
    expect(kind({ state: 'failed' }, { state: 'done' })).toBe('out')
    expect(kind({ state: 'done' }, { state: 'cancelled' })).toBe('out')
    expect(kind({ state: 'cancelled' }, { state: 'cancelled' })).toBe('not-printed')
  })

  it('is out only when all parts of it are, whichever printer takes them', () => {
    const kind = (...jobs: Partial<PrintJob>[]) => getLabelState(withJobs(...jobs), []).kind
    const first = { pages: { from: 1, to: 1 } }
    const second = { pages: { from: 2, to: 3 }, printerId: 'office' }
    const split: Partial<PrintJob> = { state: 'cancelled', note: { code: 'in-parts', says: [] } }
    expect(kind(split, { ...first, state: 'handed-over' }, { ...second, state: 'done' })).toBe('out')
    expect(kind({ ...first, state: 'handed-over' }, { ...second, state: 'queued' })).toBe('printing')
    expect(kind({ ...first, state: 'failed' }, { ...second, state: 'done' })).toBe('not-printed')
    expect(kind({ ...first, state: 'waiting' }, { ...second, state: 'done' })).toBe('waiting')
    // A part that was taken back is missing; one that was moved or printed again is not.
    expect(kind({ ...first, state: 'done' }, { ...second, state: 'cancelled' })).toBe('not-printed')
    expect(
      kind({ ...first, state: 'done' }, { ...second, state: 'cancelled' }, { ...second, state: 'done' }),
    ).toBe('out')
    const dismissed: PrintNote = { code: 'dismissed', says: [], reason: 'not-needed' }
    expect(kind({ ...first, state: 'done' }, { ...second, state: 'cancelled', note: dismissed })).toBe('out')
    // A whole print that came later, or before with a part once more.
    expect(kind({ ...first, state: 'failed' }, { ...second, state: 'failed' }, { state: 'done' })).toBe('out')
    expect(kind({ state: 'failed' }, { ...first, state: 'done' })).toBe('not-printed')
    expect(kind({ state: 'done' }, { ...first, state: 'cancelled' })).toBe('out')
    const both = { pages: { from: 1, to: 3 }, state: 'failed' as const }
    expect(kind(both, { ...first, state: 'done' }, { ...second, state: 'done' })).toBe('out')
  })

  it('is not complete with some pages of a label whose whole job was cancelled', () => {
    const kind = (...jobs: Partial<PrintJob>[]) => getLabelState(withJobs(...jobs), []).kind
    const takenBack: Partial<PrintJob> = { state: 'cancelled' }
    const first: Partial<PrintJob> = { state: 'done', pages: { from: 1, to: 1 } }
    const second: Partial<PrintJob> = { state: 'done', pages: { from: 2, to: 3 } }
    expect(kind(takenBack, first)).toBe('not-printed')
    expect(kind(takenBack, second)).toBe('not-printed')
    expect(kind(takenBack, first, takenBack)).toBe('not-printed')
    // Two ranges by hand are not all pages of a label that has more.
    const counted = (job: Partial<PrintJob>, labelPages: number) => ({ ...job, labelPages })
    expect(kind(takenBack, counted(first, 4), counted(second, 4))).toBe('not-printed')
    expect(kind(takenBack, first, counted(second, 4))).toBe('not-printed')
    expect(kind(takenBack, counted(first, 3), counted(second, 3))).toBe('out')
    expect(kind(takenBack, counted(first, 1))).toBe('out')
    // Printed whole later, in parts, or closed by a person.
    expect(kind(takenBack, first, { state: 'done' })).toBe('out')
    expect(kind(takenBack, first, second)).toBe('out')
    expect(kind(takenBack, { ...takenBack, note: { code: 'in-parts', says: [] } }, first, second)).toBe('out')
    const dismissed: PrintNote = { code: 'dismissed', says: [], reason: 'not-needed' }
    expect(kind({ ...takenBack, note: dismissed }, first)).toBe('out')
    // A reprint that was taken back changes nothing.
    expect(kind(first, second, takenBack)).toBe('out')
  })

  it('is closed, not red, when a person closed its newest job of every page with a reason', () => {
    const state = (...jobs: Partial<PrintJob>[]) => getLabelState(withJobs(...jobs), [])
    const note: PrintNote = { code: 'dismissed', says: [], reason: 'printed-elsewhere' }
    const dismissed: Partial<PrintJob> = { state: 'cancelled', note }
    const takenBack: Partial<PrintJob> = { state: 'cancelled' }
    const moved: Partial<PrintJob> = { state: 'cancelled', note: { code: 'moved', says: [] } }
    expect(state(dismissed)).toMatchObject({ kind: 'dismissed', note })
    expect(state(moved, dismissed).kind).toBe('dismissed')
    expect(state(takenBack, dismissed).kind).toBe('dismissed')
    expect(state({ state: 'done' }, dismissed).kind).toBe('out')
    expect(state(dismissed, { state: 'done' }).kind).toBe('out')
    expect(state(dismissed, { state: 'failed' }).kind).toBe('not-printed')
    expect(state(dismissed, takenBack).kind).toBe('not-printed')
    const split: Partial<PrintJob> = { state: 'cancelled', note: { code: 'in-parts', says: [] } }
    const first = { pages: { from: 1, to: 1 } }
    const second = { pages: { from: 2, to: 3 } }
    expect(state(split, { ...dismissed, ...first }, { ...dismissed, ...second }).kind).toBe('dismissed')
    expect(state(split, { ...takenBack, ...first }, { ...dismissed, ...second }).kind).toBe('not-printed')
    expect(state(split, { ...dismissed, ...first }, { ...takenBack, ...second }).kind).toBe('not-printed')
    expect(state(takenBack, { ...dismissed, ...first }).kind).toBe('not-printed')
    expect(state(split).kind).toBe('not-printed')
    // All pages of a whole job that was taken back before.
    expect(state(takenBack, { ...dismissed, ...first }, { ...dismissed, ...second }).kind).toBe('dismissed')
    const counted = { ...dismissed, ...second, labelPages: 4 }
    expect(state(takenBack, { ...dismissed, ...first }, counted).kind).toBe('not-printed')
  })

  it('waits when its printer is paused or blocked, and when the job has a note', () => {
    const paused: PrinterStatus = { ...printer, state: 'paused' }
    const note: PrintNote = { code: 'nothing-sent-yet', says: [{ code: 'out-of-labels' }] }
    const held: PrinterStatus = { ...printer, state: 'error', note }
    const queued = withJobs({ state: 'queued' })
    expect(getLabelState(queued, [paused])).toMatchObject({ kind: 'waiting', printer: paused })
    expect(getLabelState(queued, [held])).toMatchObject({ kind: 'waiting', printer: held })
    expect(getLabelState(queued, [{ ...paused, id: 'other' }]).kind).toBe('printing')
    // What was begun is finished by a paused printer.
    expect(getLabelState(withJobs({ state: 'sending' }), [paused]).kind).toBe('printing')
    const noted = withJobs({ state: 'sending', note })
    expect(getLabelState(noted, [])).toMatchObject({ kind: 'waiting', job: { state: 'sending' } })
  })

  it('is that of the package that needs someone most', () => {
    const second: Label = { ...label, id: 'second', position: 2 }
    const kindWith = (state: PrintJobState, other: Label = second) =>
      getLabelState(
        sampleShipment({
          labels: [{ ...label }, other],
          jobs: [sampleJob(), sampleJob({ id: 'job-2', labelId: 'second', state })],
        }),
        [],
      )
    expect(kindWith('done').kind).toBe('out')
    expect(kindWith('sending').kind).toBe('printing')
    expect(kindWith('waiting')).toMatchObject({ kind: 'waiting', label: { position: 2 } })
    expect(kindWith('failed')).toMatchObject({ kind: 'not-printed', label: { position: 2 } })
    expect(kindWith('cancelled', { ...second, problem: 'empty' }).kind).toBe('no-label')
    expect(kindWith('cancelled', { ...second, problem: 'empty', closed }).kind).toBe('out')
  })
})
