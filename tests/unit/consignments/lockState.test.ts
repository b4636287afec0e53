import { describe, expect, it } from 'vitest'
import { getLockState } from '../../../src/main/consignments/manifests'
import type { PreAlertAnswer } from '../../../src/shared/consignments'

const upload = (at: string, lockAsked: boolean, state: 'accepted' | 'refused' | 'unknown' = 'accepted') => ({
  startedAt: `2026-11-${at}T09:00:00.000Z`,
  lockAsked,
  state,
  speaksOfErrors: false,
})
const answer: PreAlertAnswer = {
  message: null,
  estimatedTimeOfArrival: null,
  airWaybillNumber: null,
  submittedGrossWeight: null,
  boxes: null,
  totalParcels: null,
  totalManifestWeight: null,
  iossManifestLocked: null,
  carrierName: null,
  awbPrefix: null,
}
const alert = (at: string, iossManifestLocked: boolean | null) => ({
  sentAt: `2026-11-${at}T09:00:00.000Z`,
  answer: { ...answer, iossManifestLocked },
})

describe('the lock state of a manifest', () => {
  it('is open until an upload requests the lock', () => {
    expect(getLockState([], [])).toBe('open')
    expect(getLockState([upload('20', false)], [])).toBe('open')
    expect(getLockState([upload('20', true, 'refused')], [])).toBe('open')
  })

  it('is assumed until a pre-alert’s answer states it', () => {
    expect(getLockState([upload('20', true)], [])).toBe('assumed')
    expect(getLockState([upload('20', true)], [alert('21', null)])).toBe('assumed')
    expect(getLockState([upload('20', true)], [alert('21', true)])).toBe('locked')
    expect(getLockState([upload('20', true)], [alert('21', false)])).toBe('open')
  })

  it('is uncertain when the outcome of the upload is unknown, or its answer mentions errors', () => {
    expect(getLockState([upload('20', true, 'unknown')], [])).toBe('uncertain')
    expect(getLockState([{ ...upload('20', true), speaksOfErrors: true }], [])).toBe('uncertain')
  })

  it('depends on the newest upload or answer, whatever the order of the records', () => {
    expect(getLockState([upload('22', true), upload('20', false)], [alert('21', false)])).toBe('assumed')
    expect(getLockState([upload('22', false), upload('20', true)], [alert('21', true)])).toBe('locked')
  })
})
