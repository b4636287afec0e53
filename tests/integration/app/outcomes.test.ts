import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import type { Services } from '../../../src/main/app/compose'
import type { Settings } from '../../../src/shared/settings'
import type { ShipmentState } from '../../../src/shared/shipments'
import type { Fault } from '../../../src/simulator/faults'
import type { aDraft } from '../../support/drafts'
import { shipAndPrint } from '../../support/ship'
import { temporaryFolder } from '../../support/temporaryFolder'
import { connectedStation, testSimulator } from '../../support/testStation'

async function shipped(features: Services, change: Parameters<typeof aDraft>[0] = {}) {
  const result = await shipAndPrint(features, change)
  if (!result.ok) throw new Error(`${result.error.code}: ${result.error.message}`)
  return result.value
}

/** Each fault, and the expected state with the label in the answer and by URL. */
const faults: [Fault, Record<Settings['labelDelivery'], ShipmentState>][] = [
  [{ kind: 'refused' }, { 'in-answer': 'refused', 'by-url': 'refused' }],
  [
    { kind: 'status', status: 400 },
    { 'in-answer': 'refused', 'by-url': 'refused' },
  ],
  [
    { kind: 'status', status: 422 },
    { 'in-answer': 'refused', 'by-url': 'refused' },
  ],
  [
    { kind: 'status', status: 429 },
    { 'in-answer': 'refused', 'by-url': 'refused' },
  ],
  [
    { kind: 'status', status: 408 },
    { 'in-answer': 'unknown', 'by-url': 'unknown' },
  ],
  [
    { kind: 'status', status: 500, created: true },
    { 'in-answer': 'unknown', 'by-url': 'unknown' },
  ],
  [
    { kind: 'status', status: 503 },
    { 'in-answer': 'unknown', 'by-url': 'unknown' },
  ],
  [{ kind: 'htmlError' }, { 'in-answer': 'unknown', 'by-url': 'unknown' }],
  [{ kind: 'redirect' }, { 'in-answer': 'unknown', 'by-url': 'unknown' }],
  [{ kind: 'hangBeforeReading' }, { 'in-answer': 'unknown', 'by-url': 'unknown' }],
  [{ kind: 'hangAfterReading' }, { 'in-answer': 'unknown', 'by-url': 'unknown' }],
  [{ kind: 'resetBeforeReading' }, { 'in-answer': 'unknown', 'by-url': 'unknown' }],
  [{ kind: 'resetAfterReading' }, { 'in-answer': 'unknown', 'by-url': 'unknown' }],
  [{ kind: 'cutOff' }, { 'in-answer': 'unknown', 'by-url': 'unknown' }],
  [{ kind: 'notJson' }, { 'in-answer': 'unknown', 'by-url': 'unknown' }],
  [{ kind: 'nullBody' }, { 'in-answer': 'unknown', 'by-url': 'unknown' }],
  [{ kind: 'emptyBody' }, { 'in-answer': 'unknown', 'by-url': 'unknown' }],
  [
    { kind: 'slow', ms: 200 },
    { 'in-answer': 'created', 'by-url': 'created' },
  ],
  [{ kind: 'extraFields' }, { 'in-answer': 'created', 'by-url': 'created' }],
  [{ kind: 'wrappedBase64' }, { 'in-answer': 'created', 'by-url': 'created' }],
  [{ kind: 'upperCaseLabelType' }, { 'in-answer': 'created', 'by-url': 'created' }],
  [{ kind: 'badBase64' }, { 'in-answer': 'created', 'by-url': 'created' }],
  [{ kind: 'notPdf' }, { 'in-answer': 'created', 'by-url': 'created' }],
  [{ kind: 'emptyLabels' }, { 'in-answer': 'created', 'by-url': 'created' }],
  [{ kind: 'missingLabels' }, { 'in-answer': 'created', 'by-url': 'created' }],
  [{ kind: 'zplLabel' }, { 'in-answer': 'created', 'by-url': 'created' }],
  [
    { kind: 'hugeLabel', bytes: 20_000_000 },
    { 'in-answer': 'created', 'by-url': 'created' },
  ],
]

