import type { Language } from '../../shared/fields'

/** What an invoice says, by language. */
export interface InvoiceWords {
  title: string
  number: string
  date: string
  terms: string
  currency: string
  reason: string
  shipmentReference: string
  trackingNumber: string
  sender: string
  recipient: string
  vat: string
  eori: string
  phone: string
  email: string
  productCode: string
  product: string
  hsCode: string
  origin: string
  quantity: string
  weight: string
  price: string
  amount: string
  total: string
  totalWeight: string
  page: (page: number, pages: number) => string
  declaration: string
  signature: string
  unprintable: (mark: string, letters: string) => string
}

export const invoiceWords: Record<Language, InvoiceWords> = {
  en: {
    title: 'Commercial invoice',
    number: 'Invoice number',
    date: 'Invoice date',
    terms: 'Delivery terms',
    currency: 'Currency',
    reason: 'Reason for export',
    shipmentReference: 'Reference',
    trackingNumber: 'Tracking number',
    sender: 'Sender',
    recipient: 'Recipient',
    vat: 'VAT',
    eori: 'EORI',
    phone: 'Phone',
    email: 'E-mail',
    productCode: 'Code',
    product: 'Product',
    hsCode: 'HS code',
    origin: 'Origin',
    quantity: 'Quantity',
    weight: 'Weight/pc',
    price: 'Price/pc',
    amount: 'Amount',
    total: 'Total value',
    totalWeight: 'Total weight of the items',
    page: (page, pages) => `Page ${page} of ${pages}`,
    declaration: 'I declare that the information on this invoice is true and correct.',
    signature: 'Name, date and signature',
    unprintable: (mark, letters) => `${mark} stands for letters that this document can’t show: ${letters}.`,
  },
  nl: {
    title: 'Handelsfactuur',
    number: 'Factuurnummer',
    date: 'Factuurdatum',
    terms: 'Leveringsvoorwaarde',
    currency: 'Valuta',
    reason: 'Reden van uitvoer',
    shipmentReference: 'Referentie',
    trackingNumber: 'Trackingnummer',
    sender: 'Afzender',
    recipient: 'Ontvanger',
    vat: 'Btw',
    eori: 'EORI',
    phone: 'Telefoon',
    email: 'E-mail',
    productCode: 'Code',
    product: 'Product',
    hsCode: 'HS-code',
    origin: 'Oorsprong',
    quantity: 'Aantal',
    weight: 'Gewicht/st',
    price: 'Prijs/st',
    amount: 'Bedrag',
    total: 'Totale waarde',
    totalWeight: 'Totaal gewicht van de artikelen',
    page: (page, pages) => `Pagina ${page} van ${pages}`,
    declaration: 'Ik verklaar dat de gegevens op deze factuur juist en volledig zijn.',
    signature: 'Naam, datum en handtekening',
    unprintable: (mark, letters) => `${mark} staat voor tekens die dit document niet kan tonen: ${letters}.`,
  },
}
