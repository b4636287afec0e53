import { PDFDocument, StandardFonts } from 'pdf-lib'
import { encodeCode128, type LabelFonts, LabelPage, pointsPerMm } from './labelPage'
import { dateText } from './wire'

/** The content of one label, for one parcel of a shipment. */
export interface LabelContent {
  barcode: string
  carrierName: string
  serviceName: string
  /** A few letters for the sorting belt. */
  routeCode: string
  sender: readonly string[]
  consigneeName: string
  consigneeCompany: string
  consigneeStreet: string
  consigneePostalCode: string
  consigneeCity: string
  consigneeCountry: string
  consigneePhone: string
  reference: string
  reference2: string
  /** Weight as text, with its unit when there is one. */
  weight: string
  packageNumber: number
  packageCount: number
  createdAt: Date
  signatureRequired: boolean
  returnLabel: boolean
}

/** Printed on every label of the simulator, so that nobody uses one on a real parcel. */
export const demoNotice = 'DEMO - NOT FOR SHIPPING'

/** The English name of a two-letter country code; the text itself when it is no code. */
export function countryName(code: string): string {
  if (!/^[A-Z]{2}$/.test(code)) return code
  return new Intl.DisplayNames(['en'], { type: 'region' }).of(code) ?? code
}

/** Groups a barcode's characters so that a person can read and type them. */
export function readableBarcode(barcode: string): string {
  const [, letters = '', digits = barcode] = /^(\d*[A-Z]+)(\d+)$/.exec(barcode) ?? []
  return [letters, ...(digits.match(/.{1,4}/g) ?? [])].filter((group) => group !== '').join(' ')
}

/** The label size; the layout is designed for it. */
const labelSize = { widthMm: 100, heightMm: 150 }

/** Deviations from a normal label, for testing clients. */
export interface PdfOptions {
  /** The page; the label lies in its top left corner. */
  page?: { widthMm: number; heightMm: number }
  /** Bytes of unused data inside the PDF, which stays a valid PDF. */
  paddingBytes?: number
}

const leftMm = 4
const rightMm = 96
const contentWidthMm = rightMm - leftMm
// Four dots at 203 dpi and six at 300 dpi, so that bars are whole dots wide.
const moduleMm = 0.5

function drawHeader(page: LabelPage, fonts: LabelFonts, label: LabelContent): void {
  page.fill(leftMm, 4, 13, 13)
  page.fill(leftMm + 3, 6.5, 2, 8, true)
  page.fill(leftMm + 3, 6.5, 7, 2, true)
  page.fill(leftMm + 8, 6.5, 2, 5, true)
  page.fill(leftMm + 3, 9.75, 7, 2, true)
  page.text(label.carrierName, 19.5, 10.2, { font: fonts.bold, size: 15, maxWidth: 48 })
  page.text(label.serviceName, 19.5, 15.8, { font: fonts.regular, size: 10.5, maxWidth: 48 })
  page.fill(70, 4, 26, 13)
  page.text(label.routeCode, 83, 13.6, {
    font: fonts.bold,
    size: 25,
    maxWidth: 22,
    align: 'center',
    white: true,
  })
  page.rule(leftMm, 19.5, contentWidthMm, 0.75)
}

function drawSender(page: LabelPage, fonts: LabelFonts, label: LabelContent): void {
  page.text('FROM', leftMm, 24, { font: fonts.bold, size: 6.5, maxWidth: 12 })
  const [name = '', ...lines] = label.sender
  page.text(name, 18, 24, { font: fonts.bold, size: 7.5, maxWidth: 78 })
  page.text(lines.join(', '), 18, 27.6, { font: fonts.regular, size: 7.5, maxWidth: 78 })
  page.rule(leftMm, 30, contentWidthMm)
}

function drawConsignee(page: LabelPage, fonts: LabelFonts, label: LabelContent): void {
  page.text(label.returnLabel ? 'RETURN' : 'TO', leftMm, 35.5, { font: fonts.bold, size: 6.5, maxWidth: 12 })
  const lines = [label.consigneeCompany, label.consigneeName, label.consigneeStreet].filter(
    (line) => line !== '',
  )
  let y = 36.5
  for (const [index, line] of lines.entries()) {
    const font = index === 0 ? fonts.bold : fonts.regular
    page.text(line, 18, y, { font, size: 12.5, maxWidth: 78 })
    y += 5.6
  }
  y += 1.6
  const town = `${label.consigneePostalCode}  ${label.consigneeCity}`
  page.text(town, 18, y, { font: fonts.bold, size: 15.5, maxWidth: 78 })
  const country = countryName(label.consigneeCountry).toUpperCase()
  page.text(country, 18, y + 6.4, { font: fonts.bold, size: 12.5, maxWidth: 78 })
  if (label.consigneePhone !== '') {
    page.text(`Tel. ${label.consigneePhone}`, rightMm, 65.8, {
      font: fonts.regular,
      size: 7,
      maxWidth: 60,
      align: 'right',
    })
  }
  page.rule(leftMm, 68, contentWidthMm, 0.75)
}

