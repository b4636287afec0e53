import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { describe, expect, it } from 'vitest'
import { deferred } from '../support/deferred'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { answerDialogs } from './support/dialogs'
import { launch } from './support/drivenApp'
import { type DrivenStation, sharedStation, startStation } from './support/provisioned'
import { choose, fillShipment, open, outcome, picture, printed } from './support/screens'

const station = sharedStation()

async function connect(page: Page, baseUrl: string, password: string): Promise<void> {
  await page.getByLabel('Base URL').fill(baseUrl)
  await page.getByLabel('User name').fill('demo-station')
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
}

describe('a new station', () => {
  it('is set up after a wrong password and ships, and its file is the service’s label byte for byte', async () => {
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const { app, page, complaints } = await launch(join(folder, 'data'))
    // Main asks for consent to a new folder for labels.
    await answerDialogs(app, 0)
    await page.getByRole('button', { name: 'English' }).click()
    await connect(page, simulator.baseUrl, 'wrong')
    // The error shows the service's message, and the input is kept.
    await page.getByText('User name or password is not correct').waitFor()
    expect(await page.getByLabel('Base URL').inputValue()).toBe(simulator.baseUrl)
    expect(await page.getByLabel('User name').inputValue()).toBe('demo-station')
    await connect(page, simulator.baseUrl, 'demo-password')
    await page.getByText('Packbench Demo Warehouse').first().waitFor()
    await page.getByRole('button', { name: 'Add carrier option' }).click()
    await page.getByLabel('Name, row 1').fill('Parcel Standard')
    await page.getByLabel('Carrier id, row 1').fill('1')
    await page.getByLabel('Option id, row 1').fill('11')
    await page.getByRole('button', { name: 'Next: Printer' }).click()
    await page.getByRole('button', { name: 'Add folder' }).click()
    await page.getByLabel('Folder path').fill(join(folder, 'labels out'))
    await page.getByRole('button', { name: 'Next: Label size' }).click()
    await page.getByText('Which labels are in the printer?').waitFor()
    await page.getByRole('button', { name: 'Start shipping' }).click()

    await fillShipment(page, { Reference: 'ORDER-1' })
    await choose(page, 'Carrier option', 'Parcel Standard')
    await choose(page, 'Country', 'Netherlands')
    await page.keyboard.press('F9')

    const { barcode } = await outcome(page, 'created')
    const file = await printed(page)
    expect((await readFile(file)).equals(Buffer.from(simulator.getLabel(barcode) ?? []))).toBe(true)
    const [signIn] = simulator.requests
    expect(signIn?.headers.map(([name]) => name)).toEqual(expect.arrayContaining(['AUTH_USER', 'AUTH_PW']))
    expect(simulator.deviations()).toEqual([])
    expect(complaints).toEqual([])
  })
})

