import { createStore, type StoreApi } from 'zustand/vanilla'
import type { BridgeClient } from '../../shared/bridge'
import type { AppError } from '../../shared/errors'
import type { DismissalReason } from '../../shared/printerRemarks'
import type { PrintJob } from '../../shared/printing'
import type { Result } from '../../shared/result'
import type { ShipmentDetails } from '../../shared/shipments'
import { toResult } from '../bridge'

export interface LabelActionsDependencies {
  bridge: BridgeClient
  /** Tells the screens about new or changed jobs. */
  onJobs: (jobs: readonly PrintJob[]) => void
  /** Tells the screens about a changed shipment. */
  onShipment: (shipment: ShipmentDetails) => void
}

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
  dismissError: (shipmentId: string) => void
}

export type LabelActionsStore = StoreApi<LabelActionsState>

function without<T>(record: Record<string, T>, key: string): Record<string, T> {
  const { [key]: _gone, ...rest } = record
  return rest
}

/** What can be done with labels and print jobs, on whichever screen: one action a shipment at a time. */
export function createLabelActionsStore(dependencies: LabelActionsDependencies): LabelActionsStore {
  const { bridge, onJobs, onShipment } = dependencies
  return createStore<LabelActionsState>((set, get) => {
    async function run<T>(
      shipmentId: string,
      call: () => Promise<Result<T, AppError>>,
      done: (value: T) => void,
    ): Promise<void> {
      if (get().busy[shipmentId]) return
      set({ busy: { ...get().busy, [shipmentId]: true }, errors: without(get().errors, shipmentId) })
      const result = await toResult(call())
      set({ busy: without(get().busy, shipmentId) })
      if (result.ok) done(result.value)
      else set({ errors: { ...get().errors, [shipmentId]: result.error } })
    }
    const oneJob = (job: PrintJob) => onJobs([job])

    return {
      busy: {},
      errors: {},
      reprint: (shipmentId, choice = {}) =>
        run(shipmentId, () => bridge.reprint({ shipmentId, ...choice }), onJobs),
      printAgain: (job) => run(job.shipmentId, () => bridge.printJobAgain({ jobId: job.id }), oneJob),
      moveJob: (job, printerId) =>
        run(job.shipmentId, () => bridge.moveJob({ jobId: job.id, printerId }), oneJob),
      allowCommands: (job) =>
        run(
          job.shipmentId,
          () => bridge.allowZplCommands({ jobId: job.id }),
          () => undefined,
        ),
      resolveJob: (job, verdict, reason) =>
        run(
          job.shipmentId,
          () => bridge.resolveJob({ jobId: job.id, verdict, ...(reason && { reason }) }),
          oneJob,
        ),
      cancelJob: (job) => run(job.shipmentId, () => bridge.cancelJob({ jobId: job.id }), oneJob),
      fetchLabels: (shipmentId) => run(shipmentId, () => bridge.fetchLabels({ shipmentId }), onShipment),
      closeProblems: (shipmentId, reason) =>
        run(shipmentId, () => bridge.closeLabelProblems({ shipmentId, reason }), onShipment),
      openTracking: (shipmentId) =>
        run(
          shipmentId,
          () => bridge.openTrackingLink({ shipmentId }),
          () => undefined,
        ),
      dismissError: (shipmentId) => set({ errors: without(get().errors, shipmentId) }),
    }
  })
}
