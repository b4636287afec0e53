import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { emptyDraft, getReferences } from '../../shared/shipments'
import type { Log } from '../log/log'
import { checkBackup, listBackups } from '../storage/backups'
import { type DatabaseProcess, replacedMarker } from '../storage/databaseChecks'
import type { DataFolder } from '../storage/dataFolder'
import type { RebuildRepository } from './rebuildRepository'
import type { NewShipment, ShipmentRepository } from './repository'
import {
  type StoredCreation,
  type StoredOrder,
  storedCreationSchema,
  storedOrderSchema,
} from './shipmentFiles'
import type { Shipping } from './shipping'

/** `rebuild`: restore the missing shipments from their files. `continue`: start without a guard for their references. */
export type MissingHistoryChoice = 'rebuild' | 'continue'

interface MissingHistoryDeps {
  places: DataFolder
  databaseProcess: DatabaseProcess
  log: Log
  now: () => Date
}

/** Time limit for checking a backup. */
const maxCheckMs = 10 * 60 * 1000

/**
 * Looks for shipments in the labels folder that the journal does not hold, before anything can be created. The choice is
 * noted beside the database, so that it is asked for again if a crash interrupts its work.
 * @param choice what a person decided about the missing shipments
 * @returns why the station may not start; undefined when the history is complete, or a person accepted the loss
 */
export async function findMissingHistory(
  services: {
    shipmentRepository: ShipmentRepository
    rebuild: RebuildRepository
    shipping: Pick<Shipping, 'recover' | 'readOutcome'>
    submissions: { holdManifestsOfCopy(): Promise<void> }
    fleet: { noteRestoredCopy(): Promise<void> }
  },
  deps: MissingHistoryDeps,
  choice: MissingHistoryChoice | undefined,
): Promise<AppError | undefined> {
  const mark = replacedMarker(deps.places.database)
  // Before the choice replaces the mark. A backup of this data folder keeps the rows: the labels folder holds what was sent since.
  if (mark.read() === 'restored') {
    await services.rebuild.forgetOrderFiles()
    await services.fleet.noteRestoredCopy()
  }
  if (choice !== undefined) mark.write(choice)
  const wasReplaced = mark.read() !== undefined
  // Before shipments of the copy are finished, which prints their labels.
  if (wasReplaced) {
    await services.rebuild.holdPrinting(deps.now())
    await services.submissions.holdManifestsOfCopy()
  }
  const missing = await applyChoice(services, deps, choice, wasReplaced)
  const isRebuilt = choice === 'rebuild' || missing === undefined
  if (isRebuilt && mark.read() === 'rebuild') await recoverGuard(services.rebuild, deps)
  if (missing === undefined) mark.remove()
  return missing
}

/** Shipments that retention removed have no files: only the backups hold their guard entries. */
async function recoverGuard(
  rebuild: RebuildRepository,
  { places, databaseProcess, log, now }: MissingHistoryDeps,
): Promise<void> {
  for (const backup of await listBackups(places.backups, now())) {
    const limit = AbortSignal.timeout(maxCheckMs)
    const verdict = await checkBackup(databaseProcess, places.backups, backup, limit)
    if (verdict.kind !== 'sound') continue
    const { name } = backup
    const count = await rebuild.guardFromBackup(join(places.backups, name))
    log.warn('the duplicate guard of removed shipments was restored from a backup', { backup: name, count })
    return
  }
  log.warn('no backup is sound: references of shipments that retention removed are not guarded any more')
}

async function applyChoice(
  services: Parameters<typeof findMissingHistory>[0],
  { places, log, now }: MissingHistoryDeps,
  choice: MissingHistoryChoice | undefined,
  databaseWasReplaced: boolean,
): Promise<AppError | undefined> {
  const lost = await findLostShipments(places.labels, services, databaseWasReplaced)
  if (lost.length === 0) return undefined
  switch (choice) {
    case undefined:
      return historyMissing(places, lost.length)
    case 'rebuild': {
      const { rebuilt, left } = await rebuildHistory(lost, services)
      log.warn('the history was rebuilt from the labels folder', { rebuilt, missing: left })
      return left === 0 ? undefined : historyMissing(places, left)
    }
    case 'continue': {
      await restoreWithoutReference(lost, services)
      await services.rebuild.leaveUnguarded(
        lost.map(({ id }) => id),
        now(),
      )
      log.warn('an operator continued without a duplicate guard for shipments of the labels folder', {
        count: lost.length,
      })
      return undefined
    }
  }
}

