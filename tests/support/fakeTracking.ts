import type { BridgeClient } from '../../src/shared/bridge'
import { ok } from '../../src/shared/result'
import type { Board, BulkProgress, CodesFile, LookUp, WatchStatus } from '../../src/shared/tracking'

const watch: WatchStatus = { state: 'waiting', lastRoundAt: null, nextRoundAt: null, error: null }

/** A board without parcels. */
export const emptyBoard: Board = { watched: 0, states: [], days: [], alerts: [], watch }

/** The first message of a bulk tracking that has just started. */
export function sampleProgress(change: Partial<BulkProgress> = {}): BulkProgress {
  return {
    jobId: '0b0f1c52-58a5-4a0e-9d7e-3a1d3b1c0009',
    state: 'running',
    total: 0,
    answered: 0,
    failed: 0,
    error: null,
    pausing: false,
    rows: '[]',
    ...change,
  }
}

/** A code without stored data that the service does not know. */
export function sampleLookUp(change: Partial<LookUp> = {}): LookUp {
  const code = change.code ?? 'A'
  return {
    code,
    stored: null,
    ours: null,
    otherParcels: [],
    tracked: { code, found: false, lastStatus: null, events: [] },
    error: null,
    ...change,
  }
}

const file: CodesFile = {
  name: 'codes.csv',
  codes: ['A', 'B'],
  duplicates: 0,
  empty: 0,
  tooLong: 0,
  tooMany: 0,
  column: null,
  inexact: 0,
  cellErrors: 0,
}

/** The tracking part of the fake bridge: the service knows no code, and no call fails. */
export function fakeTracking() {
  return {
    trackCode: ({ code }) => Promise.resolve(ok(sampleLookUp({ code }))),
    startBulkTracking: ({ codes }) => Promise.resolve(ok(sampleProgress({ total: codes.length }))),
    resumeBulkTracking: ({ jobId }) => Promise.resolve(ok(sampleProgress({ jobId }))),
    exportBulkTracking: () => Promise.resolve(ok('/home/operator/tracking.csv')),
    chooseCodesFile: () => Promise.resolve(ok(file)),
    readCodesFile: ({ name }) => Promise.resolve(ok({ ...file, name })),
  } satisfies Partial<BridgeClient>
}
