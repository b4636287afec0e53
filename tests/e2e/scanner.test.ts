import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { open, outcome, picture } from './support/screens'

const orders = `reference,first name,last name,street,house number,postal code,city,country
ORDER-1,Anna,Visser,Dorpsstraat,1,3511 AA,Utrecht,NL
ORDER-2,Bram,de Wit,Kerkstraat,2,1017 GC,Amsterdam,NL
`

/** A station with two orders. Under load a machine types more slowly than a scanner. */
async function station(set: object = {}) {
  const folder = await temporaryFolder()
  const simulator = await testSimulator()
  const provisioning = { ...stationProvisioning(simulator.baseUrl), scanner: { maxGapMs: 1000 }, ...set }
  const { page, complaints } = await launch(join(folder, 'data'), [
    await provisionSwitch(folder, provisioning),
  ])
  await page.keyboard.press('F3')
  const file = join(folder, 'orders.csv')
  await writeFile(file, orders)
  await page.locator('input[type="file"]').setInputFiles(file)
  await page.getByRole('dialog').getByRole('button', { name: 'Import 2 orders' }).click()
  await expect.poll(() => page.getByTestId('order-row').count()).toBe(2)
  return { page, simulator, complaints }
}

async function scan(page: Page, code: string): Promise<void> {
  await page.keyboard.type(code)
  await page.keyboard.press('Enter')
}

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })

describe('a scanner', () => {
  it('brings orders to Ship from any field of any screen, and leaves the field as it was', async () => {
    const { page, simulator, complaints } = await station()
    await open(page, 'History')
    const search = field(page, 'Search')
    await search.pressSequentially('Jan', { delay: 1100 })
    await scan(page, 'ORDER-1')
    await expect.poll(() => field(page, 'Last name').inputValue()).toBe('Visser')
    await open(page, 'History')
    expect(await search.inputValue()).toBe('Jan')

    await open(page, 'Ship')
    await field(page, 'Content').fill('Books')
    await field(page, 'Content').focus()
    await scan(page, 'ORDER-2')
    await expect.poll(() => field(page, 'Last name').inputValue()).toBe('de Wit')
    expect(await field(page, 'Content').inputValue()).toBe('')
    await picture(page, 'scanned-order')

    await page.locator('input:focus').and(field(page, 'Weight (kg)')).waitFor()
    await scan(page, 'NO-SUCH-ORDER')
    await page.getByTestId('scan-notice').getByText('NO-SUCH-ORDER').waitFor()
    await picture(page, 'scan-unknown')
    expect(await field(page, 'Weight (kg)').inputValue()).toBe('1')
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(['ORDER-2'])
    expect(complaints).toEqual([])
  })
})
