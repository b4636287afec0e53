/** The objects of a font. The first one is the font itself and has the number `firstFontObject`. */
type FontObjects = string[]

const firstFontObject = 5

/** A page of 100 x 150 mm with one line of text. The PDF contains only these objects of its font. */
export function textPdf(font: FontObjects, text: string, operators = ''): Buffer {
  const content = `BT ${operators} /F1 24 Tf 20 200 Td ${text} Tj ET`
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 283.46 425.2] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
    ...font,
  ]
  return toPdf(objects)
}

/** A PDF of these objects in order. The first one is the catalog. */
export function toPdf(objects: readonly string[]): Buffer {
  let body = '%PDF-1.5\n'
  const offsets = objects.map((object, index) => {
    const offset = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const size = objects.length + 1
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`
  return Buffer.from(
    `${body}${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`,
    'latin1',
  )
}

/** A font by its name only: one that every PDF reader has, or one that none has. */
export function simpleFont(name: string, encoding = '/WinAnsiEncoding'): FontObjects {
  return [`<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding ${encoding} >>`]
}

/** A composite font by its name only, as PDF producers in Asia write it. */
export function cidFont(name: string, ordering: string, encoding: string): FontObjects {
  const next = firstFontObject + 1
  return [
    `<< /Type /Font /Subtype /Type0 /BaseFont /${name} /Encoding /${encoding} /DescendantFonts [${next} 0 R] >>`,
    `<< /Type /Font /Subtype /CIDFontType2 /BaseFont /${name} /CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 2 >> /FontDescriptor ${next + 1} 0 R >>`,
    `<< /Type /FontDescriptor /FontName /${name} /Flags 4 /ItalicAngle 0 /Ascent 800 /Descent -200 /CapHeight 700 /StemV 80 /FontBBox [0 -200 1000 900] >>`,
  ]
}

/** Encodes characters as the codes of a font with a UCS-2 encoding. */
export function ucs2(text: string): string {
  return `<${Buffer.from(text, 'utf16le').swap16().toString('hex')}>`
}
