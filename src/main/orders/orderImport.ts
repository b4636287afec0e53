import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type AppError, appError } from '../../shared/errors'
import { type FileIssue, fileIssue, issueDetails } from '../../shared/inputIssues'
import {
  type ImportPlan,
  type ImportResult,
  maxDifferences,
  maxImportedOrders,
  type OnDuplicate,
  type OrderDifference,
  type OrderIssue,
  type OrderMapping,
  type OrderOrigin,
  type OrderSource,
  orderValueFields,
} from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import { createPacer } from '../lib/async'
import { toHashedId } from '../lib/hashedId'
import type { People } from '../people/people'
import { headerKey, type NumberedRows, skipRows } from '../tables/readTable'
import { checkForStation, withIssues } from './checks'
import { guessByValues, guessMapping, isOrderRow, toColumnLetters } from './mapping'
import { findNewerElsewhere, listKnownReferences, type OrdersDeps, publishOrdersChanged } from './orders'
import { findMissingColumn, type ReadOrder, readOrders } from './readOrders'
import { type OrderRecord, type SavedOrder, toReferenceKey, twiceInFile } from './repository'

/** Rows of a file or of a spreadsheet, the header row first. */
export type ReadOrderTable = (bytes: Uint8Array) => Promise<Result<NumberedRows, FileIssue>>

export interface OrderImportDeps
  extends Pick<
    OrdersDeps,
    'repository' | 'orderList' | 'settings' | 'sharing' | 'shippedReferences' | 'now' | 'bus'
  > {
  readTable: ReadOrderTable
  people: Pick<People, 'isGuarded'>
}

/** A file of the import folder. Its import may be interrupted and repeated. */
export interface ImportClaim {
  id: string
  /** When it was taken (ISO 8601), if an earlier import of it may have begun; null for the first one. */
  resumedFrom: string | null
  /** Ends the import between two steps; its repetition resumes it. */
  stop?: AbortSignal
}

/** A file in memory, until it is imported or dropped. */
interface OpenFile {
  fileName: string
  pasted: boolean
  /** All rows, including the header row if there is one. */
  table: NumberedRows
  hasHeader: boolean
  /** The header row; column letters if there is none. */
  header: string[]
  /** The rows without the header. */
  orders: NumberedRows
  /** Whether a mapping is stored for this header. */
  remembered: boolean
  claim: ImportClaim | null
}

const sampleRows = 8
const plannedOrders = 50
/** Files that are kept in memory; the oldest one is dropped first. */
const maxOpenFiles = 4
/** Orders that are compared in one step. */
const comparedPerStep = 2000
/** Orders that are checked and saved in one step, during which the main process does nothing else. */
const importedPerStep = 200

/** Imports tables of orders into the list: files and pasted rows that a person reviews first, and files of the import folder. */
export class OrderImport {
  private readonly files = new Map<string, OpenFile>()

  constructor(private readonly deps: OrderImportDeps) {}

  /**
   * Reads a file of orders and previews its import; `table-unreadable` if it is no table. The file stays in memory until it
   * is imported or dropped.
   */
  async readFile(fileName: string, bytes: Uint8Array, pasted: boolean): Promise<Result<ImportPlan>> {
    const opened = await this.open(fileName, bytes, pasted, null)
    return opened.ok ? this.plan(opened.value.importId, opened.value.mapping) : opened
  }

  /** Reads a table into memory; returns a mapping for its columns. */
  private async open(
    fileName: string,
    bytes: Uint8Array,
    pasted: boolean,
    claim: ImportClaim | null,
  ): Promise<Result<{ importId: string; header: readonly string[]; mapping: OrderMapping }>> {
    const table = await this.deps.readTable(bytes)
    if (!table.ok) return err(unreadable(fileName, table.error))
    const { rows } = table.value
    if (rows.length > maxImportedOrders + 1)
      return err(unreadable(fileName, fileIssue('too-many-lines', String(maxImportedOrders))))
    const first = rows[0] ?? []
    // A mapping that is guessed from values needs a person's review, which a file of the import folder does not get.
    const isOrder = claim === null && isOrderRow(first)
    const hasHeader = !isOrder || (await this.deps.repository.findMapping(headerKey(first))) !== undefined
    const importId = randomUUID()
    const mapping = await this.keep(importId, { fileName, pasted, table: table.value, claim }, hasHeader)
    for (const oldest of [...this.files.keys()].slice(0, -maxOpenFiles)) this.files.delete(oldest)
    return ok({ importId, header: first, mapping })
  }

