/** Some programs write a few lines behind a PDF's end mark. */
const endMarkWithin = 1024

/** Whether a PDF's own end mark is there, without which some programs refuse it. */
export function hasEnd(pdf: Uint8Array): boolean {
  return asBuffer(pdf.subarray(-endMarkWithin)).includes('%%EOF')
}

/**
 * Whether a PDF was cut behind its last object, or not at all. PDFium finds the objects that are there, and says nothing of
 * those that were cut off.
 */
export function hasAllObjects(pdf: Uint8Array): boolean {
  if (hasEnd(pdf)) return true
  const bytes = asBuffer(pdf)
  const end = bytes.lastIndexOf('endobj')
  if (end === -1) return false
  if (/^endobj\s*(xref|trailer|startxref)\b/.test(bytes.toString('latin1', end))) return true
  // References may be an object as well, the last one.
  return /\/Type\s*\/XRef\b/.test(bytes.toString('latin1', bytes.lastIndexOf(' obj', end)))
}

/** The PDF with a trailer where that was cut off behind the last object: PDFium can't find the pages without it. */
export function withTrailer(pdf: Uint8Array): Uint8Array {
  if (hasEnd(pdf) || !hasAllObjects(pdf)) return pdf
  const text = asBuffer(pdf).toString('latin1')
  // Of an encrypted one the key was cut off as well.
  if (/\btrailer\b|\/XRef\b|\/Filter\s*\/Standard\b/.test(text)) return pdf
  const catalog = [...text.matchAll(/(\d+) (\d+) obj\b(?:(?!endobj)[\s\S])*?\/Type\s*\/Catalog\b/g)].at(-1)
  if (catalog === undefined) return pdf
  return Buffer.concat([pdf, Buffer.from(`\ntrailer\n<</Root ${catalog[1]} ${catalog[2]} R>>\n%%EOF\n`)])
}

function asBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
