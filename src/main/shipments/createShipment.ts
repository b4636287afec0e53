import { type AppError, appError } from '../../shared/errors'
import { err, ok, type Result } from '../../shared/result'
import type {
  ConfirmedDuplicate,
  ShipmentDetails,
  ShipmentDraft,
  ShipmentOrigin,
} from '../../shared/shipments'
import { type CreationOutcome, isCreationConfirmed, type ReceivedAnswer } from '../carrier/createShipment'
import type { OpenCarrier } from '../carrier/gateway'
import type { EventBus } from '../lib/eventBus'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import type { SettingsStore } from '../settings/settingsStore'
import { type History, summarizeIntent } from './history'
import { blockerError } from './intentBlockers'
import type { MissingLabels } from './missingLabels'
import type { ReceivedAnswers } from './receivedAnswers'
import { lacksLabels, type OutcomeRecorder } from './recordOutcome'
import type { IntentBlocker, NewShipment, ShipmentRepository } from './repository'

/**
 * Creates a shipment at the carrier service. A request costs money and can't be taken back, so no other function sends
 * one, and the order of these steps keeps the promise «never twice, never lost»:
 *
 * 1. Prepare: an API key, the order's file as proof that the disk takes files, a claim on the references in the fleet.
 * 2. Intent: check the duplicate guard and commit the shipment as `sent`, in one transaction.
 * 3. Request: send it once, and write the whole answer to the disk before reading its outcome.
 * 4. Outcome: write the label files, then commit the outcome together with the first print jobs.
 *
 * After a crash in step 1 nothing was sent; after the intent the next start makes the shipment unknown; after the answer is
 * on the disk the next start finishes step 4. docs/decisions/0003-shipment-creation.md gives the reason for each step.
 * @returns the shipment as created, refused or unknown; an error if nothing was sent, or if the outcome can't be written
 *   yet
 */
export async function createShipment(
  request: CreateRequest & { operator: string | null },
  deps: CreateShipmentDeps,
): Promise<Result<ShipmentDetails>> {
  const { shipmentRepository, history, receivedAnswers, outcomes, missingLabels } = deps

  const known = await shipmentRepository.findAttempt(request.attemptId)
  if (known !== undefined) return ok(await history.loadDetails(known))
  const printer = checkPrinterKnown(request.draft, deps.settings)
  if (!printer.ok) return printer

  const opened = await deps.carrier.open()
  if (!opened.ok) return opened
  const shipment = toNewShipment(request, deps)
  const prepared = await claimAndWriteOrder(shipment, request, opened.value, deps)
  if (!prepared.ok) return prepared
  const { claim, carrier } = prepared.value

  const intent = await guardAndWriteIntent(shipment, request, claim, deps)
  if (!intent.ok) return intent
  const blocker = intent.value
  if (blocker?.kind === 'same-attempt') return ok(await history.loadDetails(blocker.shipment))
  if (blocker !== undefined) return err(blockerError(blocker))
  deps.bus.emit('shipmentChanged', summarizeIntent(shipment))

  const outcome = await sendAndStoreAnswer(carrier, shipment, claim, request.slot, deps)
  // A failed request keeps its slot: the batch looks at the failure before it sends the next order.
  if (outcome.ok) request.slot?.release()

  const stored = await outcomes.storeLabels(shipment, outcome)
  await request.afterEarlier
  const committed = await outcomes.commit(shipment, stored)
  if (!committed.ok) {
    missingLabels.scheduleRetry(shipment.id, journalNotWritten(committed.error.message))
    return committed
  }
  if (receivedAnswers.isAnswerWaiting(shipment.id) || lacksLabels(stored)) {
    await missingLabels.completeOrRetry(shipment.id, stored)
  } else {
    receivedAnswers.forgetHeld(shipment.id)
  }
  return history.announce(shipment.id)
}

/** Refuses a draft for a printer that the settings no longer have: its label would be paid for and not printed. */
function checkPrinterKnown(
  { printer }: ShipmentDraft,
  settings: CreateShipmentDeps['settings'],
): Result<void> {
  const isKnown = settings.current().printers.some(({ id }) => id === printer)
  if (printer === undefined || isKnown) return ok(undefined)
  return err(appError('rule-printer-unknown', { printer }))
}

