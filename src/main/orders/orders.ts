import { randomUUID } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type AppError, appError } from '../../shared/errors'
import { type FileIssue, fileIssue, issueDetails } from '../../shared/inputIssues'
import {
  type Companion,
  type ImportPlan,
  type ImportResult,
  maxDifferences,
  maxImportedOrders,
  type OnDuplicate,
  type Order,
  type OrderCounts,
  type OrderDifference,
  type OrderIssue,
  type OrderMapping,
  type OrderOrigin,
  type OrderQuery,
  type OrderRule,
  type OrderSource,
  type OrderState,
  type OrderToShip,
  type OrderValues,
  orderValueFields,
  type RuledExtras,
  type RuleFact,
} from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import {
  getReferences,
  maxOrdersOfParcel,
  type ShipmentDraft,
  type ShipmentSummary,
} from '../../shared/shipments'
import type { EventBus } from '../lib/eventBus'
import { toHashedId } from '../lib/hash'
import { toOrderFingerprint } from '../lib/orderFingerprint'
import { createPacer } from '../lib/pacer'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { headerKey } from '../tables/readTable'
import { toConsigneeKey } from './address'
import { checkReference, scannedAs } from './checks'
import { type DraftDeps, toShipmentDraft } from './draft'
import { guessByValues, isOrderRow, toColumnLetters } from './guessByValues'
import {
  checkForStation,
  type OrderJudgement,
  toCarrierOption,
  withCarrierOption,
  withState,
} from './keptOrder'
import { guessMapping } from './mapping'
import { type ReadOrder, readOrders } from './readOrders'
import {
  type NewOrder,
  type OrderRecord,
  type OrderRepository,
  type OrderStanding,
  openStates,
} from './repository'
import {
  areShippedAlike,
  checkPrinter,
  completeByRule,
  explainRule,
  findRule,
  printerUnknown,
  type RuledOrder,
  toRuledExtras,
} from './rules'
import type { OrderSharing } from './sharing'

/** Rows of a file or of a spreadsheet, the header row first. */
export type ReadOrderTable = (bytes: Uint8Array) => Promise<Result<{ rows: string[][] }, FileIssue>>

export interface OrdersDeps extends OrderJudgement {
  repository: OrderRepository
  readTable: ReadOrderTable
  /** Where several stations share their orders. */
  sharing: OrderSharing
  /** Whether other orders to the same consignee are looked for. */
  isCombiningOffered: () => boolean
  /** Which of some references were shipped, or left with an unknown outcome. */
  shippedReferences: (references: readonly string[]) => Promise<Set<string>>
  /** Who is signed in; null when nobody is. */
  currentOperator: () => string | null
  now: () => Date
  bus: Pick<EventBus, 'emit'>
  log: Log
}

/** A shipment that may end orders. */
type EndedShipment = Pick<ShipmentSummary, 'id' | 'reference' | 'combinedReferences' | 'state' | 'resolution'>

/** A file that a folder gave: its import can be cut off and done again. */
export interface ImportClaim {
  id: string
  /** ISO 8601, when it was taken, if an import of it may have begun before; null when none has. */
  resumedFrom: string | null
}

/** A file that was read, until it is imported or dropped. */
interface OpenFile {
  fileName: string
  pasted: boolean
  /** All of its rows, with the headings if it has any. */
  table: string[][]
  hasHeader: boolean
  /** The headings; letters where it has none. */
  header: string[]
  /** The rows of orders. */
  rows: string[][]
  remembered: boolean
  claim: ImportClaim | null
}

/** A shipment of an order file that waits in the list. */
export type HeldOrder = Omit<NewOrder, 'state' | 'issues' | 'origin' | 'importedAt'>

/** Where it stands. A shipment that ends several orders of one reference belongs to the first of them. */
export type HeldOrderState = { reference: string } & (
  | { state: 'open' }
  | { state: 'shipped'; shipmentId: string; isFirst: boolean }
  | { state: 'skipped'; reason: string }
)

/** What an order has that only tables say. */
export const emptyOrderContent = { items: [], orderDate: null, orderValue: '', currency: '', columns: {} }

