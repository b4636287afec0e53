import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { axeFindings } from './support/accessibility'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { open, outcome, picture } from './support/screens'

const orders = `reference,first name,last name,street,house number,postal code,city,country
ORDER-1,Anna,Visser,Dorpsstraat,1,3511 AA,Utrecht,NL
ORDER-2,Bram,de Wit,Kerkstraat,2,1017 GC,Amsterdam,NL
`

const sameConsignee = `ORDER-3,Anna,Visser,Dorpsstraat,1,3511 AA,Utrecht,NL
ORDER-4,Anna,Visser,Dorpsstraat,1,3511AA,Utrecht,NL
`

/** A station with two orders. It waits longer than usual for the next key of a scan, because a machine under load passes keys on slowly. */
async function station(set: object = {}, more = '') {
  const folder = await temporaryFolder()
  const simulator = await testSimulator()
  const provisioning = { ...stationProvisioning(simulator.baseUrl), scanner: { maxGapMs: 1000 }, ...set }
  const { page, complaints } = await launch(join(folder, 'data'), [
    await provisionSwitch(folder, provisioning),
  ])
  await page.keyboard.press('F3')
  const file = join(folder, 'orders.csv')
  await writeFile(file, orders + more)
  await page.locator('input[type="file"]').setInputFiles(file)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Import \d orders/ })
    .click()
  const count = orders.split('\n').length - 2 + more.split('\n').length - 1
  await expect.poll(() => page.getByTestId('order-row').count()).toBe(count)
  return { page, simulator, complaints }
}

/** Scans a code: its keys are pressed 2 ms after each other, however busy the machine is. */
function scan(page: Page, code: string): Promise<void> {
  return pressKeys(page, [...code, 'Enter'], 2)
}

/** Presses keys in steps of `gapMs`, the last one `gapMs` ago, according to the times of their events. */
async function pressKeys(page: Page, keys: readonly string[], gapMs: number): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const firstMs = Date.now() - keys.length * gapMs
  const sent = keys.flatMap((key, index) => {
    const timestamp = (firstMs + index * gapMs) / 1000
    const text = key === 'Enter' ? '\r' : key
    return (['keyDown', 'keyUp'] as const).map((type) =>
      session.send('Input.dispatchKeyEvent', {
        type,
        key,
        timestamp,
        ...(type === 'keyDown' ? { text } : {}),
      }),
    )
  })
  await Promise.all(sent)
  await session.detach()
}

const field = (page: Page, label: string) => page.getByLabel(label, { exact: true })

describe('a scanner', () => {
  it('opens orders on Ship from any field of any screen, and leaves the field unchanged', async () => {
    const { page, simulator, complaints } = await station({}, sameConsignee)
    await open(page, 'History')
    const search = field(page, 'Search')
    await search.focus()
    await pressKeys(page, [...'Jan'], 2000)
    await scan(page, 'ORDER-1')
    await expect.poll(() => field(page, 'Last name').inputValue()).toBe('Visser')
    await page.getByRole('button', { name: 'Keep apart' }).click()
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

    // Two orders for one consignee are combined by scans only.
    await scan(page, 'ORDER-1')
    const question = page.getByRole('dialog', { name: '2 more orders go to this consignee' })
    await question.waitFor()
    expect(await axeFindings(page)).toEqual([])
    await scan(page, 'ORDER-3')
    await question
      .getByRole('button', { name: 'Ship 2 orders together' })
      .and(page.locator(':focus'))
      .waitFor()
    await picture(page, 'combine')
    await scan(page, 'PBCMDCONFIRM')
    await page.getByText('One parcel together with ORDER-3.').waitFor()
    await picture(page, 'combined')
    await scan(page, 'PBCMDSHIP')
    await page.getByTestId('outcome').getByText('ORDER-1 + ORDER-3').waitFor()
    expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(['ORDER-2', 'ORDER-1'])
    await open(page, 'Orders')
    await expect.poll(() => page.getByTestId('order-row').allTextContents()).toHaveLength(1)
    expect(complaints).toEqual([])
  })

  it('ships, adds packages, reprints and pauses by command barcodes, and accepts no next order before the label is scanned', async () => {
    const { page, simulator } = await station({
      scanBack: { on: true, required: true },
      shipmentDefaults: { country: 'NL', carrier_id: 1, carrier_option_id: 11, weight: 2 },
    })
    await open(page, 'Ship')
    await scan(page, 'ORDER-1')
    await page.locator('input:focus').and(field(page, 'Weight (kg)')).waitFor()
    await scan(page, 'PBCMDPACKAGE')
    await page.getByTestId('scan-notice').getByText('Packages: 2').waitFor()
    expect(await field(page, 'Weight (kg)').inputValue()).toBe('2')
    await scan(page, 'PBCMDSHIP')
    const { barcode } = await outcome(page, 'created')
    const [first = '', second = ''] = barcode.split(' ')

    await scan(page, 'ORDER-2')
    await page.getByTestId('kept-scans').getByText('ORDER-2').waitFor()
    await page.getByTestId('scan-notice').getByText('Scan the label of ORDER-1 first').waitFor()
    await picture(page, 'label-first')
    expect(await axeFindings(page)).toEqual([])
    await scan(page, '3SWRONG0001')
    const stop = page.getByRole('dialog').getByText('STOP: this is another label')
    await stop.waitFor()
    await picture(page, 'wrong-label')
    await scan(page, '3SWRONG0001')
    await scan(page, 'PBCMDCONFIRM')
    await page.getByTestId('scan-notice').getByText('This can’t be done now.').waitFor()
    expect(await stop.isVisible()).toBe(true)
    await scan(page, first)
    await stop.waitFor({ state: 'detached' })
    await page.getByText(`Still to be scanned: ${second}`).waitFor()
    await scan(page, second)
    await expect.poll(() => field(page, 'Last name').inputValue()).toBe('de Wit')

    await scan(page, 'PBCMDREPRINT')
    await page.getByTestId('outcome').getByRole('listitem').filter({ hasText: 'Package 2' }).nth(1).waitFor()
    await scan(page, 'PBCMDPAUSE')
    await page.getByTestId('scan-notice').getByText('file is paused').waitFor()
    await scan(page, 'PBCMDPAUSE')
    await page.getByTestId('scan-notice').getByText('file prints again').waitFor()
    await scan(page, 'PBCMDSHIP')
    await outcome(page, 'created')
    await page.getByTestId('outcome').getByText('ORDER-2').first().waitFor()
    await page.getByRole('button', { name: 'Skip the scan…' }).click()
    await page.getByRole('button', { name: 'Scanner does not work' }).click()
    await picture(page, 'skip-scan')
    await page.getByRole('button', { name: 'Skip', exact: true }).click()
    await page.getByText('not scanned: Scanner does not work').first().waitFor()
    expect(simulator.ledger.entries.map(({ reference }) => reference)).toEqual(['ORDER-1', 'ORDER-2'])
    await open(page, 'Settings')
    await page.getByRole('tab', { name: 'Station' }).click()
    await page.getByRole('button', { name: 'Save the command sheet' }).scrollIntoViewIfNeeded()
    await picture(page, 'scanner-settings')
    expect(await axeFindings(page)).toEqual([])
  })
})
