import type { ConnectAccount } from '../shared/account'
import type { SettingsChange } from '../shared/settings'
import { defaultTrackingSettings } from '../shared/tracking'
import { demoCarrierOptions, demoCredentials } from './account'
import { startSimulator } from './simulator'

/**
 * Starts the simulator of demo mode on a free port of 127.0.0.1.
 * @returns also the account and settings for a station without printers that uses it
 */
export async function startDemo() {
  const { baseUrl, close } = await startSimulator()
  return { baseUrl, account: demoAccount(baseUrl), settings: demoSettings(), close }
}

/** Demo settings for a new station: carriers, default values, and a printer that writes files. */
function demoSettings(): SettingsChange {
  const [usual] = demoCarrierOptions
  return {
    carriers: demoCarrierOptions.map(({ carrierId, carrierOptionId, carrierName, serviceName }) => ({
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
    tracking: {
      ...defaultTrackingSettings,
      // Demo parcels change their status every few seconds, so poll more often than a real station, and miss a parcel sooner.
      pollMinutes: 0.25,
      notFoundAfterHours: 0.01,
      // The last statuses of PROBLEM and RETURN, which are not in the specification.
      meanings: { ...defaultTrackingSettings.meanings, '4100': 'exception', '7000': 'returned' },
    },
  }
}

/**
 * @param baseUrl of the running simulator
 */
export function demoAccount(baseUrl: string): ConnectAccount {
  return { baseUrl, user: demoCredentials.user, password: demoCredentials.password }
}
