import { randomUUID } from 'node:crypto'
import { type AppError, appError } from '../../shared/errors'
import type { Language } from '../../shared/fields'
import type { Printer } from '../../shared/printing'
import { err, ok, type Result } from '../../shared/result'
import type { ShipmentDetails, ShipmentDraft } from '../../shared/shipments'
import { type PrinterDrivers, printWith } from '../printing/drivers/driver'
import { makeInvoice } from './invoicePdf'

/** What is needed of a shipment. */
export interface InvoicedShipment {
  id: string
  draft: ShipmentDraft
  reference: string
  barcodes: readonly string[]
}

/** Commercial invoices of shipments with customs data. */
export interface Invoices {
  /** The PDF, and the name that a file of it gets; `no-customs` when the shipment has no customs data. */
  make(shipment: InvoicedShipment, language: Language): Promise<Result<{ pdf: Buffer; fileName: string }>>
  /** Prints on the document printer; gives the printer's name when it has all of it. */
  print(shipment: InvoicedShipment, language: Language): Promise<Result<string>>
  /** To be called with each outcome of a creation: prints the invoice when it always goes with the label, once. */
  withLabel(shipment: ShipmentDetails): Promise<void>
}

export interface InvoicesDeps {
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
    const pdf = await makeInvoice({ customs, reference, barcodes }, language)
    const name = (customs.invoiceNumber === '' ? reference : customs.invoiceNumber).replace(
      /[^\p{L}\p{N}._-]+/gu,
      '-',
    )
    return ok({ pdf, fileName: `invoice-${name}.pdf` })
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
  { pdf, fileName }: { pdf: Buffer; fileName: string },
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
      return err(appError('printer-failed', 'The invoice was not printed: the app is closing.'))
  }
}

function noCustoms(): AppError {
  return appError('no-customs', 'This shipment has no customs data, so there is no invoice.')
}

function noPrinter(): AppError {
  return appError('no-document-printer', 'No document printer is chosen: choose one in the settings.')
}
