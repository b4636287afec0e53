import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { type AppError, appError, type ErrorDetails } from '../../shared/errors'
import { type OrderFileProblem, orderFileProblem } from '../../shared/inputIssues'
import { orderExtrasSchema, orderItemSchema, orderValueFields, orderValuesSchema } from '../../shared/orders'
import type { PrintJob } from '../../shared/printing'
import { assertNever, err, ok, type Result } from '../../shared/result'
import type { ShipmentDetails, ShipmentDraft } from '../../shared/shipments'
import type { Session } from '../account/session'
import { type CorrectableShipment, toCorrectableShipment, toDraftValues } from '../carrier/shipmentCodec'
import type { Fleet } from '../fleet/fleet'
import type { FleetClaims } from '../fleet/fleetClaims'
import { toHashedId } from '../lib/hash'
import type { HeldOrder, HeldOrderState, HeldOrders } from '../orders/heldOrders'
import { emptyOrderContent } from '../orders/orders'
import type { ReadOrder } from '../orders/readOrders'
import type { PrintQueue } from '../printing/queue/printQueue'
import { blockerError, findBlocker } from '../shipments/duplicateGuard'
import type { History } from '../shipments/history'
import type { ShipmentRepository } from '../shipments/repository'
import type { Shipping } from '../shipments/shipping'
import type { OrderLine } from './orderLines'
import type { OrderFileRow } from './repository'

/**
 * The attempt id of one shipment of an order file: the same after a restart, so that it is never sent twice. The
 * reference is part of it, so that a file that was edited under the app can't inherit another order's outcome.
 * @returns a UUID of version 8 (made from a hash of the caller's choice)
 */
export function toAttemptId(fileId: string, line: number, reference: string): string {
  return toHashedId([fileId, line, reference])
}

/** What the hot folder needs of the creation of shipments. */
export interface OrderShipping {
  /**
   * Creates a shipment under the same guard as the screen. The same `attemptId` never makes a second request.
   * @returns the shipment as it ended (created, refused or unknown). An error means that it has no outcome:
   * 'shipment-duplicate' and 'shipment-unsettled' name the earlier shipment in `details.shipmentId`, 'invalid-input'
   * speaks of the draft, 'shipment-in-progress' and 'outcome-not-written' of an outcome that is still to come, and
   * every other one of the station, so that it is worth trying again later.
   */
  create(request: {
    attemptId: string
    draft: ShipmentDraft
    origin: 'hot-folder'
    print: boolean
    takenAt: Date
  }): Promise<Result<ShipmentDetails>>
  /**
   * What blocks a reference at this station, or at another one that shares the guard, in the words of `create`; why that one can't be
   * asked now; undefined when nobody knows it. Nothing is sent.
   */
  findBlocker(reference: string): Promise<AppError | undefined>
  /** Why no order can be sent with this account until a person helps; undefined when one can. The service is not asked. */
  findAccountRefusal(): AppError | undefined
  /** What the journal knows of an attempt. */
  findAttempt(attemptId: string): Promise<ShipmentDetails | undefined>
  getDetails(shipmentId: string): Promise<Result<ShipmentDetails>>
  /**
   * The shipment, of this station or of another one, that ended an order of the list.
   * @returns undefined when nobody knows it any more; an error while it can't be seen, or is not published yet
   */
  findEnding(shipmentId: string): Promise<Result<ShipmentDetails | undefined>>
  /** Resolves when every print job of the shipment is done, handed over, failed, unconfirmed or cancelled. */
  whenJobsEnded(shipmentId: string): Promise<PrintJob[]>
}

export interface OrderShippingDeps {
  shipping: Pick<Shipping, 'create'>
  store: Pick<ShipmentRepository, 'listEarlier'>
  history: Pick<History, 'findAttempt' | 'getDetails'>
  printing: Pick<PrintQueue, 'whenJobsEnded'>
  session: Pick<Session, 'status'>
  fleet: Pick<Fleet, 'isMember'>
  claims: Pick<FleetClaims, 'findBlocker'>
}

