import type { Language } from '../../shared/fields'
import { answerCalls } from '../lib/workerPool'
import { type Invoice, type InvoiceContent, makeInvoice } from './invoicePdf'

export interface InvoiceCalls {
  makeInvoice: { input: { content: InvoiceContent; language: Language }; output: Invoice }
}

// The entry of the thread that makes invoices: built as a file of its own, beside the main program.
answerCalls<InvoiceCalls>({ makeInvoice: ({ content, language }) => makeInvoice(content, language) })
