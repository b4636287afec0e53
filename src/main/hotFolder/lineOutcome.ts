import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type AppError, appError, type ErrorDetails, findCase } from '../../shared/errors'
import { type OrderFileIssueDetails, orderFileIssueDetails } from '../../shared/inputIssues'
import { orderExtrasSchema, orderItemSchema, orderValueFields, orderValuesSchema } from '../../shared/orders'
import { assertNever, err, ok, type Result } from '../../shared/result'
import type { Settings } from '../../shared/settings'
import type { ShipmentDetails } from '../../shared/shipments'
import type { Session } from '../account/session'
import { type CorrectableShipment, toCorrectableShipment, toDraftValues } from '../carrier/shipmentCodec'
import type { Fleet } from '../fleet/fleet'
import type { FleetClaims } from '../fleet/fleetClaims'
import { toHashedId } from '../lib/hashedId'
import type { HeldOrder, HeldOrderState, HeldOrders } from '../orders/heldOrders'
import { emptyOrderContent } from '../orders/orders'
import { findCarrierOption } from '../orders/ordersToShip'
import type { ReadOrder } from '../orders/readOrders'
import type { PrintQueue } from '../printing/queue/printQueue'
import { findBlocker } from '../shipments/duplicateGuard'
import type { History } from '../shipments/history'
import { blockerError } from '../shipments/intentBlockers'
import type { ShipmentRepository } from '../shipments/repository'
import type { Shipping } from '../shipments/shipping'
import { isShortened } from '../tables/cells'
import type { OrderLine } from './orderLines'
import type { OrderFileRow } from './repository'

/**
 * The attempt id of one line of an order file. It is derived from the line, so a restart never sends it twice; it includes
 * the reference, so a line that was edited in between does not get the outcome of another order.
 * @returns a UUID of version 8 (made from a hash)
 */
export function toAttemptId(fileId: string, line: number, reference: string): string {
  return toHashedId([fileId, line, reference])
}

/** The part of shipping that the hot folder uses. */
export type OrderShipping = ReturnType<typeof createOrderShipping>

export interface OrderShippingDeps {
  shipping: Pick<Shipping, 'create'>
  shipmentRepository: Pick<ShipmentRepository, 'listEarlier'>
  history: Pick<History, 'findAttempt' | 'getDetails'>
  printing: Pick<PrintQueue, 'whenJobsEnded'>
  session: Pick<Session, 'status' | 'followKeyring'>
  fleet: Pick<Fleet, 'isMember' | 'findRefusal' | 'waitForAttempt'>
  claims: Pick<FleetClaims, 'findBlocker'>
}

export function createOrderShipping({
  shipping,
  history,
  printing,
  shipmentRepository,
  session,
  fleet,
  claims,
}: OrderShippingDeps) {
  return {
    /**
     * An error means that the shipment has no outcome: 'shipment-duplicate' and 'shipment-unsettled' name the earlier shipment
     * in `details.shipmentId`, 'invalid-input' and 'rule-printer-unknown' concern the draft, 'shipment-in-progress' and
     * 'outcome-not-written' mean that the outcome is pending, 'order-not-taken' that another station may have the order or
     * has shipped it; any other error concerns the station and is worth a retry.
     */
    create: shipping.create,
    findAttempt: history.findAttempt,
    getDetails: history.getDetails,
    /** Resolves when every print job of the shipment is done, handed over, failed, unconfirmed or cancelled. */
    whenJobsEnded: printing.whenJobsEnded,

    /**
     * What blocks a reference at this station or in the fleet, as an error of `create`; or why the fleet can't be asked now.
     * Sends nothing.
     */
    async findBlocker(reference: string): Promise<AppError | undefined> {
      const blocker = findBlocker(await shipmentRepository.listEarlier(reference))
      const own = blocker && blockerError(blocker)
      // After a cancellation here, another station may have shipped the reference again.
      if (!fleet.isMember() || (own !== undefined && own.details?.cancelledAt === undefined)) return own
      const elsewhere = await claims.findBlocker(reference)
      return own !== undefined && (elsewhere === undefined || !isGuardError(elsewhere)) ? own : elsewhere
    },

    /** Why nothing can be sent with this account, or in this fleet, until a person acts. Contacts neither. */
    async findRefusal(): Promise<AppError | undefined> {
      const isMissing = () => ['none', 'locked'].includes(session.status().state)
      // An account that is at hand does not wait for the keyring, which may not answer for seconds.
      if (isMissing()) await session.followKeyring()
      const { error } = session.status()
      if (isMissing()) return error ?? appError('no-account')
      return error?.code === 'account-refused' ? error : fleet.findRefusal()
    },

    /** Waits until `findRefusal` knows whether the fleet refuses this station, for a few seconds at most. */
    waitForFleet: () => fleet.waitForAttempt(),

    /**
     * The shipment of any station that ended an order of the list.
     * @returns undefined if it no longer exists; an error while it can't be read, or is not published yet
     */
    async findEndingShipment(shipmentId: string): Promise<Result<ShipmentDetails | undefined>> {
      const details = await history.getDetails(shipmentId)
      // In a fleet the shipment may be published later than the end of its order.
      if (details.ok || details.error.code !== 'shipment-not-found' || fleet.isMember()) return details
      return ok(undefined)
    },
  }
}

