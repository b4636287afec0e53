import { hash } from 'node:crypto'
import {
  type Expression,
  expressionBuilder,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  sql,
} from 'kysely'
import { z } from 'zod'
import { appErrorSchema } from '../../shared/errors'
import { foldWords, toSearchWords } from '../../shared/foldText'
import { type HistoryChoices, type HistoryCursor, type HistoryFilter, maxCounted } from '../../shared/history'
import {
  cancellationSchema,
  emptyDraft,
  type Label,
  labelSchema,
  type ResolutionVerdict,
  recordedDraftSchema,
  resolutionSchema,
  shipmentOriginSchema,
  shipmentStateSchema,
} from '../../shared/shipments'
import { startOfDay } from '../lib/localDay'
import type { ReportedShipment } from '../shipments/historyRepository'
import type { ShipmentRecord } from '../shipments/repository'
import type { SharedRecord, SharedSearch } from '../shipments/sharedShipments'
import { statesWithoutOutcome } from './claimRules'
import type { FleetDatabase } from './connection'
import type { FleetSchema } from './schema'

/** A label whose bytes match their hash, and the shipment data that a print job needs. */
export interface SharedLabelContent {
  label: { id: string; position: number; barcode: string; kind: Label['kind']; sha256: string; bytes: Buffer }
  shipment: {
    id: string
    reference: string
    station: string
    carrierOptionId: number
    takenAt: string
    /** The number of its labels without problem, including those whose bytes have not arrived. */
    labelCount: number
  }
}

/** The trigram index can't look up shorter words. */
const minIndexedLength = 3

/** A result up to this size is sorted; a larger one is read from the newest shipment backwards. */
const maxSorted = 30_000

/** Number of the newest shipments that are scanned before the text index is used. */
const newestScanned = 10_000

/** Number of the newest shipments that are scanned for their values, and when the count is likely to reach its limit among them. */
const newestCounted = 50_000

/** Whether a shipment was noted as cancelled at the carrier. */
const isCancelled = sql<boolean>`coalesce(jsonb_typeof(document -> 'cancellation') = 'object', false)`

const text = z.string().nullable().catch(null)

/** The published details of a shipment. Other versions may omit fields or write further ones. */
const documentSchema = z.object({
  origin: shipmentOriginSchema.catch('screen'),
  draft: recordedDraftSchema,
  recipient: z.string().catch(''),
  city: z.string().catch(''),
  print: z.boolean().catch(false),
  requestSentAt: text,
  responseReceivedAt: text,
  labelStoredAt: text,
  error: appErrorSchema.nullable().catch(null),
  resolution: resolutionSchema.nullable().catch(null),
  cancellation: cancellationSchema.nullable().catch(null),
  serviceShipmentId: text,
  zendingId: text,
  subLogId: text,
  logId: text,
  trackingUrl: text,
  serviceMessage: text,
})

/** The closed label problems of a shipment by the label's id, in its published details. */
const closedLabelsSchema = z
  .object({ closedLabels: z.record(z.string(), labelSchema.shape.closed) })
  .catch({ closedLabels: {} })

const emptyDetails = documentSchema.omit({ draft: true }).parse({})

/** Reads the shipments and labels of the whole fleet. Every method throws the connection's errors. */
export class SharedHistoryRepository {
  constructor(
    private readonly database: FleetDatabase,
    private readonly ownStationId: string,
    /** Called with the ids of skipped shipments that a newer version wrote and this one can't read. */
    private readonly onUnreadable: (shipmentIds: readonly string[]) => void = () => undefined,
  ) {}

