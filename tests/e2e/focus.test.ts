import type { Locator, Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { demoAccount } from '../../src/simulator/demo'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { look } from './support/accessibility'
import { answerDialogs } from './support/dialogs'
import { launch } from './support/drivenApp'
import { resize, usualSize } from './support/layout'
import { sharedStation } from './support/provisioned'
import { fillShipment, open, outcome, picture } from './support/screens'

async function hasFocus(element: Locator): Promise<void> {
  await expect.poll(() => element.evaluate((each) => each === document.activeElement)).toBe(true)
}

function field(page: Page, name: string): Locator {
  return page.getByLabel(name, { exact: true })
}

describe('set-up by keyboard', () => {
  it('starts with the language step and the cursor in its first field, and ends with a test label', async () => {
    const simulator = await testSimulator()
    const { app, page } = await launch(await temporaryFolder())
    await answerDialogs(app, 0)
    await hasFocus(page.getByRole('button', { name: 'English' }))
    await picture(page, 'setup-language')
    await page.getByRole('button', { name: 'Nederlands' }).click()
    await hasFocus(field(page, 'Basis-URL'))
    await picture(page, 'setup-nl')
    await page.getByRole('button', { name: 'Terug' }).click()
    await hasFocus(page.getByRole('button', { name: 'Nederlands' }))
    await page.keyboard.press('Shift+Tab')

    // From here to the test label the keyboard alone is used. Typed texts are not counted as key presses.
    let keys = 0
    const press = async (key: string) => {
      keys += 1
      await page.keyboard.press(key)
    }
    const tabTo = async (element: Locator) => {
      for (let tabs = 0; !(await element.evaluate((each) => each === document.activeElement)); tabs += 1) {
        if (tabs > 20) throw new Error(`Tab does not come to ${element}`)
        await press('Tab')
      }
    }
    await press('Enter')
    await hasFocus(field(page, 'Base URL'))
    const account = demoAccount(simulator.baseUrl)
    for (const text of [account.baseUrl, account.user, account.password]) {
      await page.keyboard.type(text)
      await press('Enter')
    }
    await hasFocus(page.getByRole('button', { name: 'Add carrier option' }))
    await press('Enter')
    await hasFocus(field(page, 'Name, row 1'))
    await page.keyboard.type('Parcel Standard')
    await tabTo(field(page, 'Carrier id, row 1'))
    await page.keyboard.type('1')
    await tabTo(field(page, 'Option id, row 1'))
    await page.keyboard.type('11')
    await tabTo(page.getByRole('button', { name: 'Next: Printer' }))
    await press('Enter')
    await page.getByText('Where do labels come out?').waitFor()
    await tabTo(page.getByRole('button', { name: 'Add folder' }))
    await press('Enter')
    await hasFocus(field(page, 'Name'))
    await page.keyboard.type('Bench 1')
    await tabTo(field(page, 'Folder path'))
    await page.keyboard.type('out')
    await tabTo(page.getByRole('button', { name: 'Next: Label size' }))
    await press('Enter')
    await hasFocus(page.getByRole('button', { name: 'Print a test label' }))
    await press('Enter')
    await page.getByText(/The test label was written to/).waitFor()
    expect(keys).toBeLessThanOrEqual(40)
    await picture(page, 'setup-test-label')
    await look(page, 'Set-up, test label')
    await page.keyboard.press('Tab')
    await hasFocus(page.getByRole('button', { name: 'It came out right' }))
    await page.keyboard.press('Enter')
    await page.getByText('The test label came out right.').waitFor()
    await hasFocus(page.getByRole('button', { name: 'Next: First order' }))
    await page.keyboard.press('Enter')
    await hasFocus(page.getByRole('button', { name: 'Fill in the sample' }))
    await page.getByRole('button', { name: 'Start shipping' }).click()
    await hasFocus(field(page, 'Reference'))
  })
})

describe('the keyboard focus', () => {
  const station = sharedStation()

  it('moves into an added row, and to the neighbour of a removed one', async () => {
    const { page } = await station()
    await open(page, 'Settings')
    await page.getByRole('tab', { name: 'Carriers' }).click()
    for (const row of [2, 3]) {
      await page.getByRole('button', { name: 'Add carrier option' }).click()
      await hasFocus(field(page, `Name, row ${row}`))
      await page.keyboard.type(`Option ${row}`)
    }
    await page.getByRole('button', { name: 'Remove Option 2' }).click()
    await hasFocus(field(page, 'Name, row 2'))
    expect(await field(page, 'Name, row 2').inputValue()).toBe('Option 3')
    await page.getByRole('button', { name: 'Remove Option 3' }).click()
    await hasFocus(field(page, 'Name, row 1'))
  })

  it('stays in the scan field when a scan adds a row, and moves when a button adds one', async () => {
    const { page } = await station()
    await page.getByLabel('Add customs data and a commercial invoice').check()
    const scan = page.getByLabel('Scan or type a product code')
    await page.getByRole('button', { name: 'Add item' }).click()
    await hasFocus(field(page, 'Code, item 2'))
    await scan.fill('B1')
    await scan.press('Enter')
    await page.getByText('B1', { exact: false }).first().waitFor()
    await hasFocus(scan)
  })

  it('is in the reference after a shipment, with the outcome in view even at 150 % zoom', async () => {
    const { app, page } = await station()
    await resize(app, page, { width: 1280, height: 800, zoom: 1.5 })
    await fillShipment(page, { Reference: 'SEEN-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await hasFocus(field(page, 'Reference'))
    const title = page.getByTestId('outcome').getByRole('heading')
    const place = () => title.boundingBox()
    await expect.poll(async () => (await place())?.y ?? -1).toBeGreaterThan(0)
    expect((await place())?.y).toBeLessThan(300)
    await resize(app, page, usualSize)
  })

  it('does not start on a button that pauses a printer', async () => {
    const { page } = await station()
    await field(page, 'Reference').focus()
    await page.keyboard.press('Control+4')
    await hasFocus(page.getByRole('switch', { name: 'Show finished jobs' }))
  })

  it('returns to the screen after a dialog, even if the element that opened it is gone', async () => {
    const { page, simulator } = await station()
    simulator.faults.add({ operation: 'shipment', fault: { kind: 'htmlError' }, times: 1 })
    await fillShipment(page, { Reference: 'ASKED-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'unknown')
    await open(page, 'History')
    await page.getByRole('table', { name: 'Shipments' }).getByText('ASKED-1').click()
    const details = page.getByRole('region', { name: 'Details' })
    const opener = details.getByRole('button', { name: 'Resolve it' })
    await opener.click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await hasFocus(opener)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'It does not exist' }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /I checked/ })
      .click()
    await opener.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true)
  })
})