const sampleRows = 8
const plannedOrders = 50
/** Files that are kept at once; the oldest one goes first. */
const maxOpenFiles = 4
const ordersPerStep = 2000
/** Orders of an import that are checked and saved in one go: main does nothing else for so long. */
const importedPerStep = 200
/** Orders to one consignee that are looked at. */
const maxSameConsignee = 100
/** Orders that rules are tried on. */
const triedOrders = 20

/** The list of orders: imports fill it, the Ship screen takes from it, shipments end it. */
export class Orders {
  private readonly files = new Map<string, OpenFile>()

  constructor(private readonly deps: OrdersDeps) {}

  /** Notes what was shipped while the app was not there to see it. */
  async start(): Promise<void> {
    await this.deps.repository.markShippedEarlier()
    await this.followScanner()
    void this.followRules((await this.mayPrinterIssuesDiffer()) ? 'all' : 'unknown')
  }

  /** Whether printers or rules may have changed, before the app was started, in a way that orders have to follow. */
  private async mayPrinterIssuesDiffer(): Promise<boolean> {
    const { rules, printers, repository } = this.deps
    if (rules().some((rule) => checkPrinter(rule, printers()).length > 0)) return true
    return (await repository.listOpenByPrefixOrIssue([], [printerUnknown])).length > 0
  }

  /**
   * Brings the carrier options that the list is filtered by up to the rules, and makes problems of the orders whose rule
   * names a printer that the station does not have; a part at a time, so that nothing waits for it.
   * @param which `unknown`: those of orders that an older version kept
   */
  async followRules(which: 'all' | 'unknown' = 'all'): Promise<void> {
    const { repository, rules, log } = this.deps
    try {
      for (let after = 0; ; ) {
        const orders = await repository.listOpenAfter(after, ordersPerStep, which === 'unknown')
        const last = orders.at(-1)
        if (last === undefined) return
        after = last.number
        const moved = orders.filter(({ order }) => this.withPrinterIssue(order) !== undefined)
        if (moved.length > 0) {
          const ids = moved.map(({ order }) => order.id)
          await repository.rewrite(ids, openStates, (order) => this.withPrinterIssue(order))
          await this.changed()
        }
        const keys = orders.flatMap(({ order, ...known }) => {
          const carrierOption = toCarrierOption(order, rules())
          const consigneeKey = toConsigneeKey(order.values)
          const isKnown = known.carrierOption === carrierOption && known.consigneeKey === consigneeKey
          return isKnown ? [] : [{ ...known, carrierOption, consigneeKey }]
        })
        if (keys.length > 0) await repository.saveKeys(keys)
        await setImmediate()
      }
    } catch (error) {
      log.error('orders could not be brought up to the rules', { reason: toReason(error) })
    }
  }

  /** An order whose rule's printer came or went; undefined when nothing of that kind changed. */
  private withPrinterIssue(order: OrderRecord) {
    const kept = order.issues.filter(({ code }) => code !== printerUnknown)
    const { rules, printers } = this.deps
    const issues = [...kept, ...checkPrinter(findRule(order, rules()), printers())]
    return isDeepStrictEqual(issues, order.issues)
      ? undefined
      : this.withCarrierOption({ ...order, ...withState(issues) })
  }

  /**
   * Makes problems of the open orders whose reference a scanner would take for a command or a badge, and frees those that
   * it would not any more.
   */
  async followScanner(): Promise<void> {
    const { repository, scanner, log } = this.deps
    const { commands, commandPrefix, badgePrefix } = scanner()
    const codes = Object.values(scannedAs)
    try {
      const prefixes = commands ? [commandPrefix, badgePrefix] : [badgePrefix]
      const withScannerIssue = (order: OrderRecord) => {
        const kept = order.issues.filter(({ code }) => !codes.some((each) => each === code))
        const issues = [...kept, ...checkReference(order.values, scanner())]
        return isDeepStrictEqual(issues, order.issues)
          ? undefined
          : this.withCarrierOption({ ...order, ...withState(issues) })
      }
      const found = await repository.listOpenByPrefixOrIssue(prefixes, codes)
      const ids = found.filter((order) => withScannerIssue(order) !== undefined).map(({ id }) => id)
      if (ids.length === 0) return
      await repository.rewrite(ids, openStates, withScannerIssue)
      await this.changed()
    } catch (error) {
      log.error('orders could not be brought up to the scanner’s prefixes', { reason: toReason(error) })
    }
  }

