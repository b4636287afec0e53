import { setImmediate } from 'node:timers/promises'
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely'
import { z } from 'zod'
import { foldWords, toSearchWords } from '../../shared/foldText'
import { type HistoryChoices, type HistoryFilter, maxCounted } from '../../shared/history'
import { listUnscanned } from '../../shared/printing'
import type { ShipmentDraft } from '../../shared/shipments'
import { startOfDay } from '../lib/localDay'
import { listJobsOfShipments } from '../printing/queue/repository'
import { countRows, type Database, type DatabaseSchema } from '../storage/database'
import {
  isLabelOpen,
  type ShipmentRecord,
  selectNeedingAttention,
  selectShipments,
  shipmentRow,
  toSearchText,
  toShipment,
} from './repository'

export interface HistorySearch extends HistoryFilter {
  limit: number
  /** Only shipments with lower numbers; null for the newest. */
  before: number | null
}

/** The columns of a created shipment that a report counts. */
export interface ReportedShipment {
  takenAt: string
  carrierOptionId: number
  country: string
  operator: string | null
  draft: Pick<ShipmentDraft, 'weight' | 'numberOfPackages'>
  /** Set when the report covers the whole fleet. */
  station?: string
  /** Number of shipments that are added up in this row; 1 by default. */
  count?: number
}

const reportedRow = shipmentRow
  .pick({ takenAt: true, carrierOptionId: true, country: true, operator: true, draft: true })
  .extend({ number: z.int() })

const unfoldedRow = shipmentRow.pick({
  ...{ id: true, draft: true, barcodes: true },
  ...{ serviceShipmentId: true, zendingId: true, subLogId: true, logId: true },
})

declare module '../storage/database' {
  interface DatabaseSchema {
    /** Full-text index of the search texts (FTS5, contentless); the rowid is the shipment's number. */
    shipmentWords: { rowid: number; words: string }
    /** One row: the lowest and the highest number in the index; the index is empty while `first` > `last`. */
    indexedShipments: { first: number; last: number }
  }
}

const reportedAtOnce = 1000
const scannedAtOnce = 2000
/** The newest shipments, which still change, are not in the index. */
const newestNotIndexed = 1000
/** Shorter prefixes match too many words to be worth an index look-up. */
const minPrefixLength = 2
/**
 * The index stores prefixes up to this length, so it finds them fast; the rest of a word is compared with the search texts.
 * Words with digits are looked up whole, since the codes of one station share their prefix.
 */
const maxPrefixLength = 6
/** Written as in the partial index: SQLite does not use that index for a bound value. */
const isNotFolded = sql<boolean>`search_folded = 0`

/** Searches, filters and counts the journal. Changes only search texts and their index. */
export class HistoryRepository {
  /** @param reader a second connection, so that searches do not delay writes */
  constructor(
    private readonly database: Database,
    private readonly reader: Database = database,
  ) {}

  /**
   * Finds shipments, newest first. `next` is the `before` of the next page; null at the end. `total` comes with the first
   * page only, and is at most `maxCounted` + 1.
   */
  async search(
    search: HistorySearch,
  ): Promise<{ shipments: ShipmentRecord[]; next: number | null; total: number | null }> {
    const { before, limit } = search
    const isCountedByWords = before === null && toSearchWords(search.text).length > 0
    // One more than requested, to know whether there is a next page.
    const wanted = isCountedByWords ? Math.max(limit, maxCounted) + 1 : limit + 1
    const found = await this.findNumbers(search, before, wanted)
    const shown = found.slice(0, limit)
    const rows = await selectShipments(this.reader)
      .where('shipments.number', 'in', shown)
      .orderBy('shipments.number', 'desc')
      .execute()
    const next = found.length > limit ? (shown.at(-1) ?? null) : null
    const isComplete = isCountedByWords || next === null
    const countAll = () => (isComplete ? found.length : this.countMatches(search))
    return { shipments: rows.map(toShipment), next, total: before === null ? await countAll() : null }
  }

