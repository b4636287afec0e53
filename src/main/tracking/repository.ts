import { type Generated, type RawBuilder, type Selectable, sql } from 'kysely'
import { findLinkHost, type Language, languageSchema } from '../../shared/fields'
import {
  type ParcelAlert,
  type ParcelShipment,
  parcelAlertSchema,
  type SeenStatus,
  type StoredTracking,
  type TrackedCode,
  type TrackingEvent,
  type TrackingOptions,
  trackedCodeSchema,
  type WatchedParcel,
} from '../../shared/tracking'
import { toDay } from '../lib/localDay'
import { unwatchParcels } from '../shipments/repository'
import {
  countRows,
  type Database,
  type DatabaseSchema,
  jsonColumn,
  unsynced,
  valuesIn,
} from '../storage/database'

/** A parcel's timeline; equal timelines are stored as equal text. */
const timelineColumn = jsonColumn(trackedCodeSchema.pick({ events: true, flights: true }))

declare module '../storage/database' {
  interface DatabaseSchema {
    parcels: {
      code: string
      /** Null for a code that was only looked up. */
      shipmentId: string | null
      /** Null also for a parcel whose shipment was cancelled at the carrier. */
      watchedSince: string | null
      found: Generated<number>
      askedAt: string | null
      /** When the service last confirmed the stored timeline. */
      knownAt: string | null
      /** When something new was last seen, by this machine's clock. */
      changedAt: string | null
      language: string | null
      eventCount: Generated<number>
      lastItemNumber: number | null
      lastCode: string | null
      lastDescription: string | null
      lastLocation: string | null
      lastDateTime: string | null
      /** The last reported alert. */
      told: string | null
    }
    parcelEvents: { code: string; events: string }
    statusCodes: SeenStatus & { seenAt: string }
  }
}

/** A watched parcel as stored; its state depends on the settings. */
type StoredParcel = Omit<WatchedParcel, 'state'> & { found: boolean }

const quarterMs = 15 * 60 * 1000

/** Number of watched parcels that were shipped in the same quarter of an hour and have the same last status. */
export interface ParcelCount {
  /** YYYY-MM-DD in the station's time zone. */
  day: string
  found: boolean
  /** Code of the last status; null without one. */
  code: string | null
  count: number
}

/** Conditions under which a parcel needs attention. */
export interface AlertRules {
  /** Codes after which no more events are expected. */
  endedCodes: string[]
  exceptionCodes: string[]
  /** Hours after shipping within which the service should know a parcel. */
  notFoundAfterHours: number
  /** Days within which a new event is expected. */
  silentAfterDays: number
}

export type ParcelFilter =
  | { by: 'all' }
  | { by: 'not-found' }
  | { by: 'codes'; codes: string[] }
  /** Found, with a last status that is none of these codes. */
  | { by: 'other-codes'; codes: string[] }
  | { by: 'alert'; alert: ParcelAlert }
  | { by: 'any-alert' }

/** A watched parcel with an alert that was not reported yet. */
export interface NewAlert {
  code: string
  reference: string
  alert: ParcelAlert
}

const shipmentsAtOnce = 20_000

/** Maximum number of listed codes: a service that sends more uses the field for something else. */
const maxListedStatuses = 500

/** Stores parcels, their events and the status codes seen so far. */
export class ParcelRepository {
  /** Statuses stored in this run; most events repeat a known status. */
  private readonly noted = new Map<string, string>()

  /** `enrolAll` has enrolled the shipments up to this number; `enrol` enrols later ones when they are created. */
  private enrolledTo = 0
  /** Set when a shipment could not be enrolled: `enrolAll` then scans all shipments again. */
  private hasMissed = false

  /** @param reader a separate connection, so that scanning the history and all parcels does not delay creations */
  constructor(
    private readonly database: Database,
    private readonly reader: Database,
  ) {}