/** What the hot folder needs of the creation of shipments, from the services of the station. */
export function createOrderShipping({
  shipping,
  history,
  printing,
  store,
  session,
  fleet,
  claims,
}: OrderShippingDeps): OrderShipping {
  return {
    create: (request) => shipping.create(request),
    async findBlocker(reference) {
      const blocker = findBlocker(await store.listEarlier(reference))
      if (blocker !== undefined) return blockerError(blocker)
      return fleet.isMember() ? claims.findBlocker(reference) : undefined
    },
    findAccountRefusal() {
      const { error } = session.status()
      // Neither ends by itself for this order alone: the files wait for a person.
      return error?.code === 'account-refused' || error?.code === 'vault-locked' ? error : undefined
    },
    findAttempt: (attemptId) => history.findAttempt(attemptId),
    getDetails: (shipmentId) => history.getDetails(shipmentId),
    async findEnding(shipmentId) {
      const details = await history.getDetails(shipmentId)
      // Another station's may come later than the order that it ended.
      if (details.ok || details.error.code !== 'shipment-not-found' || fleet.isMember()) return details
      return ok(undefined)
    },
    whenJobsEnded: (shipmentId) => printing.whenJobsEnded(shipmentId),
  }
}

export type OrderOutcome = 'created' | 'refused' | 'unknown' | 'invalid' | 'duplicate'

/** What became of one shipment of an order file. */
export interface LineOutcome {
  /** 1 for the first shipment of the file. */
  line: number
  /** Null when the line is too broken to tell. */
  reference: string | null
  outcome: OrderOutcome
  error: AppError | null
  /** This line's own shipment, or the earlier one that blocks it. */
  shipment: { relation: 'own' | 'earlier'; details: ShipmentDetails } | null
  /** What the file says of it, with the service's field names; undefined when that can't be told. */
  record?: unknown
}

/** A shipment of an order file that waits as an order. */
export interface HeldLine {
  orderId: string
  line: OrderLine
}

/** The file of a line. */
export interface LineFile {
  row: OrderFileRow
  print: boolean
  /** False for a file whose shipments may have been sent without this journal's knowledge: then nothing is. */
  mayBeSent: boolean
  heldOrders: Pick<HeldOrders, 'find'>
  /** An earlier run may have put its shipments into the list of orders. */
  wasRead: boolean
  /** Whether shipments without an outcome wait in the list of orders. */
  holdsOrders: boolean
  /** The file says something else than when an earlier run read it: only what was sent by then has an outcome. */
  isChanged: boolean
}

/**
 * Creates a line's shipment, or finds what became of it before: an attempt is never made twice.
 * @param stop nothing is sent once it is aborted: throws its reason
 * @returns the outcome, or the order as which it waits; an error is the station's, for another try later
 */
export async function createLine(
  line: OrderLine,
  file: LineFile,
  shipping: OrderShipping,
  stop: AbortSignal,
): Promise<Result<LineOutcome | HeldLine>> {
  const { row, print, mayBeSent, isChanged } = file
  if (!mayBeSent) return findWithoutNote(line, row.name, shipping)
  const held = await holdLine(line, file, shipping)
  if (held !== undefined) return held
  if (!line.draft.ok) return ok(toNotSent(line, 'invalid', line.draft.error))
  const draft = line.draft.value
  const attemptId = toAttemptId(row.id, line.line, draft.reference)
  const refused = shipping.findAccountRefusal()
  // Where nothing may be sent; else the creation finds its attempt by itself.
  if (isChanged || refused !== undefined) {
    const known = await shipping.findAttempt(attemptId)
    if (known !== undefined) return toOwnOutcome(line, known)
  }
  if (isChanged) {
    const place = { file: row.name, line: String(line.line) }
    return ok(toChanged(line, { case: 'before-restart', ...place }))
  }
  stop.throwIfAborted()
  if (refused !== undefined) return err(refused)
  const { takenAt } = row
  const created = await shipping.create({ attemptId, draft, origin: 'hot-folder', print, takenAt })
  return created.ok ? toOwnOutcome(line, created.value) : toOutcomeOfError(line, created.error, shipping)
}