describe('shipping', () => {
  it('creates one shipment, however often F9 is pressed, and continues with the code scanned meanwhile', async () => {
    const { page, simulator } = await station()
    const before = simulator.ledger.entries.length
    const typed = deferred<void>()
    simulator.faults.add({
      operation: 'shipment',
      fault: { kind: 'held', until: typed.promise },
      times: 1,
    })
    await fillShipment(page, { Reference: 'ONCE-1' })
    for (let press = 0; press < 5; press += 1) await page.keyboard.press('F9')
    await page.keyboard.type('ONCE-2')
    await page.keyboard.press('Enter')
    await page.getByTestId('kept-scans').getByText('ONCE-2').waitFor()
    await picture(page, 'kept-scan')
    typed.resolve()
    await outcome(page, 'created')
    const reference = page.getByLabel('Reference', { exact: true })
    await expect.poll(() => reference.inputValue()).toBe('ONCE-2')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('data-field'))).toBe('companyName')
    expect(simulator.ledger.entries.slice(before).map((entry) => entry.reference)).toEqual(['ONCE-1'])
  })

  it('reports invalid input at its field, keeps a refused draft for correction, and carries no weight over to the next parcel', async () => {
    const { page, simulator } = await station()
    // Not the usual consignee: once shipped to, it would fill in the street.
    const other = {
      Reference: 'WRONG-1',
      'Last name': 'Jansen',
      'House number': '7',
      'Postal code': '3512 AB',
    }
    await fillShipment(page, { ...other, 'Weight (kg)': '0', Street: '' })
    await page.keyboard.press('F9')
    await page.getByText('Type a weight above 0').waitFor()
    await page.getByText('Fill in: Street.').waitFor()
    expect(simulator.ledger.listByReference('WRONG-1')).toEqual([])

    simulator.faults.add({
      operation: 'shipment',
      fault: { kind: 'refused', message: 'Postal code does not belong to the city' },
      times: 1,
    })
    await fillShipment(page, { ...other, City: 'Utrecht', 'Weight (kg)': '7.5' })
    await page.keyboard.press('F9')
    expect((await outcome(page, 'refused')).text).toContain('Postal code does not belong to the city')
    expect(await page.getByLabel('Reference', { exact: true }).inputValue()).toBe('WRONG-1')
    expect(await page.getByLabel('City', { exact: true }).inputValue()).toBe('Utrecht')
    await page.getByLabel('City', { exact: true }).fill('Amsterdam')
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await expect.poll(() => page.getByLabel('Reference', { exact: true }).inputValue()).toBe('')
    expect(await page.getByLabel('Weight (kg)', { exact: true }).inputValue()).toBe('1')
  })

  it('asks about a reference that was shipped before: reprint its label or deliberately ship it again', async () => {
    const { page, simulator } = await station()
    await fillShipment(page, { Reference: 'TWICE-1' })
    await page.keyboard.press('F9')
    const { barcode } = await outcome(page, 'created')
    await printed(page)
    await fillShipment(page, { Reference: 'TWICE-1' })
    await page.keyboard.press('F9')
    const question = page.getByRole('dialog')
    await question.getByText(barcode).waitFor()
    await question.getByRole('button', { name: 'Reprint that label' }).click()
    await expect.poll(() => printedFiles(page, 'TWICE-1')).toBe(2)
    expect(simulator.ledger.listByReference('TWICE-1')).toHaveLength(1)

    await fillShipment(page, { Reference: 'TWICE-1' })
    await page.keyboard.press('F9')
    await page.getByRole('button', { name: 'Ship again anyway' }).click()
    await expect.poll(() => simulator.ledger.listByReference('TWICE-1').length).toBe(2)
    await outcome(page, 'created')
  })
})

/** The number of labels of a reference that were printed into the folder, according to the journal. */
async function printedFiles(page: Page, reference: string): Promise<number> {
  return page.evaluate(async (text) => {
    const found = await window.packbench.searchShipments({
      text,
      onlyNeedingAttention: false,
      limit: 10,
    })
    if (!found.ok) return -1
    const shipments = await Promise.all(
      found.value.shipments.map(({ id }) => window.packbench.getShipment({ shipmentId: id })),
    )
    return shipments.flatMap((one) => (one.ok ? one.value.jobs.filter((job) => job.state === 'done') : []))
      .length
  }, reference)
}

const quick = { network: { connectTimeoutMs: 1000, answerTimeoutMs: 800 } }

/** Ships a reference whose answer is lost. */
async function lost(running: DrivenStation, reference: string) {
  await running.page.evaluate((change) => window.packbench.changeSettings(change), quick)
  running.simulator.faults.add({ operation: 'shipment', fault: { kind: 'hangAfterReading' }, times: 1 })
  await fillShipment(running.page, { Reference: reference })
  await running.page.keyboard.press('F9')
  await outcome(running.page, 'unknown')
}