  /**
   * Starts watching shipments that `enrol` missed, e.g. after a crash, and stops watching those that an older version left
   * watched after they were cancelled. The first call of a run scans all shipments, later calls only new ones.
   */
  async enrolAll(signal: AbortSignal): Promise<void> {
    if (this.hasMissed) this.enrolledTo = 0
    this.hasMissed = false
    const { newest } = await this.reader
      .selectFrom('shipments')
      .select(({ fn }) => fn.max('number').as('newest'))
      .executeTakeFirstOrThrow()
    const last = Number(newest ?? 0)
    while (this.enrolledTo < last && !signal.aborted) {
      const to = Math.min(this.enrolledTo + shipmentsAtOnce, last)
      const shipments = this.reader
        .selectFrom('shipments')
        .select('id')
        .where('number', '>', this.enrolledTo)
        .where('number', '<=', to)
      const missed = await shipments
        .where('barcodes', '<>', '[]')
        .where('cancelledAt', 'is', null)
        .where((either) =>
          either.or([either('state', '=', 'created'), either('settledVerdict', '=', 'exists')]),
        )
        .where(({ not, exists, selectFrom }) =>
          not(
            exists(selectFrom('parcels').select('code').whereRef('parcels.shipmentId', '=', 'shipments.id')),
          ),
        )
        .execute()
      for (const { id } of missed) {
        if (signal.aborted) return
        await this.enrol(id)
      }
      const cancelled = await shipments.where('cancelledAt', 'is not', null).execute()
      const ids = cancelled.map(({ id }) => id)
      if (ids.length > 0) await unwatchParcels(this.database, ids)
      this.enrolledTo = to
    }
  }

  /**
   * Starts watching the barcodes of an existing shipment that was not cancelled, from the moment of its request: a line of
   * an order file may have waited for days. A barcode is watched once, for the first
   * shipment that has it; a barcode that was only looked up before becomes watched.
   */
  async enrol(shipmentId: string): Promise<void> {
    try {
      await this.insertCodes(shipmentId)
    } catch (error) {
      this.hasMissed = true
      throw error
    }
  }

  private async insertCodes(shipmentId: string): Promise<void> {
    await sql`
      insert into parcels (code, shipment_id, watched_since)
      select barcode.value, shipments.id, coalesce(shipments.request_sent_at, shipments.taken_at)
      from shipments, json_each(shipments.barcodes) as barcode
      where shipments.id = ${shipmentId}
        and (shipments.state = 'created' or shipments.settled_verdict = 'exists')
        and shipments.cancelled_at is null
        and barcode.value <> ''
        and not exists (select 1 from parcels where parcels.shipment_id = shipments.id)
      on conflict (code) do update set shipment_id = excluded.shipment_id, watched_since = excluded.watched_since
      where parcels.shipment_id is null ${unsynced}`.execute(this.database)
  }

  /** Barcodes of parcels that are still in transit, newest first. */
  async listUnderWay(endedCodes: readonly string[]): Promise<string[]> {
    const rows = await this.reader
      .selectFrom('parcels')
      .select('code')
      .where('watchedSince', 'is not', null)
      .where((builder) =>
        builder.or([builder('lastCode', 'is', null), builder('lastCode', 'not in', [...endedCodes])]),
      )
      .orderBy('watchedSince', 'desc')
      .execute()
    return rows.map((row) => row.code)
  }

  /** Stores the service's answers: for known codes always, for others only with `alsoUnwatched`. */
  async keep(
    tracked: readonly TrackedCode[],
    language: Language,
    at: Date,
    { alsoUnwatched }: { alsoUnwatched: boolean },
  ): Promise<void> {
    if (tracked.length === 0) return
    await this.database
      .transaction()
      .execute((transaction) =>
        storeAnswers(transaction, tracked, { language, at: at.toISOString(), alsoUnwatched }),
      )
  }

