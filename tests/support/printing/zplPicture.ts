/** A picture read back from ZPL: rows of dots, true is black. */
export interface ZplPicture {
  width: number
  height: number
  /** Whether the dot is black; everything outside of the picture is white. */
  dot(x: number, y: number): boolean
}

/** A picture with its dots as ZPL holds them: a bit each, rows of whole bytes. */
export interface PackedPicture extends ZplPicture {
  bytes: Uint8Array
  rowBytes: number
}

const picture = /\^PW(\d+)\s*\^LL(\d+)[\s\S]*?\^GFA,(\d+),(\d+),(\d+),([^^]*)\^FS/g

/** Reads the pictures of a ZPL job as a printer does: one for each format. */
export function readZplPictures(zpl: string): PackedPicture[] {
  return [...zpl.matchAll(picture)].map((match) => {
    const [, width, height, size, total, row, data] = match
    if (size !== total) throw new Error('the sizes of the graphic differ')
    const rowBytes = Number(row)
    const bytes = expand(data ?? '', rowBytes * 2)
    if (bytes.length !== Number(size)) throw new Error(`${bytes.length} bytes of ${size}`)
    return {
      width: Number(width),
      height: Number(height),
      ...{ bytes, rowBytes },
      dot(x, y) {
        if (x < 0 || x >= rowBytes * 8) return false
        return (((bytes[y * rowBytes + (x >> 3)] ?? 0) >> (7 - (x & 7))) & 1) === 1
      },
    }
  })
}

/** ZPL's alternative data compression: G-Y count 1 to 19, g-z 20 to 400, `,` and `!` fill a row, `:` repeats one. */
function expand(data: string, rowDigits: number): Buffer {
  const rows: string[] = []
  let row = ''
  let count = 0
  const add = (digits: string) => {
    row += digits
    if (row.length > rowDigits) throw new Error('a row is too long')
    if (row.length === rowDigits) {
      rows.push(row)
      row = ''
    }
  }
  for (const letter of data) {
    if (letter === ':') add(rows.at(-1) ?? '')
    else if (letter === ',') add('0'.repeat(rowDigits - row.length))
    else if (letter === '!') add('F'.repeat(rowDigits - row.length))
    else if (letter >= 'G' && letter <= 'Y') count += letter.charCodeAt(0) - 'F'.charCodeAt(0)
    else if (letter >= 'g' && letter <= 'z') count += (letter.charCodeAt(0) - 'f'.charCodeAt(0)) * 20
    else {
      add(letter.repeat(Math.max(1, count)))
      count = 0
    }
  }
  if (row !== '') throw new Error('the last row is not whole')
  return Buffer.from(rows.join(''), 'hex')
}
