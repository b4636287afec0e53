import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Stock } from '../../src/shared/printing'
import type { SettingsChange } from '../../src/shared/settings'
import { freePort, listenOnLoopback } from '../support/loopback'
import { startByteSink } from '../support/printing/byteSink'
import { readZplPictures } from '../support/printing/zplPicture'
import { answeringPrinter, type PrinterState } from '../support/printing/zplPrinter'
import { temporaryFolder } from '../support/temporaryFolder'
import { axeFindings } from './support/accessibility'
import { answerDialogs } from './support/dialogs'
import { sharedStation, startStation } from './support/provisioned'
import { fillShipment, open, outcome, picture, printed } from './support/screens'

/** A printer on a TCP port that accepts all bytes and never answers. */
async function networkPrinter() {
  const parts: Buffer[] = []
  const server = createServer((socket) => {
    socket.on('data', (part) => parts.push(part))
    socket.on('error', () => undefined)
  })
  const port = await listenOnLoopback(server)
  onTestFinished(() => {
    server.close()
  })
  // An idle printer receives status requests, which are not part of labels.
  const labels = () =>
    Buffer.concat(parts)
      .toString('latin1')
      .replaceAll(/~HS\r\n/g, '')
  return { port, received: labels }
}

const shared = sharedStation()
const usualStock: Stock = { widthMm: 100, heightMm: 150 }
const folder = { id: 'file', driver: 'folder', path: 'out' } as const

function zebra(port: number, stock: Stock) {
  const driver = { driver: 'socket', host: '127.0.0.1', port, dpi: 203 } as const
  return { id: 'zebra', name: 'Zebra bench 1', ...driver, stock, rotate: 0, copies: 1 } as const
}

/** The station with a network printer with the given stock, and a folder printer. */
async function station(stock: Stock, change: SettingsChange = {}, start = shared) {
  const printer = await networkPrinter()
  const driven = await start()
  await answerDialogs(driven.app, 0)
  const changed = await driven.page.evaluate((given) => window.packbench.changeSettings(given), {
    printers: [zebra(printer.port, stock), folder],
    routing: [{ printer: 'zebra' }],
    ...change,
  })
  expect(changed).toMatchObject({ ok: true })
  return { printer, ...driven }
}

/** Ships a reference on a Dutch screen. */
async function shipInDutch(page: Page, reference: string): Promise<void> {
  await page.getByRole('navigation').getByRole('button', { name: 'Verzenden', exact: true }).click()
  for (const [label, value] of Object.entries({
    Referentie: reference,
    Achternaam: 'de Vries',
    Straat: 'Keizersgracht',
    Plaats: 'Amsterdam',
  })) {
    await page.getByLabel(label, { exact: true }).fill(value)
  }
  await page.keyboard.press('F9')
}

/** The jobs of a reference on the Queue screen. */
function jobsOf(page: Page, reference: string): Locator {
  const name = page.getByRole('button', { name: reference, exact: true })
  return page.getByRole('listitem').filter({ has: name })
}