function historyMissing({ labels }: DataFolder, count: number): AppError {
  return appError('history-missing', { path: labels, count: String(count) })
}

/** The database is missing or empty, but its daily backups exist. */
export function databaseMissing(path: string, backups: string): AppError {
  return appError('database-missing', { path, backups })
}

const shipmentFolder = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const orderFile = 'order.json'
const summaryFile = 'shipment.json'
const summarySchema = storedCreationSchema.pick({
  barcodes: true,
  receivedAt: true,
  order: true,
})

/** A shipment with files in the labels folder that the journal does not hold. */
interface LostShipment {
  id: string
  /** Undefined when the files do not contain it. */
  order: StoredOrder | undefined
  /** From the summary; undefined without one. */
  answer: Pick<StoredCreation, 'barcodes' | 'receivedAt'> | undefined
  /** The folder contains no file but the order: the shipment may never have been sent. */
  isOrderOnly: boolean
}

interface Journal {
  shipmentRepository: Pick<ShipmentRepository, 'count' | 'listEarlier' | 'findAttempt'>
  rebuild: Pick<RebuildRepository, 'listMissingIds'>
}

/**
 * Compares the labels folder with the journal. A shipment that only the folder holds means that the database was removed,
 * emptied or replaced: its guard would let that reference through. Throws when the folder can't be read.
 * @param folder absolute path of the labels folder
 * @param databaseWasReplaced counts orders without an answer as lost; otherwise they count only together with answered
 *   shipments, or if the journal is empty
 */
export async function findLostShipments(
  folder: string,
  { shipmentRepository, rebuild }: Journal,
  databaseWasReplaced: boolean,
): Promise<LostShipment[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const ids = entries.flatMap(({ name }) => (shipmentFolder.test(name) ? [name] : []))
  const answered: LostShipment[] = []
  const unanswered: LostShipment[] = []
  for (const id of await rebuild.listMissingIds(ids)) {
    const names = await readdir(join(folder, id))
    if (names.length === 0) continue
    const found = await readLost(folder, id, names)
    if (await wasRemoved(found, shipmentRepository)) continue
    if (!found.isOrderOnly) answered.push(found)
    // A repeated attempt leaves the order files of its earlier calls behind; the journal has its outcome.
    else if (!(await isAttemptKnown(found.order, shipmentRepository))) unanswered.push(found)
  }
  // A crash between the order's file and the intent leaves only that file: nothing was sent.
  // `count` is called only if needed: it is slow with many shipments, and starts the reader thread.
  const isLost =
    answered.length > 0 ||
    databaseWasReplaced ||
    (unanswered.length > 0 && (await shipmentRepository.count()) === 0)
  return isLost ? [...answered, ...unanswered] : []
}

/** Whether the journal has the outcome of an attempt, or other shipments guard all of its references. */
async function isGuarded(
  order: StoredOrder,
  shipmentRepository: Pick<ShipmentRepository, 'findAttempt' | 'listEarlier'>,
): Promise<boolean> {
  if (await isAttemptKnown(order, shipmentRepository)) return true
  for (const reference of getReferences(order.draft)) {
    if ((await shipmentRepository.listEarlier(reference)).length === 0) return false
  }
  return true
}

async function isAttemptKnown(
  order: StoredOrder | undefined,
  shipmentRepository: Pick<ShipmentRepository, 'findAttempt'>,
): Promise<boolean> {
  return order !== undefined && (await shipmentRepository.findAttempt(order.attemptId)) !== undefined
}