  /** The ids of this station's shipments that need attention. */
  async listNeedingAttention(): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select id from shipments where id in (${selectNeedingAttention})
    `.execute(this.reader)
    return rows.map(({ id }) => id)
  }

  private countMatches(filter: HistoryFilter): Promise<number> {
    const matching = this.reader
      .selectFrom('shipments')
      .select('number')
      .where(toCondition(filter))
      .limit(maxCounted + 1)
    return countRows(this.reader.selectFrom(matching.as('counted')))
  }

  /**
   * Numbers of the shipments that match a filter, highest first. Words are looked up in the index; the shipments outside of
   * it (the newest, and older ones that are not indexed yet) are scanned in steps.
   * @param before only lower numbers; null for all
   */
  private async findNumbers(filter: HistoryFilter, before: number | null, limit: number): Promise<number[]> {
    const condition = toCondition(filter)
    const words = toSearchWords(filter.text)
    const top = before ?? Number.MAX_SAFE_INTEGER
    if (words.length === 0) {
      const rows = await this.selectNumbers(condition, 0, top, limit).execute()
      return rows.map(({ number }) => number)
    }
    const prefixQuery = toPrefixQuery(words)
    const { first, last } = prefixQuery === '' ? { first: 1, last: 0 } : await this.getIndexedRange()
    const found = await this.scan(condition, last + 1, top, limit)
    if (found.length < limit && first <= last) {
      const rows = await this.reader
        .selectFrom('shipmentWords')
        // SQLite does not reorder a cross join: it reads the index first.
        .crossJoin('shipments')
        .select('shipments.number')
        .where(sql<boolean>`shipment_words match ${prefixQuery}`)
        .where('shipments.number', '=', (builder) => builder.ref('shipmentWords.rowid'))
        .where('shipmentWords.rowid', '>=', first)
        .where('shipmentWords.rowid', '<', Math.min(top, last + 1))
        .where(condition)
        .orderBy('shipmentWords.rowid', 'desc')
        .limit(limit - found.length)
        .execute()
      found.push(...rows.map(({ number }) => number))
    }
    const older = await this.scan(condition, 0, Math.min(top, first), limit - found.length)
    return [...found, ...older]
  }

  /** Scans shipments from number `top` (exclusive) down to `bottom`, in steps between which other work runs. */
  private async scan(
    condition: Expression<SqlBool>,
    bottom: number,
    top: number,
    limit: number,
  ): Promise<number[]> {
    if (bottom >= top || limit <= 0) return []
    // Two queries: min and max in one query would read every row.
    const numbers = this.reader.selectFrom('shipments').select('number').limit(1)
    const lowest = await numbers.orderBy('number').executeTakeFirst()
    const highest = await numbers.orderBy('number', 'desc').executeTakeFirst()
    const end = Math.max(bottom, lowest?.number ?? 0)
    const found: number[] = []
    for (let at = Math.min(top, (highest?.number ?? 0) + 1); at > end && found.length < limit; ) {
      const from = Math.max(end, at - scannedAtOnce)
      const rows = await this.selectNumbers(condition, from, at, limit - found.length).execute()
      found.push(...rows.map(({ number }) => number))
      at = from
      if (at > end) await setImmediate()
    }
    return found
  }

  private selectNumbers(condition: Expression<SqlBool>, from: number, before: number, limit: number) {
    return this.reader
      .selectFrom('shipments')
      .select('number')
      .where(condition)
      .where('number', '>=', from)
      .where('number', '<', before)
      .orderBy('number', 'desc')
      .limit(limit)
  }

  private getIndexedRange(database = this.reader): Promise<{ first: number; last: number }> {
    return database.selectFrom('indexedShipments').selectAll().executeTakeFirstOrThrow()
  }

  /**
   * Adds up to `limit` shipments to the word index: first those that are no longer among the newest, then older ones
   * backwards. The newest are left out, so that no creation waits for the index.
   * @returns whether there may be more
   */
  indexWords(limit: number): Promise<boolean> {
    return this.database.transaction().execute(async (transaction) => {
      const { first, last } = await this.getIndexedRange(transaction)
      const { highest } = await transaction
        .selectFrom('shipments')
        .select((builder) => builder.fn.max('number').as('highest'))
        .executeTakeFirstOrThrow()
      const newest = (highest ?? 0) - newestNotIndexed
      if (newest - last >= newestNotIndexed) {
        const next = Math.min(last + limit, newest)
        await addWords(transaction, last + 1, next)
        await transaction.updateTable('indexedShipments').set({ last: next }).execute()
        return true
      }
      const older = await transaction
        .selectFrom('shipments')
        .select('number')
        .where('number', '<', first)
        .orderBy('number', 'desc')
        .limit(limit)
        .execute()
      const lowest = older.at(-1)?.number
      if (lowest === undefined) return false
      await addWords(transaction, lowest, first - 1)
      await transaction.updateTable('indexedShipments').set({ first: lowest }).execute()
      return true
    })
  }

  /** The last shipment of the Ship screen, if one of its labels was neither scanned nor skipped; undefined otherwise. */
  async findUnscanned(): Promise<string | undefined> {
    const last = await this.database
      .selectFrom('shipments')
      .select(['id', 'state', 'barcodes', 'cancelledAt'])
      .where('origin', '=', 'screen')
      .where('state', '!=', 'refused')
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst()
    if (last?.state !== 'created' || last.cancelledAt !== null) return undefined
    const barcodes = shipmentRow.shape.barcodes.decode(last.barcodes)
    const jobs = await listJobsOfShipments(this.database, [last.id])
    return listUnscanned(barcodes, jobs).length > 0 ? last.id : undefined
  }

  /**
   * The newest shipment of the Ship screen that has a label, or of a batch with a label that was sent to a printer: the later
   * labels of a running batch wait for their turn. Those of the hot folder belong to other programs,
   * and a shipment noted as cancelled needs no label.
   */
  findLastLabelled(): Promise<{ shipmentId: string; reference: string } | undefined> {
    return this.reader
      .selectFrom('shipments')
      .select(['id as shipmentId', 'reference'])
      .where('state', '=', 'created')
      .where('cancelledAt', 'is', null)
      .where(({ and, or, eb, exists, selectFrom }) => {
        const label = selectFrom('labels').select('labels.id').whereRef('shipmentId', '=', 'shipments.id')
        const sentJob = selectFrom('printJobs')
          .select('printJobs.id')
          .whereRef('shipmentId', '=', 'shipments.id')
          .where('document', '=', 'label')
          .where('sentNumber', 'is not', null)
        return or([
          and([eb('origin', '=', 'screen'), exists(label)]),
          and([eb('origin', '=', 'batch'), exists(sentJob)]),
        ])
      })
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst()
  }

  /** The values in the history to filter by. */
  async listChoices(): Promise<HistoryChoices> {
    const { reader: database } = this
    const countries = await database
      .selectFrom('shipments')
      .select('country')
      .distinct()
      .where('country', '<>', '')
      .execute()
    const options = await database.selectFrom('shipments').select('carrierOptionId').distinct().execute()
    const operators = await database
      .selectFrom('shipments')
      .select('operator')
      .distinct()
      .where('operator', 'is not', null)
      .execute()
    return {
      countries: countries.map((row) => row.country).sort(),
      carrierOptionIds: options.map((row) => row.carrierOptionId).sort((one, other) => one - other),
      operators: operators.map((row) => row.operator ?? '').sort(),
    }
  }

  /**
   * Counts what needs a person. Failed jobs include those that wait for a choice; submissions are manifest uploads and
   * pre-alerts.
   */
  async countOpen() {
    const unknown = sql<SqlBool>`state = 'unknown'`
    const count = sql<number>`count(*)`.as('total')
    const counts = await this.database
      .selectNoFrom(({ selectFrom }) => [
        selectFrom('shipments').select(count).where(unknown).as('unknownShipments'),
        selectFrom('labels')
          .select(sql<number>`count(distinct shipment_id)`.as('total'))
          .where(isLabelOpen)
          .as('labelProblems'),
        selectFrom('printJobs')
          .select(count)
          .where(sql<SqlBool>`state in ('failed', 'waiting')`)
          .as('failedJobs'),
        selectFrom('printJobs')
          .select(count)
          .where(sql<SqlBool>`state = 'unconfirmed'`)
          .as('unconfirmedJobs'),
        selectFrom('manifestUploads').select(count).where(unknown).as('unknownUploads'),
        selectFrom('preAlerts').select(count).where(unknown).as('unknownPreAlerts'),
      ])
      .executeTakeFirstOrThrow()
    return {
      unknownShipments: Number(counts.unknownShipments),
      labelProblems: Number(counts.labelProblems),
      failedJobs: Number(counts.failedJobs),
      unconfirmedJobs: Number(counts.unconfirmedJobs),
      unknownSubmissions: Number(counts.unknownUploads) + Number(counts.unknownPreAlerts),
    }
  }

  /** Whether there is anything that the settings say how long to keep: shipments, guarded references or manifests. */
  async hasHistory(): Promise<boolean> {
    const { rows } = await sql`
      select 1 where exists (select 1 from shipments) or exists (select 1 from duplicate_guard)
        or exists (select 1 from manifests)
    `.execute(this.database)
    return rows.length > 0
  }

  /** Counts the shipments that are being created and the labels that are being sent to a printer. */
  async countUnderWay(): Promise<{ shipments: number; jobs: number }> {
    const { shipments, jobs } = await this.database
      .selectNoFrom(({ selectFrom }) => [
        selectFrom('shipments')
          .select(sql<number>`count(*)`.as('total'))
          .where('state', 'in', ['intended', 'sent'])
          .as('shipments'),
        selectFrom('printJobs')
          .select(sql<number>`count(*)`.as('total'))
          .where('state', '=', 'sending')
          .as('jobs'),
      ])
      .executeTakeFirstOrThrow()
    return { shipments: Number(shipments), jobs: Number(jobs) }
  }

  /**
   * Created shipments taken from `from` until before `before` that were not cancelled at the carrier, in chunks, so that a
   * long report does not delay other work.
   */
  async *readCreated(from: Date, before: Date): AsyncGenerator<ReportedShipment[]> {
    let last = 0
    for (;;) {
      const rows = await this.reader
        .selectFrom('shipments')
        .select(reportedRow.keyof().options)
        .where('state', '=', 'created')
        .where('cancelledAt', 'is', null)
        .where('takenAt', '>=', from.toISOString())
        .where('takenAt', '<', before.toISOString())
        .where('number', '>', last)
        .orderBy('number')
        .limit(reportedAtOnce)
        .execute()
      yield rows.map((row) => reportedRow.decode(row))
      last = rows.at(-1)?.number ?? 0
      if (rows.length < reportedAtOnce) return
      await setImmediate()
    }
  }

  /**
   * Rewrites up to `limit` search texts of an older version: with every field of the address, without accents.
   * @returns how many it rewrote
   */
  foldSearchTexts(limit: number): Promise<number> {
    return this.database.transaction().execute(async (transaction) => {
      const rows = await transaction
        .selectFrom('shipments')
        .select(unfoldedRow.keyof().options)
        .where(isNotFolded)
        .limit(limit)
        .execute()
      for (const row of rows) {
        const { id, draft, barcodes, ...ids } = unfoldedRow.decode(row)
        const found = Object.values(ids).filter((each) => each !== null)
        const searchText = toSearchText(id, draft, [...barcodes, ...found])
        await transaction
          .updateTable('shipments')
          .set({ searchText, searchFolded: 1 })
          .where('id', '=', id)
          .execute()
      }
      return rows.length
    })
  }
}

async function addWords(database: Database, from: number, to: number): Promise<void> {
  await sql`
    insert into shipment_words (rowid, words)
    select number, search_text from shipments where number between ${from} and ${to}
  `.execute(database)
}

/** The FTS5 query for the prefixes of words; empty when all are too short. */
function toPrefixQuery(words: readonly string[]): string {
  const prefixes = words
    .flatMap(foldWords)
    .filter((word) => word.length >= minPrefixLength)
    .map((word) => (/\d/.test(word) ? word : word.slice(0, maxPrefixLength)))
  return [...new Set(prefixes)].map((word) => `"${word}"*`).join(' ')
}

function toCondition(filter: HistoryFilter): Expression<SqlBool> {
  const builder = expressionBuilder<DatabaseSchema, 'shipments'>()
  const { from, to, state, carrierOptionId, country, operator, origin } = filter
  return builder.and([
    ...toSearchWords(filter.text).map((word) => sql<boolean>`instr(search_text, ${word}) > 0`),
    ...(filter.onlyNeedingAttention ? [sql<boolean>`shipments.id in (${selectNeedingAttention})`] : []),
    ...(from === null ? [] : [builder('takenAt', '>=', startOfDay(from).toISOString())]),
    ...(to === null ? [] : [builder('takenAt', '<', startOfDay(to, 1).toISOString())]),
    ...(state === null ? [] : [builder('state', '=', state === 'cancelled' ? 'created' : state)]),
    ...(state === 'created' ? [builder('cancelledAt', 'is', null)] : []),
    ...(state === 'cancelled' ? [builder('cancelledAt', 'is not', null)] : []),
    ...(carrierOptionId === null ? [] : [builder('carrierOptionId', '=', carrierOptionId)]),
    ...(country === '' ? [] : [builder('country', '=', country)]),
    ...(operator === '' ? [] : [builder('operator', '=', operator)]),
    ...(origin === null ? [] : [builder('origin', '=', origin)]),
  ])
}