  /** The stored timeline. */
  async findStored(code: string): Promise<StoredTracking | undefined> {
    const row = await this.database
      .selectFrom('parcels')
      .innerJoin('parcelEvents', 'parcelEvents.code', 'parcels.code')
      .selectAll('parcels')
      .select('parcelEvents.events')
      .where('parcels.code', '=', code)
      .executeTakeFirst()
    if (row === undefined || row.knownAt === null) return undefined
    return {
      tracked: {
        code: row.code,
        found: true,
        lastStatus: toLastStatus(row),
        ...timelineColumn.decode(row.events),
      },
      askedAt: row.knownAt,
      language: languageSchema.parse(row.language),
    }
  }

  /** Counts watched parcels by time of shipping and last status. */
  async countParcels(): Promise<ParcelCount[]> {
    // SQLite would convert the time of every parcel to its local day, which takes most of the time of this count. In every
    // time zone a day begins on a quarter of an hour, in some not on a half one.
    const hour = sql<string>`substr(watched_since, 1, 13)`
    const quarter = sql<number>`substr(watched_since, 15, 2) / 15`
    const rows = await this.reader
      .selectFrom('parcels')
      .select((builder) => [
        hour.as('hour'),
        quarter.as('quarter'),
        'found',
        'lastCode as code',
        builder.fn.countAll<number>().as('count'),
      ])
      .where('watchedSince', 'is not', null)
      .groupBy(['hour', 'quarter', 'found', 'lastCode'])
      .execute()
    return rows.map(({ hour: start, quarter: after, found, ...row }) => ({
      ...row,
      day: toDay(new Date(Date.parse(`${start}:00Z`) + after * quarterMs)),
      found: found === 1,
    }))
  }

  async countAlerts(rules: AlertRules): Promise<Record<ParcelAlert, number>> {
    const rows = await this.reader
      .selectFrom('parcels')
      .select((builder) => [alertCondition(rules).as('alert'), builder.fn.countAll<number>().as('count')])
      .where('watchedSince', 'is not', null)
      .groupBy('alert')
      .execute()
    const counts = { 'not-found': 0, silent: 0, status: 0 }
    for (const { alert, count } of rows) {
      if (alert !== null) counts[parcelAlertSchema.parse(alert)] = count
    }
    return counts
  }

  /** A page of the watched parcels that match a filter, newest first, and their total number. */
  async listParcels(
    filter: ParcelFilter,
    rules: AlertRules,
    limit: number,
    offset: number,
  ): Promise<{ parcels: StoredParcel[]; total: number }> {
    const wanted = this.reader
      .selectFrom('parcels')
      .innerJoin('shipments', 'shipments.id', 'parcels.shipmentId')
      .where('parcels.watchedSince', 'is not', null)
      .where(matches(filter, rules))
    const rows = await wanted
      .selectAll('parcels')
      .select(['shipments.id', 'shipments.reference', 'shipments.trackingUrl'])
      .select(['shipments.recipient', 'shipments.city', 'shipments.country'])
      .select(sql<string>`parcels.watched_since`.as('shippedAt'))
      .select(alertCondition(rules).as('alert'))
      .orderBy('shipments.number', 'desc')
      .orderBy('parcels.code')
      .limit(limit)
      .offset(offset)
      .execute()
    const total = await countRows(wanted)
    const parcels = rows.map((row) => ({
      code: row.code,
      found: row.found === 1,
      // Cancelled ones are not watched.
      shipment: toParcelShipment(row, false),
      consignee: row.recipient,
      city: row.city,
      country: row.country,
      shippedAt: row.shippedAt,
      alert: parcelAlertSchema.nullable().parse(row.alert),
      lastStatus: toLastStatus(row),
      changedAt: row.changedAt,
      askedAt: row.askedAt,
    }))
    return { parcels, total }
  }

