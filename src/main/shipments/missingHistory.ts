import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { z } from 'zod'
import { type AppError, appError } from '../../shared/errors'
import { emptyDraft, getReferences } from '../../shared/shipments'
import type { Log } from '../log/log'
import { listBackups } from '../storage/backups'
import { checkDatabase, type DatabaseProcess, replacedMarker } from '../storage/databaseChecks'
import type { DataFolder } from '../storage/dataFolder'
import { type StoredCreation, type StoredOrder, storedCreationSchema, storedOrderSchema } from './labelFiles'
import type { RebuildRepository } from './rebuildRepository'
import type { NewShipment, ShipmentRepository } from './repository'
import type { Shipping } from './shipping'

/** `rebuild`: put what the files hold into the history again. `continue`: start without a guard for it. */
export type WayOutOfMissingHistory = 'rebuild' | 'continue'

interface MissingHistoryDeps {
  places: DataFolder
  databaseProcess: DatabaseProcess
  log: Log
  now: () => Date
}

/** Longest check of a backup, in milliseconds. */
const maxCheckMs = 10 * 60 * 1000

/**
 * Looks for shipments in the labels folder that the history does not know, before anything can be created. A way out
 * that a crash interrupts is remembered beside the database, and asked for again.
 * @param way what a person decided about them
 * @returns why the station may not start; undefined when the history is whole, or a person agreed
 */
export async function missingHistory(
  features: { store: ShipmentRepository; rebuild: RebuildRepository; shipping: Pick<Shipping, 'recover'> },
  deps: MissingHistoryDeps,
  way: WayOutOfMissingHistory | undefined,
): Promise<AppError | undefined> {
  const mark = replacedMarker(deps.places.database)
  if (way !== undefined) mark.write(way)
  const missing = await decideAboutLost(features, deps, way, mark.read() !== undefined)
  const isRebuilt = way === 'rebuild' || missing === undefined
  if (isRebuilt && mark.read() === 'rebuild') await recoverGuard(features.rebuild, deps)
  if (missing === undefined) mark.remove()
  return missing
}

/** The labels folder tells nothing of shipments that retention removed: what guards them is in the backups alone. */
async function recoverGuard(
  rebuild: RebuildRepository,
  { places, databaseProcess, log }: MissingHistoryDeps,
): Promise<void> {
  for (const { name } of await listBackups(places.backups)) {
    const backup = join(places.backups, name)
    const verdict = await checkDatabase(databaseProcess, backup, AbortSignal.timeout(maxCheckMs))
    if (verdict.kind !== 'sound') continue
    const count = await rebuild.guardFromBackup(backup)
    log.warn('references of removed shipments are guarded again, from a backup', { backup: name, count })
    return
  }
  log.warn('no backup is sound: references of shipments that retention removed are not guarded any more')
}

async function decideAboutLost(
  { store, rebuild, shipping }: Parameters<typeof missingHistory>[0],
  { places, log, now }: MissingHistoryDeps,
  way: WayOutOfMissingHistory | undefined,
  databaseWasReplaced: boolean,
): Promise<AppError | undefined> {
  const journal = { store, rebuild }
  const lost = await findLostShipments(places.labels, journal, databaseWasReplaced)
  if (lost.length === 0) return undefined
  const deps = { rebuild, recover: () => shipping.recover() }
  switch (way) {
    case undefined:
      return historyMissing(places, lost.length)
    case 'rebuild': {
      const rebuilt = await rebuildHistory(lost, deps)
      const left = await findStillLost(places.labels, journal)
      log.warn('the history was rebuilt from the labels folder', { rebuilt, left: left.length })
      return left.length === 0 ? undefined : historyMissing(places, left.length)
    }
    case 'continue': {
      await restoreWithoutReference(lost, deps)
      await rebuild.leaveUnguarded(
        lost.map(({ id }) => id),
        now(),
      )
      log.warn('a person agreed that shipments of the labels folder are not guarded', { count: lost.length })
      return undefined
    }
  }
}

function historyMissing({ labels }: DataFolder, count: number): AppError {
  return appError('history-missing', { path: labels, count: String(count) })
}

/** The database is gone or empty, while its daily copies are there. */
export function databaseMissing(path: string, backups: string): AppError {
  return appError('database-missing', { path, backups })
}

const shipmentFolder = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const orderFile = 'order.json'
const summaryFile = 'shipment.json'
const summarySchema = storedCreationSchema.pick({
  certainty: true,
  barcodes: true,
  receivedAt: true,
  order: true,
})

/** A shipment that lies in the labels folder while the journal does not know it. */
interface LostShipment {
  id: string
  /** What was shipped; undefined when the files do not say. */
  order: StoredOrder | undefined
  /** What the service answered, as far as the summary says it. */
  answer: Pick<StoredCreation, 'certainty' | 'barcodes' | 'receivedAt'> | undefined
  /** Nothing but the order lies there: perhaps it was never sent. */
  isOrderOnly: boolean
}

/** What of the journal the labels folder is compared with. */
interface Journal {
  store: Pick<ShipmentRepository, 'count' | 'listEarlier' | 'findAttempt'>
  rebuild: Pick<RebuildRepository, 'listMissingIds'>
}

/**
 * Compares the labels folder with the journal. What only one of them knows means that the database was removed,
 * emptied or replaced: its guard would let those references through.
 * @param folder absolute path of the labels folder. Throws when it can't be read
 * @param databaseWasReplaced whether orders without an answer are lost, too; else only when others are
 */
