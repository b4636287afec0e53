import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { axeFindings } from './support/accessibility'
import { resize, usualSize } from './support/layout'
import { skipOpenOrders } from './support/orders'
import { type DrivenStation, sharedStation } from './support/provisioned'
import { open, outcome, picture, printed, tabTo } from './support/screens'

// Slow typing is a scan too, because a machine under load types slowly.
const shared = sharedStation({ scanner: { maxGapMs: 1000 } })

/** The station with no order left to ship: those of an earlier test are skipped. */
async function station(): Promise<DrivenStation> {
  const driven = await shared()
  await skipOpenOrders(driven.page)
  return driven
}

function countShipped(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const counts = await window.packbench.countOrders(undefined)
    if (!counts.ok) throw new Error(counts.error.message)
    return counts.value.shipped
  })
}

describe('orders of a web shop', () => {
  // The first test, since it counts the orders in all lists.
  it('are imported from the shop’s export, corrected, skipped, put back, and shipped by one scan and the weight', async () => {
    const { page, folder, simulator, complaints } = await station()
    await page.keyboard.press('F3')
    await page.getByText('No orders in this list').waitFor()
    await picture(page, 'orders-empty')
    const text = await readFile(new URL('../support/orderExports/shopify.csv', import.meta.url), 'utf8')
    const file = join(folder, 'orders_export.csv')
    await writeFile(
      file,
      text.replace("Hauptstraße 5,,,Köln,'50667,,DE,,,", "Hauptstraße 5,,,,'50667,,DE,,,"),
    )
    await page.locator('input[type="file"]').setInputFiles(file)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('2 orders. Rows: 3.').waitFor()
    await dialog.getByText('1 order has something to correct').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await picture(page, 'orders-import')
    await dialog.getByRole('button', { name: 'Import 2 orders' }).click()
    await dialog.waitFor({ state: 'detached' })

    const rows = page.getByTestId('order-row')
    await page.getByRole('button', { name: 'To ship (1)' }).waitFor()
    await expect.poll(() => rows.count()).toBe(1)
    await page.getByRole('button', { name: 'Problems (1)' }).click()
    await rows.filter({ hasText: '#1002' }).getByRole('button').click()
    await page.getByText('Fill in: City.').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await picture(page, 'orders-problem')
    await page.getByRole('complementary').getByLabel('City', { exact: true }).fill('Köln')
    await page.getByRole('button', { name: 'Save and check again' }).click()
    // While an order is open, the lists are a single select.
    await page.locator('select').and(page.getByLabel('Lists of orders')).selectOption('To ship (2)')
    await expect.poll(() => rows.count()).toBe(2)

    await page.getByLabel('Select order #1001').check()
    await page.getByRole('button', { name: 'Skip', exact: true }).click()
    await page.getByLabel('Reason for skipping').fill('collected')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Skipped (1)' }).click()
    await rows.filter({ hasText: '#1001' }).getByRole('button').click()
    await page.getByText('Skipped: collected').waitFor()
    await page.getByRole('complementary').getByRole('button', { name: 'Put back' }).click()
    await page.getByRole('button', { name: 'To ship (2)' }).click()
    await page.getByLabel('Search orders').fill('koln muller')
    await expect.poll(() => rows.count()).toBe(1)
    await picture(page, 'orders-search')
    await page.getByLabel('Search orders').fill('')
    await expect.poll(() => rows.count()).toBe(2)
    await page.getByRole('button', { name: 'Filter and sort' }).click()
    await page.getByLabel('Country').selectOption('DE')
    await expect.poll(() => rows.count()).toBe(1)
    expect(await axeFindings(page)).toEqual([])
    await picture(page, 'orders-filters')
    await page.getByRole('button', { name: 'No filters' }).click()
    await page.keyboard.press('Escape')
    await page.getByLabel('From day').waitFor({ state: 'hidden' })
    await expect.poll(() => rows.count()).toBe(2)

    await rows.first().getByRole('button').focus()
    await page.keyboard.press('Control+a')
    await page.getByText('2 orders selected').waitFor()
    await picture(page, 'orders-selected')
    await page.getByRole('button', { name: 'Select none' }).click()
    await rows.first().getByRole('button').focus()
    await page.keyboard.press('Space')
    await page.getByText('1 order selected').waitFor()
    await page.keyboard.press('Shift+ArrowDown')
    await page.getByText('2 orders selected').waitFor()
    await page.getByRole('button', { name: 'Select none' }).click()

    // A scanner types the order number and ends it with Enter; only the weight is missing.
    await open(page, 'Ship')
    await page.keyboard.type('#1001')
    await page.keyboard.press('Enter')
    await page.locator('input:focus').and(page.getByLabel('Weight (kg)')).waitFor()
    expect(await page.getByLabel('Street', { exact: true }).inputValue()).toBe('Dorpsstraat')
    await picture(page, 'orders-filled')
    expect(await axeFindings(page)).toEqual([])
    // For the first parcel a person types its weight and Enter.
    for (const key of ['1', ',', '2', 'Enter']) await page.keyboard.press(key)
    await outcome(page, 'created')
    const [request] = simulator.requests.filter(({ operation }) => operation === 'shipment')
    expect(JSON.parse(request?.body ?? '')).toMatchObject({
      reference: '#1001',
      weight: 1.2,
      city: 'Utrecht',
    })

    await page.keyboard.press('F3')
    await page.locator('option', { hasText: 'Shipped (1)' }).waitFor({ state: 'attached' })
    await rows.filter({ hasText: '#1002' }).getByRole('button').click()
    await page.getByRole('button', { name: 'Ship this order' }).click()
    await page.locator('input:focus').and(page.getByLabel('Weight (kg)')).waitFor()
    expect(await page.getByLabel('Reference', { exact: true }).inputValue()).toBe('#1002')
    expect(simulator.deviations()).toEqual([])
    expect(complaints).toEqual([])
  })

  it('are pasted, searched, shipped and printed in Dutch with the keyboard alone, and by a scan', async () => {
    const { app, page, simulator, complaints } = await station()
    await page.evaluate(() => window.packbench.changeSettings({ language: 'nl' }))
    await page.locator('html[lang="nl"]').waitFor()
    const shippedBefore = await countShipped(page)
    const sentBefore = simulator.ledger.entries.length
    const rows = [
      'Bestelnr.\tNaam ontvanger\tAfleveradres straat\tAfleveradres huisnr.\tAfleveradres postcode\tAfleveradres plaats\tLand',
      'NL-1\tAnna Visser\tDorpsstraat\t1\t3511 AA\tUtrecht\tNederland',
      'NL-2\tBram de Wit\tKerkstraat\t2\t1017 GC\tAmsterdam\tNederland',
      'NL-3\tEls Bos\tMarkt\t3\t2611 GP\tDelft\tNederland',
    ]
    await app.evaluate(({ clipboard }, text) => clipboard.writeText(text), rows.join('\r\n'))
    const weighAndShip = async () => {
      await page.locator('input:focus').and(page.getByLabel('Gewicht (kg)')).waitFor()
      for (const key of ['1', ',', '2', 'Enter']) await page.keyboard.press(key)
      await outcome(page, 'created')
      expect(await printed(page)).toContain('.pdf')
    }

    await page.keyboard.press('F3')
    await page.locator('input:focus').and(page.getByLabel('Orders zoeken')).waitFor()
    await page.keyboard.press('Control+V')
    await page.getByRole('dialog').getByText('3 orders. Rijen: 3.').waitFor()
    await page.locator('button:focus', { hasText: '3 orders importeren' }).waitFor()
    await picture(page, 'orders-import-nl')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Te verzenden (3)' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await tabTo(page, /^NL-1/)
    await page.keyboard.press('ArrowDown')
    await page.locator('button:focus', { hasText: 'NL-2' }).waitFor()
    await page.getByRole('complementary').getByRole('heading', { name: 'NL-2' }).waitFor()
    await picture(page, 'orders-chosen-nl')
    await page.keyboard.press('F9')
    expect(await page.getByLabel('Referentie', { exact: true }).inputValue()).toBe('NL-2')
    await weighAndShip()

    for (const key of 'NL-3') await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    await expect.poll(() => page.getByLabel('Plaats', { exact: true }).inputValue()).toBe('Delft')
    await weighAndShip()
    const references = simulator.ledger.entries.slice(sentBefore).map(({ reference }) => reference)
    expect(references).toEqual(['NL-2', 'NL-3'])
    const shippedList = `Verzonden (${shippedBefore + 2})`
    await page.keyboard.press('F3')
    await page
      .getByRole('button', { name: shippedList })
      .or(page.locator('option', { hasText: shippedList }))
      .first()
      .waitFor({ state: 'attached' })
    expect(complaints).toEqual([])
  })

  it('are filled in by a rule that was tried on them before it was saved', async () => {
    const { page, folder, complaints } = await station()
    await page.keyboard.press('F3')
    const text = await readFile(new URL('../support/orderExports/shopify.csv', import.meta.url), 'utf8')
    const file = join(folder, 'other_orders.csv')
    await writeFile(file, text.replaceAll('#100', '#200'))
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByRole('button', { name: 'Import 2 orders' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await open(page, 'Settings')
    await page.getByRole('tab', { name: 'Rules' }).click()
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await page.getByLabel('Name').fill('Germany')
    await page.getByLabel('Countries').fill('de')
    await page.getByLabel('Carrier option').selectOption('Parcel Standard')
    await page.getByRole('button', { name: 'Try the rules' }).click()
    await page.getByText('Germany (because: country DE)').waitFor()
    await page.getByText('No rule').waitFor()
    expect(await axeFindings(page)).toEqual([])
    await picture(page, 'rules')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Saved').waitFor()
    await page.keyboard.press('F3')
    await page.getByTestId('order-row').filter({ hasText: '#2002' }).getByRole('button').click()
    await page.getByText('Filled in by the rule “Germany”.').waitFor()
    expect(complaints).toEqual([])
  })

  it('scroll in their own list with only the visible rows in the document, and keep the actions in view', async () => {
    const { app, page, folder, complaints } = await station()
    await resize(app, page, { width: 1024, height: 700, zoom: 1 })
    await page.keyboard.press('F3')
    const file = join(folder, 'orders.csv')
    const line = (number: number) => `A-${number};Jan Smit;Dam;${number};1012 JS;Amsterdam;NL`
    const lines = Array.from({ length: 400 }, (_, index) => line(index + 1))
    await writeFile(file, ['Order;Name;Street;House number;Postal code;City;Country', ...lines].join('\n'))
    await page.locator('input[type="file"]').setInputFiles(file)
    await page.getByRole('button', { name: 'Import 400 orders' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const rows = page.getByTestId('order-row')
    await rows.first().waitFor()
    expect(await rows.count()).toBeLessThan(40)
    await rows.first().getByRole('button').focus()
    await page.keyboard.press('End')
    await page.locator('button:focus', { hasText: 'A-400' }).waitFor()
    expect(await rows.count()).toBeLessThan(40)
    await page.keyboard.press('Space')
    await page.getByRole('complementary').getByLabel('Second reference').fill('B-400')
    for (const name of [/^Ship this order/, /^Ship 1 order/, 'Save and check again']) {
      const { y = 0, height = 0 } = (await page.getByRole('button', { name }).boundingBox()) ?? {}
      expect(y).toBeGreaterThan(0)
      expect(y + height).toBeLessThan(660)
    }
    expect(await page.locator('main').evaluate((main) => main.scrollTop)).toBe(0)
    await picture(page, 'orders-many')
    expect(complaints).toEqual([])
    await resize(app, page, usualSize)
  })
})
