import { locales, type Texts } from '../../locales'
import { type Customs, type CustomsItem, type CustomsParty, customsTotals } from '../../shared/customs'
import type { Language } from '../../shared/fields'
import { fillSentence } from '../../shared/sentences'
import { margin, PdfWriter, pageWidth, unprintableMark } from '../lib/pdfWriter'

/** The customs data as they were sent, and the shipment's reference and barcodes. */
export interface InvoiceContent {
  customs: Customs
  reference: string
  barcodes: readonly string[]
}

const right = pageWidth - margin
const lineHeight = 13
/** Left edges of the item columns; right edges for columns of numbers. */
const columns = {
  code: margin,
  product: 108,
  hsCode: 252,
  origin: 310,
  quantity: 392,
  weight: 444,
  price: 497,
}
const productWidth = 138
/** Right edge of the words beside the totals, with room for the largest totals. */
const totalWordsEnd = right - 100

export interface Invoice {
  pdf: Uint8Array
  /** Letters that can't be printed: they are replaced by a mark, and a note on the invoice names them. */
  unprintable: string[]
}

/** Limit of letters in the note. */
const maxNamedLetters = 12

/** Makes the commercial invoice of a shipment as an A4 PDF. Its figures are exactly those that were sent. */
export async function makeInvoice(content: InvoiceContent, language: Language): Promise<Invoice> {
  const words = locales[language].invoice
  const { customs } = content
  const paper = await PdfWriter.make(`${words.title} ${customs.invoiceNumber}`)
  paper.text(margin, words.title, { size: 20, bold: true })
  paper.y += 34
  writeFacts(paper, content, words)
  writeParties(paper, customs, words)
  writeItems(paper, customs, words)
  writeEnd(paper, customs, words)
  const unprintable = [...paper.unprintable]
  if (unprintable.length > 0) writeUnprintable(paper, unprintable, words)
  const pdf = await paper.finish(
    (page, pages) =>
      `${customs.invoiceNumber} · ${fillSentence(words.page, { page: String(page), pages: String(pages) })}`,
  )
  return { pdf, unprintable }
}

function writeFacts(
  paper: PdfWriter,
  { customs, reference, barcodes }: InvoiceContent,
  words: Texts['invoice'],
): void {
  const facts: [string, string][] = [
    [words.number, customs.invoiceNumber],
    [words.date, customs.invoiceDate],
    [words.terms, customs.terms],
    [words.currency, customs.currency],
    [words.reason, customs.reason],
    [words.shipmentReference, reference],
    [words.trackingNumber, barcodes.join(', ')],
  ]
  for (const [name, value] of facts) {
    for (const [index, part] of paper.wrap(value, right - margin - 130).entries()) {
      if (!paper.hasRoom(lineHeight)) paper.nextPage()
      if (index === 0) paper.text(margin, name, { soft: true })
      paper.text(margin + 130, part)
      paper.y += lineHeight
    }
  }
  paper.y += 10
}

function writeParties(paper: PdfWriter, { sender, recipient }: Customs, words: Texts['invoice']): void {
  const parties = [
    { x: margin, title: words.sender, lines: wrapParty(paper, sender, words) },
    { x: pageWidth / 2 + 6, title: words.consignee, lines: wrapParty(paper, recipient, words) },
  ]
  const titleHeight = 17
  const height = titleHeight + Math.max(...parties.map(({ lines }) => lines.length)) * lineHeight
  if (!paper.hasRoom(height)) paper.nextPage()
  const top = paper.y
  for (const { x, title, lines } of parties) {
    paper.y = top
    paper.text(x, title, { bold: true, size: 11 })
    paper.y += titleHeight
    for (const text of lines) {
      paper.text(x, text)
      paper.y += lineHeight
    }
  }
  paper.y = top + height + 14
}

function wrapParty(paper: PdfWriter, party: CustomsParty, words: Texts['invoice']): string[] {
  const named = (name: string, value: string) => (value === '' ? '' : `${name}: ${value}`)
  const lines = [
    party.companyName,
    party.name,
    `${party.street} ${party.houseNumber}`.trim(),
    `${party.postalCode} ${party.city}`.trim(),
    party.country,
    named(words.phone, party.phoneNumber),
    named(words.email, party.email),
    named(words.vat, party.vatNumber),
    named(words.eori, party.eoriNumber),
  ].filter((text) => text !== '')
  return lines.flatMap((text) => paper.wrap(text, pageWidth / 2 - margin - 12))
}