/**
 * What became of a line that waited as an order.
 * @param state where the order stands; undefined when it is not in the list any more
 * @returns undefined while it waits in the list; an error while what became of it is still to come, or can't be asked
 */
export async function endHeldLine(
  { line }: HeldLine,
  state: HeldOrderState | undefined,
  shipping: OrderShipping,
): Promise<Result<LineOutcome> | undefined> {
  if (state?.state === 'open') return undefined
  const reference = state?.reference ?? line.reference ?? ''
  const named = { ...line, reference }
  if (state?.state === 'shipped') {
    const ending = await shipping.findEnding(state.shipmentId)
    if (!ending.ok) return ending
    if (state.isFirst && ending.value !== undefined) return toHeldOutcome(named, ending.value)
  }
  // Its creation may have begun before somebody skipped it: then it is under way, or has an outcome.
  const blocker = await shipping.findBlocker(reference)
  if (blocker !== undefined) return toOutcomeOfError(named, blocker, shipping)
  if (state?.state === 'shipped') return ok(toNotSent(named, state.isFirst ? 'created' : 'duplicate', null))
  const note = state?.state === 'skipped' ? state.reason : '–'
  return ok(toNotSent(named, 'refused', appError('order-skipped', { reference, note })))
}

/** The order as which a line waits, with all that its file says of it. */
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

/** What of a shipment the list of orders keeps. That of a table is what it says itself: rules hold in the list. */
function readOrderContent(texts: CorrectableShipment['texts'], order: ReadOrder | undefined) {
  const own = Object.fromEntries(Object.entries(texts).filter(([name]) => isOrderField(name)))
  return {
    values: orderValuesSchema.safeParse(order?.values ?? own),
    extras: orderExtrasSchema.safeParse(order === undefined ? toDraftValues(texts) : {}),
    items: z.array(orderItemSchema).safeParse(order?.items ?? []),
  }
}

/** Whether the list of orders has a field of that name. */
export function isOrderField(name: string): boolean {
  return orderValueFields.some((field) => field === name)
}

/** Another's request, or one of its own, is under way: that is no reason for other orders to wait. */
export function isOutcomeToCome({ code }: AppError): boolean {
  return code === 'shipment-in-progress' || code === 'outcome-not-written'
}

/**
 * Adds to the outcomes what was written to an order file after it was read: none of it was sent.
 * @param read the lines that were worked on
 * @param now the lines as they are at delivery; the end of a sentence when the file can't be read any more
 * @returns all outcomes in order of lines; a line that was sent and says something else now has two
 */
export function addLaterChanges(
  fileName: string,
  outcomes: readonly LineOutcome[],
  read: readonly OrderLine[],
  now: Result<OrderLine[], OrderFileProblem>,
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

/** A person may have found that a shipment of unknown outcome exists: the order was shipped then. */
function toHeldOutcome(line: LinePlace, details: ShipmentDetails): Result<LineOutcome> {
  const outcome = toOwnOutcome(line, details)
  if (!outcome.ok) return outcome
  if (details.resolution?.verdict === 'exists')
    return ok({ ...outcome.value, outcome: 'created', error: null })
  // What ended it at another station is published after the order.
  return outcome.value.outcome === 'unknown' ? err(toOutcomeToCome(details)) : outcome
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
      })
    case 'intended':
    case 'sent':
      // A hot folder that was just stopped still waits for the answer, or the answer can't be written yet.
      return err(toOutcomeToCome(details))
    default:
      return assertNever(details.state)
  }
}

function toOutcomeToCome({ id: shipmentId, reference }: ShipmentDetails): AppError {
  return appError('shipment-in-progress', { shipmentId, reference })
}

