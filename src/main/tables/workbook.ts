import { unzipSync } from 'fflate'
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
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const unpacked = countUnpackedBytes(file)
  if (unpacked === undefined) return err(fileIssue('damaged-xlsx'))
  if (unpacked > maxUnpacked) {
    return err(fileIssue('unpacks-too-much'))
  }
  try {
    const sheet = unzipFirstSheet(file)
    if (beyondAnySheet.test(sheet.toString('latin1'))) {
      return err(fileIssue('damaged-xlsx'))
    }
    // Imported on demand: loading its many files would slow down the start.
    const { readSheet } = await import('read-excel-file/node')
    const cells: unknown[][] = await readSheet(file)
    padCells(cells, sheet, readDigits(file))
    const errorCells = findErrorCells(sheet)
    for (const errorCell of errorCells) putIn(cells, errorCell)
    const emptyFormulas = errorCells.filter(({ text }) => text.startsWith('=')).length
    const cellErrors = errorCells.length - emptyFormulas
    return ok({ cells, cellErrors, emptyFormulas, mergedCells: findPlaces(sheet, '<mergeCell ').length })
  } catch {
    return err(fileIssue('damaged-xlsx'))
  }
}

/**
 * A cell or row whose address has more letters or digits than the last cell of a spreadsheet, XFD1048576. The reader fills
 * all cells before it, which ends the process when an array can't grow any more.
 */
const beyondAnySheet = /<(?:\w+:)?(?:c|row)\s(?:[^<]*?\s)?r\s*=\s*["'](?![A-Z]{0,3}\d{1,7}["'])/

const workbook = 'xl/workbook.xml'
const relations = 'xl/_rels/workbook.xml.rels'

/** The XML of the first sheet in the order of the workbook, which does not follow from the file names. */
function unzipFirstSheet(file: Uint8Array): Buffer {
  const listed = unzipSync(file, { filter: ({ name }) => name === workbook || name === relations })
  const text = (name: string) => Buffer.from(listed[name] ?? []).toString('utf8')
  const id = /<(?:\w+:)?sheet\s[^<>]*?\w+:id="([^"]+)"/.exec(text(workbook))?.[1]
  const relation = text(relations)
    .match(/<Relationship\s[^<>]*>/g)
    ?.find((each) => each.includes(` Id="${id}"`))
  const target = /\sTarget="([^"]+)"/.exec(relation ?? '')?.[1] ?? ''
  const path = target.startsWith('/') ? target.slice(1) : `xl/${target}`
  return Buffer.from(unzipSync(file, { filter: ({ name }) => name === path })[path] ?? [])
}

const styles = 'xl/styles.xml'
/** A number format of zeros only, such as «00000», without its colour, language and quotes. */
const zeros = /^(?:[A-Z]{1,3}-)?(0{2,})$/

/** The digits that a cell shows at least, by the number of its style; only for formats of zeros. */
function readDigits(file: Uint8Array): Map<string, number> {
  const unzipped = unzipSync(file, { filter: ({ name }) => name === styles })
  const xml = Buffer.from(unzipped[styles] ?? []).toString('utf8')
  const digitsOfFormat = new Map<string, number>()
  for (const format of xml.match(/<(?:\w+:)?numFmt\s[^>]*>/g) ?? []) {
    const code = unescapeXml(/\sformatCode="([^"]*)"/.exec(format)?.[1] ?? '')
    const [positive = ''] = code.replace(/\[[^\]]*\]|["\\]/g, '').split(';')
    const digits = zeros.exec(positive)?.[1]?.length
    if (digits !== undefined) digitsOfFormat.set(findFormat(format), digits)
  }
  const digitsOfStyle = new Map<string, number>()
  const [cellStyles = ''] = /<(?:\w+:)?cellXfs[\s>].*?<\/(?:\w+:)?cellXfs>/s.exec(xml) ?? []
  for (const [index, style] of (cellStyles.match(/<(?:\w+:)?xf\s[^>]*>/g) ?? []).entries()) {
    const digits = digitsOfFormat.get(findFormat(style))
    if (digits !== undefined) digitsOfStyle.set(String(index), digits)
  }
  return digitsOfStyle
}

