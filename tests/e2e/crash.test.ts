import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, outcome } from './support/screens'

describe('a SIGKILL in the middle of a creation', () => {
  it.each([
    ['before the service answers', { kind: 'hangAfterReading' as const }],
    ['while the answer is slow', { kind: 'slow' as const, ms: 10_000 }],
  ])('%s leaves the shipment unknown and locked, and it is never sent again', async (_when, fault) => {
    const folder = await temporaryFolder()
    const data = join(folder, 'data')
    const simulator = await testSimulator()
    const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
    const { page, kill } = await launch(data, [provision])
    simulator.faults.add({ operation: 'shipment', fault, times: 1 })
    await fillShipment(page, { Reference: 'ORDER-1' })
    await page.keyboard.press('F9')
    await expect.poll(() => simulator.requests.filter((one) => one.operation === 'shipment').length).toBe(1)
    await kill()

    const again = await launch(data, [provision])
    const found = await again.page.evaluate(() =>
      window.packbench.searchShipments({ text: '', onlyNeedingAttention: true, limit: 5 }),
    )
    expect(found).toMatchObject({
      ok: true,
      value: { shipments: [{ reference: 'ORDER-1', state: 'unknown' }] },
    })
    await fillShipment(again.page, { Reference: 'ORDER-1' })
    await again.page.keyboard.press('F9')
    await outcome(again.page, 'error').catch(() => outcome(again.page, 'unknown'))
    expect(simulator.requests.filter((one) => one.operation === 'shipment')).toHaveLength(1)
    await fillShipment(again.page, { Reference: 'ORDER-2' })
    await again.page.keyboard.press('F9')
    await outcome(again.page, 'created')
  })
})