  async list(query: OrderQuery): Promise<{ orders: Order[]; total: number; offset: number }> {
    const { orders, total } = await this.deps.repository.list(query)
    return { orders: orders.map((order) => this.toListed(order)), total, offset: query.offset }
  }

  listIds(query: OrderQuery): Promise<string[]> {
    return this.deps.repository.listIds(query)
  }

  counts(): Promise<OrderCounts> {
    return this.deps.repository.counts()
  }

  filters(state: OrderState): ReturnType<OrderRepository['filters']> {
    return this.deps.repository.filters(state)
  }

  async get(id: string): Promise<Result<Order>> {
    const order = await this.deps.repository.find(id)
    return order === undefined ? err(notFound()) : ok(this.toExplained(order))
  }

  /** The open order of a reference with what the Ship form is to be filled with; null when there is none. */
  async findToShip(reference: string): Promise<OrderToShip | null> {
    const order = await this.deps.repository.findOpen(reference)
    if (order === undefined) return null
    const rule = findRule(order, this.deps.rules())
    return {
      order: { ...this.toExplained(order), fingerprint: toOrderFingerprint(order) },
      values: completeByRule(order.values, rule),
      signatureRequired: rule?.set.signatureRequired ?? null,
      extras: order.extras ?? {},
      consigneeKey: toConsigneeKey(order.values),
      companions: await this.findCompanions(order),
    }
  }

  /** Other orders that may go in the parcel of one: none of them was shipped, or is being shipped. */
  private async findCompanions(lead: OrderRecord): Promise<Companion[]> {
    const { repository, rules, isCombiningOffered, shippedReferences, sharing } = this.deps
    const key = toConsigneeKey(lead.values)
    if (!isCombiningOffered() || key === '' || lead.state !== 'to-ship') return []
    const found = await repository.listToShip(key, maxSameConsignee)
    const isFree = ({ id }: OrderRecord) => id !== lead.id && sharing.findHolder(id) === undefined
    const others = found.filter((order) => isFree(order) && areShippedAlike(order, lead, rules()))
    const guarded = await shippedReferences(others.flatMap(({ values }) => values.reference ?? []))
    const taken = new Set([lead.values.reference ?? '', '', ...guarded])
    const companions: Companion[] = []
    for (const order of others) {
      const reference = order.values.reference ?? ''
      if (taken.has(reference)) continue
      taken.add(reference)
      const values = completeByRule(order.values, findRule(order, rules()))
      companions.push({ order: this.toListed(order), values })
    }
    return companions.slice(0, maxOrdersOfParcel - 1)
  }

  /**
   * The shipment of an order for which nobody fills in the rest; `order-not-found`, or `order-not-open` when it was
   * shipped or skipped meanwhile.
   * @returns the draft, or what is missing
   */
  async findDraft(
    id: string,
    settings: Pick<DraftDeps, 'carriers' | 'sendingCountry'>,
  ): Promise<Result<Result<ShipmentDraft, OrderIssue[]>>> {
    const { repository, defaults, rules } = this.deps
    const order = await repository.find(id)
    if (order === undefined) return err(notFound())
    if (order.state !== 'to-ship' && order.state !== 'problem') return err(notOpen(order))
    // A problem that the shipment itself does not have, such as a reference that stands in a file twice.
    // The printer of its rule is looked at below, as rules and printers are now.
    const own = order.issues.filter(({ code }) => code !== printerUnknown)
    if (own.length > 0) return ok(err(own))
    const station = { defaults: defaults(), rules: rules(), printers: this.deps.printers() }
    return ok(toShipmentDraft(order, { ...station, ...settings }))
  }

