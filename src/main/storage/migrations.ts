/** Page ranges, scanned labels and paused printers. */
const printingEngine = `
  alter table print_jobs add column page_from integer;
  alter table print_jobs add column page_to integer;
  alter table print_jobs add column scanned_at text;
  create table paused_printers (
    printer_id text primary key,
    paused_at text not null
  );
  `
/** The screen words the notes of print jobs: stored English notes are converted to codes or dropped. */
const codedNotes = `
  update print_jobs set note = case
    when note like 'Moved to the standby printer %.' then
      json_object('code', 'moved', 'says', json_array(), 'printer', substr(note, 30, length(note) - 30))
  end;
  `
const queuedJobTriggers = `
  create trigger print_job_added after insert on print_jobs when new.state = 'queued' begin
    insert into queued_jobs values (new.printer_id, 1) on conflict do update set jobs = jobs + 1;
  end;
  create trigger print_job_taken after update of state on print_jobs when old.state = 'queued' begin
    update queued_jobs set jobs = jobs - 1 where printer_id = old.printer_id;
  end;
  create trigger print_job_queued after update of state on print_jobs when new.state = 'queued' begin
    insert into queued_jobs values (new.printer_id, 1) on conflict do update set jobs = jobs + 1;
  end;
  create trigger print_job_removed after delete on print_jobs when old.state = 'queued' begin
    update queued_jobs set jobs = jobs - 1 where printer_id = old.printer_id;
  end;
`
/** The number of queued jobs for each printer, maintained by triggers, since counting them is slow. */
const queuedJobs = `
  drop index print_jobs_by_state;
  create index print_jobs_by_state on print_jobs (state, printer_id, number);
  create table queued_jobs (
    printer_id text primary key,
    jobs integer not null
  );
  insert into queued_jobs select printer_id, count(*) from print_jobs where state = 'queued' group by printer_id;
${queuedJobTriggers}  `
const watchedParcels = `
  create table parcels (
    code text primary key,
    -- Null for a code that was only looked up.
    shipment_id text references shipments (id) on delete cascade,
    watched_since text,
    found integer not null default 0,
    asked_at text,
    -- When something new was last seen, by this machine's clock.
    changed_at text,
    language text,
    event_count integer not null default 0,
    last_item_number real,
    last_code text,
    last_description text,
    last_location text,
    last_date_time text,
    -- The trouble that the operator was told of last.
    told text
  );
  create index parcels_by_shipment on parcels (shipment_id);
  create index parcels_by_age on parcels (watched_since);

  create table parcel_events (
    code text primary key references parcels (code) on delete cascade,
    events text not null
  );

  create table status_codes (
    code text primary key,
    description text not null,
    seen_at text not null
  );
`

/** Air waybills, the product catalogue and sender profiles. */
const consignmentTables = `
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

/** A parcel that the service no longer finds is still requested: its timeline is as old as the last answer with events. */
const ageOfTimelines = `
  alter table parcels add column known_at text;
  update parcels set known_at = asked_at where found = 1;
`

/** A person closes the problem of a label that will never arrive, with a reason. */
const closedLabelProblems = `
  alter table labels add column closed_at text;
  alter table labels add column closed_reason text;
`

/**
 * Resolutions of unknown outcomes. Uploads and pre-alerts that ended with a 5xx or a redirect were stored as refused: their
 * outcome is unknown.
 */
const resolvedSubmissions = `
  alter table manifest_uploads add column resolved_at text;
  alter table pre_alerts add column resolved_at text;
  update manifest_uploads set state = 'refused' where state = 'failed';
  update manifest_uploads set state = 'unknown'
    where state = 'refused' and json_extract(error, '$.code') in ('service-failed', 'service-moved');
  update pre_alerts set state = 'unknown'
    where state = 'refused' and json_extract(error, '$.code') in ('service-failed', 'service-moved');
`

/** Data that outlive the history: the duplicate guard, the last known time, labels without a guard. */
const guardTables = `
  create table duplicate_guard (
    -- Made from the reference, so that a look-up reads the table itself and trusts no index (duplicateGuard.ts).
    key integer primary key,
    entries text not null,
    newest_at text not null
  );
  create table clock (
    one integer primary key check (one = 1),
    state text not null
  );
  -- Shipments of the labels folder that a person agreed to leave without a guard.
  create table unguarded_labels (
    shipment_id text primary key,
    confirmed_at text not null
  );
`

/** The status counts open problems at each change: without this index it would read every label. */
const openLabelProblems = `
  create index open_label_problems on labels (problem) where problem is not null and closed_at is null;
