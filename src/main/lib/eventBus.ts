import { EventEmitter } from 'node:events'
import type { AccountStatus } from '../../shared/account'
import type { EventPayloads } from '../../shared/bridge'
import type { Language } from '../../shared/fields'
import type { Settings } from '../../shared/settings'
import type { ResolutionVerdict } from '../../shared/shipments'
import type { ParcelAlert } from '../../shared/tracking'

/** Every event in main: those of the contract, which also reach the window, and internal ones. */
export interface AppEvents extends EventPayloads {
  accountChanged: AccountStatus
  /** The settings as loaded at start. */
  settingsOpened: Settings
  /** The service's reachability, or the error of the last request, changed. */
  serviceHealthChanged: undefined
  /** Data shown in the app's status changed; the new status follows as `appStatusChanged`. */
  statusOutdated: undefined
  /** The window's page crashed and was reloaded. */
  windowCrashed: { reason: string }
  /** A person at another station of the fleet resolved an unknown shipment of this one. */
  resolvedElsewhere: {
    shipmentId: string
    verdict: ResolutionVerdict
    barcode: string | null
    by: string
  }
  /** A person at this station found that an unknown shipment of another one exists. */
  foundForOtherStation: { shipmentId: string; references: readonly string[] }
  /** Watched parcels that need attention as of now. */
  parcelsAlerted: {
    parcels: readonly { code: string; reference: string; alert: ParcelAlert }[]
    language: Language
  }
}

/** Delivers events between features that do not know each other. */
export interface EventBus {
  /** Calls the listeners synchronously, one after the other; an exception reaches the caller. */
  emit<Name extends keyof AppEvents>(
    name: Name,
    ...payload: AppEvents[Name] extends undefined ? [] : [payload: AppEvents[Name]]
  ): void
  /** Adds a listener; returns the function that removes it. */
  on<Name extends keyof AppEvents>(name: Name, listener: (payload: AppEvents[Name]) => void): () => void
}

export function createEventBus(): EventBus {
  // No limit: each order that waits for a label adds a listener, and a full hot folder has hundreds of orders.
  const emitter = new EventEmitter().setMaxListeners(0)
  return {
    emit(name, ...payload) {
      emitter.emit(name, ...payload)
    },
    on(name, listener) {
      emitter.on(name, listener)
      return () => {
        emitter.off(name, listener)
      }
    },
  }
}
