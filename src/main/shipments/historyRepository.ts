import { setImmediate } from 'node:timers/promises'
import { type ExpressionBuilder, sql } from 'kysely'
import { z } from 'zod'
import { foldText } from '../../shared/foldText'
import type { HistoryFilter } from '../../shared/history'
import { recordedDraftSchema, type ShipmentDraft } from '../../shared/shipments'
import { jsonColumn } from '../storage/columns'
import type { Database, DatabaseSchema } from '../storage/database'
import { needsAttention, type ShipmentRecord, selectShipments, toSearchText, toShipment } from './repository'

export interface HistorySearch extends HistoryFilter {
  limit: number
  /** Only shipments with lower numbers; null for the newest. */
  before: number | null
}

/** What a report counts of a created shipment. */
export interface ReportedShipment {
  takenAt: string
  carrierOptionId: number
  country: string
  operator: string | null
  draft: Pick<ShipmentDraft, 'weight' | 'numberOfPackages'>
}

const reportedRow = z.object({
  number: z.int(),
  takenAt: z.string(),
  carrierOptionId: z.int(),
  country: z.string(),
  operator: z.string().nullable(),
  draft: jsonColumn(recordedDraftSchema),
})

const unfoldedRow = z.object({
  id: z.string(),
  draft: jsonColumn(recordedDraftSchema),
  barcodes: jsonColumn(z.array(z.string())),
  serviceShipmentId: z.string().nullable(),
  zendingId: z.string().nullable(),
  subLogId: z.string().nullable(),
  logId: z.string().nullable(),
})

const reportedAtOnce = 1000
/** In words of its index: values that are bound would keep the database from using it. */
const isNotFolded = sql<boolean>`search_folded = 0`

/** Looks back at the journal: searches, filters and counts, and changes nothing that was shipped. */
export class HistoryRepository {
  constructor(private readonly database: Database) {}

  /** Shipments that a search finds, newest first, and the number to go on below; null at the end. */
  async search(search: HistorySearch): Promise<{ shipments: ShipmentRecord[]; next: number | null }> {
    let matching = selectShipments(this.database).where(matches(search))
    if (search.before !== null) matching = matching.where('shipments.number', '<', search.before)
    // One more than asked for tells whether there are more.
    const rows = await matching
      .orderBy('shipments.number', 'desc')
      .limit(search.limit + 1)
      .execute()
    const shown = rows.slice(0, search.limit)
    const next = rows.length > search.limit ? (shown.at(-1)?.number ?? null) : null
    return { shipments: shown.map(toShipment), next }
  }

  async count(filter: HistoryFilter): Promise<number> {
    const { total } = await this.database
      .selectFrom('shipments')
      .select((builder) => builder.fn.countAll<number>().as('total'))
      .where(matches(filter))
      .executeTakeFirstOrThrow()
    return Number(total)
  }

  /**
   * The last shipment of the Ship screen whose printed label was neither scanned nor skipped; undefined when there is
   * nothing of that left to do.
   */
  async findUnscanned(): Promise<string | undefined> {
    const last = await this.database
      .selectFrom('shipments')
      .select(['id', 'state', 'barcodes', 'cancelledAt'])
      .where('origin', '=', 'screen')
      .where('state', '!=', 'refused')
      .orderBy('number', 'desc')
      .limit(1)
      .executeTakeFirst()
    const isOpen = last?.state === 'created' && last.barcodes !== '[]' && last.cancelledAt === null
    if (last === undefined || !isOpen) return undefined
    const seen = await this.database
      .selectFrom('printJobs')
      .select('id')
      .where('shipmentId', '=', last.id)
      .where((where) => where.or([where('scannedAt', 'is not', null), where('scanSkipped', 'is not', null)]))
      .executeTakeFirst()
    return seen === undefined ? last.id : undefined
  }

  /** Countries, carrier options and operators that the history knows. */
  async listChoices(): Promise<{ countries: string[]; carrierOptionIds: number[]; operators: string[] }> {
    const { database } = this
    const countries = await database.selectFrom('shipments').select('country').distinct().execute()
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
   * Created shipments that were taken from one moment until before another, in parts, so that nothing waits for a long
   * report.
   */
  async *readCreated(from: Date, before: Date): AsyncGenerator<ReportedShipment[]> {
    let last = 0
    for (;;) {
      const rows = await this.database
        .selectFrom('shipments')
        .select(reportedRow.keyof().options)
        .where('state', '=', 'created')
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
   * Brings what some older shipments are searched by to what new ones have: every field of the address, without accents.
   * @returns how many there were
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

/** The condition of a filter. */
function matches(filter: HistoryFilter) {
  return (builder: ExpressionBuilder<DatabaseSchema, 'shipments'>) => {
    const { from, to, state, carrierOptionId, country, operator, origin } = filter
    const words = foldText(filter.text)
      .split(/\s+/)
      .filter((word) => word !== '')
    return builder.and([
      ...words.map((word) => sql<boolean>`instr(search_text, ${word}) > 0`),
      ...(filter.onlyNeedingAttention ? [needsAttention(builder)] : []),
      ...(from === null ? [] : [builder('takenAt', '>=', startOfDay(from).toISOString())]),
      ...(to === null ? [] : [builder('takenAt', '<', startOfDay(to, 1).toISOString())]),
      ...(state === null ? [] : [builder('state', '=', state)]),
      ...(carrierOptionId === null ? [] : [builder('carrierOptionId', '=', carrierOptionId)]),
      ...(country === '' ? [] : [builder('country', '=', country)]),
      ...(operator === '' ? [] : [builder('operator', '=', operator)]),
      ...(origin === null ? [] : [builder('origin', '=', origin)]),
    ])
  }
}

/**
 * When a day begins by the station's own clock.
 * @param day as `2026-11-22`
 * @param daysLater how many days later
 */
export function startOfDay(day: string, daysLater = 0): Date {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(year, month - 1, date + daysLater)
}