export type OrderOutcome = 'created' | 'refused' | 'unknown' | 'invalid' | 'duplicate'

/** The outcome of one shipment of an order file. */
export interface LineOutcome {
  /** 1 for the first shipment of the file. */
  line: number
  /** Null if it can't be read. */
  reference: string | null
  outcome: OrderOutcome
  error: AppError | null
  /** This line's own shipment, or the earlier one that blocks it. */
  shipment: { relation: 'own' | 'earlier'; details: ShipmentDetails } | null
  /** The line's content, with the service's field names; undefined if it can't be read. */
  record?: unknown
  /** See `OrderLine`. */
  order?: ReadOrder | undefined
}

/** The outcome of a shipment that a person has to correct or resolve. */
export interface OpenLineOutcome extends LineOutcome {
  outcome: Exclude<OrderOutcome, 'created' | 'duplicate'>
  error: AppError
}

/** False also for a duplicate, whose shipment exists, and for an order that an operator skipped. */
export function needsPerson(line: LineOutcome): line is OpenLineOutcome {
  const { outcome, error } = line
  return outcome !== 'created' && outcome !== 'duplicate' && error !== null && error.code !== 'order-skipped'
}

/** A shipment of an order file that waits in the order list. */
export interface HeldLine {
  orderId: string
  line: OrderLine
}

/** The file that a line belongs to. */
export interface LineFile {
  row: OrderFileRow
  print: boolean
  /** False if its shipments may have been sent under a lost journal: then nothing is sent. */
  mayBeSent: boolean
  heldOrders: Pick<HeldOrders, 'find'>
  /** An earlier run may have added its shipments to the order list. */
  wasRead: boolean
  /** Whether shipments without an outcome wait in the order list. */
  holdsOrders: boolean
  /** The content differs from what an earlier run read: only lines that were sent then get their outcome. */
  isChanged: boolean
  /** By these the order list chooses a carrier. */
  settings: Pick<Settings, 'shipmentDefaults' | 'carriers'>
}

/**
 * Creates a line's shipment, or finds its earlier outcome: one attempt is never sent twice.
 * @param stop throws its reason before anything is sent
 * @returns the outcome, or the order as which the line waits; an error is worth a retry, and see `concernsOneFile`
 */