`

/** Indexes for counting unknown uploads and pre-alerts in the status. */
const unknownSubmissions = `
  create index unknown_manifest_uploads on manifest_uploads (state) where state = 'unknown';
  create index unknown_pre_alerts on pre_alerts (state) where state = 'unknown';
`

/** The content of an order file when it was read: only that is sent after a restart. */
const contentOfOrderFiles = `
  alter table order_files add column content_sha256 text;
`

/** Parts of a label that an operator agreed to lose when printing. */
const agreedLosses = `
  alter table print_jobs add column agreed_losses text;
`

/** The result of reading a label's barcodes before printing. */
const barcodeProofs = `
  alter table print_jobs add column barcodes text;
`

/** The next free position on a printer's sheet of labels. */
const sheetPlaces = `
  create table sheet_places (
    printer_id text primary key,
    next_place integer not null
  );
`

/** Orders: the content is one JSON text, the other columns are for listing and filtering. */
const orders = `
  create table orders (
    number integer primary key autoincrement,
    id text not null unique,
    state text not null,
    reference text not null,
    consignee text not null,
    country text not null,
    source_name text not null,
    imported_at text not null,
    order_date text,
    content text not null,
    search_text text not null,
    shipment_id text,
    skipped_reason text
  );
  create index orders_by_state on orders (state, number);
  create index orders_by_reference on orders (reference);
  create index orders_by_state_and_reference on orders (state, reference);
  create index orders_by_state_and_country on orders (state, country);
  create index orders_by_state_and_source on orders (state, source_name);
  create index orders_by_state_and_date on orders (state, order_date);
  create index orders_by_state_and_consignee on orders (state, consignee);
  create table order_mappings (header_key text primary key, mapping text not null);
`
/** Filter columns for the day and the carrier option of orders, and a covering index for their search text. */
const orderFilters = `
  alter table orders add column day text not null default '';
  alter table orders add column carrier_option text;
  update orders set day = coalesce(order_date, substr(imported_at, 1, 10));
  create index orders_by_state_and_day on orders (state, day);
  create index orders_by_state_and_carrier_option on orders (state, carrier_option);
  create index orders_by_state_and_text on orders (state, search_text);
  `
/** Batches: their orders in sequence, with the attempt and the result of each. */
const orderBatches = `
  create table batches (
    number integer primary key autoincrement,
    id text not null unique,
    state text not null,
    paused_by text,
    error text,
    created_at text not null,
    ended_at text,
    is_closed integer not null
  );
  create table batch_items (
    batch_number integer not null references batches (number),
    position integer not null,
    order_id text not null,
    attempt_id text not null unique,
    reference text not null,
    outcome text,
    issues text not null,
    error text,
    shipment_id text,
    primary key (batch_number, position)
  ) without rowid;
  create index batch_items_by_outcome on batch_items (batch_number, outcome, position);
`

/** Issues of the hot folder that a person has to resolve. */
const orderFileIssues = `
  create table order_file_issues (
    number integer primary key autoincrement,
    id text not null unique,
    kind text not null,
    file text not null,
    line integer,
    reference text,
    at text not null,
    shipment_id text,
    content text not null,
    closed_at text,
    note text not null default '',
    sent_as text
  );
  create index order_file_issues_by_end on order_file_issues (closed_at, number);
  create index order_file_issues_by_reference on order_file_issues (reference) where closed_at is null;
`

/**
 * Print jobs of invoices, which have no label; an index for the newest jobs of a state. SQLite can remove a «not null»
 * only by recreating the table.
 */
const printedInvoices = `
  create table all_print_jobs (
    number integer primary key autoincrement,
    id text not null unique,
    shipment_id text not null references shipments (id),
    document text not null check (document in ('label', 'invoice')),
    label_id text references labels (id),
    language text,
    printer_id text not null,
    printer_name text not null,
    state text not null,
    kind text not null,
    created_at text not null,
    updated_at text not null,
    accepted_at text,
    output_path text,
    note text,
    error text,
    page_from integer,
    page_to integer,
    scanned_at text,
    agreed_losses text,
    barcodes text,
    check ((document = 'label') = (label_id is not null))
  );
  insert into all_print_jobs
    select number, id, shipment_id, 'label', label_id, null, printer_id, printer_name, state, kind, created_at,
      updated_at, accepted_at, output_path, note, error, page_from, page_to, scanned_at, agreed_losses, barcodes
    from print_jobs;
  drop table print_jobs;
  alter table all_print_jobs rename to print_jobs;
  create index print_jobs_by_shipment on print_jobs (shipment_id);
  create index print_jobs_by_state on print_jobs (state, printer_id, number);
  create index print_jobs_by_age on print_jobs (state, updated_at, number);
  create index print_jobs_of_printer_by_age on print_jobs (state, printer_id, updated_at, number);
