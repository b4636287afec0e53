import { readFile, stat } from 'node:fs/promises'
import { type AppError, appError } from '../../shared/errors'
import { tooLarge } from '../../shared/inputIssues'
import { err, ok, type Result } from '../../shared/result'
import {
  type BulkRow,
  type CodesFile,
  type ColumnNames,
  listCodes,
  maxFileMegabytes,
} from '../../shared/tracking'
import type { Desktop } from '../lib/desktop'
import { toDay } from '../lib/localDay'
import { toReason } from '../lib/toReason'
import { fromGuardedText, isCellError, isShortened } from '../tables/cells'
import { readTable, type Table, type TableLimits } from '../tables/readTable'
import { toCsv, writeTable } from '../tables/writeTable'

export interface TrackingTablesDeps extends Pick<Desktop, 'chooseTableFile' | 'saveFile'> {
  /** `readCodesFile` and `makeTrackingTable`, run outside the main thread. */
  tables: {
    read(name: string, content: Buffer): Promise<Result<CodesFile>>
    /** Rejects when the file can't be made. */
    makeTrackingTable(...table: Parameters<typeof makeTrackingTable>): Promise<Uint8Array>
  }
  now(): Date
}

/** Import and export of tracking tables. */
export function createTrackingTables(deps: TrackingTablesDeps) {
  return {
    async choose(): Promise<Result<CodesFile | null>> {
      const path = await deps.chooseTableFile()
      if (path === null) return ok(null)
      const name = path.split(/[\\/]/).at(-1) ?? path
      try {
        // Main would hold all of it.
        const { size } = await stat(path)
        if (size > maxFileMegabytes * 1024 * 1024) return err(invalid(name, tooLarge(maxFileMegabytes).words))
        return await deps.tables.read(name, await readFile(path))
      } catch (error) {
        const problem = toReason(error)
        return err(appError('codes-file-invalid', { file: name, problem }))
      }
    },
    /** Returns the path, null when cancelled. */
    async save(
      rows: readonly BulkRow[],
      names: ColumnNames,
      format: 'csv' | 'xlsx',
    ): Promise<Result<string | null>> {
      const fileName = `tracking-${toDay(deps.now())}.${format}`
      try {
        const bytes = await deps.tables.makeTrackingTable(rows, names, format)
        const saved = await deps.saveFile(fileName, bytes)
        return saved.ok ? saved : err(appError('export-not-saved', saved.error.details))
      } catch (error) {
        return err(appError('export-not-saved', { path: fileName, reason: toReason(error) }))
      }
    },
  }
}

const limits: TableLimits = {
  maxMegabytes: maxFileMegabytes,
  maxUnpackedMegabytes: 200,
  hasHeader: false,
}
/** Numbers from here on may have lost digits: spreadsheets store fifteen. */
const inexactFrom = 1e15

/**
 * English and Dutch headings of columns with codes, in lower case and without anything but letters and digits. Those after the
 * first may be a shop's own numbers, so they count only without a column of the first. Manifests name barcodes «parcelId».
 */
const codeHeadings = [
  /^(?:(?:track(?:ing|trace|andtrace|entrace)?|tt|waybill|vrachtbrief|awb|barcode)(?:codes?|numbers?|nummers?|ids?|no|nr)|track(?:ing|trace|andtrace|entrace)?|tt|barcodes?|waybills?|vrachtbrief|awb)$/,
  /^(?:(?:parcel|pakket|shipment|zendings?|colli)(?:codes?|numbers?|nummers?|no|nr)|parcelids?|codes?|box(?:es)?|doos|zending|pakket|colli)$/,
]

/**
 * Reads tracking codes from a CSV or XLSX file (recognised by content, not by name): from the column whose heading names
 * codes, else from the first column with content.
 * @param name the file's name, for messages
 * @returns the codes; `codes-file-invalid` for any other file
 */
export async function readCodesFile(name: string, content: Buffer): Promise<Result<CodesFile>> {
  const table = await readTable(content, limits)
  return table.ok ? ok({ name, ...toCodes(table.value) }) : err(invalid(name, table.error.words))
}

function toCodes({ rows, numeric }: Table): Omit<CodesFile, 'name'> {
  const [first = []] = rows
  const headings = first.map((cell) => cell.toLowerCase().replaceAll(/[^a-z\d]/g, ''))
  const named =
    codeHeadings
      .map((pattern) => headings.findIndex((heading) => pattern.test(heading)))
      .find((at) => at !== -1) ?? -1
  const column = named === -1 ? firstUsedColumn(rows) : named
  const from = named === -1 ? 0 : 1
  const texts = rows.slice(from).map((row) => (row[column] ?? '').trim())
  const inexact = texts.filter(
    (text, index) =>
      isShortened(text) ||
      (numeric?.[index + from]?.[column] === true && Math.abs(Number(text)) >= inexactFrom),
  ).length
  while (texts.at(-1) === '') texts.pop()
  const readable = texts.filter((text) => !isCellError(text))
  return {
    ...listCodes(readable.map(fromGuardedText)),
    column: named === -1 ? null : (first[named] ?? '').trim(),
    inexact,
    cellErrors: texts.length - readable.length,
  }
}

function firstUsedColumn(rows: readonly string[][]): number {
  const used = rows.map((row) => row.findIndex((cell) => cell.trim() !== '')).filter((at) => at !== -1)
  return used.reduce((min, at) => Math.min(min, at), used[0] ?? 0)
}

function invalid(name: string, problem: string): AppError {
  return appError('codes-file-invalid', {
    file: name,
    problem,
  })
}

/** Header row and rows as text, in the column order of the screen. */
function toTable(rows: readonly BulkRow[], names: ColumnNames): string[][] {
  const heading = [
    names.code,
    names.found,
    names.statusCode,
    names.description,
    names.location,
    names.dateTime,
    names.events,
    names.reference,
  ]
  return [
    heading,
    ...rows.map((row) => [
      row.code,
      row.found ? names.yes : names.no,
      row.lastStatus?.code ?? '',
      row.lastStatus?.description ?? '',
      row.lastStatus?.location ?? '',
      row.lastStatus?.dateTime ?? '',
      String(row.eventCount),
      row.shipment?.reference ?? '',
    ]),
  ]
}

/** The table as tab-separated text for the clipboard, the format of spreadsheets. */
export function clipboardTable(rows: readonly BulkRow[], names: ColumnNames): string {
  const plain = toTable(rows, names).map((row) => row.map((cell) => cell.replaceAll(/[\t\r\n]+/g, ' ')))
  return toCsv(plain, '\t')
}

/** The table as a file; CSV with semicolons, which spreadsheets expect in most of Europe. */
export function makeTrackingTable(
  rows: readonly BulkRow[],
  names: ColumnNames,
  format: 'csv' | 'xlsx',
): Promise<Uint8Array<ArrayBuffer>> {
  const layout = { sheet: 'Tracking', widths: [24, 10, 12, 44, 22, 20, 10, 22] }
  return writeTable(toTable(rows, names), format, layout, ';')
}
