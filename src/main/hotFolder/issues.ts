import { randomUUID } from 'node:crypto'
import { appError } from '../../shared/errors'
import { maxListedIssues, type OrderFileIssue } from '../../shared/hotFolder'
import { maxCellLength, type OrderIssue, type OrderValues, orderValueFields } from '../../shared/orders'
import { err, ok, type Result } from '../../shared/result'
import { getReferences, type ShipmentDefaults, type ShipmentSummary } from '../../shared/shipments'
import {
  type CorrectableShipment,
  draftFromWire,
  fromCorrectableShipment,
  toCorrectableShipment,
} from '../carrier/shipmentCodec'
import type { CustomsRepository } from '../customs/repository'
import type { Fleet } from '../fleet/fleet'
import { throttle } from '../lib/async'
import type { EventBus } from '../lib/eventBus'
import { toHashedId } from '../lib/hashedId'
import { toReason } from '../lib/toReason'
import type { Log } from '../log/log'
import { checkOrder, withDecimalPoints } from '../orders/checks'
import { findCarrierOption, needsCustomsData } from '../orders/ordersToShip'
import type { SettingsStore } from '../settings/settingsStore'
import type { ShipmentOutcome } from '../shipments/sharedShipments'
import { isOrderField, type OpenLineOutcome } from './lineOutcome'
import { toFieldErrors, withKnownPrinter } from './orderLines'
import type { OrderFileIssueRepository, OrderFileIssueRow } from './repository'

/** A file in `in/` that is not taken, and why. */
export interface IgnoredFile {
  name: string
  why: 'other' | 'table' | 'no-file' | 'name'
}

interface OrderFileIssuesDeps {
  repository: OrderFileIssueRepository
  settings: Pick<SettingsStore, 'current'>
  customs: Pick<CustomsRepository, 'listSendingCountries'>
  fleet: Pick<Fleet, 'listOutcomes'>
  bus: Pick<EventBus, 'emit'>
  log: Log
  /** Who is signed in; null when nobody is. */
  currentOperator: () => string | null
  now: () => Date
}

type ChangedShipment = Pick<
  ShipmentSummary,
  'id' | 'reference' | 'combinedReferences' | 'state' | 'takenAt' | 'resolution'
>

const queryFleetEveryMs = 2_000

/** The issues of the hot folder that need a person: ignored files, and lines that were not shipped. */
export class OrderFileIssues {
  /** Updates the listed issues after shipments of other stations changed. */
  readonly updateFromFleetSoon: () => void

  constructor(private readonly deps: OrderFileIssuesDeps) {
    this.updateFromFleetSoon = throttle(
      () => this.updateFromFleet(),
      queryFleetEveryMs,
      (error) =>
        deps.log.error(
          'hot folder issues could not be updated after shipments of other stations; the next change in the fleet repeats it',
          { reason: toReason(error) },
        ),
    )
  }

  /** Closes the issues of shipments that were created or resolved since the last run. */
  async start(): Promise<void> {
    await this.deps.repository.updateFromEarlierShipments(this.deps.now())
  }

  /** Stores an issue for each outcome, durably. Outcomes that are stored already do not change. */
  async noteOutcomes(
    file: { id: string; name: string },
    outcomes: readonly OpenLineOutcome[],
  ): Promise<void> {
    const at = this.deps.now().toISOString()
    const noted = outcomes.map(({ outcome, error, ...line }) => {
      const isWhole = error.code === 'order-file-invalid' && error.details?.case === 'file'
      const shipment = toCorrectableShipment(line.record)
      const record = shipment === undefined || isTooLargeToCorrect(shipment) ? null : shipment
      return {
        // Derived from the outcome, so that it is stored once after restarts.
        id: toHashedId([file.id, line.line, outcome, error.code]),
        kind: outcome,
        file: file.name,
        line: isWhole ? null : line.line,
        reference: line.reference,
        at,
        shipmentId: outcome === 'unknown' ? (line.shipment?.details.id ?? null) : null,
        content: { error, record, isMapped: line.order !== undefined },
      }
    })
    await this.deps.repository.add(noted)
    await this.changed()
  }