${queuedJobTriggers}`

/** Consignees, an index for prefixes of their words, and the shipments that it does not contain yet. */
const consignees = `
  create table consignees (
    number integer primary key autoincrement,
    key text not null unique,
    consignee text not null,
    street text not null,
    last_shipped_at text not null
  );
  create index consignees_by_time on consignees (last_shipped_at);
  create index consignees_by_street on consignees (street, number) where street <> '';
  create virtual table consignee_words using fts5(
    words, tokenize = 'ascii', prefix = '2 3 4', detail = none, content = '', contentless_delete = 1
  );
  alter table shipments add column consignee_noted integer not null default 0;
  create index shipments_without_consignee on shipments (number) where state = 'created' and consignee_noted = 0;
`

/** The operator's name at that time; null when nobody was signed in. */
const operatorsOfWork = `
  alter table shipments add column operator text;
  alter table shipments add column resolved_by text;
  alter table labels add column closed_by text;
  alter table print_jobs add column operator text;
  alter table print_jobs add column resolved_by text;
  alter table manifest_uploads add column operator text;
  alter table manifest_uploads add column resolved_by text;
  alter table pre_alerts add column operator text;
  alter table pre_alerts add column resolved_by text;
`

/** Why a printed label was not scanned. */
const skippedScans = 'alter table print_jobs add column scan_skipped text'

/**
 * Columns and indexes for searching the history. The search texts of older shipments are folded in the background, so
 * that no start waits for that; until then searches use their old text.
 */
const historyForManagers = `
  alter table shipments add column cancelled_at text;
  alter table shipments add column cancelled_by text;
  alter table shipments add column cancelled_note text;
  alter table shipments add column search_folded integer not null default 0;
  create index shipments_not_folded on shipments (number) where search_folded = 0;
  create index shipments_by_time on shipments (taken_at);
  create index shipments_by_country on shipments (country);
  create index shipments_by_carrier_option on shipments (carrier_option_id);
  create index shipments_by_operator on shipments (operator) where operator is not null;
`

/** The operator who started a batch or last resumed it, whoever signs in meanwhile. */
const operatorsOfBatches = 'alter table batches add column operator text'

/** The column mapping of a hot-folder table when the file was taken; null for the service's own field names. */
const mappingsOfOrderFiles = 'alter table order_files add column mapping text'

/** Contains a row while a PIN is set, so that deleting the PIN file is noticed. */
const setPins = 'create table set_pins (since text not null)'

/**
 * The other orders of combined shipments. `open` is 1 until the shipment has an outcome. Together with the index on
 * shipments this is the last line of defence against duplicates: no two open creations can share any of their references.
 */
const combinedOrders = `
  create table combined_references (
    shipment_id text not null references shipments (id),
    position integer not null,
    reference text not null,
    open integer not null,
    primary key (shipment_id, position)
  );
  create index combined_references_by_reference on combined_references (reference);
  create unique index one_open_shipment_per_combined_reference on combined_references (reference) where open = 1;
  create trigger combined_references_follow after update of state on shipments begin
    update combined_references set open = (new.state in ('intended', 'sent', 'unknown')) where shipment_id = new.id;
  end;
  create trigger combined_reference_is_free before insert on combined_references
    when new.open = 1 and exists (
      select 1 from shipments where reference = new.reference and state in ('intended', 'sent', 'unknown')
    )
  begin
    select raise(abort, 'a shipment of this reference is open');
  end;
  create trigger reference_is_not_combined before insert on shipments
    when new.state in ('intended', 'sent', 'unknown') and exists (
      select 1 from combined_references where reference = new.reference and open = 1
    )
  begin
    select raise(abort, 'a shipment that holds this reference is open');
  end;
`

/** The key by which orders to one consignee are found; for older orders null until it is set in the background. */
const consigneesOfOrders = `
  alter table orders add column consignee_key text;
  create index orders_by_consignee_key on orders (consignee_key);
