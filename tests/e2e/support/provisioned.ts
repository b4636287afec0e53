import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Settings } from '../../../src/shared/settings'
import type { Simulator, SimulatorOptions } from '../../../src/simulator/simulator'
import { sharedByTests } from '../../support/lifetime'
import { temporaryFolder } from '../../support/temporaryFolder'
import { simulatorWith } from '../../support/testStation'
import { answerDialogs } from './dialogs'
import { type DrivenApp, launch, reloadWindow } from './drivenApp'

/** The provisioning of a station at a simulator: one carrier option, and a printer that writes into `out`. */
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

/** Writes a provisioning file and returns the switch that applies it. */
export async function provisionSwitch(folder: string, content: object): Promise<string> {
  const path = join(folder, 'station.json')
  await writeFile(path, JSON.stringify(content))
  return `--provision=${path}`
}

/** A driven station with its simulator. */
export interface DrivenStation extends DrivenApp {
  folder: string
  data: string
  simulator: Simulator
  /** The switch that provisioned the station. */
  provision: string
}

/** Starts a provisioned station; `change` overrides parts of its provisioning. */
export async function startStation(
  change: object = {},
  service: SimulatorOptions = {},
): Promise<DrivenStation> {
  const folder = await temporaryFolder()
  const data = join(folder, 'data')
  const simulator = await simulatorWith(service)
  const provision = await provisionSwitch(folder, { ...stationProvisioning(simulator.baseUrl), ...change })
  return { folder, data, simulator, provision, ...(await launch(data, [provision])) }
}

/**
 * A station that several tests use one after another, each with different references, because a start of the app takes
 * longer than most tests. Each test finds the window and the settings as after the start, main's questions answered with
 * yes, no open print job, and a service without faults.
 */
export function sharedStation(
  change: object = {},
  service: SimulatorOptions = {},
): () => Promise<DrivenStation> {
  return sharedByTests(async () => {
    const station = await startStation(change, service)
    await answerDialogs(station.app, 0)
    const settings = await station.page.evaluate(() => window.packbench.getSettings(undefined))
    if (!settings.ok) throw new Error(settings.error.message)
    return { made: station, renew: () => resetStation(station, settings.value) }
  })
}

async function resetStation(station: DrivenStation, { version: _, ...settings }: Settings): Promise<void> {
  station.simulator.faults.clear()
  await answerDialogs(station.app, 0)
  await station.page.evaluate(async (before) => {
    const queue = await window.packbench.listQueue(undefined)
    for (const { id, state } of queue.ok ? queue.value : []) {
      if (['waiting', 'queued'].includes(state)) await window.packbench.cancelJob({ jobId: id })
    }
    const now = await window.packbench.getSettings(undefined)
    for (const { id } of now.ok ? now.value.printers : []) {
      await window.packbench.pausePrinter({ printerId: id, paused: false })
    }
    const changed = await window.packbench.changeSettings(before)
    if (!changed.ok) throw new Error(changed.error.message)
  }, settings)
  await reloadWindow(station)
}