describe.each(['in-answer', 'by-url'] as const)('a creation with the label %s', (labelDelivery) => {
  it.each(faults)('under the fault %j sends one request and ends as %j', async (fault, states) => {
    const simulator = await testSimulator()
    const { features } = await connectedStation(await temporaryFolder(), simulator, {
      labelDelivery,
      // A large label needs a longer timeout than an answer that never arrives.
      ...(fault.kind === 'hugeLabel' && { network: { connectTimeoutMs: 1000, answerTimeoutMs: 30_000 } }),
    })
    simulator.faults.add({ operation: 'shipment', fault, times: 1 })
    const shipment = await shipped(features)
    expect(shipment.state).toBe(states[labelDelivery])
    const asked = simulator.requests.filter((request) => request.operation === 'shipment')
    expect(asked).toHaveLength(1)
    expect(simulator.deviations()).toEqual([])
    if (shipment.state === 'unknown') {
      expect(await shipAndPrint(features)).toMatchObject({
        ok: false,
        error: { code: 'shipment-unsettled' },
      })
      expect(simulator.requests.filter((request) => request.operation === 'shipment')).toHaveLength(1)
    }
  })

  it('prints a file that equals the service’s label byte for byte', async () => {
    const simulator = await testSimulator()
    const { features } = await connectedStation(await temporaryFolder(), simulator, { labelDelivery })
    const shipment = await shipped(features)
    const [job] = await features.printing.whenJobsEnded(shipment.id)
    expect(job).toMatchObject({ state: 'done', barcode: shipment.barcodes[0] })
    const printed = await readFile(job?.outputPath ?? '')
    expect(printed.equals(Buffer.from(simulator.getLabel(shipment.barcodes[0] ?? '') ?? []))).toBe(true)
  })
})

describe('a creation', () => {
  it('ends as refused when the service is unreachable', async () => {
    const simulator = await testSimulator()
    const { features } = await connectedStation(await temporaryFolder(), simulator)
    await simulator.close()
    expect(await shipped(features)).toMatchObject({
      state: 'refused',
      error: { code: 'service-unreachable' },
    })
    expect(features.health.current().state).toBe('unreachable')
  })

  it('ends as refused with an expired key, and the next creation succeeds with a new key', async () => {
    const simulator = await testSimulator()
    const { features } = await connectedStation(await temporaryFolder(), simulator)
    simulator.expireKey()
    expect(await shipped(features)).toMatchObject({ state: 'refused', error: { code: 'key-refused' } })
    expect(await shipped(features)).toMatchObject({ state: 'created' })
    expect(simulator.ledger.entries.filter((entry) => entry.created)).toHaveLength(1)
  })

  it('prints three labels in order for three packages', async () => {
    const simulator = await testSimulator()
    const { features } = await connectedStation(await temporaryFolder(), simulator)
    const shipment = await shipped(features, { numberOfPackages: 3 })
    expect(shipment.labels.map((label) => label.barcode)).toEqual(shipment.barcodes)
    const jobs = await features.printing.whenJobsEnded(shipment.id)
    expect(jobs.map((job) => [job.labelPosition, job.state])).toEqual([
      [1, 'done'],
      [2, 'done'],
      [3, 'done'],
    ])
  })

  it('stores the limits of its carrier option from an answer with a label URL', async () => {
    const simulator = await testSimulator()
    const { features } = await connectedStation(await temporaryFolder(), simulator, {
      labelDelivery: 'by-url',
    })
    const own = { carrierId: 12, carrierOptionId: 34 }
    expect(await features.shipmentRepository.findLimits(own)).toBeNull()
    await shipped(features)
    expect(await features.shipmentRepository.findLimits(own)).toMatchObject({
      maxWeight: expect.stringMatching(/^\d+\.\d{3}$/),
    })
    // Another carrier's option with the same id.
    expect(await features.shipmentRepository.findLimits({ ...own, carrierId: 14 })).toBeNull()
  })

  it('leaves neither credentials nor key nor label URL in any file', async () => {
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const { station, features } = await connectedStation(folder, simulator, { labelDelivery: 'by-url' })
    simulator.faults.add({ operation: 'label', fault: { kind: 'status', status: 500 }, times: 1 })
    await shipped(features)
    await station.stop()
    const labelPath = simulator.requests.find((request) => request.operation === 'label')?.path ?? 'none'
    expect(labelPath).not.toBe('none')
    const secrets = ['demo-station', 'demo-password', 'd3m0f00d5ca1ab1e0ddba11ca55e77e5', labelPath]
    for (const [file, content] of await filesBelow(folder)) {
      const found = secrets.filter((secret) => content.includes(secret))
      expect([file, found]).toEqual([file, []])
    }
  })
})

async function filesBelow(folder: string): Promise<[string, Buffer][]> {
  const { readdir } = await import('node:fs/promises')
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`)
  return Promise.all(files.map(async (file): Promise<[string, Buffer]> => [file, await readFile(file)]))
}