  /** Stores the complete list of ignored files, durably. */
  async noteIgnored(files: readonly IgnoredFile[]): Promise<void> {
    const { repository, now } = this.deps
    const known = await repository.keepIgnored(files.map(({ name }) => name))
    const at = now().toISOString()
    await repository.add(
      files
        .filter(({ name }) => !known.has(name))
        .map(({ name, why }) => ({
          id: randomUUID(),
          kind: 'ignored',
          file: name,
          line: null,
          reference: null,
          at,
          shipmentId: null,
          content: { error: appError('order-file-ignored', { case: why, file: name }), record: null },
        })),
    )
    await this.changed()
  }

  countOpen(): Promise<number> {
    return this.deps.repository.count(false)
  }

  async list(closed: boolean): Promise<{ issues: OrderFileIssue[]; total: number }> {
    const { repository, settings } = this.deps
    const rows = await repository.list(closed, maxListedIssues)
    const { shipmentDefaults } = settings.current()
    return {
      issues: rows.map((row) => toListed(row, shipmentDefaults)),
      total: await repository.count(closed),
    }
  }

  async find(id: string): Promise<Result<OrderFileIssueRow>> {
    const row = await this.deps.repository.find(id)
    return row === undefined || row.closedAt !== null ? err(appError('order-issue-not-open')) : ok(row)
  }

  async close(id: string, note: string, sentAs: string | null = null): Promise<Result<undefined>> {
    const { repository, currentOperator, now } = this.deps
    const closedBy = currentOperator()
    const isClosed = await repository.close(id, { closedAt: now(), note, sentAs, closedBy })
    await this.changed()
    return isClosed ? ok(undefined) : err(appError('order-issue-not-open'))
  }

  /**
   * Applies a person's corrections to the record of a shipment. One of a table passes the checks of its first reading again.
   * @param isHeld whether the shipment will wait in the order list, where the rules choose its printer, and which has a carrier
   *   option but no carrier of its own
   * @returns the record, with the service's field names; or the fields that are still invalid. An error if it can't be corrected here
   */
  async correct(
    row: OrderFileIssueRow,
    values: OrderValues,
    isHeld: boolean,
  ): Promise<Result<Result<Record<string, unknown>, OrderIssue[]>>> {
    const { record, isMapped = false } = row.content
    if (record === null) return err(appError('order-not-sendable', { file: row.file }))
    const settings = this.deps.settings.current()
    const { shipmentDefaults: defaults, carriers } = settings
    const given = withoutBlanks(values)
    const issues = checkOrder(given, defaults)
    const unlisted = Object.entries(record.texts).filter(([name]) => !isOrderField(name))
    const named = given.carrierOptionId?.trim()
    const isSameOption = named === record.texts.carrierOptionId?.trim()
    const keepsCarrier = isSameOption && !isMapped && !isHeld
    const choosesRule = isHeld && named === undefined
    // As everywhere else, the carrier follows from the option.
    const option = choosesRule ? undefined : findCarrierOption(named, defaults, carriers)
    if (!keepsCarrier && !isHeld && option === undefined)
      issues.push({ field: 'carrierOptionId', code: 'carrier-required' })
    if (
      isMapped &&
      !isHeld &&
      needsCustomsData(given, defaults, await this.deps.customs.listSendingCountries())
    )
      issues.push({ field: 'country', code: 'customs-needed' })
    if (issues.length > 0) return ok(err(issues))
    const corrected = fromCorrectableShipment({
      ...record,
      texts: {
        ...Object.fromEntries(unlisted),
        ...(isMapped && { isCompany: given.companyName === undefined ? '' : 'true' }),
        ...withDecimalPoints(given),
        ...(!keepsCarrier && toCarrierTexts(option)),
      },
      printer: isHeld ? undefined : record.printer,
    })
    const read = draftFromWire(corrected, defaults)
    const draft = read.ok ? withKnownPrinter(read.value, settings.printers) : read
    if (draft.ok) return ok(ok(corrected))
    const details = {
      case: 'fields',
      line: String(row.line ?? 1),
      ...toFieldErrors(draft.error),
    } as const
    return err(appError('order-file-invalid', details))
  }

