import type { HandlersOf } from '../../shared/bridge'
import { appError } from '../../shared/errors'
import type { historyMethods, ReportFormat, ShippingReport } from '../../shared/history'
import { err, ok, type Result } from '../../shared/result'
import { toReason } from '../lib/toReason'
import type { SettingsStore } from '../settings/settingsStore'
import type { History } from './history'
import type { HistoryRepository } from './historyRepository'
import { makeShippingReport } from './report'
import type { ReportContent } from './reportFile'
import type { SharedShipments } from './sharedShipments'
import type { Shipping } from './shipping'

interface Period {
  from: string
  to: string
  /** Whose shipments are counted. */
  stations: 'this' | 'all'
}

export interface HistoryHandlerDeps {
  shipping: Pick<Shipping, 'noteCancellation'>
  history: Pick<History, 'search'>
  past: HistoryRepository
  sharedShipments: Pick<SharedShipments, 'isMember' | 'report'>
  /** `makeReportFile`, away from the main thread. Rejects when the file can't be made. */
  tables: { makeReport(content: ReportContent, format: ReportFormat): Promise<Uint8Array> }
  desktop: {
    /** Saves bytes at a place of the operator's choice; null when they chose none. */
    saveFile(fileName: string, bytes: Uint8Array): Promise<Result<string | null>>
  }
  settings: Pick<SettingsStore, 'current'>
}

/** The handlers of looking back: search, reports, and what is noted about a shipment afterwards. */
export function createHistoryHandlers(deps: HistoryHandlerDeps): HandlersOf<typeof historyMethods> {
  const { shipping, history, past, tables, desktop, settings, sharedShipments } = deps
  async function makeReport({ from, to, stations }: Period): Promise<Result<ShippingReport>> {
    if (stations === 'all' && sharedShipments.isMember()) return sharedShipments.report(from, to)
    return ok(await makeShippingReport(past, from, to))
  }
  return {
    searchShipments: async (search) => ok(await history.search(search)),
    findLabelToScan: async () => ok((await past.findUnscanned()) ?? null),
    listHistoryChoices: async () => ok(await past.listChoices()),
    getShippingReport: makeReport,
    async saveShippingReport({ format, ...period }) {
      const { from, to } = period
      const report = await makeReport(period)
      if (!report.ok) return report
      const { carriers, language } = settings.current()
      const carrierOptions = Object.fromEntries(
        carriers.map(({ carrierOptionId, name }) => [String(carrierOptionId), name]),
      )
      const fileName = `shipments-${[...new Set([from, to])].join('-to-')}.${format}`
      try {
        const bytes = await tables.makeReport({ report: report.value, carrierOptions, language }, format)
        return desktop.saveFile(fileName, bytes)
      } catch (error) {
        return err(appError('export-not-saved', { path: fileName, reason: toReason(error) }))
      }
    },
    noteCancellation: ({ shipmentId, note }) => shipping.noteCancellation(shipmentId, note),
  }
}
