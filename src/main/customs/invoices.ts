import { appError } from '../../shared/errors'
import type { Language } from '../../shared/fields'
import { err, ok } from '../../shared/result'
import type { ShipmentDraft } from '../../shared/shipments'
import { toReason } from '../lib/toReason'
import { WorkerPool } from '../lib/workerPool'
import type { InvoiceSource } from '../printing/printableLabel'
import type { SettingsStore } from '../settings/settingsStore'
import type { Invoice, InvoiceContent } from './invoicePdf'
import type { InvoiceCalls } from './invoiceWorker'

/** The part of a shipment that an invoice contains. */
export interface InvoicedShipment {
  draft: ShipmentDraft
  reference: string
  barcodes: readonly string[]
}

/** See `makeInvoice`; throws when the invoice can't be made. */
export type InvoiceMaker = (content: InvoiceContent, language: Language) => Promise<Invoice>

/**
 * Makes invoices in a worker thread, because embedding fonts would delay labels.
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

export type Invoices = ReturnType<typeof createInvoices>

export interface InvoicesDeps {
  makeInvoice: InvoiceMaker
  shipmentRepository: { find(shipmentId: string): Promise<InvoicedShipment | undefined> }
  settings: Pick<SettingsStore, 'current'>
}

/** Commercial invoices of shipments with customs data. Their errors are `shipment-not-found` and `no-customs`. */
export function createInvoices({ makeInvoice, shipmentRepository, settings }: InvoicesDeps) {
  async function make(shipmentId: string, language: Language) {
    const shipment = await shipmentRepository.find(shipmentId)
    if (shipment === undefined) return err(appError('shipment-not-found'))
    const { draft, reference, barcodes } = shipment
    if (draft.customs === undefined) return err(appError('no-customs'))
    const { invoiceNumber } = draft.customs
    const name = (invoiceNumber === '' ? reference : invoiceNumber).replace(/[^\p{L}\p{N}._-]+/gu, '-')
    try {
      const made = await makeInvoice({ customs: draft.customs, reference, barcodes }, language)
      const { pdf, unprintable } = made
      return ok({ pdf: Buffer.from(pdf), fileName: `invoice-${name}.pdf`, unprintable, shipment })
    } catch (error) {
      return err(appError('internal', { case: 'invoice', reference, reason: toReason(error) }))
    }
  }

  const source: InvoiceSource = {
    async find(shipmentId, language) {
      const made = await make(shipmentId, language)
      if (!made.ok) return made
      const { pdf, fileName, shipment } = made.value
      return ok({
        labelId: '',
        shipmentId,
        position: 1,
        barcode: fileName.replace(/\.pdf$/, ''),
        reference: shipment.reference,
        carrierOptionId: shipment.draft.carrierOptionId,
        kind: 'pdf',
        bytes: pdf,
      })
    },
    printer() {
      const { printers, customs } = settings.current()
      return printers.find(({ id }) => id === customs.documentPrinter)
    },
    languageWithLabel() {
      const { printInvoice, invoiceLanguage } = settings.current().customs
      return printInvoice === 'with-label' ? invoiceLanguage : undefined
    },
  }
  return { ...source, make }
}
