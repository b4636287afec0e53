import type { Generated } from 'kysely'
import type { ConsignmentSchema } from './consignmentTables'

/** Columns as SQLite holds them: moments are ISO 8601 text in UTC, structures are JSON text. */
export interface DatabaseSchema extends ConsignmentSchema {
  shipments: ShipmentsTable
  labels: LabelsTable
  print_jobs: PrintJobsTable
  queued_jobs: QueuedJobsTable
  paused_printers: PausedPrintersTable
  sheet_places: SheetPlacesTable
  carrier_limits: CarrierLimitsTable
  order_files: OrderFilesTable
  parcels: ParcelsTable
  parcel_events: ParcelEventsTable
  status_codes: StatusCodesTable
  duplicate_guard: DuplicateGuardTable
  clock: ClockTable
  unguarded_labels: UnguardedLabelsTable
}

export interface ShipmentsTable {
  /** Order of arrival: breaks ties between shipments of the same millisecond. */
  number: Generated<number>
  id: string
  attempt_id: string
  reference: string
  state: string
  origin: string
  draft: string
  recipient: string
  city: string
  country: string
  carrier_option_id: number
  /** 1 when its labels are to be printed as soon as they are stored. */
  print: number
  taken_at: string
  request_sent_at: string | null
  response_received_at: string | null
  label_stored_at: string | null
  error: string | null
  settled_verdict: string | null
  settled_at: string | null
  barcodes: string
  service_shipment_id: string | null
  zending_id: string | null
  sub_log_id: string | null
  log_id: string | null
  tracking_url: string | null
  service_message: string | null
  /** Where the label can be fetched, encrypted by the vault's cipher. */
  sealed_label_url: string | null
  /** Reference, names, city and barcodes in lower case, for the search. */
  search_text: string
}

export interface LabelsTable {
  id: string
  shipment_id: string
  position: number
  barcode: string
  kind: string
  /** Path below the labels folder; null when there is no content. */
  file: string | null
  byte_length: number
  sha256: string | null
  problem: string | null
  /** When a person said, and why, that nothing more is to be done about the problem. */
  closed_at: string | null
  closed_reason: string | null
}

export interface PrintJobsTable {
  number: Generated<number>
  id: string
  shipment_id: string
  label_id: string
  printer_id: string
  printer_name: string
  state: string
  kind: string
  created_at: string
  updated_at: string
  accepted_at: string | null
  output_path: string | null
  note: string | null
  error: string | null
  /** Null when all pages are printed. */
  page_from: number | null
  page_to: number | null
  scanned_at: string | null
  /** JSON; null when the person agreed to nothing for this job. */
  agreed_losses: string | null
  /** JSON; null when the label's barcodes were not read. */
  barcodes: string | null
}

/** Kept by triggers on print_jobs. */
export interface QueuedJobsTable {
  printer_id: string
  jobs: number
}

export interface PausedPrintersTable {
  printer_id: string
  paused_at: string
}

export interface SheetPlacesTable {
  printer_id: string
  next_place: number
}

export interface CarrierLimitsTable {
  carrier_option_id: number
  limits: string
  seen_at: string
}

export interface OrderFilesTable {
  number: Generated<number>
  id: string
  name: string
  taken_at: string
  state: string
  content_sha256: string | null
}

export interface ParcelsTable {
  code: string
  shipment_id: string | null
  watched_since: string | null
  found: Generated<number>
  asked_at: string | null
  /** When the service last confirmed the timeline that is stored. */
  known_at: string | null
  changed_at: string | null
  language: string | null
  event_count: Generated<number>
  last_item_number: number | null
  last_code: string | null
  last_description: string | null
  last_location: string | null
  last_date_time: string | null
  told: string | null
}

export interface ParcelEventsTable {
  code: string
  events: string
}

export interface StatusCodesTable {
  code: string
  description: string
  seen_at: string
}

export interface DuplicateGuardTable {
  key: number
  /** The shipments whose references have this key, as JSON. */
  entries: string
  newest_at: string
}

export interface ClockTable {
  one: number
  state: string
}

export interface UnguardedLabelsTable {
  shipment_id: string
  confirmed_at: string
}
