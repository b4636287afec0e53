import type { Generated } from 'kysely'

/** The step that brought air waybills, the product catalogue and sender profiles. */
export const consignmentTables = `
  create table manifests (
    number integer primary key autoincrement,
    id text not null unique,
    air_waybill_number text not null unique,
    created_at text not null,
    changed_at text not null,
    lines integer not null
  );

  create table manifest_uploads (
    number integer primary key autoincrement,
    id text not null unique,
    manifest_id text not null references manifests (id),
    started_at text not null,
    ended_at text,
    lock_asked integer not null,
    lines integer not null,
    packages integer not null,
    parcels integer not null,
    parcel_weight real not null,
    sha256 text not null,
    state text not null,
    status integer,
    speaks_of_errors integer not null,
    content text,
    error text
  );
  create index manifest_uploads_by_manifest on manifest_uploads (manifest_id);

  create table pre_alerts (
    number integer primary key autoincrement,
    id text not null unique,
    manifest_id text not null references manifests (id),
    air_waybill_number text not null,
    estimated_time_of_arrival text not null,
    gross_weight real not null,
    file_name text not null,
    byte_length integer not null,
    sent_at text not null,
    state text not null,
    answer text,
    error text
  );
  create index pre_alerts_by_manifest on pre_alerts (manifest_id);

  create table import_mappings (
    header_key text primary key,
    mapping text not null,
    used_at text not null
  );

  create table products (
    code text primary key,
    name text not null,
    hs_code text not null,
    country_of_origin text not null,
    weight real not null,
    price real not null,
    search_text text not null
  );

  create table sender_profiles (
    number integer primary key autoincrement,
    id text not null unique,
    name text not null,
    party text not null
  );

  create table invoice_series (
    prefix text primary key,
    last integer not null
  );
`

/**
 * What a person said of an unknown outcome. Uploads and pre-alerts that ended with a 5xx or a redirect used to count as
 * refused: their outcome is unknown.
 */
export const resolvedSubmissions = `
  alter table manifest_uploads add column resolved_at text;
  alter table pre_alerts add column resolved_at text;
  update manifest_uploads set state = 'refused' where state = 'failed';
  update manifest_uploads set state = 'unknown'
    where state = 'refused' and json_extract(error, '$.code') in ('service-failed', 'service-moved');
  update pre_alerts set state = 'unknown'
    where state = 'refused' and json_extract(error, '$.code') in ('service-failed', 'service-moved');
`

/** The tables after those steps; moments are ISO 8601 text in UTC, structures are JSON text. */
export interface ConsignmentSchema {
  manifests: {
    number: Generated<number>
    id: string
    air_waybill_number: string
    created_at: string
    changed_at: string
    lines: number
  }
  manifest_uploads: {
    number: Generated<number>
    id: string
    manifest_id: string
    started_at: string
    ended_at: string | null
    lock_asked: number
    lines: number
    packages: number
    parcels: number
    parcel_weight: number
    sha256: string
    state: string
    status: number | null
    speaks_of_errors: number
    content: string | null
    error: string | null
    resolved_at: string | null
  }
  pre_alerts: {
    number: Generated<number>
    id: string
    manifest_id: string
    air_waybill_number: string
    estimated_time_of_arrival: string
    gross_weight: number
    file_name: string
    byte_length: number
    sent_at: string
    state: string
    answer: string | null
    error: string | null
    resolved_at: string | null
  }
  import_mappings: { header_key: string; mapping: string; used_at: string }
  products: {
    code: string
    name: string
    hs_code: string
    country_of_origin: string
    weight: number
    price: number
    search_text: string
  }
  sender_profiles: { number: Generated<number>; id: string; name: string; party: string }
  invoice_series: { prefix: string; last: number }
}