export async function createLine(
  line: OrderLine,
  file: LineFile,
  shipping: OrderShipping,
  stop: AbortSignal,
): Promise<Result<LineOutcome | HeldLine>> {
  const { row, print, mayBeSent, wasRead, isChanged } = file
  if (!mayBeSent) return findOutcomeWithoutNote(line, row.name, shipping)
  const held = await holdLine(line, file, shipping)
  if (held !== undefined) return held
  const refused = await shipping.findRefusal()
  // A line that an earlier run sent is invalid now if its printer was removed from the settings since.
  const isInvalidNow = wasRead && !line.draft.ok
  // If nothing may be sent now, looks for an earlier outcome here; otherwise `create` does.
  if (line.reference !== null && (isChanged || isInvalidNow || refused !== undefined)) {
    const known = await shipping.findAttempt(toAttemptId(row.id, line.line, line.reference))
    if (known !== undefined) return toOwnOutcome(line, known)
  }
  if (!line.draft.ok) return ok(toNotSent(line, 'invalid', line.draft.error))
  const draft = line.draft.value
  if (isChanged) {
    const place = { file: row.name, line: String(line.line) }
    return ok(toChanged(line, { case: 'before-restart', ...place }))
  }
  stop.throwIfAborted()
  if (refused !== undefined) return err(refused)
  const { takenAt } = row
  const attemptId = toAttemptId(row.id, line.line, draft.reference)
  const created = await shipping.create({ attemptId, draft, origin: 'hot-folder', print, takenAt })
  return created.ok ? toOwnOutcome(line, created.value) : toErrorOutcome(line, created.error, shipping)
}

/**
 * The outcome of a line that waited in the order list.
 * @param state the state of its order; undefined if it is not in the list any more
 * @returns undefined while it waits; an error while its outcome is pending or can't be read
 */
export async function endHeldLine(
  { line }: HeldLine,
  state: HeldOrderState | undefined,
  shipping: OrderShipping,
): Promise<Result<LineOutcome> | undefined> {
  if (state?.state === 'open') return undefined
  const reference = state?.reference ?? line.reference ?? ''
  const named = { ...line, reference }
  const first = state?.state === 'shipped' && state.isFirst ? state.shipmentId : undefined
  if (state?.state === 'shipped') {
    const ending = await shipping.findEndingShipment(state.shipmentId)
    if (!ending.ok) return ending
    if (first !== undefined && ending.value !== undefined) return toHeldOutcome(named, ending.value)
  }
  // Its creation may have begun before an operator skipped the order.
  const blocker = await findLineBlocker(reference, shipping)
  // The guard outlives the shipment.
  const isOwn = first !== undefined && blocker?.details?.shipmentId === first
  if (blocker !== undefined && !isOwn) return toErrorOutcome(named, blocker, shipping)
  if (state?.state === 'shipped')
    return ok(toNotSent(named, first === undefined ? 'duplicate' : 'created', null))
  const note = state?.state === 'skipped' ? state.reason : '–'
  return ok(toNotSent(named, 'refused', appError('order-skipped', { reference, note })))
}

/** The order as which a line waits, with all content of the line. */
export function toHeldOrder({ orderId, line }: HeldLine, file: string): HeldOrder {
  const texts = toCorrectableShipment(line.record)?.texts ?? {}
  const { values, extras } = readOrderContent(texts, line.order)
  const { items, orderDate, orderValue, currency, columns } = line.order ?? emptyOrderContent
  return {
    id: orderId,
    values: values.data ?? {},
    source: { kind: 'hot-folder', name: file, line: line.line },
    ...{ extras: extras.data, items, orderDate, orderValue, currency, columns },
  }
}

/** The content that the order list keeps. For a table, its own values: the list applies the rules itself. */
function readOrderContent(texts: CorrectableShipment['texts'], order: ReadOrder | undefined) {
  const own = Object.fromEntries(Object.entries(texts).filter(([name]) => isOrderField(name)))
  return {
    values: orderValuesSchema.safeParse(order?.values ?? own),
    extras: orderExtrasSchema.safeParse(order === undefined ? toDraftValues(texts) : {}),
    items: z.array(orderItemSchema).safeParse(order?.items ?? []),
  }
}

/** Whether the order list has a field of that name. */
export function isOrderField(name: string): boolean {
  return orderValueFields.some((field) => field === name)
}

/**
 * Whether only this file has to wait: the outcome of one of its lines is pending, another station may have that line's order,
 * the file can't be read, or another folder is in the place of the one in which it was.
 */
export function concernsOneFile(error: AppError): boolean {
  const { code, details } = error
  if (code === 'hot-folder-missing') return findCase(code, details) === 'replaced'
  return isOutcomePending(error) || code === 'order-not-taken' || code === 'order-file-not-readable'
}

/** Whether a request for the reference is in progress. */
function isOutcomePending({ code }: AppError): boolean {
  return code === 'shipment-in-progress' || code === 'outcome-not-written'
}