function writeHeader(paper: PdfWriter, words: Texts['invoice']): void {
  const style = { bold: true, size: 8.5 }
  paper.text(columns.code, words.productCode, style)
  paper.text(columns.product, words.product, style)
  paper.text(columns.hsCode, words.hsCode, style)
  paper.text(columns.origin, words.origin, style)
  paper.text(columns.quantity, words.quantity, { ...style, right: true })
  paper.text(columns.weight, words.weight, { ...style, right: true })
  paper.text(columns.price, words.price, { ...style, right: true })
  paper.text(right, words.amount, { ...style, right: true })
  paper.y += 14
  paper.rule()
  paper.y += 5
}

function writeItems(paper: PdfWriter, { items }: Customs, words: Texts['invoice']): void {
  writeHeader(paper, words)
  for (const item of items) {
    const code = paper.wrap(item.productCode, columns.product - columns.code - 6, 8.5)
    const product = paper.wrap(item.product, productWidth, 8.5)
    const height = Math.max(code.length, product.length) * lineHeight + 3
    if (!paper.hasRoom(height)) {
      paper.nextPage()
      writeHeader(paper, words)
    }
    writeItem(paper, item, code, product)
    paper.y += height
  }
  paper.rule()
  paper.y += 8
}

function writeItem(
  paper: PdfWriter,
  item: CustomsItem,
  code: readonly string[],
  product: readonly string[],
): void {
  const top = paper.y
  const size = 8.5
  for (const [x, lines] of [[columns.code, code] as const, [columns.product, product] as const]) {
    paper.y = top
    for (const text of lines) {
      paper.text(x, text, { size })
      paper.y += lineHeight
    }
  }
  paper.y = top
  paper.text(columns.hsCode, item.hsCode, { size })
  paper.text(columns.origin, item.countryOfOrigin, { size })
  paper.text(columns.quantity, String(item.quantity), { size, right: true })
  paper.text(columns.weight, String(item.weight), { size, right: true })
  paper.text(columns.price, money(item.itemPrice), { size, right: true })
  paper.text(right, money(customsTotals([item]).value), { size, right: true })
}

function writeEnd(paper: PdfWriter, { items, currency }: Customs, words: Texts['invoice']): void {
  if (!paper.hasRoom(110)) paper.nextPage()
  const totals = customsTotals(items)
  paper.text(totalWordsEnd, words.total, { bold: true, right: true })
  paper.text(right, `${currency} ${money(totals.value)}`.trim(), { bold: true, right: true })
  paper.y += 16
  paper.text(totalWordsEnd, words.totalWeight, { soft: true, right: true })
  paper.text(right, `${totals.weight} kg`, { right: true })
  paper.y += 34
  paper.text(margin, words.declaration)
  paper.y += 42
  paper.text(margin, words.signature, { soft: true, size: 8.5 })
}

/** Names the replaced letters on the invoice by their Unicode code points. */
function writeUnprintable(paper: PdfWriter, letters: readonly string[], words: Texts['invoice']): void {
  const named = letters.slice(0, maxNamedLetters).map((letter) => {
    const codePoint = (letter.codePointAt(0) ?? 0).toString(16).toUpperCase()
    return `U+${codePoint.padStart(4, '0')}`
  })
  const rest = letters.length > named.length ? ', …' : ''
  const note = fillSentence(words.unprintable, {
    mark: unprintableMark,
    letters: `${named.join(', ')}${rest}`,
  })
  paper.y += 26
  for (const part of paper.wrap(note, right - margin, 8.5)) {
    if (!paper.hasRoom(lineHeight)) paper.nextPage()
    paper.text(margin, part, { soft: true, size: 8.5 })
    paper.y += lineHeight
  }
}

/** At least two decimals, and all decimals of the figure: an invoice must not round what was sent. */
function money(value: number): string {
  const text = String(value)
  const decimals = text.includes('.') && !text.includes('e') ? text.length - text.indexOf('.') - 1 : 0
  return value.toFixed(Math.min(20, Math.max(2, decimals)))
}