  /** The open ones of some orders with their references, in the order of the list. */
  listOpen(
    ids: readonly string[],
    sort: OrderQuery['sort'],
    descending: boolean,
  ): Promise<{ id: string; reference: string }[]> {
    return this.deps.repository.listOpen(ids, sort, descending)
  }

  /**
   * Replaces what an order says and checks it again; `order-not-open` when it was shipped or skipped,
   * `order-changed-elsewhere` when another station was faster: it says then what that one wrote.
   */
  async change(id: string, values: OrderValues): Promise<Result<Order>> {
    const { repository, sharing } = this.deps
    const order = await repository.find(id)
    if (order === undefined) return err(notFound())
    if (order.state !== 'to-ship' && order.state !== 'problem') return err(notOpen(order))
    const [changed] = await repository.rewrite([id], openStates, (before) => {
      const after = { ...before, values }
      return this.withCarrierOption({ ...after, ...withState(this.check(after)) })
    })
    const isOwn = changed === undefined || (await sharing.publishChange(id))
    await this.changed()
    if (!isOwn) return err(appError('order-changed-elsewhere', { reference: order.values.reference ?? '' }))
    if (changed === undefined) return err(notOpen((await repository.find(id)) ?? order))
    return ok(this.toExplained(changed))
  }

  /** Adds an order that was typed; `order-known` when its reference is in the list already, or was shipped. */
  async add(typed: OrderValues): Promise<Result<Order>> {
    const { repository, now } = this.deps
    const reference = typed.reference?.trim() ?? ''
    const content = { ...emptyOrderContent, values: { ...typed, reference } }
    if ((await this.knownReferences([{ ...content, line: 0 }])).has(reference))
      return err(appError('order-known', { reference }))
    const order: NewOrder = {
      ...content,
      id: randomUUID(),
      ...withState(this.check(content)),
      source: { kind: 'typed', name: '', line: null },
      origin: 'typed',
      importedAt: now().toISOString(),
    }
    await repository.save([this.withCarrierOption(order)], [])
    await this.changed()
    return this.get(order.id)
  }

  /** Takes orders out of the list, with the reason and who did it; gives how many were open. */
  async skip(ids: readonly string[], reason: string): Promise<number> {
    const { repository, currentOperator } = this.deps
    const count = await repository.move(ids, ['to-ship', 'problem'], 'skipped', reason, currentOperator())
    await this.changed()
    return count
  }

  /**
   * Puts skipped orders back into the list; gives how many. `order-not-put-back`, and nothing is put back, when one is of
   * the hot folder: its file says that it was not sent, or is about to.
   */
  async unskip(ids: readonly string[]): Promise<Result<number>> {
    const { repository } = this.deps
    const skipped = [...(await repository.findAll(ids)).values()].filter(({ state }) => state === 'skipped')
    const held = skipped.find(({ source }) => source.kind === 'hot-folder')
    if (held !== undefined) return err(notPutBack(held))
    const back = await repository.rewrite(ids, ['skipped'], (order) =>
      this.withCarrierOption({ ...order, ...withState(this.check(order)) }),
    )
    await this.changed()
    return ok(back.length)
  }

  /**
   * Reads a file of orders and plans its import; `table-unreadable` when it is no table. The file is kept until it is
   * imported or dropped.
   */
  async readFile(
    fileName: string,
    bytes: Uint8Array,
    pasted: boolean,
    claim: ImportClaim | null = null,
  ): Promise<Result<ImportPlan>> {
    const table = await this.deps.readTable(bytes)
    if (!table.ok) return err(unreadable(fileName, table.error))
    const { rows } = table.value
    if (rows.length > maxImportedOrders + 1) return err(tooMany(fileName))
    const first = rows[0] ?? []
    // A person looks at what is guessed by values; nobody does at a file of a folder.
    const isOrder = claim === null && isOrderRow(first)
    const hasHeader = !isOrder || (await this.deps.repository.mappingFor(headerKey(first))) !== undefined
    const importId = randomUUID()
    const plan = await this.open(importId, { fileName, pasted, table: rows, claim }, hasHeader)
    for (const oldest of [...this.files.keys()].slice(0, -maxOpenFiles)) this.files.delete(oldest)
    return plan
  }

