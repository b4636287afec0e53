import { hash, randomUUID } from 'node:crypto'
import { type ManifestRow, maxManifestLines, toPosition } from '../../../shared/consignments'
import { type FileIssue, fileIssue } from '../../../shared/inputIssues'
import { err, ok, type Result } from '../../../shared/result'
import { headerKey, readTable, type Table } from '../../tables/readTable'
import { toBody } from './body'
import { LineSheet } from './lineSheet'
import { guessMapping, toLines, writeLines } from './lineTable'
import type { LineCall, LineCalls, LinesKey, OnChecked, ReadFile } from './lineWorker'
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

  const change = async (key: LinesKey, run: (sheet: LineSheet) => void) => {
    const sheet = await sheets.get(key)
    run(sheet)
    sheets.changed(key.manifestId)
    return sheet.summary()
  }
  const checked = async (key: LinesKey) => {
    const sheet = await sheets.get(key)
    sheet.check()
    return sheet
  }

  return {
    open: async (key) => (await checked(key)).summary(),
    read: async ({ from, count, ...key }) => (await sheets.get(key)).page(from, count),
    async edit({ edit, ...key }) {
      const sheet = await sheets.get(key)
      if (!sheet.edit(edit)) return err({ kind: 'too-many-lines' })
      sheets.changed(key.manifestId)
      return ok(sheet.summary())
    },
    undo: (key) => change(key, (sheet) => sheet.undo()),
    redo: (key) => change(key, (sheet) => sheet.redo()),
    find: async ({ text, row, column, ...key }) => (await sheets.get(key)).find(text, row, column),
    issues: async ({ offset, limit, ...key }) => (await sheets.get(key)).issues(offset, limit),
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
    async takeFile({ importId, mapping, decimalMark, replace, ...key }) {
      const table = files.get(importId)
      if (table === undefined) return err({ kind: 'gone' })
      // Before the conversion, which consumes the table.
      const hasRoom = replace || (await sheets.get(key)).hasRoomFor(table.rows.length - 1)
      if (!hasRoom) return err({ kind: 'too-many-lines' })
      const header = headerKey(table.rows[0] ?? [])
      const lines = toLines(table, mapping, decimalMark, key.airWaybillNumber)
      if (!lines.ok) return lines
      files.delete(importId)
      await change(key, (sheet) => sheet.take(lines.value, replace))
      return ok({ summary: (await checked(key)).summary(), headerKey: header })
    },
    async add({ shipments, ...key }) {
      const sheet = await sheets.get(key)
      const known = new Set(sheet.rows.map((row) => row[parcelId]).filter((id) => id !== ''))
      const withoutId = countLinesWithoutId(sheet.rows)
      // Those with an id first: only the lines that are left may belong to a shipment without any.
      const hasId = (rows: readonly ManifestRow[]) => rows.some((row) => row[parcelId] !== '')
      const knownShipments = new Set<readonly ManifestRow[]>()
      for (const rows of [...shipments.filter(hasId), ...shipments.filter((each) => !hasId(each))]) {
        const counts = [...countLinesWithoutId(rows)]
        const isKnown = hasId(rows)
          ? rows.some((row) => known.has(row[parcelId]))
          : counts.every(([text, count]) => (withoutId.get(text) ?? 0) >= count)
        if (!isKnown) continue
        knownShipments.add(rows)
        // A line stands for one parcel only.
        for (const [text, count] of counts) withoutId.set(text, (withoutId.get(text) ?? 0) - count)
      }
      const added = shipments.flatMap((rows) =>
        rows.filter(({ [parcelId]: id }) => (id === '' ? !knownShipments.has(rows) : !known.has(id))),
      )
      if (!sheet.hasRoomFor(added.length)) return err({ kind: 'too-many-lines' })
      await change(key, () => sheet.take(added, false))
      return ok({ summary: (await checked(key)).summary(), added: added.length })
    },
    async prepare(key) {
      const sheet = await checked(key)
      const summary = sheet.summary()
      if (summary.errors > 0 || summary.lines === 0) return { summary, prepared: null }
      // The lines must be on disk before they are sent.
      await sheets.flush(key.manifestId)
      const body = sheet.body()
      const sha256 = sheet.hashBody(body)
      return { summary, prepared: { body, sha256, totals: summary.totals } }
    },
    areSent: async ({ sha256, ...key }) => (await sheets.get(key)).hashBody() === sha256,
    async findParcels({ manifestId, parcelIds }) {
      const parcels = await sheets.parcels(manifestId)
      const found = new Map<string, string>()
      for (const id of parcelIds) {
        const written = parcels.find(id)
        if (written !== undefined) found.set(id, written)
      }
      return { lines: parcels.lines, found }
    },
    save: async ({ kind, ...key }) => writeLines((await sheets.get(key)).rows, kind),
    async remove({ manifestId, airWaybillNumber }) {
      await sheets.remove(manifestId)
      return new LineSheet([], airWaybillNumber).summary()
    },
    async removeSent({ manifestId, airWaybillNumber, sha256 }) {
      const wasRemoved = await sheets.removeIf(
        manifestId,
        (rows) => rows.length === 0 || hash('sha256', toBody(rows)) === sha256,
      )
      return wasRemoved ? new LineSheet([], airWaybillNumber).summary() : null
    },
    async close() {
      await sheets.close()
      return undefined
    },
  }
}

/** How many lines without `parcelId` there are of each content. */
function countLinesWithoutId(rows: readonly ManifestRow[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const row of rows) {
    if (row[parcelId] !== '') continue
    const text = JSON.stringify(row)
    counts.set(text, (counts.get(text) ?? 0) + 1)
  }
  return counts
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