  /** Returns parcels with an alert that differs from the last reported one, and marks the alerts as reported. */
  async takeNewAlerts(rules: AlertRules): Promise<NewAlert[]> {
    const alert = alertCondition(rules)
    const isNew = sql<boolean>`told is not ${alert}`
    const found = await this.reader
      .selectFrom('parcels')
      .select('code')
      .where('watchedSince', 'is not', null)
      .where(isNew)
      .execute()
    if (found.length === 0) return []
    const codes = valuesIn(JSON.stringify(found.map(({ code }) => code)))
    // The conditions are tested again: the parcels may have changed since they were read.
    return this.database.transaction().execute(async (transaction) => {
      const rows = await transaction
        .selectFrom('parcels')
        .innerJoin('shipments', 'shipments.id', 'parcels.shipmentId')
        .select(['parcels.code', 'shipments.reference', alert.as('alert')])
        .where('parcels.code', 'in', codes)
        .where('parcels.watchedSince', 'is not', null)
        .where(sql<boolean>`${alert} is not null`)
        .where(isNew)
        .orderBy('shipments.number', 'desc')
        .execute()
      await transaction
        .updateTable('parcels')
        .set({ told: alert })
        .where('code', 'in', codes)
        .where('watchedSince', 'is not', null)
        .where(isNew)
        .execute()
      return rows.map((row) => ({ ...row, alert: parcelAlertSchema.parse(row.alert) }))
    })
  }

  /** This station's shipments by barcode. */
  async findShipments(codes: readonly string[]): Promise<Map<string, ParcelShipment>> {
    const wanted = sql<{ value: string }>`json_each(${JSON.stringify(codes)})`
    const rows = await this.database
      .selectFrom(wanted.as('wanted'))
      .innerJoin('parcels', 'parcels.code', 'wanted.value')
      .innerJoin('shipments', 'shipments.id', 'parcels.shipmentId')
      .select(['parcels.code', 'shipments.id', 'shipments.reference', 'shipments.trackingUrl'])
      .select('shipments.cancelledAt')
      .execute()
    return new Map(rows.map((row) => [row.code, toParcelShipment(row, row.cancelledAt !== null)]))
  }

  /** Stores the status codes of events with the service's latest description. */
  async noteStatuses(events: Iterable<Pick<TrackingEvent, 'code' | 'description'>>, at: Date): Promise<void> {
    const news = new Map<string, string>()
    for (const { code, description } of events) {
      if (code !== '' && this.noted.get(code) !== description) news.set(code, description)
    }
    if (news.size === 0) return
    // One JSON value, because thousands of codes would exceed the parameter limit of a statement.
    await sql`
      insert into status_codes (code, description, seen_at)
      select value ->> 0, value ->> 1, ${at.toISOString()} from json_each(${JSON.stringify([...news])}) where true
      on conflict (code) do update set description = excluded.description, seen_at = excluded.seen_at`.execute(
      this.database,
    )
    for (const [code, description] of news) this.noted.set(code, description)
  }

  /** The status codes that the service used most recently, sorted by code. */
  async listSeenStatuses(): Promise<SeenStatus[]> {
    const rows = await this.database
      .selectFrom('statusCodes')
      .select(['code', 'description'])
      .orderBy('seenAt', 'desc')
      .orderBy('code')
      .limit(maxListedStatuses)
      .execute()
    return rows.sort((one, other) => (one.code < other.code ? -1 : 1))
  }

  /** Deletes look-ups of unwatched codes before a time. */
  async forgetLookups(before: Date): Promise<void> {
    await this.database
      .deleteFrom('parcels')
      .where('shipmentId', 'is', null)
      .where('askedAt', '<', before.toISOString())
      .execute()
  }
}

/**
 * SQL expression for the alert of a parcel. It compares with the last request to the service and not with now, so that time
 * offline causes no alerts.
 */
function alertCondition(rules: AlertRules): RawBuilder<string | null> {
  const finalCodes = [...rules.endedCodes, ...rules.exceptionCodes]
  return sql<string | null>`case
    when parcels.found = 1 and parcels.last_code in (${sql.join(rules.exceptionCodes)}) then 'status'
    when parcels.found = 0 and parcels.asked_at is not null and
      (julianday(parcels.asked_at) - julianday(parcels.watched_since)) * 24 >= ${rules.notFoundAfterHours}
      then 'not-found'
    when parcels.found = 1 and (parcels.last_code is null or parcels.last_code not in (${sql.join(finalCodes)})) and
      julianday(parcels.asked_at) - julianday(parcels.changed_at) >= ${rules.silentAfterDays} then 'silent'
  end`
}

