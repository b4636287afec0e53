import { randomUUID } from 'node:crypto'
import { PDFDocument, rgb } from 'pdf-lib'
import type { InvoiceSource, LabelSource, PrintableLabel } from '../../../src/main/printing/printableLabel'
import { appError } from '../../../src/shared/errors'
import { err, ok } from '../../../src/shared/result'

const pointsPerMm = 72 / 25.4

/** A black rectangle in millimetres from the top left corner of the page. */
export interface Mark {
  x: number
  y: number
  width: number
  height: number
}

/** Two marks of different shapes near two corners, so that a turned, mirrored or scaled page differs. */
export const marks: Mark[] = [
  { x: 10, y: 10, width: 30, height: 5 },
  { x: 80, y: 130, width: 10, height: 10 },
]

/** A PDF of white pages with black marks. Sizes in millimetres. */
export async function markedPdf(widthMm = 100, heightMm = 150, drawn = marks, pages = 1): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let number = 0; number < pages; number += 1) {
    const page = document.addPage([widthMm * pointsPerMm, heightMm * pointsPerMm])
    for (const { x, y, width, height } of drawn) {
      page.drawRectangle({
        x: x * pointsPerMm,
        y: (heightMm - y - height) * pointsPerMm,
        width: width * pointsPerMm,
        height: height * pointsPerMm,
        color: rgb(0, 0, 0),
      })
    }
  }
  return Buffer.from(await document.save())
}

/** One PDF with the pages of all parts. */
export async function joinedPdf(...parts: Buffer[]): Promise<Buffer> {
  const whole = await PDFDocument.create()
  for (const part of parts) {
    const source = await PDFDocument.load(part)
    for (const page of await whole.copyPages(source, source.getPageIndices())) whole.addPage(page)
  }
  return Buffer.from(await whole.save())
}

/** A label of a shipment, with defaults for all other fields. */
export function labelWith(fields: Partial<PrintableLabel> & { bytes: Buffer }): PrintableLabel {
  return {
    labelId: randomUUID(),
    shipmentId: randomUUID(),
    position: 1,
    barcode: '3STEST000000001',
    reference: 'ORDER-1',
    carrierOptionId: 34,
    kind: 'pdf',
    ...fields,
  }
}

/** Labels in memory; other labels are `label-not-found`. */
export function labelsInMemory(labels: PrintableLabel[]): LabelSource {
  const missing = err(appError('label-not-found'))
  return {
    async listByShipment(shipmentId) {
      const found = labels.filter((label) => label.shipmentId === shipmentId)
      return found.length === 0 ? missing : ok({ labels: found, unusable: [] })
    },
    async find(labelId) {
      const label = labels.find((each) => each.labelId === labelId)
      return label === undefined ? missing : ok(label)
    },
  }
}

/** A station that prints no invoices. */
export const noInvoices: InvoiceSource = {
  find: async () => err(appError('no-customs')),
  printer: () => undefined,
  languageWithLabel: () => undefined,
}