`

/** Print jobs to be cancelled once they prove unsent, and the number of pages of their labels. */
const withdrawnJobs = `
  alter table print_jobs add column withdrawn_at text;
  alter table print_jobs add column label_pages integer;
  `

/**
 * The station's membership in a fleet, and the outbox of shipments with an unpublished state. The triggers fill it in the
 * transaction of the change; without a membership they do nothing.
 */
const fleetOutbox = `
  create table fleet_membership (
    station_id text not null,
    fleet_id text,
    is_active integer not null,
    history_queued integer not null
  );
  create table fleet_outbox (
    number integer primary key autoincrement,
    shipment_id text not null,
    reference text not null,
    unique (shipment_id, reference)
  );
  create index fleet_outbox_by_reference on fleet_outbox (reference);

  create trigger publish_new_shipment after insert on shipments
  when exists (select 1 from fleet_membership where is_active = 1)
  begin
    delete from fleet_outbox where shipment_id = new.id;
    insert into fleet_outbox (shipment_id, reference) values (new.id, new.reference);
  end;
  create trigger publish_changed_shipment
  after update of state, error, settled_verdict, barcodes, label_stored_at, cancelled_at on shipments
  when exists (select 1 from fleet_membership where is_active = 1)
  begin
    delete from fleet_outbox where shipment_id = new.id;
    insert into fleet_outbox (shipment_id, reference) values (new.id, new.reference);
  end;
  create trigger publish_removed_shipment after delete on shipments
  when exists (select 1 from fleet_membership where is_active = 1)
  begin
    delete from fleet_outbox where shipment_id = old.id;
    insert into fleet_outbox (shipment_id, reference) values (old.id, old.reference);
  end;
  create trigger publish_changed_label after update on labels
  when exists (select 1 from fleet_membership where is_active = 1)
  begin
    delete from fleet_outbox where shipment_id = new.shipment_id;
    insert into fleet_outbox (shipment_id, reference)
      select id, reference from shipments where id = new.shipment_id;
  end;
`

/**
 * The full-text index of the history, empty at first: the station fills it in steps while it works, existing shipments
 * from the newest backwards, newer ones in parts. `indexed_shipments` records which numbers are indexed.
 */
const shipmentWords = `
  create virtual table shipment_words using fts5(
    words, tokenize = 'unicode61 remove_diacritics 0', prefix = '2 3 4 5 6', detail = none, content = '', contentless_delete = 1
  );
  create table indexed_shipments (first integer not null, last integer not null);
  insert into indexed_shipments select coalesce(max(number), 0) + 1, coalesce(max(number), 0) from shipments;
  create trigger shipment_words_changed after update of search_text on shipments
    when new.number between (select first from indexed_shipments) and (select last from indexed_shipments) begin
    update shipment_words set words = new.search_text where rowid = new.number;
  end;
  create trigger shipment_words_removed after delete on shipments
    when old.number between (select first from indexed_shipments) and (select last from indexed_shipments) begin
    delete from shipment_words where rowid = old.number;
  end;
`

/** The operators who skipped an order or closed an issue of the hot folder. */
const operatorsOfClosing = `
  alter table orders add column skipped_by text;
  alter table order_file_issues add column closed_by text;
`

/** The outbox gets one entry for each reference of a combined shipment that retention removes; and fleet incarnations. */
const fleetReferences = `
  drop trigger publish_removed_shipment;
  create trigger publish_removed_shipment after delete on shipments
  when exists (select 1 from fleet_membership where is_active = 1)
  begin
    delete from fleet_outbox where shipment_id = old.id and reference = old.reference;
    insert into fleet_outbox (shipment_id, reference) values (old.id, old.reference);
  end;
  create trigger publish_removed_reference after delete on combined_references
  when exists (select 1 from fleet_membership where is_active = 1)
  begin
    delete from fleet_outbox where shipment_id = old.shipment_id and reference = old.reference;
    insert into fleet_outbox (shipment_id, reference) values (old.shipment_id, old.reference);
  end;
  alter table fleet_membership add column incarnation text;
  alter table fleet_membership add column next_incarnation text;
`

/** A person's verdict on a printer's test label, with the printer's settings at that time. */
const testVerdicts = `
  create table test_verdicts (
    printer_id text primary key,
    verdict text not null,
    noted_at text not null,
    operator text,
    printer text not null
  );