  /** Treats the first row as header or as an order, and previews the import again; errors as `plan`. */
  async takeFirstRow(importId: string, hasHeader: boolean): Promise<Result<ImportPlan>> {
    const file = this.files.get(importId)
    return file === undefined ? err(gone()) : this.plan(importId, await this.keep(importId, file, hasHeader))
  }

  /**
   * SECURITY: nobody reviews a file of the import folder, so while the PIN guards the settings it is read in the same way
   * whatever was imported before.
   */
  private remembersMapping(claim: ImportClaim | null): boolean {
    return claim === null || !this.deps.people.isGuarded('settings')
  }

  /** @returns the mapping of the last file with the same columns; otherwise a guess from the header or the values */
  private async keep(
    importId: string,
    { fileName, pasted, table, claim }: Pick<OpenFile, 'fileName' | 'pasted' | 'table' | 'claim'>,
    hasHeader: boolean,
  ): Promise<OrderMapping> {
    const header = hasHeader ? (table.rows[0] ?? []) : toColumnLetters(countColumns(table.rows))
    const orders = skipRows(table, hasHeader ? 1 : 0)
    const known = this.remembersMapping(claim)
      ? await this.deps.repository.findMapping(headerKey(header))
      : undefined
    const remembered = known !== undefined
    this.files.set(importId, {
      ...{ fileName, pasted, table, hasHeader, header, orders, remembered, claim },
    })
    const guess = hasHeader ? guessMapping : guessByValues
    return known ?? guess(header, orders.rows.slice(0, sampleRows))
  }

  /** Previews the import of a file with a mapping; `table-gone` if the file is not in memory any more. */
  async plan(importId: string, mapping: OrderMapping): Promise<Result<ImportPlan>> {
    const file = this.files.get(importId)
    if (file === undefined) return err(gone())
    const { header, orders, fileName, hasHeader, remembered } = file
    const read = await readOrders(header, orders, mapping)
    const known = await this.listKnown(read)
    const checked = await this.checkAll(read)
    return ok({
      importId,
      fileName,
      hasHeader,
      header,
      sample: orders.rows.slice(0, sampleRows),
      rows: orders.rows.length,
      mapping,
      remembered,
      orders: read.slice(0, plannedOrders).map(({ values, items, line }, index) => ({
        values,
        items,
        issues: checked[index] ?? [],
        source: toSource(file, line),
      })),
      total: read.length,
      withIssues: checked.filter((issues) => issues.length > 0).length,
      duplicates: read.filter(({ values }) => known.has(toReferenceKey(values))).length,
      differences: await this.listDifferences(read, known),
    })
  }

