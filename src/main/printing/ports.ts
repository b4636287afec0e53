import type { AppError } from '../../shared/errors'
import type { BarcodeProof, FindingKind } from '../../shared/labels'
import type { PrintNote } from '../../shared/printerRemarks'
import type { PageRange, PrintJob, PrintJobState } from '../../shared/printing'
import type { Result } from '../../shared/result'
import type { LabelKind } from '../../shared/shipments'

/** A print job before it is stored. */
export interface NewPrintJob {
  id: string
  shipmentId: string
  labelId: string
  printerId: string
  printerName: string
  kind: PrintJob['kind']
  /** The pages that are printed; all when left out. */
  pages?: PageRange
}

/** What may change in a stored job. */
export interface PrintJobChange {
  state?: PrintJobState
  acceptedAt?: Date
  outputPath?: string
  note?: PrintNote | null
  error?: AppError | null
  scannedAt?: Date
  agreedLosses?: FindingKind[]
  barcodes?: BarcodeProof
}

/** What waits for one printer. */
export interface QueuedJobs {
  /** The oldest of its queued jobs. */
  next: PrintJob
  /** How many are queued, this one included. */
  count: number
}

/** Where print jobs are kept. Every call is durable when its promise resolves. */
export interface PrintJobStore {
  add(jobs: NewPrintJob[]): Promise<PrintJob[]>
  find(jobId: string): Promise<PrintJob | undefined>
  /** Jobs of one shipment, oldest first. */
  ofShipment(shipmentId: string): Promise<PrintJob[]>
  /** Jobs of several shipments, oldest first. */
  ofShipments(shipmentIds: readonly string[]): Promise<PrintJob[]>
  /** Jobs in any of the states, oldest first. */
  inStates(states: PrintJobState[]): Promise<PrintJob[]>
  /**
   * The queue of each printer that has queued jobs. However long the queues are, one job of each is read.
   * @param begun ids of jobs that are passed over and not counted
   */
  listQueues(begun: readonly string[]): Promise<QueuedJobs[]>
  /** The jobs in any of the states that changed last, oldest first; of one printer when it is named. */
  newestInStates(states: PrintJobState[], limit: number, printerId?: string): Promise<PrintJob[]>
  /**
   * Changes a job, only while it is in one of the `from` states: undefined when it was not, so that two
   * actors can't both take the same job.
   */
  change(jobId: string, from: PrintJobState[], change: PrintJobChange): Promise<PrintJob | undefined>
  /**
   * Changes jobs as `change` does and adds those that take their place, all or nothing, so that no crash in between
   * can lose a label or print it twice: undefined when one of the jobs was in none of the `from` states.
   */
  replace(
    jobIds: readonly string[],
    from: PrintJobState[],
    change: PrintJobChange,
    successors: NewPrintJob[],
  ): Promise<{ replaced: PrintJob[]; successors: PrintJob[] } | undefined>
}

/** A stored label, ready to be printed. */
export interface PrintableLabel {
  labelId: string
  shipmentId: string
  position: number
  barcode: string
  reference: string
  carrierOptionId: number
  kind: LabelKind
  bytes: Buffer
}

/** Where stored labels come from. Labels that can't be printed give the reason as an error. */
export interface LabelSource {
  /** The labels of a shipment that can be printed, in order; an error when none can. */
  ofShipment(shipmentId: string): Promise<Result<PrintableLabel[]>>
  find(labelId: string): Promise<Result<PrintableLabel>>
}

/** Which printers stand still because a person wants it; kept over a restart. */
export interface PausedPrinters {
  list(): Promise<string[]>
  set(printerId: string, paused: boolean): Promise<void>
}

/** Which place of a printer's sheet of labels is free next, from 0; kept over a restart. */
export interface SheetPlaces {
  /** @param onSheet how many places a sheet has */
  next(printerId: string, onSheet: number): Promise<number>
  set(printerId: string, place: number): Promise<void>
  /** Takes the next places, on as many sheets as that needs, and gives the first. */
  take(printerId: string, count: number, onSheet: number): Promise<number>
  /** Makes taken places free again, unless the next place was changed since. */
  giveBack(printerId: string, taken: { from: number; count: number }, onSheet: number): Promise<void>
}