describe('a label of another size than the printer’s stock', () => {
  it('waits for one answer in the queue, and the next such label is printed without a question', async () => {
    const { page, printer, complaints } = await station({ widthMm: 152, heightMm: 102 })
    await fillShipment(page, { Reference: 'SIZE-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await page.locator('[data-testid="job"][data-state="waiting"]').waitFor()
    expect(printer.received()).toBe('')
    await open(page, 'Queue')
    await picture(page, 'queue-waiting')
    await page.getByRole('button', { name: 'Choose what is printed' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('As it will be printed').waitFor()
    await dialog.getByRole('img', { name: 'Printed label 1' }).waitFor()
    const suggestions = dialog.getByRole('radio')
    await expect.poll(() => suggestions.first().isChecked()).toBe(true)
    await expect
      .poll(() => suggestions.first().evaluate((radio) => radio === document.activeElement))
      .toBe(true)
    // The previews are rendered, and each is a different picture.
    const drawn = await dialog
      .locator('[role=radiogroup] canvas')
      .evaluateAll((canvases) =>
        canvases.map((canvas) => (canvas instanceof HTMLCanvasElement ? canvas.toDataURL() : '')),
      )
    expect(drawn.length).toBeGreaterThanOrEqual(await suggestions.count())
    expect(new Set(drawn).size).toBeGreaterThan(1)
    await page.keyboard.press('ArrowRight')
    await expect.poll(() => suggestions.nth(1).isChecked()).toBe(true)
    await picture(page, 'queue-placement-second')
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => suggestions.first().isChecked()).toBe(true)
    await dialog.getByRole('img', { name: 'Printed label 1' }).waitFor()
    await picture(page, 'queue-placement')
    const save = dialog.getByRole('button', { name: 'Remember and print' })
    const fields = { left: 'From the left (mm)', width: 'Width (mm)', size: 'Size (%)' }
    for (const [field, text] of [
      [fields.width, ''],
      [fields.size, ''],
      [fields.size, '5'],
      [fields.size, '900'],
      [fields.left, '300'],
      [fields.left, '-5'],
      [fields.width, '9999'],
    ] as const) {
      const input = dialog.getByRole('textbox', { name: field })
      const before = await input.inputValue()
      await input.fill(text)
      await input.blur()
      expect([field, await input.inputValue()]).toEqual([field, text])
      expect([text, await save.isDisabled()]).toEqual([text, true])
      const described = await input.evaluate((each) =>
        (each.getAttribute('aria-describedby') ?? '')
          .split(' ')
          .map((id) => document.getElementById(id)?.textContent),
      )
      expect(described.join(' ')).toMatch(/Fill in \d+ to [\d.]+\./)
      const isWide = await dialog.evaluate((each) => each.scrollWidth > each.clientWidth + 1)
      expect([text, isWide]).toEqual([text, false])
      if (text === '9999') await picture(page, 'queue-placement-faulty')
      await input.fill(before)
    }
    await expect.poll(() => save.isEnabled()).toBe(true)
    await dialog.getByRole('radio').first().check()
    await dialog.getByRole('img', { name: 'Printed label 1' }).waitFor()
    // axe sets inline styles, which the content security policy refuses: only complaints before this line count.
    expect(complaints).toEqual([])
    expect(await axeFindings(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Remember and print' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => readZplPictures(printer.received()).length).toBe(1)
    expect(readZplPictures(printer.received())[0]).toMatchObject({ width: 1216, height: 816 })

    await open(page, 'Ship')
    await fillShipment(page, { Reference: 'SIZE-2' })
    await page.keyboard.press('F9')
    await expect.poll(() => readZplPictures(printer.received()).length).toBe(2)
  })
})

describe('a page that belongs on another printer', () => {
  it('is printed there from the dialog, and later pages of its size automatically', async () => {
    const { page, printer } = await station({ widthMm: 152, heightMm: 102 })
    await fillShipment(page, { Reference: 'PAGE-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await open(page, 'Queue')
    await page.getByRole('button', { name: 'Choose what is printed' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Print them there' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('0 jobs open').waitFor()
    await open(page, 'Ship')
    await fillShipment(page, { Reference: 'PAGE-2' })
    await page.keyboard.press('F9')
    expect(await printed(page)).toContain('PAGE-2')
    expect(printer.received()).toBe('')
    await open(page, 'Settings')
    await page.getByRole('tab', { name: 'Printers' }).click()
    await page.getByLabel('Pages, rule 1').waitFor()
    await page.getByLabel('Pages, rule 1').scrollIntoViewIfNeeded()
    await picture(page, 'settings-page-rule')
  })
})

describe('the queue', () => {
  it('pauses a printer, moves its job to another one, and reprints the last label', async () => {
    const { page, printer } = await station(usualStock)
    await open(page, 'Queue')
    await page.getByRole('button', { name: 'Pause Zebra bench 1' }).click()
    await page.getByRole('button', { name: 'Resume Zebra bench 1' }).waitFor()
    await open(page, 'Ship')
    await fillShipment(page, { Reference: 'PAUSED-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await open(page, 'Queue')
    await page.getByText('1 job open').waitFor()
    await picture(page, 'queue-paused')
    await page.getByRole('button', { name: 'Other printer' }).click()
    await page.getByRole('menuitem', { name: 'file' }).click()
    await page.getByText('0 jobs open').waitFor()
    await page.getByRole('switch', { name: 'Show finished jobs' }).click({ force: true })
    const saved = jobsOf(page, 'PAUSED-1').getByText('Saved as')
    await saved.waitFor()
    expect(printer.received()).toBe('')
    await page.getByRole('button', { name: 'Reprint last label of file' }).click()
    await expect.poll(() => saved.count()).toBe(2)
    await picture(page, 'queue-through')

    await page.getByRole('button', { name: 'Preview the label of PAUSED-1' }).first().click()
    await page.getByRole('img', { name: 'Printed label 1 of 1' }).waitFor()
    await picture(page, 'queue-preview')
  })

  it('shows why a printer fails beside its label, which is moved to another printer from there', async () => {
    const notAFolder = join(await temporaryFolder(), 'not-a-folder')
    await writeFile(notAFolder, '')
    const broken = { id: 'broken', driver: 'folder', path: notAFolder } as const
    const { page, simulator } = await station(usualStock, {
      printers: [broken, folder],
      routing: [{ printer: 'broken' }],
    })
    await fillShipment(page, { Reference: 'BROKEN-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    const job = page.locator('[data-testid="job"][data-state="queued"]').first()
    await job.getByText(/its folder \S*not-a-folder can’t be written\). Nothing was sent/).waitFor()
    await job.getByRole('button', { name: 'Other printer' }).click()
    await page.getByRole('menuitem', { name: 'file' }).click()
    expect(await readFile(await printed(page))).not.toHaveLength(0)
    expect(simulator.ledger.listByReference('BROKEN-1')).toHaveLength(1)
  })

  it('keeps the labels of a printer that is off, and prints them in order when it is on again', async () => {
    const port = await freePort()
    const { page } = await station(usualStock, { printers: [zebra(port, usualStock), folder] })
    for (const reference of ['OFF-1', 'OFF-2', 'OFF-3']) {
      await open(page, 'Ship')
      await fillShipment(page, { Reference: reference })
      await page.keyboard.press('F9')
      await expect.poll(() => page.locator('[data-testid="job"][data-state="queued"]').count()).toBe(1)
    }
    await page.keyboard.press('F8')
    await page.getByText('already waits for printer Zebra bench 1').waitFor()
    await picture(page, 'ship-printer-off')
    await open(page, 'Queue')
    await page.getByText('3 jobs open').waitFor()
    await page.getByText('The printer can’t be reached').first().waitFor()
    await picture(page, 'queue-printer-off')
    const labels: string[] = []
    const server = createServer((socket) =>
      answeringPrinter(
        () => ({}),
        (text) => labels.push(text),
      )(socket),
    )
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.close()
    })
    await page.getByText('0 jobs open').waitFor()
    expect(readZplPictures(labels.join(''))).toHaveLength(3)
    await page.getByText('Ready', { exact: true }).first().waitFor()
  })

  it('checks a scanned label: a wrong one blocks the screen, the right one completes the job', async () => {
    const { page } = await station(usualStock, {
      scanBack: { on: true, required: false, rules: [] },
      language: 'nl',
    })
    await shipInDutch(page, 'SCAN-1')
    const { barcode } = await outcome(page, 'created')
    await printed(page, 'handed-over')
    await picture(page, 'scan-ready-nl')
    const field = page.getByLabel('Scan het afgedrukte label')
    await field.getByRole('textbox').fill('3SWRONG000')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('STOP: dit is een ander label').waitFor()
    await picture(page, 'scan-wrong-nl')
    expect(await axeFindings(page)).toEqual([])
    await page.getByRole('button', { name: 'Ingedrukt houden' }).click()
    await page.getByRole('dialog').getByText('STOP: dit is een ander label').waitFor()
    await page.getByRole('button', { name: 'Ingedrukt houden' }).click({ delay: 2500 })
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await field.getByRole('textbox').fill(barcode)
    await page.keyboard.press('Enter')
    await printed(page, 'done')
    await page.getByText('Dit is het juiste label.').waitFor()
    await picture(page, 'scan-right-nl')
  })

  it('shows a printer’s remarks in Dutch', async () => {
    let state: PrinterState = { headOpen: true }
    const labels: string[] = []
    const { port } = await startByteSink(
      answeringPrinter(
        () => state,
        (label) => labels.push(label),
      ),
    )
    const { page } = await station(usualStock, {
      language: 'nl',
      printers: [{ ...zebra(port, usualStock), name: 'zebra' }],
    })
    await shipInDutch(page, 'HEAD-1')
    const job = page.locator('[data-testid="job"][data-state="queued"]')
    const words = 'Er is nog niets naar de printer gestuurd. Die meldt: de printkop staat open.'
    await job.getByText(words).waitFor()
    await page.getByRole('navigation').getByRole('button', { name: 'Wachtrij', exact: true }).click()
    await page.getByRole('region', { name: 'zebra', exact: true }).getByText(words).waitFor()
    await picture(page, 'queue-errors-nl')
    expect(labels).toEqual([])
    state = {}
    await expect.poll(() => labels.length).toBe(1)
  })

  it('shows all labels of a shipment in one preview, also from History', async () => {
    const { page } = await station(usualStock)
    await fillShipment(page, { Reference: 'TWO-1', Packages: '2' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await open(page, 'History')
    await page.getByRole('button', { name: /TWO-1/ }).first().click()
    await page.getByRole('button', { name: 'Preview', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('img', { name: 'Printed label 1 of 2' }).waitFor()
    await dialog.getByRole('button', { name: 'Next label' }).click()
    await dialog.getByRole('img', { name: 'Printed label 2 of 2' }).waitFor()
    await dialog.getByLabel('Zoom').selectOption('Dot for dot')
    await picture(page, 'history-preview')
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await picture(page, 'history-labels')
  })
})

describe('the barcodes of a label', () => {
  it('are graded before printing, and the grade is shown with the job, in the preview and in History', async () => {
    // The barcodes of each kind of label are read only once after a start, so this test needs a new station.
    const { page, complaints } = await station(usualStock, {}, startStation)
    await fillShipment(page, { Reference: 'GRADED-1' })
    await page.keyboard.press('F9')
    const { barcode } = await outcome(page, 'created')
    await printed(page, 'handed-over')
    await open(page, 'Queue')
    await page.getByLabel('Show finished jobs').click({ force: true })
    const grades = jobsOf(page, 'GRADED-1').getByTestId('barcodes')
    await grades.getByText('Barcodes A').click()
    await grades.getByText(barcode).first().waitFor()
    await grades
      .getByText(/Narrowest bar or square: 0\.\d+ mm, [\d.]+ dots\./)
      .first()
      .waitFor()
    await picture(page, 'barcodes-queue')
    await page.getByRole('button', { name: 'Preview the label of GRADED-1' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Barcodes A').waitFor()
    await picture(page, 'barcodes-preview')
    expect(complaints).toEqual([])
    expect(await axeFindings(page)).toEqual([])
    await page.keyboard.press('Escape')
    await open(page, 'History')
    await page
      .getByRole('button', { name: /GRADED-1/ })
      .first()
      .click()
    await page.getByTestId('barcodes').getByText('Barcodes A').waitFor()
    await picture(page, 'barcodes-history')
  })

  it('hold a label on which one would become unreadable, until a person prints it anyway', async () => {
    const page100 = { widthMm: 100, heightMm: 150 }
    const stock = { widthMm: 40, heightMm: 60 }
    const placement = { carrierOptionId: 11, page: page100, stock, turn: 0 as const, scale: 0.2 }
    const areas = [{ xMm: 0, yMm: 0, ...page100 }]
    const { page, printer } = await station(stock, {
      labelRules: { placements: [{ ...placement, areas, leftOut: [] }], zplCommands: [], losses: [] },
      language: 'nl',
    })
    await shipInDutch(page, 'HELD-1')
    await outcome(page, 'created')
    await page.locator('[data-testid="job"][data-state="waiting"]').waitFor()
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.getByRole('navigation').getByRole('button', { name: 'Wachtrij', exact: true }).click()
    await page.getByTestId('barcodes').getByText('Barcodes F').click()
    await picture(page, 'barcodes-held-nl')
    expect(printer.received()).toBe('')
    await page.getByRole('button', { name: 'Bekijk wat verloren zou gaan' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('is op de afdruk niet te lezen').first().waitFor()
    await picture(page, 'barcodes-lost-nl')
    await dialog.getByRole('button', { name: 'Toch afdrukken' }).click()
    await expect.poll(() => readZplPictures(printer.received()).length).toBe(1)
    await page.getByRole('navigation').getByRole('button', { name: 'Instellingen', exact: true }).click()
    await page.getByRole('tab', { name: 'Station' }).click()
    const setting = page.getByLabel('Barcodes lezen vóór het afdrukken')
    await setting.scrollIntoViewIfNeeded()
    expect(await setting.inputValue()).toBe('first')
    await picture(page, 'barcodes-setting-nl')
  })

  it('are not read before printing when the setting «Of no label» is chosen', async () => {
    const { page } = await station(usualStock)
    await open(page, 'Settings')
    await page.getByRole('tab', { name: 'Station' }).click()
    const setting = page.getByLabel('Read barcodes before printing')
    expect(await setting.inputValue()).toBe('first')
    await setting.scrollIntoViewIfNeeded()
    await picture(page, 'barcodes-setting')
    await setting.selectOption('Of no label')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await open(page, 'Ship')
    await fillShipment(page, { Reference: 'UNREAD-1' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await printed(page, 'handed-over')
    expect(await page.getByTestId('barcodes').count()).toBe(0)
  })
})

describe('a label with content outside of its remembered placement', () => {
  const stock = { widthMm: 100, heightMm: 105 }
  const placement = {
    carrierOptionId: 11,
    page: { widthMm: 100, heightMm: 150 },
    stock,
    areas: [{ xMm: 0, yMm: 0, ...stock }],
    turn: 0 as const,
    scale: 1,
    leftOut: [],
  }
  const grown = { labelRules: { placements: [placement], zplCommands: [], losses: [] } }

  it('waits with a picture of the losses until a person cancels it, or accepts the losses from now on', async () => {
    const { page, printer, complaints } = await station(stock, grown)
    await fillShipment(page, { Reference: 'LOSS-0' })
    await page.keyboard.press('F9')
    await outcome(page, 'created')
    await page.getByRole('button', { name: 'See what would be lost' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Don’t print' }).click()
    await page.locator('[data-testid="job"][data-state="cancelled"]').waitFor()
    expect(printer.received()).toBe('')

    await fillShipment(page, { Reference: 'LOSS-1' })
    await page.keyboard.press('F9')
    await page.locator('[data-testid="outcome"][data-state="created"]', { hasText: 'LOSS-1' }).waitFor()
    const waiting = page.locator('[data-testid="job"][data-state="waiting"]')
    await waiting.getByText('lies outside the printed area').waitFor()
    await picture(page, 'loss-ship')
    // The question can be answered in the outcome panel by keyboard.
    await waiting.getByRole('button', { name: 'See what would be lost' }).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('img', { name: 'Page 1, with what would be lost framed' }).waitFor()
    const safe = dialog.getByRole('button', { name: 'Don’t print' })
    await expect.poll(() => safe.evaluate((button) => button === document.activeElement)).toBe(true)
    // Two losses: ink, and a barcode of which less than half would be printed.
    await dialog.getByText('the barcode Code 128 can’t be read from what is printed').waitFor()
    expect(await dialog.getByTestId('loss').count()).toBe(2)
    await picture(page, 'loss-dialog')
    expect(complaints).toEqual([])
    expect(await axeFindings(page)).toEqual([])
    expect(printer.received()).toBe('')
    await dialog.getByLabel(/From now on/).check()
    await dialog.getByRole('button', { name: 'Print anyway' }).press('Enter')
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => readZplPictures(printer.received()).length).toBe(1)

    await fillShipment(page, { Reference: 'LOSS-2' })
    await page.keyboard.press('F9')
    await expect.poll(() => readZplPictures(printer.received()).length).toBe(2)
    await open(page, 'Settings')
    await page.getByRole('tab', { name: 'Printers' }).click()
    const remembered = page.getByText('Printed all the same')
    await remembered.first().scrollIntoViewIfNeeded()
    expect(await remembered.count()).toBe(2)
    await picture(page, 'loss-remembered')
  })

  it('can be placed again, and is then printed completely', async () => {
    const { page, printer } = await station(stock, { ...grown, language: 'nl' })
    await page.emulateMedia({ colorScheme: 'dark' })
    await shipInDutch(page, 'ANEW-1')
    await outcome(page, 'created')
    await page.getByRole('button', { name: 'Bekijk wat verloren zou gaan' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('img', { name: 'Pagina 1, met omlijnd wat verloren zou gaan' }).waitFor()
    await picture(page, 'loss-dialog-nl-dark')
    await dialog.getByRole('button', { name: 'Plaatsing aanpassen' }).click()
    await dialog.getByText('Zo wordt het afgedrukt').waitFor()
    await dialog.getByRole('button', { name: 'Onthouden en afdrukken' }).click()
    await dialog.waitFor({ state: 'detached' })
    await expect.poll(() => readZplPictures(printer.received()).length).toBe(1)
  })
})