  /**
   * Adds a file's orders to the list; those with issues get the state `problem`. An order whose reference was shipped is not
   * added. One whose reference is in the list is not added, or replaces the listed one, depending on `onDuplicate`. The
   * second order of a reference in the file becomes a problem; it replaces the second open one in the list.
   */
  async import(
    importId: string,
    mapping: OrderMapping,
    onDuplicate: OnDuplicate,
    replacedReferences: readonly string[] = [],
  ): Promise<Result<ImportResult>> {
    const file = this.files.get(importId)
    if (file === undefined) return err(gone())
    const { repository } = this.deps
    const read = await readOrders(file.header, file.orders, mapping)
    const known = await this.listKnown(read)
    const imported = await this.findImported(file, read, known)
    const importedAt = this.deps.now().toISOString()
    const result: ImportResult = { added: 0, updated: 0, skipped: 0, withIssues: 0 }
    /** How many orders of each reference were added or replaced. */
    const seen = new Map<string, number>()
    const chosen = new Set(replacedReferences)
    for (let from = 0; from < read.length; from += importedPerStep) {
      file.claim?.stop?.throwIfAborted()
      const step = read.slice(from, from + importedPerStep)
      const earlierIds =
        onDuplicate === 'skip' ? [] : step.flatMap(({ values }) => known.get(toReferenceKey(values)) ?? [])
      const before = await repository.findAll(earlierIds)
      const settings = this.deps.settings.current()
      const added: SavedOrder[] = []
      const replaced: SavedOrder[] = []
      // Nothing is awaited between here and `save`, so the orders match the rules in the settings at that moment.
      for (const each of step) {
        const reference = toReferenceKey(each.values)
        const listed = known.get(reference)
        const count = seen.get(reference) ?? 0
        const isReplaced = onDuplicate === 'update' || (onDuplicate === 'chosen' && chosen.has(reference))
        const earlier = isReplaced ? listed?.[count] : undefined
        const id = file.claim === null ? randomUUID() : toImportedOrderId(file.claim.id, each.line)
        const isRepeated = reference !== '' && count > 0
        const isAdded = imported.has(id)
        if (!isAdded && !isRepeated && listed !== undefined && earlier === undefined) {
          result.skipped += 1
          continue
        }
        seen.set(reference, count + 1)
        const issues = checkForStation(each, settings)
        if (isRepeated) issues.push(twiceInFile)
        const listedOrder = before.get(earlier ?? '')
        if (listedOrder !== undefined) issues.push(...findNewerElsewhere(listedOrder, this.deps))
        if (isAdded || imported.has(earlier ?? '')) {
          result[isAdded ? 'added' : 'updated'] += 1
          if (issues.length > 0) result.withIssues += 1
          continue
        }
        const { line, ...order } = each
        const kept = {
          ...withIssues(order, issues, settings),
          ...{ importedAt, source: toSource(file, line), origin: toOrigin(file) },
        }
        if (earlier === undefined) added.push({ ...kept, id })
        else replaced.push({ ...kept, id: earlier })
      }
      const saved = await repository.save(
        added,
        replaced.map((order) => withHotFolderSource(order, before.get(order.id))),
      )
      // An order that was shipped or skipped since the look-up was not replaced.
      const written = [...added, ...replaced.filter(({ id }) => saved.has(id))]
      result.added += added.length
      result.updated += saved.size
      result.skipped += replaced.length - saved.size
      result.withIssues += written.filter(({ issues }) => issues.length > 0).length
      // A large file must delay neither a creation nor the window.
      await setImmediate()
    }
    if (this.remembersMapping(file.claim)) await repository.rememberMapping(headerKey(file.header), mapping)
    this.files.delete(importId)
    await publishOrdersChanged(this.deps)
    return ok(result)
  }

  /**
   * Imports a file without review; `order-columns-unknown` if no column is known as the order number, or if the stored
   * mapping of the same header may not be used and differs from the guess, `order-column-missing` if it lacks a column of the
   * mapping, `table-unreadable` if it is no table. Throws when the claim's `stop` is aborted.
   * @param mapping null for the stored mapping of the same header unless the PIN guards the settings, otherwise a guess from
   *   the header
   * @param claim orders that an interrupted import of the same claim has written are not written again, so that none is
   *   added twice and no correction is overwritten
   */
  async importFile(
    fileName: string,
    bytes: Uint8Array,
    mapping: OrderMapping | null,
    onDuplicate: OnDuplicate,
    claim: ImportClaim,
  ): Promise<Result<ImportResult>> {
    const opened = await this.open(fileName, bytes, false, claim)
    if (!opened.ok) return opened
    const { importId, header } = opened.value
    try {
      const used = mapping ?? opened.value.mapping
      const missing = findMissingColumn(header, used)
      if (missing !== undefined)
        return err(appError('order-column-missing', { file: fileName, column: missing }))
      if (mapping === null && (await this.isGuessDoubtful(header, used)))
        return err(appError('order-columns-unknown', { file: fileName, case: 'guarded' }))
      if (used.fields.reference === undefined)
        return err(appError('order-columns-unknown', { file: fileName }))
      return await this.import(importId, used, onDuplicate)
    } finally {
      this.dropFile(importId)
    }
  }

  /** Whether a person chose other columns for this header, which the import folder may not use while the PIN guards the settings. */
  private async isGuessDoubtful(header: readonly string[], guess: OrderMapping): Promise<boolean> {
    const chosen = await this.deps.repository.findMapping(headerKey(header))
    return chosen !== undefined && !isDeepStrictEqual(chosen, guess)
  }

  dropFile(importId: string): void {
    this.files.delete(importId)
  }

  /** The first `maxDifferences` differences between a file and the open orders. */
  private async listDifferences(
    read: readonly ReadOrder[],
    known: ReadonlyMap<string, string[]>,
  ): Promise<OrderDifference[]> {
    const differences: OrderDifference[] = []
    const seen = new Set<string>()
    for (let from = 0; from < read.length && differences.length < maxDifferences; from += comparedPerStep) {
      const part = read.slice(from, from + comparedPerStep).flatMap((order) => {
        const reference = toReferenceKey(order.values)
        const [id] = known.get(reference) ?? []
        if (id === undefined || seen.has(reference)) return []
        seen.add(reference)
        return [{ reference, id, order }]
      })
      const earlier = await this.deps.repository.findAll(part.map(({ id }) => id))
      for (const { reference, id, order } of part) {
        const before = earlier.get(id)
        const difference = before === undefined ? undefined : findDifference(reference, before, order)
        if (difference !== undefined && differences.length < maxDifferences) differences.push(difference)
      }
    }
    return differences
  }

