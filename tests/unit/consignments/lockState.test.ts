import { describe, expect, it } from 'vitest'
import { getLockState } from '../../../src/main/consignments/manifests'
import type { PreAlertAnswer } from '../../../src/shared/consignments'

const upload = (
  sentNumber: number,
  lockAsked: boolean,
  state: 'accepted' | 'refused' | 'unknown' = 'accepted',
) => ({
  sentNumber,
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
const alert = (sentNumber: number, iossManifestLocked: boolean | null) => ({
  sentNumber,
  answer: { ...answer, iossManifestLocked },
})

describe('the lock state of a manifest', () => {
  it('is open until an upload requests the lock', () => {
    expect(getLockState([], [])).toBe('open')
    expect(getLockState([upload(1, false)], [])).toBe('open')
    expect(getLockState([upload(1, true, 'refused')], [])).toBe('open')
  })

  it('is assumed until a pre-alert’s answer states it', () => {
    expect(getLockState([upload(1, true)], [])).toBe('assumed')
    expect(getLockState([upload(1, true)], [alert(2, null)])).toBe('assumed')
    expect(getLockState([upload(1, true)], [alert(2, true)])).toBe('locked')
    expect(getLockState([upload(1, true)], [alert(2, false)])).toBe('open')
  })

  it('is uncertain when the outcome of the upload is unknown, or its answer mentions errors', () => {
    expect(getLockState([upload(1, true, 'unknown')], [])).toBe('uncertain')
    expect(getLockState([{ ...upload(1, true), speaksOfErrors: true }], [])).toBe('uncertain')
  })

  it('depends on the newest upload or answer, whatever the order of the records', () => {
    expect(getLockState([upload(3, true), upload(1, false)], [alert(2, false)])).toBe('assumed')
    expect(getLockState([upload(3, false), upload(1, true)], [alert(2, true)])).toBe('locked')
  })
})
