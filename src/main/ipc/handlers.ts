import { type AppError, appError } from '../../shared/errors'
import { err, ok } from '../../shared/result'
import type { Session } from '../account/session'
import type { AccountBefore } from '../app/targetConsent'
import { createOrderHandlers } from '../orders/handlers'
import { customsHandlers } from './customsHandlers'
import type { HandlerDeps } from './handlerParts'
import { manifestHandlers } from './manifestHandlers'
import { printingHandlers } from './printingHandlers'
import type { Handlers } from './registrar'
import { trackingHandlers } from './trackingHandlers'
import { whileWorking } from './whileWorking'

/** The handlers of the bridge: each hands its call to the feature that it is about. */
export function createHandlers(deps: HandlerDeps): Handlers {
  return {
    ...stationHandlers(deps),
    ...shipmentHandlers(deps),
    ...printingHandlers(deps),
    ...trackingHandlers(whileWorking(deps), deps.tables),
    ...manifestHandlers(deps),
    ...customsHandlers(deps),
    ...createOrderHandlers((run) => whileWorking(deps)(({ orders }) => run(orders))),
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
  | 'chooseFolder'
  | 'getSettings'
  | 'changeSettings'
  | 'connectAccount'
  | 'testAccount'
  | 'forgetAccount'

function stationHandlers(deps: HandlerDeps): Pick<Handlers, StationMethods> {
  const on = whileWorking(deps)
  return {
    getAppStatus: async () => ok(await deps.status()),
    retryStart: async () => ok(await deps.retryStart()),
    async setAsideSettings() {
      const aside = await deps.setAsideSettings()
      return aside.ok ? ok(await deps.status()) : aside
    },
    async rebuildHistory() {
      await deps.recoverHistory('rebuild')
      return ok(await deps.status())
    },
    async continueUnguarded() {
      await deps.recoverHistory('continue')
      return ok(await deps.status())
    },
    listBackups: async () => ok(await deps.backups()),
    async restoreBackup({ name }) {
      const restored = await deps.restoreBackup(name)
      return restored.ok || restored.error.code !== 'backup-unusable' ? ok(await deps.status()) : restored
    },
    async confirmClock() {
      const confirmed = await deps.confirmClock()
      return confirmed.ok ? ok(await deps.status()) : confirmed
    },
    async openDataFolder() {
      await deps.openDataFolder()
      return ok(undefined)
    },
    copyText({ text }) {
      deps.copyText(text)
      return ok(undefined)
    },
    async chooseFolder() {
      const folder = await deps.chooseFolder()
      if (folder !== null) deps.targetConsent.noteChosenFolder(folder)
      return ok(folder)
    },
    getSettings: () => on((features) => ok(features.settings.current())),
    changeSettings: (change) =>
      on(async ({ settings }) => {
        const agreed = await deps.targetConsent.forChange(change, settings.current())
        return agreed.ok ? settings.change(change) : agreed
      }),
    connectAccount: (input) =>
      on(async ({ health, session }) => {
        const agreed = await deps.targetConsent.forAccount(input.baseUrl, accountBefore(session))
        return agreed.ok ? health.noting(await session.connect(input)) : agreed
      }),
    testAccount: () => on(async (features) => features.health.noting(await features.session.test())),
    forgetAccount: () =>
      on(({ session }) => {
        deps.targetConsent.noteForgotten(accountBefore(session))
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
  | 'resolveShipment'
  | 'fetchLabels'
  | 'closeLabelProblems'
  | 'openTrackingLink'
  | 'getCarrierLimits'

function shipmentHandlers(deps: HandlerDeps): Pick<Handlers, ShipmentMethods> {
  const on = whileWorking(deps)
  return {
    createShipment: (input) =>
      on((features) =>
        features.shipping.create({ ...input, origin: 'screen', print: true, takenAt: deps.now() }),
      ),
    findEarlierShipments: ({ reference }) =>
      on(async (features) => ok(await features.history.listEarlier(reference))),
    searchShipments: (search) => on(async (features) => ok(await features.history.search(search))),
    getShipment: ({ shipmentId }) => on((features) => features.history.getDetails(shipmentId)),
    resolveShipment: (input) =>
      on((features) =>
        features.shipping.resolveUnknown(
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
        return link !== null && (await deps.openInBrowser(link)) ? ok(undefined) : err(noTrackingLink())
      }),
    getCarrierLimits: ({ carrierOptionId }) =>
      on(async (features) => ok(await features.store.findLimits(carrierOptionId))),
  }
}

function noTrackingLink(): AppError {
  return appError('no-tracking-link')
}
