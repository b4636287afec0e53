import { type AppError, appError } from '../../shared/errors'
import type { PrintJobState } from '../../shared/printing'
import { err, ok } from '../../shared/result'
import type { Session } from '../credentials/session'
import { listSystemQueues } from '../printing/systemQueues'
import { customsHandlers } from './customsHandlers'
import type { HandlerParts } from './handlerParts'
import { manifestHandlers } from './manifestHandlers'
import { queueHandlers } from './printingHandlers'
import type { Handlers } from './registrar'
import type { AccountBefore } from './targetConsent'
import { trackingHandlers } from './trackingHandlers'
import { whileWorking } from './whileWorking'

/** The handlers of the bridge: each hands its call to the feature that it is about. */
export function createHandlers(parts: HandlerParts): Handlers {
  return {
    ...stationHandlers(parts),
    ...shipmentHandlers(parts),
    ...printingHandlers(parts),
    ...queueHandlers({ ...parts, on: whileWorking(parts) }),
    ...trackingHandlers(whileWorking(parts), parts.tables),
    ...manifestHandlers(parts),
    ...customsHandlers(parts),
  }
}

type StationMethods =
  | 'getAppStatus'
  | 'retryStart'
  | 'setAsideSettings'
  | 'rebuildHistory'
  | 'continueUnguarded'
  | 'listBackups'
  | 'restoreBackup'
  | 'confirmClock'
  | 'openDataFolder'
  | 'copyText'
  | 'getSettings'
  | 'changeSettings'
  | 'connectAccount'
  | 'testAccount'
  | 'forgetAccount'

function stationHandlers(parts: HandlerParts): Pick<Handlers, StationMethods> {
  const on = whileWorking(parts)
  return {
    getAppStatus: async () => ok(await parts.status()),
    retryStart: async () => ok(await parts.retryStart()),
    async setAsideSettings() {
      const aside = await parts.setAsideSettings()
      return aside.ok ? ok(await parts.status()) : aside
    },
    async rebuildHistory() {
      await parts.recoverHistory('rebuild')
      return ok(await parts.status())
    },
    async continueUnguarded() {
      await parts.recoverHistory('continue')
      return ok(await parts.status())
    },
    listBackups: async () => ok(await parts.backups()),
    async restoreBackup({ name }) {
      const restored = await parts.restoreBackup(name)
      return restored.ok || restored.error.code !== 'backup-unusable' ? ok(await parts.status()) : restored
    },
    async confirmClock() {
      const confirmed = await parts.confirmClock()
      return confirmed.ok ? ok(await parts.status()) : confirmed
    },
    async openDataFolder() {
      await parts.openDataFolder()
      return ok(undefined)
    },
    copyText({ text }) {
      parts.copyText(text)
      return ok(undefined)
    },
    getSettings: () => on((features) => ok(features.settings.current())),
    changeSettings: (change) =>
      on(async ({ settings }) => {
        const agreed = await parts.targetConsent.forChange(change, settings.current())
        return agreed.ok ? settings.change(change) : agreed
      }),
    connectAccount: (input) =>
      on(async ({ health, session }) => {
        const agreed = await parts.targetConsent.forAccount(input.baseUrl, accountBefore(session))
        return agreed.ok ? health.noting(await session.connect(input)) : agreed
      }),
    testAccount: () => on(async (features) => features.health.noting(await features.session.test())),
    forgetAccount: () =>
      on(({ session }) => {
        parts.targetConsent.noteForgotten(accountBefore(session))
        return session.forget()
      }),
  }
}

function accountBefore(session: Session): AccountBefore {
  return { state: session.status().state, baseUrl: session.baseUrl() }
}

type ShipmentMethods =
  | 'createShipment'
  | 'findEarlierShipments'
  | 'searchShipments'
  | 'getShipment'
  | 'settleShipment'
  | 'fetchLabels'
  | 'closeLabelProblems'
  | 'openTrackingLink'
  | 'getCarrierLimits'

function shipmentHandlers(parts: HandlerParts): Pick<Handlers, ShipmentMethods> {
  const on = whileWorking(parts)
  return {
    createShipment: (input) =>
      on((features) =>
        features.shipping.create({ ...input, origin: 'screen', print: true, takenAt: parts.now() }),
      ),
    findEarlierShipments: ({ reference }) =>
      on(async (features) => ok(await features.history.earlier(reference))),
    searchShipments: (search) => on(async (features) => ok(await features.history.search(search))),
    getShipment: ({ shipmentId }) => on((features) => features.shipping.details(shipmentId)),
    settleShipment: (input) =>
      on((features) =>
        features.shipping.settle(
          input.shipmentId,
          input.verdict,
          input.verdict === 'exists' ? input.barcode : null,
        ),
      ),
    fetchLabels: ({ shipmentId }) => on((features) => features.shipping.completeLabels(shipmentId, true)),
    closeLabelProblems: ({ shipmentId, reason }) =>
      on((features) => features.shipping.closeLabelProblems(shipmentId, reason)),
    openTrackingLink: ({ shipmentId }) =>
      on(async (features) => {
        const shipment = await features.store.find(shipmentId)
        const link = shipment?.trackingUrl ?? null
        return link !== null && (await parts.openInBrowser(link)) ? ok(undefined) : err(noTrackingLink())
      }),
    getCarrierLimits: ({ carrierOptionId }) =>
      on(async (features) => ok(await features.store.limitsOf(carrierOptionId))),
  }
}

/** Under way, or waiting for a person. */
const openJobStates: PrintJobState[] = ['queued', 'sending', 'waiting', 'failed', 'unconfirmed']

type PrintingMethods =
  | 'listSystemQueues'
  | 'listOpenJobs'
  | 'reprint'
  | 'printJobAgain'
  | 'settleJob'
  | 'cancelJob'
  | 'chooseFolder'

function printingHandlers(parts: HandlerParts): Pick<Handlers, PrintingMethods> {
  const on = whileWorking(parts)
  return {
    listSystemQueues: async () => ok(await listSystemQueues(parts.platform)),
    listOpenJobs: () => on(async (features) => ok(await features.jobs.inStates(openJobStates))),
    reprint: ({ shipmentId, labelId, printerId }) =>
      on((features) => features.printing.reprint(shipmentId, labelId, printerId)),
    printJobAgain: ({ jobId, printerId }) => on((features) => features.printing.printAgain(jobId, printerId)),
    settleJob: ({ jobId, verdict, reason }) =>
      on((features) => features.printing.settle(jobId, verdict, reason)),
    cancelJob: ({ jobId }) => on((features) => features.printing.cancel(jobId)),
    async chooseFolder() {
      const folder = await parts.chooseFolder()
      if (folder !== null) parts.targetConsent.noteChosenFolder(folder)
      return ok(folder)
    },
  }
}

function noTrackingLink(): AppError {
  return appError('no-tracking-link', 'The service gave no tracking link for this shipment.')
}
