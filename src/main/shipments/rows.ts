import type { Generated, Selectable } from 'kysely'
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
import type { DatabaseSchema } from '../storage/database'
import type { LabelRecord, ShipmentRecord } from './ports'

declare module '../storage/database' {
  interface DatabaseSchema {
    shipments: {
      /** Order of arrival: breaks ties between shipments of the same millisecond. */
      number: Generated<number>
      id: string
      attemptId: string
      reference: string
      state: string
      origin: string
      draft: string
      recipient: string
      city: string
      country: string
      carrierOptionId: number
      /** 1 when its labels are to be printed as soon as they are stored. */
      print: number
      takenAt: string
      requestSentAt: string | null
      responseReceivedAt: string | null
      labelStoredAt: string | null
      error: string | null
      settledVerdict: string | null
      settledAt: string | null
      barcodes: string
      serviceShipmentId: string | null
      zendingId: string | null
      subLogId: string | null
      logId: string | null
      trackingUrl: string | null
      serviceMessage: string | null
      /** Where the label can be fetched, encrypted by the vault's cipher. */
      sealedLabelUrl: string | null
      /** Reference, names, city and barcodes in lower case, for the search. */
      searchText: string
    }
    labels: {
      id: string
      shipmentId: string
      position: number
      barcode: string
      kind: string
      /** Path below the labels folder; null when there is no content. */
      file: string | null
      byteLength: number
      sha256: string | null
      problem: string | null
      /** When a person said, and why, that nothing more is to be done about the problem. */
      closedAt: string | null
      closedReason: string | null
    }
  }
}

type Row<Table extends keyof DatabaseSchema> = Selectable<DatabaseSchema[Table]>

const barcodesSchema = z.array(z.string())

/** A column of JSON text, checked against its schema. */
function parseJson<Schema extends z.ZodType>(text: string, schema: Schema): z.output<Schema> {
  return schema.parse(JSON.parse(text))
}

/** Turns a row of the journal into a shipment. */
export function toShipment(row: Row<'shipments'> & { needsAttention: number }): ShipmentRecord {
  return {
    id: row.id,
    attemptId: row.attemptId,
    reference: row.reference,
    state: shipmentStateSchema.parse(row.state),
    resolution:
      row.settledVerdict === null
        ? null
        : resolutionSchema.parse({ verdict: row.settledVerdict, at: row.settledAt }),
    origin: shipmentOriginSchema.parse(row.origin),
    takenAt: row.takenAt,
    recipient: row.recipient,
    city: row.city,
    country: row.country,
    carrierOptionId: row.carrierOptionId,
    barcodes: parseJson(row.barcodes, barcodesSchema),
    needsAttention: row.needsAttention === 1,
    draft: parseJson(row.draft, recordedDraftSchema),
    print: row.print === 1,
    requestSentAt: row.requestSentAt,
    responseReceivedAt: row.responseReceivedAt,
    labelStoredAt: row.labelStoredAt,
    error: row.error === null ? null : parseJson(row.error, appErrorSchema),
    serviceShipmentId: row.serviceShipmentId,
    zendingId: row.zendingId,
    subLogId: row.subLogId,
    logId: row.logId,
    trackingUrl: row.trackingUrl,
    serviceMessage: row.serviceMessage,
    sealedLabelUrl: row.sealedLabelUrl,
  }
}

/** Turns a row into a label. */
export function toLabel(row: Row<'labels'>): LabelRecord {
  const label = labelSchema.parse({
    id: row.id,
    position: row.position,
    barcode: row.barcode,
    kind: row.kind,
    byteLength: row.byteLength,
    problem: row.problem,
    ...(row.closedAt !== null && { closed: { at: row.closedAt, reason: row.closedReason } }),
  })
  return { ...label, shipmentId: row.shipmentId, file: row.file, sha256: row.sha256 }
}

/** Turns a row, joined with its label and shipment, into a print job. */
export function toPrintJob(
  row: Row<'printJobs'> & { labelPosition: number; barcode: string; reference: string },
): PrintJob {
  return printJobSchema.parse({
    id: row.id,
    shipmentId: row.shipmentId,
    labelId: row.labelId,
    labelPosition: row.labelPosition,
    reference: row.reference,
    barcode: row.barcode,
    printerId: row.printerId,
    printerName: row.printerName,
    state: row.state,
    kind: row.kind,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    acceptedAt: row.acceptedAt,
    outputPath: row.outputPath,
    note: row.note === null ? null : JSON.parse(row.note),
    error: row.error === null ? null : JSON.parse(row.error),
    ...(row.pageFrom !== null && row.pageTo !== null && { pages: { from: row.pageFrom, to: row.pageTo } }),
    ...(row.scannedAt !== null && { scannedAt: row.scannedAt }),
    ...(row.agreedLosses !== null && { agreedLosses: JSON.parse(row.agreedLosses) }),
    ...(row.barcodes !== null && { barcodes: JSON.parse(row.barcodes) }),
  })
}

/** The columns of a print job that is stored for the first time. */
export function newPrintJobRow(job: NewPrintJob, now: string) {
  return {
    id: job.id,
    shipmentId: job.shipmentId,
    labelId: job.labelId,
    printerId: job.printerId,
    printerName: job.printerName,
    state: 'queued',
    kind: job.kind,
    createdAt: now,
    updatedAt: now,
    ...(job.pages !== undefined && { pageFrom: job.pages.from, pageTo: job.pages.to }),
  }
}
