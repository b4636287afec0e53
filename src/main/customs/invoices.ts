import { randomUUID } from 'node:crypto'
import { type AppError, appError } from '../../shared/errors'
import type { Language } from '../../shared/fields'
import type { Printer } from '../../shared/printing'
import { err, ok, type Result } from '../../shared/result'
import type { ShipmentDetails, ShipmentDraft } from '../../shared/shipments'
import { reasonOf } from '../lib/reasonOf'
import { WorkerPool } from '../lib/workerPool'
import { type PrinterDrivers, printWith } from '../printing/drivers/driver'
import type { Invoice, InvoiceContent } from './invoicePdf'
import type { InvoiceCalls } from './invoiceWorker'

/** What is needed of a shipment. */
export interface InvoicedShipment {
  id: string
  draft: ShipmentDraft
  reference: string
  barcodes: readonly string[]
}

/** See `makeInvoice`; throws when the invoice can't be made. */
export type InvoiceMaker = (content: InvoiceContent, language: Language) => Promise<Invoice>

/**
 * Makes invoices in a thread of their own: embedding fonts takes longer than labels may wait.
 * @param script the built `invoiceWorker.ts`
 */
export function createInvoiceMaker(script: URL): InvoiceMaker {
  const pool = new WorkerPool<InvoiceCalls>({
    script,
    maxThreads: 1,
    isThreadPerCall: true,
    maxTaskMs: 60_000,
  })
  return async (content, language) => {
    const made = await pool.run('makeInvoice', { content, language })
    if (made.ok) return made.value
    throw new Error(made.error.cause ?? made.error.kind)
  }
}

/** A made invoice, and the name that a file of it gets. */
export interface MadeInvoice {
  pdf: Buffer
  fileName: string
  /** Letters in whose place a mark stands. */
  unprintable: string[]
}

/** Commercial invoices of shipments with customs data. */
export interface Invoices {
  /** `no-customs` when the shipment has no customs data. */
  make(shipment: InvoicedShipment, language: Language): Promise<Result<MadeInvoice>>
  /** Prints on the document printer; gives the printer's name when it has all of it. */
  print(shipment: InvoicedShipment, language: Language): Promise<Result<string>>
  /** To be called with each outcome of a creation: prints the invoice when it always goes with the label, once. */
  withLabel(shipment: ShipmentDetails): Promise<void>
}

export interface InvoicesDeps {
  makeInvoice: InvoiceMaker
  drivers: PrinterDrivers
  /** The document printer; undefined when none is chosen or it is gone. */
  printer(): Printer | undefined
  always(): boolean
  language(): Language
  onPrinted(outcome: {
    shipmentId: string
    reference: string
    printer: string | null
    error: AppError | null
  }): void
}

/** Makes the feature. */
export function createInvoices(deps: InvoicesDeps): Invoices {
  const printed = new Set<string>()

  const make: Invoices['make'] = async ({ draft, reference, barcodes }, language) => {
    const { customs } = draft
    if (customs === undefined) return err(noCustoms())
    const name = (customs.invoiceNumber === '' ? reference : customs.invoiceNumber).replace(
      /[^\p{L}\p{N}._-]+/gu,
      '-',
    )
    try {
      const { pdf, unprintable } = await deps.makeInvoice({ customs, reference, barcodes }, language)
      return ok({ pdf: Buffer.from(pdf), fileName: `invoice-${name}.pdf`, unprintable })
    } catch (error) {
      return err(appError('internal', { case: 'invoice', reference, reason: reasonOf(error) }))
    }
  }

  const print: Invoices['print'] = async (shipment, language) => {
    const printer = deps.printer()
    if (printer === undefined) return err(noPrinter())
    const made = await make(shipment, language)
    if (!made.ok) return made
    return printOn(deps.drivers, printer, shipment, made.value)
  }

  return {
    make,
    print,
    async withLabel(shipment) {
      if (shipment.state !== 'created' || shipment.draft.customs === undefined || !deps.always()) return
      // The same outcome can be given twice; its invoice comes out once.
      if (printed.has(shipment.id)) return
      printed.add(shipment.id)
      const { id: shipmentId, reference } = shipment
      const result = await print(shipment, deps.language())
      deps.onPrinted(
        result.ok
          ? { shipmentId, reference, printer: result.value, error: null }
          : { shipmentId, reference, printer: null, error: result.error },
      )
    },
  }
}

async function printOn(
  drivers: PrinterDrivers,
  printer: Printer,
  { id, draft }: InvoicedShipment,
  { pdf, fileName }: MadeInvoice,
): Promise<Result<string>> {
  const label = {
    labelId: randomUUID(),
    shipmentId: id,
    position: 1,
    barcode: fileName.replace(/\.pdf$/, ''),
    reference: draft.reference,
    carrierOptionId: draft.carrierOptionId,
    kind: 'pdf' as const,
    bytes: pdf,
  }
  const never = new AbortController().signal
  const context = {
    jobId: randomUUID(),
    label,
    rules: [],
    hasStandby: false,
    check: () => ok(undefined),
    progress() {},
    accepted() {},
    begin: async () => true,
    roomForNext() {},
    cancelled: never,
  }
  const outcome = await printWith(drivers, printer, context, never)
  switch (outcome.kind) {
    case 'done':
    case 'handed-over':
      return ok(printer.name ?? printer.id)
    case 'failed':
    case 'unconfirmed':
      return err(outcome.error)
    case 'cancelled':
    case 'not-started':
      return err(appError('printer-failed', { case: 'closing' }))
  }
}

function noCustoms(): AppError {
  return appError('no-customs')
}

function noPrinter(): AppError {
  return appError('no-document-printer')
}
