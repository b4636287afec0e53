/**
 * A font that draws each of these characters as a square and has no other characters.
 * @param box the glyph for missing characters: none, or the same square with TrueType or PostScript outlines
 */
export function squareFont(characters: string, box: 'none' | 'truetype' | 'postscript' = 'none'): Buffer {
  const glyph = Buffer.concat([
    shorts(1, 100, 0, 900, 700, 3, 0),
    // The flags of four points on the curve whose distances are 16-bit numbers.
    Buffer.from([1, 1, 1, 1]),
    shorts(100, 800, 0, -800, 0, 0, 700, 0),
  ])
  const codes = [...characters].map((each) => each.codePointAt(0) ?? 0).sort((one, other) => one - other)
  const groups = codes.flatMap((code) => [code, code, 1])
  const shared = {
    cmap: Buffer.concat([
      ...[shorts(0, 1, 3, 10), longs(12), shorts(12, 0)],
      longs(16 + groups.length * 4, 0, codes.length, ...groups),
    ]),
    head: Buffer.concat([
      ...[longs(0x10000, 0x10000, 0, 0x5f0f3cf5), shorts(0, 1000), longs(0, 0, 0, 0)],
      shorts(0, -200, 1000, 800, 0, 8, 2, 1, 0),
    ]),
    hhea: Buffer.concat([longs(0x10000), shorts(800, -200, 0, 1000, 0, 0, 1000, 1, 0, 0, 0, 0, 0, 0, 0, 2)]),
    hmtx: shorts(1000, 0, 1000, 0),
    maxp: Buffer.concat([longs(0x10000), shorts(2, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)]),
  }
  if (box === 'postscript') return getFont({ 'CFF ': compactFont(), ...shared }, 'OTTO')
  const isDrawn = box === 'truetype'
  return getFont({
    ...shared,
    glyf: isDrawn ? Buffer.concat([glyph, glyph]) : glyph,
    loca: isDrawn ? longs(0, glyph.length, glyph.length * 2) : longs(0, 0, glyph.length),
  })
}

/** Two glyphs of the Compact Font Format, both of them squares. */
function compactFont(): Buffer {
  const number = (value: number) => Buffer.concat([Buffer.from([28]), shorts(value)])
  const [rmoveto, rlineto, endchar] = [21, 5, 14]
  const square = Buffer.concat([
    ...[number(100), number(0), Buffer.from([rmoveto])],
    ...[800, 0, 0, 700, -800, 0].map(number),
    Buffer.from([rlineto, endchar]),
  ])
  const header = Buffer.from([1, 0, 4, 1])
  const names = index([Buffer.from('Squares')])
  const strings = Buffer.concat([index([]), index([])])
  // The place of the outlines is a number of five bytes, so that the length of the dictionary is fixed.
  const dictionary = (place: number) =>
    index([Buffer.concat([Buffer.from([30, 0x1a, 0x5f, 12, 2, 29]), longs(place), Buffer.from([17])])])
  const place = header.length + names.length + dictionary(0).length + strings.length
  return Buffer.concat([header, names, dictionary(place), strings, index([square, square])])
}

function index(entries: readonly Buffer[]): Buffer {
  if (entries.length === 0) return shorts(0)
  const ends = entries.map((_, last) => 1 + Buffer.concat(entries.slice(0, last + 1)).length)
  return Buffer.concat([shorts(entries.length), Buffer.from([1, 1, ...ends]), ...entries])
}

function getFont(tables: Record<string, Buffer>, kind = '\0\u0001\0\0'): Buffer {
  const names = Object.keys(tables)
  let offset = 12 + names.length * 16
  const entries: Buffer[] = []
  const bodies: Buffer[] = []
  for (const [name, body] of Object.entries(tables)) {
    entries.push(Buffer.concat([Buffer.from(name, 'latin1'), longs(0, offset, body.length)]))
    const padded = Buffer.concat([body, Buffer.alloc((4 - (body.length % 4)) % 4)])
    bodies.push(padded)
    offset += padded.length
  }
  return Buffer.concat([Buffer.from(kind, 'latin1'), shorts(names.length, 0, 0, 0), ...entries, ...bodies])
}

function shorts(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 2)
  for (const [index, value] of values.entries()) bytes.writeInt16BE(value, index * 2)
  return bytes
}

function longs(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}