  /** Takes the first row of a file as headings or as an order, and plans its import anew; `table-gone` as `plan`. */
  async takeFirstRow(importId: string, hasHeader: boolean): Promise<Result<ImportPlan>> {
    const file = this.files.get(importId)
    return file === undefined ? err(gone()) : this.open(importId, file, hasHeader)
  }

  /** Keeps a file with its mapping: the one of the last file with the same columns, else as its headings or values say. */
  private async open(
    importId: string,
    { fileName, pasted, table, claim }: Pick<OpenFile, 'fileName' | 'pasted' | 'table' | 'claim'>,
    hasHeader: boolean,
  ): Promise<Result<ImportPlan>> {
    const width = Math.max(...table.slice(0, sampleRows).map((row) => row.length))
    const header = hasHeader ? (table[0] ?? []) : toColumnLetters(width)
    const rows = hasHeader ? table.slice(1) : table
    const known = await this.deps.repository.mappingFor(headerKey(header))
    const remembered = known !== undefined
    this.files.set(importId, { fileName, pasted, table, hasHeader, header, rows, remembered, claim })
    const guess = hasHeader ? guessMapping : guessByValues
    return this.plan(importId, known ?? guess(header, rows.slice(0, sampleRows)))
  }

  /** What an import of a file would give with a mapping; `table-gone` when the file is not kept any more. */
  async plan(importId: string, mapping: OrderMapping): Promise<Result<ImportPlan>> {
    const file = this.files.get(importId)
    if (file === undefined) return err(gone())
    const { header, rows, fileName, hasHeader, remembered } = file
    const read = await readOrders(header, rows, mapping, toFirstLine(file))
    const known = await this.knownReferences(read)
    const checked = await this.checkAll(read)
    return ok({
      importId,
      fileName,
      hasHeader,
      header,
      sample: rows.slice(0, sampleRows),
      rows: rows.length,
      mapping,
      remembered,
      orders: read.slice(0, plannedOrders).map(({ values, items, line }, index) => ({
        values,
        items,
        issues: checked[index] ?? [],
        source: toSource(file, line),
      })),
      total: read.length,
      withIssues: checked.filter((issues) => issues.length > 0).length,
      duplicates: read.filter(({ values }) => known.has(values.reference ?? '')).length,
      differences: await this.listDifferences(read, known),
    })
  }

