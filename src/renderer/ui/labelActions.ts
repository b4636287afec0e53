import { createStore } from 'zustand/vanilla'
import type { AppError } from '../../shared/errors'
import type { DismissalReason } from '../../shared/printerRemarks'
import type { PrintJob } from '../../shared/printing'
import type { Result } from '../../shared/result'
import { callMain } from '../bridge'
import { storeHook } from './storeHook'

export interface LabelActionsState {
  /** Shipments with an action under way. */
  busy: Record<string, true>
  /** What went wrong with the last action, by shipment. */
  errors: Record<string, AppError>
  reprint: (shipmentId: string, choice?: { labelId?: string; printerId?: string }) => Promise<void>
  printAgain: (job: PrintJob) => Promise<void>
  moveJob: (job: PrintJob, printerId: string) => Promise<void>
  /** Lets a carrier option's ZPL reconfigure printers. */
  allowCommands: (job: PrintJob) => Promise<void>
  resolveJob: (job: PrintJob, verdict: 'printed' | 'not-printed', reason?: DismissalReason) => Promise<void>
  cancelJob: (job: PrintJob) => Promise<void>
  fetchLabels: (shipmentId: string) => Promise<void>
  /** Says why nothing more is to be done about labels that can't be had or printed. */
  closeProblems: (shipmentId: string, reason: string) => Promise<void>
  openTracking: (shipmentId: string) => Promise<void>
}

function without<T>(record: Record<string, T>, key: string): Record<string, T> {
  const { [key]: _gone, ...rest } = record
  return rest
}

/**
 * What can be done with labels and print jobs, on whichever screen: one action a shipment at a time. What comes of it is
 * told by main's events.
 */
export const useLabels = storeHook(() =>
  createStore<LabelActionsState>((set, get) => {
    async function run(shipmentId: string, call: () => Promise<Result<unknown, AppError>>): Promise<void> {
      if (get().busy[shipmentId]) return
      set({ busy: { ...get().busy, [shipmentId]: true }, errors: without(get().errors, shipmentId) })
      const result = await call()
      set({ busy: without(get().busy, shipmentId) })
      if (!result.ok) set({ errors: { ...get().errors, [shipmentId]: result.error } })
    }
    return {
      busy: {},
      errors: {},
      reprint: (shipmentId, choice = {}) =>
        run(shipmentId, () => callMain('reprint', { shipmentId, ...choice })),
      printAgain: ({ shipmentId, id: jobId }) => run(shipmentId, () => callMain('printJobAgain', { jobId })),
      moveJob: ({ shipmentId, id: jobId }, printerId) =>
        run(shipmentId, () => callMain('moveJob', { jobId, printerId })),
      allowCommands: ({ shipmentId, id: jobId }) =>
        run(shipmentId, () => callMain('allowZplCommands', { jobId })),
      resolveJob: ({ shipmentId, id: jobId }, verdict, reason) =>
        run(shipmentId, () => callMain('resolveJob', { jobId, verdict, ...(reason && { reason }) })),
      cancelJob: ({ shipmentId, id: jobId }) => run(shipmentId, () => callMain('cancelJob', { jobId })),
      fetchLabels: (shipmentId) => run(shipmentId, () => callMain('fetchLabels', { shipmentId })),
      closeProblems: (shipmentId, reason) =>
        run(shipmentId, () => callMain('closeLabelProblems', { shipmentId, reason })),
      openTracking: (shipmentId) => run(shipmentId, () => callMain('openTrackingLink', { shipmentId })),
    }
  }),
)
