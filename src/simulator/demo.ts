import type { ConnectAccount } from '../shared/account'
import type { SettingsChange } from '../shared/settings'
import { defaultTrackingSettings } from '../shared/tracking'
import { DEMO_ACCOUNT, DEMO_CARRIER_OPTIONS } from './account'
import { startSimulator } from './simulator'

/** A running simulator and what a station needs to work against it. */
export interface Demo {
  /** `http://127.0.0.1:PORT/api` */
  baseUrl: string
  account: ConnectAccount
  /** For a station that has no printers yet. */
  settings: SettingsChange
  close(): Promise<void>
}

/** Starts demo mode's carrier service on a free port of 127.0.0.1. */
export async function startDemo(): Promise<Demo> {
  const { baseUrl, close } = await startSimulator()
  return { baseUrl, account: demoAccount(baseUrl), settings: demoSettings(), close }
}

/** The settings that make a new station ready for the demo: carriers, usual values, and a printer that writes files. */
function demoSettings(): SettingsChange {
  const [usual] = DEMO_CARRIER_OPTIONS
  return {
    carriers: DEMO_CARRIER_OPTIONS.map(({ carrierId, carrierOptionId, carrierName, serviceName }) => ({
      name: `${carrierName} ${serviceName}`,
      carrierId,
      carrierOptionId,
    })),
    shipmentDefaults: {
      createdBy: 'demo-station',
      country: 'NL',
      weight: 1,
      ...(usual && { carrierId: usual.carrierId, carrierOptionId: usual.carrierOptionId }),
    },
    printers: [{ driver: 'folder', id: 'labels', name: 'Label folder', path: 'printed labels' }],
    routing: [{ printer: 'labels' }],
    // Parcels of the demo move every few seconds, so the board looks more often than a station would.
    tracking: { ...defaultTrackingSettings, pollMinutes: 0.25 },
  }
}

/**
 * The account of the demo.
 * @param baseUrl of the running simulator
 */
export function demoAccount(baseUrl: string): ConnectAccount {
  return { baseUrl, user: DEMO_ACCOUNT.user, password: DEMO_ACCOUNT.password }
}
