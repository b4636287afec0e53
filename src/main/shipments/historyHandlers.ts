import type { HandlersOf } from '../../shared/bridge'
import { appError } from '../../shared/errors'
import type { historyMethods, ReportFormat } from '../../shared/history'
import { err, ok, type Result } from '../../shared/result'
import { toReason } from '../lib/toReason'
import type { SettingsStore } from '../settings/settingsStore'
import type { History } from './history'
import type { HistoryRepository } from './historyRepository'
import { makeShippingReport } from './report'
import type { ReportContent } from './reportFile'
import type { Shipping } from './shipping'

export interface HistoryHandlerDeps {
  shipping: Pick<Shipping, 'noteCancellation'>
  history: Pick<History, 'search'>
  past: HistoryRepository
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
  const { shipping, history, past, tables, desktop, settings } = deps
  return {
    searchShipments: async (search) => ok(await history.search(search)),
    findLabelToScan: async () => ok((await past.findUnscanned()) ?? null),
    listHistoryChoices: async () => ok(await past.listChoices()),
    getShippingReport: async ({ from, to }) => ok(await makeShippingReport(past, from, to)),
    async saveShippingReport({ from, to, format }) {
      const report = await makeShippingReport(past, from, to)
      const { carriers, language } = settings.current()
      const carrierOptions = Object.fromEntries(
        carriers.map(({ carrierOptionId, name }) => [String(carrierOptionId), name]),
      )
      const fileName = `shipments-${[...new Set([from, to])].join('-to-')}.${format}`
      try {
        const bytes = await tables.makeReport({ report, carrierOptions, language }, format)
        return desktop.saveFile(fileName, bytes)
      } catch (error) {
        return err(appError('export-not-saved', { path: fileName, reason: toReason(error) }))
      }
    },
    noteCancellation: ({ shipmentId, note }) => shipping.noteCancellation(shipmentId, note),
  }
}