  /**
   * Shipments that match a filter, newest first; `total` is counted for the first page only, up to `maxCounted` + 1.
   * @param ownNeedingAttention see `SharedShipments`
   */
  async search(
    search: SharedSearch,
    ownNeedingAttention: readonly string[] = [],
  ): Promise<{ shipments: SharedRecord[]; next: HistoryCursor | null; total: number | null }> {
    const { limit, before } = search
    const place = typeof before === 'number' ? null : before
    const condition = toCondition(search, ownNeedingAttention, await this.hasTrigrams())
    const isBefore =
      place === null
        ? sql<boolean>`true`
        : sql<boolean>`(taken_at, id) < (${place.takenAt}::timestamptz, ${place.id})`
    const isCounted = place === null
    const newest = await this.findAmongNewest(condition, isBefore, isCounted ? maxCounted + 1 : limit + 1)
    const { total, ids } =
      newest.length > limit
        ? {
            total: isCounted ? await this.count(condition, newest.length) : 0,
            ids: newest.slice(0, limit + 1),
          }
        : await this.findByIndex(condition, isBefore, limit + 1)
    // The ids of the page are known: only those rows are read completely.
    const rows = await this.select()
      .where(sql<boolean>`shipment.id = any(${ids}::text[])`)
      .orderBy('shipment.takenAt', 'desc')
      .orderBy('shipment.id', 'desc')
      .execute()
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1) : undefined
    return {
      shipments: await this.withLabels(shown),
      next: last === undefined ? null : { takenAt: last.takenAt.toISOString(), id: last.id },
      total: isCounted ? Math.min(total, maxCounted + 1) : null,
    }
  }

  async find(shipmentId: string): Promise<SharedRecord | undefined> {
    const rows = await this.select().where('shipment.id', '=', shipmentId).execute()
    return (await this.withLabels(rows))[0]
  }

  /**
   * The printable labels of a shipment in order, or one label. Labels that do not match their hash, or of a kind that this
   * version does not know, are left out, which `areDamaged` reports, and so are labels whose bytes have not arrived yet,
   * which `areIncomplete` reports.
   */
  async listLabelContents(
    by: 'shipment' | 'id',
    value: string,
  ): Promise<{ labels: SharedLabelContent[]; areDamaged: boolean; areIncomplete: boolean }> {
    const rows = await this.database
      .selectFrom('packbench.labels as label')
      .innerJoin('packbench.shipments as shipment', 'shipment.id', 'label.shipment')
      .innerJoin('packbench.stations as station', 'station.id', 'shipment.station')
      .select(['label.id', 'label.position', 'label.barcode', 'label.kind', 'label.sha256', 'label.bytes'])
      .select([
        'shipment.id as shipmentId',
        'shipment.reference',
        'shipment.carrierOption',
        'shipment.takenAt',
      ])
      .select([
        'station.name as station',
        sql<number>`(select count(*)::int from packbench.labels as sibling
          where sibling.shipment = label.shipment and sibling.problem is null)`.as('labelCount'),
      ])
      .where(`label.${by}`, '=', value)
      .where('label.problem', 'is', null)
      .orderBy('label.position')
      .execute()
    const arrived = rows.filter(({ bytes }) => bytes !== null)
    const labels = arrived.flatMap(({ id, position, barcode, kind, sha256, bytes, ...shipment }) => {
      const known = labelSchema.shape.kind.safeParse(kind)
      if (!known.success || bytes === null || sha256 === null || hash('sha256', bytes) !== sha256) return []
      const { shipmentId, reference, station, carrierOption: carrierOptionId, takenAt, labelCount } = shipment
      const label = { id, position, barcode, kind: known.data, sha256, bytes }
      const printedShipment = {
        id: shipmentId,
        reference,
        station,
        carrierOptionId,
        takenAt: takenAt.toISOString(),
        labelCount,
      }
      return [{ label, shipment: printedShipment }]
    })
    return { labels, areDamaged: labels.length < arrived.length, areIncomplete: arrived.length < rows.length }
  }

  /** Created shipments of a period that were not cancelled at the carrier, grouped by quarter hours: days begin on a quarter hour in every time zone. */
  async *readCreated(from: Date, before: Date): AsyncGenerator<ReportedShipment[]> {
    const { rows } = await sql<{
      takenAt: Date
      carrierOption: number
      country: string
      operator: string | null
      station: string
      count: number
      packages: number
      weight: number
    }>`
      select to_timestamp(floor(extract(epoch from taken_at) / 900) * 900) as taken_at, carrier_option, country, operator,
        stations.name as station, count(*)::int as count, sum(packages)::int as packages,
        coalesce(sum(case when jsonb_typeof(document #> '{draft,weight}') = 'number'
          then (document #>> '{draft,weight}')::float8 end), 0) as weight
      from packbench.shipments join packbench.stations on stations.id = shipments.station
      where state = 'created' and not ${isCancelled} and search_text is not null and taken_at >= ${from} and taken_at < ${before}
      group by 1, 2, 3, 4, 5
    `.execute(this.database)
    yield rows.map(({ takenAt, carrierOption, packages, weight, ...row }) => ({
      ...{ ...row, takenAt: takenAt.toISOString(), carrierOptionId: carrierOption },
      draft: { numberOfPackages: packages, weight },
    }))
  }

  /** The values of the newest shipments: a look at all of a large fleet would take seconds. */
  async listChoices(): Promise<HistoryChoices> {
    const { rows } = await sql<HistoryChoices>`
      select coalesce(array_agg(distinct country) filter (where country <> ''), '{}') as countries,
        coalesce(array_agg(distinct carrier_option), '{}') as carrier_option_ids,
        coalesce(array_agg(distinct operator) filter (where operator <> ''), '{}') as operators
      from (${selectNewest(newestCounted)}) newest where search_text is not null
    `.execute(this.database)
    return rows[0] ?? { countries: [], carrierOptionIds: [], operators: [] }
  }

  /**
   * The first matching ids among the newest shipments: a common word is found there quickly, while an index would first
   * have to return all of its matches.
   */
  private async findAmongNewest(
    condition: Expression<SqlBool>,
    isBefore: Expression<SqlBool>,
    limit: number,
  ): Promise<string[]> {
    const { rows } = await sql<{ id: string }>`
      select id from (${selectNewest(newestScanned, isBefore)}) newest
      where ${condition} order by taken_at desc, id desc limit ${limit}
    `.execute(this.database)
    return rows.map(({ id }) => id)
  }

  /** Counts matches up to `maxCounted` + 1: by scanning further back when the newest contain many, else by the index. */
  private async count(condition: Expression<SqlBool>, amongNewest: number): Promise<number> {
    if (amongNewest > maxCounted) return amongNewest
    // With a margin of 20 %, since a scan that does not reach the limit is wasted.
    const isSoonReached = amongNewest * newestCounted > newestScanned * maxCounted * 1.2
    const newest = isSoonReached
      ? await this.countFound(sql`(${selectNewest(newestCounted)}) newest`, condition)
      : 0
    return newest > maxCounted ? newest : this.countFound(sql`packbench.shipments`, condition)
  }

  private async countFound(shipments: RawBuilder<unknown>, condition: Expression<SqlBool>): Promise<number> {
    const { rows } = await sql<{ total: number }>`
      select count(*)::int as total from (select 1 from ${shipments} where ${condition} limit ${maxCounted + 1}) found
    `.execute(this.database)
    return rows[0]?.total ?? 0
  }

  /** Counts matches up to `maxSorted` + 1, and returns the first ids. */
  private async findByIndex(
    condition: Expression<SqlBool>,
    isBefore: Expression<SqlBool>,
    limit: number,
  ): Promise<{ total: number; ids: string[] }> {
    const { rows } = await sql<{ total: number; ids: string[] }>`
      with found as materialized (
        select id, taken_at from packbench.shipments where ${condition} limit ${maxSorted + 1}
      )
      select (select count(*)::int from found) as total,
        array(select id from found where ${isBefore} order by taken_at desc, id desc limit ${limit}) as ids
    `.execute(this.database)
    const found = rows[0] ?? { total: 0, ids: [] }
    if (found.total <= maxSorted) return found
    // Those that were found need not be the newest.
    const { rows: first } = await sql<{ id: string }>`
      select id from packbench.shipments where ${condition} and ${isBefore}
      order by taken_at desc, id desc limit ${limit}
    `.execute(this.database)
    return { total: found.total, ids: first.map(({ id }) => id) }
  }

  private async hasTrigrams(): Promise<boolean> {
    if (this.trigrams === undefined) {
      const { rows } = await sql<{ isThere: boolean }>`
        select to_regclass('packbench.shipments_by_trigrams') is not null as is_there
      `.execute(this.database)
      this.trigrams = rows[0]?.isThere === true
    }
    return this.trigrams
  }
  private trigrams: boolean | undefined

  private select() {
    return this.database
      .selectFrom('packbench.shipments as shipment')
      .innerJoin('packbench.stations as station', 'station.id', 'shipment.station')
      .leftJoin('packbench.resolutions as resolution', 'resolution.shipment', 'shipment.id')
      .leftJoin('packbench.stations as resolver', 'resolver.id', 'resolution.station')
      .selectAll('shipment')
      .select(['station.name as stationName', 'resolver.name as resolverName'])
      .select(['resolution.verdict', 'resolution.operator as resolvedBy', 'resolution.resolvedAt'])
  }

  private async withLabels(rows: readonly SharedRow[]): Promise<SharedRecord[]> {
    if (rows.length === 0) return []
    const labels = await this.database
      .selectFrom('packbench.labels')
      .select(['id', 'shipment', 'position', 'barcode', 'kind', 'byteLength', 'problem'])
      .where(sql<boolean>`shipment = any(${rows.map(({ id }) => id)}::text[])`)
      .orderBy('position')
      .execute()
    const unreadable: string[] = []
    const records = rows.flatMap((row): SharedRecord[] => {
      const state = shipmentStateSchema.safeParse(row.state)
      if (!state.success) {
        unreadable.push(row.id)
        return []
      }
      const station = { name: row.stationName, isThisOne: row.station === this.ownStationId }
      // Labels that a newer version wrote and this one can't read are left out.
      const { closedLabels } = closedLabelsSchema.parse(row.document)
      const own = labels
        .filter(({ shipment }) => shipment === row.id)
        .flatMap((label) => labelSchema.safeParse({ ...label, closed: closedLabels[label.id] }).data ?? [])
      return [{ record: toRecord(row, state.data), station, labels: own }]
    })
    if (unreadable.length > 0) this.onUnreadable(unreadable)
    return records
  }
}