function findFormat(tag: string): string {
  return /\snumFmtId="(\d+)"/.exec(tag)?.[1] ?? ''
}

/** Replaces whole numbers by their texts where the format adds leading zeros, as in postal codes. */
function padCells(cells: unknown[][], sheet: Buffer, digitsOfStyle: ReadonlyMap<string, number>): void {
  for (const [style, digits] of digitsOfStyle) {
    const mark = ` s="${style}"`
    for (const at of findPlaces(sheet, mark)) {
      const start = findCellStart(sheet, at)
      const xml = start === undefined ? '' : readCell(sheet, start)
      const place = findCellPlace(xml)
      const [tag = ''] = xml.split('>', 1)
      // Rows also have styles.
      if (place === undefined || !tag.includes(mark)) continue
      const value = cells[place.row]?.[place.column]
      if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) continue
      const text = String(value).padStart(digits, '0')
      if (text !== String(value)) putIn(cells, { ...place, text })
    }
  }
}

interface ErrorCell {
  row: number
  column: number
  text: string
}

const slash = 0x2f
/** Limits in bytes: from the start of a cell to the mark of an error, and of a whole cell. */
const maxTagLength = 256
const maxCellLength = 64 * 1024

/** Cells that the reader returns as empty: errors, and formulas without a result. */
function findErrorCells(sheet: Buffer): ErrorCell[] {
  const signs = [' t="e"', '<f>', '<f '].flatMap((sign) => findPlaces(sheet, sign))
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

/** The XML of a cell, which may be a self-closing tag. */
function readCell(sheet: Buffer, start: number): string {
  const rest = sheet.subarray(start, start + maxCellLength)
  const tagEnd = rest.indexOf('>')
  const end = rest[tagEnd - 1] === slash ? tagEnd : rest.indexOf('</c>')
  return rest.subarray(0, end < 0 ? rest.length : end).toString('utf8')
}

/** The place of a cell, from 0. */
function findCellPlace(xml: string): { row: number; column: number } | undefined {
  const place = /^<c\s[^>]*?\br="([A-Z]+)(\d+)"/.exec(xml)
  if (place === null) return undefined
  const [, letters = '', digits = ''] = place
  return { row: Number(digits) - 1, column: toColumn(letters) }
}

function findErrorCell(xml: string): ErrorCell | undefined {
  const at = findCellPlace(xml)
  if (at === undefined) return undefined
  const value = /<v(?:\s[^>]*)?>([^<]*)|<v\s*\/>/.exec(xml)
  if (/^<c\s[^>]*\st="e"/.test(xml)) return { ...at, text: value?.[1] || '#VALUE!' }
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

/** All positions of a text in a file. */
function findPlaces(file: Buffer, text: string): number[] {
  const places: number[] = []
  for (let at = file.indexOf(text); at >= 0; at = file.indexOf(text, at + text.length)) places.push(at)
  return places
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const endLength = 22
const entryLength = 46
const maxCommentLength = 65_535

/**
 * The unpacked size of a zip archive in bytes, from its directory, before anything is unpacked. Undefined if the directory is
 * missing or incomplete.
 */
function countUnpackedBytes(zip: Buffer): number | undefined {
  const end = findEnd(zip)
  if (end === undefined) return undefined
  const entries = zip.readUInt16LE(end + 10)
  let at = zip.readUInt32LE(end + 16)
  let total = 0
  for (let entry = 0; entry < entries; entry += 1) {
    if (at + entryLength > zip.length || zip.readUInt32LE(at) !== entrySignature) return undefined
    total += zip.readUInt32LE(at + 24)
    at += entryLength + zip.readUInt16LE(at + 28) + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32)
  }
  return total
}

function findEnd(zip: Buffer): number | undefined {
  const earliest = Math.max(0, zip.length - endLength - maxCommentLength)
  for (let at = zip.length - endLength; at >= earliest; at -= 1) {
    if (zip.readUInt32LE(at) === endSignature) return at
  }
  return undefined
}
