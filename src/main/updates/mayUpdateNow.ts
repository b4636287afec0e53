import type { UpdateHold } from '../../shared/updates'

/** What is open at a station. */
export interface OpenWork {
  /** Shipments that are being created. */
  creating: number
  /** Print jobs whose bytes are on their way. */
  printing: number
  /** Shipments, uploads, pre-alerts and prints whose outcome nobody has looked at. */
  unknown: number
  isBatchRunning: boolean
  /** Labels that the disk did not take yet are in memory. */
  areLabelsInMemory: boolean
}

/** Why the app may not be replaced and started anew at this moment; null when nothing would be interrupted or forgotten. */
export function mayUpdateNow(open: OpenWork): UpdateHold | null {
  if (open.creating > 0) return 'shipping'
  if (open.areLabelsInMemory) return 'labels'
  if (open.isBatchRunning) return 'batch'
  if (open.printing > 0) return 'printing'
  if (open.unknown > 0) return 'unknown'
  return null
}