  /**
   * Adds a file's orders to the list, those with something to correct among the problems. An order whose reference was
   * shipped is skipped; one whose reference is in the list is skipped or replaced as wanted. A reference that comes
   * twice in the file becomes a problem the second time.
   */
  async import(
    importId: string,
    mapping: OrderMapping,
    onDuplicate: OnDuplicate,
    replacedReferences: readonly string[] = [],
  ): Promise<Result<ImportResult>> {
    const file = this.files.get(importId)
    if (file === undefined) return err(gone())
    const { repository } = this.deps
    const read = await readOrders(file.header, file.rows, mapping, toFirstLine(file))
    const known = await this.knownReferences(read)
    const imported = await this.findImported(file, read, known)
    const importedAt = this.deps.now().toISOString()
    const result: ImportResult = { added: 0, updated: 0, skipped: 0, withIssues: 0 }
    const seen = new Set<string>()
    const chosen = new Set(replacedReferences)
    for (let from = 0; from < read.length; from += importedPerStep) {
      const step = read.slice(from, from + importedPerStep)
      const earlierIds =
        onDuplicate === 'skip' ? [] : step.flatMap(({ values }) => known.get(values.reference ?? '') ?? [])
      const before = await repository.findAll(earlierIds)
      const added: NewOrder[] = []
      const replaced: NewOrder[] = []
      // From here to where they are saved nothing is waited for: they go by the rules of this moment.
      for (const each of step) {
        const reference = each.values.reference ?? ''
        const earlier = known.get(reference)
        const id = file.claim === null ? randomUUID() : toImportedOrderId(file.claim.id, each.line)
        const isTwice = reference !== '' && seen.has(reference)
        const isReplaced = onDuplicate === 'update' || (onDuplicate === 'chosen' && chosen.has(reference))
        const isAdded = imported.has(id)
        if (!isAdded && !isTwice && earlier !== undefined && (!isReplaced || earlier === 'closed')) {
          result.skipped += 1
          continue
        }
        seen.add(reference)
        const issues = this.check(each)
        if (isTwice) issues.push({ field: 'reference', code: 'twice-in-file' })
        if (isAdded || (!isTwice && imported.has(earlier ?? ''))) {
          result[isAdded ? 'added' : 'updated'] += 1
          if (issues.length > 0) result.withIssues += 1
          continue
        }
        const { line, ...order } = each
        const kept = {
          ...{ ...order, ...withState(issues), importedAt },
          ...{ source: toSource(file, line), origin: toOrigin(file) },
        }
        if (isTwice || earlier === undefined || earlier === 'closed') added.push({ ...kept, id })
        else replaced.push({ ...kept, id: earlier })
      }
      const saved = await repository.save(
        added.map((order) => this.withCarrierOption(order)),
        replaced.map((order) => this.withCarrierOption(withHotFolderSource(order, before.get(order.id)))),
      )
      // One that was shipped or skipped since its reference was looked up stays as it is.
      const written = [...added, ...replaced.filter(({ id }) => saved.has(id))]
      result.added += added.length
      result.updated += saved.size
      result.skipped += replaced.length - saved.size
      result.withIssues += written.filter(({ issues }) => issues.length > 0).length
      // A large file keeps neither a creation nor the window waiting.
      await setImmediate()
    }
    await repository.rememberMapping(headerKey(file.header), mapping)
    this.files.delete(importId)
    await this.changed()
    return ok(result)
  }

  /**
   * Imports a file that nobody looks at; `order-columns-unknown` when it is not known which column is the order number,
   * `table-unreadable` when it is no table.
   * @param mapping what fills which field; null for what is known of files with the same headings, else of their words
   * @param claim what an import of the same claim did before it was cut off is not done again, so that nothing is added
   *   twice and no correction overwritten
   */
  async importFile(
    fileName: string,
    bytes: Uint8Array,
    mapping: OrderMapping | null,
    onDuplicate: OnDuplicate,
    claim: ImportClaim,
  ): Promise<Result<ImportResult>> {
    const plan = await this.readFile(fileName, bytes, false, claim)
    if (!plan.ok) return plan
    const { importId } = plan.value
    const used = mapping ?? plan.value.mapping
    if (used.fields.reference !== undefined) return this.import(importId, used, onDuplicate)
    this.dropFile(importId)
    return err(appError('order-columns-unknown', { file: fileName }))
  }

  /** Which of some rules holds for the first orders to ship, and what of them made it hold. */
  async tryRules(rules: readonly OrderRule[]): Promise<
    {
      orderId: string
      reference: string
      rule: string | null
      because: RuleFact[]
      ruled: RuledExtras | undefined
    }[]
  > {
    const first = await this.deps.repository.listOpenAfter(0, triedOrders, false)
    return first.map(({ order }) => {
      const rule = findRule(order, rules)
      return {
        orderId: order.id,
        reference: order.values.reference ?? '',
        rule: rule?.name ?? null,
        because: rule === undefined ? [] : explainRule(order, rule),
        ruled: toRuledExtras(rule),
      }
    })
  }

  dropFile(importId: string): void {
    this.files.delete(importId)
  }

  /**
   * Puts orders of the hot folder into the list, under ids that they have again after a crash: those that are there
   * already stay as they are. Durable when it resolves.
   */
  async hold(held: readonly HeldOrder[]): Promise<void> {
    const { repository, now } = this.deps
    const there = await this.findHeld(held.map(({ id }) => id))
    const added = held.filter(({ id }) => !there.has(id))
    const known = await repository.known(added.flatMap(({ values }) => values.reference ?? []))
    const taken = new Set([...known].filter(([, { state }]) => isOpen(state)).map(([reference]) => reference))
    const importedAt = now().toISOString()
    const orders = added.map((order): NewOrder => {
      const issues = this.check(order)
      const reference = order.values.reference ?? ''
      if (reference !== '' && taken.has(reference)) issues.push({ field: 'reference', code: 'twice-in-file' })
      taken.add(reference)
      return { ...order, ...withState(issues), origin: 'hot-folder', importedAt }
    })
    await repository.save(
      orders.map((order) => this.withCarrierOption(order)),
      [],
    )
    await this.changed()
  }

