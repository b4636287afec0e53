import type { MethodOutput } from '../../shared/bridge'
import { appError } from '../../shared/errors'
import { findLinkHost } from '../../shared/fields'
import type { HistoryChoices } from '../../shared/history'
import type { PrintJob } from '../../shared/printing'
import { err, ok, type Result } from '../../shared/result'
import {
  type EarlierShipment,
  type Label,
  type ShipmentDetails,
  type ShipmentDraft,
  type ShipmentSummary,
  shipmentSummarySchema,
} from '../../shared/shipments'
import type { EventBus } from '../lib/eventBus'
import type { PrintJobRepository } from '../printing/queue/repository'
import type { HistoryRepository } from './historyRepository'
import {
  type LabelRecord,
  type NewShipment,
  type ShipmentRecord,
  type ShipmentRepository,
  toConsigneeName,
} from './repository'
import type { SharedRecord, SharedSearch, SharedShipments } from './sharedShipments'

/** Reads shipments as the screens show them. */
export type History = ReturnType<typeof createHistory>

type HistoryPage = MethodOutput<'searchShipments'>

export interface HistoryDeps {
  shipmentRepository: ShipmentRepository
  historyRepository: HistoryRepository
  jobs: Pick<PrintJobRepository, 'listByShipments'>
  sharedShipments: SharedShipments
  /** Publishes each changed shipment to the screens. */
  bus: Pick<EventBus, 'emit'>
}

/** The history of this station's journal and of its fleet. */
export function createHistory({
  shipmentRepository,
  historyRepository,
  jobs,
  sharedShipments: shared,
  bus,
}: HistoryDeps) {
  async function loadDetails(record: ShipmentRecord): Promise<ShipmentDetails> {
    const labels = await shipmentRepository.listLabels(record.id)
    return toDetails(record, labels.map(toLabel), await jobs.listByShipments([record.id]))
  }

  async function searchOwn(search: SharedSearch): Promise<HistoryPage> {
    const { before, limit, ...filter } = search
    // A position in the list of all stations is no position in the list of this one.
    if (before !== null && typeof before !== 'number') {
      return { shipments: [], next: null, total: null, fleetError: null }
    }
    const { shipments, next, total } = await historyRepository.search({ ...filter, limit, before })
    const ids = shipments.map(({ id }) => id)
    const labels = await shipmentRepository.listLabels(...ids)
    const printJobs = await jobs.listByShipments(ids)
    const summaries = shipments.map((record) => {
      const ofRecord = ({ shipmentId }: { shipmentId: string }) => shipmentId === record.id
      return toSummary(record, labels.filter(ofRecord).map(toLabel), printJobs.filter(ofRecord))
    })
    return { shipments: summaries, next, total, fleetError: null }
  }

  /** Adds the print jobs of this station. */
  async function addJobs(found: readonly SharedRecord[]): Promise<ShipmentSummary[]> {
    const printJobs = await jobs.listByShipments(found.map(({ record }) => record.id))
    return found.map(({ record, station, labels }) => {
      const own = printJobs.filter(({ shipmentId }) => shipmentId === record.id)
      // This station does not know whether another one printed the label.
      const print = station.isThisOne && record.print
      return { ...toSummary({ ...record, print }, labels, own), station }
    })
  }

  /** @returns `shipment-not-found` when neither this station nor its fleet has it */
  async function getDetails(shipmentId: string): Promise<Result<ShipmentDetails>> {
    const own = await shipmentRepository.findWithLabelsAndJobs(shipmentId)
    if (own !== undefined) return ok(toDetails(own.record, own.labels.map(toLabel), own.jobs))
    const found = shared.isMember() ? await shared.find(shipmentId) : ok(undefined)
    if (!found.ok) return found
    if (found.value === undefined) return err(appError('shipment-not-found', { shipmentId }))
    const { labels, station } = found.value
    const elsewhere = { ...found.value.record, print: false }
    return ok({ ...toDetails(elsewhere, labels, await jobs.listByShipments([shipmentId])), station })
  }

  return {
    loadDetails,
    getDetails,

    /** Loads a changed shipment, publishes it to the screens, and returns its details. */
    async announce(shipmentId: string): Promise<Result<ShipmentDetails>> {
      const details = await getDetails(shipmentId)
      if (details.ok) bus.emit('shipmentChanged', shipmentSummarySchema.parse(details.value))
      return details
    },

    async findAttempt(attemptId: string): Promise<ShipmentDetails | undefined> {
      const record = await shipmentRepository.findAttempt(attemptId)
      return record === undefined ? undefined : loadDetails(record)
    },

    /**
     * Newest first; `total` comes with the first page only. If the fleet's shipments can't be read, returns those of this
     * station and `fleetError`.
     */
    async search(search: SharedSearch): Promise<HistoryPage> {
      // A position in this station's list continues a list that began without the fleet.
      const isOwnPage = search.stations === 'this' || typeof search.before === 'number'
      if (isOwnPage || !shared.isMember()) return searchOwn(search)
      // The fleet knows no print jobs.
      const ownIds = search.onlyNeedingAttention ? await historyRepository.listNeedingAttention() : []
      const found = await shared.search(search, ownIds)
      if (!found.ok) return { ...(await searchOwn(search)), fleetError: found.error }
      const { shipments, next, total } = found.value
      return { shipments: await addJobs(shipments), next, total, fleetError: null }
    },

    /** The values to filter by: of this station, and of its fleet if that is searched and can be read. */
    async listChoices(stations: SharedSearch['stations']): Promise<HistoryChoices> {
      const own = await historyRepository.listChoices()
      const found = stations === 'all' && shared.isMember() ? await shared.listChoices() : undefined
      if (found?.ok !== true) return own
      const { countries, carrierOptionIds, operators } = found.value
      return {
        countries: toSortedUnion(own.countries, countries),
        carrierOptionIds: toSortedUnion(own.carrierOptionIds, carrierOptionIds),
        operators: toSortedUnion(own.operators, operators),
      }
    },

    /**
     * Shipments of a reference that were not refused, newest first: those of this station. If all of them were cancelled at
     * the carrier, the one of another station that blocks the reference comes first, if the fleet can be read.
     */
    async listEarlier(reference: string): Promise<EarlierShipment[]> {
      const records = await shipmentRepository.listEarlier(reference.trim())
      const isVoid = records.every(({ cancelledAt }) => cancelledAt)
      const elsewhere = isVoid && shared.isMember() ? await shared.findEarlier(reference.trim()) : undefined
      const own = records.map(({ id, state, takenAt, barcodes, cancelledAt }) => ({
        ...{ shipmentId: id, state, takenAt, barcodes },
        ...(cancelledAt && { cancelledAt }),
      }))
      return elsewhere?.ok && elsewhere.value !== undefined ? [elsewhere.value, ...own] : own
    },
  }
}

