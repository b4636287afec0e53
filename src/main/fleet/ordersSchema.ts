import type { ColumnType, Generated } from 'kysely'

interface SharedOrders {
  id: string
  reference: string
  /** The station that it came in at. */
  origin: string
  state: 'open' | 'shipped' | 'skipped' | 'removed'
  /** What it says; null once retention removed it. */
  content: ColumnType<unknown, string | null, string | null>
  shipment: string | null
  skippedReason: string | null
  skippedBy: string | null
  version: number
  /** Counts every change of every order, in the order in which they can be seen. */
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
  /** By the server's clock, as all of its times. */
  leaseUntil: ColumnType<Date, Date | string, Date | string>
}

/** The tables of shared orders. */
export interface SharedOrderTables {
  'packbench.orders': SharedOrders
  'packbench.orderLeases': OrderLeases
}

/** Orders of all stations, and who works on which. */
export const sharedOrdersMigration = `
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
`
