import { readFileSync, writeFileSync } from 'node:fs'

const pageTypes = { indexInner: 0x02, indexLeaf: 0x0a, tableLeaf: 0x0d }

/** The file's bytes, page by page, with the type of each b-tree page. */
function toPages(file: Buffer): { type: number; page: Buffer }[] {
  const written = file.readUInt16BE(16)
  const size = written === 1 ? 65_536 : written
  return Array.from({ length: file.length / size }, (_, index) => {
    const page = file.subarray(index * size, (index + 1) * size)
    return { type: page[index === 0 ? 100 : 0] ?? 0, page }
  })
}

/**
 * Alters a text in a database file that no program has open, on pages of one kind.
 * @param change receives the bytes of each occurrence, to alter them in place
 * @returns the number of occurrences
 */
function alter(path: string, types: number[], text: string, change: (found: Buffer) => void): number {
  const file = readFileSync(path)
  let count = 0
  for (const { type, page } of toPages(file)) {
    if (!types.includes(type)) continue
    for (let at = page.indexOf(text); at >= 0; at = page.indexOf(text, at + 1)) {
      change(page.subarray(at, at + text.length))
      count += 1
    }
  }
  writeFileSync(path, file)
  return count
}

/** Alters a text in the indexes, so that they differ from the table; `quick_check` does not detect it. */
export function alterIndexPages(path: string, text: string): number {
  const { indexInner, indexLeaf } = pageTypes
  return alter(path, [indexInner, indexLeaf], text, (found) => {
    found[0] = (found[0] ?? 0) ^ 0x20
  })
}

/** Makes a text of the tables invalid UTF-8 by one byte; no check of SQLite detects it. */
export function spoilText(path: string, text: string): number {
  return alter(path, [pageTypes.tableLeaf], text, (found) => {
    found[0] = 0xff
  })
}
