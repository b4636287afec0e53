import { type RawBuilder, sql } from 'kysely'
import {
  type ParcelShipment,
  type ParcelTrouble,
  parcelTroubleSchema,
  type TrackingEvent,
} from '../../shared/tracking'
import { trackingLinkHost } from '../shipments/trackingLink'
import type { Database } from '../storage/database'
import type { ParcelFilter, StoredParcel, TroubleRules } from './ports'

/**
 * What is the matter with a parcel, as of when the service was asked last: time that the station was offline makes no
 * trouble by itself.
 */
export function troubleOf(rules: TroubleRules): RawBuilder<string | null> {
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

function matches(filter: ParcelFilter, rules: TroubleRules): RawBuilder<boolean> {
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
    case 'trouble':
      return sql<boolean>`${troubleOf(rules)} = ${filter.trouble}`
    case 'any-trouble':
      return sql<boolean>`${troubleOf(rules)} is not null`
  }
}

/** Watched parcels of a kind, newest first, and how many there are. */
export async function listParcels(
  database: Database,
  filter: ParcelFilter,
  rules: TroubleRules,
  limit: number,
  offset: number,
): Promise<{ parcels: (StoredParcel & { trouble: ParcelTrouble | null })[]; total: number }> {
  const wanted = database
    .selectFrom('parcels')
    .innerJoin('shipments', 'shipments.id', 'parcels.shipmentId')
    .where(matches(filter, rules))
  const rows = await wanted
    .selectAll('parcels')
    .select([
      'shipments.id',
      'shipments.reference',
      'shipments.trackingUrl',
      'shipments.recipient',
      'shipments.city',
      'shipments.country',
      'shipments.takenAt',
    ])
    .select(troubleOf(rules).as('trouble'))
    .orderBy('shipments.number', 'desc')
    .orderBy('parcels.code')
    .limit(limit)
    .offset(offset)
    .execute()
  const count = await wanted
    .select((builder) => builder.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  const parcels = rows.map((row) => ({
    code: row.code,
    found: row.found === 1,
    shipment: toParcelShipment(row),
    recipient: row.recipient,
    city: row.city,
    country: row.country,
    shippedAt: row.takenAt,
    trouble: row.trouble === null ? null : parcelTroubleSchema.parse(row.trouble),
    lastStatus: toLastStatus(row),
    changedAt: row.changedAt,
    askedAt: row.askedAt,
  }))
  return { parcels, total: Number(count.total) }
}

/** What lists show of the shipment behind a parcel. */
export function toParcelShipment(row: {
  id: string
  reference: string
  trackingUrl: string | null
}): ParcelShipment {
  return {
    id: row.id,
    reference: row.reference,
    trackingLinkHost: trackingLinkHost(row.trackingUrl),
  }
}

/** The last status in a parcel's row; null when there is none. */
export function toLastStatus(row: {
  lastItemNumber: number | null
  lastCode: string | null
  lastDescription: string | null
  lastLocation: string | null
  lastDateTime: string | null
}): TrackingEvent | null {
  if (row.lastCode === null) return null
  return {
    itemNumber: row.lastItemNumber ?? 0,
    code: row.lastCode,
    description: row.lastDescription ?? '',
    location: row.lastLocation ?? '',
    dateTime: row.lastDateTime ?? '',
  }
}