`

/** The fleet's version of each order, the outbox of changed orders, and how far the fleet's changes have been read. */
const sharedOrders = `
  alter table orders add column fleet_version integer;
  create table shared_orders (fleet_id text not null, is_queued integer not null, read_up_to text not null);
  create table fleet_order_outbox (
    number integer primary key autoincrement,
    order_id text not null unique
  );
  create trigger share_new_order after insert on orders
  when new.fleet_version is null and json_extract(new.content, '$.source.kind') <> 'hot-folder'
    and exists (select 1 from fleet_membership where is_active = 1)
  begin
    delete from fleet_order_outbox where order_id = new.id;
    insert into fleet_order_outbox (order_id) values (new.id);
  end;
  create trigger share_changed_order
  after update of state, content, shipment_id, skipped_reason, skipped_by on orders
  when new.fleet_version is old.fleet_version and json_extract(new.content, '$.source.kind') <> 'hot-folder'
    and exists (select 1 from fleet_membership where is_active = 1)
  begin
    delete from fleet_order_outbox where order_id = new.id;
    insert into fleet_order_outbox (order_id) values (new.id);
  end;
  create trigger share_removed_order after delete on orders
  when exists (select 1 from fleet_membership where is_active = 1)
  begin
    delete from fleet_order_outbox where order_id = old.id;
    insert into fleet_order_outbox (order_id) select old.id where old.fleet_version is not null;
  end;
`

/** Orders of the hot folder are shared too; those that are waiting here are queued for publication. */
const sharedHeldOrders = `
  drop trigger share_new_order;
  create trigger share_new_order after insert on orders
  when new.fleet_version is null and exists (select 1 from fleet_membership where is_active = 1)
  begin
    delete from fleet_order_outbox where order_id = new.id;
    insert into fleet_order_outbox (order_id) values (new.id);
  end;
  drop trigger share_changed_order;
  create trigger share_changed_order
  after update of state, content, shipment_id, skipped_reason, skipped_by on orders
  when new.fleet_version is old.fleet_version and exists (select 1 from fleet_membership where is_active = 1)
  begin
    delete from fleet_order_outbox where order_id = new.id;
    insert into fleet_order_outbox (order_id) values (new.id);
  end;
  insert or ignore into fleet_order_outbox (order_id)
    select id from orders
    where fleet_version is null and json_extract(content, '$.source.kind') = 'hot-folder'
      and exists (select 1 from fleet_membership where is_active = 1)
    order by number;
`

/** The consignee key now includes street and city: the keys of open orders are recomputed at the next start. */
const consigneeAddresses = `
  update orders set consignee_key = null where state in ('to-ship', 'problem');
`

/**
 * Copies of labels of other stations that are printed here, with the shipment data that their print jobs show. A job
 * belongs to a shipment in either table, so it has no foreign key.
 */
const labelsOfFleet = `
  create table fleet_copies (
    id text primary key,
    reference text not null,
    station text not null,
    carrier_option_id integer not null,
    taken_at text not null
  );
  create table fleet_label_copies (
    id text primary key,
    shipment_id text not null references fleet_copies (id) on delete cascade,
    position integer not null,
    barcode text not null,
    kind text not null,
    sha256 text not null,
    bytes blob not null
  );
  create index fleet_label_copies_by_shipment on fleet_label_copies (shipment_id);
  create table jobs_of_all_stations (
    number integer primary key autoincrement,
    id text not null unique,
    shipment_id text not null,
    document text not null check (document in ('label', 'invoice')),
    label_id text,
    language text,
    printer_id text not null,
    printer_name text not null,
    state text not null,
    kind text not null,
    created_at text not null,
    updated_at text not null,
    accepted_at text,
    output_path text,
    note text,
    error text,
    page_from integer,
    page_to integer,
    scanned_at text,
    agreed_losses text,
    barcodes text,
    operator text,
    resolved_by text,
    scan_skipped text,
    withdrawn_at text,
    label_pages integer,
    check ((document = 'label') = (label_id is not null))
  );
  insert into jobs_of_all_stations
    select number, id, shipment_id, document, label_id, language, printer_id, printer_name, state, kind, created_at,
      updated_at, accepted_at, output_path, note, error, page_from, page_to, scanned_at, agreed_losses, barcodes, operator,
      resolved_by, scan_skipped, withdrawn_at, label_pages
    from print_jobs;
  drop table print_jobs;
  alter table jobs_of_all_stations rename to print_jobs;
  create index print_jobs_by_shipment on print_jobs (shipment_id);
  create index print_jobs_by_state on print_jobs (state, printer_id, number);
  create index print_jobs_by_age on print_jobs (state, updated_at, number);
  create index print_jobs_of_printer_by_age on print_jobs (state, printer_id, updated_at, number);
  create trigger print_job_added after insert on print_jobs when new.state = 'queued' begin
    insert into queued_jobs values (new.printer_id, 1) on conflict do update set jobs = jobs + 1;
  end;
  create trigger print_job_taken after update of state on print_jobs when old.state = 'queued' begin
    update queued_jobs set jobs = jobs - 1 where printer_id = old.printer_id;
  end;
  create trigger print_job_queued after update of state on print_jobs when new.state = 'queued' begin
    insert into queued_jobs values (new.printer_id, 1) on conflict do update set jobs = jobs + 1;
  end;
  create trigger print_job_removed after delete on print_jobs when old.state = 'queued' begin
    update queued_jobs set jobs = jobs - 1 where printer_id = old.printer_id;
  end;