export interface CreateRequest {
  /** One per filled-in form or order line. A second call with the same id returns the first shipment and sends nothing. */
  attemptId: string
  draft: ShipmentDraft
  origin: ShipmentOrigin
  print: boolean
  takenAt: Date
  /** Who creates the shipment; by default the operator who is signed in. */
  operator?: string | null
  /** Created shipments that the operator was shown, each for the one reference that is to be shipped again. */
  confirmedDuplicates?: readonly ConfirmedDuplicate[] | undefined
  /** The imported order that the draft was made from. Nothing is sent if it is shipped or skipped before the intent. */
  orderId?: string | undefined
  /** That order's fingerprint when the draft was made. Nothing is sent if the order changes before the intent. */
  fingerprint?: string | undefined
  /** The consignee for whom several orders are combined; by default the consignee of the first order. */
  consigneeKey?: string | undefined
  /** Resolves when this shipment's labels may be printed: a batch prints in the order of its list. Never rejects. */
  afterEarlier?: Promise<void>
  /** Limits how many requests of a batch run at a time. */
  slot?: RequestSlot
}

/** The permission to send a request to the service, of which a batch has a limited number. */
export interface RequestSlot {
  /** Waits for the slot; false if the order must not be sent any more. */
  acquire(): Promise<boolean>
  /** Whether the order may still be sent. Asked right before the intent: fetching a key and claiming can take many seconds. */
  mayContinue(): Promise<boolean>
  /** The service created the shipment and the answer is being written: the next request may start, unless too many answers are. */
  markAnswered(): void
  /** The answer is on the disk. */
  release(): void
}

export interface CreateShipmentDeps {
  shipmentRepository: ShipmentRepository
  history: History
  claims: Claims
  carrier: { open(): Promise<Result<Carrier>> }
  receivedAnswers: ReceivedAnswers
  outcomes: OutcomeRecorder
  missingLabels: MissingLabels
  settings: Pick<SettingsStore, 'current' | 'belongsToFleet'>
  bus: Pick<EventBus, 'emit'>
  now: () => Date
  newId: () => string
  log: Log
}

/** Reserves references among the stations of a fleet before an intent is written; a station without a fleet claims nothing. */
export interface Claims {
  /**
   * Claims the references of a shipment that was not sent yet: all of them or none.
   * @param confirmed created shipments that the operator was shown, each for the one reference to be shipped again
   * @returns why nothing may be sent: an error of `blockerError`, or why the other stations can't be asked
   */
  acquire(shipment: NewShipment, confirmed: readonly ConfirmedDuplicate[]): Promise<Result<ReferenceClaim>>
}

/** A granted claim on the references of one attempt. Its owner calls exactly one of `keep` and `release`. */
export interface ReferenceClaim {
  /** References whose confirmed duplicate is newer than every shipment that this station created for them. */
  confirmedByFleet: ReadonlySet<string>
  /**
   * Whether a request may still be sent under this claim. After a long pause (the computer slept) other stations may have
   * declared this one lost, and a person may have freed its references.
   */
  isFresh(): boolean
  /** The journal holds the attempt: only its outcome ends the claim. */
  keep(): void
  /** Nothing was sent, and the journal does not hold the attempt: frees the references. */
  release(): Promise<void>
}

/** The claim of a station without a fleet. */
const standaloneClaim: ReferenceClaim = {
  confirmedByFleet: new Set(),
  isFresh: () => true,
  keep: () => undefined,
  release: () => Promise.resolve(),
}

function toNewShipment(
  { attemptId, draft, origin, print, takenAt, operator }: CreateRequest & { operator: string | null },
  { newId, settings }: CreateShipmentDeps,
): NewShipment {
  const isOperatorSent = operator !== null && settings.current().people.isSent
  return {
    id: newId(),
    attemptId,
    draft: isOperatorSent ? { ...draft, createdBy: operator } : draft,
    origin,
    operator,
    print,
    takenAt: takenAt.toISOString(),
  }
}

type Carrier = Pick<OpenCarrier, 'connect' | 'createShipment'>

/**
 * Claims the references and writes the order's file at the same time, since neither sends a creation request; if one
 * fails, the other is undone. The claim comes before the intent, so a refused claim leaves nothing in the journal. An
 * order of a batch first waits for its slot, and then claims with the API key of that moment: both expire soon.
 */
async function claimAndWriteOrder(
  shipment: NewShipment,
  { confirmedDuplicates = [], slot }: CreateRequest,
  opened: Carrier,
  deps: CreateShipmentDeps,
): Promise<Result<{ claim: ReferenceClaim; carrier: Carrier }>> {
  const { claims, receivedAnswers, settings } = deps
  const written = receivedAnswers.writeOrder(shipment)
  const opening = slot === undefined ? ok(opened) : await waitForSlot(slot, written, deps)
  const claiming = async () => {
    if (!opening.ok) return opening
    const isMember = settings.belongsToFleet()
    const asking = isMember ? claims.acquire(shipment, confirmedDuplicates) : ok(standaloneClaim)
    opening.value.connect()
    const claim = await asking
    if (!claim.ok) return claim
    const refusal = await findRefusal(slot)
    if (refusal === undefined) return ok({ claim: claim.value, carrier: opening.value })
    await claim.value.release()
    return err(refusal)
  }
  const [prepared, writeError] = await Promise.all([claiming(), written])
  if (writeError !== undefined) {
    if (prepared.ok) await prepared.value.claim.release()
    return err(writeError)
  }
  if (!prepared.ok) await receivedAnswers.discard(shipment.id)
  return prepared
}

