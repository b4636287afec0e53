/** A TrueType font that draws each of some characters as a square, and has no others. */
export function squareFont(characters: string): Buffer {
  const glyph = Buffer.concat([
    shorts(1, 100, 0, 900, 700, 3, 0),
    // Four corners on the curve, their distances as whole numbers.
    Buffer.from([1, 1, 1, 1]),
    shorts(100, 800, 0, -800, 0, 0, 700, 0),
  ])
  const codes = [...characters].map((each) => each.codePointAt(0) ?? 0).sort((one, other) => one - other)
  const groups = codes.flatMap((code) => [code, code, 1])
  return getFont({
    cmap: Buffer.concat([
      ...[shorts(0, 1, 3, 10), longs(12), shorts(12, 0)],
      longs(16 + groups.length * 4, 0, codes.length, ...groups),
    ]),
    glyf: glyph,
    head: Buffer.concat([
      ...[longs(0x10000, 0x10000, 0, 0x5f0f3cf5), shorts(0, 1000), longs(0, 0, 0, 0)],
      shorts(0, -200, 1000, 800, 0, 8, 2, 1, 0),
    ]),
    hhea: Buffer.concat([longs(0x10000), shorts(800, -200, 0, 1000, 0, 0, 1000, 1, 0, 0, 0, 0, 0, 0, 0, 2)]),
    hmtx: shorts(1000, 0, 1000, 0),
    loca: longs(0, 0, glyph.length),
    maxp: Buffer.concat([longs(0x10000), shorts(2, 4, 1, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0)]),
  })
}

function getFont(tables: Record<string, Buffer>): Buffer {
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
  return Buffer.concat([longs(0x10000), shorts(names.length, 0, 0, 0), ...entries, ...bodies])
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