`

/**
 * Covering indexes for the lists of orders: one for each sort order, and one for text search, with all filter columns.
 * `orders/repository.ts` names them.
 */
const orderLists = `
  drop index orders_by_state;
  drop index orders_by_state_and_reference;
  drop index orders_by_state_and_country;
  drop index orders_by_state_and_date;
  drop index orders_by_state_and_consignee;
  drop index orders_by_state_and_day;
  drop index orders_by_state_and_text;
  create index orders_by_state on orders (state, number, country, source_name, carrier_option, day);
  create index orders_by_state_and_reference
    on orders (state, reference, number, country, source_name, carrier_option, day);
  create index orders_by_state_and_country on orders (state, country, number, source_name, carrier_option, day);
  create index orders_by_state_and_date
    on orders (state, order_date, number, country, source_name, carrier_option, day);
  create index orders_by_state_and_consignee
    on orders (state, consignee, number, country, source_name, carrier_option, day);
  create index orders_by_state_and_text
    on orders (state, number, search_text, country, source_name, carrier_option, day, reference, order_date, consignee);
`

/**
 * The origin of orders. Orders of other stations and of the import folder were not distinguished from files before. The
 * indexes include it and replace those of `orderLists`.
 */
const originsOfOrders = `
  alter table orders add column origin text not null default 'file';
  update orders set origin = coalesce(json_extract(content, '$.source.kind'), 'file');
  drop index orders_by_state;
  drop index orders_by_state_and_reference;
  drop index orders_by_state_and_country;
  drop index orders_by_state_and_date;
  drop index orders_by_state_and_consignee;
  drop index orders_by_state_and_text;
  create index orders_by_state on orders (state, number, country, origin, source_name, carrier_option, day);
  create index orders_by_state_and_reference
    on orders (state, reference, number, country, origin, source_name, carrier_option, day);
  create index orders_by_state_and_country
    on orders (state, country, number, origin, source_name, carrier_option, day);
  create index orders_by_state_and_date
    on orders (state, order_date, number, country, origin, source_name, carrier_option, day);
  create index orders_by_state_and_consignee
    on orders (state, consignee, number, country, origin, source_name, carrier_option, day);
  create index orders_by_state_and_text
    on orders (state, number, search_text, country, origin, source_name, carrier_option, day, reference, order_date,
      consignee);
`

/** A partial index: few shipments have a label URL, and each start reads all of them. */
const labelUrls = `
  create index shipments_with_label_url on shipments (id) where sealed_label_url is not null;
`

/** A partial index for the reasons why batches did not ship orders; it omits shipped ones, which are nearly all. */
const endsOfOrders = `
  create index batch_items_of_open_orders on batch_items (order_id) where outcome <> 'created';
`

/**
 * Open orders whose reference may not be normalized, because it contains blanks or characters beyond ASCII. Without a consignee key the next
 * start checks them, and normalizes the reference.
 */
const referencesOfOrders = `
  update orders set consignee_key = null where state in ('to-ship', 'problem') and reference glob '*[^!-~]*';
`

/** Closes the label problems of shipments that do not exist: earlier versions left them open. */
const labelsOfNoShipment = `
  update labels set (closed_at, closed_reason, closed_by) = (
    select settled_at, '', resolved_by from shipments where shipments.id = labels.shipment_id
  )
  where problem is not null and closed_at is null and exists (
    select 1 from shipments where shipments.id = labels.shipment_id and settled_verdict = 'does-not-exist'
  );
`

/** Labels without print job that are to be printed. The status counts them together with the open label problems. */
const unplannedLabels = `
  alter table labels add column unplanned integer not null default 0;
  drop index open_label_problems;
  create index open_labels on labels (shipment_id) where closed_at is null and (problem is not null or unplanned = 1);
  create trigger label_planned after insert on print_jobs when new.label_id is not null begin
    update labels set unplanned = 0 where id = new.label_id and unplanned = 1;
  end;