async function readLost(folder: string, id: string, names: readonly string[]): Promise<LostShipment> {
  const summary = await read(join(folder, id, summaryFile), summarySchema)
  const order = (await read(join(folder, id, orderFile), storedOrderSchema)) ?? summary?.order
  return { id, order, answer: summary, isOrderOnly: names.every((name) => name.startsWith(orderFile)) }
}

/** Whether retention removed the shipment, and a crash before the removal of its files left them behind. */
async function wasRemoved(
  { id, order }: LostShipment,
  shipmentRepository: Pick<ShipmentRepository, 'listEarlier'>,
): Promise<boolean> {
  if (order === undefined) return false
  const known = await shipmentRepository.listEarlier(order.draft.reference)
  return known.some((shipment) => shipment.id === id)
}

async function read<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    // A missing or incomplete file counts as none.
    return undefined
  }
}

interface RebuildDeps {
  shipmentRepository: Pick<ShipmentRepository, 'listEarlier' | 'findAttempt' | 'rememberLimits'>
  rebuild: Pick<RebuildRepository, 'restore'>
  shipping: Pick<Shipping, 'recover' | 'readOutcome'>
}

/**
 * Restores lost shipments in the journal and the guard from their files; without a complete answer as unknown. Nothing is
 * sent and nothing is printed.
 * @returns how many were restored, and how many are still lost and nothing guards their references
 */
export async function rebuildHistory(
  lost: readonly LostShipment[],
  deps: RebuildDeps,
): Promise<{ rebuilt: number; left: number }> {
  const known = lost.flatMap(({ order, ...each }) =>
    order === undefined ? [] : [{ ...order, id: each.id, isOrderOnly: each.isOrderOnly, print: false }],
  )
  const byTime = known.toSorted((one, other) => (one.takenAt < other.takenAt ? -1 : 1))
  const { rebuilt, left } = await restoreAll(byTime, deps)
  return { rebuilt, left: left + lost.length - known.length }
}

/** Restores shipments whose files lack the reference under `? BARCODE`, so their labels can be printed. They guard nothing. */
async function restoreWithoutReference(lost: readonly LostShipment[], deps: RebuildDeps): Promise<void> {
  const nameless = lost.flatMap(({ id, order, answer }) => {
    const [barcode] = answer?.barcodes ?? []
    return order !== undefined || answer === undefined || barcode === undefined
      ? []
      : [{ id, barcode, receivedAt: answer.receivedAt }]
  })
  await restoreAll(
    nameless.map(({ id, barcode, receivedAt }) => ({
      id,
      attemptId: id,
      origin: 'screen' as const,
      ...{ print: false, isOrderOnly: false },
      takenAt: receivedAt,
      draft: { ...emptyDraft, reference: `? ${barcode}` },
    })),
    deps,
  )
}

/** A lost shipment; `isOrderOnly`: nothing beside its order is on the disk, so at most its request was sent. */
interface LostOrder extends NewShipment {
  isOrderOnly: boolean
}

async function restoreAll(
  shipments: readonly LostOrder[],
  { shipmentRepository, rebuild, shipping }: RebuildDeps,
): Promise<{ rebuilt: number; left: number }> {
  let [rebuilt, left] = [0, 0]
  const notCreated: LostOrder[] = []
  // Created ones first: an order that a repeated attempt left behind has the same attempt and would take their place.
  for (const shipment of shipments) {
    const outcome = await shipping.readOutcome(shipment)
    if (outcome.kind !== 'created') notCreated.push(shipment)
    else if (await rebuild.restore(shipment, outcome.stored)) {
      rebuilt += 1
      const { limits, receivedAt } = outcome.stored
      if (limits !== null) {
        await shipmentRepository.rememberLimits(shipment.draft, limits, new Date(receivedAt))
      }
    } else left += 1
  }
  // Before the first and after each one: a shipment in progress would block the next one of its reference.
  if (notCreated.length > 0) await shipping.recover()
  for (const shipment of notCreated) {
    if (await rebuild.restore(shipment)) {
      await shipping.recover()
      rebuilt += 1
    } else if (!shipment.isOrderOnly || !(await isGuarded(shipment, shipmentRepository))) left += 1
  }
  return { rebuilt, left }
}