  /** Where orders of the hot folder stand; those that are not in the list any more are left out. */
  async findHeld(ids: readonly string[]): Promise<Map<string, HeldOrderState>> {
    const standing = await this.deps.repository.findStanding(ids)
    return new Map(standing.map((order) => [order.id, toHeldState(order)]))
  }

  /** Ends all orders of a shipment that was created, or found to exist. What the database refuses now is noted at the next start. */
  async noteShipment(shipment: EndedShipment): Promise<void> {
    const { id, reference, state, resolution } = shipment
    if (state !== 'created' && resolution?.verdict !== 'exists') return
    const { repository, log } = this.deps
    try {
      if (await repository.markShipped(getReferences(shipment), id)) await this.changed()
    } catch (error) {
      log.error('an order could not be marked as shipped; the next start does it', {
        reference,
        reason: toReason(error),
      })
    }
  }

  /** Removes orders that were shipped or skipped and came in before a moment, unless their order file still waits. */
  async forgetClosed(before: Date): Promise<void> {
    const { repository, log } = this.deps
    const count = await repository.forgetClosed(before)
    if (count === 0) return
    log.info('old orders were removed', { count })
    await this.changed()
  }

  /** What a file says otherwise of open orders, the first of them. */
  private async listDifferences(
    read: readonly ReadOrder[],
    known: ReadonlyMap<string, string>,
  ): Promise<OrderDifference[]> {
    const differences: OrderDifference[] = []
    const seen = new Set<string>()
    for (let from = 0; from < read.length && differences.length < maxDifferences; from += ordersPerStep) {
      const part = read.slice(from, from + ordersPerStep).flatMap((order) => {
        const reference = order.values.reference ?? ''
        const id = known.get(reference)
        if (id === undefined || id === 'closed' || seen.has(reference)) return []
        seen.add(reference)
        return [{ reference, id, order }]
      })
      const earlier = await this.deps.repository.findAll(part.map(({ id }) => id))
      for (const { reference, id, order } of part) {
        const before = earlier.get(id)
        const difference = before === undefined ? undefined : findDifference(reference, before, order)
        if (difference !== undefined && differences.length < maxDifferences) differences.push(difference)
      }
    }
    return differences
  }

  /** References that are taken: the id of the open order that an import may replace, or «closed». */
  private async knownReferences(read: readonly ReadOrder[]): Promise<Map<string, string>> {
    const references = [...new Set(read.flatMap(({ values }) => values.reference ?? []))]
    const known = new Map<string, string>()
    for (const [reference, { id, state }] of await this.deps.repository.known(references)) {
      known.set(reference, isOpen(state) ? id : 'closed')
    }
    const { shippedReferences, sharing } = this.deps
    for (const reference of await shippedReferences(references)) known.set(reference, 'closed')
    for (const reference of await sharing.findShippedElsewhere(references)) known.set(reference, 'closed')
    return known
  }

  /** Ids of the orders that an earlier import of the same claim has added or replaced. */
  private async findImported(
    { claim, fileName }: OpenFile,
    read: readonly ReadOrder[],
    known: ReadonlyMap<string, string>,
  ): Promise<Set<string>> {
    if (claim === null || claim.resumedFrom === null) return new Set()
    const { id: claimId, resumedFrom } = claim
    const own = new Set(read.map(({ line }) => toImportedOrderId(claimId, line)))
    const found = await this.deps.repository.findAll([...own, ...known.values()])
    const isImported = ({ id, source, importedAt }: OrderRecord) =>
      own.has(id) || (source.kind === 'file' && source.name === fileName && importedAt >= resumedFrom)
    return new Set([...found.values()].filter(isImported).map(({ id }) => id))
  }