`

/** Shipments of a restored copy whose labels wait for a person: they may have been printed since the copy was made. */
const heldPrinting = `
  alter table shipments add column print_held integer not null default 0;
`

/**
 * Only what stations share of an order is queued for publication: not the issues that follow from this station's settings,
 * nor the states that follow from these issues.
 */
const issuesOfStations = `
  drop trigger share_changed_order;
  create trigger share_changed_order
  after update of state, content, shipment_id, skipped_reason, skipped_by on orders
  when new.fleet_version is old.fleet_version and exists (select 1 from fleet_membership where is_active = 1)
    and (old.state in ('shipped', 'skipped') or new.state in ('shipped', 'skipped')
      or new.shipment_id is not old.shipment_id
      or json_remove(new.content, '$.issues') is not json_remove(old.content, '$.issues')
      or (instr(new.content, '"twice-in-file"') > 0) <> (instr(old.content, '"twice-in-file"') > 0)
      or (instr(new.content, '"twice-in-fleet"') > 0) <> (instr(old.content, '"twice-in-fleet"') > 0))
  begin
    delete from fleet_order_outbox where order_id = new.id;
    insert into fleet_order_outbox (order_id) values (new.id);
  end;
`

/** The number of labels of each copied shipment. It is not known of copies of earlier versions, which count as incomplete. */
const labelCountsOfCopies = `
  alter table fleet_copies add column label_count integer not null default 0;
`

/**
 * The order in which the jobs of a printer were sent, by which its last label is found: the clock of the computer may have been
 * set back between two labels.
 */
const sendingOrderOfJobs = `
  alter table print_jobs add column sent_number integer;
  update print_jobs set sent_number = sent.position from (
    select number, row_number() over (partition by printer_id order by coalesce(accepted_at, updated_at), number) as position
    from print_jobs where state not in ('queued', 'waiting')
  ) as sent where sent.number = print_jobs.number;
  drop index print_jobs_of_printer_by_age;
  create index print_jobs_by_sending on print_jobs (printer_id, sent_number);
  create trigger print_job_sent after update of state on print_jobs
  when new.state = 'sending' or (new.sent_number is null and new.state in ('unconfirmed', 'done')) begin
    update print_jobs
    set sent_number = (select coalesce(max(sent_number), 0) + 1 from print_jobs where printer_id = new.printer_id)
    where number = new.number;
  end;
`

/** A job that was never sent, which an operator resolved as printed, is not the last one of its printer. */
const neverSentJobs = `
  drop trigger print_job_sent;
  create trigger print_job_sent after update of state on print_jobs
  when new.state = 'sending' or (new.sent_number is null and new.state = 'unconfirmed') begin
    update print_jobs
    set sent_number = (select coalesce(max(sent_number), 0) + 1 from print_jobs where printer_id = new.printer_id)
    where number = new.number;
  end;
`

/**
 * The incarnations of this station in each fleet: a station that changes to another database and back is known in both. Their
 * fleet is empty if it was not known: the station had changed to another database and not joined it yet.
 */
const incarnationsOfFleets = `
  create table fleet_incarnations (
    fleet_id text primary key,
    incarnation text,
    next_incarnation text
  );
  insert into fleet_incarnations
    select coalesce(fleet_id, ''), incarnation, next_incarnation from fleet_membership
    where fleet_id is not null or next_incarnation is not null;
  alter table fleet_membership drop column incarnation;
  alter table fleet_membership drop column next_incarnation;
`

/** When a label of unknown outcome was removed from its spooler, which is not asked for it again. */
const labelsOutOfSpoolers = `
  alter table print_jobs add column left_spooler_at text;
`

/**
 * The order in which the uploads and pre-alerts of an air waybill were sent, by which its lock is found: the clock of the
 * computer may have been set back between them.
 */
const sendingOrderOfSubmissions = `
  alter table manifest_uploads add column sent_number integer not null default 0;
  alter table pre_alerts add column sent_number integer not null default 0;
  create temporary table sent as
    select id, row_number() over (partition by manifest_id order by at, number) as position from (
      select id, manifest_id, number, started_at as at from manifest_uploads
      union all select id, manifest_id, number, sent_at from pre_alerts
    );
  update manifest_uploads set sent_number = sent.position from sent where sent.id = manifest_uploads.id;
  update pre_alerts set sent_number = sent.position from sent where sent.id = pre_alerts.id;
  drop table sent;
