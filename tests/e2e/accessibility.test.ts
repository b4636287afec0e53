import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createTranslator } from '../../src/renderer/i18n/translator'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { look } from './support/accessibility'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, outcome, printed } from './support/screens'

describe.each([
  ['en', 'light'],
  ['nl', 'dark'],
] as const)('axe finds nothing and nothing is clipped (%s, %s)', (language, appearance) => {
  const { t } = createTranslator(language)

  it('on the screens of daily work', async () => {
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
    const { page, complaints } = await launch(join(folder, 'data'), [provision])
    await look(page, 'Ship')
    await fillShipment(page, { Reference: 'ORDER-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await printed(page)
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'htmlError' }, times: 1 })
    await fillShipment(page, { Reference: 'ORDER-2' })
    // Texts are in English until here, so that the fields are found by their names.
    await page.evaluate((change) => window.packbench.changeSettings(change), { language, appearance })
    await page.locator(`html[lang="${language}"]`).waitFor()
    await page.keyboard.press('F9')
    await outcome(page, 'unknown')
    await look(page, 'Ship with an unknown outcome')
    for (const [key, screen] of [
      ['Control+2', 'Track'],
      ['Control+3', 'History'],
      ['Control+4', 'Queue'],
      ['Control+5', 'Manifests'],
      ['Control+6', 'Settings'],
    ] as const) {
      await page.keyboard.press(key)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await look(page, screen)
    }
    await page.keyboard.press('Control+3')
    await page.getByText('ORDER-2').first().click()
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    await look(page, 'History with details')
    await page.getByRole('button', { name: t('historyTable.filters'), exact: true }).click()
    await page.getByRole('dialog').waitFor()
    await look(page, 'History with filters')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: t('historyTable.report') }).click()
    await page.getByRole('figure').waitFor()
    await look(page, 'Report')
    await page.keyboard.press('Control+1')
    const company = page.locator('input[data-field="companyName"]')
    await expect
      .poll(
        async () => {
          await company.fill('')
          await company.pressSequentially('jan')
          return page.getByRole('option').count()
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(0)
    await page.keyboard.press('ArrowDown')
    await look(page, 'Ship with suggestions')
    expect(complaints).toEqual([])
  })

  it('on every tab of the settings', async () => {
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const station = { ...stationProvisioning(simulator.baseUrl), language, hotFolder: { path: 'exchange' } }
    const { page } = await launch(join(folder, 'data'), [await provisionSwitch(folder, station)])
    await page.evaluate((change) => window.packbench.changeSettings(change), { appearance })
    await page.keyboard.press('Control+6')
    const tabs = page.getByRole('tab')
    await tabs.first().waitFor()
    for (const tab of await tabs.all()) {
      await tab.click()
      await look(page, (await tab.textContent()) ?? '')
    }
  })

  it('on the set-up and the screen of a start error', async () => {
    const setUp = await launch(await temporaryFolder())
    await setUp.page.evaluate((change) => window.packbench.changeSettings(change), { language, appearance })
    await setUp.page.locator(`html[lang="${language}"]`).waitFor()
    await look(setUp.page, 'Set-up')
    await setUp.close()
    const broken = await temporaryFolder()
    await writeFile(join(broken, 'settings.json'), '{')
    const startError = await launch(broken)
    await look(startError.page, 'Trouble')
  })
})
