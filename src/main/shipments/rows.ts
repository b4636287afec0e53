import type { Selectable } from 'kysely'
import { z } from 'zod'
import { appErrorSchema } from '../../shared/errors'
import { type PrintJob, printJobSchema } from '../../shared/printing'
import {
  labelSchema,
  recordedDraftSchema,
  resolutionSchema,
  shipmentOriginSchema,
  shipmentStateSchema,
} from '../../shared/shipment'
import type { NewPrintJob } from '../printing/ports'
import type { DatabaseSchema } from '../storage/schema'
import type { LabelRecord, ShipmentRecord } from './ports'

type Row<Table extends keyof DatabaseSchema> = Selectable<DatabaseSchema[Table]>

const barcodesSchema = z.array(z.string())

/** A column of JSON text, checked against its schema. */
function parseJson<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  return schema.parse(JSON.parse(text))
}

/** Turns a row of the journal into a shipment. */
export function toShipment(row: Row<'shipments'> & { needs_attention: number }): ShipmentRecord {
  return {
    id: row.id,
    attemptId: row.attempt_id,
    reference: row.reference,
    state: shipmentStateSchema.parse(row.state),
    resolution:
      row.settled_verdict === null
        ? null
        : resolutionSchema.parse({ verdict: row.settled_verdict, at: row.settled_at }),
    origin: shipmentOriginSchema.parse(row.origin),
    takenAt: row.taken_at,
    recipient: row.recipient,
    city: row.city,
    country: row.country,
    carrierOptionId: row.carrier_option_id,
    barcodes: parseJson(row.barcodes, barcodesSchema),
    needsAttention: row.needs_attention === 1,
    draft: parseJson(row.draft, recordedDraftSchema),
    print: row.print === 1,
    requestSentAt: row.request_sent_at,
    responseReceivedAt: row.response_received_at,
    labelStoredAt: row.label_stored_at,
    error: row.error === null ? null : parseJson(row.error, appErrorSchema),
    serviceShipmentId: row.service_shipment_id,
    zendingId: row.zending_id,
    subLogId: row.sub_log_id,
    logId: row.log_id,
    trackingUrl: row.tracking_url,
    serviceMessage: row.service_message,
    sealedLabelUrl: row.sealed_label_url,
  }
}

/** Turns a row into a label. */
export function toLabel(row: Row<'labels'>): LabelRecord {
  const label = labelSchema.parse({
    id: row.id,
    position: row.position,
    barcode: row.barcode,
    kind: row.kind,
    byteLength: row.byte_length,
    problem: row.problem,
    ...(row.closed_at !== null && { closed: { at: row.closed_at, reason: row.closed_reason } }),
  })
  return { ...label, shipmentId: row.shipment_id, file: row.file, sha256: row.sha256 }
}

/** Turns a row, joined with its label and shipment, into a print job. */
export function toPrintJob(
  row: Row<'print_jobs'> & { label_position: number; barcode: string; reference: string },
): PrintJob {
  return printJobSchema.parse({
    id: row.id,
    shipmentId: row.shipment_id,
    labelId: row.label_id,
    labelPosition: row.label_position,
    reference: row.reference,
    barcode: row.barcode,
    printerId: row.printer_id,
    printerName: row.printer_name,
    state: row.state,
    kind: row.kind,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    acceptedAt: row.accepted_at,
    outputPath: row.output_path,
    note: row.note === null ? null : JSON.parse(row.note),
    error: row.error === null ? null : JSON.parse(row.error),
    ...(row.page_from !== null &&
      row.page_to !== null && { pages: { from: row.page_from, to: row.page_to } }),
    ...(row.scanned_at !== null && { scannedAt: row.scanned_at }),
    ...(row.agreed_losses !== null && { agreedLosses: JSON.parse(row.agreed_losses) }),
    ...(row.barcodes !== null && { barcodes: JSON.parse(row.barcodes) }),
  })
}

/** The columns of a print job that is stored for the first time. */
export function newPrintJobRow(job: NewPrintJob, now: string) {
  return {
    id: job.id,
    shipment_id: job.shipmentId,
    label_id: job.labelId,
    printer_id: job.printerId,
    printer_name: job.printerName,
    state: 'queued',
    kind: job.kind,
    created_at: now,
    updated_at: now,
    ...(job.pages !== undefined && { page_from: job.pages.from, page_to: job.pages.to }),
  }
}
