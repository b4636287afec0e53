import { EventEmitter } from 'node:events'
import type { AccountStatus } from '../../shared/account'
import type { EventPayloads } from '../../shared/bridge'
import type { Language } from '../../shared/fields'
import type { Settings } from '../../shared/settings'
import type { ResolutionVerdict } from '../../shared/shipments'
import type { ParcelAlert } from '../../shared/tracking'

/** Every event in main: those of the contract, which the window gets as well, and those that stay in main. */
export interface AppEvents extends EventPayloads {
  accountChanged: AccountStatus
  /** The settings as a start found them. */
  settingsOpened: Settings
  /** A request to the service ended otherwise than the one before it. */
  serviceHealthChanged: undefined
  /** Something that the app's status shows has changed; the status itself follows as `appStatusChanged`. */
  statusOutdated: undefined
  /** A person at another station of the fleet found out what became of an unknown shipment of this one. */
  resolvedElsewhere: {
    shipmentId: string
    verdict: ResolutionVerdict
    barcode: string | null
    by: string
  }
  /** Watched parcels have just come to need someone. */
  parcelsAlerted: {
    parcels: readonly { code: string; reference: string; alert: ParcelAlert }[]
    language: Language
  }
}

/** Carries events from the feature that they happen in to whoever is interested, neither knowing the other. */
export interface EventBus {
  /** Calls the listeners one after the other before it returns; what one throws reaches the caller. */
  emit<Name extends keyof AppEvents>(
    name: Name,
    ...payload: AppEvents[Name] extends undefined ? [] : [payload: AppEvents[Name]]
  ): void
  /** Listens until the function that comes back is called. */
  on<Name extends keyof AppEvents>(name: Name, listener: (payload: AppEvents[Name]) => void): () => void
}

/** A bus without listeners. */
export function createEventBus(): EventBus {
  // Everyone who waits for a label listens: a full hot folder has hundreds of them.
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