export async function findLostShipments(
  folder: string,
  { store, rebuild }: Journal,
  databaseWasReplaced: boolean,
): Promise<LostShipment[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const ids = entries.flatMap(({ name }) => (shipmentFolder.test(name) ? [name] : []))
  const answered: LostShipment[] = []
  const ordered: LostShipment[] = []
  for (const id of await rebuild.listMissingIds(ids)) {
    const names = await readdir(join(folder, id))
    if (names.length === 0) continue
    const found = await readLost(folder, id, names)
    if (await wasRemoved(found, store)) continue
    if (!found.isOrderOnly) answered.push(found)
    // A repeated attempt leaves its first orders behind; what became of it is in the journal.
    else if (!(await isAttemptKnown(found, store))) ordered.push(found)
  }
  // A crash between the order's file and its intent leaves an order alone, of which nothing was sent.
  // Counted for such an order alone: it takes its time with many shipments, and starts the thread that reads.
  const isLost =
    answered.length > 0 || databaseWasReplaced || (ordered.length > 0 && (await store.count()) === 0)
  return isLost ? [...answered, ...ordered] : []
}

/** What a rebuild left out, but for orders without an answer whose reference another shipment guards. */
async function findStillLost(folder: string, journal: Journal): Promise<LostShipment[]> {
  const left: LostShipment[] = []
  for (const found of await findLostShipments(folder, journal, true)) {
    const { order, isOrderOnly } = found
    const isGuarded = order !== undefined && (await areGuarded(getReferences(order.draft), journal.store))
    if (!(isOrderOnly && isGuarded)) left.push(found)
  }
  return left
}

async function areGuarded(
  references: readonly string[],
  store: Pick<ShipmentRepository, 'listEarlier'>,
): Promise<boolean> {
  for (const reference of references) {
    if ((await store.listEarlier(reference)).length === 0) return false
  }
  return true
}

async function isAttemptKnown(
  { order }: LostShipment,
  store: Pick<ShipmentRepository, 'findAttempt'>,
): Promise<boolean> {
  return order !== undefined && (await store.findAttempt(order.attemptId)) !== undefined
}

async function readLost(folder: string, id: string, names: readonly string[]): Promise<LostShipment> {
  const summary = await read(join(folder, id, summaryFile), summarySchema)
  const order = (await read(join(folder, id, orderFile), storedOrderSchema)) ?? summary?.order
  return { id, order, answer: summary, isOrderOnly: names.every((name) => name.startsWith(orderFile)) }
}

/** A crash between the removal of an old shipment's row and that of its files left them behind. */
async function wasRemoved(
  { id, order }: LostShipment,
  store: Pick<ShipmentRepository, 'listEarlier'>,
): Promise<boolean> {
  if (order === undefined) return false
  const known = await store.listEarlier(order.draft.reference)
  return known.some((shipment) => shipment.id === id)
}

async function read<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
): Promise<z.output<Schema> | undefined> {
  try {
    return schema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    // Missing or not whole: nothing is known from it.
    return undefined
  }
}

/** What a rebuild works with. */
interface RebuildDeps {
  rebuild: Pick<RebuildRepository, 'restore'>
  /** Finishes what was restored, from its files. */
  recover(): Promise<unknown>
}

/**
 * Puts lost shipments into the journal again, from their files: history and guard as they were, or an unknown outcome
 * where no whole answer lies there. Nothing is sent and nothing is printed.
 * @returns how many were rebuilt; the others conflict with what the journal knows
 */
export async function rebuildHistory(lost: readonly LostShipment[], deps: RebuildDeps): Promise<number> {
  const known = lost.flatMap(({ id, order, answer }) => (order === undefined ? [] : [{ id, order, answer }]))
  const byTime = known.toSorted((one, other) => (one.order.takenAt < other.order.takenAt ? -1 : 1))
  // An unknown outcome locks its reference, and would be in the way of what is known.
  const ordered = [
    ...byTime.filter(({ answer }) => answer?.certainty === 'created'),
    ...byTime.filter(({ answer }) => answer?.certainty !== 'created'),
  ]
  return restoreAll(
    ordered.map(({ id, order }) => ({ ...order, id, print: false })),
    deps,
  )
}

/** Puts shipments whose files do not name their reference into the history, under their barcode. They guard nothing. */
async function restoreWithoutReference(lost: readonly LostShipment[], deps: RebuildDeps): Promise<number> {
  const nameless = lost.flatMap(({ id, order, answer }) => {
    const [barcode] = answer?.barcodes ?? []
    return order !== undefined || answer === undefined || barcode === undefined
      ? []
      : [{ id, barcode, receivedAt: answer.receivedAt }]
  })
  return restoreAll(
    nameless.map(({ id, barcode, receivedAt }) => ({
      id,
      attemptId: id,
      origin: 'screen' as const,
      print: false,
      takenAt: receivedAt,
      draft: { ...emptyDraft, reference: `? ${barcode}` },
    })),
    deps,
  )
}

async function restoreAll(shipments: readonly NewShipment[], deps: RebuildDeps): Promise<number> {
  let rebuilt = 0
  // One at a time: two open shipments of one reference can't be in the journal.
  for (const shipment of shipments) {
    if (!(await deps.rebuild.restore(shipment))) continue
    await deps.recover()
    rebuilt += 1
  }
  return rebuilt
}
