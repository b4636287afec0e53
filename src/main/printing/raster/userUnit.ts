import { PDFDocument, PDFName, PDFNumber } from 'pdf-lib'

/**
 * The unit of each page, in points: 1 unless the PDF says otherwise. PDFium leaves it out of its sizes, and a label
 * would come out far too small.
 * @returns undefined when all are 1, or when they can't be read
 */
export async function userUnitsOf(pdf: Uint8Array): Promise<number[] | undefined> {
  const bytes = Buffer.from(pdf.buffer, pdf.byteOffset, pdf.byteLength)
  // In object streams the word is packed, so those have to be opened.
  if (!bytes.includes('/UserUnit') && !bytes.includes('/ObjStm')) return undefined
  try {
    const document = await PDFDocument.load(pdf, { updateMetadata: false })
    const units = document.getPages().map((page) => {
      const unit = page.node.lookupMaybe(PDFName.of('UserUnit'), PDFNumber)?.asNumber() ?? 1
      return unit > 0 ? unit : 1
    })
    return units.some((unit) => unit !== 1) ? units : undefined
  } catch {
    // PDFium mends more than pdf-lib does, and such a PDF has hardly a unit of its own.
    return undefined
  }
}
