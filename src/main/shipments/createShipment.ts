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
import { blockerError } from './duplicateGuard'
import { type History, summarizeIntent } from './history'
import type { LabelIntake } from './labelIntake'
import type { MissingLabels } from './missingLabels'
import { lacksLabels, type OutcomeRecorder } from './recordOutcome'
import type { BeginBlocker, NewShipment, ShipmentRepository } from './repository'

/**
 * Creates a shipment: the one place where money is spent, and the sequence that keeps «never twice, never lost».
 * docs/decisions/0003-shipment-creation.md tells why each step stands where it does.
 * @returns the shipment in the state it ended in (created, refused or unknown); an error when no request was made, or
 *   when its outcome can't be written yet
 */
export async function createShipment(
  request: CreateRequest & { operator: string | null },
  deps: CreateShipmentDeps,
): Promise<Result<ShipmentDetails>> {
  const { store, history, intake, outcomes, missingLabels } = deps

  const known = await store.findAttempt(request.attemptId)
  if (known !== undefined) return ok(await history.loadDetails(known))
  const printer = checkPrinter(request.draft, deps.settings)
  if (!printer.ok) return printer

  const opened = await deps.carrier.open()
  if (!opened.ok) return opened

  const shipment = toNewShipment(request, deps)
  const ready = await claimAndWriteOrder(shipment, request, opened.value, deps)
  if (!ready.ok) return ready
  const { claim, carrier } = ready.value

  const intent = await guardAndWriteIntent(shipment, request, claim, deps)
  if (!intent.ok) return intent
  if (intent.value?.kind === 'same-attempt') return ok(await history.loadDetails(intent.value.shipment))
  if (intent.value !== undefined) return err(blockerError(intent.value))
  deps.bus.emit('shipmentChanged', summarizeIntent(shipment))

  const outcome = await sendAndKeepAnswer(carrier, shipment, claim, request.slot, deps)
  // What went wrong is judged before another one is sent.
  if (outcome.ok) request.slot?.give()
  const stored = await outcomes.storeLabels(shipment, outcome)
  await request.afterEarlier
  const committed = await outcomes.commit(shipment, stored)
  if (!committed.ok) {
    missingLabels.tryLater(shipment.id, journalNotWritten(committed.error.message))
    return committed
  }
  if (intake.isWaiting(shipment.id) || lacksLabels(stored)) await missingLabels.bringIn(shipment.id, stored)
  else intake.release(shipment.id)
  return history.announce(shipment.id)
}

/** Its label would be paid for and come out nowhere. */
function checkPrinter({ printer }: ShipmentDraft, settings: CreateShipmentDeps['settings']): Result<void> {
  const isKnown = settings.current().printers.some(({ id }) => id === printer)
  if (printer === undefined || isKnown) return ok(undefined)
  return err(appError('rule-printer-unknown', { printer }))
}

export interface CreateRequest {
  /** One per filled-in form or order line. The same one never makes a second request. */
  attemptId: string
  draft: ShipmentDraft
  origin: ShipmentOrigin
  print: boolean
  takenAt: Date
  /** Whose work it is; without it that of whoever is signed in. */
  operator?: string | null
  /** Shipments that a person was shown, each for the one reference that is to be shipped again. */
  confirmedDuplicates?: readonly ConfirmedDuplicate[] | undefined
  /** The order of the list that it is made of: nothing is sent when it was skipped, or shipped, until the intent. */
  orderId?: string | undefined
  /** What that order said when the draft was made of it: nothing is sent when it says something else by then. */
  fingerprint?: string | undefined
  /** The consignee that several orders were put together for; without it that of the first of them. */
  consigneeKey?: string | undefined
  /** Resolves when this shipment's labels may leave: those of a batch leave in its order. Never rejects. */
  afterEarlier?: Promise<void>
  /** Where only so many may be at the service at a time. */
  slot?: Slot
}

/** The right to ask the service, of which there are only so many. */
export interface Slot {
  /** Waits until the service may be asked; false when it may not be any more. */
  take(): Promise<boolean>
  /** The service made the shipment, and its answer is being written: the next one may ask, unless too many are written already. */
  pass(): void
  /** The answer is on the disk. */
  give(): void
}

export interface CreateShipmentDeps {
  store: ShipmentRepository
  history: History
  /** Where several stations share their references; grants everything at a station by itself. */
  claims: Claims
  carrier: { open(): Promise<Result<Carrier>> }
  intake: LabelIntake
  outcomes: OutcomeRecorder
  missingLabels: MissingLabels
  settings: Pick<SettingsStore, 'current'>
  bus: Pick<EventBus, 'emit'>
  now: () => Date
  newId: () => string
  log: Log
}

/** What other stations grant before a shipment's intent is written. */
export interface Claims {
  /**
   * Asks for the references of a shipment of which nothing is sent yet: all of them or none.
   * @param confirmed created shipments that a person was shown, each for the one reference that it was named with
   * @returns why nothing may be sent: the words of `blockerError`, or the error that keeps the others from being asked
   */
  take(shipment: NewShipment, confirmed: readonly ConfirmedDuplicate[]): Promise<Result<ReferenceClaim>>
}

/** The references that this attempt may be shipped under. Exactly one of `keep` and `release` is called. */
export interface ReferenceClaim {
  /** Those of which the shipment that a person has confirmed is newer than what this station created before. */
  covered: ReadonlySet<string>
  /**
   * Whether a request may still leave under it. After a long pause (the computer slept) others may have been told that this
   * station is lost, and a person may have freed what it holds.
   */
  isFresh(): boolean
  /** The journal knows the attempt: only its outcome ends the claim. */
  keep(): void
  /** Nothing was sent, and the journal does not know the attempt. */
  release(): Promise<void>
}

