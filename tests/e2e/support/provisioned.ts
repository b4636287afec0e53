import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A station's provisioning against a simulator: one carrier option, and a printer that writes into `out`. */
export function stationProvisioning(baseUrl: string) {
  return {
    account: { baseUrl, user: 'demo-station', password: 'demo-password' },
    carriers: [{ name: 'Parcel Standard', carrierId: 1, carrierOptionId: 11 }],
    shipmentDefaults: {
      created_by: 'station-1',
      weight: 1,
      country: 'NL',
      carrier_id: 1,
      carrier_option_id: 11,
    },
    printers: [{ id: 'file', driver: 'folder', path: 'out' }],
    routing: [{ printer: 'file' }],
  }
}

/** Writes a provisioning file and gives the switch that applies it. */
export async function provisionSwitch(folder: string, content: object): Promise<string> {
  const path = join(folder, 'station.json')
  await writeFile(path, JSON.stringify(content))
  return `--provision=${path}`
}