describe('an unknown outcome', () => {
  it('locks the reference until it is resolved as existing', async () => {
    const running = await station()
    await lost(running, 'LOST-1')
    const { page, simulator } = running
    await page.keyboard.press('F9')
    expect((await outcome(page, 'error')).text).toContain('LOST-1')
    expect(simulator.ledger.listByReference('LOST-1')).toHaveLength(1)
    await page.getByRole('button', { name: 'Resolve it' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Tracking code of the shipment').fill('3SXX42')
    await dialog.getByRole('button', { name: 'Save: it exists' }).click()
    await open(page, 'History')
    await page.getByLabel('Search', { exact: true }).fill('3SXX42')
    await page.getByRole('region', { name: 'Details' }).getByText('3SXX42').first().waitFor()
  })
})

describe('a label that will never arrive', () => {
  it('is closed with a reason in History, and no longer counts as an open problem', async () => {
    const { page } = await station()
    await fillShipment(page, { Reference: 'NOLABEL-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await page.getByRole('button', { name: '1 open problem' }).click()
    await page.getByText('NOLABEL-1').first().click()
    await page.getByRole('button', { name: 'Close this problem…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Close the problem' }).click()
    await dialog.getByText('Type a reason.').waitFor()
    await dialog.getByLabel('Reason').fill('Label came by e-mail')
    await picture(page, 'close-problem')
    await page.keyboard.press('Enter')
    await page.getByText('Closed: Label came by e-mail').waitFor()
    await page.getByText('No open problems').waitFor()
    await picture(page, 'closed-problem')
  })
})

describe('a station after a restart', () => {
  it('reprints its label with F8 and from History without the service, and frees an unknown reference once it is resolved as not existing', async () => {
    const running = await startStation()
    const { simulator, data } = running
    await fillShipment(running.page, { Reference: 'ORDER-1' })
    await running.page.keyboard.press('F9')
    const { barcode } = await outcome(running.page, 'created')
    const first = await printed(running.page)
    await lost(running, 'ORDER-2')
    await running.page.getByRole('button', { name: 'Resolve it' }).first().waitFor()
    await running.close()
    const creationsAndLabels = () =>
      simulator.requests.filter(({ operation }) => operation === 'shipment' || operation === 'label').length
    const before = creationsAndLabels()

    const { page } = await launch(data)
    const found = await page.evaluate(() =>
      window.packbench.searchShipments({ text: 'order-1', onlyNeedingAttention: false, limit: 5 }),
    )
    expect(found).toMatchObject({ ok: true, value: { total: 1, shipments: [{ barcodes: [barcode] }] } })
    // Without a keyring the credentials end with the app, which asks for them at its next start.
    const later = page.getByRole('button', { name: 'Look around first' })
    await later.or(page.getByRole('navigation')).first().waitFor()
    if (await later.isVisible()) await later.click()
    await open(page, 'Ship')
    await page.keyboard.press('F8')
    await expect.poll(() => printedFiles(page, 'ORDER-1')).toBe(2)
    await page.locator('[data-testid="outcome"][data-label="out"]', { hasText: 'ORDER-1' }).waitFor()
    await open(page, 'History')
    await page.getByText('ORDER-1').first().click()
    await page
      .getByRole('button', { name: /^Reprint/ })
      .first()
      .click()
    await expect.poll(() => printedFiles(page, 'ORDER-1')).toBe(3)
    for (const copy of ['-2.pdf', '-3.pdf']) {
      const reprinted = first.replace(/\.pdf$/, copy)
      expect((await readFile(reprinted)).equals(await readFile(first))).toBe(true)
    }
    expect(creationsAndLabels()).toBe(before)

    await page.getByText('ORDER-2').first().click()
    await page.getByRole('button', { name: 'Resolve it' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'It does not exist' }).click()
    await dialog.getByRole('button', { name: 'Yes, I checked: it does not exist' }).click()
    await dialog.waitFor({ state: 'detached' })
    await open(page, 'Settings')
    await connect(page, simulator.baseUrl, 'demo-password')
    await page.getByText('Packbench Demo Warehouse').first().waitFor()
    await open(page, 'Ship')
    await fillShipment(page, { Reference: 'ORDER-2' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    expect(simulator.ledger.listByReference('ORDER-2')).toHaveLength(2)
  })
})

describe('History', () => {
  it('reprints the label of the order scanned into the search, never that of the shipment that was open', async () => {
    const { page } = await station()
    for (const reference of ['FOUND-A', 'FOUND-B']) {
      await fillShipment(page, { Reference: reference })
      await page.keyboard.press('F9')
      await outcome(page, 'created')
      await expect.poll(() => page.getByLabel('Reference', { exact: true }).inputValue()).toBe('')
    }
    await open(page, 'History')
    await page.getByText('FOUND-A').first().click()
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByRole('heading', { name: 'FOUND-A' }).waitFor()
    await page.getByLabel('Search', { exact: true }).fill('FOUND-B')
    await page.keyboard.press('Enter')
    await details.getByRole('button', { name: 'Reprint', exact: true }).click()
    await expect.poll(() => printedFiles(page, 'FOUND-B')).toBe(2)
    expect(await printedFiles(page, 'FOUND-A')).toBe(1)
    expect(await details.getByRole('heading', { level: 2 }).first().textContent()).toBe('FOUND-B')
    const reprinted = await page.evaluate(async () => {
      const queue = await window.packbench.listQueue(undefined)
      return queue.ok ? queue.value.filter((job) => job.kind === 'reprint').map((job) => job.reference) : []
    })
    expect(reprinted.filter((reference) => reference.startsWith('FOUND'))).toEqual(['FOUND-B'])
  })
})

describe('the window', () => {
  it('copies a number although the page has no clipboard permission', async () => {
    const { page, app } = await station()
    await fillShipment(page, { Reference: 'PHONE-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await open(page, 'History')
    await page.getByText('PHONE-1').first().click()
    await page.getByRole('button', { name: 'Copy SubLogID' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await app.evaluate(({ clipboard }) => clipboard.readText())
    const shipment = await page.evaluate(async () => {
      const found = await window.packbench.searchShipments({
        text: 'PHONE-1',
        onlyNeedingAttention: false,
        limit: 1,
      })
      const id = found.ok ? (found.value.shipments[0]?.id ?? '') : ''
      const details = await window.packbench.getShipment({ shipmentId: id })
      return details.ok ? details.value.subLogId : null
    })
    expect(copied).toBe(shipment)
  })
})

describe('a Dutch station', () => {
  const dutch = sharedStation({ language: 'nl' })

  it('is not shown as without an account when its service can’t be reached, and gives the reason without a system error code', async () => {
    const { page, simulator } = await dutch()
    await simulator.close()
    await page.evaluate(() => window.packbench.testAccount(undefined))
    const ship = page.getByRole('main')
    await ship.getByText('Geen verbinding met de service').waitFor()
    await ship.getByText('de verbinding wordt geweigerd').waitFor()
    expect(await ship.textContent()).not.toContain('Er is geen account verbonden')
    await page.getByRole('contentinfo').getByText('Service niet bereikbaar').waitFor()
    await picture(page, 'service-off-nl')
  })

  // The last test: the page of the shared station does not come back for Playwright.
  it('loads its page again when that crashes', async () => {
    const { app } = await dutch()
    const pageProcess = () =>
      app.evaluate(({ BrowserWindow }) => {
        const contents = BrowserWindow.getAllWindows()[0]?.webContents
        const works = contents !== undefined && !contents.isCrashed() && !contents.isLoading()
        return works ? contents.getOSProcessId() : 0
      })
    const before = await pageProcess()
    expect(before).toBeGreaterThan(0)
    await app.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer(),
    )
    await expect.poll(async () => [0, before].includes(await pageProcess())).toBe(false)
  })
})
