import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright'
import { expect, it } from 'vitest'
import { toCsv } from '../support/manifests/lines'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { axeFindings } from './support/accessibility'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, open, outcome, picture } from './support/screens'

/** The colours, border and outline of an element as the system's forced colours change them. */
function paint(element: Locator) {
  return element.evaluate((each) => {
    const { backgroundColor, borderColor, borderWidth, outlineStyle, outlineWidth } = getComputedStyle(each)
    return { backgroundColor, borderColor, borderWidth, outlineStyle, outlineWidth }
  })
}

async function expectDifferent(one: Locator, other: Locator): Promise<void> {
  expect(await paint(one)).not.toEqual(await paint(other))
}

async function expectOutline(element: Locator): Promise<void> {
  expect(await paint(element)).toMatchObject({ outlineStyle: 'solid', outlineWidth: '3px' })
}

async function goThrough(page: Page, folder: string): Promise<void> {
  const chosen = page.getByRole('navigation').locator('[aria-current="page"]')
  await expectDifferent(
    chosen,
    page.getByRole('navigation').getByRole('button', { name: 'Track', exact: true }),
  )
  await expectOutline(page.getByLabel('Reference', { exact: true }))
  await expectDifferent(
    page.getByRole('button', { name: 'Create and print' }),
    page.getByRole('button', { name: 'Clear form' }),
  )
  await picture(page, 'forced-ship')

  await open(page, 'History')
  await page.getByText('ORDER-2').first().click()
  await expectOutline(page.locator('tr[aria-current="true"]'))
  expect(await paint(page.getByText('Outcome unknown', { exact: true }).first())).toMatchObject({
    borderWidth: '1px',
  })
  await picture(page, 'forced-history')

  await open(page, 'Track')
  const front = page.getByRole('tab', { name: 'One code' })
  await expectDifferent(front, page.getByRole('tab', { name: 'Bulk look-up' }))
  await page.getByRole('tab', { name: 'Board' }).click()
  const tile = page.getByRole('button', { name: 'All parcels' })
  await tile.click()
  await expectOutline(tile)
  await picture(page, 'forced-board')

  await open(page, 'Settings')
  await page.getByRole('tab', { name: 'Station' }).click()
  const track = page.locator('.mantine-Switch-track').first()
  const thumb = track.locator('.mantine-Switch-thumb')
  const off = { track: await paint(track), thumb: await paint(thumb) }
  expect(off.track.borderWidth).toBe('2px')
  expect(off.thumb.backgroundColor).not.toBe(off.track.backgroundColor)
  await page.getByRole('switch').first().check({ force: true })
  const on = { track: await paint(track), thumb: await paint(thumb) }
  expect(on.track.backgroundColor).not.toBe(off.track.backgroundColor)
  expect(on.thumb.backgroundColor).not.toBe(on.track.backgroundColor)
  await picture(page, 'forced-station')

  await open(page, 'Manifests')
  await page.getByLabel('Air waybill number').fill('074-12345675')
  await page.keyboard.press('Enter')
  await page.getByRole('grid').waitFor()
  const lines = join(folder, 'lines.csv')
  await writeFile(lines, toCsv(3).replaceAll('Keizersgracht', ''))
  await page.locator('input[type="file"]').first().setInputFiles(lines)
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('grid').press('Delete')
  const faulty = page.locator('[role="gridcell"][data-issue="error"]').first()
  await faulty.waitFor()
  expect((await paint(faulty)).borderWidth).toContain('6px')
  await picture(page, 'forced-lines')
  expect(await axeFindings(page)).toEqual([])
}

it('the window shows selection, switches, focus and errors in the system’s forced colours', async () => {
  const folder = await temporaryFolder()
  const simulator = await testSimulator()
  const provision = await provisionSwitch(folder, stationProvisioning(simulator.baseUrl))
  const { page } = await launch(join(folder, 'data'), [provision])
  await page.emulateMedia({ forcedColors: 'active' })
  await fillShipment(page, { Reference: 'ORDER-1' })
  await page.keyboard.press('F9')
  await outcome(page, 'created')
  simulator.faults.add({ operation: 'shipment', fault: { kind: 'htmlError' }, times: 1 })
  await fillShipment(page, { Reference: 'ORDER-2' })
  await page.keyboard.press('F9')
  await outcome(page, 'unknown')
  await goThrough(page, folder)
})
