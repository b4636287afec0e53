import { unzipSync, zipSync } from 'fflate'
import { type FileIssue, fileIssue } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'

export interface FirstSheet {
  /** Values by row and column. A number with leading zeros is its text, an error is its text, such as «#REF!»; a formula without a stored result is the formula. */
  cells: unknown[][]
  cellErrors: number
  /** Formulas without a stored result: a program wrote the file, and no spreadsheet has opened it. */
  emptyFormulas: number
  /** Blocks of merged cells, in which only the first cell has the value. */
  mergedCells: number
}

/**
 * Reads the first sheet of an XLSX file.
 * @param maxUnpacked limit for the unpacked size in bytes: a small file can unpack to a very large one
 */
export async function readFirstSheet(
  bytes: Uint8Array,
  maxUnpacked: number,
): Promise<Result<FirstSheet, FileIssue>> {
  try {
    const unpacked = unpackParts(bytes, maxUnpacked)
    if (unpacked === undefined) return err(fileIssue('unpacks-too-much'))
    const { parts, sheet } = selectParts(unpacked)
    if (
      sheet === undefined ||
      Object.values(parts).some((part) => isBeyondAnySheet(part) || hasEndlessMarkup(part))
    ) {
      return err(fileIssue('damaged-xlsx'))
    }
    // Imported on demand: loading its many files would slow down the start.
    const { readSheet } = await import('read-excel-file/node')
    // SECURITY: the reader gets what was counted and checked. It would unpack the file itself without a limit, whatever sizes it states.
    const cells: unknown[][] = await readSheet(Buffer.from(zipSync(parts, { level: 0 })))
    padCells(cells, sheet, readDigits(parts))
    const errorCells = findErrorCells(sheet)
    for (const errorCell of errorCells) putIn(cells, errorCell)
    const emptyFormulas = errorCells.filter(({ text }) => text.startsWith('=')).length
    const cellErrors = errorCells.length - emptyFormulas
    return ok({ cells, cellErrors, emptyFormulas, mergedCells: findPlaces(sheet, '<mergeCell ').length })
  } catch {
    return err(fileIssue('damaged-xlsx'))
  }
}

/** The parts of a workbook by their names, without comments. */
type Parts = Record<string, Buffer>

/**
 * Unpacks the XML parts of a workbook, each up to the size that the archive's directory states: one that is longer is cut off.
 * @returns undefined if their sizes exceed the limit together
 */
function unpackParts(file: Uint8Array, maxUnpacked: number): Parts | undefined {
  let total = 0
  const unzipped = unzipSync(file, {
    filter({ name, size, originalSize }) {
      if (!/\.xml(?:\.rels)?$/.test(name)) return false
      // A part that is not compressed has its packed size, whatever the directory states.
      total += Math.max(size, originalSize)
      return total <= maxUnpacked
    },
  })
  if (total > maxUnpacked) return undefined
  return Object.fromEntries(Object.entries(unzipped).map(([name, part]) => [name, removeComments(part)]))
}

/** Marks in comments are not those of cells and sheets. Changes the part; one that is not closed stays, and the reader refuses it. */
function removeComments(part: Uint8Array): Buffer {
  const xml = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
  let length = 0
  let end = 0
  for (let at = xml.indexOf('<!--'); at >= 0; at = xml.indexOf('<!--', end)) {
    const closed = xml.indexOf('-->', at + 4)
    if (closed < 0) break
    xml.copyWithin(length, end, at)
    length += at - end
    end = closed + 3
  }
  xml.copyWithin(length, end)
  return xml.subarray(0, length + xml.length - end)
}

/**
 * An attribute `r` that is no address of a cell or number of a row, or has more letters or digits than the last cell of a
 * spreadsheet, XFD1048576. The reader fills all cells before an address, which ends the process when an array can't grow any more.
 * It reads other tags than a pattern would: in any attribute may be brackets, and each name may have a prefix. Only a declaration of
 * the prefix `r`, which most programs write, is no such attribute for it.
 */
