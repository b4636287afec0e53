import type { ColumnType, Generated } from 'kysely'
import type { FleetConflict } from '../../shared/fleet'
import type { ResolutionVerdict } from '../../shared/shipments'
import type { Hold } from './claimRules'
import type { SharedOrderState } from './ordersVerdict'

/** A time by the database's clock, unless the column says that it is by a station's. */
type Moment = ColumnType<Date, Date | string, Date | string>
type OptionalMoment = ColumnType<Date | null, Date | string | null, Date | string | null>

interface Stations {
  id: string
  name: string
  version: string
  joinedAt: Generated<Date>
  seenAt: Generated<Date>
  /** The id of the join that may work as this station; null if only versions without this column joined. */
  incarnation: string | null
  /** The highest shipment number of its journal; a journal with a lower one was restored from a backup. */
  journalNumber: Generated<string>
  /** When a person declared the station lost. */
  lostAt: OptionalMoment
  lostBy: string | null
}

/** One row for each known reference: its hold, and the last shipment created for it. */
export interface ClaimColumns {
  reference: string
  heldBy: string | null
  heldAttempt: string | null
  heldShipment: string | null
  /** `claimed` while the creation may be in progress, `unknown` until a person resolves it. */
  heldState: Hold['state'] | null
  heldOperator: string | null
  heldSince: OptionalMoment
  heldOver: string | null
  createdShipment: string | null
  createdStation: string | null
  createdOperator: string | null
  /** By the station's clock. */
  createdTakenAt: OptionalMoment
  /** When it was published, by the database's clock. */
  createdNotedAt: Generated<Date>
  createdBarcodes: Generated<string[]>
}

interface Shipments {
  id: string
  reference: string
  /** The references of all its orders, its own first. */
  allReferences: string[]
  station: string
  attempt: string
  state: string
  operator: string | null
  takenAt: Moment
  carrierOption: number
  packages: number
  country: string
  barcodes: string[]
  /** Null after retention: only the data that guard the reference stay. Empty if the details can't be stored. */
  searchText: string | null
  document: ColumnType<unknown, string | null, string | null>
  changedAt: Generated<Date>
  notedAt: Generated<Date>
}

export interface LabelColumns {
  id: string
  shipment: string
  position: number
  barcode: string
  kind: string
  byteLength: number
  sha256: string | null
  problem: string | null
  bytes: Buffer | null
}

/** A person's resolution of an unknown shipment of another station. */
interface Resolutions {
  shipment: string
  verdict: ResolutionVerdict
  barcode: string | null
  /** The station where it was entered. */
  station: string
  operator: string | null
  resolvedAt: Generated<Date>
  /** When the shipment's own station published its outcome. */
  answeredAt: OptionalMoment
}

interface Conflicts {
  id: Generated<string>
  kind: Generated<FleetConflict['kind']>
  reference: string
  shipment: string
  station: string
  barcodes: string[]
  takenAt: Moment
  otherShipment: string
  otherStation: string
  otherBarcodes: string[]
  otherTakenAt: Moment
  notedAt: Generated<Date>
  closedAt: OptionalMoment
  closedBy: string | null
}

interface SharedOrders {
  id: string
  reference: string
  /** The station that imported it. */
  origin: string
  state: SharedOrderState['state']
  /** Null after retention. */
  content: ColumnType<unknown, string | null, string | null>
  shipment: string | null
  skippedReason: string | null
  skippedBy: string | null
  version: number
  /** A number for every change of any order, in the order in which changes become visible. */
  change: Generated<string>
  changedBy: string
  changedAt: Generated<Date>
}

interface OrderLeases {
  orderId: string
  station: string
  operator: string | null
  isBatch: boolean
  takenAt: Generated<Date>
  /** By the server's clock. */
  leaseUntil: ColumnType<Date, Date | string, Date | string>
}

/** The tables of the schema `packbench`. */
export interface FleetSchema {
  'packbench.schemaVersion': {
    version: number
    fleetId: Generated<string>
    /** The highest change number of a removed order that has been deleted. */
    ordersForgotten: Generated<string>
  }
  'packbench.stations': Stations
  'packbench.claims': ClaimColumns
  'packbench.shipments': Shipments
  'packbench.labels': LabelColumns
  'packbench.resolutions': Resolutions
  'packbench.conflicts': Conflicts
  'packbench.orders': SharedOrders
  'packbench.orderLeases': OrderLeases
}