interface SharedRow extends Selectable<FleetSchema['packbench.shipments']> {
  stationName: string
  resolverName: string | null
  verdict: ResolutionVerdict | null
  resolvedBy: string | null
  resolvedAt: Date | null
}

function toRecord(row: SharedRow, state: ShipmentRecord['state']): ShipmentRecord {
  const { reference, carrierOption: carrierOptionId, country, packages: numberOfPackages } = row
  const [, ...combined] = row.allReferences
  const known = {
    ...{ reference, carrierOptionId, country, numberOfPackages },
    ...(combined.length > 0 && { combinedReferences: combined }),
  }
  const read = documentSchema.safeParse(row.document)
  const details = read.success ? read.data : { ...emptyDetails, draft: { ...emptyDraft, ...known } }
  return {
    ...details,
    ...{ id: row.id, attemptId: row.attempt, reference, state },
    ...{ operator: row.operator, takenAt: row.takenAt.toISOString(), barcodes: row.barcodes },
    ...{ carrierOptionId, country, sealedLabelUrl: null, printHeld: false },
    resolution: details.resolution ?? toResolution(row),
  }
}

/** The resolution of another station, used until the shipment's own station publishes one. */
function toResolution({ verdict, resolvedAt, resolvedBy, resolverName }: SharedRow) {
  if (verdict === null || resolvedAt === null) return null
  const by = [resolvedBy, resolverName].filter((name) => name !== null).join(', ')
  return { verdict, at: resolvedAt.toISOString(), by }
}