/** Why an order of a batch must not be sent any more; undefined when it may be. */
async function findRefusal(slot: RequestSlot | undefined): Promise<AppError | undefined> {
  try {
    return slot === undefined || (await slot.mayContinue()) ? undefined : appError('batch-held')
  } catch (error) {
    return journalNotWritten(toReason(error))
  }
}

/** @returns the opened service once the slot is acquired; else why nothing is sent */
async function waitForSlot(
  slot: RequestSlot,
  written: Promise<AppError | undefined>,
  { carrier, receivedAnswers }: CreateShipmentDeps,
): Promise<Result<Carrier>> {
  const writeError = await written
  if (writeError !== undefined) return err(writeError)
  if (!(await slot.acquire())) return err(appError('batch-held'))
  // The disk may have refused another order's answer during the wait: then nothing more is sent.
  const diskError = receivedAnswers.diskError()
  return diskError === undefined ? carrier.open() : err(diskError)
}

/**
 * Checks the duplicate guard and writes the intent in one transaction, right before the request: a crash after it leaves
 * the shipment unknown. If the guard blocks it, the order's file is removed and the claim released.
 * @returns what blocks the shipment; undefined when the intent is written
 */
async function guardAndWriteIntent(
  shipment: NewShipment,
  { confirmedDuplicates, orderId, fingerprint, consigneeKey, origin }: CreateRequest,
  claim: ReferenceClaim,
  deps: CreateShipmentDeps,
): Promise<Result<IntentBlocker | undefined>> {
  const { shipmentRepository, receivedAnswers, now } = deps
  try {
    const orders = { orderId, fingerprint, consigneeKey, isUnattended: origin !== 'screen' }
    const blocker = await shipmentRepository.writeIntent(
      shipment,
      confirmedDuplicates,
      orders,
      claim.confirmedByFleet,
      now(),
    )
    if (blocker === undefined || blocker.kind === 'same-attempt') claim.keep()
    else await claim.release()
    if (blocker !== undefined) await receivedAnswers.discard(shipment.id)
    return ok(blocker)
  } catch (error) {
    return err(await undoIntent(shipment, claim, journalNotWritten(toReason(error)), deps))
  }
}

/**
 * Nothing was sent, but the failed transaction may have been committed with only its confirmation lost. Unless the journal
 * provably lacks the intent, the claim is kept and the shipment ends as refused, so no other station gets its references
 * before that.
 */
async function undoIntent(
  shipment: NewShipment,
  claim: ReferenceClaim,
  refusal: AppError,
  { shipmentRepository, history, receivedAnswers, outcomes }: CreateShipmentDeps,
): Promise<AppError> {
  const isWritten = await shipmentRepository.findAttempt(shipment.attemptId).then(
    (found) => found?.id === shipment.id,
    () => 'not-known' as const,
  )
  if (isWritten === false) {
    await claim.release()
    await receivedAnswers.discard(shipment.id)
    return refusal
  }
  claim.keep()
  const ended = await outcomes.commit(shipment, { kind: 'refused', error: refusal })
  if (ended.ok) await history.announce(shipment.id)
  return refusal
}

/**
 * Sends the request, once. The answer is on the disk before its outcome is read. An exception in the client leaves the
 * outcome unknown, like a broken connection.
 */
async function sendAndStoreAnswer(
  carrier: Carrier,
  { id, draft }: NewShipment,
  claim: ReferenceClaim,
  slot: RequestSlot | undefined,
  { receivedAnswers, settings, log }: CreateShipmentDeps,
): Promise<CreationOutcome> {
  try {
    const storeAnswer = (answer: ReceivedAnswer) => {
      const stored = receivedAnswers.storeAnswer(id, answer)
      if (isCreationConfirmed(answer)) slot?.markAnswered()
      return stored
    }
    return await carrier.createShipment(draft, settings.current().labelDelivery, storeAnswer, () =>
      claim.isFresh(),
    )
  } catch (error) {
    log.error('the creation request failed with an exception; the outcome of the shipment is unknown', {
      shipmentId: id,
      reason: String(error),
    })
    return { ok: false, kind: 'unknown', error: appError('internal', { case: 'answer-lost' }), answer: null }
  }
}

/** @param reason the database's error message */
function journalNotWritten(reason: string): AppError {
  return appError('journal-not-written', { reason })
}