/**
 * Adds an outcome for each line that was added or changed after the file was read: none of them was sent.
 * @param read the lines that were processed
 * @param now the lines at delivery; an error if the file can't be read any more
 * @returns all outcomes in order of lines; a line that was sent and changed has two
 */
export function addLaterChanges(
  fileName: string,
  outcomes: readonly LineOutcome[],
  read: readonly OrderLine[],
  now: Result<OrderLine[], OrderFileIssueDetails>,
): LineOutcome[] {
  if (!now.ok) {
    const place = { line: read.length + 1, reference: null }
    return [...outcomes, toChanged(place, { ...now.error, case: 'unreadable', file: fileName })]
  }
  const added = now.value
    .slice(read.length)
    .map((line) => toChanged(line, { case: 'added', file: fileName, line: String(line.line) }))
  const kept = outcomes.flatMap((outcome, index) => {
    const line = now.value[index]
    if (line === undefined || isDeepStrictEqual(line.draft, read[index]?.draft)) return [outcome]
    const changed = toChanged(line, { file: fileName, line: String(line.line) })
    return outcome.outcome === 'invalid' ? [changed] : [outcome, changed]
  })
  return [...kept, ...added]
}

/** An unknown shipment that a person resolved as existing counts as created. */
function toHeldOutcome(line: LinePlace, details: ShipmentDetails): Result<LineOutcome> {
  const outcome = toOwnOutcome(line, details)
  if (!outcome.ok) return outcome
  if (details.resolution?.verdict === 'exists')
    return ok({ ...outcome.value, outcome: 'created', error: null })
  // Another station publishes the resolution after the end of the order.
  return outcome.value.outcome === 'unknown' ? err(toPendingError(details)) : outcome
}

function toOwnOutcome(line: LinePlace, details: ShipmentDetails): Result<LineOutcome> {
  switch (details.state) {
    case 'created':
    case 'refused':
    case 'unknown':
      return ok({
        line: line.line,
        reference: line.reference,
        outcome: details.state,
        error: details.error,
        shipment: { relation: 'own', details },
        record: line.record,
        order: line.order,
      })
    case 'intended':
    case 'sent':
      // A hot folder that was just stopped waits for the answer, or the outcome can't be written yet.
      return err(toPendingError(details))
    default:
      return assertNever(details.state)
  }
}

function toPendingError({ id: shipmentId, reference }: ShipmentDetails): AppError {
  return appError('shipment-in-progress', { shipmentId, reference })
}

/** The outcome of a line that may have been sent under a lost journal: it is not sent again. */
async function findOutcomeWithoutNote(
  line: OrderLine,
  fileName: string,
  shipping: OrderShipping,
): Promise<Result<LineOutcome>> {
  const { reference } = line
  // A line without reference was never sent.
  if (reference === null) return ok(toNotSent(line, 'invalid', line.draft.ok ? null : line.draft.error))
  const blocker = await findLineBlocker(reference, shipping)
  if (blocker !== undefined && isGuardError(blocker)) return toErrorOutcome(line, blocker, shipping)
  return ok(toNotSent(line, 'unknown', appError('order-journal-lost', { file: fileName, reference })))
}

/** As `findBlocker`; none for a number that a spreadsheet rounded, which is that of other orders too. */
async function findLineBlocker(reference: string, shipping: OrderShipping): Promise<AppError | undefined> {
  return isShortened(reference) ? undefined : shipping.findBlocker(reference)
}

/** Whether an error names the blocking shipment, and not why the fleet can't be asked. */
function isGuardError(error: AppError): boolean {
  const { code } = error
  return code === 'shipment-duplicate' || code === 'shipment-unsettled' || isOutcomePending(error)
}

/** Errors of the guard and of the draft are outcomes of this line; after all others it is tried again. */
async function toErrorOutcome(
  line: OrderLine,
  error: AppError,
  shipping: OrderShipping,
): Promise<Result<LineOutcome>> {
  switch (error.code) {
    case 'shipment-duplicate':
      return ok(await toBlocked(line, 'duplicate', error, shipping))
    case 'shipment-unsettled':
      return ok(await toBlocked(line, 'unknown', error, shipping))
    case 'invalid-input':
    case 'rule-printer-unknown':
      return ok(toNotSent(line, 'invalid', error))
    default:
      return err(error)
  }
}