/** The claim of a station that shares nothing. */
export const ownClaim: ReferenceClaim = {
  covered: new Set(),
  isFresh: () => true,
  keep: () => undefined,
  release: () => Promise.resolve(),
}

function toNewShipment(
  { attemptId, draft, origin, print, takenAt, operator }: CreateRequest & { operator: string | null },
  { newId, settings }: CreateShipmentDeps,
): NewShipment {
  const signed =
    operator !== null && settings.current().people.isSent ? { ...draft, createdBy: operator } : draft
  return { id: newId(), attemptId, draft: signed, origin, operator, print, takenAt: takenAt.toISOString() }
}

type Carrier = Pick<OpenCarrier, 'connect' | 'createShipment'>

/**
 * Other stations are asked before the intent: what they refuse leaves no trace here. The order's file is written meanwhile,
 * since neither of the two sends anything, and each goes when the other is refused. One that has to wait for its slot claims
 * after that, and with the key as it is then: neither holds for long.
 */
async function claimAndWriteOrder(
  shipment: NewShipment,
  { confirmedDuplicates = [], slot }: CreateRequest,
  opened: Carrier,
  deps: CreateShipmentDeps,
): Promise<Result<{ claim: ReferenceClaim; carrier: Carrier }>> {
  const { claims, intake } = deps
  const written = intake.writeOrder(shipment)
  const opening = slot === undefined ? ok(opened) : await waitForSlot(slot, written, deps)
  const claiming = async () => {
    if (!opening.ok) return opening
    opening.value.connect()
    const claim = await claims.take(shipment, confirmedDuplicates)
    return claim.ok ? ok({ claim: claim.value, carrier: opening.value }) : claim
  }
  const [ready, refusal] = await Promise.all([claiming(), written])
  if (refusal !== undefined) {
    if (ready.ok) await ready.value.claim.release()
    return err(refusal)
  }
  if (!ready.ok) await intake.discard(shipment.id)
  return ready
}

/** @returns the service as it may be asked once it has the slot; else why nothing is sent */
async function waitForSlot(
  slot: Slot,
  written: Promise<AppError | undefined>,
  { carrier, intake }: CreateShipmentDeps,
): Promise<Result<Carrier>> {
  const refusal = await written
  if (refusal !== undefined) return err(refusal)
  if (!(await slot.take())) return err(appError('batch-held'))
  // An answer that the disk refused meanwhile keeps everything else from being sent.
  const problem = intake.diskError()
  return problem === undefined ? carrier.open() : err(problem)
}

/**
 * The guard's question and the intent are one transaction, right before the request: a crash after it leaves the shipment as
 * unknown. Without an intent the order's file and the claim go.
 */
async function guardAndWriteIntent(
  shipment: NewShipment,
  { confirmedDuplicates, orderId, fingerprint, consigneeKey, origin }: CreateRequest,
  claim: ReferenceClaim,
  deps: CreateShipmentDeps,
): Promise<Result<BeginBlocker | undefined>> {
  const { store, intake, now } = deps
  try {
    const orders = { orderId, fingerprint, consigneeKey, isUnseen: origin !== 'screen' }
    const blocker = await store.begin(shipment, confirmedDuplicates, orders, claim.covered, now())
    if (blocker === undefined || blocker.kind === 'same-attempt') claim.keep()
    else await claim.release()
    if (blocker !== undefined) await intake.discard(shipment.id)
    return ok(blocker)
  } catch (error) {
    return err(await undoIntent(shipment, claim, journalNotWritten(toReason(error)), deps))
  }
}

/**
 * The intent failed, or only its confirmation was lost: then the journal has it, and others must not be granted its
 * references before it is ended. Nothing was sent in either case.
 */
async function undoIntent(
  shipment: NewShipment,
  claim: ReferenceClaim,
  refusal: AppError,
  { store, history, intake, outcomes }: CreateShipmentDeps,
): Promise<AppError> {
  const isWritten = await store.findAttempt(shipment.attemptId).then(
    (found) => found?.id === shipment.id,
    () => 'not-known' as const,
  )
  if (isWritten === false) {
    await claim.release()
    await intake.discard(shipment.id)
    return refusal
  }
  claim.keep()
  const ended = await outcomes.commit(shipment, { kind: 'refused', error: refusal })
  if (ended.ok) await history.announce(shipment.id)
  return refusal
}

/**
 * Sends the one request; its answer is on the disk before it is judged. An exception of the client leaves the outcome as
 * unknown as a broken line does.
 */
async function sendAndKeepAnswer(
  carrier: Carrier,
  { id, draft }: NewShipment,
  claim: ReferenceClaim,
  slot: Slot | undefined,
  { intake, settings, log }: CreateShipmentDeps,
): Promise<CreationOutcome> {
  try {
    const keep = (answer: ReceivedAnswer) => {
      const kept = intake.keep(id, answer)
      if (isCreationConfirmed(answer)) slot?.pass()
      return kept
    }
    return await carrier.createShipment(draft, settings.current().labelDelivery, keep, () => claim.isFresh())
  } catch (error) {
    log.error('the creation request ended in an exception', { reason: String(error) })
    return { ok: false, kind: 'unknown', error: appError('internal', { case: 'answer-lost' }), answer: null }
  }
}

/** @param reason the database's words */
function journalNotWritten(reason: string): AppError {
  return appError('journal-not-written', { reason })
}
