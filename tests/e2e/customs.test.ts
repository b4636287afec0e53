import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/temporaryFolder'
import { testSimulator } from '../support/testStation'
import { launch } from './support/drivenApp'
import { provisionSwitch, stationProvisioning } from './support/provisioned'
import { fillShipment, open, outcome } from './support/screens'

describe('a shipment out of the customs area', () => {
  it('gets customs data from the sender and the catalogue, and its invoice from the document printer', async () => {
    const folder = await temporaryFolder()
    const simulator = await testSimulator()
    const base = stationProvisioning(simulator.baseUrl)
    const printers = [...base.printers, { id: 'office', driver: 'folder', path: 'office' }]
    const provision = await provisionSwitch(folder, { ...base, printers })
    const { page, complaints } = await launch(join(folder, 'data'), [provision])

    await open(page, 'Settings')
    await page.getByRole('tab', { name: 'Customs' }).click()
    await page.getByLabel('Printer for documents').selectOption('office')
    await page.getByLabel('Print invoices').selectOption('with-label')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Add sender' }).click()
    await page.locator('input:focus').and(page.getByLabel('Name of this sender here')).waitFor()
    await page.getByLabel('Name of this sender here').fill('Head office')
    await page.getByLabel('Company', { exact: true }).fill('Van Dijk Webshops B.V.')
    await page.getByRole('button', { name: 'Save sender' }).click()
    await expect.poll(() => page.getByRole('button', { name: 'Add sender' }).isEnabled()).toBe(true)
    const products = join(folder, 'products.csv')
    await writeFile(
      products,
      'code;name;hsCode;countryOfOrigin;weight;price\nB1;Book;490199;NL;0,4;12,5\nP1;Pen;960810;CN;0,01;1,2\n',
    )
    await page.locator('input[type="file"]').setInputFiles(products)
    await page.getByText('2 added').waitFor()

    await open(page, 'Ship')
    await fillShipment(page, { Reference: 'EXPORT-1', 'Weight (kg)': '0.7' })
    await page.locator('input[data-field="country"]').fill('CH')
    // Advice under a left field moves the controls below it, so the switch is clicked only once the advice is shown.
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('Tab')
    await page.getByText('customs data are probably needed').waitFor()
    await page.getByLabel('Add customs data and a commercial invoice').click()
    // The missing fields are below the visible part: the focus moves to the first, and their number is shown beside the button.
    await page.keyboard.press('F9')
    await page.getByText('3 fields need attention.').waitFor()
    await page.locator('input:focus').and(page.getByLabel('Origin, item 1')).waitFor()
    const scan = page.getByLabel('Scan or type a product code')
    for (const code of ['b1', 'B1', 'p1']) {
      await scan.fill(code)
      await scan.press('Enter')
      await expect.poll(() => scan.inputValue()).toBe('')
    }
    await page.getByText('Pieces: 3, 0.81 kg, EUR 26.20').waitFor()
    await page.getByText('more than the parcels (0.7 kg)').waitFor()
    await page.getByRole('button', { name: 'Clear form' }).click()
    expect(await page.getByLabel('Add customs data and a commercial invoice').isChecked()).toBe(false)
    await page.getByRole('button', { name: 'Undo clear' }).click()
    await page.getByText('Pieces: 3, 0.81 kg, EUR 26.20').waitFor()
    await page.keyboard.press('F9')
    await outcome(page, 'created')

    const [request] = simulator.requests.filter(({ operation }) => operation === 'shipment')
    const body: unknown = JSON.parse(request?.body ?? '')
    expect(body).toMatchObject({
      shipment_details: {
        invoice_number: 'INV-00001',
        invoice_terms: 'DAP',
        invoice_currency: 'EUR',
        sender: { invoice_sender_company_name: 'Van Dijk Webshops B.V.', invoice_sender_type: 'Y' },
        recipient: { invoice_recipient_country: 'CH' },
        invoice_items: [
          { productcode: 'B1', quantity: 2, tariffcode: '490199', weight: 0.4, itemprice: 12.5 },
          { productcode: 'P1', quantity: 1, country_origin: 'CN' },
        ],
      },
    })
    expect(simulator.deviations()).toEqual([])
    await expect.poll(() => readdir(join(folder, 'data', 'office')).then((files) => files.length)).toBe(1)

    await open(page, 'History')
    await page.getByText('EXPORT-1').first().click()
    await page.getByRole('button', { name: 'Show invoice' }).click()
    await page.getByRole('img', { name: 'First page of the invoice' }).waitFor()
    await page.getByRole('button', { name: 'Print invoice' }).click()
    await page.getByText('In the print queue of office.').waitFor()
    await open(page, 'Queue')
    await page.getByLabel('Show finished jobs').click()
    // One invoice was printed with the label, and one by this click.
    await expect.poll(() => page.getByRole('button', { name: 'Invoice for EXPORT-1' }).count()).toBe(2)
    await expect.poll(() => page.getByTestId('job').and(page.locator('[data-state="done"]')).count()).toBe(3)
    expect(complaints).toEqual([])
  })
})