function selectNewest(limit: number, isBefore: Expression<SqlBool> = sql`true`) {
  return sql`select * from packbench.shipments where ${isBefore} order by taken_at desc, id desc limit ${limit}`
}

/**
 * Conditions for a word in the search text. The index looks up only the part of a mail address before its «@», since
 * nearly every row contains the trigrams of common providers; the remaining rows are compared with the whole address.
 */
function toWordConditions(word: string): Expression<SqlBool>[] {
  const [mailbox = ''] = word.split('@')
  const isMailAddress = mailbox !== word && mailbox.length >= minIndexedLength
  if (!isMailAddress) return [sql<boolean>`search_text like ${toPattern(word)}`]
  // The concatenation keeps PostgreSQL from using the index for the second condition.
  return [
    sql<boolean>`search_text like ${toPattern(mailbox)}`,
    sql<boolean>`search_text || '' like ${toPattern(word)}`,
  ]
}

/** The pattern for `like` of texts that contain a text. */
export function toPattern(part: string): string {
  return `%${part.replace(/[\\%_]/g, '\\$&')}%`
}

function toCondition(
  filter: HistoryFilter,
  ownNeedingAttention: readonly string[],
  hasTrigrams: boolean,
): Expression<SqlBool> {
  const builder = expressionBuilder<FleetSchema, 'packbench.shipments'>()
  const { from, to, state, carrierOptionId, country, operator, origin } = filter
  const words = toSearchWords(filter.text)
  const beginnings = hasTrigrams ? [] : words.flatMap(foldWords)
  return builder.and([
    // The others were removed by retention. Words find none of them anyway.
    ...(words.length > 0
      ? []
      : [builder.or([builder('searchText', 'is not', null), builder('state', 'in', statesWithoutOutcome)])]),
    ...words.flatMap(toWordConditions),
    ...beginnings.map(
      (word) => sql<boolean>`to_tsvector('simple', search_text) @@ to_tsquery('simple', ${`'${word}':*`})`,
    ),
    ...(filter.onlyNeedingAttention
      ? [
          sql<boolean>`(state = 'unknown' or id = any(${ownNeedingAttention}::text[]) or id in (
            select label.shipment from packbench.labels label join packbench.shipments closing on closing.id = label.shipment
            where label.problem is not null and closing.state <> 'refused' and not coalesce(closing.document -> 'closedLabels' ? label.id, false)
          ))`,
        ]
      : []),
    ...(from === null ? [] : [builder('takenAt', '>=', startOfDay(from))]),
    ...(to === null ? [] : [builder('takenAt', '<', startOfDay(to, 1))]),
    ...(state === null ? [] : [builder('state', '=', state === 'cancelled' ? 'created' : state)]),
    ...(state === 'created' ? [sql<boolean>`not ${isCancelled}`] : []),
    ...(state === 'cancelled' ? [isCancelled] : []),
    ...(carrierOptionId === null ? [] : [builder('carrierOption', '=', carrierOptionId)]),
    ...(country === '' ? [] : [builder('country', '=', country)]),
    ...(operator === '' ? [] : [builder('operator', '=', operator)]),
    ...(origin === null ? [] : [sql<boolean>`document ->> 'origin' = ${origin}`]),
  ])
}
