import { randomUUID } from 'node:crypto'
import { maxManifestLines, toPosition } from '../../../shared/consignments'
import { type FileIssue, fileIssue } from '../../../shared/inputIssues'
import { err, ok, type Result } from '../../../shared/result'
import { toSha256 } from '../../lib/hash'
import { headerKey, readTable, type Table } from '../../tables/readTable'
import type { LineSheet } from './lineSheet'
import { guessMapping, toLines, writeLines } from './lineTable'
import type { LineCall, LineCalls, LinesOf, OnChecked, ReadFile } from './lineWorker'
import { createLinesFile, OpenSheets } from './openSheets'

const sampleLines = 20
const maxFilesKept = 3
const parcelId = toPosition('parcelId')

/** One function per call of the worker. */
export type LineFunctions = {
  [Name in LineCall]: (input: LineCalls[Name]['input']) => Promise<LineCalls[Name]['output']>
}

/**
 * Implements the worker's calls; also runs in the main thread, for tests.
 * @param folder absolute path of the folder that holds the lines
 */
export function createLineFunctions(folder: string, onChecked: OnChecked): LineFunctions {
  const sheets = new OpenSheets(createLinesFile(folder), onChecked)
  const files = new Map<string, Table>()

  const change = async (of: LinesOf, run: (sheet: LineSheet) => void) => {
    const sheet = await sheets.get(of)
    run(sheet)
    sheets.changed(of.manifestId)
    return sheet.summary()
  }
  const checked = async (of: LinesOf) => {
    const sheet = await sheets.get(of)
    sheet.check()
    return sheet
  }

  return {
    open: async (of) => (await checked(of)).summary(),
    read: async ({ from, count, ...of }) => (await sheets.get(of)).page(from, count),
    edit: ({ edit, ...of }) => change(of, (sheet) => sheet.edit(edit)),
    undo: (of) => change(of, (sheet) => sheet.undo()),
    redo: (of) => change(of, (sheet) => sheet.redo()),
    find: async ({ text, row, column, ...of }) => (await sheets.get(of)).find(text, row, column),
    issues: async ({ offset, limit, ...of }) => (await sheets.get(of)).issues(offset, limit),
    async readFile({ fileName, bytes }) {
      const read = await readTable(new Uint8Array(bytes))
      if (!read.ok) return read
      const importId = randomUUID()
      files.set(importId, read.value)
      const [oldest] = files.keys()
      if (files.size > maxFilesKept && oldest !== undefined) files.delete(oldest)
      return described(importId, fileName, read.value)
    },
    async dropFile({ importId }) {
      files.delete(importId)
      return undefined
    },
    async takeFile({ importId, mapping, decimalMark, replace, ...of }) {
      const table = files.get(importId)
      if (table === undefined) return err({ kind: 'gone' })
      const key = headerKey(table.rows[0] ?? [])
      const lines = toLines(table, mapping, decimalMark, of.airWaybillNumber)
      if (!lines.ok) return lines
      files.delete(importId)
      await change(of, (sheet) => sheet.take(lines.value, replace))
      return ok({ summary: (await checked(of)).summary(), headerKey: key })
    },
    async add({ rows, ...of }) {
      const known = new Set((await sheets.get(of)).rows.map((row) => row[parcelId]))
      const added = rows.filter((row) => !known.has(row[parcelId]))
      await change(of, (sheet) => sheet.take(added, false))
      return { summary: (await checked(of)).summary(), added: added.length }
    },
    async prepare(of) {
      const sheet = await checked(of)
      const summary = sheet.summary()
      if (summary.errors > 0 || summary.lines === 0) return { summary, prepared: null }
      // The lines must be on disk before they are sent.
      await sheets.flush()
      const body = sheet.body()
      const sha256 = toSha256(body)
      return { summary, prepared: { body, sha256, totals: summary.totals } }
    },
    save: async ({ kind, ...of }) => writeLines((await sheets.get(of)).rows, kind),
    async remove({ manifestId }) {
      await sheets.remove(manifestId)
      return undefined
    },
    async close() {
      await sheets.close()
      return undefined
    },
  }
}

function described(importId: string, fileName: string, table: Table): Result<ReadFile, FileIssue> {
  const [header = [], ...lines] = table.rows
  if (lines.length > maxManifestLines) {
    return err(fileIssue('too-many-lines', String(maxManifestLines)))
  }
  const { kind, encoding, cellErrors, emptyFormulas, mergedCells } = table
  const numericCells = header.map(
    (_, column) =>
      table.numeric?.reduce((sum, row, index) => sum + (index > 0 && row[column] === true ? 1 : 0), 0) ?? 0,
  )
  const unevenLines = kind === 'csv' ? lines.filter((line) => line.length !== header.length).length : 0
  return ok({
    importId,
    fileName,
    kind,
    encoding,
    header,
    lines: lines.length,
    sample: lines.slice(0, sampleLines),
    mapping: guessMapping(header),
    notes: { numericCells, cellErrors, emptyFormulas, mergedCells, unevenLines },
    headerKey: headerKey(header),
  })
}