  private listKnown(read: readonly ReadOrder[]): Promise<Map<string, string[]>> {
    return listKnownReferences(
      read.map(({ values }) => toReferenceKey(values)).filter((reference) => reference !== ''),
      this.deps,
    )
  }

  /** Ids of the orders that an interrupted import of the same claim added or replaced. */
  private async findImported(
    { claim, fileName }: OpenFile,
    read: readonly ReadOrder[],
    known: ReadonlyMap<string, string[]>,
  ): Promise<Set<string>> {
    if (claim === null || claim.resumedFrom === null) return new Set()
    const { id: claimId, resumedFrom } = claim
    const own = new Set(read.map(({ line }) => toImportedOrderId(claimId, line)))
    const found = await this.deps.repository.findAll([...own, ...[...known.values()].flat()])
    // A hot folder order keeps its source when the import replaces it, and gets the columns of its row.
    const toContent = (id: string, columns: ReadOrder['columns']) => `${id} ${JSON.stringify(columns)}`
    const contents = new Set(
      read.flatMap(({ values, columns }) =>
        (known.get(toReferenceKey(values)) ?? []).map((id) => toContent(id, columns)),
      ),
    )
    const isReplaced = ({ id, source, columns }: OrderRecord) =>
      source.kind === 'hot-folder'
        ? contents.has(toContent(id, columns))
        : source.kind === 'file' && source.name === fileName
    const isImported = (order: OrderRecord) =>
      own.has(order.id) || (order.importedAt >= resumedFrom && isReplaced(order))
    return new Set([...found.values()].filter(isImported).map(({ id }) => id))
  }

  private async checkAll(orders: readonly ReadOrder[]): Promise<OrderIssue[][]> {
    const pace = createPacer()
    const checked: OrderIssue[][] = []
    for (const order of orders) {
      checked.push(checkForStation(order, this.deps.settings.current()))
      await pace()
    }
    return checked
  }
}

/** Keeps the source of an order that a hot folder file waits for, when another file replaces its content. */
function withHotFolderSource(order: SavedOrder, before: OrderRecord | undefined): SavedOrder {
  if (before?.source.kind !== 'hot-folder') return order
  return { ...order, source: before.source, origin: before.origin, extras: before.extras }
}

/** Undefined if the file and the order have the same content. */
function findDifference(
  reference: string,
  before: OrderRecord,
  { values, items }: ReadOrder,
): OrderDifference | undefined {
  const changes = orderValueFields.flatMap((field) => {
    const change = { field, before: before.values[field] ?? '', after: values[field] ?? '' }
    return change.before === change.after ? [] : [change]
  })
  const itemsDiffer = !isDeepStrictEqual(before.items, items)
  return changes.length === 0 && !itemsDiffer ? undefined : { reference, changes, itemsDiffer }
}

/** Derived from the claim, so that a repeated import uses the same ids. */
function toImportedOrderId(claimId: string, line: number): string {
  return toHashedId([claimId, line, 'imported'])
}

function toSource({ fileName, pasted }: OpenFile, line: number): OrderSource {
  return { kind: pasted ? 'pasted' : 'file', name: fileName, line }
}

function toOrigin({ pasted, claim }: OpenFile): OrderOrigin {
  if (claim !== null) return 'import-folder'
  return pasted ? 'pasted' : 'file'
}

/** More columns are only counted up to the last one with a value: a workbook may have thousands of empty ones after it. */
const manyColumns = 200

/** The number of columns. Mappings are remembered by it, so that a column without values today counts as well. */
function countColumns(rows: readonly (readonly string[])[]): number {
  const width = rows.reduce((count, row) => Math.max(count, row.length), 0)
  if (width <= manyColumns) return width
  return rows.reduce((count, row) => Math.max(count, row.findLastIndex((cell) => cell.trim() !== '') + 1), 0)
}

function unreadable(file: string, issue: FileIssue): AppError {
  return appError('table-unreadable', { file, ...issueDetails(issue) })
}

function gone(): AppError {
  return appError('table-gone')
}
