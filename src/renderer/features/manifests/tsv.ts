/** Cells as tab-separated text, as spreadsheet programs exchange it on the clipboard. */
export function toTsv(rows: readonly (readonly string[])[]): string {
  return rows.map((row) => row.map(quoted).join('\t')).join('\r\n')
}

function quoted(cell: string): string {
  return /[\t\r\n"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

/** Parses tab-separated text; quoted cells may contain tabs and line ends. */
export function fromTsv(text: string): string[][] {
  const rows: string[][] = [[]]
  let at = 0
  while (at < text.length) {
    const { cell, end } = readCell(text, at)
    rows.at(-1)?.push(cell)
    if (end >= text.length) break
    if (text[end] === '\t') {
      at = end + 1
      if (at >= text.length) rows.at(-1)?.push('')
      continue
    }
    at = end + (text.startsWith('\r\n', end) ? 2 : 1)
    if (at < text.length) rows.push([])
  }
  return rows.length === 1 && rows[0]?.length === 0 ? [] : rows
}

const quotedPattern = /"((?:[^"]|"")*)"(?=[\t\r\n]|$)/y

function quotedCellAt(text: string, at: number): RegExpExecArray | null {
  quotedPattern.lastIndex = at
  return quotedPattern.exec(text)
}

function readCell(text: string, at: number): { cell: string; end: number } {
  if (text[at] === '"') {
    const quotedCell = quotedCellAt(text, at)
    if (quotedCell?.[1] !== undefined) {
      return { cell: quotedCell[1].replaceAll('""', '"'), end: at + quotedCell[0].length }
    }
  }
  let end = at
  while (end < text.length && !'\t\r\n'.includes(text[end] ?? '')) end += 1
  return { cell: text.slice(at, end), end }
}
