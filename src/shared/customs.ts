import { z } from 'zod'
import { guardedMethod, nothing, openMethod } from './contract'
import { appErrorSchema } from './errors'
import { countryCodeSchema, languageSchema, requiredTextSchema, textSchema } from './fields'
import { fileBytesSchema, maxTableMegabytes } from './inputIssues'
import { pdfPreviewSchema } from './printing'

/** A party on the commercial invoice. `type` is the service's letter (spec: shipment_details). */
export const customsPartySchema = z.object({
  companyName: textSchema,
  name: textSchema,
  street: textSchema,
  houseNumber: textSchema,
  postalCode: textSchema,
  city: textSchema,
  country: countryCodeSchema,
  email: textSchema,
  phoneNumber: textSchema,
  type: z.enum(['Y', 'N']),
  vatNumber: textSchema,
  eoriNumber: textSchema,
})
export type CustomsParty = z.infer<typeof customsPartySchema>

export const customsItemSchema = z.object({
  productCode: textSchema,
  product: textSchema,
  quantity: z.number().positive(),
  /** The HS code, `tariffcode` on the wire. */
  hsCode: textSchema,
  countryOfOrigin: countryCodeSchema,
  /** The app assumes kilograms; the spec states no unit. */
  weight: z.number().nonnegative(),
  itemPrice: z.number().nonnegative(),
})
export type CustomsItem = z.infer<typeof customsItemSchema>

/** The customs / commercial invoice block of a shipment (spec: shipment_details). */
export const customsSchema = z.object({
  invoiceNumber: textSchema,
  invoiceDate: z.iso.date(),
  terms: textSchema,
  currency: textSchema,
  reason: textSchema,
  sender: customsPartySchema,
  recipient: customsPartySchema,
  /** An upper bound for data of other programs, more than any real shipment has. */
  items: z.array(customsItemSchema).min(1).max(5000),
})
export type Customs = z.infer<typeof customsSchema>

/** Returns a warning about an HS code; null when there is none. */
export function hsCodeAdvice(code: string): 'hs-form' | 'hs-lost-zero' | null {
  const digits = code.replace(/[. ]/g, '')
  if (/^\d+$/.test(digits) && digits.length % 2 === 1 && digits.length >= 5 && digits.length <= 9)
    return 'hs-lost-zero'
  return /^\d{6,10}$/.test(digits) ? null : 'hs-form'
}

/** Whether a text has the format of an IOSS number: IM and ten digits. */
export function hasIossForm(text: string): boolean {
  return /^IM\d{10}$/.test(text.replace(/\s/g, ''))
}

/** Whether a text has the format of a VAT number: a country's two letters, then 2 to 13 letters and digits. */
export function hasVatForm(text: string): boolean {
  return /^[A-Z]{2}[0-9A-Z+*]{2,13}$/.test(text.replace(/[\s.-]/g, ''))
}

/** Whether a text has the format of an EORI number: a country's two letters, then up to 15 letters and digits. */
export function hasEoriForm(text: string): boolean {
  return /^[A-Z]{2}[0-9A-Z]{1,15}$/.test(text.replace(/\s/g, ''))
}

/** Sums over the items of an invoice. */
export interface CustomsTotals {
  /** In kilograms (assumed), rounded to the gram. */
  weight: number
  /** In the invoice's currency: the sum of the lines, each rounded to the cent as on the printed invoice. */
  value: number
  pieces: number
}

/** Totals of the items, whose weight and price are per piece. */
export function customsTotals(
  items: readonly Pick<CustomsItem, 'quantity' | 'weight' | 'itemPrice'>[],
): CustomsTotals {
  const sum = (getPart: (item: Pick<CustomsItem, 'quantity' | 'weight' | 'itemPrice'>) => number) =>
    items.reduce((total, item) => total + getPart(item), 0)
  return {
    weight: rounded(
      sum((item) => item.quantity * item.weight),
      1000,
    ),
    value: rounded(
      sum((item) => rounded(item.quantity * item.itemPrice, 100)),
      100,
    ),
    pieces: rounded(
      sum((item) => item.quantity),
      1000,
    ),
  }
}

/** Rounds halves up by their decimal form: 1.005 is slightly less in binary. */
function rounded(value: number, steps: number): number {
  return Math.round(Number((value * steps).toPrecision(12))) / steps
}

/** Members of the EU customs union, Monaco, and Northern Ireland (XI), which is treated as a member for goods. */
const unionCountries = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK XI'.split(' '),
)

/** Places whose customs or tax area differs from that of their country. */
export type SpecialPlace =
  | 'canary-islands'
  | 'ceuta-melilla'
  | 'livigno'
  | 'heligoland'
  | 'buesingen'
  | 'aland'
  | 'french-overseas'
  | 'mount-athos'
  | 'northern-ireland'
  | 'campione'

interface Special {
  place: SpecialPlace
  country: string
  postalCode: RegExp
}

const specials: readonly Special[] = [
  { place: 'canary-islands', country: 'ES', postalCode: /^(?:35|38)\d{3}$/ },
  { place: 'ceuta-melilla', country: 'ES', postalCode: /^(?:51|52)\d{3}$/ },
  { place: 'livigno', country: 'IT', postalCode: /^23041$/ },
  { place: 'campione', country: 'IT', postalCode: /^22061$/ },
  { place: 'heligoland', country: 'DE', postalCode: /^27498$/ },
  { place: 'buesingen', country: 'DE', postalCode: /^78266$/ },
  { place: 'aland', country: 'FI', postalCode: /^22\d{3}$/ },
  // Not 980: Monaco, which shops also write as France.
  { place: 'french-overseas', country: 'FR', postalCode: /^9(?:7\d|8[4-9])\d{2}$/ },
  { place: 'mount-athos', country: 'GR', postalCode: /^6308[67]$/ },
  { place: 'northern-ireland', country: 'GB', postalCode: /^BT\d/i },
]