function toSortedUnion<Value extends string | number>(
  some: readonly Value[],
  others: readonly Value[],
): Value[] {
  return [...new Set([...some, ...others])].sort((one, other) => (one < other ? -1 : 1))
}

/** The summary of a shipment that is being created, from its order. */
export function summarizeIntent({
  id,
  origin,
  operator,
  print,
  takenAt,
  draft,
}: NewShipment): ShipmentSummary {
  const { reference, postalCode, city, country, carrierOptionId, weight, numberOfPackages } = draft
  return {
    ...{ id, reference, state: 'sent', resolution: null, origin, takenAt },
    ...withCombined(draft),
    ...(operator && { operator }),
    ...{ consignee: toConsigneeName(draft), postalCode, city, country },
    ...{ carrierOptionId, weight, numberOfPackages },
    ...{ barcodes: [], print, labels: [], jobs: [] },
  }
}

function withCombined({ combinedReferences }: ShipmentDraft): Pick<ShipmentSummary, 'combinedReferences'> {
  return combinedReferences === undefined ? {} : { combinedReferences }
}

/** The shipment's row in the list of the history. */
function toSummary(record: ShipmentRecord, labels: Label[], jobs: PrintJob[]): ShipmentSummary {
  return {
    id: record.id,
    reference: record.reference,
    ...withCombined(record.draft),
    state: record.state,
    resolution: record.resolution,
    origin: record.origin,
    ...(record.operator !== null && { operator: record.operator }),
    takenAt: record.takenAt,
    consignee: record.recipient,
    postalCode: record.draft.postalCode,
    city: record.city,
    country: record.country,
    carrierOptionId: record.carrierOptionId,
    weight: record.draft.weight,
    numberOfPackages: record.draft.numberOfPackages,
    ...(record.cancellation !== null && { cancellation: record.cancellation }),
    barcodes: record.barcodes,
    print: record.print,
    labels,
    jobs,
  }
}

/** What a screen may see of a shipment: no label URL, and only the host of the tracking link. */
function toDetails(record: ShipmentRecord, labels: Label[], jobs: PrintJob[]): ShipmentDetails {
  return {
    ...toSummary(record, labels, jobs),
    draft: record.draft,
    times: {
      taken: record.takenAt,
      requestSent: record.requestSentAt,
      responseReceived: record.responseReceivedAt,
      labelStored: record.labelStoredAt,
    },
    error: record.error,
    serviceShipmentId: record.serviceShipmentId,
    zendingId: record.zendingId,
    subLogId: record.subLogId,
    logId: record.logId,
    trackingLinkHost: findLinkHost(record.trackingUrl),
    serviceMessage: record.serviceMessage,
  }
}

function toLabel({
  id,
  position,
  barcode,
  kind,
  byteLength,
  problem,
  unplanned,
  closed,
}: LabelRecord): Label {
  return {
    ...{ id, position, barcode, kind, byteLength, problem },
    ...(unplanned && { unplanned }),
    ...(closed !== undefined && { closed }),
  }
}