function drawFacts(page: LabelPage, fonts: LabelFonts, label: LabelContent): void {
  const count = `${label.packageNumber} / ${label.packageCount}`
  const cells = [
    { title: 'REFERENCE', value: label.reference, x: leftMm, width: 39 },
    { title: 'DATE', value: dateText(label.createdAt), x: 46, width: 18 },
    { title: 'WEIGHT', value: label.weight, x: 66, width: 12 },
    { title: 'PACKAGE', value: count, x: 80, width: 16 },
  ]
  for (const cell of cells) {
    if (cell.x > leftMm) page.fill(cell.x - 1.5, 68, 0.375, 12)
    page.text(cell.title, cell.x, 71.8, { font: fonts.bold, size: 5.5, maxWidth: cell.width })
    page.text(cell.value, cell.x, 77.4, { font: fonts.bold, size: 11, maxWidth: cell.width })
  }
  page.rule(leftMm, 80, contentWidthMm)
}

function drawServiceLine(page: LabelPage, fonts: LabelFonts, label: LabelContent): void {
  const second = label.reference2 === '' ? '' : `Ref. 2: ${label.reference2}`
  page.text(second, leftMm, 85.4, { font: fonts.regular, size: 8, maxWidth: 48 })
  const mark = label.returnLabel ? 'RETURN LABEL' : label.signatureRequired ? 'SIGNATURE REQUIRED' : ''
  if (mark !== '') {
    page.fill(54, 81.5, 42, 5.5)
    page.text(mark, 75, 85.5, { font: fonts.bold, size: 9, maxWidth: 39, align: 'center', white: true })
  }
  page.rule(leftMm, 88.5, contentWidthMm, 0.75)
}

function drawBarcode(page: LabelPage, fonts: LabelFonts, label: LabelContent): void {
  const symbol = encodeCode128(label.barcode)
  // A multiple of the module from the left edge aligns the bars with the dots of the print head.
  const left = Math.round((labelSize.widthMm - symbol.modules * moduleMm) / 2 / moduleMm) * moduleMm
  page.barcode(symbol, left, 93, 34, moduleMm)
  page.text(readableBarcode(label.barcode), 50, 133, {
    font: fonts.bold,
    size: 14,
    maxWidth: 88,
    align: 'center',
  })
}

function drawNotice(page: LabelPage, fonts: LabelFonts): void {
  page.box(leftMm, 137, contentWidthMm, 9, 0.5)
  page.text(demoNotice, 50, 143.3, { font: fonts.bold, size: 14, maxWidth: 86, align: 'center' })
}

/**
 * Creates the PDF of one or more labels, one per page, 100x150 mm unless `options.page` is given. The symbol consists of
 * vectors; characters that the fonts lack are transliterated.
 */
export async function renderLabelPdf(
  labels: readonly LabelContent[],
  options: PdfOptions = {},
): Promise<Uint8Array> {
  const document = await PDFDocument.create()
  const fonts = {
    regular: await document.embedFont(StandardFonts.Helvetica),
    bold: await document.embedFont(StandardFonts.HelveticaBold),
  }
  const { widthMm, heightMm } = options.page ?? labelSize
  for (const label of labels) {
    const page = new LabelPage(document.addPage([widthMm * pointsPerMm, heightMm * pointsPerMm]))
    drawHeader(page, fonts, label)
    drawSender(page, fonts, label)
    drawConsignee(page, fonts, label)
    drawFacts(page, fonts, label)
    drawServiceLine(page, fonts, label)
    drawBarcode(page, fonts, label)
    drawNotice(page, fonts)
    document.setTitle(`Label ${label.barcode}`)
    document.setCreationDate(label.createdAt)
    document.setModificationDate(label.createdAt)
  }
  if (options.paddingBytes !== undefined) {
    document.context.register(document.context.stream(new Uint8Array(options.paddingBytes)))
  }
  return document.save()
}

/** Caret and tilde begin ZPL commands, so a field can't contain them. */
function fieldText(text: string): string {
  return text.replace(/[\^~\p{Cc}]/gu, ' ')
}

function textField(x: number, y: number, height: number, text: string): string {
  return `^FO${x},${y}^A0N,${height},${height}^FD${fieldText(text)}^FS`
}

/** Writes a label as ZPL for a 203 dpi printer with 100x150 mm stock (800x1200 dots), text in UTF-8. */
export function renderLabelZpl(label: LabelContent): string {
  const town = `${label.consigneePostalCode}  ${label.consigneeCity}`
  return [
    '^XA^CI28^PW800^LL1200^LH0,0',
    textField(32, 40, 44, `${label.carrierName} ${label.serviceName}`),
    '^FO32,100^GB736,4,4^FS',
    textField(32, 130, 28, label.sender.join(', ')),
    textField(32, 210, 40, label.consigneeCompany),
    textField(32, 260, 40, label.consigneeName),
    textField(32, 310, 40, label.consigneeStreet),
    textField(32, 370, 52, town),
    textField(32, 435, 40, countryName(label.consigneeCountry).toUpperCase()),
    '^FO32,500^GB736,4,4^FS',
    textField(32, 525, 36, `Ref. ${label.reference}`),
    textField(560, 525, 36, `${label.packageNumber} / ${label.packageCount}`),
    `^FO66,640^BY4^BCN,300,N,N,N,A^FD${fieldText(label.barcode)}^FS`,
    textField(66, 970, 44, readableBarcode(label.barcode)),
    textField(32, 1110, 48, demoNotice),
    '^XZ',
    '',
  ].join('\n')
}