  /** An order with what of it made its rule hold, for where a person looks at it alone. */
  private toExplained(order: OrderRecord): Order {
    const rule = findRule(order, this.deps.rules())
    return { ...this.toListed(order), ...(rule !== undefined && { because: explainRule(order, rule) }) }
  }

  private toListed({ orderValue, columns, extras, ...order }: OrderRecord): Order {
    const rule = findRule({ ...order, orderValue, columns }, this.deps.rules())
    const ruled = toRuledExtras(rule)
    const holder = isOpen(order.state) ? this.deps.sharing.findHolder(order.id) : undefined
    return {
      ...order,
      rule: rule?.name ?? null,
      ...(ruled !== undefined && { ruled }),
      ...(holder !== undefined && { holder }),
    }
  }

  private withCarrierOption<Kept extends NewOrder>(order: Kept): Kept & { carrierOption: string } {
    return withCarrierOption(order, this.deps)
  }

  private async checkAll(orders: readonly RuledOrder[]): Promise<OrderIssue[][]> {
    const pace = createPacer()
    const checked: OrderIssue[][] = []
    for (const order of orders) {
      checked.push(this.check(order))
      await pace()
    }
    return checked
  }

  private check(order: RuledOrder): OrderIssue[] {
    return checkForStation(order, this.deps)
  }

  private async changed(): Promise<void> {
    this.deps.bus.emit('ordersChanged', await this.deps.repository.counts())
  }
}

function isOpen(state: OrderState): boolean {
  return state === 'to-ship' || state === 'problem'
}

function toHeldState({
  reference,
  state,
  shipmentId,
  skippedReason,
  isFirst,
}: OrderStanding): HeldOrderState {
  if (state === 'shipped' && shipmentId !== null) return { reference, state, shipmentId, isFirst }
  if (state === 'skipped') return { reference, state, reason: skippedReason ?? '' }
  return { reference, state: 'open' }
}

/** An order of the hot folder stays one whatever else replaces what it says: its file still waits for it. */
function withHotFolderSource(order: NewOrder, before: OrderRecord | undefined): NewOrder {
  if (before?.source.kind !== 'hot-folder') return order
  return { ...order, source: before.source, origin: before.origin, extras: before.extras }
}

/** What a file says otherwise of an order; undefined when it says the same. */
function findDifference(
  reference: string,
  before: OrderRecord,
  { values, items }: ReadOrder,
): OrderDifference | undefined {
  const changes = orderValueFields.flatMap((field) => {
    const change = { field, before: before.values[field] ?? '', after: values[field] ?? '' }
    return change.before === change.after ? [] : [change]
  })
  const itemsDiffer = !isDeepStrictEqual(before.items, items)
  return changes.length === 0 && !itemsDiffer ? undefined : { reference, changes, itemsDiffer }
}

/** The same each time that a claimed file is imported. */
function toImportedOrderId(claimId: string, line: number): string {
  return toHashedId([claimId, line, 'imported'])
}

function toFirstLine({ hasHeader }: OpenFile): number {
  return hasHeader ? 2 : 1
}

function toSource({ fileName, pasted }: OpenFile, line: number): OrderSource {
  return { kind: pasted ? 'pasted' : 'file', name: fileName, line }
}

function toOrigin({ pasted, claim }: OpenFile): OrderOrigin {
  if (claim !== null) return 'import-folder'
  return pasted ? 'pasted' : 'file'
}

function notFound(): AppError {
  return appError('order-not-found')
}

function notOpen({ values }: OrderRecord): AppError {
  return appError('order-not-open', { reference: values.reference ?? '' })
}

function notPutBack({ values, source }: OrderRecord): AppError {
  return appError('order-not-put-back', { reference: values.reference ?? '', file: source.name })
}

function unreadable(file: string, issue: FileIssue): AppError {
  return appError('table-unreadable', { file, ...issueDetails(issue) })
}

function tooMany(file: string): AppError {
  return unreadable(file, fileIssue('too-many-lines', String(maxImportedOrders)))
}

function gone(): AppError {
  return appError('table-gone')
}