  /** Does not throw: the next start repeats an update that the database refuses. */
  async updateFromShipment(shipment: ChangedShipment): Promise<void> {
    const { id, state, takenAt, resolution } = shipment
    const verdict = resolution?.verdict ?? (state === 'created' ? 'exists' : null)
    if (verdict === null) return
    try {
      await this.applyOutcomes([{ id, references: getReferences(shipment), takenAt, verdict }])
    } catch (error) {
      this.deps.log.error(
        'a hot folder issue could not be updated after its shipment; the next start repeats it',
        {
          reference: shipment.reference,
          reason: toReason(error),
        },
      )
    }
  }

  forgetClosed(before: Date): Promise<void> {
    return this.deps.repository.forgetClosed(before)
  }

  private async updateFromFleet(): Promise<void> {
    const { repository, fleet } = this.deps
    const awaited = await repository.listAwaited(maxListedIssues)
    if (awaited.length === 0) return
    const outcomes = await fleet.listOutcomes(awaited)
    // Without a connection nothing is known; the next one reports a change.
    if (outcomes.ok) await this.applyOutcomes(outcomes.value)
  }

  private async applyOutcomes(outcomes: readonly ShipmentOutcome[]): Promise<void> {
    const { repository, now } = this.deps
    let isChanged = false
    for (const outcome of outcomes) {
      if (await repository.updateFromShipment(outcome, now())) isChanged = true
    }
    if (isChanged) await this.changed()
  }

  private async changed(): Promise<void> {
    const { bus } = this.deps
    bus.emit('orderFileIssuesChanged', { open: await this.countOpen() })
    bus.emit('statusOutdated')
  }
}

const maxUnknownFields = 100
const maxCharacters = 100_000

/** Whether a shipment is too large for the screen, and can be corrected in its file only. */
function isTooLargeToCorrect({ texts, unknown }: CorrectableShipment): boolean {
  if (Object.keys(unknown).length > maxUnknownFields) return true
  const characters = [...Object.values(texts), ...Object.entries(unknown).flat()]
  return characters.reduce((sum, text) => sum + text.length, 0) > maxCharacters
}

function withoutBlanks(values: OrderValues): OrderValues {
  return Object.fromEntries(Object.entries(values).filter(([, text]) => text.trim() !== ''))
}

function toCarrierTexts(option: ReturnType<typeof findCarrierOption>): CorrectableShipment['texts'] {
  if (option === undefined) return { carrierId: '' }
  return { carrierId: String(option.carrierId), carrierOptionId: String(option.carrierOptionId) }
}

/** Cuts texts to `maxCellLength`, which is more than fits on a label. */
function toValues(texts: CorrectableShipment['texts']): OrderValues {
  const named = orderValueFields.map((field) => [field, texts[field]?.slice(0, maxCellLength)] as const)
  return Object.fromEntries(named.filter(([, text]) => text !== undefined))
}

function toListed(row: OrderFileIssueRow, defaults: ShipmentDefaults): OrderFileIssue {
  const { content, closedAt, note, sentAs, closedBy, ...issue } = row
  const { error, record } = content
  const values: OrderValues | null = record && toValues(record.texts)
  return {
    ...issue,
    error,
    values,
    issues: values === null ? [] : checkOrder(values, defaults),
    leftOut: record?.unknown ?? {},
    closed: closedAt === null ? null : { at: closedAt, note, sentAs, by: closedBy },
  }
}