/** The outcome of a line that may have been sent without this journal's knowledge: it is not sent again. */
async function findWithoutNote(
  line: OrderLine,
  fileName: string,
  shipping: OrderShipping,
): Promise<Result<LineOutcome>> {
  const { reference } = line
  // What has no reference was never sent by anybody.
  if (reference === null) return ok(toNotSent(line, 'invalid', line.draft.ok ? null : line.draft.error))
  const blocker = await shipping.findBlocker(reference)
  if (blocker !== undefined && isOfGuard(blocker)) return toOutcomeOfError(line, blocker, shipping)
  return ok(toNotSent(line, 'unknown', appError('order-journal-lost', { file: fileName, reference })))
}

/** Whether an error names the shipment in the way, and not why other stations can't be asked for it. */
function isOfGuard(error: AppError): boolean {
  const { code } = error
  return code === 'shipment-duplicate' || code === 'shipment-unsettled' || isOutcomeToCome(error)
}

/** The guard and the form of the draft concern this line; everything else concerns the station. */
async function toOutcomeOfError(
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
      return ok(toNotSent(line, 'invalid', error))
    default:
      return err(error)
  }
}

/** Whether a line waits as an order, or is to; undefined when it has an outcome of its own. */
async function holdLine(
  line: OrderLine,
  { row, holdsOrders, wasRead, isChanged, heldOrders }: LineFile,
  shipping: OrderShipping,
): Promise<Result<LineOutcome | HeldLine> | undefined> {
  if (!holdsOrders && !wasRead) return undefined
  // The same after a restart, so that it is listed once.
  const orderId = toHashedId([row.id, line.line, line.reference ?? '', 'held'])
  const isThere = wasRead && (await heldOrders.find([orderId])).has(orderId)
  if (isThere) return ok({ orderId, line })
  if (!holdsOrders || isChanged) return undefined
  const record = toCorrectableShipment(line.record)
  // What can't be read, or has fields that are not known, can't be corrected in the list either.
  if (record === undefined || Object.keys(record.unknown).length > 0) return undefined
  const place = { file: row.name, line: String(line.line) }
  if (record.customs !== undefined) {
    return ok(toNotSent(line, 'invalid', appError('order-not-holdable', place)))
  }
  // That of a table is what its rule says, which holds in the list as well.
  if (record.printer !== undefined && line.order === undefined) {
    return ok(toNotSent(line, 'invalid', appError('order-not-holdable', { ...place, case: 'printer' })))
  }
  const { values, extras, items } = readOrderContent(record.texts, line.order)
  // Nothing that the list can't keep may be left out of a label without a word.
  if (!values.success || !extras.success || !items.success) {
    const error = line.draft.ok ? toTooLong(line) : line.draft.error
    return ok(toNotSent(line, 'invalid', error))
  }
  const { reference } = line
  if (reference !== null) {
    const known = await shipping.findAttempt(toAttemptId(row.id, line.line, reference))
    if (known !== undefined) return undefined
    const blocker = await shipping.findBlocker(reference)
    // While other stations can't be asked it waits in the list: whoever ships it asks again.
    if (blocker !== undefined && isOfGuard(blocker)) return toOutcomeOfError(line, blocker, shipping)
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

/** A value that a shipment may have, such as a number of thousands of digits. */
function toTooLong({ line }: OrderLine): AppError {
  const problem = orderFileProblem('not-keepable')
  return appError('order-file-invalid', { ...problem, case: 'fields', line: String(line) })
}

type LinePlace = Pick<OrderLine, 'line' | 'reference' | 'record'>

function toChanged(line: LinePlace, details: ErrorDetails<'order-file-changed'>): LineOutcome {
  return toNotSent(line, 'invalid', appError('order-file-changed', details))
}

function toNotSent(
  { line, reference, record }: LinePlace,
  outcome: OrderOutcome,
  error: AppError | null,
): LineOutcome {
  return { line, reference, outcome, error, shipment: null, record }
}