function matches(filter: ParcelFilter, rules: AlertRules): RawBuilder<boolean> {
  switch (filter.by) {
    case 'all':
      return sql<boolean>`true`
    case 'not-found':
      return sql<boolean>`parcels.found = 0`
    case 'codes':
      return sql<boolean>`parcels.found = 1 and parcels.last_code in (${sql.join(filter.codes)})`
    case 'other-codes':
      return sql<boolean>`parcels.found = 1 and
        (parcels.last_code is null or parcels.last_code not in (${sql.join(filter.codes)}))`
    case 'alert':
      return sql<boolean>`${alertCondition(rules)} = ${filter.alert}`
    case 'any-alert':
      return sql<boolean>`${alertCondition(rules)} is not null`
  }
}

/** Whether a request with these options returns a parcel's complete timeline, which may replace the stored one. */
export function isCompleteTimeline(options: TrackingOptions): boolean {
  return options.type === 'barcode' && options.details === 'full' && options.flightTracking !== 'only'
}

/** The shipment of a parcel, as lists show it. */
export function toParcelShipment(
  row: { id: string; reference: string; trackingUrl: string | null },
  isCancelled: boolean,
): ParcelShipment {
  const { id, reference, trackingUrl } = row
  return { id, reference, trackingLinkHost: findLinkHost(trackingUrl), ...(isCancelled && { isCancelled }) }
}

type ParcelRow = Selectable<DatabaseSchema['parcels']>

/** The last status in a parcel's row; null when there is none. */
function toLastStatus(row: ParcelRow): TrackingEvent | null {
  if (row.lastCode === null) return null
  return {
    itemNumber: row.lastItemNumber ?? 0,
    code: row.lastCode,
    description: row.lastDescription ?? '',
    location: row.lastLocation ?? '',
    dateTime: row.lastDateTime ?? '',
  }
}

/** A stored parcel with its encoded timeline; null when there is none. */
type KnownParcel = ParcelRow & { story: string | null }

interface AnswerContext {
  language: Language
  at: string
  alsoUnwatched: boolean
}

async function storeAnswers(
  transaction: Database,
  tracked: readonly TrackedCode[],
  answered: AnswerContext,
): Promise<void> {
  const known = await findKnown(transaction, tracked)
  const lost: string[] = []
  const unchanged: string[] = []
  for (const each of tracked) {
    // SQLite truncates text at a NUL, so the code would match another parcel.
    if (each.code.includes('\u0000')) continue
    const parcel = known.get(each.code)
    if (parcel === undefined && (!each.found || !answered.alsoUnwatched)) continue
    if (!hasTimeline(each, parcel)) lost.push(each.code)
    else if (!(await storeFound(transaction, each, parcel, answered))) unchanged.push(each.code)
  }
  const { at } = answered
  await touch(transaction, lost, { askedAt: at })
  await touch(transaction, unchanged, { askedAt: at, knownAt: at })
}

async function touch(
  transaction: Database,
  codes: readonly string[],
  moments: { askedAt: string; knownAt?: string },
): Promise<void> {
  if (codes.length === 0) return
  await transaction.updateTable('parcels').set(moments).where('code', 'in', codes).execute()
}

async function findKnown(
  transaction: Database,
  tracked: readonly TrackedCode[],
): Promise<Map<string, KnownParcel>> {
  const codes = tracked.map((each) => each.code)
  const rows = await transaction
    .selectFrom('parcels')
    .leftJoin('parcelEvents', 'parcelEvents.code', 'parcels.code')
    .selectAll('parcels')
    .select('parcelEvents.events as story')
    .where('parcels.code', 'in', valuesIn(JSON.stringify(codes)))
    .execute()
  return new Map(rows.map((row) => [row.code, row]))
}

