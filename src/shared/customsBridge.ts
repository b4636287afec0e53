import { z } from 'zod'
import { customsPartySchema } from './customs'
import { appErrorSchema } from './errors'
import { countryCodeSchema, requiredTextSchema, textSchema } from './fields'
import { pdfPreviewSchema } from './manifestBridge'
import { languageSchema } from './settings'

/** A product of the catalogue. */
export const productSchema = z.strictObject({
  code: requiredTextSchema,
  name: requiredTextSchema,
  hsCode: textSchema,
  countryOfOrigin: countryCodeSchema.or(z.literal('')),
  /** Of one piece, in kilograms as far as the app is concerned. */
  weight: z.number().nonnegative(),
  /** Of one piece, in the invoice's currency. */
  price: z.number().nonnegative(),
})
export type Product = z.infer<typeof productSchema>

/** A sender whose data go on invoices. */
export const senderProfileSchema = z.strictObject({
  id: z.uuid(),
  name: requiredTextSchema,
  party: customsPartySchema,
})
export type SenderProfile = z.infer<typeof senderProfileSchema>

/** What became of a catalogue file. */
export const catalogueImportSchema = z.object({
  added: z.int(),
  changed: z.int(),
  /** Lines that were left out: the line in the file from 1, the column, and what is wrong. */
  faults: z.array(
    z.object({
      line: z.int(),
      column: z.enum(['code', 'name', 'hsCode', 'countryOfOrigin', 'weight', 'price']),
      code: z.enum(['required', 'number', 'country', 'twice', 'too-long', 'cell-error']),
    }),
  ),
  linesLeftOut: z.int(),
  /** HS codes that the spreadsheet holds as numbers: their leading zeros are gone. */
  hsNumbers: z.int(),
})
export type CatalogueImport = z.infer<typeof catalogueImportSchema>

const bytes = z.instanceof(ArrayBuffer)
const invoiceOf = z.strictObject({ shipmentId: z.uuid(), language: languageSchema })

/** Methods of the bridge for customs data. */
export const customsMethods = {
  /** Products whose code or name holds a text, those whose code begins with it first. */
  searchProducts: {
    input: z.strictObject({
      text: z.string().max(200),
      limit: z.int().min(1).max(500),
      offset: z.int().min(0),
    }),
    output: z.object({ products: z.array(productSchema), total: z.int() }),
  },
  /** The product of a scanned or typed code; null when there is none. */
  findProduct: { input: z.strictObject({ code: z.string().max(500) }), output: productSchema.nullable() },
  saveProduct: { input: productSchema, output: productSchema },
  removeProduct: { input: z.strictObject({ code: z.string().max(500) }), output: z.undefined() },
  importProducts: {
    input: z.strictObject({ fileName: z.string().max(500), bytes }),
    output: catalogueImportSchema,
  },
  saveCatalogue: { input: z.strictObject({ kind: z.enum(['csv', 'xlsx']) }), output: z.string().nullable() },
  listSenderProfiles: { input: z.undefined(), output: z.array(senderProfileSchema) },
  saveSenderProfile: { input: senderProfileSchema, output: senderProfileSchema },
  removeSenderProfile: { input: z.strictObject({ id: z.uuid() }), output: z.undefined() },
  /** The number that follows the highest one used so far. */
  suggestInvoiceNumber: { input: z.undefined(), output: z.string() },
  previewInvoice: { input: invoiceOf, output: pdfPreviewSchema },
  /** Prints on the document printer; gives the printer's name. */
  printInvoice: { input: invoiceOf, output: z.string() },
  /** Saves the PDF at a place of the person's choice; null when they chose none. */
  saveInvoice: { input: invoiceOf, output: z.string().nullable() },
}

/** Events for customs data. */
export const customsEvents = {
  /** The invoice that goes with each label was printed, or was not. */
  invoicePrinted: z.object({
    shipmentId: z.string(),
    reference: z.string(),
    printer: z.string().nullable(),
    error: appErrorSchema.nullable(),
  }),
}