/** Append only, never change: fleets have run them. Each runs in the transaction that records its number. */
export const fleetMigrations: readonly string[] = [
  `
  create table packbench.stations (
    id text primary key,
    name text not null,
    version text not null,
    joined_at timestamptz not null default now(),
    seen_at timestamptz not null default now()
  );

  create table packbench.claims (
    reference text primary key,
    held_by text references packbench.stations,
    held_attempt text,
    held_shipment text,
    held_state text check (held_state in ('claimed', 'unknown')),
    held_operator text,
    held_since timestamptz,
    created_shipment text,
    created_station text references packbench.stations,
    created_operator text,
    created_taken_at timestamptz,
    created_barcodes text[] not null default '{}',
    check (num_nulls(held_by, held_attempt, held_shipment, held_state, held_since) in (0, 5)),
    check (num_nulls(created_shipment, created_station, created_taken_at) in (0, 3)),
    check (held_by is not null or created_shipment is not null)
  );
  create index claims_by_holder on packbench.claims (held_by) where held_by is not null;

  create table packbench.shipments (
    id text primary key,
    reference text not null,
    station text not null references packbench.stations,
    attempt text not null,
    state text not null,
    operator text,
    taken_at timestamptz not null,
    carrier_option integer not null,
    packages integer not null,
    country text not null,
    barcodes text[] not null,
    search_text text,
    document jsonb,
    changed_at timestamptz not null default now()
  );
  create index shipments_by_reference on packbench.shipments (reference);
  create index shipments_by_time on packbench.shipments (taken_at desc, id desc);
  create index shipments_by_station on packbench.shipments (station, taken_at);

  create table packbench.labels (
    id text primary key,
    shipment text not null references packbench.shipments on delete cascade,
    position integer not null,
    barcode text not null,
    kind text not null,
    byte_length integer not null,
    sha256 text,
    problem text,
    bytes bytea
  );
  create index labels_by_shipment on packbench.labels (shipment);

  create table packbench.conflicts (
    id text primary key default gen_random_uuid()::text,
    reference text not null,
    shipment text not null,
    station text not null references packbench.stations,
    barcodes text[] not null,
    taken_at timestamptz not null,
    other_shipment text not null,
    other_station text not null references packbench.stations,
    other_barcodes text[] not null,
    other_taken_at timestamptz not null,
    noted_at timestamptz not null default now(),
    closed_at timestamptz,
    closed_by text,
    unique (shipment, other_shipment)
  );
  create index open_conflicts on packbench.conflicts (noted_at) where closed_at is null;
  `,
  `
  create view packbench.shipping_report as
    select taken_at::date as day, stations.name as station, carrier_option, count(*) as shipments,
      sum(packages) as packages
    from packbench.shipments join packbench.stations on stations.id = shipments.station
    where state = 'created'
    group by 1, 2, 3;
  `,
  `
  alter table packbench.stations add column incarnation text;
  alter table packbench.claims add column held_over text;
  alter table packbench.shipments add column all_references text[] not null default '{}';
  update packbench.shipments set all_references = array[reference] || array(
    select jsonb_array_elements_text(coalesce(document -> 'draft' -> 'combinedReferences', '[]'))
  );
  create index open_shipments_by_reference on packbench.shipments using gin (all_references)
    where state in ('intended', 'sent', 'unknown');
  `,
  `
  alter table packbench.stations add column journal_number bigint not null default 0;
  alter table packbench.stations add column lost_at timestamptz;
  alter table packbench.stations add column lost_by text;

  create table packbench.resolutions (
    shipment text primary key references packbench.shipments on delete cascade,
    verdict text not null check (verdict in ('exists', 'does-not-exist')),
    barcode text,
    station text not null references packbench.stations,
    operator text,
    resolved_at timestamptz not null default now(),
    answered_at timestamptz
  );
  alter table packbench.conflicts add column kind text not null default 'both-shipped'
    check (kind in ('both-shipped', 'found-after-all', 'not-found-after-all', 'other-barcode'));

  create index shipments_by_change on packbench.shipments (changed_at);
  create index unknown_shipments on packbench.shipments (taken_at desc, id desc) where state = 'unknown';
  create index label_problems on packbench.labels (shipment) where problem is not null;
  create index claims_by_creation on packbench.claims (created_station, created_taken_at) where held_by is null;

  -- Parts of words are found by their trigrams where the extension may be used, else beginnings of words.
  do $$
  declare place text;
  begin
    create extension if not exists pg_trgm schema packbench;
    select nspname into place from pg_extension join pg_namespace on pg_namespace.oid = extnamespace
      where extname = 'pg_trgm';
    execute format(
      'create index shipments_by_trigrams on packbench.shipments using gin (search_text %I.gin_trgm_ops)', place
    );
  exception when insufficient_privilege or undefined_file or feature_not_supported or undefined_object then
    create index shipments_by_words on packbench.shipments using gin (to_tsvector('simple', search_text));
  end $$;
  `,
  // Orders of all stations, and their leases.
  `
  create sequence packbench.order_changes;
  create table packbench.orders (
    id text primary key,
    reference text not null,
    origin text not null references packbench.stations,
    state text not null check (state in ('open', 'shipped', 'skipped', 'removed')),
    content jsonb,
    shipment text,
    skipped_reason text,
    skipped_by text,
    version integer not null,
    change bigint not null default nextval('packbench.order_changes'),
    changed_by text not null references packbench.stations,
    changed_at timestamptz not null default now(),
    check ((content is null) = (state = 'removed'))
  );
  create unique index orders_by_change on packbench.orders (change);
  create index open_orders_by_reference on packbench.orders (reference) where state = 'open';
  create index removed_orders on packbench.orders (changed_at) where state = 'removed';

  create table packbench.order_leases (
    order_id text primary key references packbench.orders on delete cascade,
    station text not null references packbench.stations,
    operator text,
    is_batch boolean not null,
    taken_at timestamptz not null default now(),
    lease_until timestamptz not null
  );
  create index order_leases_by_station on packbench.order_leases (station);
`,
  `
  alter table packbench.claims add column created_noted_at timestamptz not null default now();
  alter table packbench.shipments add column noted_at timestamptz not null default now();
  `,
  'alter table packbench.schema_version add column orders_forgotten bigint not null default 0;',
]