/** The held line or its outcome, if it waits or has to wait in the order list; undefined if it is to be created directly. */
async function holdLine(
  line: OrderLine,
  { row, holdsOrders, wasRead, isChanged, heldOrders, settings }: LineFile,
  shipping: OrderShipping,
): Promise<Result<LineOutcome | HeldLine> | undefined> {
  if (!holdsOrders && !wasRead) return undefined
  // Derived from the line, so that it is listed once after restarts.
  const orderId = toHashedId([row.id, line.line, line.reference ?? '', 'held'])
  const isThere = wasRead && (await heldOrders.find([orderId])).has(orderId)
  if (isThere) return ok({ orderId, line })
  if (!holdsOrders || isChanged) return undefined
  const { reference } = line
  const known =
    reference === null ? undefined : await shipping.findAttempt(toAttemptId(row.id, line.line, reference))
  // It was sent before orders were held.
  if (known !== undefined) return undefined
  const record = toCorrectableShipment(line.record)
  // A line that can't be read or has unknown fields can't be corrected in the list.
  if (record === undefined || Object.keys(record.unknown).length > 0) return undefined
  const place = { file: row.name, line: String(line.line) }
  if (record.customs !== undefined) {
    return ok(toNotSent(line, 'invalid', appError('order-not-holdable', place)))
  }
  // The printer of a table line comes from a rule, which the list applies itself.
  if (record.printer !== undefined && line.order === undefined) {
    return ok(toNotSent(line, 'invalid', appError('order-not-holdable', { ...place, case: 'printer' })))
  }
  const { carrierId, carrierOptionId } = record.texts
  const option = findCarrierOption(carrierOptionId, settings.shipmentDefaults, settings.carriers)
  const isOther = carrierId !== undefined && option !== undefined && Number(carrierId) !== option.carrierId
  // That of a table line comes from its option.
  if (isOther && line.order === undefined) {
    return ok(toNotSent(line, 'invalid', appError('order-not-holdable', { ...place, case: 'carrier' })))
  }
  const { values, extras, items } = readOrderContent(record.texts, line.order)
  // A value that the list can't keep must not silently be missing on the label.
  if (!values.success || !extras.success || !items.success) {
    const error = line.draft.ok ? toTooLong(line) : line.draft.error
    return ok(toNotSent(line, 'invalid', error))
  }
  if (reference !== null) {
    const blocker = await findLineBlocker(reference, shipping)
    // If the fleet can't be asked, the line waits in the list: shipping it checks again.
    if (blocker !== undefined && isGuardError(blocker)) return toErrorOutcome(line, blocker, shipping)
  }
  return ok({ orderId, line })
}

async function toBlocked(
  line: OrderLine,
  outcome: 'duplicate' | 'unknown',
  error: AppError,
  shipping: OrderShipping,
): Promise<LineOutcome> {
  const shipmentId = error.details?.shipmentId
  const earlier = shipmentId === undefined ? undefined : await shipping.getDetails(shipmentId)
  const shipment = earlier?.ok === true ? ({ relation: 'earlier', details: earlier.value } as const) : null
  return { ...toNotSent(line, outcome, error), shipment }
}

/** For a value that a shipment may have but the list can't keep, such as a number of thousands of digits. */
function toTooLong({ line }: OrderLine): AppError {
  const issue = orderFileIssueDetails('not-keepable')
  return appError('order-file-invalid', { ...issue, case: 'fields', line: String(line) })
}

type LinePlace = Pick<OrderLine, 'line' | 'reference' | 'record' | 'order'>

function toChanged(line: LinePlace, details: ErrorDetails<'order-file-changed'>): LineOutcome {
  return toNotSent(line, 'invalid', appError('order-file-changed', details))
}

function toNotSent(
  { line, reference, record, order }: LinePlace,
  outcome: OrderOutcome,
  error: AppError | null,
): LineOutcome {
  return { line, reference, outcome, error, shipment: null, record, order }
}