/** Whether customs data are suggested, and the special place to consider. Advice only. */
export interface CustomsSuggestion {
  suggested: boolean
  place: SpecialPlace | null
}

/** The country that parcels are sent from by a station without a sender: the Netherlands, where the service is used most. */
export const defaultSendingCountry = 'NL'

/** Whether a person must decide about customs data before a parcel is shipped automatically, because they are usual or may be required there. */
export function needsCustomsDecision(from: string, to: { country: string; postalCode: string }): boolean {
  const { suggested, place } = suggestCustoms(from, to)
  return suggested || place === 'northern-ireland'
}

/** Suggests whether a parcel needs customs data. Unknown countries give no suggestion. */
export function suggestCustoms(from: string, to: { country: string; postalCode: string }): CustomsSuggestion {
  if (from === '' || to.country === '') return { suggested: false, place: null }
  const code = to.postalCode.replace(/[\s-]/g, '')
  const special = specials.find((each) => each.country === to.country && each.postalCode.test(code))
  const sameArea = from === to.country || (unionCountries.has(from) && unionCountries.has(to.country))
  // Goods from the EU and Great Britain enter Northern Ireland without customs, but carriers' requirements are
  // unknown: a person decides.
  if (special?.place === 'northern-ireland')
    return { suggested: !sameArea && !unionCountries.has(from), place: special.place }
  return { suggested: special !== undefined || !sameArea, place: special?.place ?? null }
}

/** Delivery terms of Incoterms 2020, those for any transport first. Suggestions only. */
export const incoterms: readonly string[] = 'DAP DDP DPU EXW FCA CPT CIP FAS FOB CFR CIF'.split(' ')

/** A product of the catalogue. */
export const productSchema = z.strictObject({
  code: requiredTextSchema,
  name: requiredTextSchema,
  hsCode: textSchema,
  countryOfOrigin: countryCodeSchema.or(z.literal('')),
  /** Per piece; the app assumes kilograms. */
  weight: z.number().nonnegative(),
  /** Per piece, in the invoice's currency. */
  price: z.number().nonnegative(),
})
export type Product = z.infer<typeof productSchema>

/** A sender for invoices. */
export const senderProfileSchema = z.strictObject({
  id: z.uuid(),
  name: requiredTextSchema,
  party: customsPartySchema,
})
export type SenderProfile = z.infer<typeof senderProfileSchema>

const productColumnSchema = z.enum(['code', 'name', 'hsCode', 'countryOfOrigin', 'weight', 'price'])

/** The result of a catalogue import. */
export const catalogueImportSchema = z.object({
  added: z.int(),
  changed: z.int(),
  /** Skipped lines: line number in the file from 1, column, and cause. */
  issues: z.array(
    z.object({
      line: z.int(),
      column: productColumnSchema,
      code: z.enum(['required', 'number', 'country', 'twice', 'too-long', 'cell-error']),
    }),
  ),
  linesLeftOut: z.int(),
  /** Product and HS codes that the spreadsheet stores as numbers, without leading zeros. */
  codeNumbers: z.int(),
  /** Columns that the file lacks. Known products keep their values. */
  missingColumns: z.array(productColumnSchema),
})
export type CatalogueImport = z.infer<typeof catalogueImportSchema>

const toInvoice = z.strictObject({ shipmentId: z.uuid(), language: languageSchema })

/** Methods of the bridge for customs data. */
export const customsMethods = {
  /** Products whose code or name contains a text; those whose code begins with it first. */
  searchProducts: openMethod(
    z.strictObject({
      text: z.string().max(200),
      limit: z.int().min(1).max(500),
      offset: z.int().min(0),
    }),
    z.object({ products: z.array(productSchema), total: z.int() }),
  ),
  /** The product with a scanned or typed code; null when there is none. */
  findProduct: openMethod(z.strictObject({ code: z.string().max(500) }), productSchema.nullable()),
  removeProduct: guardedMethod('settings', z.strictObject({ code: z.string().max(500) }), nothing),
  /** Adds a file's products, and replaces the file's columns of those with the same code. Skips lines with issues. */
  importProducts: guardedMethod(
    'settings',
    z.strictObject({ fileName: z.string().max(500), bytes: fileBytesSchema(maxTableMegabytes) }),
    catalogueImportSchema,
  ),
  saveCatalogue: openMethod(z.strictObject({ kind: z.enum(['csv', 'xlsx']) }), z.string().nullable()),
  listSenderProfiles: openMethod(nothing, z.array(senderProfileSchema)),
  saveSenderProfile: guardedMethod('settings', senderProfileSchema, senderProfileSchema),
  removeSenderProfile: guardedMethod('settings', z.strictObject({ id: z.uuid() }), nothing),
  /** The number after the highest one used so far. */
  suggestInvoiceNumber: openMethod(nothing, z.string()),
  previewInvoice: openMethod(
    toInvoice,
    /** `unprintable`: the characters that the invoice can't show. */
    pdfPreviewSchema.extend({ unprintable: z.array(z.string()) }),
  ),
  /** Prints on the document printer; returns the printer's name. */
  printInvoice: openMethod(toInvoice, z.string()),
  /** Saves the PDF where the person chooses; null when cancelled. */
  saveInvoice: openMethod(toInvoice, z.string().nullable()),
}

/** Events for customs data. */
export const customsEvents = {
  /** The invoice of a label was printed or failed. */
  invoicePrinted: z.object({
    shipmentId: z.string(),
    reference: z.string(),
    printer: z.string().nullable(),
    error: appErrorSchema.nullable(),
  }),
}