`

/** Publishes the closed label problems again: other stations of the fleet do not know yet that they were closed. */
const closedLabelsOfFleet = `
  insert or ignore into fleet_outbox (shipment_id, reference)
    select id, reference from shipments
    where id in (select shipment_id from labels where problem is not null and closed_at is not null)
      and exists (select 1 from fleet_membership where is_active = 1);
`

/** Whether a station whose settings were missing may join only the fleet that it belongs to. */
const rejoiningStations = `
  alter table fleet_membership add column is_rejoining integer not null default 0;
`

/** The air waybills to which a shipment was added, since its parcels belong on one only. */
const shipmentsOnManifests = `
  create table manifest_shipments (
    shipment_id text not null references shipments (id) on delete cascade,
    manifest_id text not null references manifests (id) on delete cascade,
    primary key (shipment_id, manifest_id)
  ) without rowid;
`

/**
 * One migration per schema version, in order. Released migrations are never changed: stations have run them. Append new
 * ones.
 */
export const migrations: readonly string[] = [
  `
  create table shipments (
    number integer primary key autoincrement,
    id text not null unique,
    attempt_id text not null unique,
    reference text not null,
    state text not null check (state in ('intended', 'sent', 'created', 'refused', 'unknown')),
    origin text not null,
    draft text not null,
    recipient text not null,
    city text not null,
    country text not null,
    carrier_option_id integer not null,
    print integer not null,
    taken_at text not null,
    request_sent_at text,
    response_received_at text,
    label_stored_at text,
    error text,
    settled_verdict text,
    settled_at text,
    barcodes text not null default '[]',
    service_shipment_id text,
    zending_id text,
    sub_log_id text,
    log_id text,
    tracking_url text,
    service_message text,
    sealed_label_url text,
    search_text text not null
  );
  create index shipments_by_reference on shipments (reference);
  create index shipments_by_state on shipments (state);
  -- The last line of the duplicate guard: two open creations of one reference can't both be stored.
  create unique index one_open_shipment_per_reference on shipments (reference)
    where state in ('intended', 'sent', 'unknown');

  create table labels (
    id text primary key,
    shipment_id text not null references shipments (id),
    position integer not null,
    barcode text not null,
    kind text not null,
    file text,
    byte_length integer not null,
    sha256 text,
    problem text,
    unique (shipment_id, position)
  );

  create table print_jobs (
    number integer primary key autoincrement,
    id text not null unique,
    shipment_id text not null references shipments (id),
    label_id text not null references labels (id),
    printer_id text not null,
    printer_name text not null,
    state text not null,
    kind text not null,
    created_at text not null,
    updated_at text not null,
    accepted_at text,
    output_path text,
    note text,
    error text
  );
  create index print_jobs_by_shipment on print_jobs (shipment_id);
  create index print_jobs_by_state on print_jobs (state);

  create table carrier_limits (
    carrier_option_id integer primary key,
    limits text not null,
    seen_at text not null
  );

  create table order_files (
    number integer primary key autoincrement,
    id text not null unique,
    name text not null,
    taken_at text not null,
    state text not null
  );
  create unique index one_working_file_per_name on order_files (name) where state = 'working';
  `,
  printingEngine,
  watchedParcels,
  consignmentTables,
  codedNotes,
  ageOfTimelines,
  closedLabelProblems,
  resolvedSubmissions,
  guardTables,
  openLabelProblems,
  unknownSubmissions,
  contentOfOrderFiles,
  queuedJobs,
  agreedLosses,
  barcodeProofs,
  sheetPlaces,
  printedInvoices,
  orders,
  consignees,
  operatorsOfWork,
  orderFileIssues,
  orderBatches,
  skippedScans,
  orderFilters,
  historyForManagers,
  operatorsOfBatches,
  setPins,
  mappingsOfOrderFiles,
  combinedOrders,
  consigneesOfOrders,
  fleetOutbox,
  shipmentWords,
  operatorsOfClosing,
  withdrawnJobs,
  fleetReferences,
  testVerdicts,
  labelsOfFleet,
  sharedOrders,
  consigneeAddresses,
  orderLists,
  labelUrls,
  sharedHeldOrders,
  originsOfOrders,
  endsOfOrders,
  referencesOfOrders,
  labelsOfNoShipment,
  unplannedLabels,
  heldPrinting,
  issuesOfStations,
  labelCountsOfCopies,
  sendingOrderOfJobs,
  neverSentJobs,
  incarnationsOfFleets,
  closedLabelsOfFleet,
  labelsOutOfSpoolers,
  sendingOrderOfSubmissions,
  rejoiningStations,
  shipmentsOnManifests,
]
