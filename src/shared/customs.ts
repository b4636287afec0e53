import { z } from 'zod'
import { method, nothing } from './contract'
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
  /** In kilograms as far as the app is concerned; the spec states no unit. */
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
  /** More than any shipment has: a bound for what other programs write. */
  items: z.array(customsItemSchema).min(1).max(5000),
})
export type Customs = z.infer<typeof customsSchema>

/** What is worth a look about an HS code; null when nothing is. */
export function hsCodeAdvice(code: string): 'hs-form' | 'hs-lost-zero' | null {
  const digits = code.replace(/[. ]/g, '')
  if (/^\d+$/.test(digits) && digits.length % 2 === 1 && digits.length >= 5 && digits.length <= 9)
    return 'hs-lost-zero'
  return /^\d{6,10}$/.test(digits) ? null : 'hs-form'
}

/** Whether a text has the form of an IOSS number: IM and ten digits. */
export function hasIossForm(text: string): boolean {
  return /^IM\d{10}$/.test(text.replace(/\s/g, ''))
}

/** Whether a text has the form of a VAT number: two letters of a country, then 2 to 13 letters and digits. */
export function hasVatForm(text: string): boolean {
  return /^[A-Z]{2}[0-9A-Z+*]{2,13}$/.test(text.replace(/[\s.-]/g, ''))
}

/** Whether a text has the form of an EORI number: two letters of a country, then up to 15 letters and digits. */
export function hasEoriForm(text: string): boolean {
  return /^[A-Z]{2}[0-9A-Z]{1,15}$/.test(text.replace(/\s/g, ''))
}

/** Sums over the items of an invoice. */
export interface CustomsTotals {
  /** Kilograms as far as the app is concerned, to the gram. */
  weight: number
  /** In the invoice's currency: the sum of the lines, each to the cent, as it is added up on paper. */
  value: number
  pieces: number
}

/** Adds the items up: weight and price are those of one piece. */
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

/** Halves go up by their decimal form: 1.005 is a little less in binary. */
function rounded(value: number, steps: number): number {
  return Math.round(Number((value * steps).toPrecision(12))) / steps
}

/** Members of the customs union of the EU, Monaco, and Northern Ireland (XI), which belongs to it for goods. */
const unionCountries = new Set(
  'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MC MT NL PL PT RO SE SI SK XI'.split(' '),
)

/** Places whose customs or tax area is not that of their country. */
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
  { place: 'french-overseas', country: 'FR', postalCode: /^9[78]\d{3}$/ },
  { place: 'mount-athos', country: 'GR', postalCode: /^6308[67]$/ },
  { place: 'northern-ireland', country: 'GB', postalCode: /^BT\d/i },
]

/** Whether customs data are suggested, and the special place that a person has to think of. Advice only. */
export interface CustomsSuggestion {
  suggested: boolean
  place: SpecialPlace | null
}

/** Whether a person has to say about customs data before a parcel leaves by itself: they are usual there, or may be asked for. */
export function needsCustomsDecision(from: string, to: { country: string; postalCode: string }): boolean {
  const { suggested, place } = suggestCustoms(from, to)
  return suggested || place === 'northern-ireland'
}

/** What the app suggests for a parcel from one country to a place. Unknown countries suggest nothing. */
export function suggestCustoms(from: string, to: { country: string; postalCode: string }): CustomsSuggestion {
  if (from === '' || to.country === '') return { suggested: false, place: null }
  const code = to.postalCode.replace(/[\s-]/g, '')
  const special = specials.find((each) => each.country === to.country && each.postalCode.test(code))
  const sameArea = from === to.country || (unionCountries.has(from) && unionCountries.has(to.country))
  // Goods from the union go to Northern Ireland as inside it, and it is not known what a carrier asks for: a person decides.
  if (special?.place === 'northern-ireland') return { suggested: false, place: special.place }
  return { suggested: special !== undefined || !sameArea, place: special?.place ?? null }
}

/** Delivery terms of Incoterms 2020, those for any transport first. Offered, never demanded. */
export const incoterms: readonly string[] = 'DAP DDP DPU EXW FCA CPT CIP FAS FOB CFR CIF'.split(' ')

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
  issues: z.array(
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

const toInvoice = z.strictObject({ shipmentId: z.uuid(), language: languageSchema })

/** Methods of the bridge for customs data. */
export const customsMethods = {
  /** Products whose code or name holds a text, those whose code begins with it first. */
  searchProducts: method(
    z.strictObject({
      text: z.string().max(200),
      limit: z.int().min(1).max(500),
      offset: z.int().min(0),
    }),
    z.object({ products: z.array(productSchema), total: z.int() }),
  ),
  /** The product of a scanned or typed code; null when there is none. */
  findProduct: method(z.strictObject({ code: z.string().max(500) }), productSchema.nullable()),
  saveProduct: method(productSchema, productSchema),
  removeProduct: method(z.strictObject({ code: z.string().max(500) }), nothing),
  importProducts: method(
    z.strictObject({ fileName: z.string().max(500), bytes: fileBytesSchema(maxTableMegabytes) }),
    catalogueImportSchema,
  ),
  saveCatalogue: method(z.strictObject({ kind: z.enum(['csv', 'xlsx']) }), z.string().nullable()),
  listSenderProfiles: method(nothing, z.array(senderProfileSchema)),
  saveSenderProfile: method(senderProfileSchema, senderProfileSchema),
  removeSenderProfile: method(z.strictObject({ id: z.uuid() }), nothing),
  /** The number that follows the highest one used so far. */
  suggestInvoiceNumber: method(nothing, z.string()),
  previewInvoice: method(
    toInvoice,
    /** With the letters that the invoice can't show. */
    pdfPreviewSchema.extend({ unprintable: z.array(z.string()) }),
  ),
  /** Prints on the document printer; gives the printer's name. */
  printInvoice: method(toInvoice, z.string()),
  /** Saves the PDF at a place of the person's choice; null when they chose none. */
  saveInvoice: method(toInvoice, z.string().nullable()),
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