/** Whether an answer has data to store. A stored timeline is kept when the service no longer finds the parcel. */
function hasTimeline({ found, lastStatus, events }: TrackedCode, parcel: KnownParcel | undefined): boolean {
  return found && (lastStatus !== null || events.length > 0 || parcel?.lastCode == null)
}

/** @returns false when nothing was new */
async function storeFound(
  transaction: Database,
  tracked: TrackedCode,
  parcel: KnownParcel | undefined,
  { language, at }: AnswerContext,
): Promise<boolean> {
  const answeredLast = tracked.lastStatus ?? tracked.events[0] ?? null
  const before = parcel?.story == null ? [] : timelineColumn.decode(parcel.story).events
  const saysLess = tracked.events.length === 0 || tracked.events.length < before.length
  const events = saysLess ? withNewEvents(before, tracked) : tracked.events
  const lastBefore = parcel === undefined ? null : toLastStatus(parcel)
  const isOlder =
    saysLess &&
    lastBefore !== null &&
    answeredLast !== null &&
    hasEvent(before, answeredLast) &&
    !hasEvent([lastBefore], answeredLast)
  const last = isOlder ? lastBefore : answeredLast
  const story = timelineColumn.encode({ events, flights: tracked.flights })
  const isNews =
    parcel?.changedAt == null ||
    parcel.lastCode !== (last?.code ?? null) ||
    parcel.lastDateTime !== (last?.dateTime ?? null) ||
    parcel.eventCount < events.length
  if (!isNews && parcel.language === language && parcel.story === story) return false
  const columns = {
    found: 1,
    askedAt: at,
    knownAt: at,
    changedAt: isNews ? toChangeMoment(parcel, last?.dateTime ?? '', at) : parcel.changedAt,
    language,
    eventCount: events.length,
    lastItemNumber: last?.itemNumber ?? null,
    lastCode: last?.code ?? null,
    lastDescription: last?.description ?? null,
    lastLocation: last?.location ?? null,
    lastDateTime: last?.dateTime ?? null,
  }
  await transaction
    .insertInto('parcels')
    .values({ code: tracked.code, ...columns })
    .onConflict((conflict) => conflict.column('code').doUpdateSet(columns))
    .execute()
  await transaction
    .insertInto('parcelEvents')
    .values({ code: tracked.code, events: story })
    .onConflict((conflict) => conflict.column('code').doUpdateSet({ events: story }))
    .execute()
  return true
}

function hasEvent(events: readonly TrackingEvent[], { code, dateTime }: TrackingEvent): boolean {
  return events.some((each) => each.code === code && each.dateTime === dateTime)
}

/** The stored events, below those of an answer that are new: an answer may contain only the latest ones, or only a status. */
function withNewEvents(
  before: readonly TrackingEvent[],
  { events, lastStatus }: TrackedCode,
): TrackingEvent[] {
  const answered = lastStatus === null || hasEvent(events, lastStatus) ? events : [lastStatus, ...events]
  const added = answered.filter((event) => !hasEvent(before, event))
  return [...added, ...before.map((event) => ({ ...event, itemNumber: event.itemNumber + added.length }))]
}

/**
 * When the latest change happened. At the first answer for a parcel this is the event's own time, which has no time zone but
 * is exact to the day. The result never goes back, so that a temporarily wrong clock does not make parcels look silent later.
 */
function toChangeMoment(parcel: KnownParcel | undefined, dateTime: string, at: string): string {
  const before = parcel?.changedAt ?? null
  if (before !== null) return at > before ? at : before
  const written = Date.parse(`${dateTime.replace(' ', 'T')}Z`)
  if (Number.isNaN(written)) return at
  const moment = new Date(written).toISOString()
  if (moment > at) return at
  const shippedAt = parcel?.watchedSince ?? null
  return shippedAt !== null && moment < shippedAt ? shippedAt : moment
}