const beyondAnySheet = /(?<!\sxmlns:)\br\s*=\s*["'](?![A-Z]{0,3}\d{1,7}["'])/

/** Whether a part is a sheet with an address that no sheet can have. */
function isBeyondAnySheet(part: Buffer): boolean {
  return part.includes('sheetData') && beyondAnySheet.test(part.toString('latin1'))
}

/** Longer than any tag or text of a cell, in bytes. */
const maxMarkupLength = 1024 * 1024

/**
 * Whether a part has a tag or text that is longer than those of spreadsheets. The reader reads a part in pieces, and what has not ended
 * again with each piece, which may take an hour.
 */
function hasEndlessMarkup(part: Buffer): boolean {
  return ['<', '>'].some((mark) => isWithout(part, mark))
}

/** Whether a mark is missing in a stretch of the maximum length. */
function isWithout(part: Buffer, mark: string): boolean {
  let from = 0
  while (part.length - from > maxMarkupLength) {
    const last = part.subarray(from, from + maxMarkupLength).lastIndexOf(mark)
    if (last < 0) return true
    from += last + 1
  }
  return false
}

const workbookPart = 'xl/workbook.xml'
const relationsPart = 'xl/_rels/workbook.xml.rels'
const stylesPart = 'xl/styles.xml'

/**
 * The first sheet in the order of the workbook, which does not follow from the file names, and all parts that the reader may need for it.
 * Others may have texts of any length, such as queries in `customXml/`. A workbook that makes the reader look for one of them is damaged.
 */
function selectParts(unpacked: Parts): { parts: Parts; sheet: Buffer | undefined } {
  const [firstSheet = ''] = listTags(toXml(unpacked[workbookPart]), 'sheet')
  const id = findAttribute(firstSheet, '\\w+:id')
  const relations = listTags(toXml(unpacked[relationsPart]), 'Relationship')
  const sheetPart = findTarget(relations.find((each) => findAttribute(each, 'Id') === id) ?? '')
  const shared = relations.filter((each) =>
    /\/(?:sharedStrings|styles)$/.test(findAttribute(each, 'Type') ?? ''),
  )
  // The reader takes the usual names where the relations name none.
  const usual = [workbookPart, relationsPart, stylesPart, 'xl/sharedStrings.xml']
  const names = new Set([...usual, sheetPart, ...shared.map(findTarget)])
  const parts = Object.fromEntries(Object.entries(unpacked).filter(([name]) => names.has(name)))
  return { parts, sheet: parts[sheetPart] }
}

/** The name of the part to which a relation leads. */
function findTarget(relation: string): string {
  const target = findAttribute(relation, 'Target') ?? ''
  return target.startsWith('/') ? target.slice(1) : `xl/${target}`
}

function toXml(part: Buffer | undefined): string {
  return part?.toString('utf8') ?? ''
}

/** The start tags of elements, up to one that does not end. */
function listTags(xml: string, element: string): string[] {
  const start = new RegExp(`<(?:\\w+:)?${element}\\s`, 'g')
  const tags: string[] = []
  for (let found = start.exec(xml); found !== null; found = start.exec(xml)) {
    const end = findTagEnd(xml, start.lastIndex)
    if (end === undefined) break
    tags.push(xml.slice(found.index, end))
    start.lastIndex = end
  }
  return tags
}

/** The position after a tag, whose attributes may contain brackets. One pattern for the whole tag would take quadratic time. */
function findTagEnd(xml: string, from: number): number | undefined {
  const marks = /["'>]/g
  marks.lastIndex = from
  for (let mark = marks.exec(xml); mark !== null; mark = marks.exec(xml)) {
    if (mark[0] === '>') return marks.lastIndex
    const closed = xml.indexOf(mark[0], marks.lastIndex)
    if (closed < 0) return undefined
    marks.lastIndex = closed + 1
  }
  return undefined
}

/** @param name a pattern for the name of the attribute */
function findAttribute(tag: string, name: string): string | undefined {
  return new RegExp(`\\s${name}\\s*=\\s*(["'])(.*?)\\1`, 's').exec(tag)?.[2]
}

/** A number format of zeros only, such as «00000», without its colour, language and quotes. */
const zeros = /^(?:[A-Z]{1,3}-)?(0{2,})$/

/** The digits that a cell shows at least, by the number of its style; only for formats of zeros. */
function readDigits(parts: Parts): Map<string, number> {
  const xml = toXml(parts[stylesPart])
  const digitsOfFormat = new Map<string, number>()
  for (const format of listTags(xml, 'numFmt')) {
    const code = unescapeXml(findAttribute(format, 'formatCode') ?? '')
    const [positive = ''] = code.replace(/\[[^[\]]*\]|["\\]/g, '').split(';')
    const digits = zeros.exec(positive)?.[1]?.length
    if (digits !== undefined) digitsOfFormat.set(findFormat(format), digits)
  }
  const digitsOfStyle = new Map<string, number>()
  const fromCellStyles = xml.slice(xml.search(/<(?:\w+:)?cellXfs[\s>]/))
  const cellStyles = fromCellStyles.slice(0, Math.max(0, fromCellStyles.search(/<\/(?:\w+:)?cellXfs>/)))
  for (const [index, style] of listTags(cellStyles, 'xf').entries()) {
    const digits = digitsOfFormat.get(findFormat(style))
    if (digits !== undefined) digitsOfStyle.set(String(index), digits)
  }
  return digitsOfStyle
}

function findFormat(tag: string): string {
  return findAttribute(tag, 'numFmtId') ?? ''
}

/** Replaces whole numbers by their texts where the format adds leading zeros, as in postal codes. */
function padCells(cells: unknown[][], sheet: Buffer, digitsOfStyle: ReadonlyMap<string, number>): void {
  if (digitsOfStyle.size === 0) return
  const marks = [' s="', " s='"].flatMap((mark) => findPlaces(sheet, mark))
  const padded = marks.filter((at) => digitsOfStyle.has(readStyle(sheet, at)))
  for (const start of new Set(padded.map((at) => findCellStart(sheet, at)))) {
    const xml = start === undefined ? '' : readCell(sheet, start)
    const place = findCellPlace(xml)
    const [tag = ''] = xml.split('>', 1)
    // Rows also have styles.
    const digits = digitsOfStyle.get(findAttribute(tag, 's') ?? '')
    if (place === undefined || digits === undefined) continue
    const value = cells[place.row]?.[place.column]
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) continue
    const text = String(value).padStart(digits, '0')
    if (text !== String(value)) putIn(cells, { ...place, text })
  }
}

/** The number in an attribute ` s="1"` at a position. */
function readStyle(sheet: Buffer, at: number): string {
  return /^\d+/.exec(sheet.toString('latin1', at + 4, at + 4 + maxStyleLength))?.[0] ?? ''
}

interface ErrorCell {
  row: number
  column: number
  text: string
}

const slash = 0x2f
/** Limits in bytes: from the start of a cell to a mark in it, of the number of a style, and of a whole cell. */
const maxTagLength = 256
const maxStyleLength = 10
const maxCellLength = 64 * 1024

/** Cells that the reader returns as empty: errors, and formulas without a result. */
function findErrorCells(sheet: Buffer): ErrorCell[] {
  const signs = [' t="e"', " t='e'", '<f>', '<f '].flatMap((sign) => findPlaces(sheet, sign))
  return [...new Set(signs.map((at) => findCellStart(sheet, at)))].flatMap((start) => {
    const errorCell = start === undefined ? undefined : findErrorCell(readCell(sheet, start))
    return errorCell === undefined ? [] : [errorCell]
  })
}

/** The start of the cell that contains a position; undefined if it is too far away, since the mark is then part of a text. */
function findCellStart(sheet: Buffer, at: number): number | undefined {
  const from = Math.max(0, at - maxTagLength)
  const start = sheet.subarray(from, at).lastIndexOf('<c ')
  return start < 0 ? undefined : from + start
}

/** The XML of a cell, which may be a self-closing tag. It ends before the next one at the latest: very many may not end at all. */
function readCell(sheet: Buffer, start: number): string {
  const longest = sheet.subarray(start, start + maxCellLength)
  const next = longest.indexOf('<c ', 1)
  const rest = next < 0 ? longest : longest.subarray(0, next)
  const tagEnd = rest.indexOf('>')
  const end = rest[tagEnd - 1] === slash ? tagEnd : rest.indexOf('</c>')
  return rest.subarray(0, end < 0 ? rest.length : end).toString('utf8')
}

/** The place of a cell, from 0. */
function findCellPlace(xml: string): { row: number; column: number } | undefined {
  const place = /^<c\s[^>]*?\br=["']([A-Z]+)(\d+)["']/.exec(xml)
  if (place === null) return undefined
  const [, letters = '', digits = ''] = place
  return { row: Number(digits) - 1, column: toColumn(letters) }
}

function findErrorCell(xml: string): ErrorCell | undefined {
  const at = findCellPlace(xml)
  if (at === undefined) return undefined
  const value = /<v(?:\s[^>]*)?>([^<]*)|<v\s*\/>/.exec(xml)
  if (/^<c\s[^>]*\st=["']e["']/.test(xml)) return { ...at, text: value?.[1] || '#VALUE!' }
  if (value !== null) return undefined
  const formula = /<f(?:\s[^>]*)?>([^<]*)</.exec(xml)?.[1] ?? ''
  return { ...at, text: `=${formula === '' ? '…' : unescapeXml(formula).trim()}` }
}

/** The zero-based index of a column from its letters. */
function toColumn(letters: string): number {
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

function unescapeXml(xml: string): string {
  return xml
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&')
}

function putIn(cells: unknown[][], { row, column, text }: ErrorCell): void {
  while (cells.length <= row) cells.push([])
  const line = cells[row] ?? []
  while (line.length <= column) line.push(null)
  line[column] = text
}

function findPlaces(file: Buffer, text: string): number[] {
  const places: number[] = []
  for (let at = file.indexOf(text); at >= 0; at = file.indexOf(text, at + text.length)) places.push(at)
  return places
}
