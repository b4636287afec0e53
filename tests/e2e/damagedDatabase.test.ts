import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { spoilText } from '../support/databaseDamage'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, outcome, picture } from './support/screens'

it('a station with one damaged byte restores a backup from the window, and still guards the reference', async () => {
  const folder = await temporaryFolder()
  const data = join(folder, 'data')
  const simulator = await testSimulator()
  const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
  const first = await launch(data, [provision])
  await fillShipment(first.page, { Reference: 'ORDER-1', Street: 'Dorpsstraat' })
  await first.page.keyboard.press('F9')
  await outcome(first.page, 'created')
  await first.app.close()
  const second = await launch(data)
  await expect
    .poll(() => readdir(join(data, 'backups')).catch(() => []))
    .toEqual([expect.stringMatching(/^packbench-[\d-]{10}-1\.db$/)])
  await second.app.close()

  expect(spoilText(join(data, 'packbench.db'), 'Dorpsstraat')).toBeGreaterThan(0)
  const { page } = await launch(data, [provision, '--hidden'])
  await page
    .getByText(/is damaged/)
    .first()
    .waitFor()
  await picture(page, 'damaged')
  await page.getByText('1 shipment', { exact: true }).waitFor()
  await page.getByRole('button', { name: /^Restore the backup of/ }).click()
  await fillShipment(page, { Reference: 'ORDER-1', Street: 'Dorpsstraat' })
  await page.keyboard.press('F9')
  await outcome(page, 'duplicate')
  expect(simulator.ledger.entries).toHaveLength(1)
})
